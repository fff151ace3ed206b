"""JAX: values, derivatives and transformations of native functions; slow, and only where the extra `jax` is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.codegen.programs import every_operation

import torquec as tq
from torquec.errors import ArgumentError
from torquec.expr import trace

jax = pytest.importorskip("jax")
pytestmark = pytest.mark.slow
MODEL = tq.compile(tq.classics.puma560())
STATES = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 40, 6))
STATE = STATES[:, 0]


@pytest.fixture(autouse=True)
def _doubles():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", True)


@pytest.fixture(scope="module")
def torque():
    return tq.to_jax(MODEL, "inverse_dynamics")


def test_values_and_batches_are_the_native_ones(torque):
    assert np.array_equal(torque(*STATE), MODEL.inverse_dynamics(*STATE))
    for call in (torque, jax.jit(torque), jax.vmap(torque), jax.jit(jax.vmap(torque))):
        assert np.array_equal(call(*STATES), MODEL.inverse_dynamics(*STATES))
    two = torque(*STATES.reshape(3, 8, 5, 6))
    assert np.array_equal(two.reshape(40, 6), MODEL.inverse_dynamics(*STATES))


def test_batch_axes_are_broadcast_and_mapped_anywhere(torque):
    q, qd, qdd = STATES
    expected = MODEL.inverse_dynamics(np.tile(q[0], (40, 1)), qd, np.tile(qdd[0], (40, 1)))
    assert np.array_equal(torque(q[0], qd, qdd[0]), expected)
    assert np.array_equal(jax.vmap(torque, in_axes=(None, 1, None))(q[0], qd.T, qdd[0]), expected)


@pytest.mark.parametrize("jacobian", [jax.jacrev, jax.jacfwd])
def test_jacobians_are_the_analytic_ones(torque, jacobian):
    found = jax.jit(jacobian(torque, argnums=(0, 1, 2)))(*STATE)
    expected = (*MODEL.inverse_dynamics_derivatives(*STATE), MODEL.mass_matrix(STATE[0]))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_gradients_in_batches_and_second_derivatives(torque):
    def cost(q, qd, qdd):
        return (torque(q, qd, qdd) ** 2).sum()

    each = jax.jit(jax.vmap(jax.grad(cost)))(*STATES)
    whole = jax.grad(cost)(*STATES)
    np.testing.assert_allclose(each, whole, rtol=1e-12)
    hessian = jax.hessian(cost)(*STATE)
    np.testing.assert_allclose(hessian, jax.jacrev(jax.jacrev(cost))(*STATE), rtol=1e-9, atol=1e-9)
    steps = 1e-6 * np.eye(6)
    ahead, behind = (jax.vmap(jax.grad(cost), (0, None, None))(STATE[0] + s * steps, *STATE[1:]) for s in (1, -1))
    np.testing.assert_allclose(hessian, (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-5)


def test_gradients_agree_with_casadi(torque):
    casadi = pytest.importorskip("casadi")
    from torquec.codegen.casadi import casadi_function

    made = casadi_function(MODEL.function("inverse_dynamics"))
    names = ("q", "qd", "qdd")
    symbols = [casadi.MX.sym(name, 6) for name in names]
    by_q = casadi.Function("J", symbols, [casadi.jacobian(made(*symbols), symbols[0])])
    np.testing.assert_allclose(jax.jacrev(torque)(*STATE), np.asarray(by_q(*STATE)), rtol=1e-9, atol=1e-9)


def test_several_outputs_and_no_inputs():
    pose = tq.to_jax(MODEL, f"frame_pose:{MODEL.robot.frames[-1].name}")
    rotation, origin = jax.jit(jax.vmap(pose))(STATES[0])
    assert rotation.shape == (40, 3, 3)
    assert origin.shape == (40, 3)
    from torquec.codegen.jax import jax_function

    constant = jax_function(trace("constant", lambda: {"y": [1.0, 2.0]}, {}))
    assert jax.jit(constant)().tolist() == [1.0, 2.0]


def test_every_operation_is_differentiated():
    from jax.test_util import check_grads

    from torquec.codegen.jax import jax_function

    call = jax_function(every_operation())
    inputs = [np.random.default_rng(k).uniform(0.3, 0.9, port.shape) for k, port in enumerate(every_operation().inputs)]
    check_grads(call, tuple(inputs), order=2, rtol=1e-4, atol=1e-4)


def test_32_bits_and_wrong_shapes_are_refused(torque):
    with pytest.raises(ArgumentError, match="'qd' has shape"):
        torque(STATE[0], STATE[1][:5], STATE[2])
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(ArgumentError, match="32 bits"):
        torque(*STATE)
