"""Friction with memory on a simulated robot: a spring before it slides, and no source of energy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.simulation.arms import clock, constant, free, rotor

import torquec as tq
from torquec.robot.friction import Friction
from torquec.simulation.bristles import Bristles
from torquec.simulation.closed_loop import LoopOptions
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import DryFriction, Plant

FRICTION = Friction.of({"coulomb": 4.0, "turnover_distance": 0.01})


def test_below_its_level_it_is_a_spring():
    """A torque of half the level moves the wheel by w ln 2 about which it swings; it never slides away."""
    robot = rotor(inertia=2.0, friction=FRICTION)
    plant = Plant(robot, friction=DryFriction.MEMORY)
    assert plant.forces == (Bristles(),)
    result = tq.simulate(plant, constant(robot, 2.0), clock(robot, 3.0, 0.001))
    assert 0.0 < result.q[-1, 0] < 0.05
    assert np.abs(result.qd[-100:]).max() < 0.2 * np.abs(result.qd).max()


def test_above_its_level_it_slides_as_coulomb_friction():
    robot = rotor(inertia=2.0, friction=FRICTION)
    result = tq.simulate(Plant(robot, friction="memory"), constant(robot, 8.0), clock(robot, 1.0, 0.001))
    x, v = result.q[-1, 0], result.qd[-1, 0]
    work = (8.0 - 4.0) * x + 4.0 * 0.01  # less friction over the first turnover distance
    assert 0.5 * 2.0 * v**2 == pytest.approx(work, rel=1e-3)


@pytest.mark.parametrize("extra", [{}, {"stribeck": 2.0, "stribeck_speed": 0.2, "load": 0.1}])
def test_a_robot_without_drives_never_gains_energy(extra):
    words = {"coulomb": 0.5, "turnover_distance": 0.003, **extra}
    base = tq.classics.planar2r()
    bodies = tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction.of(words)))
        for body in base.bodies
    )
    robot = dataclasses.replace(base, bodies=bodies)
    model = tq.compile(robot)
    options = LoopOptions(integrator=RungeKutta4(8))
    result = tq.simulate(Plant(robot, friction="memory"), free(robot), clock(robot, 4.0, 0.001), options=options)
    energy = model.kinetic_energy(result.q, result.qd) + model.potential_energy(result.q)
    stored = 2 * 0.5 * 0.003 * 3.0  # of both joints, friction below 3 Nm
    lowest = np.minimum.accumulate(np.ravel(energy))
    assert np.all(np.ravel(energy) <= lowest + stored + 1e-6)
    assert np.ravel(energy)[-1] < np.ravel(energy)[0] - 1.0
