"""x cos q + y sin q = d: both angles, at 180 degrees too, the nearest ones, and the one that is held."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.expr import evaluate, trace
from torquec.kinematics.angle import JointAngle, limits_margin, nearest_turn, two_angles, whole_turns
from torquec.robot.robot import Limits

HELD = JointAngle.of(0.7)


def test_both_angles_solve_it():
    rng = np.random.default_rng(0)
    for x, y, share in rng.uniform(-1.0, 1.0, (50, 3)):
        d = share * math.hypot(x, y)
        found = two_angles(x, y, d, HELD, 1.0)
        for angle in (found.first, found.second):
            assert x * math.cos(angle.radians) + y * math.sin(angle.radians) == pytest.approx(d, abs=1e-15)
            assert math.hypot(angle.c, angle.s) == pytest.approx(1.0)
        assert found.miss == 0.0


def test_half_a_turn_is_no_special_case():
    """Clover IV (23): the half-angle is infinite where A + C = 0, and the angle there is 180 degrees."""
    assert abs(two_angles(1.0, 0.0, -1.0, HELD, 1.0).first.radians) == pytest.approx(math.pi)


def test_out_of_reach_is_nearest():
    found = two_angles(3.0, 4.0, 6.0, HELD, 1.0)
    assert found.miss == pytest.approx(1.0)
    assert found.first == found.second
    assert found.first.radians == pytest.approx(math.atan2(4.0, 3.0))
    assert found.margin == 0.0


def test_a_free_angle_is_held():
    found = two_angles(1e-14, 0.0, 0.0, HELD, 1.0)
    assert (found.first, found.second, found.margin) == (HELD, HELD, 0.0)


def test_coincident_angles_are_the_same_number():
    found = two_angles(1.0, 0.0, 1.0 - 1e-16, HELD, 1.0)
    assert found.first == found.second


TURN = 2.0 * math.pi


@pytest.mark.parametrize(
    ("q", "limits", "near", "expected"),
    [
        (0.5, Limits(), 100.0 * TURN, 0.5 + 100.0 * TURN),
        (0.5, Limits(), 0.5 + math.pi, 0.5 + TURN),
        (0.5, Limits(-TURN, TURN), 5.0, 0.5),
        (0.5, Limits(-TURN, TURN), -5.0, 0.5 - TURN),
        (0.5, Limits(-7.0, 7.0), 50.0, 0.5 + TURN),
        (-3.0, Limits(0.0, 4.0), 0.0, TURN - 3.0),
        (-math.pi, Limits(-math.pi, math.pi), 1.0, math.pi),
        (math.pi, Limits(-math.pi, math.pi), -1.0, -math.pi),
        (math.pi, Limits(0.0, math.pi), 0.0, math.pi),
    ],
)
def test_nearest_turn(q, limits, near, expected):
    found = nearest_turn(q, limits, near)
    assert found.value == pytest.approx(expected)
    assert found.margin >= 0.0
    assert limits_margin(found.value, limits) >= 0.0


def test_a_joint_without_room_is_outside():
    limits = Limits(-1.0, 1.0)
    found = nearest_turn(2.0 - TURN, limits, 0.5)
    assert found.value == pytest.approx(2.0)  # the turn next to them all the same
    assert found.margin < 0.0


def test_rounding_survives_the_rewriting_of_programs():
    x = np.array([-2.7, -0.2, 0.4, 0.6, 1e6 + 0.3])
    for offset in (0.0, 0.45, -0.3):
        function = trace("round", lambda x, d=offset: {"y": [whole_turns(v * TURN + d) for v in x]}, {"x": (5,)})
        np.testing.assert_array_equal(evaluate(function, {"x": x})["y"], np.round(x + offset / TURN))


@pytest.mark.parametrize(
    "limits", [(-2.0, 3.0), (-math.pi, math.pi), (-TURN, TURN), (-9.0, 1.0), (-math.inf, 2.0), (1.0, math.inf)]
)
def test_against_trying_every_turn(limits):
    rng = np.random.default_rng(1)
    for q, near in zip(rng.uniform(-7.0, 7.0, 300), rng.uniform(-15.0, 15.0, 300), strict=True):
        found = nearest_turn(float(q), Limits(*limits), float(near))
        every = q + TURN * np.arange(-8, 9)
        inside = every[(every >= limits[0]) & (every <= limits[1])]
        assert (found.margin >= 0.0) == bool(len(inside))
        assert abs((found.value - q) / TURN % 1.0 - 0.5) > 0.5 - 1e-9
        if len(inside):
            assert found.value == pytest.approx(inside[np.abs(inside - near).argmin()])
