"""Kinetic and potential energy: one mass, springs, laws."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds

from torquec.dynamics import kinetic_energy, potential_energy
from torquec.errors import RobotError
from torquec.robot.robot import Drives, Motor, Spring


def test_pendulum():
    arm = arms.pendulum(2.0, 0.5)
    assert kinetic_energy(arm, [0.3], [4.0]) == pytest.approx(0.5 * 2.0 * 0.25 * 16.0, abs=1e-15)
    # Turned by q about +y the mass is at z = -l sin q.
    assert potential_energy(arm, [0.3]) == pytest.approx(-2.0 * 9.81 * 0.5 * math.sin(0.3), abs=1e-15)


def test_rotors_store_energy():
    arm = replace(arms.pendulum(2.0, 0.5), drives=Drives((Motor("m", 0.1),), ((10.0,),)))
    assert kinetic_energy(arm, [0.3], [1.0]) == pytest.approx(0.5 * (0.5 + 10.0), abs=1e-15)


def test_springs_store_energy():
    arm = arms.pendulum(2.0, 0.5)
    sprung = replace(arm.bodies[0], joint=replace(arm.bodies[0].joint, spring=Spring(8.0, 0.1)))
    added = potential_energy(replace(arm, bodies=(sprung,)), [0.6]) - potential_energy(arm, [0.6])
    assert added == pytest.approx(0.5 * 8.0 * 0.25, abs=1e-14)


def test_kinetic_energy_is_half_speed_mass_speed():
    holds("kinetic_energy_is_half_speed_mass_speed")


def test_potential_energy_is_weight_times_height_and_springs():
    holds("potential_energy_is_weight_times_height_and_springs")


def test_without_inertia_there_is_no_potential():
    arm = arms.pendulum()
    bare = replace(
        arm, bodies=(replace(arm.bodies[0], inertia=type(arm.bodies[0].inertia)(), lacking_inertia=("rod",)),)
    )
    with pytest.raises(RobotError, match="no inertia: rod"):
        potential_energy(bare, [0.0])
