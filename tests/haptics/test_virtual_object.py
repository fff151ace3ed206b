import math

import numpy as np
import pytest

from torquec.codegen.llvm import compile_function
from torquec.errors import ArgumentError
from torquec.haptics.virtual_object import (
    ObjectParameters,
    ObjectState,
    ObjectWrench,
    VirtualObject,
    contact_motion,
    object_acceleration,
    object_energy,
    object_momentum,
    object_step,
    rotation_of,
    virtual_object_function,
)

NOTHING = ObjectWrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
BRICK = VirtualObject(2.0, ((0.02, 0.001, 0.0), (0.001, 0.03, -0.002), (0.0, -0.002, 0.04)), (0.1, -0.05, 0.2))
SPINNING = ObjectState((0.1, 0.2, 0.3), (0.5, -0.5, 0.1, math.sqrt(0.49)), (0.3, -0.2, 0.1), (6.0, 5.0, -6.0))


def run(body, state, cycles, h=0.002, wrench=NOTHING, **options):
    for _ in range(cycles):
        state = object_step(body.parameters, state, wrench, h, **options)
    return state


def test_a_free_body_keeps_energy_and_momentum_for_a_minute():
    step = compile_function(virtual_object_function())
    state = [np.array(part, dtype=float) for part in SPINNING]
    fixed = [np.zeros(3), np.zeros(3), np.array(BRICK.mass), np.array(BRICK.tensor), np.zeros(3), np.zeros(3)]
    before = object_energy(BRICK.parameters, SPINNING), object_momentum(BRICK.parameters, SPINNING)
    for _ in range(30_000):
        state = list(step(*state, *fixed, np.array(0.002)))[:4]
    after = ObjectState(*(tuple(part.tolist()) for part in state))
    assert object_energy(BRICK.parameters, after) == pytest.approx(before[0], rel=1e-9)
    linear, angular = object_momentum(BRICK.parameters, after)
    assert linear == before[1][0]
    np.testing.assert_allclose(angular, before[1][1], rtol=0, atol=1e-6 * np.linalg.norm(before[1][1]))
    assert math.hypot(*after.orientation) == pytest.approx(1.0, abs=1e-12)


def test_it_converges_with_the_fourth_power_of_the_step():
    wrench = ObjectWrench((3.0, -1.0, 2.0), (0.1, 0.2, -0.1))
    exact = run(BRICK, SPINNING, 64, 0.1 / 64, wrench, substeps=8)
    errors = [
        math.dist(run(BRICK, SPINNING, n, 0.1 / n, wrench, substeps=1).orientation, exact.orientation) for n in (4, 8)
    ]
    assert 12.0 < errors[0] / errors[1] < 40.0


def test_newton_and_euler_at_the_contact_point():
    """Momentum changes by force and moment; finite differences of the contact point give its velocity and
    acceleration.
    """
    wrench = ObjectWrench((3.0, -1.0, 2.0), (0.1, 0.2, -0.1))
    body = VirtualObject(2.0, BRICK.tensor, BRICK.contact_point, (0.0, 0.0, -9.81)).parameters
    h = 1e-4

    def at(t):
        return object_step(body, SPINNING, wrench, t, substeps=4)

    rotation = np.array(rotation_of(SPINNING.orientation))
    ends = zip(object_momentum(body, at(h)), object_momentum(body, at(-h)), strict=True)
    rates = [(np.array(a) - b) / (2 * h) for a, b in ends]
    force = rotation @ np.array(wrench.force) + body.mass * np.array(body.gravity)
    moment = rotation @ (np.array(wrench.moment) + np.cross(body.contact_point, wrench.force))
    np.testing.assert_allclose(rates[0], force, atol=1e-6)
    np.testing.assert_allclose(rates[1], moment, atol=1e-5)
    now = contact_motion(body, SPINNING, wrench)
    before, after = (np.array(contact_motion(body, at(t), wrench).position) for t in (-h, h))
    np.testing.assert_allclose((after - before) / (2 * h), now.velocity, atol=1e-5)
    np.testing.assert_allclose((after - 2 * np.array(now.position) + before) / h**2, now.acceleration, atol=2e-4)
    speeds = [np.array(contact_motion(body, at(t), wrench).angular_velocity) for t in (-h, h)]
    np.testing.assert_allclose((speeds[1] - speeds[0]) / (2 * h), now.angular_acceleration, atol=1e-4)


def test_felt_mass_and_inertia():
    """At rest a force at the mass centre gives F/m, a moment G/I: the paper's 5 kg and 0.83 kg m^2."""
    cube = VirtualObject(5.0, (0.83, 0.83, 0.83)).parameters
    rest = ObjectState((0.0,) * 3, (1.0, 0.0, 0.0, 0.0), (0.0,) * 3, (0.0,) * 3)
    linear, angular = object_acceleration(cube, rest, ObjectWrench((10.0, 0.0, 0.0), (0.0, 0.0, 1.66)))
    assert linear == pytest.approx((2.0, 0.0, 0.0))
    assert angular == pytest.approx((0.0, 0.0, 2.0))


def test_a_field_acts_at_every_stage():
    """A spring to the origin as a field oscillates with its own frequency; held once a cycle it would gain energy."""
    body = VirtualObject(10.0, (1.0, 1.0, 1.0))
    k = body.mass * (2 * math.pi * 25.0) ** 2

    def spring(state):
        return ObjectWrench(tuple(-k * x for x in state.position), (0.0, 0.0, 0.0))

    start = ObjectState((0.01, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0,) * 3, (0.0,) * 3)
    after = run(body, start, 100, field=spring)  # five periods
    assert after.position[0] == pytest.approx(0.01, rel=1e-3)
    assert after.velocity[0] == pytest.approx(0.0, abs=5e-3)


def test_one_compiled_cycle_is_the_equations():
    step = compile_function(virtual_object_function())
    rng = np.random.default_rng(3)
    force, moment, gravity = rng.normal(size=(3, 3))
    given = [np.array(part, dtype=float) for part in SPINNING]
    body = ObjectParameters(BRICK.mass, BRICK.tensor, BRICK.contact_point, tuple(gravity))
    held = ObjectWrench(tuple(force), tuple(moment))
    after = object_step(body, SPINNING, held, 0.002)
    motion = contact_motion(body, after, held)
    found = step(
        *given,
        force,
        moment,
        np.array(2.0),
        np.array(BRICK.tensor),
        np.array(BRICK.contact_point),
        gravity,
        np.array(0.002),
    )
    for value, expected in zip(found, [*after, *motion], strict=True):
        np.testing.assert_allclose(value, np.array(expected), atol=1e-13)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, (1, 1, 1)), "mass of 0"),
        ((math.nan, (1, 1, 1)), "mass of nan"),
        ((1.0, (1, 1, 0)), "principal moments"),
        ((1.0, (1, 1, 3)), "no body has"),
        ((1.0, (1, -1, 3)), "principal moments"),
        ((1.0, ((1, 0.5, 0), (0, 1, 0), (0, 0, 1))), "not symmetric"),
        ((1.0, (1, 1)), "3x3"),
        ((1.0, (1, 1, math.inf)), "3x3"),
        ((1.0, (1, 1, 1), (0.0, math.nan, 0.0)), "contact_point"),
        ((1.0, (1, 1, 1), (0.0, 0.0, 0.0), (1.0, 2.0)), "gravity"),
    ],
)
def test_impossible_bodies_are_named(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        VirtualObject(*arguments)
