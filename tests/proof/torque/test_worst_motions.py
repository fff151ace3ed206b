"""The worst motions attain the errors that are stated, and no other motion tried is worse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs

from torquec.expr import evaluate
from torquec.proof.torque.worst_motions import error_program, worst_motions


def errors(exact, simplified, q, qd, qdd):
    state = {"q": q, "qd": qd, "qdd": qdd}
    return np.abs(evaluate(exact, state)["tau"] - evaluate(simplified, state)["tau"])


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_worst_motions_attain_the_error(name):
    robot = arm(name)
    exact, simplified = programs(robot, 1, 0.9)
    box = motions(robot)
    worst = worst_motions(error_program(exact, simplified), box)
    rng = np.random.default_rng(4)
    q = rng.uniform(box.lower, box.upper, (20_000, robot.n))
    qd = rng.uniform(-1.0, 1.0, q.shape) * box.velocity
    qdd = rng.uniform(-1.0, 1.0, q.shape) * box.acceleration
    sampled = errors(exact, simplified, q, qd, qdd).max(axis=0)
    for joint in range(robot.n):
        states = worst.states[joint]
        assert np.all(states[:, 0] >= box.lower)
        assert np.all(states[:, 0] <= box.upper)
        assert np.all(np.abs(states[:, 1:]) <= [box.velocity, box.acceleration])
        attained = errors(exact, simplified, *(states[:, k] for k in range(3)))[:, joint].max()
        assert attained == pytest.approx(worst.found[joint], rel=1e-9, abs=1e-11)
        assert sampled[joint] <= worst.found[joint] * (1.0 + 1e-6) + 1e-12


def test_the_search_repeats_itself():
    robot = arm("planar3r")
    error = error_program(*programs(robot, 1, 0.9))
    first, again = (worst_motions(error, motions(robot), seed=3) for _ in range(2))
    assert np.array_equal(first.states, again.states)


def test_equal_programs_have_no_error():
    robot = arm("scara")
    exact, _ = programs(robot, 1, 0.9)
    assert np.all(worst_motions(error_program(exact, exact), motions(robot)).found == 0.0)


def test_few_samples_are_all_climbed_from():
    robot = arm("planar3r")
    error = error_program(*programs(robot, 1, 0.9))
    few, many = (worst_motions(error, motions(robot), samples=samples) for samples in (5, 2000))
    assert few.states.shape == (3, 5, 3, 3)
    assert np.all(few.found[:2] > 0.5 * many.found[:2])
