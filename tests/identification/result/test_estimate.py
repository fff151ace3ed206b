"""Estimates bound into every model: code, closed forms, simplified and linear models, controllers, simulation, URDF."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.identification import simulated_arm

import torquec as tq
from torquec.closedform.closed_dynamics import closed_inverse_dynamics
from torquec.identification import Method, bind_parameters, torque_model
from torquec.identification.estimators.statistics import CONFIDENCE
from torquec.identification.torque.coulomb_shape import CoulombShape, Turnover
from torquec.identification.torque.torque_columns import FrictionLaw
from torquec.parameters.base_parameters import base_parameters

ROOT = Path(__file__).resolve().parents[3]
Q, QD, QDD = np.array([0.3, -0.7]), np.array([0.4, 0.2]), np.array([1.0, -2.0])


@pytest.fixture(scope="module", params=[Method.CONSISTENT, Method.WEIGHTED])
def estimate(request):
    return simulated_arm.estimate(request.param)


@pytest.fixture(scope="module")
def rigid(estimate):
    """Rigid-body torques at (Q, QD, QDD) by the estimate's own columns."""
    count = len(estimate.model.base)
    return estimate.model.rigid(Q[None], QD[None], QDD[None])[0] @ estimate.x[:count]


def test_compile(estimate, rigid):
    assert tq.compile(estimate.robot).inverse_dynamics(Q, QD, QDD) == pytest.approx(rigid, abs=1e-10)


def test_closed_form(estimate, rigid):
    assert len(tq.closed_form(estimate.robot).M[0, 0]) > 0
    assert closed_inverse_dynamics(estimate.robot, Q, QD, QDD) == pytest.approx(list(rigid), abs=1e-9)


def test_simplify(estimate, rigid):
    small = tq.simplify(estimate.robot, ROOT / "examples" / "specifications" / "planar2r.toml")
    assert small.inverse_dynamics(Q, QD, QDD) == pytest.approx(rigid, abs=2.0)


def test_linearize(estimate):
    mass = np.asarray(tq.compile(estimate.robot).mass_matrix(Q))
    assert np.asarray(tq.linearize(estimate.robot, Q, QD, QDD).M) == pytest.approx(mass, abs=1e-9)


def test_generate_and_save(estimate, tmp_path, rigid):
    assert tq.generate(estimate.robot, tmp_path / "c", quantities=["inverse_dynamics"]).files
    tq.save(tq.compile(estimate.robot), tmp_path / "arm.tq.json")
    again = tq.load_model(tmp_path / "arm.tq.json")
    assert again.inverse_dynamics(Q, QD, QDD) == pytest.approx(rigid, abs=1e-10)


def test_controller_and_simulation(estimate):
    robot = estimate.robot
    motion = tq.minimum_jerk([0.0, 0.0], [0.5, -0.5], 1.0, joints=robot.joint_names)
    result = tq.simulate(robot, tq.computed_torque(robot, -20 + 20j), motion)
    assert np.abs(result.error).max() < 0.02


def test_urdf_reproduces_the_base_parameters(estimate, tmp_path):
    """And its inertials could be built: strict loading has nothing against them."""
    assert estimate.realization.physically_consistent
    tq.write_urdf(estimate.robot, tmp_path / "arm.urdf")
    again = tq.load(tmp_path / "arm.urdf", strict=True, gravity=estimate.robot.gravity)
    values = base_parameters(again, motors=False).values
    assert values == pytest.approx(estimate.x[: len(values)], abs=1e-9)
    assert again.joints[0].friction.offset == pytest.approx(estimate.robot.joints[0].friction.offset, abs=1e-12)


def test_intervals_and_correlations(estimate):
    width = estimate.confidence[:, 1] - estimate.confidence[:, 0]
    assert width == pytest.approx(2.0 * CONFIDENCE * estimate.std)
    pairs = estimate.strong_correlations(least=0.0)
    assert len(pairs) == len(estimate.names) * (len(estimate.names) - 1) // 2
    sizes = [abs(value) for _, _, value in pairs]
    assert sizes == sorted(sizes, reverse=True)
    assert all(abs(value) >= 0.5 for _, _, value in estimate.strong_correlations(least=0.5))


def test_binding_keeps_what_the_columns_cannot_say(estimate):
    robot = bind_parameters(estimate.model, estimate.standard_parameters)
    assert robot.joint_names == estimate.model.robot.joint_names
    assert robot.gravity == estimate.model.robot.gravity
    assert [frame.name for frame in robot.frames] == [frame.name for frame in estimate.model.robot.frames]


def test_friction_that_turns_over_a_distance_is_named():
    shape = CoulombShape(Turnover.DISTANCE, 0.01)
    model = torque_model(simulated_arm.arm(), friction=FrictionLaw(shape=shape))
    odd = dataclasses.replace(simulated_arm.estimate(), model=model)
    assert odd.unbound == ("coulomb turnover",)
    assert simulated_arm.estimate().unbound == ()


def test_a_robot_with_negative_friction_cannot_be_built(estimate):
    assert estimate.is_buildable
    k = estimate.names.index("viscous_joint1")
    x = estimate.x - (estimate.x[k] + 0.1) * np.eye(len(estimate.x))[k]
    odd = dataclasses.replace(estimate, x=x, standard=None)
    assert odd.realization.physically_consistent
    assert not odd.is_buildable
