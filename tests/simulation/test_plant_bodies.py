"""A model as the plant: one that follows programs moves as they say; what was measured of a run."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from tests.model_kinds import heavier, program_model
from tests.simulation.arms import clock, constant, rotor

import torquec as tq
from torquec.errors import ArgumentError
from torquec.expr import count_operations
from torquec.model.model import Model, ModelKind
from torquec.robot.friction import Friction
from torquec.simulation.closed_loop import LoopOptions, follow_in_open_loop, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.plant_bodies import DcMotor
from torquec.simulation.simulation_result import acceleration_function, tip_error

MOTOR = DcMotor(torque_constant=0.1, gear_ratio=50.0, resistance=2.0, inductance=2e-3, supply=24.0, bandwidth=500.0)


def test_torque_follows_with_the_bandwidth_of_the_current_loop():
    robot = rotor(inertia=2.0)
    options = LoopOptions(period=1e-3, integrator=RungeKutta4(8))
    result = simulate(Plant(robot, motors=(MOTOR,)), constant(robot, 5.0), clock(robot, 0.02, 1e-3), options=options)
    # qd = tau/J (t - (1 - exp(-w t))/w)
    t = result.t
    expected = 5.0 / 2.0 * (t - (1.0 - np.exp(-500.0 * t)) / 500.0)
    assert np.allclose(result.qd[:, 0], expected, atol=1e-6 * expected.max())


def test_back_emf_limits_the_speed():
    robot = rotor(inertia=0.5, friction=Friction.symmetric(viscous=0.3))
    plant = Plant(robot, motors=(MOTOR,), saturates=False)
    options = LoopOptions(period=1e-3, integrator=RungeKutta4(4))
    result = simulate(plant, constant(robot, 1e3), clock(robot, 3.0, 1e-3), options=options)
    # V = R i + k N w and k N i = 0.3 w
    k = MOTOR.torque_per_ampere
    assert result.qd[-1, 0] == pytest.approx(24.0 / (2.0 * 0.3 / k + k), rel=1e-6)


def test_a_motor_that_turns_the_other_way_pushes_the_same_way():
    robot = rotor()
    options = LoopOptions(period=1e-3, integrator=RungeKutta4(4))
    mirrored = DcMotor(0.1, -50.0, 2.0, 2e-3, 24.0, 500.0)
    ends = [
        simulate(Plant(robot, motors=(m,)), constant(robot, 5.0), clock(robot, 0.1, 1e-3), options=options).qd[-1, 0]
        for m in (MOTOR, mirrored)
    ]
    assert ends[0] == pytest.approx(ends[1], rel=1e-12)


@pytest.mark.parametrize("field", ["torque_constant", "resistance", "inductance", "supply", "bandwidth"])
def test_values_are_positive(field):
    values = {"torque_constant": 0.1, "gear_ratio": 1.0, "resistance": 1.0, "inductance": 1.0, "supply": 1.0}
    with pytest.raises(ArgumentError, match=field.replace("_", " ")):
        DcMotor(**{**values, field: 0.0})


def test_one_motor_per_joint():
    with pytest.raises(ArgumentError, match="2 motors for 1 joints"):
        Plant(rotor(), motors=(MOTOR, MOTOR))


ARM = tq.classics.scara()
MOTION = tq.minimum_jerk([0.1] * ARM.n, [0.15] * ARM.n, 0.5, joints=ARM.joint_names, period=0.002)
LAW = tq.computed_torque(ARM, -12 + 45j)
FINE = LoopOptions(integrator=RungeKutta4(4))


@pytest.mark.parametrize("friction", list(DryFriction))
def test_a_program_moves_as_what_it_computes(friction):
    one, two, three = (
        simulate(Plant(source, friction=friction), LAW, MOTION, options=FINE)
        for source in (program_model(ARM), heavier(ARM), ARM)
    )
    assert one.q == pytest.approx(two.q, abs=1e-9)
    assert one.qdd == pytest.approx(two.qdd, abs=1e-4)
    assert np.abs(one.q - three.q).max() > 1e-6


@pytest.mark.parametrize("kind", [ModelKind.EXACT, ModelKind.IDENTIFIED])
def test_kinds_with_bodies_are_their_robot(kind):
    model = Model(ARM, kind=kind)
    assert Plant(model).identity == Plant(ARM).identity
    assert acceleration_function(Plant(model)) == acceleration_function(Plant(ARM))


def test_other_programs_are_other_plants():
    model = program_model(ARM)
    assert Plant(model).identity != Plant(ARM).identity
    other = replace(
        model, functions=MappingProxyType({**model.functions, "mass_matrix": model.function("kinetic_energy")})
    )
    assert Plant(other).identity != Plant(model).identity


def test_open_loop_and_tip_take_models():
    model = program_model(ARM)
    result = follow_in_open_loop(Plant(model, friction="none"), model, MOTION, options=FINE)
    exact = follow_in_open_loop(Plant(heavier(ARM), friction="none"), heavier(ARM), MOTION, options=FINE)
    assert result.plain.q == pytest.approx(exact.plain.q, abs=1e-9)
    frame = ARM.frames[-1].name
    assert np.array_equal(tip_error(model, frame, result.plain), tip_error(ARM, frame, result.plain))


def test_a_run_knows_references_and_accelerations():
    """qdd by the robot's own forward dynamics at every recorded state, under the torques that were held."""
    result = simulate(Plant(ARM, friction="none"), LAW, MOTION, options=FINE)
    sampled = MOTION.sampled(0.002)
    for name in ("q", "qd", "qdd"):
        assert np.array_equal(getattr(result, f"{name}_ref"), getattr(sampled, name))
    limits = np.array(result.efforts)
    torque = np.clip(np.vstack([result.tau, result.tau[-1]]), -limits, limits)
    arm = tq.compile(ARM)
    expected = arm.forward_dynamics(result.q, result.qd, torque - arm.spring_torque(result.q))
    assert result.qdd == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert np.array_equal(result.acceleration_error, result.qdd_ref - result.qdd)
    assert np.array_equal(result.speed_error, result.qd_ref - result.qd)
    thin = simulate(Plant(ARM, friction="none"), LAW, MOTION, options=replace(FINE, record_every=7))
    assert thin.qdd == pytest.approx(result.qdd[np.append(np.arange(0, len(MOTION) - 1, 7), len(MOTION) - 1)])


def test_acceleration_of_a_joint_that_sticks_and_slips():
    wheel = rotor(inertia=2.0, friction=Friction.symmetric(coulomb=1.0))
    for torque, expected in ((0.9, 0.0), (3.0, 1.0), (-3.0, -1.0)):
        run = simulate(Plant(wheel, friction="stick"), constant(wheel, torque), clock(wheel, 0.1, 0.01))
        assert run.qdd[:, 0] == pytest.approx([expected] * len(run.t), abs=1e-8)


def test_acceleration_behind_motors_follows_the_current():
    wheel = rotor(inertia=2.0)
    motor = DcMotor(0.1, 10.0, 1.0, 0.01, 100.0, bandwidth=50.0)
    run = simulate(Plant(wheel, motors=(motor,)), constant(wheel, 4.0), clock(wheel, 0.1, 0.001))
    assert run.qdd[0, 0] == 0.0
    assert run.qdd[:, 0] == pytest.approx(2.0 * (1.0 - np.exp(-50.0 * run.t)), abs=1e-6)


def test_a_fuse_scales_the_limits():
    wheel = rotor(inertia=2.0, effort=10.0)
    run = simulate(Plant(wheel, effort=0.5), constant(wheel, 8.0), clock(wheel, 1.0, 0.1))
    assert run.efforts == (5.0,)
    assert run.qd[-1, 0] == pytest.approx(2.5)
    assert run.saturated == ("wheel",)
    assert Plant(rotor(), effort=0.5).efforts == (np.inf,)


def test_back_emf_damps_a_linear_model():
    """A wheel behind a held voltage: J qdd = k N (V - k N qd)/R, so that its pole is -(k N)^2/(R J)."""
    wheel, motor = rotor(inertia=2.0), DcMotor(0.1, 10.0, 4.0, 0.01, 100.0)
    free, damped = (tq.linearize(wheel, [0.0], [1.0], [0.0], motors=m) for m in ((), (motor,)))
    assert free.C[0, 0] == 0.0
    assert damped.C[0, 0] == pytest.approx(1.0 / 4.0)
    assert min(damped.eigenvalues.real) == pytest.approx(-1.0 / 8.0)
    with pytest.raises(tq.ArgumentError, match="2 motors for 1 joints"):
        tq.linearize(wheel, [0.0], [1.0], [0.0], motors=(motor, motor))


def test_results_are_told_in_a_line():
    run = simulate(Plant(ARM, friction="none"), LAW, MOTION, options=FINE)
    assert repr(run).startswith(f"SimulationResult({ARM.n} joints, 250 steps to 0.5 s, largest error ")
    assert len(repr(run)) < 200
    assert repr(LAW) == f"Controller('computed_torque', {ARM.n} joints, {count_operations(LAW.function)})"
