import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.guide import Guide, GuideShape, guide_field, joined_fields
from torquec.haptics.virtual_object import ObjectState, ObjectWrench, VirtualObject, object_energy, object_step

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
NOTHING = ObjectWrench((0.0,) * 3, (0.0,) * 3)
BODY = VirtualObject(2.0, (0.02, 0.02, 0.02)).parameters


def test_a_line_draws_across_it_only():
    field = guide_field([Guide("line", (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 100.0, 5.0)])
    felt = field(ObjectState((1.2, 0.1, 7.0), UPRIGHT, (0.0, 0.3, 4.0), (0.0,) * 3))
    assert felt.force == pytest.approx((-20.0, -10.0 - 1.5, 0.0))


def test_a_plane_draws_along_its_normal_only():
    field = guide_field([Guide(GuideShape.PLANE, (0.0, 0.0, 1.0), (0.0, 0.0, 1.0), 100.0, 5.0)])
    felt = field(ObjectState((1.2, 0.1, 1.5), UPRIGHT, (1.0, 0.3, 2.0), (0.0,) * 3))
    assert felt.force == pytest.approx((0.0, 0.0, -50.0 - 10.0))


def test_a_guided_point_off_the_mass_centre_turns_the_body():
    field = guide_field([Guide("plane", (0.0,) * 3, (0.0, 0.0, 1.0), 100.0, place=(0.5, 0.0, 0.0))])
    felt = field(ObjectState((0.0, 0.0, 0.1), UPRIGHT, (0.0,) * 3, (0.0,) * 3))
    assert felt.moment == pytest.approx(np.cross((0.5, 0.0, 0.0), felt.force))
    assert felt.moment[1] == pytest.approx(5.0)


def test_a_guide_without_damping_keeps_the_energy():
    field = guide_field([Guide("line", (0.0,) * 3, (0.0, 0.6, 0.8), 300.0)])

    def energy(state):
        off = np.array(state.position) - np.dot(state.position, (0.0, 0.6, 0.8)) * np.array((0.0, 0.6, 0.8))
        return object_energy(BODY, state) + 150.0 * off @ off

    state = ObjectState((0.1, -0.2, 0.05), UPRIGHT, (0.2, 0.1, 0.3), (0.0,) * 3)
    first = energy(state)
    for _ in range(500):
        state = object_step(BODY, state, NOTHING, 0.002, field=field)
    assert energy(state) == pytest.approx(first, rel=1e-9)


def test_fields_are_added():
    guides = [Guide("line", (0.0,) * 3, (1.0, 0.0, 0.0), 10.0), Guide("plane", (0.0,) * 3, (1.0, 0.0, 0.0), 10.0)]
    state = ObjectState((0.1, 0.2, 0.3), UPRIGHT, (0.0,) * 3, (0.0,) * 3)
    both = joined_fields([guide_field(guides[:1]), guide_field(guides[1:])])(state)
    assert both.force == pytest.approx((-1.0, -2.0, -3.0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"direction": (1.0, 1.0, 0.0)}, "unit vector"),
        ({"stiffness": 0.0}, "stiffness positive"),
        ({"damping": -1.0}, "not negative"),
        ({"shape": "curve"}, "shape of a guide"),
    ],
)
def test_misuse(change, message):
    given = {"shape": "line", "point": (0.0,) * 3, "direction": (1.0, 0.0, 0.0), "stiffness": 1.0, **change}
    with pytest.raises(ArgumentError, match=message):
        Guide(**given)
