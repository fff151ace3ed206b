"""Slotine and Li's law: its energy decays exactly as in the paper, and it tracks."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.control.slotine_li import slotine_li
from torquec.errors import ArgumentError
from torquec.robot.classics import load_classic
from torquec.simulation.closed_loop import simulate
from torquec.simulation.plant import DryFriction, Plant


@pytest.mark.parametrize("name", ["planar2r", "stanford", "puma560"])
def test_the_energy_of_the_paper_decays(name):
    """d/dt (s' M s / 2) = -s' K s along the robot's own dynamics, at random states."""
    robot = load_classic(name)
    model, rng = tq.compile(robot), np.random.default_rng(2)
    law = slotine_li(robot, [(-7, -11)] * robot.n, friction="nothing")
    J = np.diagonal(model.mass_matrix(np.zeros(robot.n)))
    q_ref, qd_ref, qdd_ref, q, qd = rng.uniform(-0.8, 0.8, (5, robot.n))
    held = model.spring_torque(q)
    qdd = model.forward_dynamics(q, qd, law.torque(q_ref, qd_ref, qdd_ref, q, qd) - held)
    s, rate = qd_ref + 7.0 * (q_ref - q) - qd, qdd_ref + 7.0 * (qd_ref - qd) - qdd
    h = 1e-6
    turning = (model.mass_matrix(q + h * qd) - model.mass_matrix(q - h * qd)) / (2.0 * h)
    found = s @ model.mass_matrix(q) @ rate + 0.5 * s @ turning @ s
    assert found == pytest.approx(-(s @ (11.0 * J * s)), rel=1e-6)


def test_it_tracks_from_a_wrong_start():
    robot = load_classic("puma560")
    motion = tq.minimum_jerk([0.0] * 6, [0.4] * 6, 1.0, joints=robot.joint_names, period=0.001)
    plant = Plant(robot, friction=DryFriction.NONE)
    result = simulate(
        plant, slotine_li(robot, -20.0, period=0.001, friction="nothing"), motion, initial_q=np.full(6, 0.02)
    )
    assert np.abs(result.error[-1]).max() < 1e-4


def test_misuse():
    robot = load_classic("planar2r")
    with pytest.raises(ArgumentError, match="real poles"):
        slotine_li(robot, -5 + 3j)
    with pytest.raises(ArgumentError, match="configuration"):
        slotine_li(robot, -5.0, posture=(0.0,))
