"""Every estimator on a problem whose answer is known without it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification.estimators.test_estimator import problem

from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.estimators.least_squares import (
    HuberLeastSquares,
    InstrumentalVariables,
    OrdinaryLeastSquares,
    TotalLeastSquares,
    WeightedLeastSquares,
)
from torquec.identification.estimators.prior_estimators import (
    ConsistentLeastSquares,
    EntropicLeastSquares,
    RidgeToPrior,
    robot_prior,
)
from torquec.identification.estimators.pseudo_inertia import WIDTH, from_pseudo_inertia, pseudo_inertia
from torquec.identification.torque.torque_model import torque_model
from torquec.robot import classics


def constant(*joints):
    """One parameter, the same for every joint: its rows are ones, the torques those given (N, n)."""
    tau = np.column_stack(joints).astype(float)
    return np.ones((*tau.shape, 1)), tau


def test_ordinary_is_the_mean_and_its_variance():
    a, tau = constant([1.0, 2.0, 6.0])
    estimator = OrdinaryLeastSquares().fit(a, tau)
    assert estimator.x_ == pytest.approx([3.0])
    assert estimator.covariance_[0, 0] == pytest.approx(7.0 / 3.0)  # sample variance 7, three samples
    assert estimator.score(a, tau) == pytest.approx(np.sqrt(14.0 / 41.0))


def test_weighted_is_the_mean_of_joints_by_how_well_they_are_known():
    rng = np.random.default_rng(0)
    joints = 3.0 + 0.1 * rng.normal(size=500), 3.5 + 2.0 * rng.normal(size=500)
    x = 0.0
    for _ in range(200):  # the definition: weights from residuals, mean by weights
        squares = [np.mean((joint - x) ** 2) for joint in joints]
        x = sum(joint.mean() / s for joint, s in zip(joints, squares, strict=True)) / sum(1.0 / s for s in squares)
    assert WeightedLeastSquares().fit(*constant(*joints)).x_[0] == pytest.approx(x, abs=1e-4)


def test_huber_balances_clipped_residuals():
    values = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 50.0])
    x = HuberLeastSquares().fit(*constant(values)).x_[0]
    residual = values - x
    spread = np.median(np.abs(residual)) / 0.6745
    assert np.clip(residual / spread, -1.345, 1.345).sum() == pytest.approx(0.0, abs=1e-6)
    assert x < 0.5 < values.mean()


def test_total_of_one_column_is_the_ratio_of_norms():
    """Columns of unit norm: the smallest singular vector of [a tau] is (1, -1), whatever the angle between them."""
    a = np.array([1.0, 2.0, 2.0])
    tau = np.array([2.0, 3.0, 6.0])
    assert TotalLeastSquares().fit(a[:, None, None], tau[:, None]).x_[0] == pytest.approx(7.0 / 3.0)


def test_instruments_weigh_the_rows():
    a, tau, z = np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 7.0]), np.array([1.0, 0.0, 2.0])
    found = InstrumentalVariables().fit(a[:, None, None], tau[:, None], z[:, None, None]).x_[0]
    assert found == pytest.approx((2.0 + 14.0) / (1.0 + 6.0))


def test_ridge_is_the_solution_of_its_normal_equations():
    model, a, _, tau = problem(noise=0.3)
    prior = robot_prior(model)
    estimator = RidgeToPrior(prior, strength=5.0, correlation=2.0).fit(a, tau)
    rows = (a * estimator.weights_[:, None]).reshape(-1, model.size) @ prior.projection / np.sqrt(2.0)
    right = (tau * estimator.weights_).ravel() / np.sqrt(2.0)
    pull = 5.0 * prior.root.T @ prior.root
    left = rows.T @ rows + pull + 5e-12 * np.eye(len(pull))
    y = np.linalg.solve(left, rows.T @ right + (left - rows.T @ rows) @ prior.center)
    assert np.allclose(prior.projection @ y, estimator.x_, rtol=1e-6, atol=1e-8)


def _pendulum(size=400):
    """Torques of a pendulum with I = -0.2 and a weight of 3 Nm: no body has that inertia, the nearest has none."""
    robot = classics.planar2r()
    bodies = (robot.bodies[0],)
    one = dataclasses.replace(robot, bodies=bodies, frames=(), drives=type(robot.drives)())
    model = torque_model(one, friction="none", rotors=False)
    rng = np.random.default_rng(0)
    a = model.rigid(*(rng.uniform(-2.0, 2.0, (size, 1)) for _ in range(3)))
    x = np.array([-0.2 if name.startswith("I") else 0.3 for name in model.names])
    return model, a, a @ x + 0.01 * rng.normal(size=(size, 1))


def test_consistent_stops_at_the_border():
    model, a, tau = _pendulum()
    place = next(k for k, name in enumerate(model.names) if name.startswith("I"))
    assert RidgeToPrior(robot_prior(model), strength=1e-6).fit(a, tau).x_[place] == pytest.approx(-0.2, abs=0.01)
    found = ConsistentLeastSquares(robot_prior(model), strength=1e-6).fit(a, tau)
    assert found.physically_consistent_
    # Without the inertia's column, the rest is plain least squares.
    kept = [k for k in range(model.size) if k != place]
    rest = OrdinaryLeastSquares().fit(a[:, :, kept], tau)
    assert 0.0 <= found.x_[place] < 2e-3
    assert np.allclose(found.x_[kept], rest.x_, atol=2e-3)


def test_consistent_is_ridge_where_ridge_is_a_robot():
    model, a, _, tau = problem(noise=0.01)
    two = [kind(robot_prior(model), strength=3.0).fit(a, tau) for kind in (RidgeToPrior, ConsistentLeastSquares)]
    assert two[0].physically_consistent_
    assert np.allclose(two[0].x_, two[1].x_, rtol=1e-9, atol=0.0)


def test_entropic_is_the_lowest_point_of_its_objective():
    model, a, _, tau = problem(noise=0.5)
    prior = robot_prior(model)
    strength = 20.0
    estimator = EntropicLeastSquares(prior, strength=strength).fit(a, tau)
    triangle = joint_factors(a, tau).weighted(estimator.weights_)
    p0 = pseudo_inertia(prior.center[: WIDTH * prior.bodies].reshape(-1, WIDTH))
    bodies = WIDTH * prior.bodies

    def objective(y):
        relative = np.linalg.solve(p0, pseudo_inertia(y[:bodies].reshape(-1, WIDTH)))
        pull = sum(np.trace(r) - np.linalg.slogdet(r)[1] for r in relative)
        return np.sum((triangle @ np.append(prior.projection @ y, -1.0)) ** 2) + strength * pull

    lowest = objective(estimator.y_)
    rng = np.random.default_rng(1)
    roots = np.linalg.cholesky(pseudo_inertia(estimator.y_[:bodies].reshape(-1, WIDTH)))
    for _ in range(50):
        noise = 1e-2 * rng.normal(size=(prior.bodies, 4, 4))
        moved = estimator.y_.copy()
        near = roots @ (np.eye(4) + noise + noise.transpose(0, 2, 1)) @ roots.transpose(0, 2, 1)
        moved[:bodies] = np.concatenate([from_pseudo_inertia(p) for p in near])
        assert objective(moved) > lowest


def test_without_data_to_speak_of_the_prior_stays():
    model, a, _, tau = problem(size=30)
    prior = robot_prior(model)
    for kind in (RidgeToPrior, ConsistentLeastSquares, EntropicLeastSquares):
        y = kind(prior, strength=1e12).fit(a, tau * 2.0).y_[: WIDTH * prior.bodies]
        assert np.allclose(y, prior.center[: WIDTH * prior.bodies], rtol=1e-3, atol=1e-5)
