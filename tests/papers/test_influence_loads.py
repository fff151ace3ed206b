"""Static loads: a pendulum by hand, gravity and wrenches of the recursion, springs as a gradient, misuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import violation
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.scalars import by_element, on_batch
from tests.papers.power_arrays import METHODS, ordinary_robots

from torquec.dynamics import Axes, ExternalWrench, frame_pose, gravity_torque, inverse_dynamics, spring_torque
from torquec.errors import ArgumentError
from torquec.expr import evaluate, trace
from torquec.expr.math import sqrt
from torquec.papers.influence_loads import PointSpring, gravity_load, influence_loads, spring_load, wrench_load
from torquec.robot import classics
from torquec.robot.robot import Frame, Robot
from torquec.spatial import dot, subtract


def with_post(x, z):
    """The pendulum, with a point to hang a spring on."""
    arm = arms.pendulum(mass=2.0, length=0.5)
    return Robot(arm.name, arm.bodies, frames=(*arm.frames, Frame("post", -1, arms.at(x=x, z=z))))


def test_weight_of_a_lying_pendulum():
    # Turning about +y lowers the mass, so it must be held with -m g l.
    assert gravity_load(arms.pendulum(mass=2.0, length=0.5), [0.0]) == pytest.approx([-2.0 * 9.81 * 0.5])


def test_force_across_a_pendulum():
    up = ExternalWrench("tip", (0.0, 0.0, 4.0), (0.0, 0.0, 0.0), Axes.BASE)
    assert wrench_load(arms.pendulum(length=0.5), [0.0], up) == pytest.approx([2.0])


def test_force_at_a_point_beyond_the_frame():
    up = ExternalWrench("tip", (0.0, 0.0, 4.0), (0.0, 0.0, 0.0), Axes.BASE, point=(1.0, 0.0, 0.0))
    assert wrench_load(arms.pendulum(length=0.5), [0.0], up) == pytest.approx([6.0])


def test_spring_above_a_pendulum():
    # From the post, 2 m above the tip, to the tip: 10 N/m, 1 m longer than at rest, pulls up with 10 N at 0.5 m.
    spring = PointSpring("post", "tip", stiffness=10.0, rest=1.0)
    assert spring_load(with_post(0.5, 2.0), [0.0], spring) == pytest.approx([5.0])


def test_spring_between_points_of_one_body_is_not_felt():
    spring = PointSpring("tip", "tip", stiffness=10.0, rest=0.2, end_point=(0.0, 0.0, 1.0))
    assert spring_load(arms.pendulum(), [0.3], spring) == pytest.approx([0.0])


def test_gravity_of_the_recursion():
    for robot, state in ordinary_robots(range(25)):
        expected = on_batch(gravity_torque, robot, state.q)
        assert violation(on_batch(gravity_load, robot, state.q), expected, 1.0) < 1e-12


def test_gravity_of_an_arm_with_first_moments_but_no_masses():
    state = random_state(classics.puma260(), 2)
    expected = on_batch(gravity_torque, classics.puma260(), state.q)
    assert violation(on_batch(gravity_load, classics.puma260(), state.q), expected, 1.0) < 1e-12


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_model_and_loads_are_inverse_dynamics(method):
    for robot, state in ordinary_robots(range(12)):
        # Different forces in frame and in base axes, or taking one for the other would change nothing.
        wrenches = [
            ExternalWrench(frame.name, force, (3.0, 1.0, -2.0), axes, point=(0.1, 0.2, -0.3))
            for frame in robot.frames
            for axes, force in ((Axes.FRAME, (10.0, -20.0, 5.0)), (Axes.BASE, (-4.0, 6.0, 30.0)))
        ]

        def by_influence(r, q, qd, qdd, wrenches=wrenches):
            loads = influence_loads(r, q, wrenches=wrenches)
            return [a + b for a, b in zip(method(r, q).torque(qd, qdd), loads, strict=True)]

        def by_recursion(r, q, qd, qdd, wrenches=wrenches):
            torques = inverse_dynamics(r, q, qd, qdd, wrenches=wrenches)
            return [a + b for a, b in zip(torques, spring_torque(r, q), strict=True)]

        arrays = (state.q, state.qd, state.qdd)
        assert violation(on_batch(by_influence, robot, *arrays), on_batch(by_recursion, robot, *arrays), 1.0) < 1e-12


@pytest.mark.parametrize("rest", [0.0, 0.4])
def test_springs_are_the_gradient_of_their_energy(rest):
    for robot, state in ordinary_robots(range(10), bodies=6):
        springs = [
            PointSpring("frame1", "frame5", 30.0, rest, (0.1, 0.2, 0.3), (-0.3, 0.1, 0.9)),
            PointSpring("on_base", "frame3", 20.0, rest, end_point=(0.7, 0.0, 0.1)),
        ]

        def energy(r, q, springs=springs):
            total = 0.0
            for spring in springs:
                start = frame_pose(r, spring.start, q).apply(spring.start_point)
                reach = subtract(frame_pose(r, spring.end, q).apply(spring.end_point), start)
                total = total + 0.5 * spring.stiffness * (sqrt(dot(reach, reach)) - spring.rest) ** 2
            return total

        def loads(r, q, springs=springs):
            with_springs, without = influence_loads(r, q, springs=springs), influence_loads(r, q)
            return [a - b for a, b in zip(with_springs, without, strict=True)]

        weight = on_batch(gravity_torque, robot, state.q)
        expected = by_element(energy, robot, (state.q,))
        assert violation(on_batch(loads, robot, state.q), expected, weight, 1.0) < 1e-12


def test_traced_and_evaluated():
    robot = random_robot(11, bodies=5)
    state = random_state(robot, 11)
    spring = PointSpring("on_base", "frame4", 10.0, 0.1)
    function = trace("loads", lambda q: {"tau": influence_loads(robot, q, springs=[spring])}, {"q": (robot.n,)})
    expected = on_batch(lambda r, q: influence_loads(r, q, springs=[spring]), robot, state.q)
    assert violation(evaluate(function, {"q": state.q})["tau"], expected) < 1e-12


def test_ends_that_meet_are_refused():
    arm = with_post(0.5, 0.0)
    with pytest.raises(ArgumentError, match="ends of the spring from 'post' to 'tip' meet") as caught:
        influence_loads(arm, [0.0], springs=[PointSpring("post", "tip", 10.0, rest=0.1)])
    assert "rest 0" in caught.value.remedy
    assert math.isfinite(spring_load(arm, [0.0], PointSpring("post", "tip", 10.0))[0])


def test_unknown_frame():
    with pytest.raises(ArgumentError, match="has no frame 'toe'"):
        influence_loads(arms.pendulum(), [0.0], springs=[PointSpring("toe", "tip", 1.0)])
    with pytest.raises(ArgumentError, match="has no frame 'toe'"):
        influence_loads(arms.pendulum(), [0.0], wrenches=[ExternalWrench("toe", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))])


def test_loads_are_finite_at_zero():
    robot = random_robot(2)
    assert np.all(np.isfinite(influence_loads(robot, [0.0] * robot.n)))
