"""The answer of a model's torque to deviations: against complex steps through the model itself, for both ways."""

from __future__ import annotations

import numpy as np
import pytest

import torquec
from torquec.errors import ArgumentError
from torquec.expr import evaluate, trace
from torquec.linearization.linearized_torque import check_abbreviation, linearized_torque, runs_recursion
from torquec.model.model import as_model

ARM = torquec.classics.planar2r()
MODELS = {"exact": as_model(ARM), "abbreviated": torquec.abbreviated_model(ARM)}
PORTS = dict.fromkeys(("q", "qd", "qdd", "dq", "dqd", "dqdd"), (2,))


@pytest.mark.parametrize("kind", MODELS)
def test_it_is_the_derivative_in_that_direction(kind):
    model = MODELS[kind]
    values = dict(zip(PORTS, np.random.default_rng(0).normal(size=(6, 2)), strict=True))

    def answer(q, qd, qdd, dq, dqd, dqdd):
        return {"tau": linearized_torque(model, (q, qd, qdd), (dq, dqd, dqdd))}

    found = evaluate(trace("answer", answer, PORTS), values)["tau"]
    state, deviation = list(values.values())[:3], list(values.values())[3:]
    moved = [[complex(a, 1e-30 * b) for a, b in zip(x, d, strict=True)] for x, d in zip(state, deviation, strict=True)]
    expected = np.imag(model.at("inverse_dynamics", *moved)) / 1e-30
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_only_a_robots_own_equations_are_abbreviated():
    assert runs_recursion(MODELS["exact"])
    assert not runs_recursion(MODELS["abbreviated"])
    check_abbreviation(MODELS["exact"])
    with pytest.raises(ArgumentError, match="is a program already"):
        check_abbreviation(MODELS["abbreviated"])
