"""Payloads that a controller does not know: stable inside the interval, unstable beyond."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.control.payload_interval import payload_interval
from torquec.control.poles import joint_poles
from torquec.control.robustness import COMPUTED_TORQUE, EXACT_MODEL, make_loop
from torquec.errors import ArgumentError, RobotError
from torquec.linearization.linearize import linearize
from torquec.robot.classics import load_classic
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.payload import attach_payload


def states(robot, count=2, seed=0):
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-0.6, 0.6, (3, count, robot.n)))


def excess(robot, state, poles, mass, frame, errors, period):
    """Growth of the loop around the robot that really carries the mass, by its own linear model."""
    own = linearize(robot, *state)
    plant = linearize(attach_payload(robot, frame, mass=mass), *state)
    loop = make_loop(plant, poles, period=period, sampled=False)
    gains = loop.gains(errors.gamma * own.M, errors.beta * own.C, errors.alpha * own.K)
    return loop.excess(loop.F - loop.G @ gains)


@pytest.mark.parametrize("errors", [EXACT_MODEL, COMPUTED_TORQUE], ids=["measured", "reference"])
@pytest.mark.parametrize("period", [None, 0.01])
def test_the_limit_is_where_the_loaded_robot_becomes_unstable(errors, period):
    robot = load_classic("planar2r")
    poles = joint_poles(robot.joint_names, -6 + 20j)
    at = states(robot)
    found = payload_interval(robot, poles, at, errors=errors, period=period)
    assert found.frame == hand_frame(robot)
    assert found.lower <= 0.0
    rows = list(zip(*at, strict=True))
    if np.isinf(found.upper):
        assert max(excess(robot, row, poles, 1e3, found.frame, errors, period) for row in rows) < 0.0
        return
    assert max(excess(robot, row, poles, 0.995 * found.upper, found.frame, errors, period) for row in rows) < 0.0
    assert max(excess(robot, row, poles, 1.005 * found.upper, found.frame, errors, period) for row in rows) > 0.0


def test_a_heavy_payload_has_a_limit_and_more_states_never_widen_it():
    robot = load_classic("puma560")
    poles = joint_poles(robot.joint_names, -12 + 45j)
    at = states(robot, 3, seed=2)
    alone = [payload_interval(robot, poles, tuple(x[k : k + 1] for x in at), period=0.002).upper for k in range(3)]
    together = payload_interval(robot, poles, at, period=0.002)
    assert 1.0 < together.upper < np.inf
    assert together.upper == pytest.approx(min(alone), rel=1e-6)
    assert together.lower == -robot.bodies[-1].inertia.m


def test_misuse():
    robot = load_classic("planar2r")
    poles = joint_poles(robot.joint_names, -6 + 20j)
    with pytest.raises((ArgumentError, RobotError), match="nowhere"):
        payload_interval(robot, poles, states(robot), frame="nowhere")
