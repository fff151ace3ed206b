"""The inertial norm: payloads in their ranges and loops stay below its bounds and come close; planted bugs show."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.tracking.test_coupled_response import CASES, COUNT, SLOT, coupled, run
from tests.proof.tracking.test_error_inputs import held

from torquec.control.uncertainty import PayloadUncertainty
from torquec.control.uncertainty_sets import payload_cells
from torquec.proof.tracking.error_inputs import ConstantErrors, ParameterSet, SignedErrors
from torquec.proof.tracking.inertial_norm import InertialNorm, energy_change, length, spectral_norm
from torquec.proof.tracking.payload_cell import PayloadChange
from torquec.spatial import Inertia


def parameters(mass, centre, own=((0.0,) * 3,) * 3):
    return np.array(Inertia.from_center_of_mass(mass, tuple(centre), own).parameters)


def inertia_of(p):
    """The spatial inertia (6, 6) of ten standard parameters, per angular and linear velocity."""
    xx, xy, xz, yy, yz, zz, x, y, z, m = p
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), cross], [cross.T, m * np.eye(3)]])


def test_spectral_norms_are_above_those_of_numpy_by_a_percent():
    rng = np.random.default_rng(1)
    for shape in ((7, 7), (6, 7), (3, 9), (1, 4)):
        matrices = rng.normal(size=(50, *shape)) * 10.0 ** rng.uniform(-90, 60, (50, 1, 1))
        ratio = spectral_norm(matrices) / np.linalg.norm(matrices, 2, axis=(1, 2))
        assert ratio.min() > 1.0
        assert ratio.max() < 1.01
    assert spectral_norm(np.zeros((2, 3, 3))).tolist() == [0.0, 0.0]
    assert not np.isfinite(spectral_norm(np.full((1, 2, 2), np.inf))).any()


def test_a_norm_is_the_kinetic_energy_and_of_other_epochs_at_most_their_ratio():
    rng = np.random.default_rng(2)
    root = rng.normal(size=(1, 2, 5, 5))
    M = root @ root.swapaxes(2, 3) + np.eye(5)
    norm = InertialNorm.of(np.linalg.inv(M))
    x = rng.normal(size=(2000, 5))
    first, other = (np.sqrt(np.einsum("xi,ij,xj->x", x, M[0, e], x)) for e in (0, 1))
    np.testing.assert_allclose(length(x @ norm.L[0, 0].T), first, rtol=1e-9)
    ratio = (first / other).max()
    assert 0.7 * norm.between[0, 0, 1] < ratio < norm.between[0, 0, 1]
    unusable = InertialNorm.of(-np.linalg.inv(M))
    assert np.isinf(unusable.L).all()


@pytest.mark.parametrize("bug", ["none", "no first moment", "no mass", "no change of the twists"])
def test_the_change_of_the_energy_by_any_payload_of_a_cell_is_below_its_bound(bug):
    """Payloads on the surface of the ball, at both ends of the masses, twists anywhere in their box."""
    rng, n = np.random.default_rng(3), 4
    held_ = PayloadUncertainty("hand", (0.2, 1.0), 0.05, 0.3, nominal_mass=0.4)
    worst = 0.0
    for cell in payload_cells(held_, 2, 1):
        change = PayloadChange.of(cell, 0.4, 0.05, 0.3)
        J = rng.normal(size=(1, 6, n)) * np.array([1.0] * 3 + [0.3] * 3)[:, None]
        moved = (0.3 if "twists" in bug else 0.02) * rng.normal(size=(2, 1, 6, n))
        K = 0.7 * rng.normal(size=(1, n, n))
        largest = {"mass": change.half[9], "moment": change.moment, "inertia": change.inertia}
        given = J, np.full_like(J, 1e-3), moved
        if bug == "no change of the twists":
            given = J, given[1], 0.0 * moved
        elif bug != "none":
            largest["moment" if "first" in bug else "mass"] = 0.0
        bound = float(energy_change(given, K, **largest)[0])
        for _ in range(2000):
            mass = rng.choice([cell[0, 9] - cell[1, 9], cell[0, 9] + cell[1, 9]]) + 0.4
            centre = rng.normal(size=3)
            centre *= 0.05 / np.linalg.norm(centre)
            own = rng.uniform() * 0.3 * mass * 0.05**2
            p = parameters(mass, centre, tuple(map(tuple, (own * np.eye(3)).tolist())))
            p[9] -= 0.4
            X = (J + np.tensordot(rng.choice([-1.0, 1.0], 2), moved, 1) + 1e-3 * rng.choice([-1.0, 1.0], J.shape))[0]
            N = X.T @ inertia_of(p - cell[0]) @ X
            worst = max(worst, float(np.abs(np.linalg.eigvalsh(K[0].T @ N @ K[0])).max()) / bound)
    assert 0.5 < worst <= 1.0 if bug == "none" else worst > 1.0


def test_the_size_of_a_change_is_above_that_of_any_payload_of_its_cell():
    rng = np.random.default_rng(4)
    stated = PayloadUncertainty("hand", (0.2, 1.0), 0.05, 0.0, nominal_mass=0.4)
    for masses, cubes in ((2, 1), (2, 2)):
        for cell in payload_cells(stated, masses, cubes):
            change, rows = PayloadChange.of(cell, 0.4, 0.05, 0.0), rng.normal(size=(1, 30, 10, 1))
            rows[:, :, :6] *= 20.0
            bound, best, inside = change.size(rows, 0.0 * rows)[0, :, 0], np.zeros(30), 0
            assert np.all(bound <= np.abs(rows[0, :, :, 0]) @ change.half * (1.0 + 1e-9))
            for _ in range(4000):
                centre = rng.normal(size=3)
                centre *= 0.05 * rng.uniform() ** 0.2 / np.linalg.norm(centre)
                p = parameters(rng.choice([0.2, 0.6, 1.0, rng.uniform(0.2, 1.0)]), centre)
                p[9] -= 0.4
                if np.all(np.abs(p - cell[0]) <= cell[1]):
                    inside += 1
                    best = np.maximum(best, np.abs(rows[0, :, :, 0] @ (p - cell[0])))
            assert inside
            assert np.all(best <= bound)
            assert np.median(best / bound) > 0.3


@pytest.mark.parametrize(("delay", "share", "integral"), CASES)
def test_disturbances_of_a_norm_reach_the_outputs_and_the_acceleration_within_their_gains(delay, share, integral):
    """Disturbances with |d|_e <= 1: aligned with one output they come close; feedback G u + friction, too."""
    loop, epochs, bounds = coupled(delay, share, integral)
    G, n = epochs.G[0, 0], 3
    L, K = epochs.norm.L[0, 0], epochs.norm.K[0, 0]
    zero = held(0.0)
    constant = ConstantErrors(zero, zero, zero, zero, zero + 1e9, zero[..., :1] + 1.0, zero)
    limit = bounds(constant=constant)
    impulses = [run(loop, G, np.outer(np.arange(COUNT) == 0, np.eye(n)[k])) for k in range(n)]
    for output in range(n, 3 * n):
        rows = np.stack([each[::-1, output] for each in impulses], axis=1) @ K
        d = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300) @ K.T
        reached = np.abs(run(loop, G, d))[:, output]
        assert np.all(reached <= limit[:, output] * (1.0 + 1e-9))
        assert reached[-1] > 0.9 * limit[-1, output]
    best = 0.0
    for way in np.random.default_rng(1).normal(size=(20, n)):
        u = [np.roll(each[:, 2 * n :], delay, axis=0) * (np.arange(COUNT) >= delay)[:, None] for each in impulses]
        rows = np.stack([(each @ (L @ G).T @ way)[::-1] for each in u], axis=1) @ K
        d = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300) @ K.T
        u = run(loop, G, d)[:, 2 * n :]
        late = np.concatenate([np.zeros((delay, n)), u[: COUNT - delay]])
        reached = np.linalg.norm(late @ (L @ G).T, axis=1)
        assert np.all(reached <= limit[:, -1] * (1.0 + 1e-9))
        best = max(best, float(reached[-1] / limit[-1, -1]))
    assert best > 0.8


@pytest.mark.parametrize("share", [0.0, 0.7])
def test_parameters_of_all_outputs_count_with_their_signs(share):
    """Slow accelerations by two parameters: feedback answers to their sum, and nearly cancels them."""
    loop, epochs, bounds = coupled(1, share)
    G, L = epochs.G[0, 0], epochs.norm.L[0, 0]
    t = np.arange(COUNT)[:, None] / COUNT
    ways = [np.sin(3.0 * t) * [1.0, 0.0, 0.5], np.cos(4.0 * t) * [0.0, 1.0, 1.0]]
    steps = [np.repeat(each[::SLOT], SLOT, axis=0) for each in ways]
    ends = np.stack([each[::SLOT] for each in ways])[None]
    box = ParameterSet(np.array([[0.5, -1.0]]), np.array([[0.2, 0.5]]))
    zero = held(0.0)
    whole, alone = (SignedErrors(ends, ends, box, whole=whole) for whole in (True, False))
    limit = bounds(constant=ConstantErrors(zero, zero, zero, zero, zero, zero[..., :1], zero, (whole,)))
    level = np.einsum("p,pxn->xn", box.largest[0], np.abs(ends[0]))[None]
    loose = bounds(constant=ConstantErrors(level, zero, zero, zero, zero, zero[..., :1], zero, (alone,)))
    best = np.zeros((COUNT, 9))
    for x in (0.3, 0.7):
        for y in (-1.5, -0.5):
            w = x * steps[0] + y * steps[1]
            found = run(loop, G, w)
            late = np.concatenate([np.zeros((1, 3)), found[:-1, 6:]])
            best = np.maximum(best, np.abs(found))
            assert np.all(np.linalg.norm((late @ G.T - w) @ L.T, axis=1) <= limit[:, -1] * (1.0 + 1e-9))
    assert np.all(best <= limit[:, :9] * (1.0 + 1e-9) + 1e-15)
    assert np.all(best[-1, 6:] > 0.8 * limit[-1, 6:9])
    assert np.all(limit[-1, 3:9] < 0.9 * loose[-1, 3:9])
    assert limit[-1, -1] < 0.5 * loose[-1, -1]
