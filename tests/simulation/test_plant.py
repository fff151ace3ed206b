"""The plant against the quantities of the model: accelerations, friction laws, scaled parameters; misuse."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.simulation.arms import rotor

import torquec
from torquec.dynamics import total_torque
from torquec.errors import ArgumentError
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, Motor, Spring
from torquec.simulation.plant import DryFriction, Dynamics, Plant, drive_torque, sliders

PUMA = torquec.classics.puma560()


def states(n, count=5, seed=3):
    rng = np.random.default_rng(seed)
    return [(rng.uniform(-2, 2, n), rng.uniform(-2, 2, n), rng.uniform(-50, 50, n)) for _ in range(count)]


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara"])
def test_sliding_accelerations_are_those_of_the_model(name):
    robot = getattr(torquec.classics, name)()
    arm = torquec.compile(robot)
    dynamics = Dynamics(Plant(robot, friction=DryFriction.SIGN))
    for q, qd, tau in states(robot.n):
        rate = dynamics.motion_rate([*q, *qd], list(tau))
        assert np.array(rate[: robot.n]) == pytest.approx(qd)
        # Back through inverse dynamics, friction and springs.
        assert arm.total_torque(q, qd, np.array(rate[robot.n :])) == pytest.approx(tau, abs=1e-9)


def test_without_friction_it_is_forward_dynamics():
    arm = torquec.compile(PUMA)
    for q, qd, tau in states(6):
        rate = Dynamics(Plant(PUMA, friction=DryFriction.NONE)).motion_rate([*q, *qd], list(tau))
        assert rate[6:] == pytest.approx(arm.forward_dynamics(q, qd, tau), rel=1e-9, abs=1e-9)


def test_smooth_friction_is_coulomb_friction_at_speed_and_none_at_rest():
    smooth, sign = (Dynamics(Plant(PUMA, friction=f)) for f in (DryFriction.SMOOTH, DryFriction.SIGN))
    qd = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
    assert smooth.coulomb(qd) == pytest.approx(sign.coulomb(qd), rel=1e-4)
    assert smooth.coulomb([0.0] * 6) == [0.0] * 6


def test_motor_friction_acts_through_the_transmission():
    motor = Motor("m", friction=Friction.symmetric(coulomb=0.5))
    robot = dataclasses.replace(torquec.classics.planar2r(), drives=Drives((motor,), ((10.0, -4.0),)))
    dynamics = Dynamics(Plant(robot, friction=DryFriction.SIGN))
    assert [slider.row for slider in sliders(robot)] == [(10.0, -4.0)]
    assert dynamics.coulomb([1.0, 0.0]) == pytest.approx([5.0, -2.0])
    assert dynamics.coulomb([0.0, 1.0]) == pytest.approx([-5.0, 2.0])


def test_parameters_and_rotors_of_a_run_are_those_of_a_robot_with_them():
    motors = tuple(dataclasses.replace(m, rotor_inertia=1.5 * m.rotor_inertia) for m in PUMA.drives.motors)
    rng = np.random.default_rng(4)
    rows = [np.array(body.inertia.parameters) * rng.uniform(0.8, 1.2, 10) for body in PUMA.bodies]
    bodies = tuple(
        dataclasses.replace(body, inertia=type(body.inertia)(*row.tolist()))
        for body, row in zip(PUMA.bodies, rows, strict=True)
    )
    other = dataclasses.replace(PUMA, bodies=bodies, drives=dataclasses.replace(PUMA.drives, motors=motors))
    q, qd, tau = states(6, 1)[0]
    plant = Plant(PUMA, friction=DryFriction.SIGN, varies="parameters")
    more = [0.5 * motor.rotor_inertia for motor in PUMA.drives.motors]
    given = [*np.concatenate(rows).tolist(), *more, *[1.0] * PUMA.n]
    assert len(given) == plant.variation_size
    expected = Dynamics(Plant(other, friction=DryFriction.SIGN)).motion_rate([*q, *qd], list(tau))
    assert Dynamics(plant, given).motion_rate([*q, *qd], list(tau)) == pytest.approx(expected, rel=1e-9)


def test_factors_of_one_change_nothing_and_others_scale():
    plant = Plant(PUMA, friction=DryFriction.SIGN, varies=True)
    q, qd, tau = states(6, 1)[0]
    plain = Dynamics(Plant(PUMA, friction=DryFriction.SIGN)).motion_rate([*q, *qd], list(tau))
    ones = Dynamics(plant, [1.0] * plant.variation_size).motion_rate([*q, *qd], list(tau))
    assert ones == pytest.approx(plain, rel=1e-9)
    heavy = dataclasses.replace(
        PUMA,
        bodies=tuple(
            dataclasses.replace(
                body,
                inertia=type(body.inertia)(*(1.2 * p for p in body.inertia.parameters)),
                joint=dataclasses.replace(
                    body.joint,
                    friction=Friction.of({name: 0.7 * value for name, value in body.joint.friction.values.items()}),
                ),
            )
            for body in PUMA.bodies
        ),
    )
    expected = Dynamics(Plant(heavy, friction=DryFriction.SIGN)).motion_rate([*q, *qd], list(tau))
    scaled = Dynamics(plant, [1.2] * 6 + [0.7] * 6).motion_rate([*q, *qd], list(tau))
    assert scaled == pytest.approx(expected, rel=1e-9)


def test_springs_pull():
    robot = rotor(inertia=2.0, spring=Spring(stiffness=8.0, rest=0.5))
    assert Dynamics(Plant(robot)).motion_rate([1.0, 0.0], [0.0])[1] == pytest.approx(-2.0)


def test_drives_saturate_unless_told_otherwise():
    robot = rotor(effort=3.0)
    assert drive_torque(Plant(robot), [5.0]) == [3.0]
    assert drive_torque(Plant(robot), [-5.0]) == [-3.0]
    assert drive_torque(Plant(robot, saturates=False), [5.0]) == [5.0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"slip_speed": 0.0}, "slip speed"),
        ({"breakaway": 0.5, "friction": DryFriction.STICK}, "breakaway"),
        ({"breakaway": 1.5}, "without sticking"),
        ({"friction": "sandpaper"}, "no friction model 'sandpaper'"),
    ],
)
def test_misuse(wrong, message):
    with pytest.raises(ArgumentError, match=message):
        Plant(PUMA, **wrong)


def test_the_identity_names_everything():
    plants = [
        Plant(PUMA),
        Plant(PUMA, friction=DryFriction.STICK),
        Plant(PUMA, slip_speed=0.1),
        Plant(PUMA, saturates=False),
        Plant(PUMA, varies=True),
        Plant(torquec.classics.puma260()),
    ]
    assert len({plant.identity for plant in plants}) == len(plants)


@pytest.mark.parametrize("coupled", [False, True])
def test_the_plant_undoes_the_total_torque(coupled):
    """qdd from total_torque(q, qd, qdd) is qdd, with every term of friction, load-dependent ones too."""
    words = {"viscous": 2.0, "coulomb": 3.0, "stribeck": 1.0, "stribeck_speed": 0.3, "load": 0.08, "curved": 0.1}
    bodies = tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction.of(words)))
        for body in PUMA.bodies
    )
    motor = Motor("m", friction=Friction.of({"load": 0.02, "coulomb": 0.1}))
    row = ((0.0, 1.0, -2.0, 0.0, 0.0, 0.0),)
    robot = dataclasses.replace(PUMA, bodies=bodies, drives=Drives((motor,), row) if coupled else Drives())
    plant = Dynamics(Plant(robot, friction=DryFriction.SIGN, saturates=False))
    for q, qd, qdd in states(6, 5):
        tau = total_torque(robot, list(q), list(qd), list(qdd))
        assert plant.motion_rate([*q, *qd], tau)[6:] == pytest.approx(list(qdd), rel=1e-7, abs=1e-7)
