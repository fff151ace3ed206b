"""What a wanted tracking error lacks: costs by cause, and changes that do it, each tried here again."""

from __future__ import annotations

import json
import math
from dataclasses import replace

from tests.control.test_tracking_budget import ARM, LOOP, SETS

import torquec as tq
from torquec.control.tracking_shortfall import TrackingShortfall, tracking_shortfall

EXACT = LOOP.guarantee(ARM)
REACHED = [bound.position for bound in EXACT.joints]


def test_costs_and_changes_are_named_and_would_do():
    wanted = tuple(0.6 * value for value in REACHED)
    found = tracking_shortfall(tq.compile(ARM), LOOP, EXACT, wanted)
    assert set(found.joints) == set(ARM.joint_names)
    assert found.costs["joint1"]["friction"] > 0.0
    assert "poles" in found.remedy
    factor = float(found.changes[0].split()[1])
    faster = replace(LOOP, poles=-20.0 * 1.02 * factor).guarantee(ARM)  # the text has two digits
    assert all(bound.position <= most for bound, most in zip(faster.joints, wanted, strict=True))
    assert json.loads(json.dumps(found.to_document()))["changes"] == list(found.changes)


def test_a_payload_that_costs_too_much_may_be_lighter():
    heavy = replace(SETS, every_joint=replace(SETS.every_joint, friction_residual=0.0))
    loop = replace(LOOP, uncertainty=heavy)
    exact = loop.guarantee(ARM)
    wanted = (math.inf, 0.7 * exact.joints[1].position)
    found = tracking_shortfall(tq.compile(ARM), loop, exact, wanted)
    assert any("payload" in change for change in found.changes)
    assert any("rotor of" in change and "which moves" in change for change in found.changes)


def test_without_a_bound_the_reason_is_stated():
    found = TrackingShortfall({"joint1": (None, 0.1)}, {}, (), "the bounds diverge")
    assert "even with the exact model: the bounds diverge" in found.text
    assert "faster poles" in found.remedy
