"""Sampled functions: state in, state out, with slots that name its parts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.dynamics.sampled_function import NEXT_STATE, STATE, SampledFunction, StateSlot
from torquec.errors import ArgumentError
from torquec.expr import trace


def mean_and_count():
    """A recursive estimator: the mean of everything measured so far, m -> m + (x - m)/k, k -> k + 1."""

    def step(x, state):
        mean, count = state[:2], state[2] + 1.0
        later = [m + (value - m) / count for m, value in zip(mean, x, strict=True)]
        return {"mean": later, NEXT_STATE: [*later, count]}

    function = trace("mean", step, {"x": (2,), STATE: (3,)})
    return SampledFunction("mean", ("a", "b"), function, (StateSlot("mean", (0.0, 0.0)), StateSlot("count", (0.0,))))


def test_a_recursive_mean_is_the_mean():
    estimator = mean_and_count()
    values = np.random.default_rng(2).normal(size=(50, 2))
    state = native = estimator.initial_state
    for x in values:
        found = estimator.step(state, x)
        state = found[NEXT_STATE]
        _, native = estimator.native.call(x, native)
    assert found["mean"] == pytest.approx(values.mean(axis=0), rel=1e-12)
    assert state[estimator.slot("count")] == [50.0]
    assert native == pytest.approx(state, rel=1e-14)


def test_a_function_without_state_has_none():
    function = trace("double", lambda x: {"y": [2.0 * value for value in x]}, {"x": (2,)})
    plain = SampledFunction("double", ("a", "b"), function, period=0.01)
    assert plain.initial_state.shape == (0,)
    assert plain.step(plain.initial_state, [1.0, 2.0])["y"].tolist() == [2.0, 4.0]
    assert "every 0.01 s" in repr(plain)
    with pytest.raises(ArgumentError, match="has no state 'mean'"):
        plain.slot("mean")
    with pytest.raises(ArgumentError, match="2 inputs"):
        plain.step(plain.initial_state, [1.0, 2.0], [3.0, 4.0])


@pytest.mark.parametrize("slots", [(), (StateSlot("all", (0.0, 0.0)),), (StateSlot("all", (math.pi,) * 4),)])
def test_slots_of_another_size_than_the_state_are_refused(slots):
    with pytest.raises(ArgumentError, match=r"3 numbers in 'state', its slots have"):
        SampledFunction("mean", ("a", "b"), mean_and_count().function, slots)


def test_a_state_that_is_not_given_back_is_refused():
    function = trace("forgetful", lambda x, state: {"y": [x[0] + state[0]]}, {"x": (1,), STATE: (1,)})
    with pytest.raises(ArgumentError, match="0 numbers in 'next_state', its slots have 1"):
        SampledFunction("forgetful", ("a",), function, (StateSlot("past", (0.0,)),))
