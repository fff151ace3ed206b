"""Closed loops under model errors: Clover's Table II, his equations (30) and (31) as they stand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.clover import beside

import torquec as tq
from torquec.control.poles import joint_poles
from torquec.control.robustness import (
    COMPUTED_TORQUE,
    ErrorFactor,
    Hold,
    ModelErrors,
    closed_loop_eigenvalues,
    make_loop,
)
from torquec.errors import ArgumentError
from torquec.linearization.linearize import linearize
from torquec.papers.clover_comparisons import POINT, farthest, table_ii

ARM = tq.classics.puma560()
MODEL = linearize(ARM, *POINT)


def poles(p):
    return joint_poles(ARM.joint_names, complex(-p, p))


@pytest.mark.parametrize("p", [45.0, 15.0, 4.5])
def test_table_ii(p):
    found = closed_loop_eigenvalues(MODEL, poles(p), errors=COMPUTED_TORQUE)
    beside(
        f"Table II, desired poles -{p} +- {p}j, computed torque", np.sort_complex(found), np.sort_complex(table_ii(p))
    )
    assert farthest(found, table_ii(p)) < 0.01
    ideal = closed_loop_eigenvalues(MODEL, poles(p))
    assert farthest(ideal, poles(p).values) < 1e-6


def test_every_joint_has_its_own_poles():
    own = joint_poles(ARM.joint_names, [-10.0, -12 + 4j, -20 + 3j, (-5.0, -6.0), -30 + 30j, -40.0])
    assert farthest(closed_loop_eigenvalues(MODEL, own), own.values) < 1e-4
    sampled = closed_loop_eigenvalues(MODEL, own, period=0.001, hold=Hold.EULER)
    assert farthest(sampled, own.values) < 1e-3


def quadratic_eigenvalues(linear, constant):
    """Roots of |x^2 + x linear + constant| = 0."""
    n = len(linear)
    return np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-constant, -linear]]))


def test_equation_30():
    errors, p = ModelErrors(alpha=0.7, beta=1.4, gamma=0.8), 15.0
    one, inverse = np.eye(6), np.linalg.inv(MODEL.M)
    expected = quadratic_eigenvalues(
        (1 - errors.beta) * inverse @ MODEL.C + errors.gamma * 2 * p * one,
        (1 - errors.alpha) * inverse @ MODEL.K + errors.gamma * 2 * p * p * one,
    )
    assert farthest(closed_loop_eigenvalues(MODEL, poles(p), errors=errors), expected) < 1e-8


def test_equation_31():
    errors, p, h = ModelErrors(alpha=0.7, beta=1.4, gamma=0.8), 45.0, 0.005
    one, inverse = np.eye(6), np.linalg.inv(MODEL.M)
    z = np.exp(complex(-p, p) * h)
    total, product = 2 * z.real * one, abs(z) ** 2 * one
    left = (1 - errors.beta) * h * inverse @ MODEL.C
    roots = quadratic_eigenvalues(
        -2 * one + errors.gamma * (2 * one - total) + left,
        (1 - errors.gamma) * one
        + errors.gamma * (product - total + one)
        - errors.gamma * (one - total)
        + (1 - errors.alpha) * h**2 * inverse @ MODEL.K
        - left,
    )
    # the constant of (31) is I (1 - gamma) + gamma l1 l2 + ..; the middle lines above are gamma l1 l2
    found = closed_loop_eigenvalues(MODEL, poles(p), errors=errors, period=h, hold=Hold.EULER)
    assert farthest(found, np.log(roots) / h) < 1e-6


def test_fast_sampling_is_continuous():
    errors = ModelErrors(alpha=0.5, beta=0.5, gamma=1.2)
    found = closed_loop_eigenvalues(MODEL, poles(15.0), errors=errors, period=1e-5)
    assert farthest(found, closed_loop_eigenvalues(MODEL, poles(15.0), errors=errors)) < 0.02


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("factor", ErrorFactor)
def test_the_loop_is_affine_in_each_factor(factor, sampled):
    loop = make_loop(MODEL, poles(45.0), period=0.002, sampled=sampled)
    changed = loop.matrix(ModelErrors(**{factor.value: 3.0}))
    assert np.allclose(
        changed, loop.matrix() + 2.0 * loop.slope(factor), rtol=1e-10, atol=1e-14 * np.abs(changed).max()
    )


def test_poles_for_other_joints_are_refused():
    with pytest.raises(ArgumentError, match="1 pairs of poles for 6 joints"):
        make_loop(MODEL, joint_poles(("a",), -1.0))
    with pytest.raises(ArgumentError, match="too fast"):
        make_loop(MODEL, poles(450.0), period=0.01)
