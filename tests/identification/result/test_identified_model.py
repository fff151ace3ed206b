"""The model of an estimate: total torques with everything that its columns hold."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

import torquec as tq
from torquec.identification import GasSpring, RecordedColumn, Samples, torque_model
from torquec.identification.estimators.prior import robot_prior
from torquec.identification.result.identified_model import identified_model, not_in_code
from torquec.identification.torque.coulomb_shape import CoulombShape, Turnover
from torquec.identification.torque.torque_columns import FrictionLaw, FrictionTerm
from torquec.robot import classics

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


@pytest.mark.parametrize("name", ["puma560", "planar2r"])
def test_torques_are_those_of_the_columns(name):
    law = FrictionLaw().with_term(FrictionTerm.LOAD).with_term(FrictionTerm.CURVED).with_term(FrictionTerm.DIRECTIONAL)
    model = torque_model(classics.load_classic(name), friction=law, columns=[SPRING])
    estimate = estimate_of(model)
    samples = samples_of(model.robot)
    expected = unfiltered(model, samples) @ estimate.x
    found = identified_model(estimate).total_torque(samples.q, samples.qd, samples.qdd)
    assert np.asarray(found) == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    assert not_in_code(estimate) == ()
    assert estimate.unbound != ()


def test_a_coupled_shaft():
    rows = np.array([[1.0, 0.0], [0.5, 1.0]])
    law = FrictionLaw().with_term(FrictionTerm.LOAD)
    model = torque_model(classics.planar2r(), friction=law, transmission=rows)
    estimate = estimate_of(model)
    samples = samples_of(model.robot)
    expected = unfiltered(model, samples) @ estimate.x
    found = identified_model(estimate).total_torque(samples.q, samples.qd, samples.qdd)
    assert np.asarray(found) == pytest.approx(expected, abs=1e-9)


def test_what_is_left_out_is_named():
    law = FrictionLaw(shape=CoulombShape(Turnover.DISTANCE, 0.01)).with_term(FrictionTerm.STRIBECK)
    model = torque_model(classics.planar2r(), friction=law, columns=[RecordedColumn("joint1", "cable"), SPRING])
    assert not_in_code(estimate_of(model)) == ("stribeck_joint1", "stribeck_joint2", "coulomb turnover", "cable")


def test_it_is_a_model_like_any_other(tmp_path):
    model = identified_model(simulated_arm.estimate())
    tq.save(model, tmp_path / "arm.tq.json")
    again = tq.load_model(tmp_path / "arm.tq.json")
    q = np.array([0.1, 0.2])
    assert again.total_torque(q, q, q) == pytest.approx(np.asarray(model.total_torque(q, q, q)))
    assert tq.generate(model, tmp_path / "c", quantities=["total_torque"]).files
