"""Links carried in axes that do not turn with their joint: the same quantities with fewer operations."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics.carried_links import LedTurn, carried_links, placed_links
from torquec.dynamics.mechanism import Turn, mechanism, place
from torquec.errors import RobotError
from torquec.expr import Op, count_operations, evaluate
from torquec.model.quantities import trace_quantity
from torquec.model.routes import WAYS, Route, route_function, routes
from torquec.robot import classics
from torquec.robot.load import load
from torquec.robot.robot import Body, Joint, JointType, Robot
from torquec.spatial import Inertia, Pose, rotation_x, rotation_z

MODELS = Path(__file__).resolve().parents[3] / "shared" / "data" / "models"
BODY = Inertia.from_center_of_mass(2.0, (0.1, -0.2, 0.3), ((0.2, 0.01, 0.02), (0.01, 0.3, -0.03), (0.02, -0.03, 0.25)))


def quantity_at(robot, quantity, state, **way):
    algorithm, _ = WAYS[quantity]
    function = trace_quantity(robot, quantity, algorithm=functools.partial(algorithm, **way))
    return evaluate(function, {port.name: getattr(state, port.name) for port in function.inputs})


def assert_the_same(robot, state, quantities=tuple(WAYS)):
    for quantity in quantities:
        try:
            usual = quantity_at(robot, quantity, state)
        except RobotError:  # a robot whose mass matrix is singular has no forward dynamics
            continue
        carried = quantity_at(robot, quantity, state, carried=True)
        for name, value in usual.items():
            assert np.allclose(carried[name], value, rtol=0.0, atol=1e-11 * (1.0 + np.abs(value).max())), quantity


def has_parallel_axes(robot):
    return bool(carried_links(mechanism(robot)))


@pytest.mark.parametrize("seed", range(12))
def test_every_quantity_is_the_same_on_random_trees(seed):
    robot = random_robot(seed, bodies=5, placements=("generic", "right-angled", "parallel", "parallel", "collinear"))
    assert_the_same(robot, random_state(robot, seed))


def test_the_random_trees_have_parallel_axes():
    made = (random_robot(seed, bodies=5, placements=("right-angled", "parallel", "collinear")) for seed in range(12))
    assert sum(map(has_parallel_axes, made)) >= 6


def alternating(types):
    """Joints one after the other with parallel axes, every second one the other way round."""
    pose = Pose(rotation_x(-1.0, 0.0), (0.4, 0.1, 0.05))
    bodies = [
        Body(f"body{i}", i - 1, Joint(f"joint{i}", kind, pose, (0.0, 0.0, 1.0)), BODY) for i, kind in enumerate(types)
    ]
    return Robot("alternating", tuple(bodies), gravity=(1.0, -9.0, -3.0))


@pytest.mark.parametrize(
    "types", [("R", "R", "R"), ("R", "R", "P", "R", "R"), ("P", "R", "R", "P"), ("R", "P", "R", "R")]
)
def test_axes_that_point_the_other_way_and_slides_in_between(types):
    kinds = {"R": JointType.CONTINUOUS, "P": JointType.PRISMATIC}
    robot = alternating([kinds[letter] for letter in types])
    assert has_parallel_axes(robot)
    assert_the_same(robot, random_state(robot, 3))


def test_which_links_are_carried():
    assert carried_links(mechanism(classics.puma560())) == {1, 2, 5}  # two parallel axes, and a flange that is round
    assert carried_links(mechanism(classics.stanford())) == {5}


def test_no_turn_between_parallel_axes_and_one_for_their_group():
    m = mechanism(classics.puma560())
    q = [0.3, 0.7, -0.4, 0.2, 0.5, 0.1]
    placed = placed_links(m, q, carried=True)
    assert [(placed[i].turn.c, placed[i].turn.s) for i in (1, 2, 5)] == [(1.0, 0.0)] * 3
    assert isinstance(placed[3].turn, LedTurn)
    assert not isinstance(placed[4].turn, LedTurn)


@pytest.mark.parametrize("what", ["out", "back", "moments_out", "matrix_out"])
def test_a_led_turn_is_two_turns(what):
    pre, lead = rotation_x(0.6, 0.8), (np.cos(0.4), np.sin(0.4))
    m = mechanism(classics.puma560())
    thing = {"moments_out": m.moments[2], "matrix_out": ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 10.0))}.get(
        what, (1.0, -2.0, 0.5)
    )
    led = getattr(LedTurn(pre, np.cos(1.1), np.sin(1.1), lead), what)(thing)
    first, second = Turn(rotation_z(1.0, 0.0), *lead), Turn(pre, np.cos(1.1), np.sin(1.1))
    if what == "back":
        first, second = second, first
    expected = getattr(first, what)(getattr(second, what)(thing))
    flat = (lambda x: x.values) if what == "moments_out" else (lambda x: x)
    assert np.allclose(flat(led), flat(expected), rtol=1e-15, atol=1e-15)


def test_a_small_turn_is_a_turn():
    # The cosine of a small angle is one; its sine is not nothing.
    m = mechanism(classics.planar2r())
    turn = place(m, [1e-9, 1e-9])[1].turn
    assert turn.c == 1.0
    moments = m.moments[1]
    assert turn.moments_out(moments).y == pytest.approx(1e-9 * moments.x, rel=1e-6, abs=0.0)


COUNTS = {
    "inverse_dynamics": (165, 129, 4),
    "velocity_torque": (133, 91, 4),
    "mass_matrix": (74, 76, 4),
    "coriolis_matrix": (256, 199, 4),
    "forward_dynamics": (258, 220, 4),
    "inverse_dynamics_derivatives": (609, 480, 4),
    "forward_dynamics_derivatives": (1158, 997, 4),
}


@pytest.mark.parametrize(("quantity", "most"), COUNTS.items())
def test_puma560_takes_fewer_operations(quantity, most):
    robot = classics.puma560()
    count = count_operations(route_function(robot, quantity, Route.CARRIED))
    assert (count.mul, count.add, count.sincos) <= most
    usual = count_operations(trace_quantity(robot, quantity))
    assert count.mul <= usual.mul
    assert count.add < usual.add


UR5 = {"inverse_dynamics": (127, 102), "mass_matrix": (40, 53), "inverse_dynamics_derivatives": (409, 356)}


@pytest.mark.parametrize(("quantity", "most"), UR5.items())
def test_three_parallel_axes_take_fewer_operations(quantity, most):
    if not (MODELS / "ur5.urdf").exists():
        pytest.skip("the robot models are not here")
    count = count_operations(route_function(load(MODELS / "ur5.urdf"), quantity, Route.AUTOMATIC))
    assert count.mul <= most[0]
    assert count.add <= most[1]


@pytest.mark.parametrize("name", ["puma260", "scara", "planar2r", "stanford"])
@pytest.mark.parametrize("quantity", WAYS)
def test_no_kind_of_operation_becomes_more(name, quantity):
    robot = getattr(classics, name)()
    recursions = [f for route, f in routes(robot, quantity).items() if route is not Route.CLOSED_FORM]
    count = min(map(count_operations, recursions), key=lambda one: one.cost)
    usual = count_operations(trace_quantity(robot, quantity))
    assert (count.mul <= usual.mul, count.add <= usual.add, count.sincos <= usual.sincos) == (True, True, True)


def test_the_recursion_in_own_axes_adds_no_angles():
    # At 1e10 rad doubles are 2e-6 apart, and a sum of angles is rounded: who counts turns without end may want this.
    robot = classics.puma560()
    steps = route_function(robot, "mass_matrix", Route.RECURSIVE).operations
    assert all(steps[a].op is Op.INPUT for step in steps if step.op in (Op.SIN, Op.COS) for a in step.args)
    steps = route_function(robot, "mass_matrix", Route.CARRIED).operations
    assert any(steps[a].op is Op.ADD for step in steps if step.op in (Op.SIN, Op.COS) for a in step.args)
