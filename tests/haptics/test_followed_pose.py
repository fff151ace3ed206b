"""How joints follow an object: exactly where they can, within limits everywhere."""

from functools import cache

import numpy as np
import pytest
from tests.haptics.haptic_arms import POSTURE
from tests.kinematics.arms import UR10E, X, Y, Z, line_arm, off_lines, seven_joint_arm
from tests.kinematics.arms import forward as compiled_forward

from torquec.codegen.llvm import compile_function
from torquec.expr import trace
from torquec.haptics.admittance_options import HapticStatus
from torquec.haptics.followed_pose import ArmFollower
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot import classics
from torquec.robot.robot import Limits
from torquec.spatial import Pose

ODD = (
    [Z, Y, X + Z, Y + X, Z, X],
    [[0, 0, 0], [0.1, 0, 0.3], [0.4, 0.1, 0.3], [0.6, 0.2, 0.1], [0.8, 0.1, 0.4], [0.9, 0.3, 0.4]],
)
H = 0.002


@cache
def forward(robot, frame):
    return compiled_forward(robot, frame)


@cache
def follower(robot, frame="tool", speed=3.0):
    arm = inverse_kinematics(robot, frame)
    made = ArmFollower(arm, (speed,) * robot.n, (20.0,) * robot.n, H)

    def algorithm(q, rotation, position, velocity, before):
        found = made.follow(q, before, Pose(rotation, position), velocity)
        parts = {"next_q": found.q, "qd": found.qd, "turn": found.pose.rotation, "place": found.pose.origin}
        return {**parts, "twist": found.twist, "coupled": found.coupled, "flags": found.flags}

    ports = {"q": (robot.n,), "rotation": (3, 3), "position": (3,), "velocity": (6,), "before": (robot.n,)}
    native = compile_function(trace("follow", algorithm, ports))

    def call(q, rotation, position, velocity, before=None):
        return native.call(q, rotation, position, velocity, np.zeros(robot.n) if before is None else before)

    return made, call


def test_a_small_motion_is_met_and_its_speed_too():
    robot = classics.puma560()
    _, follow = follower(robot, "link6")
    qd = np.array([0.4, -0.3, 0.5, 0.6, -0.4, 0.2])
    after = POSTURE + H * qd
    rotation, position = forward(robot, "link6")(after)
    J = np.array(_jacobian(robot, "link6", after))
    q, speed, _, place, twist, coupled, flags = follow(POSTURE, rotation, position, J @ qd)
    np.testing.assert_allclose(q, after, atol=1e-12)
    np.testing.assert_allclose(speed, qd, atol=1e-10)
    np.testing.assert_allclose(twist, J @ qd, atol=1e-12)
    np.testing.assert_allclose(place, position, atol=1e-12)
    assert coupled <= 0.0
    assert flags == 0.0


def test_a_joint_at_its_limit_stays_and_the_others_go_on():
    """Towards a limit the joint gets slower and stops at it; no other branch is taken, and back it goes at once."""
    robot = classics.puma560()
    _, follow = follower(robot, "link6")
    upper = robot.joints[3].limits.upper
    start = POSTURE.copy()
    start[3] = upper - 0.05
    q, speeds = start, []
    pushing = np.array([0.0, 0.0, 0.0, 2.0, 0.1, 0.0])
    for _ in range(60):
        goal = q + H * pushing
        rotation, position = forward(robot, "link6")(goal)
        velocity = np.array(_jacobian(robot, "link6", goal)) @ pushing
        before = q
        q, qd, _, _, _, coupled, flags = follow(q, rotation, position, velocity)
        speeds.append(qd[3])
        assert q[3] <= upper
        np.testing.assert_allclose(q - before, H * qd, atol=1e-2 * H)
    assert q[3] == pytest.approx(upper, abs=1e-3)
    assert q[4] > start[4] + 0.005
    assert np.all(np.diff(speeds) < 1e-9)
    assert coupled > 0.0
    assert int(flags) & HapticStatus.AT_LIMIT
    goal = q - H * pushing
    back, _, _, _, _, coupled, _ = follow(
        q, *forward(robot, "link6")(goal), -np.array(_jacobian(robot, "link6", goal)) @ pushing
    )
    np.testing.assert_allclose(back, goal, atol=1e-11)
    assert coupled <= 0.0


def test_a_fast_motion_is_slowed_on_its_path():
    robot = classics.puma560()
    _, follow = follower(robot, "link6", speed=1.0)
    way = H * np.array([4.0, -2.0, 1.0, 0.5, 0.5, -0.5])
    rotation, position = forward(robot, "link6")(POSTURE + way)
    q, qd, *_, coupled, flags = follow(POSTURE, rotation, position, np.zeros(6))
    np.testing.assert_allclose(q - POSTURE, way / 4.0, atol=1e-10)
    np.testing.assert_allclose(qd, way / 4.0 / H, atol=1e-7)
    assert coupled > 0.0
    assert int(flags) & HapticStatus.AT_LIMIT


def test_out_of_reach_the_arm_goes_to_its_end():
    robot = classics.puma560()
    _, follow = follower(robot, "link6")
    q, qd = POSTURE, np.zeros(6)
    rotation, position = forward(robot, "link6")(q)
    far = position * 3.0
    for _ in range(1500):
        q, qd, _, place, _, _, flags = follow(q, rotation, far, np.zeros(6), qd)
    assert int(flags) & HapticStatus.OUT_OF_REACH
    reach = 0.4318 + np.hypot(0.4331, 0.0203)
    across = 0.2435 - 0.0934
    assert np.linalg.norm(place) == pytest.approx(np.hypot(reach, across), abs=1e-6)


def test_whole_turns_follow_the_joint_before_not_the_limits():
    """266 degrees and a little more is no reason to be at -94: the joint waits at its limit."""
    robot = classics.puma560()
    _, follow = follower(robot, "link6")
    q = POSTURE.copy()
    q[5] = robot.joints[5].limits.upper
    goal = q + np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.001])
    found, *_ = follow(q, *forward(robot, "link6")(goal), np.zeros(6))
    np.testing.assert_allclose(found, q, atol=1e-9)


@pytest.mark.parametrize("kind", ["odd", pytest.param("calibrated ur", marks=pytest.mark.slow)])
def test_without_a_closed_form_newton_follows(kind):
    rng = np.random.default_rng(5)
    lines = ODD if kind == "odd" else off_lines(UR10E, 1e-3, rng)
    robot = line_arm("RRRRRR", *lines)
    made, follow = follower(robot)
    assert not made.is_closed
    q = np.array([0.4, -1.1, 1.3, -0.8, -1.2, 0.5])
    qd = np.array([0.5, 0.3, -0.4, 0.6, 0.5, -0.7])
    goal = q + H * qd
    rotation, position = forward(robot, "tool")(goal)
    found, speed, *_, coupled, _ = follow(q, rotation, position, np.array(_jacobian(robot, "tool", goal)) @ qd)
    np.testing.assert_allclose(found, goal, atol=1e-8)
    np.testing.assert_allclose(speed, qd, rtol=1e-5)
    assert coupled <= 0.0


def test_a_seventh_joint_stands_still():
    robot = seven_joint_arm("panda", limits=dict.fromkeys(range(7), Limits(-2.9, 2.9)))
    made, follow = follower(robot)
    assert made.is_closed
    assert len(made.moving) == 6
    q = np.array([0.2, -0.6, 0.1, -2.0, 0.2, 1.7, 0.6])
    free = [k for k in range(7) if k not in made.moving]
    rotation, position = forward(robot, "tool")(q)
    move = np.array([0.2, -0.1, 0.15, 0.0, 0.0, 0.0])
    found, qd, _, place, twist, coupled, _ = follow(q, rotation, position + H * move[:3], move)
    assert found[free] == q[free]
    np.testing.assert_allclose(place, position + H * move[:3], atol=1e-11)
    np.testing.assert_allclose(twist, move, atol=1e-9)
    assert qd[free] == 0.0
    assert coupled <= 0.0


def test_a_scara_does_what_it_can():
    robot = classics.scara()
    made, follow = follower(robot)
    assert made.is_deficient
    q = np.array([0.4, 0.8, -0.2, 0.05])[: robot.n]
    q = np.clip(q, [j.limits.lower for j in robot.joints], [j.limits.upper for j in robot.joints])
    rotation, position = forward(robot, "tool")(q)
    move = np.array([0.1, 0.05, 0.02, 0.5, -0.4, 0.3])
    _, _, _, place, twist, *_ = follow(q, rotation, position + H * move[:3], move)
    np.testing.assert_allclose(twist, [0.1, 0.05, 0.02, 0.0, 0.0, 0.3], atol=1e-9)
    np.testing.assert_allclose(place, position + H * move[:3], atol=1e-9)


def _jacobian(robot, frame, q):
    from torquec.dynamics import jacobian

    return jacobian(robot, frame, list(q))
