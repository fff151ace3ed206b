import math

import numpy as np
import pytest

from torquec.dynamics import inverse_dynamics
from torquec.errors import ArgumentError
from torquec.haptics.admittance.tool_load import NO_TOOL, FrameMotion, ToolLoad
from torquec.robot import classics
from torquec.robot.payload import attach_payload
from torquec.spatial import matvec, transpose

INERTIA = ((0.003, 0.0004, 0.0), (0.0004, 0.002, 0.0), (0.0, 0.0, 0.004))
TOOL = ToolLoad(0.8, (0.01, -0.02, 0.06), INERTIA)
STILL = (0.0, 0.0, 0.0)


def test_a_tool_at_rest_weighs():
    felt = TOOL.wrench(FrameMotion(STILL, STILL, STILL, (0.0, 0.0, -9.81)))
    assert felt.force == pytest.approx((0.0, 0.0, -0.8 * 9.81))
    assert felt.moment == pytest.approx(np.cross(TOOL.centre, felt.force))


def test_a_falling_tool_weighs_nothing():
    felt = TOOL.wrench(FrameMotion((0.0, 0.0, -9.81), STILL, STILL, (0.0, 0.0, -9.81)))
    assert np.abs([*felt.force, *felt.moment]).max() < 1e-15


def test_it_is_what_the_arm_has_to_carry():
    """Virtual work: the torques that the tool costs an arm are J' of minus what it adds to the measurement."""
    from torquec.dynamics import jacobian, jacobian_derivative
    from torquec.dynamics.frame_pose import frame_pose

    rng = np.random.default_rng(3)
    robot = classics.puma560()
    carrying = attach_payload(robot, "link6", mass=TOOL.mass, center=TOOL.centre, inertia=TOOL.inertia)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 6)).tolist()
        cost = np.subtract(inverse_dynamics(carrying, q, qd, qdd), inverse_dynamics(robot, q, qd, qdd))
        J = np.array(jacobian(robot, "link6", q))
        rate = J @ qdd + np.array(jacobian_derivative(robot, "link6", q, qd)) @ qd
        turn = frame_pose(robot, "link6", q).rotation
        back = transpose(turn)
        spin = (J @ qd)[3:]
        felt = TOOL.wrench(
            FrameMotion(
                matvec(back, tuple(rate[:3])),
                matvec(back, tuple(spin)),
                matvec(back, tuple(rate[3:])),
                matvec(back, robot.gravity),
            )
        )
        wrench = [*matvec(turn, felt.force), *matvec(turn, felt.moment)]
        np.testing.assert_allclose(-J.T @ wrench, cost, atol=1e-12)


def test_a_robot_carries_it():
    robot = classics.puma560()
    assert NO_TOOL.carried_by(robot, "link6") is robot
    twice = TOOL.carried_by(TOOL.carried_by(robot, "link6"), "link6")
    more = twice.bodies[-1].inertia.m - robot.bodies[-1].inertia.m
    assert more == pytest.approx(1.6)


@pytest.mark.parametrize("mass", [-1.0, math.nan])
def test_misuse(mass):
    with pytest.raises(ArgumentError, match="mass of zero or more"):
        ToolLoad(mass)
