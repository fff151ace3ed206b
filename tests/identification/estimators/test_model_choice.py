"""What cross-validation chooses: the friction that made a log, rotors only where there are some, a sensible prior."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

from torquec.dynamics.friction import TERMS
from torquec.dynamics.regressor import parameter_values
from torquec.identification.estimators.cross_validation import LogFolds
from torquec.identification.estimators.estimator import Weighting
from torquec.identification.estimators.least_squares import WeightedLeastSquares
from torquec.identification.estimators.method import Method, estimator_maker
from torquec.identification.estimators.model_choice import Freedom, Setting, choose_model, not_told_apart, scaled_laws
from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.logs.log_source import LogInMemory
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.friction_law import (
    STEP,
    CoulombShape,
    FrictionLaw,
    Turnover,
    friction_block,
    shafts_of,
)
from torquec.identification.torque.torque_model import torque_model
from torquec.robot import classics
from torquec.spatial import Inertia

ARM = classics.planar2r()
LAW = FrictionLaw()


@pytest.fixture(scope="module")
def frictionless():
    return simulated_log(ARM, noise=0.002)


def rubbing(log, law, values):
    """The log with friction of a law, the same values for both joints."""
    load = np.abs(log.tau)
    block = friction_block(shafts_of(ARM), law, log.qd, q=log.q, load=load)
    return dataclasses.replace(log, tau=log.tau + block @ np.tile(values, 2))


def chosen(log, rotors=(False,), *, memory=False, robot=ARM):
    freedom = Freedom(
        tuple(torque_model(robot, rotors=flag) for flag in rotors),
        friction=True,
        strengths=(0.0,),
        weightings=(Weighting.JOINT,),
        memory=memory,
    )
    folds = LogFolds([LogInMemory(prepare(log, cutoff=15.0))])
    return choose_model(folds, freedom, lambda _, settings: WeightedLeastSquares(correlation=settings[0].correlation))


@pytest.mark.parametrize(
    "shape", [STEP, CoulombShape(Turnover.SPEED, 0.1), CoulombShape(Turnover.DISTANCE, 3e-3)], ids=str
)
def test_the_shape_of_reversals_is_found(frictionless, shape):
    log = rubbing(frictionless, dataclasses.replace(LAW, shape=shape), [0.5, 3.0, 0.2])
    found = chosen(log, memory=True).model.friction
    assert found.shape.turnover is shape.turnover
    assert found.shape.width == shape.width


@pytest.mark.parametrize(("term", "value"), [("curved", -0.3), ("load", 0.1), ("concave", 0.5)])
def test_a_term_is_added_where_it_helps_and_not_where_it_does_not(frictionless, term, value):
    plain = rubbing(frictionless, LAW, [1.0, 1.0, 0.2])
    assert chosen(plain).model.friction.parameters == LAW.parameters
    more = rubbing(frictionless, LAW.with_term(term), [1.0, 1.0, 0.2, value])
    assert chosen(more).model.friction.has(term)


def test_friction_by_load_is_chosen_with_the_torques_of_the_fitted_robot(frictionless):
    """A file whose inertias say nothing about the load: the model that is compared has the load of a fit."""
    log = rubbing(frictionless, LAW.with_term("load"), [1.0, 1.0, 0.2, 0.1])
    strangers = (Inertia(*(4.0 * value for value in body.inertia.parameters)) for body in ARM.bodies)
    bodies = tuple(dataclasses.replace(body, inertia=own) for body, own in zip(ARM.bodies, strangers, strict=True))
    found = chosen(log, robot=dataclasses.replace(ARM, bodies=bodies)).model
    own = torque_model(ARM, rotors=False)
    true = own.base.projection @ np.array(parameter_values(ARM))
    assert found.friction.has("load")
    # The plain fit takes a part of the load-dependent friction for gravity: within a fifth, not four times.
    assert found.load == pytest.approx(true, rel=0.2, abs=0.05)


def test_the_chosen_one_has_the_least_error(frictionless):
    log = rubbing(frictionless, dataclasses.replace(LAW, shape=CoulombShape(Turnover.DISTANCE, 3e-3)), [0.5, 3.0, 0.2])
    estimate = identify(ARM, log, options=IdentifyOptions(memory=True))
    assert estimate.validation_error < 0.01
    assert estimate.strength is not None
    assert "over 0.003 rad" in str(estimate.model.friction)


def richer_laws():
    return [law for more in FrictionLaw().richer.values() for law in scaled_laws(FrictionLaw(), more)]


def test_a_term_is_tried_with_every_value_of_its_scales(monkeypatch):
    tried = [law.words["stribeck_speed"] for law in richer_laws() if law.has("stribeck")]
    assert tried == [0.02, 0.1, 0.5]
    assert FrictionLaw().with_term("stribeck").words == {"stribeck_speed": 0.1}

    class Faster(type(TERMS["stribeck"])):
        scales: ClassVar = {"stribeck_speed": (1.0, 2.0), "other_speed": (3.0,)}

    monkeypatch.setitem(TERMS, "stribeck", Faster())
    tried = [law.words for law in richer_laws() if law.has("stribeck")]
    assert tried == [{"stribeck_speed": speed, "other_speed": 3.0} for speed in (1.0, 2.0)]
    others = [law for law in richer_laws() if not law.has("stribeck")]
    assert all(set(law.words) == ({"concave_speed"} if law.has("concave") else set()) for law in others)


def test_what_is_within_standard_errors_of_the_best_is_not_told_apart():
    best = np.array([1.0, 2.0, 1.0, 2.0])
    scattered = best + np.array([0.5, -0.4, 0.5, -0.4])
    worse = best + np.array([0.1, 0.11, 0.1, 0.09])
    assert not_told_apart([worse, best, scattered], 1.0) == [1, 2]
    assert not_told_apart([worse, best], 50.0) == [0, 1]
    assert not_told_apart([np.array([2.0]), np.array([1.0])], 2.0) == [1]  # one fold has no spread


def test_the_plainest_law_that_predicts_as_well_is_taken(frictionless):
    """Coulomb friction that turns over at once was there: no shape, no term is bought for a gain that is luck."""
    found = chosen(rubbing(frictionless, LAW, [1.0, 1.0, 0.2])).model.friction
    assert found.shape is STEP
    assert found.parameters == LAW.parameters


def test_settings_that_cannot_be_told_apart_are_averaged(frictionless):
    """With an exact prior every strength predicts alike; with one that is far off, the strong ones do not."""
    log = rubbing(frictionless, LAW, [1.0, 1.0, 0.2])
    folds = LogFolds([LogInMemory(prepare(log, cutoff=15.0))])
    make = estimator_maker(Method.CONSISTENT, from_factors=True)
    kept = {}
    for factor in (1.0, 3.0):
        model = torque_model(scaled(factor), rotors=False)
        freedom = Freedom((model,), friction=False, strengths=(1.0, 1e2, 1e7), weightings=(Weighting.JOINT,))
        kept[factor] = [setting.strength for setting in choose_model(folds, freedom, make).settings]
    assert 1e7 in kept[1.0]
    assert kept[3.0] == [1.0, 1e2]


def test_the_average_of_estimators_holds_what_they_differ_by(frictionless):
    model = torque_model(scaled(3.0), rotors=False)
    factors = LogFolds([LogInMemory(prepare(frictionless, cutoff=15.0))]).folds([model], 1)[0].whole
    make = estimator_maker(Method.CONSISTENT)
    settings = [Setting(strength, Weighting.JOINT, 1.0) for strength in (1.0, 1e6)]
    weak, strong, both = (make(model, own).fit_factors(factors) for own in (settings[:1], settings[1:], settings))
    assert both.x_ == pytest.approx(0.5 * (weak.x_ + strong.x_))
    half = 0.5 * (weak.x_ - strong.x_)
    # A mean of both covariances would be that of the weak prior: here it is that of the mean strength.
    within = make(model, [Setting(1e3, Weighting.JOINT, 1.0)]).fit_factors(factors).covariance_
    assert both.covariance_ == pytest.approx(within + np.outer(half, half), rel=1e-6, abs=1e-12)
    assert both.physically_consistent_


def scaled(factor):
    inertias = [tuple(factor * value for value in body.inertia.parameters) for body in ARM.bodies]
    bodies = [dataclasses.replace(body, inertia=Inertia(*own)) for body, own in zip(ARM.bodies, inertias, strict=True)]
    return dataclasses.replace(ARM, bodies=tuple(bodies))
