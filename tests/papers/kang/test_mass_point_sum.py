"""Sum over mass points: the oracle's PUMA 560, the recursion, Christoffel symbols, any inertial parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.dynamics import arms
from tests.dynamics.random_robots import random_robot, random_state
from tests.papers.kang.kang_sample import assert_sample
from tests.papers.kang.power_arrays import christoffel_violation, inertia_violation, ordinary_robots, torque_violation

from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.expr import evaluate, trace
from torquec.papers.kang.mass_point_sum import joint_fields, mass_point_sum
from torquec.robot import classics
from torquec.spatial import Inertia


def test_puma560_of_the_oracle():
    assert_sample(mass_point_sum)


def test_fields_of_a_slider_on_a_turntable():
    # Seen in the slider's frame, whose z points outwards: turning moves its origin across z, at 0.8 per unit of speed.
    robot = arms.slider_on_turntable()
    table, slide = joint_fields(place(mechanism(robot, Grouping.NONE), [0.4, 0.8]))
    assert table == {0: ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))}
    velocity, spin = slide[0]
    assert np.isclose(np.linalg.norm(velocity), 0.8)
    assert np.allclose([velocity[2], spin[2], np.dot(velocity, spin)], 0.0, atol=1e-15)
    assert slide[1] == ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))


def test_equals_the_recursion():
    for robot, state in ordinary_robots(range(30)):
        assert inertia_violation(mass_point_sum, robot, state) < 1e-12
        assert torque_violation(mass_point_sum, robot, state) < 1e-12


def test_equals_the_recursion_with_nearly_parallel_axes():
    for seed in range(15):
        robot = random_robot(seed)
        assert torque_violation(mass_point_sum, robot, random_state(robot, seed)) < 1e-10


def test_is_that_of_christoffel_for_any_parameters():
    rng = np.random.default_rng(3)
    for robot, state in ordinary_robots(range(8)):
        bodies = tuple(
            replace(body, inertia=Inertia(*(float(value) for value in rng.normal(size=10)))) for body in robot.bodies
        )
        assert christoffel_violation(mass_point_sum, replace(robot, bodies=bodies), state) < 1e-12


def test_first_moment_without_mass_is_served():
    state = random_state(classics.puma260(), 1)
    assert torque_violation(mass_point_sum, classics.puma260(), state) < 1e-12


def test_is_symmetric_to_the_bit():
    for seed in range(8):
        robot = random_robot(seed, mimic=False)
        power = np.array(mass_point_sum(robot, [0.4] * robot.n).power)
        assert np.array_equal(power, power.transpose(0, 2, 1))


def test_traced_and_evaluated():
    robot = random_robot(11, bodies=5)
    state = random_state(robot, 11)
    function = trace("p", lambda q: {"power": mass_point_sum(robot, q).power}, {"q": (robot.n,)})
    for found, q in zip(evaluate(function, {"q": state.q})["power"], state.q, strict=True):
        assert np.allclose(found, mass_point_sum(robot, [float(value) for value in q]).power, atol=1e-12)
