"""Estimates bound into every model: code, closed forms, simplified and linear models, controllers, simulation, URDF."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, Library
from tests.identification import simulated_arm

import torquec as tq
from torquec.closedform.closed_dynamics import closed_inverse_dynamics
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.estimators.method import Method
from torquec.identification.estimators.prior_estimators import RidgeToPrior, robot_prior
from torquec.identification.estimators.statistics import CONFIDENCE, interval_factor
from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.logs.prepare import Samples, prepare
from torquec.identification.result.estimate import bind_parameters, estimate_parameters, identified_model, not_in_code
from torquec.identification.torque.friction_law import STEP, CoulombShape, FrictionLaw, FrictionModel, Turnover
from torquec.identification.torque.torque_columns import GasSpring, RecordedColumn
from torquec.identification.torque.torque_model import torque_model
from torquec.parameters.base_parameters import base_parameters
from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.trajectory import fourier_motion

SPRING = GasSpring("joint2", base=0.8, lever=0.2, area=0.002, pressure_volume=15000.0, volume=0.00096, angle=1.0)


def estimate_of(model, seed=0):
    """An estimate with random friction, without a log."""
    rng = np.random.default_rng(seed)
    y = robot_prior(model).center.copy()
    p = len(model.standard_names)
    y[p:] = rng.uniform(0.1, 0.5, size=len(y) - p)
    return dataclasses.replace(
        simulated_arm.estimate(), model=model, x=model.projection @ y, standard=y, covariance=np.eye(model.size)
    )


def samples_of(robot, seed=1):
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 50, robot.n))
    used = np.ones(50, dtype=bool)
    return Samples(robot.joint_names, np.arange(50) * 0.01, q, qd, qdd, np.zeros_like(q), used, 100.0, 20.0, {})


def unfiltered(model, samples):
    """The columns of a model before the low pass."""

    class Open(Samples):
        def low_passed(self, values, kept=None):
            return values if kept is None else values[kept]

    return model.regressor(Open(**{f.name: getattr(samples, f.name) for f in dataclasses.fields(Samples)}))


RICH = FrictionLaw(scales={"stribeck_speed": 0.2})
for _term in ("load", "stribeck", "curved"):
    RICH = RICH.with_term(_term)


@pytest.mark.parametrize("shape", [STEP, CoulombShape(Turnover.SPEED, 0.1)], ids=str)
@pytest.mark.parametrize("name", ["puma560", "planar2r"])
def test_torques_are_those_of_the_columns(name, shape):
    """Whatever can be fitted is in the robot: load, Stribeck, curved, by direction, turnover, a gas spring."""
    law = dataclasses.replace(RICH.with_term("directional"), shape=shape)
    model = torque_model(classics.load_classic(name), friction=law, columns=[SPRING])
    estimate = estimate_of(model)
    samples = samples_of(model.robot)
    expected = unfiltered(model.with_load_of(estimate.x[: len(model.base)]), samples) @ estimate.x
    found = identified_model(estimate).total_torque(samples.q, samples.qd, samples.qdd)
    assert np.asarray(found) == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())
    assert not_in_code(estimate) == estimate.unbound == ()


def test_a_coupled_shaft():
    rows = np.array([[1.0, 0.0], [0.5, 1.0]])
    model = torque_model(classics.planar2r(), friction=RICH, transmission=rows)
    estimate = estimate_of(model)
    samples = samples_of(model.robot)
    expected = unfiltered(model.with_load_of(estimate.x[: len(model.base)]), samples) @ estimate.x
    found = identified_model(estimate).total_torque(samples.q, samples.qd, samples.qdd)
    assert np.asarray(found) == pytest.approx(expected, abs=1e-9)


def test_what_is_left_out_is_named():
    law = FrictionLaw(shape=CoulombShape(Turnover.DISTANCE, 0.01)).with_term("stribeck")
    model = torque_model(classics.planar2r(), friction=law, columns=[RecordedColumn("joint1", "cable"), SPRING])
    estimate = estimate_of(model)
    assert not_in_code(estimate) == ("cable",)
    assert estimate.robot.joints[0].friction.value("turnover_distance") == 0.01


def rich_arm(scale=1.0):
    """The planar arm with Stribeck and load-dependent friction and a gas spring."""
    robot = simulated_arm.arm(scale)
    friction = {"viscous": 0.5, "coulomb": 0.3, "offset": 0.1, "stribeck": 0.4, "stribeck_speed": 0.2, "load": 0.06}
    bodies = []
    for body in robot.bodies:
        springs = (SPRING.spring(0.5),) if body.joint.name == "joint2" else ()
        joint = dataclasses.replace(body.joint, friction=Friction.of(friction), counterbalances=springs)
        bodies.append(dataclasses.replace(body, joint=joint))
    return dataclasses.replace(robot, bodies=tuple(bodies))


@pytest.fixture(scope="module")
def rich_estimate():
    """From a log without noise and inertias that are 20 % too large, so that the prior's load is not the robot's."""
    cosines, sines = np.random.default_rng(3).normal(scale=0.8, size=(2, 2, 5))
    joints = rich_arm().joint_names
    motion = fourier_motion([0.0, 0.0], cosines, sines, base_period=8.0, joints=joints, period=0.004)
    law = FrictionLaw((*FrictionModel.OFFSET.parameters, "stribeck", "load"), scales={"stribeck_speed": 0.2})
    options = IdentifyOptions(cutoff=20.0, rotors=False, friction=law, columns=(SPRING,), method=Method.WEIGHTED)
    return identify(rich_arm(1.2), simulated_log(rich_arm(), motion, noise=0.0), options=options)


def test_what_was_fitted_is_what_the_model_computes(rich_estimate, tmp_path):
    """Prediction of the estimate = total torque of its model = C, with Stribeck, load and gas spring."""
    samples = samples_of(rich_estimate.robot)
    predicted = unfiltered(rich_estimate.model, samples) @ rich_estimate.x
    model = identified_model(rich_estimate)
    found = np.asarray(model.total_torque(samples.q, samples.qd, samples.qdd))
    assert found == pytest.approx(predicted, abs=1e-10 * np.abs(predicted).max())
    if COMPILERS:
        library = Library(tmp_path, [model.function("total_torque")])
        states = zip(samples.q, samples.qd, samples.qdd, strict=True)
        in_c = np.array([library("total_torque", {"q": q, "qd": qd, "qdd": qdd})["tau"] for q, qd, qdd in states])
        assert in_c == pytest.approx(predicted, abs=1e-10 * np.abs(predicted).max())


def test_the_fit_finds_the_terms_that_the_arm_has(rich_estimate):
    assert rich_estimate.relative_error < 2e-3
    truth = {"viscous": 0.5, "coulomb": 0.3, "offset": 0.1, "stribeck": 0.4, "load": 0.06}
    for name, value in truth.items():
        for joint in ("joint1", "joint2"):
            found = rich_estimate.x[rich_estimate.names.index(f"{name}_{joint}")]
            assert found == pytest.approx(value, rel=0.05, abs=0.01), (name, joint)
    assert rich_estimate.robot.joints[1].counterbalances[0].pressure_volume == pytest.approx(7500.0, rel=0.02)


def test_it_goes_through_urdf_and_side_file(rich_estimate, tmp_path):
    robot = rich_estimate.robot
    tq.write_urdf(robot, tmp_path / "arm.urdf")
    again = tq.load(tmp_path / "arm.urdf")
    assert [body.joint.friction for body in again.bodies] == [body.joint.friction for body in robot.bodies]
    assert [body.joint.counterbalances for body in again.bodies] == [b.joint.counterbalances for b in robot.bodies]


def test_it_goes_through_a_model_file(rich_estimate, tmp_path):
    model = identified_model(rich_estimate)
    tq.save(model, tmp_path / "arm.tq.json")
    again = tq.load_model(tmp_path / "arm.tq.json")
    assert again.robot == model.robot


def test_it_is_a_model_like_any_other(tmp_path):
    model = identified_model(simulated_arm.estimate())
    tq.save(model, tmp_path / "arm.tq.json")
    again = tq.load_model(tmp_path / "arm.tq.json")
    q = np.array([0.1, 0.2])
    assert again.total_torque(q, q, q) == pytest.approx(np.asarray(model.total_torque(q, q, q)))
    assert tq.generate(model, tmp_path / "c", quantities=["total_torque"]).files


def test_the_model_carries_the_parameters_with_their_covariance(tmp_path):
    estimate = simulated_arm.estimate()
    model = identified_model(estimate)
    assert model.kind is tq.ModelKind.IDENTIFIED
    assert model.parameters.names == tuple(estimate.names)
    np.testing.assert_array_equal(model.parameters.values, estimate.x)
    np.testing.assert_allclose(model.parameters.covariance, estimate.covariance, atol=1e-15)
    assert model.parameters.fit.relative_error == estimate.relative_error
    tq.save(model, tmp_path / "one.tq.json")
    again = tq.load_model(tmp_path / "one.tq.json")
    assert (again.parameters, again.kind, again.robot) == (model.parameters, model.kind, model.robot)
    tq.save(again, tmp_path / "two.tq.json")
    assert (tmp_path / "one.tq.json").read_bytes() == (tmp_path / "two.tq.json").read_bytes()


def test_names_values_and_covariance_are_those_of_the_estimate():
    estimate = simulated_arm.estimate()
    found = estimate_parameters(estimate)
    assert found.names == tuple(estimate.names)
    assert np.array_equal(found.values, estimate.x)
    covariance = np.array(found.covariance)
    assert np.array_equal(covariance, covariance.T)
    assert np.allclose(covariance, estimate.covariance, rtol=1e-12, atol=0.0)


def test_the_worth_of_the_fit_comes_along():
    estimate = simulated_arm.estimate()
    fit = estimate_parameters(estimate).fit
    assert fit.estimator == estimate.estimator
    assert fit.relative_error == estimate.relative_error
    assert fit.validation_error == estimate.validation_error
    assert "prior" in fit.intervals


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


def test_a_robot_with_negative_friction_cannot_be_built(estimate):
    assert estimate.is_buildable
    k = estimate.names.index("viscous_joint1")
    x = estimate.x - (estimate.x[k] + 0.1) * np.eye(len(estimate.x))[k]
    odd = dataclasses.replace(estimate, x=x, standard=None)
    assert odd.realization.physically_consistent
    assert not odd.is_buildable


def test_deviations_without_the_error_of_the_prior_are_smaller_and_equal_without_one():
    free = simulated_arm.estimate(Method.WEIGHTED)
    ratio = free.std / np.asarray(free.sampling_std)  # intervals are those of Student's t, for eight parts or more
    assert np.all((ratio > 1.0 - 1e-9) & (ratio < np.sqrt(interval_factor(8)) + 1e-9))
    model = torque_model(simulated_arm.arm(), rotors=False, friction="offset")
    samples = prepare(simulated_arm.log(), cutoff=10.0)
    factors = joint_factors(model.regressor(samples)[samples.used], samples.tau[samples.used])
    for strength, share in ((1e-6, 1.0), (1e14, 0.0)):
        drawn = RidgeToPrior(robot_prior(model), strength=strength).fit_factors(factors)
        shares = np.diag(drawn.sampling_covariance(factors)) / np.diag(drawn.covariance_)
        assert np.all(shares <= 1.0 + 1e-6)
        assert shares.min() == pytest.approx(share, abs=0.01)
