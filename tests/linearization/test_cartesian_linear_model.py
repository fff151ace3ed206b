"""Linear models of the tool: a planar arm, the change of coordinates by finite differences, singular Jacobians."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.dynamics import jacobian
from torquec.errors import ArgumentError, RobotError
from torquec.linearization.cartesian_linear_model import FrameDirection, cartesian_linear_model
from torquec.linearization.linearize import linearize

ARM = tq.classics.puma560()
FRAME = "link6"


def test_at_rest_it_is_a_change_of_basis():
    rng = np.random.default_rng(0)
    q = rng.normal(size=6)
    model = linearize(ARM, q, np.zeros(6), np.zeros(6))
    seen = cartesian_linear_model(ARM, model, FRAME)
    J = np.array(jacobian(ARM, FRAME, list(q)), dtype=float)
    for name in ("M", "C", "K"):
        assert np.allclose(J.T @ getattr(seen, name) @ J, getattr(model, name), atol=1e-9)
    assert np.allclose(np.sort_complex(np.linalg.eigvals(seen.A)), np.sort_complex(model.eigenvalues), atol=1e-6)


def test_in_motion_the_state_changes_as_coordinates_do():
    # x = (J dq, d/dt J dq) = T (dq, dqd), so A_x = (T A + dT/dt) T^-1; J and its rates by differences
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 6))
    model = linearize(ARM, q, qd, qdd)
    seen = cartesian_linear_model(ARM, model, FRAME)

    def J(t):
        return np.array(jacobian(ARM, FRAME, list(q + qd * t + qdd * t * t / 2)), dtype=float)

    h = 1e-4
    J0, Jd, Jdd = J(0.0), (J(h) - J(-h)) / (2 * h), (J(h) - 2 * J(0.0) + J(-h)) / h**2
    zero = np.zeros((6, 6))
    T, Td = np.block([[J0, zero], [Jd, J0]]), np.block([[Jd, zero], [Jdd, Jd]])
    expected = (T @ model.A + Td) @ np.linalg.inv(T)
    assert np.abs(seen.A - expected).max() < 1e-5 * np.abs(expected).max()
    # a torque deviation is a force deviation that does the same work
    assert np.allclose(T @ model.B, seen.B @ np.linalg.inv(J0.T), atol=1e-9)


def test_a_planar_arm_in_its_plane():
    arm = tq.classics.planar2r()
    model = linearize(arm, [0.3, 0.9], [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(ArgumentError, match="6 directions for 2 joints"):
        cartesian_linear_model(arm, model, "tool")
    seen = cartesian_linear_model(arm, model, "tool", directions=(FrameDirection.X, FrameDirection.Y))
    J = np.array(jacobian(arm, "tool", [0.3, 0.9]), dtype=float)[:2]
    assert np.allclose(J.T @ seen.M @ J, model.M)


def test_a_singular_jacobian_says_where_and_which_joint():
    model = linearize(ARM, np.zeros(6), np.zeros(6), np.zeros(6))
    with pytest.raises(RobotError, match=r"singular at q = \(0, 0, 0, 0, 0, 0\).*mostly joint 'joint[46]'") as caught:
        cartesian_linear_model(ARM, model, FRAME)
    assert "stay away" in caught.value.remedy
