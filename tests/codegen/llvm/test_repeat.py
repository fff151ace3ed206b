"""The native loop: sampled systems against the same recursion in Python; how it ends; what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.codegen.llvm import compile_function
from torquec.codegen.llvm.repeat import LoopEnd, NativeLoop
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.expr.math import maximum


def system(*, gain: float = 0.5, most: int = 3, until: int | None = None) -> NativeLoop:
    """x, v: outer adds a drive to v and logs x; inner x += gain v."""

    def outer(state, push):
        return {"next": [state[0], state[1] + push[0]], "log": [state[0] + state[1], push[0], 7.0]}

    def inner(state):
        return {"next": [state[0] + gain * state[1], state[1]]}

    return NativeLoop(
        compile_function(trace("outer", outer, {"state": (2,), "push": (1,)})),
        compile_function(trace("inner", inner, {"state": (2,)})),
        most=most,
        until=until,
    )


@pytest.mark.parametrize("runs", [1, 2, 8, 11])
def test_the_loop_does_what_the_recursion_says(runs):
    rng = np.random.default_rng(1)
    states, log = np.zeros((21, runs, 2)), np.empty((20, runs, 3))
    states[0] = rng.normal(size=(runs, 2))
    push = rng.normal(size=(20, runs, 1))
    result = system().run(states, [push], log)
    assert result.steps == 20
    assert result.end is LoopEnd.DONE
    x, v = states[0].T.copy()
    for k in range(20):
        assert np.allclose(log[k], np.stack([x + v, push[k, :, 0], np.full(runs, 7.0)], axis=1), rtol=1e-13, atol=1e-13)
        v = v + push[k, :, 0]
        x = x + 1.5 * v
        assert np.allclose(states[k + 1], np.stack([x, v], axis=1), rtol=1e-13, atol=1e-13)


def test_a_constant_drive_may_have_stride_zero():
    states, log = np.zeros((5, 1, 2)), np.empty((4, 1, 3))
    push = np.broadcast_to(np.ones((1, 1, 1)), (4, 1, 1))
    assert system(most=1, gain=1.0).run(states, [push], log).steps == 4
    assert states[:, 0, 1].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_what_is_not_finite_stops_the_loop():
    states, log = np.ones((2001, 3, 2)), np.empty((2000, 3, 3))
    push = np.zeros((2000, 3, 1))
    push[1000, 1] = np.inf
    result = system().run(states, [push], log)
    assert result.end is LoopEnd.NOT_FINITE
    assert result.steps == 1001
    assert np.isfinite(states[:1001]).all()
    assert np.isfinite(states[1001]).all(axis=1).tolist() == [True, False, True]


def counter(most: int) -> NativeLoop:
    """outer sets how much is left; inner takes one off and counts."""

    def outer(state, left):
        return {"next": [left[0], state[1]], "log": [state[1]]}

    def inner(state):
        return {"next": [maximum(state[0] - 1.0, 0.0), state[1] + maximum(0.0, 1.0 - maximum(0.0, 1.0 - state[0]))]}

    return NativeLoop(
        compile_function(trace("outer", outer, {"state": (2,), "left": (1,)})),
        compile_function(trace("inner", inner, {"state": (2,)})),
        most=most,
        until=0,
    )


@pytest.mark.parametrize("runs", [1, 9])
def test_repetitions_go_on_until_every_run_has_finished(runs):
    states, log = np.zeros((3, runs, 2)), np.empty((2, runs, 1))
    left = np.broadcast_to(1.0 + np.arange(float(runs))[:, None], (2, runs, 1)).copy()
    assert counter(50).run(states, [left], log).end is LoopEnd.DONE
    assert states[2, :, 1].tolist() == [2.0 * (1.0 + k) for k in range(runs)]


def test_repetitions_that_do_not_end_are_reported():
    states, log = np.zeros((3, 1, 2)), np.empty((2, 1, 1))
    left = np.array([3.0, 30.0]).reshape(2, 1, 1)
    result = counter(10).run(states, [left], log)
    assert (result.end, result.steps) == (LoopEnd.UNFINISHED, 1)


def test_no_steps_is_no_work():
    states, log = np.zeros((1, 2, 2)), np.empty((0, 2, 3))
    assert system().run(states, [np.empty((0, 2, 1))], log).steps == 0


@pytest.mark.parametrize(
    ("states", "push", "log"),
    [((5, 1, 3), (4, 1, 1), (4, 1, 3)), ((5, 1, 2), (3, 1, 1), (4, 1, 3)), ((5, 1, 2), (4, 1, 1), (4, 2, 3))],
)
def test_other_shapes_are_refused(states, push, log):
    with pytest.raises(ArgumentError, match="has shape"):
        system().run(np.zeros(states), [np.zeros(push)], np.zeros(log))


def test_functions_that_do_not_fit_are_refused():
    good = system()
    with pytest.raises(ArgumentError, match="make no loop"):
        NativeLoop(good.inner, good.outer)
    with pytest.raises(ArgumentError, match="repetitions"):
        NativeLoop(good.outer, good.inner, most=0)
    with pytest.raises(ArgumentError, match="drives were given"):
        good.run(np.zeros((2, 1, 2)), [], np.zeros((1, 1, 3)))
