"""Robust computed torque: closed formulas of its bound, attained disturbances, and less error than computed torque."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import torquec as tq
from torquec.control.computed_torque import computed_torque
from torquec.control.robust_computed_torque import robust_computed_torque, ultimate_bounds
from torquec.errors import ArgumentError
from torquec.robot.classics import load_classic
from torquec.robot.friction import Friction
from torquec.simulation.applied_forces import HeldPayload
from torquec.simulation.closed_loop import simulate
from torquec.simulation.plant import DryFriction, Plant

ARM = load_classic("planar2r")
MOTION = tq.minimum_jerk([0.1, 0.2], [0.6, -0.2], 0.6, joints=ARM.joint_names, period=0.001)


def with_friction(robot, scale=1.0):
    bodies = (
        dataclasses.replace(
            b, joint=dataclasses.replace(b.joint, friction=Friction.of({"coulomb": 2.0 * scale, "viscous": scale}))
        )
        for b in robot.bodies
    )
    return dataclasses.replace(robot, bodies=tuple(bodies))


def test_the_bounds_are_the_formulas_where_samples_are_dense():
    """(4), (5): |s| <= W/(k + r/f), |e| <= 2 W/(2.718 l (k + r/f)), a little less, and W/(l k) of computed torque."""
    law = robust_computed_torque(ARM, [(-10, -25), (-8, -8)], period=1e-4, amplitude=[5.0, 6.0], layer=[0.1, 0.2])
    found = ultimate_bounds(law, [3.0, 2.0])
    for bound, w, slow, fast, gain in zip(found, (3.0, 2.0), (10.0, 8.0), (25.0, 8.0), (50.0, 30.0), strict=True):
        formula = 2.0 * w / (math.e * slow * (fast + gain))
        assert bound.sliding == pytest.approx(w / (fast + gain), rel=1e-2)
        assert 0.95 * formula < bound.position < 1.01 * formula
        assert bound.plain == pytest.approx(w / (slow * fast), rel=1e-2)
        assert bound.inside


@pytest.mark.parametrize("delay", [0, 1])
def test_the_worst_disturbance_attains_the_bound_and_no_other_exceeds_it(delay):
    """A double integrator at 1 kHz; the worst disturbance has the signs of the impulse response."""
    h, slow, k, r, f = 0.001, 20.0, 20.0, 10.0, 0.25
    law = robust_computed_torque(ARM, -20.0, period=h, amplitude=r, layer=f)
    bound = ultimate_bounds(law, [1.0, 1.0], delay=delay)[0]
    total, steps = k + r / f, 2000

    def run(w, fine=4):
        e = v = integral = 0.0
        errors, late = [], [0.0] * delay
        for j in range(steps):
            s = v + 2 * slow * e + slow**2 * integral
            u = 2 * slow * v + slow**2 * e + k * s + r * np.clip(s / f, -1, 1)
            integral += h * e
            late.append(u)
            acts = late.pop(0)
            for i in range(fine):
                a, dt = -acts + w[j * fine + i], h / fine
                e, v = e + dt * v + 0.5 * dt * dt * a, v + dt * a
            errors.append(e)
        return np.array(errors)

    impulse = np.zeros(4 * steps)
    impulse[0] = 1e-3
    response = run(impulse)
    worst = np.repeat(np.where(response[::-1] >= 0.0, 1.0, -1.0), 4)
    assert 0.97 * bound.position < abs(run(worst)[-1]) <= bound.position
    rng = np.random.default_rng(1)
    others = [
        rng.choice([-1.0, 1.0], 4 * steps),
        np.repeat(rng.choice([-1.0, 1.0], steps // 50), 200),
        np.ones(4 * steps),
    ]
    for w in others:
        assert np.abs(run(w)).max() <= bound.position
    assert abs(run(np.ones(4 * steps))[-1]) < 1e-6  # a constant disturbance leaves no error
    assert total > k


def test_the_robust_term_is_bounded_and_continuous():
    law = robust_computed_torque(ARM, -20.0, period=0.001, amplitude=3.0, layer=0.1)
    plain = robust_computed_torque(ARM, -20.0, period=0.001, amplitude=1e-12, layer=0.1)
    M = tq.compile(ARM).mass_matrix(np.zeros(2))
    zeros = np.zeros(2)

    def term(speed):
        signals = (zeros, zeros, zeros, zeros, np.array([-speed, 0.0]))
        return np.linalg.solve(M, law.torque(*signals) - plain.torque(*signals))[0]

    for speed in (0.01, 0.05, 0.1, 0.5, -0.05, -2.0):
        assert term(speed) == pytest.approx(3.0 * np.clip(speed / 0.1, -1.0, 1.0), abs=1e-9)


def test_unknown_payload_and_friction_cost_less_than_with_computed_torque():
    nominal = with_friction(ARM)
    plant = Plant(with_friction(ARM, 1.3), friction=DryFriction.STICK, forces=(HeldPayload("link2", 0.1),))
    errors = {}
    for name, law in {
        "computed": computed_torque(nominal, -20.0, period=0.001, evaluation="measured"),
        "robust": robust_computed_torque(nominal, -20.0, period=0.001),
    }.items():
        result = simulate(plant, law, MOTION)
        errors[name] = result.max_error_values
    assert np.all(errors["robust"] < 0.35 * errors["computed"])


def test_a_simulated_robot_keeps_the_bound_of_its_own_disturbance():
    """The acceleration error of a run, read from the plant, gives a bound that the run keeps."""
    law = robust_computed_torque(ARM, -20.0, period=0.001)
    plant = Plant(ARM, forces=(HeldPayload("link2", 0.05),))
    result = simulate(plant, law, MOTION)
    model, samples = tq.compile(ARM), len(result.tau)
    wanted = np.array([model.forward_dynamics(result.q[k], result.qd[k], result.tau[k]) for k in range(samples)])
    w = np.abs(result.qdd[:samples] - wanted).max(axis=0)
    bounds = ultimate_bounds(law, 1.02 * w)  # between samples the held torque adds a little
    assert all(bound.inside for bound in bounds)
    assert np.all(result.max_error_values <= [bound.position for bound in bounds])
    assert np.all(result.max_error_values > 0.05 * np.array([bound.position for bound in bounds]))


def test_outside_of_the_layer_there_is_no_bound():
    law = robust_computed_torque(ARM, -20.0, period=0.001, amplitude=2.0, layer=0.05)
    inside, outside = (ultimate_bounds(law, w)[0] for w in (2.9, 3.5))  # r + k f = 3
    assert inside.inside
    assert not outside.inside


def test_misuse():
    with pytest.raises(ArgumentError, match="real poles"):
        robust_computed_torque(ARM, -5 + 3j, period=0.001)
    with pytest.raises(ArgumentError, match="would chatter"):
        robust_computed_torque(ARM, -20.0, period=0.01, amplitude=10.0, layer=0.01)
    with pytest.raises(ArgumentError, match="'layer'"):
        robust_computed_torque(ARM, -20.0, period=0.001, layer=[0.0, 1.0])
    with pytest.raises(ArgumentError, match="a period"):
        robust_computed_torque(ARM, -20.0, period=0.0)
    law = robust_computed_torque(ARM, -20.0, period=0.001)
    with pytest.raises(ArgumentError, match="another law"):
        ultimate_bounds(computed_torque(ARM, -20.0), 1.0)
    with pytest.raises(ArgumentError, match="a disturbance"):
        ultimate_bounds(law, -1.0)
    with pytest.raises(ArgumentError, match="unstable"):
        ultimate_bounds(law, 1.0, delay=60)
