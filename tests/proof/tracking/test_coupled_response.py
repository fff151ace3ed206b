"""Gains of coupled loops: loops run sample by sample stay below them, and aligned disturbances come close."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.proof.tracking.coupled_loop import CoupledErrorLoop
from torquec.proof.tracking.coupled_response import Epochs, coupled_response
from torquec.proof.tracking.error_inputs import ErrorInputs
from torquec.proof.tracking.viscous_damping import ViscousDamping, speed_error, step_error

T, SLOT, COUNT = 1e-3, 5, 400


def motion_over(D, r):
    """e, ed after a time r without torque, and after a unit acceleration: exact for edd = -D ed + a."""
    n = len(D)
    system, found, term = np.zeros((3 * n, 3 * n)), np.eye(3 * n), np.eye(3 * n)
    system[:n, n : 2 * n], system[n : 2 * n, n : 2 * n], system[n : 2 * n, 2 * n :] = np.eye(n), -D, np.eye(n)
    for k in range(1, 20):
        term = term @ system * (r / k)
        found = found + term
    return found[: 2 * n, : 2 * n], found[: 2 * n, 2 * n :]


def run(loop, G, w, *, e0=0.0, ed0=0.0, noise=None, waiting=1.0, D=None, part=1.0):
    """e, ed and u (N, 3 n) at every sample of (1)-(3), under accelerations w (N, n) held over a sample; e and ed some
    `part` of a sampling interval later. Friction, -D ed, acts all the time.
    """
    n = len(G)
    own, pushed = motion_over(np.zeros((n, n)) if D is None else D, T)
    own_later, pushed_later = motion_over(np.zeros((n, n)) if D is None else D, part * T)
    e, ed = np.full(n, e0), np.full(n, ed0)
    before, filtered, total = e - T * ed, ed.copy(), 0.0 * e
    integral = 0.0 if loop.integral is None else loop.integral
    waiting = [waiting * (loop.stiffness * e + loop.damping * ed)] * loop.delay
    found = []
    for k, acceleration in enumerate(w):
        seen = e if noise is None else e - noise[k]
        difference = filtered + loop.share * ((seen - before) / T - filtered)
        filtered = np.where(loop.share > 0.0, difference, ed)
        u = loop.stiffness * seen + loop.damping * filtered + integral * total
        total = total + T * seen
        waiting.append(u)
        a = -G @ waiting.pop(0) + acceleration
        later = own_later @ np.concatenate([e, ed]) + pushed_later @ a if part < 1.0 else np.concatenate([e, ed])
        found.append(np.concatenate([later, u]))
        before = seen
        e, ed = np.split(own @ np.concatenate([e, ed]) + pushed @ a, 2)
    return np.array(found)


def coupled(delay, share, integral=0.0, *, seed=0, n=3, start=(0.0, 0.0), noise=0.0, viscous=None):
    """A loop with random inertias, its gains in one epoch, and the bounds by slot of inputs."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    M = root @ root.T + n * np.eye(n)
    change = rng.normal(size=(n, 1))
    inverse = np.linalg.inv(M + 0.5 * change @ change.T)
    poles = rng.uniform(60.0, 100.0, n)
    gains = integral * poles**3 if integral else None
    friction = None if viscous is None else ViscousDamping(viscous * np.arange(1.0, n + 1.0), inverse)
    loop = CoupledErrorLoop(poles**2, 2.0 * poles, T, delay, np.full(n, share), gains, friction)
    epochs = Epochs((inverse @ M)[None, None], inverse[None, None], M[None], np.zeros(COUNT // SLOT, dtype=int))
    sizes = {"position": np.full(n, start[0]), "speed": np.full(n, start[1]), "noise": np.full(n, noise)}
    response = coupled_response(loop, epochs, SLOT, **sizes)

    def bounds(*, constant=None, **given):
        zero = np.zeros((1, COUNT // SLOT, n))
        names = ("level", "torque", "low", "high", "feedback")
        inputs = ErrorInputs(**{name: given.get(name, zero) for name in names}, constant=constant)
        largest = np.full((1, loop.kinds, n), 1.0)
        found = response.reached(0, inputs, slice(0, COUNT // SLOT), largest)[0]
        return np.repeat(found, SLOT, axis=0)

    return loop, epochs, bounds


CASES = [(0, 0.0, 0.0), (1, 0.0, 0.0), (1, 0.7, 0.0), (3, 0.5, 0.0), (0, 0.0, 0.3), (2, 0.7, 0.3)]


@pytest.mark.parametrize(("delay", "share", "integral"), CASES)
def test_aligned_disturbances_come_close_and_never_pass(delay, share, integral):
    loop, epochs, bounds = coupled(delay, share, integral)
    G, inverse, n = epochs.G[0, 0], epochs.inverse[0, 0], 3
    one = np.ones((1, COUNT // SLOT, n))
    for name, through in (("level", np.eye(n)), ("torque", inverse)):
        limit = bounds(**{name: one})
        impulses = [run(loop, G, np.outer(np.arange(COUNT) == 0, through[:, k])) for k in range(n)]
        for output in range(3 * n):
            signs = np.sign(np.stack([each[::-1, output] for each in impulses], axis=1))
            reached = np.abs(run(loop, G, signs @ through.T))
            assert np.all(reached <= limit[:, : 3 * n] * (1.0 + 1e-9))
            assert reached[-1, output] > 0.9 * limit[-1, output]


@pytest.mark.parametrize(("delay", "share", "integral"), CASES)
def test_a_known_acceleration_counts_with_its_sign(delay, share, integral):
    loop, epochs, bounds = coupled(delay, share, integral)
    n, t = 3, np.arange(COUNT) / COUNT
    w = np.repeat(np.stack([t, np.sin(3.0 * t), 1.0 - t], axis=1)[::SLOT], SLOT, axis=0)
    limit = bounds(low=w[::SLOT][None], high=w[::SLOT][None])
    reached = np.abs(run(loop, epochs.G[0, 0], w))
    assert np.all(reached <= limit[:, : 3 * n] + 1e-15)
    worst = bounds(level=np.abs(w[::SLOT])[None])
    assert np.all(limit[-1, n : 2 * n] < 0.7 * worst[-1, n : 2 * n])  # speeds answer to changes only


@pytest.mark.parametrize(("delay", "share", "integral"), CASES)
def test_starts_and_noise_stay_below(delay, share, integral):
    rng = np.random.default_rng(4)
    for start in ({"e0": 1e-3}, {"ed0": 0.1}):
        loop, epochs, bounds = coupled(delay, share, integral, start=(start.get("e0", 0.0), start.get("ed0", 0.0)))
        for waiting in (0.0, 1.0):  # delayed torques before the first: those of the reference, or with their feedback
            found = np.abs(run(loop, epochs.G[0, 0], np.zeros((COUNT, 3)), waiting=waiting, **start))
            assert np.all(found <= bounds()[:, :9] * (1.0 + 1e-9))
    loop, epochs, bounds = coupled(delay, share, integral, noise=1e-5)
    noise = 1e-5 * rng.choice([-1.0, 1.0], (COUNT, 3))
    found = np.abs(run(loop, epochs.G[0, 0], np.zeros((COUNT, 3)), noise=noise))
    assert np.all(found <= bounds()[:, :9] * (1.0 + 1e-9))


def test_an_inertia_that_is_left_out_of_the_loop_is_noticed():
    """The planted error: gains of the nominal inertia are below what a loop with a payload reaches."""
    loop, epochs, _ = coupled(1, 0.7)
    one = np.eye(3)[None, None]
    wrong = Epochs(one, epochs.inverse, epochs.M, epochs.of_piece)
    zero = np.zeros(3)
    response = coupled_response(loop, wrong, SLOT, position=zero, speed=zero, noise=zero)
    none = np.zeros((1, COUNT // SLOT, 3))
    w = np.full((COUNT, 3), 1.0)
    inputs = ErrorInputs(none, none, none + 1.0, none + 1.0, none)
    limit = response.reached(0, inputs, slice(0, COUNT // SLOT), np.zeros((1, 5, 3)))[0]
    reached = np.abs(run(loop, epochs.G[0, 0], w))
    assert np.any(reached > np.repeat(limit, SLOT, axis=0)[:, :9])


def test_an_unstable_loop_is_refused():
    loop = CoupledErrorLoop(np.full(2, 3600.0), np.full(2, 120.0), T, 20, np.zeros(2))
    with pytest.raises(ArgumentError, match="delay of 20 samples is not stable"):
        _ = loop.nominal_memory


@pytest.mark.parametrize(("delay", "share", "integral"), CASES[:4])
@pytest.mark.parametrize("true", [150.0, 30.0], ids=["as assumed", "smaller"])
def test_viscous_friction_damps_as_the_loop_says(delay, share, integral, true):
    """Aligned disturbances under exact friction, at samples and between them, come close and never pass; the planted
    error of friction that the robot does not have shows.
    """
    loop, epochs, bounds = coupled(delay, share, integral, viscous=150.0)
    G, inverse, n = epochs.G[0, 0], epochs.inverse[0, 0], 3
    A, D = (inverse * (viscous * np.arange(1.0, n + 1.0)) for viscous in (T * 150.0, true))
    one = np.ones((1, COUNT // SLOT, n))

    def accelerations(found):
        moved = np.abs(G) @ found[:, 2 * n : 3 * n].max(axis=0)
        return moved, moved + np.abs(A) @ found[:, n : 2 * n].max(axis=0) / T

    fastest = 2.0 * (1.0 + accelerations(bounds(level=one))[1])
    limit = bounds(level=(1.0 + step_error(A, np.ones(n), fastest, rising=1.0)) * one)[:, : 3 * n]
    assert np.all(1.0 + accelerations(limit)[1] < fastest)
    between = limit[:, n : 2 * n] + speed_error(A, accelerations(limit)[1], T)
    impulses = [run(loop, G, np.outer(np.arange(COUNT) == 0, np.eye(n)[k]), D=D) for k in range(n)]
    ratios = []
    for output in range(3 * n):
        signs = np.sign(np.stack([each[::-1, output] for each in impulses], axis=1))
        ratios.append((np.abs(run(loop, G, signs, D=D))[-1] / limit[-1])[output])
        for part in (0.3, 0.7):
            speeds = np.abs(run(loop, G, signs, D=D, part=part))[:, n : 2 * n]
            assert true < 150.0 or np.all(speeds <= between * (1.0 + 1e-9))
    assert max(ratios) > 1.05 if true < 150.0 else 0.85 < max(ratios) <= 1.0 + 1e-9


def test_friction_in_the_loop_reduces_its_speeds():
    one = np.ones((1, COUNT // SLOT, 3))
    free, damped = (coupled(1, 0.7, viscous=viscous)[2](level=one) for viscous in (None, 150.0))
    assert np.all(damped[-1, 3:6] < 0.95 * free[-1, 3:6])
