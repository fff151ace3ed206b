"""Best solutions by objective: brute force over branches, the free joint and tolerances; poses without one; misuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.kinematics.arms import UR10E, forward, line_arm, misses, off_lines
from tests.kinematics.test_iterative_kinematics import HAND, ODD
from tests.parameters.serial_arms import shared_model

import torquec as tq
from torquec.errors import ArgumentError
from torquec.kinematics.best_pose import best_pose
from torquec.kinematics.kinematics_task import PoseObjective, PoseTolerance
from torquec.kinematics.tolerance_search import bounded_step, displaced, displaced_rotation
from torquec.robot.robot import Limits

LARGEST = (PoseObjective.MANIPULABILITY, PoseObjective.LIMITS)


def score(model, ik, objective, q, near):
    """The objective by its definition, of one position."""
    robot = model.robot
    if objective is PoseObjective.DISTANCE:
        return float(np.linalg.norm(q - near))
    if objective is PoseObjective.MANIPULABILITY:
        J = model.jacobian(ik.frame)(q)
        return float(np.prod(np.linalg.svd(J)[1]))
    if objective is PoseObjective.LIMITS:
        return min(
            min(value - joint.limits.lower, joint.limits.upper - value)
            / (0.5 * (joint.limits.upper - joint.limits.lower))
            for value, joint in zip(q, robot.joints, strict=True)
        )
    tau = model.gravity_torque(q)
    return max(abs(t) / joint.limits.effort for t, joint in zip(tau, robot.joints, strict=True))


def within(robot, q):
    return all(joint.limits.lower <= value <= joint.limits.upper for value, joint in zip(q, robot.joints, strict=True))


@pytest.mark.parametrize("objective", PoseObjective)
def test_branches_of_an_arm_without_a_free_joint(objective):
    robot = tq.classics.puma560()
    model, ik = tq.compile(robot), tq.inverse_kinematics(robot, "link6")
    near = np.array([0.3, -1.0, 1.0, 0.2, 0.5, 0.1])
    rotation, position = model.frame_pose("link6")(near)
    found = best_pose(ik, rotation, position, objective=objective, near=near)
    ways = ik(rotation, position, near=near)
    allowed = [q for q, status in zip(ways.q, ways.status, strict=True) if status < 2]
    scores = [score(model, ik, objective, q, near) for q in allowed]
    wanted = max(scores) if objective in LARGEST else min(scores)
    assert found.value == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert score(model, ik, objective, found.q, near) == pytest.approx(found.value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("objective", PoseObjective)
def test_a_seven_joint_arm_against_brute_force(objective):
    robot = shared_model("iiwa14.urdf")
    model, ik = tq.compile(robot), tq.inverse_kinematics(robot)
    near = np.array([0.1, 0.5, 0.2, -1.2, 0.1, 0.8, 0.3])
    rotation, position = model.frame_pose(ik.frame)(near)
    found = best_pose(ik, rotation, position, objective=objective, near=near)
    assert found.status < 2
    assert within(robot, found.q)
    turned, placed = model.frame_pose(ik.frame)(found.q)
    assert np.abs(turned - rotation).max() < 1e-9
    assert np.abs(placed - position).max() < 1e-9
    free = robot.joint_index(ik.free)
    references = np.repeat(near[None], 400, axis=0)
    references[:, free] = np.random.default_rng(0).uniform(
        robot.joints[free].limits.lower, robot.joints[free].limits.upper, 400
    )
    ways = ik(np.repeat(rotation[None], 400, axis=0), np.repeat(position[None], 400, axis=0), near=references)
    scores = [score(model, ik, objective, q, near) for q in ways.q[ways.status < 2]]
    assert len(scores) > 100
    best = max(scores) if objective in LARGEST else min(scores)
    sign = 1.0 if objective in LARGEST else -1.0
    assert sign * (found.value - best) >= -1e-6
    assert score(model, ik, objective, found.q, near) == pytest.approx(found.value, rel=1e-9, abs=1e-9)
    if objective is PoseObjective.DISTANCE:
        assert found.value < 1e-9  # the reference itself


def test_a_pose_out_of_reach_says_so():
    ik = tq.inverse_kinematics(tq.classics.puma560(), "link6")
    found = best_pose(ik, np.eye(3), [3.0, 0.0, 0.0], objective="torque")
    assert found.status & 4
    assert found.error[0] > 1.0


LIMITS = {k: Limits(-2.0, 2.2) for k in range(7)}
SLIDE = {**LIMITS, 2: Limits(-0.3, 0.3)}

ARMS = {
    "spherical wrist": lambda: tq.inverse_kinematics(tq.classics.puma560(), "link6"),
    "redundant": lambda: tq.inverse_kinematics(shared_model("panda.urdf")),
    "general six joints": lambda: tq.inverse_kinematics(line_arm("RRRRRR", *ODD, limits=LIMITS), "tool"),
    "calibrated": lambda: tq.inverse_kinematics(
        line_arm("RRRRRR", *off_lines(UR10E, 1e-3, np.random.default_rng(1)), hand=HAND, limits=LIMITS), "tool"
    ),
    "five joints": lambda: tq.inverse_kinematics(line_arm("RRRRR", ODD[0][:5], ODD[1][:5], limits=LIMITS), "tool"),
    "four joints": lambda: tq.inverse_kinematics(line_arm("RRPR", ODD[0][:4], ODD[1][:4], limits=SLIDE), "tool"),
    "seven joints": lambda: tq.inverse_kinematics(
        line_arm("R" * 7, [*ODD[0], ODD[0][1]], [*ODD[1], [1.0, 0.3, 0.5]], limits=LIMITS), "tool"
    ),
}
BOXES = {
    "turn about the tool": PoseTolerance(rz=math.inf),
    "1 mm along z": PoseTolerance(z=0.001),
    "interval of a turn": PoseTolerance(ry=(-0.05, 0.2)),
    "spray gun": PoseTolerance(z=(0.0, 0.02), rx=0.1, ry=0.1, rz=math.inf),
    "all": PoseTolerance(x=0.01, y=0.01, z=0.01, rx=0.1, ry=0.1, rz=0.1),
}


def check_within(ik, tolerance, target, found):
    """The claim: the frame's pose is the target displaced by the offset, within tolerance and limits."""
    assert found.status < 2
    assert found.decided
    rotation, position = displaced(*target, found.offset[None])
    distance, angle = misses(ik.robot, ik.frame, found.q[None, None], rotation, position)
    assert max(distance.max(), angle.max()) < 1e-9
    assert (found.offset >= tolerance.bounds[:, 0]).all()
    assert (found.offset <= tolerance.bounds[:, 1]).all()
    limits = [joint.limits for joint in ik.robot.joints]
    assert all(one.lower - 1e-8 <= value <= one.upper + 1e-8 for one, value in zip(limits, found.q, strict=True))


def check_reachable_boxes(ik, tolerance, count, *, corners):
    """Targets next to poses of random joints, displaced within the tolerance: each has a solution, and one is found.

    `corners`: every joint is within 1e-3 of a limit and every offset within 1 % of an end of its interval.
    """
    rng = np.random.default_rng(4)
    limits = [joint.limits for joint in ik.robot.joints]
    lower, upper = (np.array([getattr(one, side) for one in limits]) for side in ("lower", "upper"))
    for _ in range(count):
        share, part = rng.uniform(size=ik.robot.n), rng.uniform(size=6)
        q = lower + share * (upper - lower)
        if corners:
            q, part = np.where(share < 0.5, lower + 2e-3 * share, upper - 1e-3 * share), 0.01 + 0.98 * np.round(part)
        offset = tolerance.bounds[:, 0] + part * np.ptp(tolerance.bounds, axis=1)
        rotation, position = forward(ik.robot, ik.frame)(q)
        turn = rotation @ displaced_rotation(offset[None, 3:])[0].T
        target = turn, position - turn @ offset[:3]
        check_within(ik, tolerance, target, best_pose(ik, *target, tolerance=tolerance))


@pytest.mark.parametrize(("kind", "count"), [("spherical wrist", 12), ("five joints", 4)])
def test_a_pose_within_a_tolerance_is_found(kind, count):
    ik = ARMS[kind]()
    for tolerance in BOXES.values():
        check_reachable_boxes(ik, tolerance, count, corners=False)


@pytest.mark.slow
@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("kind", ARMS)
def test_poses_within_tolerances_of_every_kind_of_arm(kind, box):
    """Also at corners of joint limits and tolerances at once where the arm has a closed form."""
    ik = ARMS[kind]()
    closed = kind in ("spherical wrist", "redundant")
    check_reachable_boxes(ik, BOXES[box], 100 if closed else 25, corners=False)
    if closed:
        check_reachable_boxes(ik, BOXES[box], 100, corners=True)


def test_one_tolerance_is_decided_as_by_brute_force():
    """One unknown: whether a solution exists, against 4001 values of it; without one, what is missed is said."""
    ik = tq.inverse_kinematics(tq.classics.puma560(), "link6")
    rng = np.random.default_rng(7)
    tolerance, values = PoseTolerance(rx=(-0.2, 0.4)), np.linspace(-0.2, 0.4, 4001)
    offsets = np.zeros((len(values), 6))
    offsets[:, 3] = values
    answers = []
    for place in rng.uniform(0.35, 0.62, (14, 3)):
        turn = displaced_rotation(rng.uniform(-3.0, 3.0, (1, 3)))[0]
        turns, places = displaced(turn, place, offsets)
        exists = bool((np.asarray(ik(turns, places, near=np.zeros(6)).status) < 2).any())
        found = best_pose(ik, turn, place, tolerance=tolerance)
        assert (found.status < 2) == exists
        assert found.decided
        assert exists or found.error.max() > 1e-9
        answers.append(exists)
    assert 3 < sum(answers) < 11


def test_a_tolerance_takes_the_best_of_its_poses():
    """Least distance over a turn about the tool: as of 20,001 values of it; a search that fails says so."""
    ik = tq.inverse_kinematics(tq.classics.puma560(), "link6")
    near = np.array([0.3, -1.0, 1.0, 0.2, 0.5, 0.1])
    turn, place = displaced_rotation(np.array([[3.0, 0.2, 0.4]]))[0], np.array([0.4, 0.3, 0.5])
    found = best_pose(ik, turn, place, near=near, tolerance=PoseTolerance(rz=math.inf))
    offsets = np.zeros((20_001, 6))
    offsets[:, 5] = np.linspace(-math.pi, math.pi, 20_001)
    ways = ik(*displaced(turn, place, offsets), near=near)
    least = np.linalg.norm(ways.q - near, axis=2)[ways.status < 2].min()
    assert found.value == pytest.approx(least, abs=1e-6)
    far = best_pose(ik, turn, [3.0, 0.0, 0.0], tolerance=PoseTolerance(x=0.1, rz=0.1))
    assert (far.status, far.decided) == (4, False)
    assert far.error[0] > 1.0


def test_any_rotation_and_a_direction_of_the_base():
    ik = tq.inverse_kinematics(tq.classics.puma560(), "link6")
    tolerance = PoseTolerance(z=0.1)
    found = best_pose(ik, None, [0.4, 0.3, 0.5], tolerance=tolerance)
    _, position = forward(ik.robot, "link6")(found.q)
    np.testing.assert_allclose(position[:2], [0.4, 0.3], atol=1e-10)
    assert abs(position[2] - 0.5) <= 0.1
    with pytest.raises(ArgumentError, match="a tolerance of rx without a rotation"):
        best_pose(ik, None, [0.4, 0.3, 0.5], tolerance=PoseTolerance(rx=0.1))
    position_only = tq.inverse_kinematics(ik.robot, "link6", task="position")
    with pytest.raises(ArgumentError, match="a tolerance with the task 'position'"):
        best_pose(position_only, None, [0.4, 0.3, 0.5], tolerance=tolerance)


def test_a_bounded_step_solves_what_is_left_with_the_free_unknowns():
    """x + y + z = 0.001 with x at most 1e-4 and y at most 2e-4: z has the rest; long steps are shortened."""
    A = np.ones((1, 1, 3))
    step = bounded_step(np.array([[1.0]]) * 1e-3, A, np.full((1, 3), -1.0), np.array([[1e-4, 2e-4, 1.0]]))
    np.testing.assert_allclose(step, [[1e-4, 2e-4, 7e-4]], rtol=1e-5)
    long = bounded_step(np.array([[1.5]]), A[:, :, :1], np.full((1, 1), -9.0), np.full((1, 1), 9.0))
    assert long == pytest.approx(0.5)


def test_misuse():
    ik = tq.inverse_kinematics(tq.classics.puma560(), "link6")
    with pytest.raises(ArgumentError, match="objective"):
        best_pose(ik, np.eye(3), [0.4, 0.3, 0.5], objective="beauty")
    with pytest.raises(ArgumentError, match="one pose"):
        best_pose(ik, np.eye(3)[None], [[0.4, 0.3, 0.5]])
    with pytest.raises(ArgumentError, match="not a rotation matrix"):
        best_pose(ik, 2.0 * np.eye(3), [0.4, 0.3, 0.5])
