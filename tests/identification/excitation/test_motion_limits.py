"""Shares of limits: by hand, their slopes against differences, joints without limits, joints that cannot move."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from torquec.errors import SpecificationError
from torquec.identification.excitation.motion_limits import motion_limits
from torquec.identification.excitation.workspace import Outside, Plane
from torquec.model.model import compile
from torquec.robot import classics
from torquec.robot.robot import JointType
from torquec.trajectory.trajectory import MotionState

ARM = classics.puma560()


def states(seed=0, count=6):
    return MotionState(*np.random.default_rng(seed).normal(size=(3, count, 6)))


def with_limits(robot, index, **changes):
    body = robot.bodies[index]
    limits = dataclasses.replace(body.joint.limits, **changes)
    changed = dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=limits))
    return dataclasses.replace(robot, bodies=(*robot.bodies[:index], changed, *robot.bodies[index + 1 :]))


def test_shares_by_hand():
    limits = motion_limits(ARM, acceleration=4.0, rules=(Plane(offset=-1.0),))
    state = states()
    shares = dict(zip(limits.names, limits.shares(state).T, strict=True))
    joint = ARM.joints[1]
    half, middle = 0.5 * (joint.limits.upper - joint.limits.lower), 0.5 * (joint.limits.upper + joint.limits.lower)
    assert np.allclose(shares["position of 'joint2'"], np.abs(state.q[:, 1] - middle) / half)
    assert np.allclose(shares["speed of 'joint2'"], np.abs(state.qd[:, 1]) / joint.limits.velocity)
    assert np.allclose(shares["acceleration of 'joint2'"], np.abs(state.qdd[:, 1]) / 4.0)
    tau = compile(ARM).total_torque(state.q, state.qd, state.qdd)
    assert np.allclose(shares["torque of 'joint2'"], np.abs(tau[:, 1]) / joint.limits.effort)
    height = np.array([compile(ARM).frame_pose("link4")(q)[1][2] for q in state.q])
    assert np.allclose(shares["plane below frame 'link4'"], 1.0 - (height + 1.0) / 0.2)


def test_slopes_against_differences():
    rules = (Plane(offset=-1.0), Outside((0.1, 0.1, 0.1), (0.5, 0.4, 0.6)))
    limits = motion_limits(ARM, acceleration=4.0, rules=rules)
    state = states(1)
    weights = np.random.default_rng(2).normal(size=limits.shares(state).shape)
    found = limits.by_state(state, weights)
    for key in ("q", "qd", "qdd"):
        for j in range(6):
            ends = []
            for sign in (1.0, -1.0):
                parts = {k: getattr(state, k).copy() for k in ("q", "qd", "qdd")}
                parts[key][:, j] += sign * 1e-6
                ends.append((limits.shares(MotionState(**parts)) * weights).sum(axis=1))
            assert np.allclose(getattr(found, key)[:, j], (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-6)


def test_joints_without_limits_are_given_some():
    free = with_limits(ARM, 0, lower=-math.inf, upper=math.inf, velocity=math.inf)
    limits = motion_limits(free)
    assert (limits.middle[0], limits.half[0], limits.speed[0]) == (0.0, math.pi, 2.0)
    assert limits.assumed == ("position of 'joint1' from -3.142 to 3.142", "speed of 'joint1' up to 2")
    assert motion_limits(ARM).assumed == ()
    half_open = motion_limits(with_limits(ARM, 0, lower=1.0, upper=math.inf))
    assert half_open.middle[0] - half_open.half[0] == pytest.approx(1.0)


def test_a_continuous_joint_turns_half_a_turn_to_each_side():
    body = ARM.bodies[0]
    turned = dataclasses.replace(body, joint=dataclasses.replace(body.joint, type=JointType.CONTINUOUS))
    limits = motion_limits(dataclasses.replace(ARM, bodies=(turned, *ARM.bodies[1:])))
    assert limits.half[0] == math.pi


def test_without_torque_limits_and_rules_there_is_no_program():
    robot = ARM
    for index in range(6):
        robot = with_limits(robot, index, effort=math.inf)
    limits = motion_limits(robot)
    assert limits.program is None
    assert len(limits.names) == limits.shares(states()).shape[1] == 18


@pytest.mark.parametrize(
    ("changes", "kind"),
    [({"lower": 0.5, "upper": 0.5}, "range"), ({"velocity": 0.0}, "speed"), ({"effort": 0.0}, "torque")],
)
def test_a_joint_that_cannot_move_is_named(changes, kind):
    with pytest.raises(SpecificationError, match=f"'joint3' cannot move: its {kind} limit"):
        motion_limits(with_limits(ARM, 2, **changes))
