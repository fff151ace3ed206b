"""Laws of coherence: whatever the kind, the quantities of a model belong to one another, at 10^4 states."""

from __future__ import annotations

import numpy as np
import pytest
from tests.model.kinds import ROBOTS, model_of, motions_of

from torquec.expr.replay import replay
from torquec.model.model import Model
from torquec.model.model_parameters import ModelKind

STATES = 10_000
SLOW = ("panda",)
CASES = [
    pytest.param((name, kind), marks=pytest.mark.slow if name in SLOW else ()) for name in ROBOTS for kind in ModelKind
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}", scope="module")
def model(request) -> Model:
    return model_of(*request.param)


@pytest.fixture(scope="module")
def state(model):
    rng = np.random.default_rng(3)
    box = motions_of(model.robot)
    q = rng.uniform(box.lower, box.upper, (STATES, model.robot.n))
    return q, *(rng.uniform(-1.0, 1.0, q.shape) * side for side in (box.velocity, box.acceleration))


def close(found, expected, tolerance=1e-12):
    scale = max(np.abs(expected).max(), 1.0)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * scale)


def test_inverse_dynamics_at_rest_is_gravity(model, state):
    q = state[0]
    still = np.zeros_like(q)
    close(model.gravity_torque(q), model.inverse_dynamics(q, still, still))


def test_inverse_dynamics_is_the_sum_of_its_parts(model, state):
    q, qd, qdd = state
    M, C = model.mass_matrix(q), model.coriolis_matrix(q, qd)
    close(np.einsum("nij,nj->ni", C, qd), model.velocity_torque(q, qd))
    parts = np.einsum("nij,nj->ni", M, qdd) + model.velocity_torque(q, qd) + model.gravity_torque(q)
    close(parts, model.inverse_dynamics(q, qd, qdd))
    close(model.kinetic_energy(q, qd), 0.5 * np.einsum("ni,nij,nj->n", qd, M, qd))


def test_forward_dynamics_inverts_inverse_dynamics(model, state):
    q, qd, qdd = state
    assert not model.refusal("forward_dynamics")
    close(model.forward_dynamics(q, qd, model.inverse_dynamics(q, qd, qdd)), qdd, 1e-9)


def test_total_torque_is_inverse_dynamics_friction_and_springs(model, state):
    q, qd, qdd = state
    whole = model.inverse_dynamics(q, qd, qdd) + model.friction_torque(qd) + model.spring_torque(q)
    close(model.total_torque(q, qd, qdd), whole)


def test_derivatives_are_those_of_a_complex_step(model, state):
    q, qd, qdd = (part[:200] for part in state)
    by_q, by_qd = model.inverse_dynamics_derivatives(q, qd, qdd)
    program, step = model.function("inverse_dynamics"), 1e-30
    for k in range(model.robot.n):
        for found, which in ((by_q, 0), (by_qd, 1)):
            moved = [part.T.astype(complex) for part in (q, qd, qdd)]
            moved[which][k] += 1j * step
            tau = np.broadcast_arrays(
                *replay(program, dict(zip(("q", "qd", "qdd"), moved, strict=True)))["tau"], moved[0][0]
            )[:-1]
            close(found[:, :, k], np.imag(np.array(tau)).T / step, 1e-11)


def test_derivatives_of_forward_dynamics_invert_those_of_inverse_dynamics(model, state):
    q, qd, qdd = state
    tau = model.inverse_dynamics(q, qd, qdd)
    by_q, by_qd = model.inverse_dynamics_derivatives(q, qd, qdd)
    M = model.mass_matrix(q)
    back_q, back_qd, back_tau = model.forward_dynamics_derivatives(q, qd, tau)
    close(M @ back_tau, np.broadcast_to(np.eye(model.robot.n), M.shape), 1e-9)
    close(M @ back_q, -by_q, 1e-9)
    close(M @ back_qd, -by_qd, 1e-9)


def test_a_push_adds_what_the_jacobian_says(model, state):
    q, qd, qdd = (part[:500] for part in state)
    frame = model.robot.frames[-1].name
    wrench = np.random.default_rng(5).uniform(-1.0, 1.0, (len(q), 6))
    rotation, _ = model.frame_pose(frame)(q)
    turned = np.einsum("nij,nkj->nki", rotation, wrench.reshape(-1, 2, 3)).reshape(-1, 6)
    expected = model.inverse_dynamics(q, qd, qdd) - np.einsum("nki,nk->ni", model.jacobian(frame)(q), turned)
    close(model.pushed_inverse_dynamics(frame)(q, qd, qdd, wrench), expected)
