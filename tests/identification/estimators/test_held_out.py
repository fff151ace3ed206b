"""Held-out residuals: every sample predicted by a fit without it; errors to expect and bounds that cover."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import real_logs, simulated_arm

import torquec as tq
from torquec.identification.estimators import held_out as held_out_module
from torquec.identification.estimators.cross_validation import LogFolds
from torquec.identification.estimators.held_out import HeldOut, expectation, few_blocks_factor, held_out
from torquec.identification.estimators.least_squares import OrdinaryLeastSquares
from torquec.identification.logs.log_source import LogInMemory, decimated_blocks
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.friction_law import CoulombShape, FrictionLaw, Turnover
from torquec.identification.torque.torque_model import torque_model


def made(residual, *, speed=None, blocks=20, tau=None, rubbing=None):
    """Held-out residuals (M,) of one joint."""
    size = len(residual)
    column = np.asarray(residual, dtype=float)[:, None]
    speeds = np.linspace(0.1, 2.0, size)[:, None] if speed is None else np.asarray(speed)[:, None]
    torque = np.sin(np.arange(size))[:, None] if tau is None else tau[:, None]
    block = np.arange(size) * blocks // size
    interval = np.stack([column.min(axis=0), column.max(axis=0)])
    rubs, age = (np.sign(speeds) if rubbing is None else rubbing[:, None]), np.linspace(-0.5, 0.5, size)
    return HeldOut(("j",), 0.0 * speeds, speeds, 0.0 * speeds, torque, column, column, block, interval, 0.5, rubs, age)


def test_every_sample_is_predicted_by_a_fit_without_its_part(monkeypatch):
    """A constant torque that changes from quarter to quarter: each quarter is predicted by the mean of the others."""
    arm = simulated_arm.arm()
    model = torque_model(arm, rotors=False, friction="offset")
    samples = prepare(simulated_arm.log(), cutoff=10.0)
    folds = LogFolds([LogInMemory(samples)])
    made_folds = folds.folds([model], 4)[0]
    fits = [OrdinaryLeastSquares().fit_factors(kept).x_ for kept, _ in made_folds.pairs()]
    whole = OrdinaryLeastSquares().fit_factors(made_folds.whole).x_
    found = held_out(folds, model, OrdinaryLeastSquares, whole)
    (_, kept), *_ = decimated_blocks(folds.logs[0])
    a = model.regressor(samples)[kept]
    quarter = np.minimum(np.arange(len(kept)) * 4 // len(kept), 3)
    expected = samples.tau[kept] - np.array([rows @ fits[k] for rows, k in zip(a, quarter, strict=True)])
    # Borders between quarters are rounded: a sample on one of them may belong to either.
    away = np.abs(np.arange(len(kept)) * 4 / len(kept) % 1.0 - 0.5) < 0.45
    assert found.residual[away] == pytest.approx(expected[away], abs=1e-10)
    assert found.fitted == pytest.approx(samples.tau[kept] - a @ whole, abs=1e-10)
    assert sorted(set(found.block.tolist())) == list(range(found.block.max() + 1))
    monkeypatch.setattr(held_out_module, "MOST_SAMPLES", len(kept) // 3)
    thinned = held_out(folds, model, OrdinaryLeastSquares, whole)
    assert thinned.fitted == pytest.approx(found.fitted[::4])
    assert (thinned.block == found.block[::4]).all()
    assert thinned.interval == pytest.approx(np.stack([found.fitted.min(axis=0), found.fitted.max(axis=0)]))


def test_bounds_of_friction_with_memory_hold_without_its_state_too():
    """The larger of both residuals counts: a stateless one that is twice as large doubles every bound."""
    held = made(np.sin(np.arange(400.0)))
    both = dataclasses.replace(held, stateless=2.0 * held.residual)
    (bound,), (alone,) = (one.bounds(np.zeros(1), np.zeros(1), runs=2) for one in (both, held))
    assert bound.bounds == pytest.approx([2.0 * value for value in alone.bounds])
    arm, log = simulated_arm.arm(), simulated_arm.log()
    model = torque_model(arm, rotors=False, friction=FrictionLaw(shape=CoulombShape(Turnover.DISTANCE, 0.3)))
    folds = LogFolds([LogInMemory(prepare(log, cutoff=10.0))])
    x = OrdinaryLeastSquares().fit_factors(folds.folds([model], 1)[0].whole).x_
    found = held_out(folds, model, OrdinaryLeastSquares, x)
    assert found.stateless is not None
    assert np.abs(found.stateless - found.residual).max() > 0.1  # up to twice the dry friction, at reversals
    assert held_out(folds, model.with_friction(FrictionLaw()), OrdinaryLeastSquares, x).stateless is None


def test_what_is_expected_lies_between_short_parts_and_quarters():
    far, near = made(np.full(400, 0.2)), made(np.full(400, 0.05))
    found = expectation(far, near)
    assert found.rms[0] == pytest.approx(1.1 * 0.1)
    assert far.error > found.error > near.error
    motions = expectation(far, None)
    assert motions.rms[0] == pytest.approx(0.2)
    assert motions.relative[0] == pytest.approx(0.2 / np.std(np.sin(np.arange(400))))


def test_bounds_hold_the_largest_block_and_grow_with_the_residual_at_a_speed():
    speed = np.tile([0.2, 1.0], 300)
    usual = np.where(speed < 0.5, 1.0, 3.0)
    sign = np.where(np.arange(600) % 3, 1.0, -1.0)
    (bound,) = made(sign * usual, speed=speed).bounds(np.array([0.05]), np.array([0.7]), runs=2)
    assert bound.speeds == (0.0, 0.05, 1.0)
    assert bound.bounds == pytest.approx((1.0 + 2.0 * 0.7, 1.0, 3.0))
    assert bound.all == (-3.0, 3.0)
    worse = sign * usual
    worse[30:60] *= 5.0  # one of twenty blocks
    held = made(worse, speed=speed)
    (wide,) = dataclasses.replace(held, fitted=(sign * usual)[:, None]).bounds(
        np.array([0.05]), np.array([0.7]), runs=2
    )
    assert wide.at(0.2) == pytest.approx(5.0)
    assert wide.at(1.0) == pytest.approx(15.0)


def test_few_blocks_make_wide_bounds():
    residual = np.ones(400)
    sure, unsure = (made(residual, blocks=n).bounds(np.zeros(1), np.zeros(1), runs=2)[0] for n in (20, 4))
    assert sure.is_sure
    assert not unsure.is_sure
    assert unsure.largest == pytest.approx(few_blocks_factor(4) * sure.largest)
    (one_run,) = made(residual).bounds(np.zeros(1), np.zeros(1), runs=1)
    assert one_run.largest == pytest.approx(2.0 * sure.largest)


def test_a_new_block_stays_inside_as_often_as_promised():
    """Blocks of random size: the share of new blocks inside is n/(n + 1), up to chance."""
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(400):
        sizes = np.repeat(rng.lognormal(0.0, 0.7, 21), 40)
        residual = sizes * rng.normal(size=840)
        (bound,) = made(residual[:800], speed=np.ones(800)).bounds(np.zeros(1), np.zeros(1), runs=2)
        inside.append(np.mean(np.abs(residual[800:]) <= bound.largest) >= 0.99)
    assert 0.93 <= np.mean(inside) <= 0.98  # 20/21 is 0.952


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "split"),
    [
        ("panda", lambda logs: (real_logs.part(logs[0], 0, 0.5), real_logs.part(logs[0], 0.5, 1))),
        ("lwr4", lambda logs: (logs[0], logs[1])),
        ("kr300", lambda logs: tuple(real_logs.part(log, 0.18, 0.82) for log in logs)),
        ("tx40", lambda logs: (real_logs.part(logs[0], 0, 0.5), real_logs.part(logs[0], 0.5, 1))),
    ],
)
def test_bounds_hold_on_the_other_part_of_recorded_logs(case, split):
    """99 % were promised; the KR300 on its moving part."""
    robot, logs = getattr(real_logs, case)()
    options = tq.IdentifyOptions(
        transmission=real_logs.TX40.transmission if case == "tx40" else None,
        columns=(real_logs.COUNTERBALANCE,) if case == "kr300" else (),
    )
    fitted, judged = split(logs)
    estimate = tq.identify(robot, fitted, options=options)
    samples = prepare(judged, cutoff=estimate.cutoff)
    wrong = np.abs(samples.tau - estimate.model.regressor(samples) @ estimate.x)[samples.used]
    speeds = np.abs(samples.qd[samples.used])
    limits = np.array([[b.at(v) for b, v in zip(estimate.residual, row, strict=True)] for row in speeds])
    assert np.mean(wrong <= limits) >= 0.98


@pytest.mark.parametrize(("change", "noise", "found"), [(-0.1, 0.01, True), (-0.1, 5.0, False), (0.1, 0.01, False)])
def test_friction_that_falls_within_a_log_is_expected_to_fall_further(change, noise, found):
    """Twice as far as in the log: to 0.2 of the friction; noise and friction that grows are no warm-up."""
    rng = np.random.default_rng(0)
    friction = np.sign(np.sin(np.arange(2000) / 20.0))
    residual = change * friction * np.linspace(-0.5, 0.5, 2000) + noise * rng.normal(size=2000)
    held = made(residual, tau=friction, rubbing=friction)
    assert (held.warming != 0.0) == found
    expected = expectation(held, held)
    if found:
        assert held.warming == pytest.approx(change, rel=0.05)
        assert expected.error == pytest.approx(np.hypot(1.1 * held.error, 0.2), rel=0.02)
    else:
        assert expected.error == pytest.approx(1.1 * held.error)
