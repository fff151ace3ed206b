"""What a pushed cube meets: the second cube's corner lies on the way, its forces push back and are felt as contact."""

import numpy as np
import pytest
from scipy.optimize import linprog

from torquec.codegen.llvm import compile_function
from torquec.haptics.contact_experiment import (
    PlacedBox,
    box_gap,
    box_gap_function,
    mass_centre,
    pushed_against_cube,
    pushed_against_wall,
)
from torquec.haptics.haptic_plan import ExperimentOptions, checked_options
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import ObjectParameters, ObjectState, ObjectWrench, object_step, quaternion_of
from torquec.spatial import Pose, rpy_rotation

OPTIONS = checked_options("two-cubes", ExperimentOptions(impact=0.2))
START = Pose(rpy_rotation(0.3, -0.4, 0.7), (0.5, 0.1, 0.4))
X = np.array([row[0] for row in START.rotation])
NOTHING = ObjectWrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def at(along, velocity=(0.0, 0.0, 0.0)):
    place = tuple(np.array(START.origin) + along * X)
    return ObjectState(place, quaternion_of(START.rotation), velocity, (0.0, 0.0, 0.0))


@pytest.mark.parametrize("meet", [pushed_against_wall, pushed_against_cube])
def test_contact_begins_after_the_way(meet):
    against = meet(START, OPTIONS)
    force = against.environment(10.0)
    assert force(at(against.way - 1e-4)).force == (0.0, 0.0, 0.0)
    pushed = np.array(force(at(against.way + 1e-4)).force)
    assert pushed @ X < -1.0  # back along the way
    np.testing.assert_allclose(pushed - (pushed @ X) * X, 0.0, atol=1e-6 * abs(pushed @ X))
    rows = np.array([np.array(START.origin) + s * X for s in (0.0, against.way, against.way + 1e-3)])
    turn = np.array([quaternion_of(START.rotation)] * 3)
    np.testing.assert_allclose(against.approach(rows, turn)[1:], [0.0, 1e-3], atol=1e-9)
    assert against.approach(rows, turn)[0] < 0.0


def test_the_force_of_a_corner_has_its_moment_about_the_mass_centre():
    """The corner is a sixth of an edge aside: moment = arm x force, with the arm by hand."""
    against = pushed_against_cube(START, OPTIONS)
    found = against.environment(10.0)(at(against.way + 1e-3))
    arm = TUNING.cube_edge / 2.0 * X + TUNING.cube_edge / 6.0 * np.array([row[1] for row in START.rotation])
    np.testing.assert_allclose(found.moment, np.cross(arm, found.force), atol=0.02 * np.linalg.norm(found.moment))


def test_a_free_cube_does_not_pass_and_one_sided_contact_takes_energy():
    options = checked_options("two-cubes", ExperimentOptions(impact=0.2, two_sided=False))
    against = pushed_against_cube(START, options)
    body = ObjectParameters(
        (10.0,) * 3, ((0.05, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, 0.0, 0.05)), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    )
    state, field, deep = at(against.way - 0.01, tuple(0.2 * X)), against.environment(10.0), []
    for _ in range(200):
        state = object_step(body, state, NOTHING, 0.002, field=field)
        deep.append(against.approach(np.array([state.position]), np.array([state.orientation]))[0])
    assert 0.0 < max(deep) < 2e-3
    energy = 5.0 * np.dot(state.velocity, state.velocity) + 0.025 * np.dot(
        state.angular_velocity, state.angular_velocity
    )
    assert energy < 0.5 * 10.0 * 0.2**2
    assert np.linalg.norm(state.angular_velocity) > 0.05


def test_the_mass_centre_of_an_offset():
    found = mass_centre(START, (0.1, 0.0, 0.0))
    np.testing.assert_allclose(found.origin, np.array(START.origin) + 0.1 * X)


def random_box(rng):
    return PlacedBox(
        tuple(rng.uniform(-1, 1, 3)), rpy_rotation(*rng.uniform(-3, 3, 3)), tuple(rng.uniform(0.1, 0.7, 3))
    )


def common_point(first, second):
    """Whether some point lies in both boxes: a linear program, which knows nothing of separating directions."""
    rows, limits = [], []
    for box in (first, second):
        axes = np.array(box.rotation).T
        rows += [axes, -axes]
        limits += [axes @ box.centre + box.half, -(axes @ box.centre) + np.array(box.half)]
    found = linprog(np.zeros(3), A_ub=np.concatenate(rows), b_ub=np.concatenate(limits), bounds=(None, None))
    return found.status == 0


def test_against_a_linear_program():
    rng = np.random.default_rng(1)
    verdicts = []
    for _ in range(150):
        first, second = random_box(rng), random_box(rng)
        gap = box_gap(first, second)
        assert gap == pytest.approx(box_gap(second, first), abs=1e-12)
        if abs(gap) > 1e-9:
            verdicts.append(gap < 0)
            assert (gap < 0) == common_point(first, second)
    assert 20 < sum(verdicts) < 130


def test_boxes_with_the_same_axes():
    straight = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    one = PlacedBox((0.0, 0.0, 0.0), straight, (0.5, 0.5, 0.5))
    assert box_gap(one, PlacedBox((1.5, 0.0, 0.0), straight, (0.5, 0.5, 0.5))) == pytest.approx(0.5)
    assert box_gap(one, PlacedBox((0.9, 0.2, 0.0), straight, (0.5, 0.5, 0.5))) == pytest.approx(-0.1)


def test_moving_by_the_gap_ends_the_overlap():
    rng = np.random.default_rng(2)
    for _ in range(100):
        first, second = random_box(rng), random_box(rng)
        gap = box_gap(first, second)
        if gap < 0:
            shrunk = [PlacedBox(b.centre, b.rotation, tuple(h + gap / 2 for h in b.half)) for b in (first, second)]
            if min(h for b in shrunk for h in b.half) > 0:
                assert box_gap(*shrunk) > gap


def test_native_code_gives_the_same():
    function = compile_function(box_gap_function())
    rng = np.random.default_rng(3)
    for _ in range(20):
        boxes = random_box(rng), random_box(rng)
        found = function(*(np.array(part, dtype=float) for box in boxes for part in box))
        assert float(np.ravel(found)[0]) == pytest.approx(box_gap(*boxes), abs=1e-12)
