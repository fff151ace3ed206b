"""Slopes of friction and springs: against complex steps of the torques on random robots."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics import friction_torque, spring_torque
from torquec.dynamics.spring_torque import spring_stiffness
from torquec.errors import RobotError
from torquec.linearization.abbreviated_linear_model import AbbreviatedModel
from torquec.linearization.friction_damping import friction_damping
from torquec.robot import classics
from torquec.robot.robot import Friction

H = 1e-30


@pytest.mark.parametrize("seed", range(20))
def test_slopes_by_complex_steps(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed, size=1)
    qd, q = state.qd[0], state.q[0]
    damping = np.array(friction_damping(robot, list(qd)), dtype=float)
    for j in range(robot.n):
        step = np.array(qd, dtype=complex)
        step[j] += 1j * H
        torque = np.array(friction_torque(robot, list(step)), dtype=complex)
        assert np.allclose(damping[:, j], torque.imag / H, atol=1e-12)
    moved = np.array(spring_torque(robot, [complex(x, H) for x in q]), dtype=complex)
    assert np.allclose(spring_stiffness(robot, list(q)), moved.imag / H, atol=1e-12)


def test_at_rest_the_positive_branch_counts():
    assert friction_damping(classics.puma560(), [0.0] * 6)[0][0] == 4.94


def test_abbreviated_equations_have_no_place_for_friction_by_load():
    robot = classics.planar2r()
    joint = dataclasses.replace(robot.bodies[0].joint, friction=Friction.of({"load": 0.1}))
    loaded = dataclasses.replace(robot, bodies=(dataclasses.replace(robot.bodies[0], joint=joint), *robot.bodies[1:]))
    with pytest.raises(RobotError, match="depends on the load"):
        AbbreviatedModel(loaded)
