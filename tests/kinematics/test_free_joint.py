"""Seven joints, one of them given: arms like the Panda and the iiwa, by their lines alone and from their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.kinematics.arms import SEVEN_JOINTS, X, Y, Z, forward, line_arm, misses, seven_joint_arm, wrist_lines
from tests.kinematics.test_inverse_kinematics import check_closure

from torquec.errors import ArgumentError, RobotError
from torquec.kinematics.arm_geometry import ArmFamily
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.free_joint import END, free_intervals
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot import classics
from torquec.robot.load import load
from torquec.robot.robot import Limits


@pytest.mark.parametrize(
    ("kind", "free", "family"),
    [
        ("panda", "j6", ArmFamily.SPHERICAL_SHOULDER),
        ("iiwa", "j0", ArmFamily.SPHERICAL_WRIST),
        ("iiwa", "j2", ArmFamily.SPHERICAL_WRIST),
        ("iiwa", "j4", ArmFamily.SPHERICAL_SHOULDER),
        ("iiwa", "j6", ArmFamily.SPHERICAL_SHOULDER),
    ],
)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_branch_closes_and_the_free_joint_stays(kind, free, family, seed):
    rng = np.random.default_rng(seed)
    robot = seven_joint_arm(kind, rng)
    ik = inverse_kinematics(robot, "tool", free=free)
    assert (ik.free, ik.family, len(set(ik.names))) == (free, family, 8)
    q = rng.uniform(-3.0, 3.0, (200, 7))
    rotation, position = forward(robot, "tool")(q)
    found = ik(rotation, position, near=q)
    np.testing.assert_array_equal(found.q[:, :, int(free[1])], np.tile(q[:, int(free[1]), None], 8))
    apart, _ = check_closure(robot, "tool", q, free=free)
    assert np.quantile(apart, 0.98) < 1e-10
    assert apart.max() < 1e-5


def test_the_free_joint_is_chosen_where_none_is_named():
    assert inverse_kinematics(seven_joint_arm("panda"), "tool").free == "j6"
    assert inverse_kinematics(seven_joint_arm("iiwa"), "tool").free == "j2"


def test_a_slide_can_be_the_free_joint():
    """An elbow arm whose hand slides along its last axis."""
    robot = line_arm("RRRRRRP", [Z, Y, Y, X, Y, X, Z], [0 * Z, Z, Z + X, *[Z + 2 * X] * 4], np.random.default_rng(1))
    q = np.random.default_rng(3).uniform(-2.0, 2.0, (100, 7))
    apart, _ = check_closure(robot, "tool", q, free="j6")
    assert apart.max() < 1e-6


def test_what_cannot_be_free_is_refused():
    robot = seven_joint_arm("panda")
    with pytest.raises(RobotError, match="with the joint 'j2' given the six others have no closed form"):
        inverse_kinematics(robot, "tool", free="j2")
    with pytest.raises(ArgumentError, match="no joint 'elbow' moves the frame"):
        inverse_kinematics(robot, "tool", free="elbow")


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEVEN_JOINTS)
def test_many_poses_give_back_where_they_came_from(kind):
    robot = seven_joint_arm(kind)
    rng = np.random.default_rng(5)
    for _ in range(4):
        apart, _ = check_closure(robot, "tool", rng.uniform(-3.0, 3.0, (25_000, 7)))
        assert apart.max() < 1e-5


@pytest.mark.parametrize(
    ("part", "batches", "size"), [(4, 1, 1000), *(pytest.param(n, 20, 50_000, marks=pytest.mark.slow) for n in (4, 12))]
)
@pytest.mark.parametrize("kind", SEVEN_JOINTS)
def test_round_angles(kind, part, batches, size):
    """Multiples of 45 and 15 degrees: the shoulder straight, the elbow straight, the hand above the base."""
    robot = seven_joint_arm(kind)
    rng = np.random.default_rng(4)
    for _ in range(batches):
        q = rng.integers(-part, part + 1, (size, 7)) * (np.pi / part)
        apart, found = check_closure(robot, "tool", q)
        assert apart.max() < 1e-6
        assert (found.status & BranchStatus.SINGULAR).any()


LIMITS = {k: Limits(-2.0, 2.2) for k in range(7)}


def test_known_ends_and_what_lies_between_samples():
    """A sine above a half; a gap and an island that are narrower than the samples; all and nothing."""
    scores = (
        lambda x: np.sin(x) - 0.5,
        lambda x: (x - 1.00051) ** 2 - 1e-8,
        lambda x: 1e-8 - (x - 1.00051) ** 2,
        lambda x: 1.0 + 0.0 * x,
        lambda x: -1.0 + 0.0 * x,
    )

    def score(x, branch):
        return np.array([scores[k](value) for k, value in zip(branch, x, strict=True)])

    found = free_intervals(score, 5, 0.0, 3.0)
    np.testing.assert_allclose(found[0], [[np.pi / 6, 5 * np.pi / 6]], atol=2 * END)
    np.testing.assert_allclose(found[1], [[0.0, 1.00041], [1.00061, 3.0]], atol=2 * END)
    np.testing.assert_allclose(found[2], [[1.00041, 1.00061]], atol=2 * END)
    assert found[3:] == [[(0.0, 3.0)], []]


@pytest.mark.parametrize("kind", ["panda", "iiwa"])
def test_inside_is_allowed_and_outside_is_not(kind):
    robot = seven_joint_arm(kind, limits=LIMITS)
    ik = inverse_kinematics(robot, "tool")
    place = int(ik.free[1])
    q = np.array([0.4, -0.8, 0.5, 1.2, 0.3, 0.9, -0.6])
    rotation, position = forward(robot, "tool")(q)
    found = ik.free_intervals(rotation, position, near=q)
    assert found.joint == ik.free
    values = np.linspace(-2.0, 2.2, 3001)
    near = np.tile(q, (len(values), 1))
    near[:, place] = values
    ways = ik(np.tile(rotation, (len(values), 1, 1)), np.tile(position, (len(values), 1)), near=near)
    allowed = (ways.status & (BranchStatus.OUT_OF_LIMITS | BranchStatus.OUT_OF_REACH)) == 0
    edges = 0
    for k, intervals in enumerate(found.intervals):
        inside = np.zeros(len(values), bool)
        for lower, upper in intervals:
            inside |= (values >= lower) & (values <= upper)
            edges += 2
        np.testing.assert_array_equal(inside, allowed[:, k])
    assert edges > 4
    assert any(lower <= q[place] <= upper for intervals in found.intervals for lower, upper in intervals)


def test_misuse():
    puma = inverse_kinematics(classics.puma560(), "link6")
    with pytest.raises(RobotError, match="has no free joint"):
        puma.free_intervals(np.eye(3), [0.4, 0.2, 0.3])
    ik = inverse_kinematics(seven_joint_arm("iiwa"), "tool")
    with pytest.raises(ArgumentError, match="free_intervals takes one pose"):
        ik.free_intervals(np.stack([np.eye(3)] * 2), [0.4, 0.2, 0.3])


MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"


def redundant(name):
    """A robot with more joints than a pose needs, and its inverse."""
    if name == "rail":
        rng = np.random.default_rng(3)
        axes, points = wrist_lines(rng, np.array([0.7, 0.1, 0.6]))
        rail = ("PRRRRRR", [X, Z, Y, Y, *axes], [np.zeros(3), np.zeros(3), 0.3 * Z, 0.3 * Z + 0.5 * X, *points])
        robot = line_arm(*rail, rng, limits={0: Limits(-2.0, 1.0), 2: Limits(-1.5, 2.0), 3: Limits(-2.5, 0.5)})
        return robot, inverse_kinematics(robot, "tool")
    if not MODELS.is_dir():
        pytest.skip("the shared models are not there")
    file, _, frame = name.partition(" ")
    robot = load(MODELS / f"{file}.urdf")
    return robot, inverse_kinematics(robot, frame or None)


REDUNDANT = ["rail", "panda", "xarm7", "iiwa14", "kinematic/kassow_kr810", "kinematic/rizon4"]


def check_reachable_without_a_hint(name, count):
    robot, ik = redundant(name)
    limits = [joint.limits for joint in robot.joints]
    low, high = ([getattr(one, end) for one in limits] for end in ("lower", "upper"))
    q = np.random.default_rng(1).uniform(np.maximum(low, -np.pi), np.minimum(high, np.pi), (count, robot.n))
    rotation, position = forward(robot, ik.frame)(q)
    best = ik.nearest(rotation, position)
    assert best.status.max() < BranchStatus.OUT_OF_LIMITS
    assert np.abs(best.error).max() < 1e-9
    distance, angle = misses(robot, ik.frame, best.q[:, None], rotation, position)
    assert max(distance.max(), angle.max()) < 1e-8
    one = ik.nearest(rotation[0], position[0])
    np.testing.assert_allclose(one.q, best.q[0], atol=1e-9)
    return ik, rotation, position


@pytest.mark.parametrize("name", REDUNDANT)
def test_reachable_poses_are_reached_without_a_hint(name):
    ik, rotation, position = check_reachable_without_a_hint(name, 60)
    if ik.free is not None:  # the call finds the value of the free joint too
        assert (ik(rotation, position).status.min(axis=1) < BranchStatus.OUT_OF_LIMITS).all()
    assert ik.nearest(np.eye(3), [50.0, 0.0, 0.0]).status & BranchStatus.OUT_OF_REACH


@pytest.mark.slow
@pytest.mark.parametrize("name", REDUNDANT)
def test_ten_thousand_reachable_poses_are_reached_without_a_hint(name):
    check_reachable_without_a_hint(name, 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["baxter left_gripper", "baxter right_gripper"])
def test_a_calibrated_arm_reaches_poses_without_a_hint(name):
    check_reachable_without_a_hint(name, 10_000)
