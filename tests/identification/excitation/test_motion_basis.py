"""Bases: linear, at rest at both ends, closed, and the same as the motions they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.excitation.excitation_options import Criterion
from torquec.identification.excitation.motion_basis import ExcitationProblem, FourierBasis, Multipliers, SplineBasis
from torquec.identification.excitation.motion_limits import motion_limits
from torquec.identification.excitation.regressor_information import RegressorInformation
from torquec.identification.excitation.workspace import Plane
from torquec.identification.torque.friction_law import FrictionModel
from torquec.robot import classics

ARM = classics.puma560()
LIMITS = motion_limits(ARM, acceleration=6.0, rules=(Plane(offset=-0.3),))


def problem(basis, criterion, friction=FrictionModel.NONE):
    return ExcitationProblem(RegressorInformation(ARM, friction), LIMITS, basis, criterion)


@pytest.mark.parametrize("criterion", list(Criterion))
@pytest.mark.parametrize("basis", [FourierBasis(6.0, 3), SplineBasis(6.0, 7)], ids=["fourier", "spline"])
@pytest.mark.parametrize("friction", [FrictionModel.NONE, FrictionModel.OFFSET])
def test_the_gradient_against_differences(criterion, basis, friction):
    made = problem(basis, criterion, friction)
    rng = np.random.default_rng(0)
    x = 0.4 * rng.normal(size=made.shape)
    held = Multipliers(0.1 * rng.uniform(size=made.shares(x).shape), 5.0, 0.9)
    slope = made.lagrangian(x, held, power=8.0).gradient
    for _ in range(6):
        step = rng.normal(size=made.shape)
        high, low = (made.lagrangian(x + sign * 1e-6 * step, held, power=8.0).value for sign in (1.0, -1.0))
        assert (slope * step).sum() == pytest.approx((high - low) / 2e-6, rel=2e-5, abs=1e-4)


def test_what_it_tells_beside_its_value():
    made = problem(FourierBasis(6.0, 3), Criterion.CONDITION)
    x = 0.1 * np.random.default_rng(1).normal(size=made.shape)
    found = made.lagrangian(x, made.free(0.95), power=8.0)
    assert found.criterion == pytest.approx(made.value(x))
    assert found.share == pytest.approx(made.shares(x).max())


def test_without_the_criterion_only_the_limits_count():
    made = problem(FourierBasis(6.0, 3), Criterion.CONDITION)
    still = np.zeros(made.shape)
    free = made.lagrangian(still, Multipliers(made.free(9.0).values, 1.0, 9.0), power=None)
    assert free.value == 0.0
    assert not free.gradient.any()


def test_multipliers_grow_where_limits_are_exceeded():
    held = Multipliers(np.array([[0.0, 1.0, 0.0]]), 10.0, 0.9)
    assert held.updated(np.array([[1.0, 0.8, 0.5]]), 20.0).values == pytest.approx(np.array([[1.0, 0.0, 0.0]]))


BASES = [FourierBasis(4.0, 3), FourierBasis(2.0, 2), SplineBasis(5.0, 6), SplineBasis(3.0, 4)]


@pytest.mark.parametrize("basis", BASES, ids=str)
def test_a_motion_is_its_functions_times_its_coefficients(basis):
    x = np.random.default_rng(0).normal(size=(basis.size, 3))
    t = np.linspace(0.0, basis.duration, 17)
    phi, state = basis.at(t), basis.motion(x).at(t)
    for name in ("q", "qd", "qdd"):
        assert np.allclose(getattr(phi, name) @ x, getattr(state, name), atol=1e-10)


@pytest.mark.parametrize("basis", BASES, ids=str)
def test_it_rests_at_both_ends_which_are_one_place(basis):
    x = np.random.default_rng(1).normal(size=(basis.size, 2))
    motion = basis.motion(x)
    first, last = motion.at(0.0), motion.at(motion.end)
    assert motion.end == basis.duration
    assert np.allclose(first.q, last.q, atol=1e-12)
    for state in (first, last):
        assert np.allclose(state.qd, 0.0, atol=1e-10)
        assert np.allclose(state.qdd, 0.0, atol=1e-9)


@pytest.mark.parametrize("basis", BASES, ids=str)
def test_shifting_moves_the_position_and_nothing_else(basis):
    x = basis.random(np.random.default_rng(2), 2)
    t = np.linspace(0.0, basis.duration, 9)
    before, after = (basis.motion(c).at(t) for c in (x, basis.shifted(x, np.array([1.0, -2.0]))))
    assert np.allclose(after.q - before.q, [1.0, -2.0], atol=1e-12)
    assert np.allclose(after.qd, before.qd, atol=1e-11)


def test_the_functions_of_a_fourier_basis_span_every_series_at_rest():
    basis = FourierBasis(1.0, 4)
    assert basis.size == 1 + 2 * 4 - 2
    t = np.linspace(0.0, 1.0, 50, endpoint=False)
    assert np.linalg.matrix_rank(basis.at(t).q) == basis.size
