"""What M exceeds everywhere: never more than samples show, and not much less."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

import torquec as tq
from torquec.expr import evaluate
from torquec.model.quantities import trace_quantity
from torquec.proof.inertia import articulated_inertia_lower_bound as module
from torquec.proof.inertia.articulated_inertia_lower_bound import articulated_inertia_lower_bound, exceeds_diagonal
from torquec.robot.classics import load_classic
from torquec.robot.robot import Drives, JointType
from torquec.spatial import Inertia


def sampled(robot, count, seed=0):
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, robot.n))
    return evaluate(trace_quantity(robot, "mass_matrix"), {"q": q})["M"]


def pivots_of(M):
    """By elimination from the last row (N, n)."""
    M, found = M.copy(), np.zeros(M.shape[:2])
    for k in reversed(range(M.shape[1])):
        found[:, k] = M[:, k, k]
        M[:, :k, :k] -= M[:, :k, k, None] * M[:, k, None, :k] / M[:, k, k, None, None]
    return found


def test_a_pendulum_exceeds_its_own_inertia_and_no_more():
    """M is a number: 2 kg at 3 m, and 0.5 kg m^2 about the centre."""
    arm = tq.lock_joints(tq.classics.planar2r(), {"joint2": 0.0})
    own = float(sampled(arm, 1)[0, 0, 0])
    assert articulated_inertia_lower_bound(arm, [0.0])[0] == pytest.approx(own, rel=1e-9)
    assert exceeds_diagonal(arm, [0.999999 * own])
    assert not exceeds_diagonal(arm, [1.000001 * own])


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "scara", "stanford", "puma560"])
def test_pivots_of_known_arms_are_below_those_of_samples_and_close(name):
    robot = load_classic(name)
    smallest = pivots_of(sampled(robot, 20_000)).min(axis=0)
    found = articulated_inertia_lower_bound(robot, [0.0] * robot.n)
    assert np.all(found <= smallest * (1.0 + 1e-9))
    assert np.all(found > 0.6 * smallest)


@pytest.mark.parametrize("seed", range(60))
def test_random_robots_exceed_what_is_said(seed):
    """Trees with sliding joints, followers, coupled motors: M - diag is positive definite wherever it is said to be."""
    robot = random_robot(seed, bodies=1 + seed % 7)
    M = sampled(robot, 2000, seed)
    rng = np.random.default_rng([seed, 7])
    smallest = np.einsum("nii->ni", M).min(axis=0)
    for part in (0.0, 0.01, 0.1, 0.5, 1.5):
        diagonal = part * smallest * rng.uniform(0.5, 1.0, robot.n)
        if exceeds_diagonal(robot, diagonal):
            assert np.linalg.eigvalsh(M - np.diag(diagonal))[:, 0].min() > 0.0


def largest_shown(robot, diagonal):
    """The largest multiple of a diagonal up to two that is shown, within a hundredth."""
    shown, refused = 0.0, 2.0
    while refused - shown > 0.01:
        middle = 0.5 * (shown + refused)
        shown, refused = (middle, refused) if exceeds_diagonal(robot, middle * diagonal) else (shown, middle)
    return shown


def check_against_samples(robot, seed, draws):
    """The largest multiples of random diagonals that are shown, some of their numbers negative."""
    M = sampled(robot, 300, seed)
    own = articulated_inertia_lower_bound(robot, [0.0] * robot.n)
    sizes = np.einsum("nii->ni", M).min(axis=0) if own is None else own
    rng = np.random.default_rng([seed, 3])
    for _ in range(draws):
        diagonal = sizes * rng.uniform(0.1, 1.0, robot.n) * rng.choice([1.0, 1.0, 1.0, -1.0], robot.n)
        part = largest_shown(robot, diagonal)
        assert part == 0.0 or np.linalg.eigvalsh(M - part * np.diag(diagonal))[:, 0].min() > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_no_random_robot_is_as_light_as_what_is_said(part):
    """Two thousand of all kinds."""
    for seed in range(100 * part, 100 * (part + 1)):
        check_against_samples(random_robot(seed, light=seed % 4 == 3), seed, draws=1)


@pytest.mark.parametrize("seed", [1158, 1178])
def test_a_sliding_joint_turned_about_its_axis_counts_as_turned(seed):
    """Its constant turn is no motion that forms below are free of: without it these robots were said to be heavier."""
    check_against_samples(random_robot(seed), seed, draws=12)


def test_many_random_arms_have_a_verdict():
    """Revolute arms without followers: what is refused at a hundredth of the pivots would be of no use."""
    shown = []
    for seed in range(20):
        robot = random_robot(seed, bodies=6, mimic=False, types=(JointType.REVOLUTE,), placements=("generic",))
        smallest = pivots_of(sampled(robot, 500, seed)).min(axis=0)
        shown.append(exceeds_diagonal(robot, 0.02 * smallest))
    assert np.mean(shown) > 0.8


def test_a_branched_robot_counts_all_its_branches():
    robot = random_robot(3, bodies=6, mimic=False, motors=False)
    robot = replace(robot, bodies=tuple(replace(b, parent=max(-1, min(k - 1, 0))) for k, b in enumerate(robot.bodies)))
    alone = articulated_inertia_lower_bound(robot, [0.0] * robot.n)[0]
    last = tuple(replace(b, inertia=Inertia(*(4.0 * p for p in b.inertia.parameters))) for b in robot.bodies[5:])
    heavier = replace(robot, bodies=(*robot.bodies[:5], *last))
    assert alone < articulated_inertia_lower_bound(heavier, [0.0] * robot.n)[0]


def test_rotors_count():
    """What the rotors add to M may be taken off again, and what is left is that of the arm without them."""
    with_rotors = tq.classics.puma560()
    without = replace(with_rotors, drives=Drives())
    rotors = np.diag(np.array(with_rotors.drives.reflected_inertia(6)))
    assert np.all(rotors > 0.0)
    found, plain = (
        articulated_inertia_lower_bound(with_rotors, rotors),
        articulated_inertia_lower_bound(without, [0.0] * 6),
    )
    assert found == pytest.approx(plain, rel=1e-3)


def test_rotors_that_turn_with_other_joints_take_from_what_is_known():
    """Sampled: coupled motors add a matrix that is not diagonal."""
    for seed in range(40):
        robot = random_robot(seed, bodies=4, mimic=False)
        rotors = np.array(robot.drives.reflected_inertia(4))
        if np.any(rotors - np.diag(np.diag(rotors))):
            pivots = articulated_inertia_lower_bound(robot, [0.0] * 4)
            assert pivots is None or np.all(pivots <= pivots_of(sampled(robot, 2000)).min(axis=0) * (1.0 + 1e-9))


def test_bodies_that_are_none_are_not_shown():
    """The PUMA 260's numbers are base parameters: of a link with a first moment and no mass no energy is known."""
    assert articulated_inertia_lower_bound(load_classic("puma260"), [0.0] * 6) is None


def test_a_joint_that_moves_nothing_exceeds_nothing():
    robot = tq.classics.planar2r()
    bodies = (robot.bodies[0], replace(robot.bodies[1], inertia=Inertia()))
    assert articulated_inertia_lower_bound(replace(robot, bodies=bodies, drives=Drives()), [0.0, 0.0]) is None


@pytest.mark.parametrize("seed", [2363, 2553])
def test_links_that_weigh_next_to_nothing_are_no_trouble(seed):
    """Points without mass between others: what is left of their energies is rounding, of either sign."""
    robot = random_robot(seed, light=seed % 4 == 3)
    found = articulated_inertia_lower_bound(robot, [0.0] * robot.n)
    assert found is None or np.all(found <= pivots_of(sampled(robot, 300)).min(axis=0) * (1.0 + 1e-9))


def test_what_is_below_is_unchanged_by_turns_and_really_below():
    """Planted: a form that is not below is refused, however it was found."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6))
    K = root @ root.T + np.eye(6)
    B = K - np.outer(K[2], K[2]) / (0.9 * K[2, 2])
    below = module._about_the_axis(B, K, K)
    for angle in np.linspace(0.0, 2.0 * np.pi, 60):
        c, s = np.cos(angle), np.sin(angle)
        R = np.kron(np.eye(2), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
        assert R @ below @ R.T == pytest.approx(below, rel=1e-12, abs=1e-12)
        assert np.linalg.eigvalsh(R @ B @ R.T - below)[0] > 0.0


def test_a_form_that_is_not_below_is_refused(monkeypatch):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6))
    K = root @ root.T + np.eye(6)
    monkeypatch.setattr(module, "_largest_below", lambda B: 10.0 * np.eye(6))
    assert module._about_the_axis(K, K, K) is None


def test_displacements_do_not_change_what_is_below_a_sliding_joint():
    rng = np.random.default_rng(1)
    root = rng.normal(size=(6, 6))
    K = root @ root.T + np.eye(6)
    B = K - np.outer(K[5], K[5]) / (0.9 * K[5, 5])
    below = module._along_the_axis(B, K)
    for d, scale in itertools.product((-3.0, -0.1, 0.0, 2.0), (0.0, 1.0)):
        X = module._shift((0.0, 0.0, scale * d))
        assert X.T @ below @ X == pytest.approx(below, abs=1e-12)
        assert np.linalg.eigvalsh(X.T @ B @ X - below)[0] > -1e-9
