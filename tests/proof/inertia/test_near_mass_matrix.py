"""Whether M is near enough to the robot's own: shown for small errors, never where M is singular somewhere."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.expr import evaluate, trace
from torquec.expr.math import sincos
from torquec.expr.replay import replay
from torquec.model.quantities import trace_quantity
from torquec.proof.inertia import near_mass_matrix
from torquec.proof.inertia.near_mass_matrix import is_near_enough
from torquec.robot.classics import load_classic


def changed(robot, size, seed=0):
    """The robot's M with waves of this size, in parts of its diagonals, and of both triangles, added."""
    rng = np.random.default_rng(seed)
    own = trace_quantity(robot, "mass_matrix")
    diagonal = np.sqrt(np.einsum("nii->ni", evaluate(own, {"q": rng.uniform(-1, 1, (50, robot.n))})["M"]).min(axis=0))
    waves = size * np.outer(diagonal, diagonal) * rng.uniform(-1.0, 1.0, (robot.n, robot.n))
    at = rng.integers(robot.n, size=(robot.n, robot.n))

    def algorithm(q):
        M = replay(own, {"q": q})["M"]
        bent = [q[k] * q[k] if robot.joints[k].type.is_prismatic else sincos(q[k])[0] for k in range(robot.n)]
        return {"M": [[M[i][j] + waves[i, j] * bent[at[i, j]] for j in range(robot.n)] for i in range(robot.n)]}

    return trace("mass_matrix", algorithm, {"q": (robot.n,)})


def box(robot):
    lower = [0.1 if joint.type.is_prismatic else -np.pi for joint in robot.joints]
    return lower, [0.9 if joint.type.is_prismatic else np.pi for joint in robot.joints]


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "scara", "stanford", "puma560"])
def test_small_errors_are_shown_and_large_ones_are_not(name):
    robot = load_classic(name)
    assert is_near_enough(robot, trace_quantity(robot, "mass_matrix"), *box(robot))
    assert is_near_enough(robot, changed(robot, 0.005), *box(robot))
    assert not is_near_enough(robot, changed(robot, 3.0), *box(robot))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_shown_agrees_with_samples(seed):
    robot = random_robot(seed, bodies=4, mimic=False, motors=False)
    q = np.random.default_rng(seed).uniform(*box(robot), (4000, robot.n))
    for size in (0.003, 0.03, 0.3):
        M = changed(robot, size, seed)
        values = evaluate(M, {"q": q})["M"]
        smallest = np.linalg.eigvalsh(values + values.transpose(0, 2, 1))[:, 0].min()
        assert not is_near_enough(robot, M, *box(robot)) or smallest > 0.0


def test_the_least_inertia_is_what_decides(monkeypatch):
    """Planted: with errors taken to be nothing, a singular M would pass."""
    robot = load_classic("planar2r")
    none = trace("mass_matrix", lambda q: {"M": [[0.0 * q[0], 0.0], [0.0, 0.0]]}, {"q": (2,)})
    assert not is_near_enough(robot, none, *box(robot))
    monkeypatch.setattr(near_mass_matrix, "_largest", lambda error, n, reach: np.zeros((n, n)))
    assert is_near_enough(robot, none, *box(robot))


def test_displacements_count_as_far_as_they_reach():
    robot = load_classic("stanford")
    lower, upper = box(robot)
    M = changed(robot, 0.02)
    assert is_near_enough(robot, M, lower, upper)
    slide = next(k for k, joint in enumerate(robot.joints) if joint.type.is_prismatic)
    assert not is_near_enough(robot, M, lower, [50.0 if k == slide else u for k, u in enumerate(upper)])


def test_what_is_no_polynomial_is_not_shown():
    quotient = trace("mass_matrix", lambda q: {"M": [[9.0 / (2.0 + sincos(q[0])[0]), 0.0], [0.0, 1.0]]}, {"q": (2,)})
    assert not is_near_enough(load_classic("planar2r"), quotient, [-1.0, -1.0], [1.0, 1.0])
