"""Inertia and inertial power: two textbook arms, completion, independent elements."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.random_robots import random_robot, random_state
from tests.papers.kang_sample import assert_sample
from tests.papers.power_arrays import (
    METHODS,
    christoffel_violation,
    inertia_violation,
    ordinary_robots,
    serial_robot,
    torque_violation,
)

from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.expr import evaluate, trace
from torquec.papers.augmented_body import augmented_body
from torquec.papers.inertial_power import (
    InertialModel,
    complete_first,
    complete_second,
    complete_third,
    joint_fields,
    mass_point_sum,
)
from torquec.robot import classics
from torquec.spatial import Inertia

each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)


@each_method
def test_planar2r_of_the_textbook(method):
    # c1 = -sin(q2)/2 (2 qd1 qd2 + qd2^2),  c2 = sin(q2)/2 qd1^2
    model = method(classics.planar2r(), [0.3, -1.1])
    c, s = math.cos(-1.1), math.sin(-1.1)
    assert np.allclose(model.inertia, [[5 / 3 + c, 1 / 3 + c / 2], [1 / 3 + c / 2, 1 / 3]], atol=1e-14)
    half = s / 2
    assert np.allclose(model.symmetric_power, [[[0, -half], [-half, -half]], [[half, 0], [0, 0]]], atol=1e-14)
    assert np.allclose(model.torque([2.0, 3.0], [0.0, 0.0]), [-half * (12 + 9), half * 4], atol=1e-14)


@each_method
def test_polar_coordinates(method):
    # 3 kg at r = 0.8 on a turntable of 0.4 kg m^2: torque (0.4 + m r^2) a'' + 2 m r r' a', force m r'' - m r a'^2
    model = method(arms.slider_on_turntable(3.0), [0.4, 0.8])
    assert np.allclose(model.inertia, [[0.4 + 1.92, 0], [0, 3]], atol=1e-14)
    assert np.allclose(model.symmetric_power, [[[0, 2.4], [2.4, 0]], [[-2.4, 0], [0, 0]]], atol=1e-14)


def test_torque_is_linear_in_acceleration_and_quadratic_in_speed():
    model = InertialModel(((2.0, 1.0), (1.0, 3.0)), (((0.0, 1.0), (5.0, 0.0)), ((7.0, 0.0), (0.0, 0.0))))
    assert model.torque([10.0, 1.0], [0.0, 100.0]) == [100.0 + 10.0 + 50.0, 300.0 + 700.0]
    assert model.symmetric_power == (((0.0, 3.0), (3.0, 0.0)), ((7.0, 0.0), (0.0, 0.0)))


def test_completion_of_two_joints():
    first = complete_first({(0, 0, 1): 1.0, (0, 1, 1): 2.0})
    assert first == {(0, 0, 1): 1.0, (0, 1, 0): 1.0, (1, 0, 0): -1.0, (0, 1, 1): 2.0}
    second = {(0, 0, 1): 3.0, (1, 0, 1): 4.0}
    assert complete_second(second, {}) == second
    assert complete_third(second, {}) == {(0, 1, 0): 3.0, (1, 0, 0): -3.0, (0, 1, 1): 4.0, (1, 0, 1): -4.0}


def test_third_array_determines_the_planes_of_the_second_behind_it():
    assert complete_second({}, {(0, 1, 2): 5.0}) == {(2, 0, 1): 5.0}
    assert complete_third({}, {(0, 1, 2): 5.0}) == {(0, 1, 2): 5.0, (1, 0, 2): -5.0}


@each_method
def test_inertia_is_symmetric_and_positive_definite(method):
    for seed in range(6):
        robot = serial_robot(seed, 5)
        inertia = np.array(method(robot, [0.1, 0.7, -0.4, 1.2, 0.3]).inertia)
        assert np.array_equal(inertia, inertia.T)
        assert np.linalg.eigvalsh(inertia).min() > 0.0


def test_numbers_of_independent_elements():
    # n (n + 1) / 2 of I*, n (n^2 - 1) / 3 of P1: 21 and 70 for n = 6.
    from torquec.papers import inertial_power

    counted = {}

    def count(self, m):
        counted.update({name: len(getattr(self, name)) for name in ("inertia", "first", "second", "third")})
        return InertialModel((), ())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inertial_power.Elements, "model", count)
        augmented_body(classics.puma560(), [0.1] * 6)
    assert counted == {"inertia": 21, "first": 70, "second": 70, "third": 20}


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
