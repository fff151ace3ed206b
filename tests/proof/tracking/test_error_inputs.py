"""Constant parameters in error loops: loops that run sample by sample stay below the bounds, and come close to them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.tracking.test_coupled_response import CASES, COUNT, SLOT, T, coupled, run

from torquec.proof.tracking.error_inputs import ConstantErrors, ErrorMotion, ParameterSet, SignedErrors, reaction

PIECES, SMOOTH = COUNT // SLOT, 9


def held(values):
    """Constant over every piece of time, (1, S, n)."""
    return np.broadcast_to(values, (1, PIECES, 3))


def constant(*, momentum=0.0, force=0.0, change=0.0, signed=()):
    return ConstantErrors(held(0.0), held(momentum), held(force), held(change), signed)


@pytest.mark.parametrize(("delay", "share", "integral"), CASES)
def test_a_part_of_the_acceleration_acts_on_the_position_through_the_speed(delay, share, integral):
    """Accelerations S a of any speed error of at most 1, aligned with the variation of a kernel."""
    loop, epochs, bounds = coupled(delay, share, integral)
    S = 0.1 * np.random.default_rng(3).normal(size=(3, 3))
    size = np.abs(S).sum(axis=1)
    impulses = [run(loop, epochs.G[0, 0], np.outer(np.arange(COUNT) == 0, S[:, k])) for k in range(3)]
    for output in range(3):
        kernel = np.stack([each[::-1, output] for each in impulses], axis=1)
        speed = np.concatenate([np.zeros((1, 3)), np.sign(-np.diff(kernel, axis=0)), np.zeros((1, 3))])
        speed = np.stack([np.convolve(each, np.full(SMOOTH, 1.0 / SMOOTH), "same") for each in speed.T], axis=1)
        a = np.diff(speed, axis=0) / T
        limit = bounds(constant=constant(momentum=size, force=size * np.abs(a).max()))[:, :3]
        reached = np.abs(run(loop, epochs.G[0, 0], a @ S.T))[:, :3]
        assert np.all(reached <= limit * (1.0 + 1e-9))
        assert reached[-1, output] > 0.5 * limit[-1, output]  # half of the bound would be noticed


def test_an_inertia_that_changes_along_the_motion_is_covered():
    loop, epochs, bounds = coupled(1, 0.7)
    rng = np.random.default_rng(8)
    first, second = 0.1 * rng.normal(size=(2, 3, 3))
    middles = first + (np.arange(PIECES)[:, None, None] + 0.5) * SLOT * T * second
    S = first + (np.arange(COUNT)[:, None, None] + 0.5) * T * second
    within = 0.5 * SLOT * T * np.abs(second) * np.ones_like(middles)
    speed = np.cumsum(rng.choice([-1.0, 1.0], (COUNT + 1, 3)), axis=0)
    speed[0] = 0.0
    speed /= np.abs(speed).max()
    a = np.diff(speed, axis=0) / T
    motion = ErrorMotion(held(1.0)[0], held(np.abs(a).max(axis=0))[0], np.full(PIECES, SLOT * T), moving=False)

    def size(middle, radius):
        return np.abs(middle[:, :, 0]) + radius[:, :, 0]

    found = reaction(np.zeros_like(middles), (middles[:, :, None], within[:, :, None]), size, motion)
    each = {name: getattr(found, name) for name in ("momentum", "force", "change")}
    limit = bounds(constant=constant(**each))[:, :3]
    reached = np.abs(run(loop, epochs.G[0, 0], np.einsum("kij,kj->ki", S, a)))[:, :3]
    assert np.all(reached <= limit)
    assert np.any(found.change > 0.0)
    moving = ErrorMotion(motion.speed, motion.acceleration, motion.lengths, moving=True)
    begun = reaction(np.zeros_like(middles), (middles[:, :, None], within[:, :, None]), size, moving)
    assert np.all(begun.change[0] > found.change[0] + 0.9 * np.abs(middles[0]) @ motion.acceleration[0])
    assert np.all(begun.momentum >= found.momentum)


@pytest.mark.parametrize("last", [2.0, np.inf])
@pytest.mark.parametrize("moving", [False, True])
def test_pieces_of_any_lengths_have_the_steepest_slope_and_the_largest_distance(last, moving):
    """One joint: S_l through the middles, tried at many times, speeds and accelerations of one."""
    lengths, S = np.array([1.0, 0.1, 0.5, 3.0, last]), np.array([1.0, 4.0, -2.0, 0.5, 3.0])
    one = np.ones((5, 1))

    def size(middle, radius):
        return np.abs(middle[:, :, 0]) + radius[:, :, 0]

    columns = S[:, None, None, None], np.zeros((5, 1, 1, 1))
    found = reaction(np.zeros((5, 1, 1)), columns, size, ErrorMotion(one, one, lengths, moving=moving))
    ended = np.where(np.isinf(lengths), 3.0, lengths)
    edges = np.concatenate([[0.0], np.cumsum(ended)])
    at, through = 0.5 * (edges[:-1] + edges[1:]), S
    if moving:
        at, through = np.concatenate([[0.0], at]), np.concatenate([[0.0], S])
    t = np.linspace(0.0, edges[-1], 50_001)
    line, piece = np.interp(t, at, through), np.clip(np.searchsorted(edges, t) - 1, 0, 4)
    slope = np.abs(np.gradient(line, t))
    for k in range(5):
        inside = piece == k
        assert found.change[k, 0] >= np.max(slope[inside][1:-1] + np.abs(line - S[k])[inside][1:-1]) * (1.0 - 1e-6)
        assert found.momentum[k, 0] >= np.max(np.abs(line[inside]))


def test_parameters_count_with_their_signs_over_the_whole_motion():
    loop, epochs, bounds = coupled(1, 0.7)
    t = np.arange(COUNT)[:, None] / COUNT
    ways = [np.sin(3.0 * t) * [1.0, 0.0, 0.5], np.cos(4.0 * t) * [0.0, 1.0, 1.0]]
    steps = [np.repeat(each[::SLOT], SLOT, axis=0) for each in ways]
    ends = np.stack([each[::SLOT] for each in ways])[None]
    box = ParameterSet(np.array([[0.5, -1.0]]), np.array([[0.2, 0.5]]))
    found = bounds(constant=constant(signed=(SignedErrors(ends, ends, box),)))[:, :3]
    largest = np.zeros((COUNT, 3))
    for x in (0.3, 0.7):
        for y in (-1.5, -0.5):
            w = x * steps[0] + y * steps[1]
            largest = np.maximum(largest, np.abs(run(loop, epochs.G[0, 0], w))[:, :3])
    assert np.all(largest <= found + 1e-15)
    assert np.all(largest[-1] > 0.8 * found[-1])
    ball = ParameterSet(np.zeros((1, 2)), np.ones((1, 2)), ball=True)
    round_ = bounds(constant=constant(signed=(SignedErrors(ends, ends, ball),)))[:, :3]
    assert np.all(round_ < bounds(constant=constant(signed=(SignedErrors(ends, ends, replaced(ball)),)))[:, :3] + 1e-15)


def replaced(ball):
    return ParameterSet(ball.centre, ball.half)


def test_the_set_of_a_payload_holds_every_payload_of_its_cells():
    from torquec.control.uncertainty import PayloadUncertainty
    from torquec.control.uncertainty_sets import payload_cells
    from torquec.spatial import Inertia

    stated, rng = PayloadUncertainty("hand", (0.2, 1.0), 0.05, 0.0, nominal_mass=0.4), np.random.default_rng(1)
    cells = payload_cells(stated, 2, 2)
    foundin = ParameterSet.of_payload(cells, 0.4, 0.05)
    h = rng.normal(size=(1, 10, 1, 40)) * np.array([20.0] * 6 + [10.0] * 3 + [1.0])[None, :, None, None]
    limits = foundin.bound(np.repeat(h, len(cells), axis=0))
    alone = ParameterSet(foundin.centre, foundin.half).bound(np.repeat(h, len(cells), axis=0))
    assert np.all(limits <= alone)
    assert np.any(limits < 0.8 * alone)
    best = np.zeros_like(limits)
    for _ in range(3000):
        mass, centre = rng.choice([0.2, rng.uniform(0.2, 1.0), 1.0]), rng.normal(size=3)
        centre *= 0.05 / np.linalg.norm(centre)
        point = np.array(Inertia.from_center_of_mass(mass, tuple(centre), ((0.0,) * 3,) * 3).parameters)
        point[9] -= 0.4
        inside = np.all(np.abs(point - cells[:, 0]) <= cells[:, 1], axis=1)
        assert inside.any()
        effect = np.abs(np.einsum("p,cpns->cns", point, h))
        best[inside] = np.maximum(best[inside], effect)
    assert np.all(best <= limits)
    assert np.median(best.max(axis=0) / limits.max(axis=0)) > 0.8
