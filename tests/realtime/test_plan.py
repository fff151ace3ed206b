"""Plans: what is recommended keeps what is allowed, and a certificate counts."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from tests.model.kinds import model_of

import torquec as tq
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.package import write_two_rate_package
from torquec.realtime.plan import plan_background
from torquec.simplification.specification import parse_specification

TEXT = "[every_joint]\nvelocity = 1\nacceleration = 2\njerk = 30\ntorque_error = 0.5"


def test_the_recommended_period_is_the_longest():
    arm = tq.classics.planar2r()
    plan = plan_background(arm, parse_specification(TEXT, arm), search=False)
    assert plan.period == plan.recommended[HoldOrder.FIRST]
    assert np.all(plan.total <= plan.allowed)
    longer = plan_background(arm, parse_specification(TEXT, arm), period=1.01 * plan.period, search=False)
    assert np.any(longer.total > longer.allowed)
    assert plan.recommended[HoldOrder.ZEROTH] < plan.recommended[HoldOrder.FIRST]


def test_latency_is_age_too():
    arm = tq.classics.planar2r()
    plain, late = (plan_background(arm, parse_specification(TEXT, arm), latency=x, search=False) for x in (0.0, 0.004))
    assert late.period == pytest.approx(plain.period - 0.004)
    np.testing.assert_allclose(late.total, plain.total)


def test_a_certificate_takes_its_part_and_the_header_says_so(tmp_path):
    model = model_of("scara", tq.ModelKind.CERTIFIED_TORQUE)
    text = "[every_joint]\nvelocity = 1\nacceleration = 2\njerk = 20\ntorque_error = 3"
    specification = parse_specification(text, model.robot)
    with pytest.raises(tq.ArgumentError, match="does not cover"):
        plan_background(model, specification, search=False)
    box = model.record.motions
    inside = dataclasses.replace(specification, box=box.positions)
    plan = plan_background(model, inside, period=0.005, search=False)
    assert np.all(plan.proven == 1.0)  # what the certificate of this test says
    np.testing.assert_allclose(plan.total, 1.0 + plan.held(HoldOrder.FIRST))
    write_two_rate_package(model, tmp_path, plan=plan)
    header = " ".join((tmp_path / "scara_simplified_rt.h").read_text().replace("\n *", " ").split())
    (stated,) = re.findall(rf"{model.robot.joint_names[0]}: at most (\S+) N m = 1 of the model", header)
    assert plan.total[0] <= float(stated) < plan.total[0] * (1.0 + 1.1e-5)


def test_without_torque_errors_nothing_is_recommended():
    arm = tq.classics.planar2r()
    text = "[every_joint]\nvelocity = 1\nacceleration = 2\n[coefficients]\nthreshold = 0.01"
    plan = plan_background(arm, parse_specification(text, arm), search=False)
    assert plan.recommended == {HoldOrder.ZEROTH: None, HoldOrder.FIRST: None}
    assert plan.period == 0.02
