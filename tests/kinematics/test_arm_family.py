"""Families of arms: found from lines in space, whatever the base and the tool, and every closed form closes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import (
    X,
    Y,
    Z,
    line_arm,
    parallel_lines_arm,
    random_rotation,
    wrist_arm,
)
from tests.kinematics.test_inverse_kinematics import check_closure

from torquec.kinematics.angle import JointAngle
from torquec.kinematics.arm_family import WRIST_HOLD, closed_arm, solve_wrist
from torquec.kinematics.arm_geometry import ArmFamily, arm_geometry
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.inverse_kinematics import inverse_kinematics

SKEW = np.array([0.3, 0.5, 0.8])
PLACES = ([0.0, 0.0, 0.0], [0.2, 0.1, 0.5], [0.8, -0.1, 0.7])

CARRIERS = {
    "elbow, square shoulder": ("RRR", [Z, Y, Y], PLACES, 8, "joints 2 and 3 move in a plane"),
    "elbow, second axis turned round": ("RRR", [Z, Y, -Y], PLACES, 8, "joints 2 and 3 move in a plane"),
    "elbow, slanted shoulder": ("RRR", [SKEW, Y, Y], PLACES, 8, "joints 2 and 3 move in a plane"),
    "Stanford": ("RRP", [Z, Y, X], PLACES, 8, "joints 2 and 3 move in a plane"),
    "slide before elbow": ("RPR", [Z, X, Y], PLACES, 8, "joints 2 and 3 move in a plane"),
    "cylinder": ("RPP", [Z, Z, X], PLACES, 4, "joints 2 and 3 move in a plane"),
    "slanted gantry": ("PPP", [X, SKEW, Z], PLACES, 2, "joints 2 and 3 move in a plane"),
    "slide with elbow": ("PRR", [Z, Z, Z], PLACES, 4, "joints 2 and 3 move in a plane"),
    "slanted slide with elbow": ("PRR", [SKEW, Z, Z], PLACES, 4, "joints 2 and 3 move in a plane"),
    "Scara with wrist": ("RRP", [Z, Z, Z], PLACES, 4, "joints 1 and 2 move in a plane"),
    "parallel, then across": ("RRR", [Z, Z, SKEW], PLACES, 8, "joints 1 and 2 move in a plane"),
    "slides, then turn": ("PPR", [X, Y, SKEW], PLACES, 4, "joints 1 and 2 move in a plane"),
    "axes 1 and 2 intersect, R": ("RRR", [Z, SKEW, X], (0 * Z, 0.4 * SKEW, PLACES[2]), 8, "axes 1 and 2 intersect"),
    "axes 1 and 2 intersect, P": ("RRP", [Z, X, SKEW], (0 * Z, Z + X, PLACES[2]), 8, "axes 1 and 2 intersect"),
}


@pytest.mark.parametrize("name", CARRIERS)
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4))])
def test_spherical_wrists_on_any_carrier(name, seed):
    letters, axes, points, branches, rule = CARRIERS[name]
    rng = np.random.default_rng(seed)
    robot = wrist_arm(letters, axes, points, rng)
    ik = inverse_kinematics(robot, "tool")
    assert (ik.family, ik.closed.rule, len(set(ik.names))) == (ArmFamily.SPHERICAL_WRIST, rule, branches)
    q = rng.uniform(-3.0, 3.0, (200, 6))
    apart, found = check_closure(robot, "tool", q)
    assert np.quantile(apart, 0.98) < 1e-10
    assert apart.max() < 1e-5
    assert ((found.status & BranchStatus.OUT_OF_REACH) == 0).any(axis=1).all()


@pytest.mark.parametrize("seed", range(3))
def test_three_parallel_axes_anyhow(seed):
    rng = np.random.default_rng(seed)
    robot = parallel_lines_arm(rng)
    assert inverse_kinematics(robot, "tool").family is ArmFamily.PARALLEL_AXES
    apart, _ = check_closure(robot, "tool", rng.uniform(-3.0, 3.0, (200, 6)))
    assert np.quantile(apart, 0.98) < 1e-10
    assert apart.max() < 1e-5


@pytest.mark.parametrize("letters", ["RRPR", "RRRP", "PRRR", "RPRR"])
def test_scaras_in_every_order(letters):
    rng = np.random.default_rng(7)
    points = [[0.0, 0.0, 0.0], [0.3, 0.1, 0.2], [0.5, 0.6, 0.1], [0.9, 0.4, 0.0]]
    robot = line_arm(letters, [Z, -Z, Z, -Z], points, rng)
    ik = inverse_kinematics(robot, "tool")
    assert (ik.family, ik.names) == (ArmFamily.SCARA, ("elbow up", "elbow down"))
    apart, _ = check_closure(robot, "tool", rng.uniform(-3.0, 3.0, (200, 4)))
    assert np.quantile(apart, 0.98) < 1e-10
    assert apart.max() < 1e-5


def test_what_is_nearly_in_a_family_is_not_in_it():
    """Calibrated axes, off by 1e-3: taking them as parallel would move the tip. Each family says why it is none."""
    off = np.array([0.0, 1.0, 1e-3])
    points = [*PLACES, *[np.array([1.2, -0.1, 0.7])] * 3]

    def reasons(*lines):
        return "; ".join(closed_arm(arm_geometry(line_arm(*lines), "tool")))

    assert "neither two neighbours move in one plane" in reasons("RRRRRR", [Z, Y, off, X, Y, X], points)
    assert "intersect, but not at right angles" in reasons("RRRRRR", [Z, Y, Y, X, off + 0.1 * X, X], points)
    assert "its four axes are not parallel" in reasons("RRPR", [Z, Z, Z + 1e-3 * X, Z], [0 * X, X, 2 * X, 3 * X])
    assert "its last three axes do not intersect in one point" in reasons(
        "RRRRRR", [Z, Y, Y, X, Y, X], [0 * Z, Z, Z + X, Z + 2 * X, Z + 2 * X, Z + 2 * X + 0.01 * Y]
    )


def test_a_turned_base_gives_the_same_branches():
    turn = random_rotation(np.random.default_rng(3))
    letters, axes, points, *_ = CARRIERS["elbow, square shoulder"]
    lines = [*axes, X, Y, X], [*map(np.asarray, points), *[np.array([1.2, -0.1, 0.7])] * 3]
    straight = line_arm(letters + "RRR", *lines)
    turned = line_arm(letters + "RRR", *([turn @ v for v in part] for part in lines), hand=turn @ [0.1, -0.07, 0.2])
    place = np.array([0.6, 0.5, 0.4])
    one = inverse_kinematics(straight, "tool")(np.eye(3), place)
    other = inverse_kinematics(turned, "tool")(np.eye(3), turn @ place)
    np.testing.assert_allclose(other.q, one.q, atol=1e-10)
    assert one.names == other.names


A, B, C = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.8, 0.0)


def made_of(angles):
    a, b, c = (np.array(JointAngle.of(float(v)).rotation(axis)) for v, axis in zip(angles, (A, B, C), strict=True))
    return a @ b @ c


def solved(m):
    return solve_wrist(tuple(map(tuple, m)), (A, B, C), JointAngle.of(0.3))


def test_both_ways_make_up_the_rotation():
    rng = np.random.default_rng(0)
    for _ in range(50):
        m = random_rotation(rng)
        first, second = (end.values for end in solved(m))
        np.testing.assert_allclose(made_of(first), m, atol=1e-14)
        np.testing.assert_allclose(made_of(second), m, atol=1e-14)
        assert abs(np.sin((first[0] - second[0]) / 2.0)) == pytest.approx(1.0)


@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("half", [0.0, np.pi])
def test_next_to_the_singularity(off, half):
    """Errors of the first angle are made good by the last; below `WRIST_HOLD` the first is held, at that price."""
    bend = -np.arctan2(0.8, 0.6) + half + off
    for end in solved(made_of((1.1, bend, 0.4))):
        price = 2.0 * off if off < WRIST_HOLD else 0.0
        np.testing.assert_allclose(made_of(end.values), made_of((1.1, bend, 0.4)), atol=2e-12 + price)
        if off < WRIST_HOLD:
            assert end.values[0] == pytest.approx(0.3)
