"""Calibrated arms and arms without a closed form: claims hold, branches keep their names, and the rest is said."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import (
    SEVEN_JOINTS,
    SPHERICAL,
    UR10E,
    X,
    Y,
    Z,
    forward,
    line_arm,
    misses,
    off_lines,
    random_rotation,
    turned_apart,
)

from torquec.errors import ArgumentError, RobotError
from torquec.kinematics.arm_geometry import ArmFamily, arm_geometry
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import InverseKinematics, KinematicsMethod
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.kinematics.iterative_kinematics import IterativeKinematics, numeric_arm
from torquec.robot import classics
from torquec.robot.robot import Limits

HAND = (0.0, -0.1157, 0.0)
ODD = (
    [Z, Y, X + Z, Y + X, Z, X],
    [[0, 0, 0], [0.1, 0, 0.3], [0.4, 0.1, 0.3], [0.6, 0.2, 0.1], [0.8, 0.1, 0.4], [0.9, 0.3, 0.4]],
)

HARD = np.array(
    [
        # Next to two singularities at once, up to twelve solutions; each was lost by Newton's method with restarts.
        [-0.7784, -2.8775, -2.9387, 2.1675, 3.1380, -1.4270],
        [1.7977, 0.2319, 2.5036, 1.0108, 0.0062, -2.5866],
        [-0.0629, 0.0270, -3.1362, -1.8618, 0.0006, -1.3734],
        [1.0234, -2.9878, -2.9830, 0.3431, 3.1416, 3.0145],
        [0.9624, 1.7391, -3.0566, 0.9894, 3.1405, -1.5540],
        [-2.8019, -0.7202, 3.1266, -1.9056, 3.1397, 0.1377],
        [0.2685, 2.0525, 3.0953, 3.0080, -0.0702, 0.4892],
        [0.9140, -1.1732, 2.9663, 1.4730, -3.0545, 2.5390],
        [-3.1172, 2.9014, 3.1354, 2.9306, 3.0970, -2.4026],
        [-2.6084, -1.8173, 3.0432, 2.2180, 3.1269, 1.9081],
        [2.5629, 1.6043, 0.1885, 2.0969, 2.9931, -3.0487],
    ]
)


def numeric(robot, frame):
    """The numeric inverse of an arm, even where there is a better one."""
    return IterativeKinematics(robot, frame, arm_geometry(robot, frame), numeric_arm())


def check_claims(robot, q, near, ik=None):
    """What is said to be met is, to 1e-10, and what is missed is missed by that; gives (distance to q, poses)."""
    rotation, position = forward(robot, "tool")(q)
    found = (ik or inverse_kinematics(robot, "tool"))(rotation, position, near=near)
    distance, angle = misses(robot, "tool", found.q, rotation, position)
    met = (found.status & BranchStatus.OUT_OF_REACH) == 0
    assert max(distance[met].max(), angle[met].max()) < 1e-9
    assert np.quantile(distance[met], 0.999) < 1e-11
    np.testing.assert_allclose(distance, found.error[..., 0], atol=1e-10)
    return np.where(met, turned_apart(robot, found.q, q[:, None]), np.inf).min(axis=1), found


def check_complete(robot, q):
    """Of every pose the position that it came from is found; solutions are even in number, each under one name."""
    apart, found = check_claims(robot, q, np.zeros(6))
    assert apart.max() < 1e-5
    ik = inverse_kinematics(robot, "tool")
    met = (found.status & BranchStatus.OUT_OF_REACH) == 0
    twice = np.zeros(met.shape, bool)
    for k in range(1, met.shape[1]):
        same = turned_apart(robot, found.q[:, :k], found.q[:, k : k + 1]) < 1e-5
        twice[:, k] = met[:, k] & (same & met[:, :k]).any(axis=1)
    # Two solutions that are one stand at a fold. A curve of solutions through one leads to another.
    assert all(ik.rates(one, np.zeros(6)).pivot < 1e-4 for one in found.q[twice])
    odd = met.sum(axis=1) % 2 == 1
    assert all(ik.rates(found.q[k][met[k]], np.zeros(6)).pivot.min() < 1e-4 for k in np.flatnonzero(odd))
    return met


@pytest.mark.parametrize("off", [1e-3, 1e-2])
@pytest.mark.parametrize("size", [150, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_calibrated_ur(off, size):
    """Lines off by up to so many radians and metres: nothing is lost, next to singularities neither, where there are
    solutions that no branch of the nominal arm leads to.
    """
    rng = np.random.default_rng(1)
    robot = line_arm("RRRRRR", *off_lines(UR10E, off, rng), hand=HAND)
    ik = inverse_kinematics(robot, "tool")
    assert (ik.method, ik.family, len(ik.names)) == (KinematicsMethod.NEAR, ArmFamily.PARALLEL_AXES, 16)
    assert ik.names[8] == "further 1"
    met = check_complete(robot, np.concatenate([HARD, rng.uniform(-np.pi, np.pi, (size, 6))]))
    assert met.sum(axis=1).max() > 8


@pytest.mark.slow
@pytest.mark.parametrize("off", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("kind", SPHERICAL)
def test_a_calibrated_spherical_wrist(kind, off):
    rng = np.random.default_rng(2)
    robot = line_arm("RRRRRR", *off_lines(SPHERICAL[kind], off, rng))
    assert inverse_kinematics(robot, "tool").family is ArmFamily.SPHERICAL_WRIST
    check_complete(robot, rng.uniform(-np.pi, np.pi, (20_000, 6)))


@pytest.mark.slow
@pytest.mark.parametrize("off", [1e-3, 1e-2])
def test_a_calibrated_ur_at_round_angles(off):
    """Multiples of 15 degrees: the nominal arm would be singular at most of them, in two ways at many."""
    rng = np.random.default_rng(3)
    robot = line_arm("RRRRRR", *off_lines(UR10E, off, rng), hand=HAND)
    q = rng.integers(-12, 13, (20_000, 6)) * (np.pi / 12)
    apart, _ = check_claims(robot, q, np.zeros(6))
    assert apart.max() < 1e-5


def test_names_are_those_of_the_arm_next_to_it():
    """A UR whose lines are off by 1e-6 has the branches of the UR, each under its name."""
    rng = np.random.default_rng(2)
    straight = line_arm("RRRRRR", *UR10E, hand=HAND)
    robot = line_arm("RRRRRR", *off_lines(UR10E, 1e-6, rng), hand=HAND)
    q = np.array([0.4, -1.1, 1.3, -0.8, -1.2, 0.5])
    rotation, position = forward(straight, "tool")(q)
    one, other = (inverse_kinematics(arm, "tool")(rotation, position) for arm in (straight, robot))
    assert one.names == other.names[:8]
    met = (one.status & BranchStatus.OUT_OF_REACH) == 0
    assert met.sum() >= 4
    assert turned_apart(robot, one.q[met], other.q[:8][met]).max() < 1e-4


def check_all_of_a_calibrated_arm(lines, off, q, **options):
    """Elimination and the search from the nominal arm find the same; gives how many poses elimination decided."""
    rng = np.random.default_rng(5)
    robot = line_arm("RRRRRR", *off_lines(lines, off, rng), **options)
    ik = inverse_kinematics(robot, "tool")
    rotation, position = forward(robot, "tool")(q)
    quick = same = count = 0
    for R, p, every in zip(rotation, position, ik(rotation, position).q, strict=True):
        found = ik.all(R, p)
        assert np.abs(found.error).max() < 1e-10
        searched = InverseKinematics.all(ik, R, p)
        if found.complete:
            quick += found.degree == 16
            for name, one in zip(searched.names, searched.q, strict=True):
                apart = turned_apart(robot, found.q, one)
                assert apart.min() < 1e-5
                same += found.names[np.argmin(apart)] == name
                count += 1
        assert len(set(found.names)) == len(found.names)
        assert every.shape == (16, 6)
    assert same > 0.95 * count
    return quick


def test_all_solutions_of_a_calibrated_arm_by_elimination():
    q = np.random.default_rng(4).uniform(-np.pi, np.pi, (40, 6))
    assert check_all_of_a_calibrated_arm(next(iter(SPHERICAL.values())), 1e-3, q) > 30


@pytest.mark.slow
@pytest.mark.parametrize("off", [1e-4, 1e-2])
def test_all_solutions_of_a_calibrated_ur_are_none_fewer_than_by_search(off):
    q = np.concatenate([HARD, np.random.default_rng(4).uniform(-np.pi, np.pi, (400, 6))])
    check_all_of_a_calibrated_arm(UR10E, off, q, hand=HAND)


def test_a_calibrated_panda_keeps_its_free_joint():
    rng = np.random.default_rng(3)
    robot = line_arm("R" * 7, *off_lines(SEVEN_JOINTS["panda"], 1e-3, rng))
    q = rng.uniform(-2.0, 2.0, (60, 7))
    near = np.zeros((60, 7))
    near[:, 6] = q[:, 6]
    apart, found = check_claims(robot, q, near)
    assert apart.max() < 1e-6
    np.testing.assert_array_equal(found.q[:, :, 6], np.repeat(q[:, 6:], 16, axis=1))


def test_the_nearest_branch_is_one_of_all():
    rng = np.random.default_rng(4)
    robot = line_arm("RRRRRR", *off_lines(UR10E, 1e-3, rng), hand=HAND)
    ik = inverse_kinematics(robot, "tool")
    q = rng.uniform(-1.5, 1.5, (5, 6))
    rotation, position = forward(robot, "tool")(q)
    best = ik.nearest(rotation, position, near=q)
    np.testing.assert_allclose(best.q, q, atol=1e-8)
    one = ik.nearest(rotation[0], position[0], near=q[0])
    np.testing.assert_allclose(one.q, best.q[0], atol=1e-12)
    assert (one.branch, one.status) == (best.branch[0], best.status[0])


def test_numeric_finds_one_within_limits():
    rng = np.random.default_rng(5)
    robot = line_arm("RRRRRR", *ODD, rng, limits={k: Limits(-2.0, 2.5) for k in range(6)})
    ik = numeric(robot, "tool")
    assert (ik.method, ik.family, ik.names) == (KinematicsMethod.NUMERIC, ArmFamily.NONE, ("numeric",))
    q = rng.uniform(-2.0, 2.5, (60, 6))
    _, found = check_claims(robot, q, np.zeros(6), ik)
    met = (found.status & BranchStatus.OUT_OF_REACH) == 0
    assert met.mean() > 0.9
    assert found.q.min() >= -2.0
    assert found.q.max() <= 2.5
    # From where the pose was taken it goes nowhere.
    rotation, position = forward(robot, "tool")(q)
    np.testing.assert_allclose(ik.nearest(rotation, position, near=q).q, q, atol=1e-9)


def test_numeric_with_too_few_joints_is_least_squares():
    """Two links in a plane, asked for a point out of reach with a turn that suits none: position and turn compete."""
    robot = classics.planar2r()
    ik = inverse_kinematics(robot, "tool")
    rotation, position = forward(robot, "tool")(np.array([0.3, 0.8]))
    found = ik(rotation, position, near=[0.1, 0.4])
    np.testing.assert_allclose(found.q, [[0.3, 0.8]], atol=1e-9)
    far = ik(rotation, 3.0 * position, near=[0.1, 0.4])
    assert far.status[0] & BranchStatus.OUT_OF_REACH
    distance, angle = misses(robot, "tool", far.q[None], rotation[None], 3.0 * position[None])
    np.testing.assert_allclose(far.error, np.concatenate([distance, angle], axis=1), atol=1e-9)


def test_an_iteration_is_no_program():
    robot = line_arm("RRRRRR", *ODD)
    ik = inverse_kinematics(robot, "tool")
    with pytest.raises(RobotError, match="is an iteration, not a single program"):
        _ = ik.function
    with pytest.raises(RobotError, match="no closed form is known"):
        inverse_kinematics(robot, "tool", free="j0")


@pytest.mark.parametrize(
    ("letters", "task"), [("RRR", "position"), ("RRRRR", "axis"), ("RRRRRR", "axis"), ("RPRR", "position")]
)
def test_lesser_tasks_are_met_by_as_many_joints_as_they_need(letters, task):
    """Poses of random positions, then turned where the task does not look: what it asks for is met, to 1e-9."""
    rng = np.random.default_rng(8)
    n = len(letters)
    robot = line_arm(letters, rng.normal(size=(n, 3)), np.cumsum(0.3 * rng.normal(size=(n, 3)), axis=0))
    ik = inverse_kinematics(robot, "tool", task=task)
    assert ik.method is KinematicsMethod.NUMERIC
    pose = forward(robot, "tool")
    rotation, position = pose(rng.uniform(-1.0, 1.0, (20, n)))
    turn = (
        random_rotation(rng) if task == "position" else np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    )
    found = ik.nearest(rotation @ turn, position)
    met = (found.status & BranchStatus.OUT_OF_REACH) == 0
    assert met.mean() > 0.9
    turned, place = pose(found.q[met])
    np.testing.assert_allclose(place, position[met], atol=1e-9)
    if task == "axis":
        np.testing.assert_allclose(turned[..., 2], rotation[met][..., 2], atol=1e-9)
    assert (found.status & BranchStatus.SINGULAR == 0).any()  # rows that the task has not do not count


def test_a_position_needs_no_rotation():
    ik = inverse_kinematics(classics.puma560(), "link6", task="position")
    found = ik.nearest(None, [0.4, 0.2, 0.3])
    assert found.error[1] == 0.0
    np.testing.assert_allclose(forward(ik.robot, "link6")(found.q)[1], [0.4, 0.2, 0.3], atol=1e-10)
    with pytest.raises(ArgumentError, match="a free joint with the task 'position'"):
        inverse_kinematics(ik.robot, "link6", free="joint1", task="position")
    with pytest.raises(ArgumentError, match="task"):
        inverse_kinematics(ik.robot, "link6", task="colour")
    with pytest.raises(ArgumentError, match="rotation has the shape"):
        inverse_kinematics(ik.robot, "link6").nearest(None, [0.4, 0.2, 0.3])
