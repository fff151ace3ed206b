"""What cross-validation chooses: the friction that made a log, rotors only where there are some, a sensible prior."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

from torquec.dynamics.friction import TERMS
from torquec.identification.estimators.cross_validation import LogFolds, validation_error
from torquec.identification.estimators.estimator import Weighting
from torquec.identification.estimators.least_squares import WeightedLeastSquares
from torquec.identification.estimators.model_choice import Freedom, Setting, choose_model, scaled_laws
from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.identify import identify
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


def chosen(log, rotors=(False,)):
    freedom = Freedom(
        tuple(torque_model(ARM, rotors=flag) for flag in rotors),
        friction=True,
        strengths=(0.0,),
        weightings=(Weighting.JOINT,),
    )
    folds = LogFolds([LogInMemory(prepare(log, cutoff=15.0))])
    return choose_model(folds, freedom, lambda _, s: WeightedLeastSquares(correlation=s.correlation))


@pytest.mark.parametrize(
    "shape", [STEP, CoulombShape(Turnover.SPEED, 0.1), CoulombShape(Turnover.DISTANCE, 3e-3)], ids=str
)
def test_the_shape_of_reversals_is_found(frictionless, shape):
    log = rubbing(frictionless, dataclasses.replace(LAW, shape=shape), [0.5, 3.0, 0.2])
    found = chosen(log).model.friction
    assert found.shape.turnover is shape.turnover
    assert found.shape.width == shape.width


@pytest.mark.parametrize(("term", "value"), [("curved", -0.3), ("load", 0.1), ("concave", 0.5)])
def test_a_term_is_added_where_it_helps_and_not_where_it_does_not(frictionless, term, value):
    plain = rubbing(frictionless, LAW, [1.0, 1.0, 0.2])
    assert chosen(plain).model.friction.parameters == LAW.parameters
    more = rubbing(frictionless, LAW.with_term(term), [1.0, 1.0, 0.2, value])
    assert chosen(more).model.friction.has(term)


def test_the_chosen_one_has_the_least_error(frictionless):
    log = rubbing(frictionless, dataclasses.replace(LAW, shape=CoulombShape(Turnover.DISTANCE, 3e-3)), [0.5, 3.0, 0.2])
    estimate = identify(ARM, log)
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


def test_quarters_of_a_single_motion_speak_for_another_one(frictionless):
    """Their error stands beside that of short parts; where motions are left out, they speak for themselves."""
    model = torque_model(ARM, rotors=False)
    freedom = Freedom((model,), friction=False, strengths=(0.0,), weightings=(Weighting.JOINT,))
    make = lambda _, s: WeightedLeastSquares(correlation=s.correlation)  # noqa: E731
    source = LogInMemory(prepare(rubbing(frictionless, LAW, [0.5, 3.0, 0.2]), cutoff=15.0))
    folds = LogFolds([source])
    found = choose_model(folds, freedom, make)
    setting = Setting(0.0, Weighting.JOINT, folds.correlation)
    assert found.far_error == validation_error(folds.folds([model], 4)[0].pairs(), lambda: make(model, setting))
    assert found.far_error != found.error
    two = LogFolds([source, source])
    two.motions = ((0,), (1,))
    assert choose_model(two, freedom, make).far_error is None
