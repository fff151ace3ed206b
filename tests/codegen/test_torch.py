"""PyTorch: values, derivatives and transformations of native functions; slow, and only where the extra `torch` is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.codegen.programs import every_operation

import torquec as tq
from torquec.errors import ArgumentError
from torquec.expr import trace

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow
MODEL = tq.compile(tq.classics.puma560())
STATES = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 40, 6))
STATE = STATES[:, 0]


@pytest.fixture(scope="module")
def torque():
    return tq.to_torch(MODEL, "inverse_dynamics")


def tensors(arrays, *, grad: bool = False):
    return [torch.tensor(array, requires_grad=grad) for array in arrays]


def test_values_and_batches_are_the_native_ones(torque):
    assert np.array_equal(torque(*STATE), MODEL.inverse_dynamics(*STATE))
    expected = MODEL.inverse_dynamics(*STATES)
    assert np.array_equal(torque(*tensors(STATES)), expected)
    assert np.array_equal(torch.func.vmap(torque)(*tensors(STATES)), expected)
    assert np.array_equal(torque(*tensors(STATES.reshape(3, 8, 5, 6))).reshape(40, 6), expected)


def test_batch_axes_are_broadcast_and_mapped_anywhere(torque):
    q, qd, qdd = tensors(STATES)
    expected = torque(q[0].expand(40, 6), qd, qdd[0].expand(40, 6))
    assert torch.equal(torque(q[0], qd, qdd[0]), expected)
    assert torch.equal(torch.func.vmap(torque, in_dims=(None, 1, None))(q[0], qd.T, qdd[0]), expected)


@pytest.mark.parametrize("jacobian", [torch.func.jacrev, torch.func.jacfwd])
def test_jacobians_are_the_analytic_ones(torque, jacobian):
    found = jacobian(torque, argnums=(0, 1, 2))(*tensors(STATE))
    expected = (*MODEL.inverse_dynamics_derivatives(*STATE), MODEL.mass_matrix(STATE[0]))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_autograd_of_first_and_second_order(torque):
    given = tuple(tensors(STATES[:, :2], grad=True))
    assert torch.autograd.gradcheck(torque, given)
    assert torch.autograd.gradgradcheck(torque, given)


def test_gradients_in_batches_and_hessians(torque):
    def cost(q, qd, qdd):
        return (torque(q, qd, qdd) ** 2).sum()

    each = torch.func.vmap(torch.func.grad(cost))(*tensors(STATES))
    given = tensors(STATES, grad=True)
    cost(*given).backward()
    np.testing.assert_allclose(each, given[0].grad, rtol=1e-12)
    hessian = torch.func.hessian(cost)(*tensors(STATE))
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_it_is_compiled_in_one_graph(torque, backend):
    def cost(q, qd, qdd):
        return (torque(q, qd, qdd) ** 2).sum()

    compiled = torch.compile(cost, fullgraph=True, backend=backend)
    one, other = tensors(STATES, grad=True), tensors(STATES, grad=True)
    compiled(*one).backward()
    cost(*other).backward()
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a.grad, b.grad, rtol=1e-12)


def test_several_outputs_and_no_inputs():
    from torquec.codegen.torch import torch_function

    pose = tq.to_torch(MODEL, f"frame_pose:{MODEL.robot.frames[-1].name}")
    (q,) = tensors(STATES[:1], grad=True)
    rotation, origin = pose(q)
    assert rotation.shape == (40, 3, 3)
    assert origin.shape == (40, 3)
    origin.sum().backward()  # nothing comes back from the other output
    assert torch.isfinite(q.grad).all()
    constant = torch_function(trace("constant", lambda: {"y": [1.0, 2.0]}, {}))
    assert constant().tolist() == [1.0, 2.0]


def test_every_operation_is_differentiated():
    from torquec.codegen.torch import torch_function

    rng = np.random.default_rng(5)
    given = tuple(tensors([rng.uniform(0.3, 0.9, port.shape) for port in every_operation().inputs], grad=True))
    assert torch.autograd.gradcheck(torch_function(every_operation()), given)


def test_wrong_shapes_and_other_devices_are_refused(torque):
    with pytest.raises(ArgumentError, match="'qd' has shape"):
        torque(STATE[0], STATE[1][:5], STATE[2])
    with pytest.raises(ArgumentError, match="move it to the CPU"):
        torque(torch.empty(6, device="meta"), *STATE[1:])
