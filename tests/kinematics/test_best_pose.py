"""Best solutions by objective: brute force over branches and the free joint, each objective's own optimum, misuse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.parameters.serial_arms import shared_model

import torquec as tq
from torquec.errors import ArgumentError
from torquec.kinematics.best_pose import best_pose
from torquec.kinematics.kinematics_task import PoseObjective

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


def test_misuse():
    ik = tq.inverse_kinematics(tq.classics.puma560(), "link6")
    with pytest.raises(ArgumentError, match="objective"):
        best_pose(ik, np.eye(3), [0.4, 0.3, 0.5], objective="beauty")
    with pytest.raises(ArgumentError, match="one pose"):
        best_pose(ik, np.eye(3)[None], [[0.4, 0.3, 0.5]])
    with pytest.raises(ArgumentError, match="not a rotation matrix"):
        best_pose(ik, 2.0 * np.eye(3), [0.4, 0.3, 0.5])
