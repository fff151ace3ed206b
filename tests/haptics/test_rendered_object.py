import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.rendered_object import (
    SETTING_COUNT,
    SETTINGS,
    RenderedObject,
    ShownObject,
    moved_settings,
    sane,
)
from torquec.haptics.virtual_object import ObjectState, ObjectWrench, object_energy, object_step

NOTHING = ObjectWrench((0.0,) * 3, (0.0,) * 3)
TILTED = tuple(np.array((0.9, 0.1, -0.3, 0.2)) / np.linalg.norm((0.9, 0.1, -0.3, 0.2)))


def test_settings_stand_in_the_order_of_the_table():
    thing = RenderedObject((1.0, 2.0, 3.0), (0.1, 0.2, 0.25), damping=(1.0,) * 6, fixtures=0.5)
    row = thing.settings
    assert row.shape == (SETTING_COUNT,) == (sum(SETTINGS.values()),)
    assert row[:9].tolist() == [1.0, 2.0, 3.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.25]
    assert ShownObject.of(row).numbers["fixtures"] == [0.5]


def test_each_axis_has_its_own_mass():
    body = ShownObject.of(RenderedObject((1.0, 2.0, 4.0), (0.1,) * 3).settings).parameters((0.0,) * 3)
    state = ObjectState((0.0,) * 3, (1.0, 0.0, 0.0, 0.0), (0.0,) * 3, (0.0,) * 3)
    after = object_step(body, state, ObjectWrench((1.0, 1.0, 1.0), (0.0,) * 3), 0.1)
    assert after.velocity == pytest.approx((0.1, 0.05, 0.025))


def test_springs_pull_to_the_rest_pose_and_dampers_brake():
    """A damped spring brings the object to rest in place and attitude; without dampers its energy stays."""
    stiff, damped = (200.0, 150.0, 100.0, 2.0, 3.0, 4.0), (30.0, 30.0, 30.0, 0.6, 0.6, 0.6)
    thing = RenderedObject(
        2.0, (0.05, 0.06, 0.07), damping=damped, stiffness=stiff, rest_position=(0.1, 0.2, 0.3), rest_orientation=TILTED
    )
    shown = ShownObject.of(thing.settings)
    state = ObjectState((0.0,) * 3, (1.0, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 1.0, 0.0))
    body, field = shown.parameters((0.0,) * 3), shown.field(None)
    for _ in range(2500):
        state = object_step(body, state, NOTHING, 0.002, field=field, substeps=1)
    assert state.position == pytest.approx((0.1, 0.2, 0.3), abs=1e-6)
    assert abs(np.dot(state.orientation, TILTED)) == pytest.approx(1.0, abs=1e-9)


def test_springs_alone_keep_the_energy():
    """(2) is the slope of 2 u' Kr u also where the stiffness differs from axis to axis: a wrong moment would not be."""
    stiff = (200.0, 150.0, 100.0, 2.0, 5.0, 9.0)
    thing = RenderedObject(2.0, (0.05, 0.06, 0.07), stiffness=stiff, rest_orientation=TILTED)
    shown = ShownObject.of(thing.settings)
    body, field = shown.parameters((0.0,) * 3), shown.field(None)

    def energy(state):
        a, b, c, d = TILTED
        w, x, y, z = state.orientation
        u = a * np.array((x, y, z)) - w * np.array((b, c, d)) - np.cross((b, c, d), (x, y, z))
        turned = 2.0 * u @ (np.array(stiff[3:]) * u)
        return object_energy(body, state) + turned + 0.5 * np.array(state.position) ** 2 @ np.array(stiff[:3])

    state = ObjectState((0.1, -0.1, 0.2), (1.0, 0.0, 0.0, 0.0), (0.3, 0.0, 0.1), (2.0, -1.0, 1.5))
    first = energy(state)
    for _ in range(300):
        state = object_step(body, state, NOTHING, 0.002, field=field)
    assert energy(state) == pytest.approx(first, rel=1e-8)


def test_settings_move_without_a_jump_and_ignore_what_is_no_number():
    shown, asked = [1.0, 2.0], [3.0, math.nan]
    for _ in range(200):
        before, shown = shown, moved_settings(shown, asked, 0.1)
        assert abs(shown[0] - before[0]) <= 0.2 + 1e-12
    assert shown == pytest.approx([3.0, 2.0])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e13])
def test_what_is_no_number_is_replaced(value):
    assert sane(value, 7.0) == 7.0
    assert sane(1.0, 7.0) == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mass": 0.0}, "positive, finite mass"),
        ({"inertia": (1.0, 1.0, 3.0)}, "no body has"),
        ({"damping": (-1.0,) * 6}, "six numbers, zero or more"),
        ({"stiffness": (1.0,) * 3}, "six numbers"),
        ({"rest_orientation": (1.0, 1.0, 0.0, 0.0)}, "unit quaternion"),
        ({"rest_position": (math.nan, 0.0, 0.0)}, "three finite"),
        ({"fixtures": 2.0}, "strength of fixtures"),
    ],
)
def test_misuse(change, message):
    with pytest.raises(ArgumentError, match=message):
        RenderedObject(**{"mass": 1.0, "inertia": (0.1,) * 3, **change})
