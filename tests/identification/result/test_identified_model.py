"""The model of an estimate: total torques with everything that its columns hold."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, Library
from tests.identification import simulated_arm

import torquec as tq
from torquec.identification import (
    FrictionModel,
    GasSpring,
    IdentifyOptions,
    Method,
    RecordedColumn,
    Samples,
    identify,
    torque_model,
)
from torquec.identification.estimators.prior import robot_prior
from torquec.identification.excitation.simulated_log import simulated_log
from torquec.identification.result.identified_model import identified_model, not_in_code
from torquec.identification.torque.coulomb_shape import STEP, CoulombShape, Turnover
from torquec.identification.torque.torque_columns import FrictionLaw
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
        def low_passed(self, values):
            return values

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
    assert not_in_code(estimate) == ("coulomb turnover", "cable")
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
