"""Preparation: derivatives without phase, jitter, gaps, cut-off from the data."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from tests.identification import real_logs

from torquec.errors import ArgumentError, MissingExtraError
from torquec.identification.extras import need
from torquec.identification.logs.prepare import Derivatives, choose_cutoff, low_pass, prepare
from torquec.trajectory.log import Log

RATE = 500.0
T = np.arange(10_000) / RATE


def motion(frequency):
    return np.column_stack([np.sin(2 * np.pi * frequency * T), 0.5 * np.cos(2 * np.pi * frequency * T)])


@pytest.mark.parametrize("frequency", [0.5, 1.0, 3.0])
def test_it_lies_above_the_motion_and_follows_it(frequency):
    assert frequency < choose_cutoff(motion(frequency), RATE) < 30.0 * frequency


def test_noise_of_an_encoder_does_not_raise_it():
    quiet = choose_cutoff(motion(1.0), RATE)
    noise = 1e-4 * np.random.default_rng(0).normal(size=(len(T), 2))
    assert choose_cutoff(motion(1.0) + noise, RATE) < 2.0 * quiet


def test_it_stays_below_half_the_rate_and_above_zero_whatever_is_given():
    white = np.random.default_rng(1).normal(size=(len(T), 2))
    for values in (white, np.zeros((len(T), 2)), motion(100.0)):
        assert 0.0 < choose_cutoff(values, RATE) < 0.5 * RATE


def test_torques_that_end_lower_lower_it():
    quick = motion(1.0) + 0.05 * motion(4.0)
    assert choose_cutoff(quick, RATE, tau=motion(1.0)) <= choose_cutoff(quick, RATE)


def sine(rate=200.0, seconds=8.0, hertz=0.5, jitter=0.0, recorded=False):
    rng = np.random.default_rng(0)
    t = np.arange(int(rate * seconds)) / rate + jitter * rng.uniform(-0.4, 0.4, int(rate * seconds)) / rate
    w = 2.0 * np.pi * hertz
    q = np.sin(w * t)[:, None]
    return Log(("a",), t, q, 3.0 * q, w * np.cos(w * t)[:, None] if recorded else None), w


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("jitter", [0.0, 1.0])
def test_derivatives_of_a_sine(recorded, jitter):
    log, w = sine(jitter=jitter, recorded=recorded)
    s = prepare(log, cutoff=10.0)
    assert np.allclose(s.qd[s.used, 0], w * np.cos(w * s.t[s.used]), atol=0.01)
    assert np.allclose(s.qdd[s.used, 0], -(w**2) * np.sin(w * s.t[s.used]), atol=0.1)


def test_splines_give_accelerations_where_differences_of_noise_do_not():
    log, w = sine(seconds=6.0)
    noisy = dataclasses.replace(log, q=log.q + 1e-3 * np.random.default_rng(1).normal(size=log.q.shape))
    wrong = []
    for kind in Derivatives:
        s = prepare(noisy, cutoff=20.0, derivatives=kind)
        wrong.append(np.abs(s.qdd[s.used, 0] + w**2 * np.sin(w * s.t[s.used])).max())
    assert wrong[1] < 0.3 * wrong[0]
    clean = prepare(log, cutoff=20.0, derivatives=Derivatives.SPLINES)
    assert np.allclose(clean.qdd[clean.used, 0], -(w**2) * np.sin(w * clean.t[clean.used]), atol=0.05)


def test_rest_is_not_used_on_demand():
    t = np.arange(1600) / 200.0
    q = np.where(t < 4.0, 0.0, 1.0 - np.cos(t - 4.0))[:, None]
    s = prepare(Log(("a",), t, q, q), cutoff=20.0, slowest=0.05)
    assert not s.used[s.t < 3.9].any()
    assert s.used[(s.t > 4.2) & (s.t < 7.0)].all()
    with pytest.raises(ArgumentError, match="slower than 9"):
        prepare(Log(("a",), t, q, q), cutoff=20.0, slowest=9.0)


def test_decimation_keeps_eight_samples_per_period_of_the_cutoff():
    s = prepare(sine()[0], cutoff=5.0)
    assert np.all(np.diff(s.thinned) == 5)  # 200 Hz, 8 * 5 Hz
    assert s.correlation(len(s.thinned)) == pytest.approx(4.0, rel=0.02)
    assert s.used[s.thinned].all()


def test_half_a_second_at_each_end_is_not_used():
    s = prepare(sine()[0], cutoff=10.0)
    assert s.t[s.used][0] == pytest.approx(0.5, abs=0.01)
    assert s.t[s.used][-1] == pytest.approx(s.t[-1] - 0.5, abs=0.01)


def test_gaps_are_not_used_and_bad_rows_left_out():
    log, _ = sine()
    keep = np.r_[0:600, 800:1600]
    q = log.q[keep].copy()
    q[100] = np.nan
    s = prepare(Log(("a",), log.t[keep], q, log.tau[keep]), cutoff=10.0)
    assert not s.used[(s.t > 3.1) & (s.t < 3.9)].any()
    assert np.isfinite(s.q).all()


@pytest.mark.parametrize("pause", [10.0, 100.0, 1e4])
def test_a_pause_leaves_the_rate_and_both_parts_as_they_are(pause):
    log, w = sine()
    t = log.t.copy()
    t[800:] += pause
    s = prepare(Log(("a",), t, log.q, log.tau), cutoff=5.0)
    assert s.rate == pytest.approx(200.0)
    assert len(s) == len(log)
    assert s.starts == (0, 800)
    away = np.abs(log.t - log.t[800])
    assert not s.used[away < 0.59].any()
    assert s.used[(log.t > 0.51) & (log.t < log.t[-1] - 0.51) & (away > 0.61)].all()
    assert np.allclose(s.qd[s.used, 0], w * np.cos(w * log.t[s.used]), atol=0.01)
    assert np.allclose(s.qdd[s.used, 0], -(w**2) * np.sin(w * log.t[s.used]), atol=0.1)


def test_parts_are_filtered_as_if_they_were_logs_of_their_own():
    log, _ = sine()
    q = np.where(np.arange(1600) < 800, log.q[:, 0], 50.0 + log.q[:, 0])[:, None]
    t = np.where(np.arange(1600) < 800, log.t, log.t + 10.0)
    s = prepare(Log(("a",), t, q, log.tau), cutoff=5.0)
    alone = prepare(Log(("a",), t[800:], q[800:], log.tau[800:]), cutoff=5.0)
    assert np.allclose(s.q[800:], alone.q, atol=1e-9)
    assert np.allclose(s.low_passed(s.q)[800:], alone.low_passed(alone.q), atol=1e-9)


def test_parts_too_short_to_filter_are_left_out():
    log, _ = sine()
    t = np.where(np.arange(1600) < 1590, log.t, log.t + 10.0)
    assert len(prepare(Log(("a",), t, log.q, log.tau), cutoff=5.0)) == 1590
    torn = np.arange(1600) * 0.005 + np.arange(1600) // 8
    with pytest.raises(ArgumentError, match="without a gap"):
        prepare(Log(("a",), torn, log.q, log.tau), cutoff=5.0)


def test_a_robot_at_rest_has_a_cutoff():
    still = np.ones((400, 1))
    assert prepare(Log(("a",), np.arange(400) / 100.0, still, still)).cutoff == 2.0


def test_the_filter_halves_power_twice_at_its_cutoff():
    t = np.arange(4000) / 1000.0
    values = np.sin(2.0 * np.pi * 10.0 * t)[:, None]
    assert np.abs(low_pass(values, 1000.0, 10.0)[1000:3000]).max() == pytest.approx(0.5, abs=0.01)


def test_the_cutoff_follows_the_motion():
    slow, fast = (prepare(sine(hertz=hertz)[0]).cutoff for hertz in (0.5, 2.0))
    assert 0.5 < slow < fast < 40.0


@pytest.mark.parametrize(
    ("case", "least", "most"), [("panda", 4.0, 12.0), ("lwr4", 2.0, 9.0), ("kr300", 5.0, 25.0), ("tx40", 15.0, 60.0)]
)
def test_the_cutoff_of_recorded_logs_hardly_depends_on_how_they_are_cut(case, least, most):
    _, logs = getattr(real_logs, case)()
    for log in logs:
        for start, stop in itertools.pairwise((0, len(log) // 2, len(log))):
            rows = slice(start, stop)
            qd = None if log.qd is None else log.qd[rows]
            half = Log(log.joints, log.t[rows], log.q[rows], log.tau[rows], qd)
            assert least <= prepare(half).cutoff <= most
        assert least <= prepare(log).cutoff <= most


@pytest.mark.parametrize("step", [1e-6, 1e-4, 2e-3])
def test_quantisation_does_not_raise_the_cutoff(step):
    """At 1 kHz, differences of positions in steps of 2 mrad are 2 rad/s: a thousand times the power of the motion."""
    log, _ = sine(rate=1000.0)
    coarse = Log(("a",), log.t, np.round(log.q / step) * step, log.tau)
    assert prepare(coarse).cutoff <= 2.0 * prepare(log).cutoff


def test_torques_that_were_filtered_before_lower_the_cutoff():
    log, _ = sine(hertz=1.0)
    noise = 0.01 * np.random.default_rng(0).normal(size=log.tau.shape)
    plain, filtered = Log(("a",), log.t, log.q, log.tau + noise), low_pass(log.tau + noise, 200.0, 3.0)
    assert prepare(Log(("a",), log.t, log.q, filtered)).cutoff < prepare(plain).cutoff


def test_misuse():
    with pytest.raises(ArgumentError, match="cut-off"):
        prepare(sine()[0], cutoff=500.0)
    with pytest.raises(ArgumentError, match="nothing is left"):
        prepare(sine(seconds=0.9)[0], cutoff=10.0)


def test_a_missing_package_names_its_extra():
    with pytest.raises(MissingExtraError, match=r"torquec\[identify\]"):
        need("no_such_package_anywhere", "filtering a log")
