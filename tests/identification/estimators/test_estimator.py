"""The contract of all estimators, known answers, and what each is for."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.errors import ArgumentError
from torquec.identification.estimators import least_squares, prior_estimators
from torquec.identification.estimators.estimator import Estimator, Needs, Status
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.estimators.least_squares import (
    HuberLeastSquares,
    InstrumentalVariables,
    OrdinaryLeastSquares,
    TotalLeastSquares,
    WeightedLeastSquares,
)
from torquec.identification.estimators.method import ESTIMATORS, Method
from torquec.identification.estimators.prior_estimators import (
    ConsistentLeastSquares,
    EntropicLeastSquares,
    RidgeToPrior,
    robot_prior,
)
from torquec.identification.estimators.pseudo_inertia import WIDTH, is_consistent
from torquec.identification.torque.friction_law import friction_block
from torquec.identification.torque.torque_model import torque_model
from torquec.robot import classics
from torquec.robot.robot import JointType

DRAWN = (RidgeToPrior, ConsistentLeastSquares, EntropicLeastSquares)


def problem(size=400, noise=0.01, seed=0, robot=None):
    """A robot's regressor at random states, its own parameters, and torques with noise."""
    robot = classics.planar2r() if robot is None else robot
    model = torque_model(robot, rotors=False)
    rng = np.random.default_rng(seed)
    q, qd, qdd = (rng.uniform(-2.0, 2.0, (size, robot.n)) for _ in range(3))
    a = np.concatenate([model.rigid(q, qd, qdd), friction_block(model.shafts, model.friction, qd)], axis=2)
    x = np.concatenate([model.base.values, rng.uniform(0.1, 1.0, model.size - len(model.base))])
    tau = a @ x + noise * rng.normal(size=(size, robot.n))
    return model, a, x, tau


def made(kind, model):
    return kind(robot_prior(model), strength=1e-6) if kind in DRAWN else kind()


@pytest.mark.parametrize("kind", ESTIMATORS.values())
def test_contract(kind):
    model, a, x, tau = problem(noise=0.001)
    estimator = made(kind, model)
    with pytest.raises(ArgumentError, match="fit first"):
        estimator.predict(a)
    assert estimator.fit(a, tau) is estimator
    assert estimator.predict(a).shape == tau.shape
    assert np.isclose(estimator.score(a, tau), np.linalg.norm(tau - a @ estimator.x_) / np.linalg.norm(tau))
    assert np.allclose(estimator.x_, x, atol=0.01)
    assert estimator.covariance_.shape == (len(x), len(x))
    assert estimator.weights_.shape == (2,)
    assert estimator.status_ is Status.SOLVED
    with pytest.raises(ArgumentError):
        made(kind, model).fit(a, tau[:, :1])


@pytest.mark.parametrize("kind", ESTIMATORS.values())
def test_every_estimator_says_what_it_needs_and_is_content_with_it(kind):
    model, a, x, tau = problem(noise=0.001)
    factors = joint_factors(a, tau)
    assert kind.stand_in().needs is not Needs.ROWS  # settings are compared from triangles
    assert np.allclose(made(kind.stand_in(), model).fit_factors(factors).x_, x, atol=0.01)
    if kind.needs is Needs.FACTORS:
        whole = made(kind, model).fit(a, tau).x_
        assert np.allclose(made(kind, model).fit_factors(factors).x_, whole, atol=1e-10 * np.abs(whole).max())
    if kind.needs is Needs.INSTRUMENTS:
        assert np.allclose(made(kind, model).fit(a, tau, a).x_, x, atol=0.01)
    else:
        with pytest.raises(ArgumentError, match="does not use instruments"):
            made(kind, model).fit(a, tau, a)


def test_every_estimator_is_a_method():
    rooms = (least_squares, prior_estimators)
    kinds = {kind for room in rooms for kind in vars(room).values() if isinstance(kind, type)}
    concrete = {kind for kind in kinds if issubclass(kind, Estimator) and not inspect.isabstract(kind)}
    wrapping = {least_squares.DissipativeEstimator, prior_estimators.AveragedEstimator}
    assert concrete == {*ESTIMATORS.values(), *wrapping}
    assert set(ESTIMATORS) == set(Method)


@pytest.mark.parametrize("seed", range(20))
def test_base_parameters_of_random_robots_without_noise(seed):
    robot = random_robot(seed, bodies=1 + seed % 5, mimic=False, types=(JointType.REVOLUTE, JointType.PRISMATIC))
    _, a, x, tau = problem(size=300, noise=0.0, seed=seed, robot=robot)
    estimator = WeightedLeastSquares().fit(a, tau)
    assert np.abs(estimator.x_ - x).max() <= 1e-8 * max(1.0, np.abs(x).max())


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say():
    _, a, x, _ = problem(size=150)
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(1000):
        noisy = a @ x + np.array([0.3, 0.05]) * rng.normal(size=(len(a), 2))
        estimator = WeightedLeastSquares().fit(a, noisy)
        inside.append(np.abs(estimator.x_ - x) <= 1.96 * np.sqrt(np.diag(estimator.covariance_)))
    assert abs(np.mean(inside) - 0.95) <= 0.02


def test_weights_are_one_over_the_deviation():
    _, a, x, _ = problem(size=3000)
    rng = np.random.default_rng(1)
    estimator = WeightedLeastSquares().fit(a, a @ x + np.array([0.5, 0.02]) * rng.normal(size=(3000, 2)))
    assert np.allclose(1.0 / estimator.weights_, [0.5, 0.02], rtol=0.05, atol=0.0)


def test_huber_survives_spikes():
    _, a, x, tau = problem(noise=0.01)
    tau[::20] += 50.0
    robust, plain = HuberLeastSquares().fit(a, tau), OrdinaryLeastSquares().fit(a, tau)
    assert np.abs(robust.x_ - x).max() < 0.05 * np.abs(plain.x_ - x).max()


def test_instruments_remove_the_bias_of_a_noisy_motion():
    rng = np.random.default_rng(2)
    a = rng.normal(size=(20000, 1, 2))
    x = np.array([1.0, -2.0])
    tau = a @ x
    seen, again = (a + 0.5 * rng.normal(size=a.shape) for _ in range(2))
    plain, better = OrdinaryLeastSquares().fit(seen, tau), InstrumentalVariables().fit(seen, tau, again)
    assert np.abs(plain.x_ - x).max() > 0.1
    assert np.abs(better.x_ - x).max() < 0.03
    with pytest.raises(ArgumentError, match="same shape"):
        InstrumentalVariables().fit(seen, tau, again[:5])


def test_total_least_squares_removes_it_for_equal_noise():
    rng = np.random.default_rng(3)
    a = rng.normal(size=(20000, 1, 1))
    seen, tau = a + 0.5 * rng.normal(size=a.shape), a[:, :, 0] + 0.5 * rng.normal(size=(20000, 1))
    assert abs(TotalLeastSquares().fit(seen, tau).x_[0] - 1.0) < 0.03


def test_a_strong_prior_wins_and_a_weak_one_does_not():
    model, a, x, tau = problem(noise=0.0)
    prior = robot_prior(model)
    strong = RidgeToPrior(prior, strength=1e16).fit(a, tau * 3.0)
    assert np.allclose(strong.x_[: len(model.base)], model.base.projection @ prior.center[:20], rtol=1e-4, atol=1e-6)
    assert np.allclose(RidgeToPrior(prior, strength=1e-8).fit(a, tau).x_, x, atol=1e-4)


@pytest.mark.parametrize("kind", [ConsistentLeastSquares, EntropicLeastSquares])
def test_the_result_is_a_body_where_least_squares_is_none(kind):
    model, a, x, _ = problem()
    wrong = x.copy()
    wrong[list(model.names).index("Izz_link2")] = -0.2  # no mass distribution has that
    tau = a @ wrong + 0.05 * np.random.default_rng(0).normal(size=(len(a), 2))
    ridge = RidgeToPrior(robot_prior(model), strength=1e-6).fit(a, tau)
    assert not ridge.physically_consistent_
    estimator = kind(robot_prior(model), strength=1.0).fit(a, tau)
    assert estimator.physically_consistent_
    assert is_consistent(estimator.y_[: 2 * WIDTH].reshape(-1, WIDTH))
    assert estimator.score(a, tau) >= ridge.score(a, tau)


def test_huber_needs_rows():
    with pytest.raises(ArgumentError, match="every row"):
        HuberLeastSquares().fit_factors(joint_factors(np.ones((4, 1, 1)), np.ones((4, 1))))
