"""Derivatives as native functions: tangents and cotangents against finite differences, each other and CasADi."""

from __future__ import annotations

import numpy as np
import pytest
from tests.codegen.programs import every_operation

import torquec as tq
from torquec.codegen.native_live import LiveCall
from torquec.errors import ArgumentError
from torquec.expr import trace


def arm_call(quantity: str) -> LiveCall:
    return LiveCall(tq.compile(tq.classics.puma560()).function(quantity))


@pytest.fixture
def state():
    return np.random.default_rng(4).uniform(-1.0, 1.0, (3, 6))


def test_tangents_are_the_derivatives_of_the_arm(state):
    model, rng = tq.compile(tq.classics.puma560()), np.random.default_rng(1)
    directions = rng.uniform(-1.0, 1.0, (3, 6))
    by_q, by_qd = model.inverse_dynamics_derivatives(*state)
    expected = by_q @ directions[0] + by_qd @ directions[1] + model.mass_matrix(state[0]) @ directions[2]
    found = arm_call("inverse_dynamics").tangents.native.call(*state, *directions)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "potential_energy", "mass_matrix"])
def test_cotangents_are_the_transpose_of_tangents(state, quantity):
    """w' (J dx) = (J' w)' dx, of the derivatives and of the derivatives of the cotangents."""
    call = arm_call(quantity)
    for each in (call, call.cotangents):
        rng = np.random.default_rng(2)
        x, dx = ([rng.uniform(-1.0, 1.0, port.shape) for port in each.function.inputs] for _ in range(2))
        w = [rng.uniform(-1.0, 1.0, port.shape) for port in each.function.outputs]
        forward, backward = each.tangents.native.call(*x, *dx), each.cotangents.native.call(*x, *w)
        forward = forward if isinstance(forward, tuple) else (forward,)
        backward = backward if isinstance(backward, tuple) else (backward,)
        left = sum(float(np.vdot(a, b)) for a, b in zip(w, forward, strict=True))
        right = sum(float(np.vdot(a, b)) for a, b in zip(backward, dx, strict=True))
        assert left == pytest.approx(right, rel=1e-9, abs=0.0)


def test_every_operation_has_its_derivative():
    call = LiveCall(every_operation())
    rng = np.random.default_rng(3)
    x, dx = ([rng.uniform(0.3, 0.9, port.shape) for port in call.function.inputs] for _ in range(2))
    step = 1e-6
    ahead, behind = (
        call.native.call(*(a + sign * step * b for a, b in zip(x, dx, strict=True))) for sign in (1.0, -1.0)
    )
    for found, a, b in zip(call.tangents.native.call(*x, *dx), ahead, behind, strict=True):
        np.testing.assert_allclose(found, (a - b) / (2.0 * step), rtol=1e-6, atol=1e-7)


def test_a_function_without_inputs_has_empty_derivatives():
    call = LiveCall(trace("constant", lambda: {"y": [1.0, 2.0]}, {}))
    assert call.tangents.native.call().tolist() == [0.0, 0.0]
    assert call.cotangents.function.outputs == ()


def test_shapes_that_do_not_fit_are_named():
    call = arm_call("gravity_torque")
    assert call.lead([(5, 2, 6)]) == [(5, 2)]
    with pytest.raises(ArgumentError, match="'q' has shape"):
        call.lead([(6, 5)])
    with pytest.raises(ArgumentError, match="2 arguments"):
        call.lead([(6,), (6,)])
