"""What is added up over rows: the same whatever blocks they come in."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.errors import ArgumentError
from torquec.identification.estimators.least_squares import InstrumentalVariables, OrdinaryLeastSquares
from torquec.identification.estimators.row_totals import instruments, row_totals
from torquec.identification.logs.log_source import LogInMemory
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.torque_model import torque_model


def noisy_log(deviation, seed=0):
    log = simulated_arm.log()
    noise = np.random.default_rng(seed).normal(scale=deviation, size=log.q.shape)
    return dataclasses.replace(log, q=log.q + noise, qd=None)


@pytest.fixture(scope="module")
def model():
    return torque_model(simulated_arm.arm(), rotors=False)


def test_slow_motion_without_noise_is_its_own_instrument(model):
    samples = prepare(simulated_arm.log(), cutoff=20.0)
    a = model.regressor(samples)[samples.used]
    z = instruments(model, LogInMemory(samples))
    inertial = slice(0, len(model.base))  # friction's columns jump where the speed turns
    assert z.shape == a.shape
    assert np.linalg.norm((z - a)[..., inertial]) < 0.02 * np.linalg.norm(a[..., inertial])


def test_instruments_carry_less_noise_than_the_columns(model):
    clean, noisy = (prepare(noisy_log(deviation), cutoff=20.0) for deviation in (0.0, 3e-3))
    exact = model.regressor(clean)[clean.used]
    inertial = slice(0, len(model.base))
    error = np.linalg.norm((model.regressor(noisy)[noisy.used] - exact)[..., inertial])
    assert np.linalg.norm((instruments(model, LogInMemory(noisy)) - exact)[..., inertial]) < 0.5 * error


def test_they_move_an_estimate_towards_the_truth(model):
    samples = prepare(noisy_log(2e-3), cutoff=10.0)
    a, tau = model.regressor(samples)[samples.used], samples.tau[samples.used]
    truth = model.base.values
    plain = OrdinaryLeastSquares().fit(a, tau).x_[: len(truth)]
    better = InstrumentalVariables().fit(a, tau, instruments(model, LogInMemory(samples))).x_[: len(truth)]
    assert np.linalg.norm(better - truth) < 0.3 * np.linalg.norm(plain - truth)


def test_a_log_in_pieces_is_refused(model):
    class Pieces:
        source, whole = "long.csv", None

    with pytest.raises(ArgumentError, match=r"all rows of a log at once"):
        instruments(model, Pieces())


def rows(count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 2, 3)), rng.normal(size=(count, 2))


def test_blocks_of_any_size_give_what_all_rows_give_at_once():
    a, tau = rows(60)
    whole = row_totals([[(a, tau)]])
    parts = row_totals([[(a[:7], tau[:7]), (a[7:30], tau[7:30])], [(a[30:], tau[30:])]])
    assert np.array_equal(parts.peaks, np.abs(a).max(axis=0))
    assert np.array_equal(parts.torque_peaks, np.abs(tau).max(axis=0))
    assert parts.factors.count == whole.factors.count
    weights = np.array([1.0, 3.0])
    found, expected = (total.factors.weighted(weights) for total in (parts, whole))
    assert np.allclose(found.T @ found, expected.T @ expected, atol=1e-12)


def test_nothing_to_fit_is_refused():
    with pytest.raises(ArgumentError, match="no samples"):
        row_totals([[], []])
