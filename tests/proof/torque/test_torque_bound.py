"""Bounds of one joint's torque error: known answers, allowances that count, limits, and time that is over."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from torquec.errors import TimeLimitError
from torquec.expr import trace
from torquec.expr.math import sincos
from torquec.proof.torque.torque_bound import FACTORS, PUBLISHED, _part_of, _targets, torque_bound
from torquec.proof.torque.torque_residual import torque_residual
from torquec.proof.torque.torque_tables import torque_tables
from torquec.robot.joints import PositionBasis
from torquec.trajectory.motion_box import MotionBox

BOX = MotionBox((-1.0, 0.2), (1.0, 0.5), (2.0, 3.0), (5.0, 7.0))


def residual_of(first, second=lambda q, qd, qdd: 0.0 * qd[0], joints=(0, 1)):
    """Of two joints whose torques are these errors, and nothing else, over the positions of `joints`."""
    shapes = dict.fromkeys(("q", "qd", "qdd"), (2,))
    errs = trace("f", lambda q, qd, qdd: {"tau": [first(q, qd, qdd), second(q, qd, qdd)]}, shapes)
    none = trace("f", lambda q, qd, qdd: {"tau": [0.0 * qd[0], 0.0 * qd[1]]}, shapes)
    return torque_residual(
        torque_tables(errs, [PositionBasis.TRIGONOMETRIC] * 2, joints),
        torque_tables(none, [PositionBasis.TRIGONOMETRIC] * 2, joints),
    )


# 3 sin q2 is at most 3 sin 0.5 in the second joint's range; speeds 2 and 3, accelerations 5 and 7.
WAVES = residual_of(
    lambda q, qd, qdd: 3.0 * sincos(q[1])[0] + 0.25 * qdd[1] - 0.5 * qd[0] * qd[1],
    lambda q, qd, qdd: 2.0 * sincos(q[0])[1] * qdd[0],
)
LARGEST = 3.0 * math.sin(0.5) + 0.25 * 7.0 + 0.5 * 2.0 * 3.0
CONSTANT = residual_of(lambda q, qd, qdd: 0.5 + 0.25 * qdd[1] - 0.5 * qd[0] * qd[1])
SIZE = 0.5 + 0.25 * 7.0 + 0.5 * 6.0


def with_dropped(residual, *dropped):
    """The residual with so much left out of the rows of each joint as rounding."""
    return replace(residual, dropped=(np.array(dropped), np.array(dropped)))


DROPPED = (1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3)
ALLOWED = 1e-3 * 5.0 + 2e-3 * 7.0 + 3e-3 * 4.0 + 4e-3 * 6.0 + 5e-3 * 9.0 + 6e-3


def test_known_errors():
    first = torque_bound(WAVES, 0, BOX, found=0.99 * LARGEST)
    assert LARGEST <= first.bound <= 1.021 * LARGEST
    assert not first.by_amplitudes
    assert first.boxes == sum(map(len, first.trees))
    second = torque_bound(WAVES, 1, BOX, found=9.9)
    assert 10.0 <= second.bound <= 10.21


def test_what_is_found_by_a_refutation_counts():
    """Nothing is known of the error at first: targets below it are refuted by what is attained."""
    bound = torque_bound(WAVES, 0, BOX, found=0.2 * LARGEST)
    assert bound.bound >= LARGEST
    assert bound.found <= LARGEST * (1.0 + 1e-9)


def test_a_constant_has_its_allowance_and_a_floor():
    """The floor is three allowances: with the allowance itself they are four."""
    bound = torque_bound(with_dropped(CONSTANT, *DROPPED), 0, BOX, found=SIZE)
    assert bound.bound == pytest.approx(PUBLISHED * (SIZE + 4.0 * ALLOWED), rel=1e-7)
    assert bound.bound > SIZE + 4.0 * ALLOWED
    assert bound.trees == ((-1,),)
    for part, holds in ((1.0 + 1e-6, True), (1.0 - 1e-6, False)):
        limited = torque_bound(with_dropped(CONSTANT, *DROPPED), 0, BOX, found=SIZE, limit=part * bound.bound)
        assert (limited == bound) if holds else limited is None


def test_floors_are_a_part_of_the_largest_torque():
    """1e-9 of forty at rest, where nothing was left out and rounding is less; what rows may be off by counts once."""
    heavy = residual_of(lambda q, qd, qdd: 40.0 + 0.25 * qdd[1], joints=())
    bound = torque_bound(heavy, 0, BOX, found=40.0)
    off = 32.0 * heavy.rounding  # weights are 5 + 7 + 4 + 6 + 9 + 1
    assert bound.bound / PUBLISHED - 41.75 == pytest.approx(4e-8 + off, rel=1e-3, abs=0.0)
    assert 3.0 * off < 4e-8


def test_what_was_left_out_counts_in_boxes(monkeypatch):
    monkeypatch.setattr("torquec.proof.torque.torque_bound._AT_ALL", 500_000)
    plain = torque_bound(WAVES, 0, BOX, found=LARGEST, limit=LARGEST * 1.001, closer=False)
    assert plain is not None
    off = with_dropped(WAVES, *DROPPED)
    assert torque_bound(off, 0, BOX, found=LARGEST, limit=LARGEST + 0.9 * ALLOWED) is None
    more = torque_bound(off, 0, BOX, found=LARGEST)
    assert LARGEST + ALLOWED <= more.bound <= 1.06 * LARGEST + ALLOWED
    assert more.bound >= 3.0 * ALLOWED


def test_limits():
    loose, close = (
        torque_bound(WAVES, 0, BOX, found=0.99 * LARGEST, limit=1.1 * LARGEST, closer=closer)
        for closer in (False, True)
    )
    assert loose.bound == pytest.approx(1.1 * LARGEST, rel=1e-12)
    at_once = torque_bound(WAVES, 0, BOX, found=0.99 * LARGEST, limit=3.0 * LARGEST, closer=False)
    assert at_once.by_amplitudes
    assert LARGEST < at_once.bound < 1.3 * LARGEST
    known = torque_bound(WAVES, 0, BOX, found=0.99 * LARGEST, limit=3.0 * LARGEST, known=at_once)
    assert known.bound == close.bound
    assert LARGEST <= close.bound < 1.021 * LARGEST
    assert torque_bound(WAVES, 0, BOX, found=0.99 * LARGEST, closer=False).bound < 1.021 * LARGEST
    for found in (0.0, 0.99 * LARGEST):
        assert torque_bound(WAVES, 0, BOX, found=found, limit=0.95 * LARGEST) is None


def test_targets_come_down_from_the_limit():
    assert _targets(2.0, 0.0, None) == [2.0 * factor for factor in FACTORS]
    assert _targets(2.0, 2.5, None) == [16.0, 6.0, 4.0, 3.0, 2.6, 2.5]
    assert _targets(2.0, 0.0, 3.1) == [3.1, 3.0, 2.6, 2.3, 2.16, 2.08, 2.04]
    assert _targets(2.0, 0.0, 3.05) == [3.05, 2.6, 2.3, 2.16, 2.08, 2.04]


def over(done, whole, note=""):
    """A meter whose time is over."""
    raise TimeLimitError("over")


def test_amplitudes_are_the_bound_when_time_is_over():
    """3 + 1.75 + 3 whatever the positions, and as much for what was left out as for a constant."""
    off = with_dropped(WAVES, *DROPPED)
    bound = torque_bound(off, 0, BOX, found=LARGEST, meter=over)
    assert bound.by_amplitudes
    assert bound.bound == pytest.approx(PUBLISHED * (3.0 + 1.75 + 3.0 + 4.0 * ALLOWED), rel=1e-7)
    assert torque_bound(off, 0, BOX, found=LARGEST, limit=1.001 * bound.bound, meter=over) == bound
    with pytest.raises(TimeLimitError, match="before a bound is proven"):
        torque_bound(off, 0, BOX, found=LARGEST, limit=0.999 * bound.bound, meter=over)


def test_the_best_bound_counts_when_time_is_over_later():
    calls = []

    def later(done, whole, note=""):
        calls.append((done, whole))
        if done > 2.0:
            raise TimeLimitError("over")

    bound = torque_bound(WAVES, 0, BOX, found=LARGEST, meter=later)
    assert bound.bound == pytest.approx(PUBLISHED * FACTORS[1] * LARGEST, rel=1e-6)
    assert all(0.0 <= done <= whole == len(FACTORS) for done, whole in calls)


def test_meters_of_several_proofs():
    seen = []
    _part_of(lambda *values: seen.append(values), 2, 5)(1.0, 4.0, "note")
    assert seen == [(2.25, 5, "note")]
