"""Laws of every kind of joint: what `JointKind` promises determines placement, motion subspace and rates."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.expr import evaluate, trace
from torquec.robot.joints import KINDS, JointType, PositionBasis, UnitTwist
from torquec.spatial import IDENTITY, rpy_rotation

AXES = {"z": (0.0, 0.0, 1.0), "skew": (0.48, -0.6, 0.64)}
STEP = 1e-6

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
SINGLE = [kind for kind in KINDS.values() if kind.nv == 1]


def matrix(pose):
    """A pose as a 4 x 4 matrix."""
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = pose.rotation, pose.origin
    return made


def a_position(kind, seed=0):
    """Some position, reached from the neutral one."""
    return kind.integrate(kind.neutral, np.random.default_rng(seed).uniform(-1.0, 1.0, kind.nv).tolist())


def test_every_type_has_its_kind():
    assert {type.value: type.kind for type in JointType} == dict(KINDS)
    assert [type for type in JointType if type.kind.nv == 1 and not type.kind.coordinate.turns] == [JointType.PRISMATIC]


@every_kind
def test_numbers_of_coordinates(kind):
    assert len(kind.neutral) == kind.nq
    assert len(kind.coordinates) == len(kind.motion_subspace) == kind.nv
    assert tuple(each.column for each in kind.coordinates) == kind.motion_subspace
    assert [len(row) for row in kind.rate_map(a_position(kind))] == [kind.nv] * kind.nq


@every_kind
def test_neutral_position_leaves_the_joint_frame(kind):
    np.testing.assert_array_equal(matrix(kind.placement(AXES["skew"], kind.neutral)), matrix(IDENTITY))


@every_kind
def test_columns_are_the_body_twists_of_unit_rates(kind):
    """inv(T) dT/dt = [S v], central differences."""
    q = a_position(kind)
    here = matrix(kind.placement(AXES["z"], q))
    for k, column in enumerate(kind.motion_subspace):
        rate = np.eye(kind.nv)[k] * STEP
        ahead, behind = (matrix(kind.placement(AXES["z"], kind.integrate(q, sign * rate))) for sign in (1.0, -1.0))
        twist = np.linalg.inv(here) @ (ahead - behind) / (2.0 * STEP)
        np.testing.assert_allclose(twist[:3, 3], column.linear, atol=1e-9)
        np.testing.assert_allclose([twist[2, 1], twist[0, 2], twist[1, 0]], column.angular, atol=1e-9)


@every_kind
def test_difference_undoes_integrate(kind):
    q, v = a_position(kind), np.random.default_rng(1).uniform(-1.0, 1.0, kind.nv)
    np.testing.assert_allclose(kind.difference(q, kind.integrate(q, v)), v, atol=1e-12)


@every_kind
def test_rate_map_is_the_derivative_of_the_position(kind):
    q, v = a_position(kind), np.random.default_rng(1).uniform(-1.0, 1.0, kind.nv)
    ahead, behind = (np.array(kind.integrate(q, sign * STEP * v)) for sign in (1.0, -1.0))
    np.testing.assert_allclose(np.array(kind.rate_map(q)) @ v, (ahead - behind) / (2.0 * STEP), atol=1e-9)


@every_kind
def test_placement_over_nodes_and_batches_is_that_over_floats(kind):
    states = [a_position(kind, seed) for seed in range(3)]
    traced = trace("T", lambda q: {"R": kind.placement(AXES["skew"], q).rotation}, {"q": (kind.nq,)})
    batch = kind.placement(AXES["skew"], np.array(states).T)
    for k, q in enumerate(states):
        pose = kind.placement(AXES["skew"], q)
        np.testing.assert_allclose(evaluate(traced, {"q": np.array(q)})["R"], pose.rotation, atol=1e-15)
        origin = [np.broadcast_to(x, 3)[k] for x in batch.origin]
        rotation = [[np.broadcast_to(x, 3)[k] for x in row] for row in batch.rotation]
        np.testing.assert_allclose(rotation, pose.rotation, atol=1e-15)
        np.testing.assert_allclose(origin, pose.origin, atol=1e-15)


@pytest.mark.parametrize("kind", SINGLE, ids=str)
def test_screw_of_modified_frames_adds_the_position_to_its_own_offset(kind):
    """Rz(theta) Tz(d) times the placement about z, in any order: both are about one axis."""
    theta, d, q = 0.3, 0.7, a_position(kind)
    c, s, height = kind.z_screw(theta, d, q)
    offset = np.array(
        [[np.cos(theta), -np.sin(theta), 0, 0], [np.sin(theta), np.cos(theta), 0, 0], [0, 0, 1, d], [0, 0, 0, 1]]
    )
    wanted = offset @ matrix(kind.placement(AXES["z"], q))
    np.testing.assert_allclose([[c, -s], [s, c]], wanted[:2, :2], atol=1e-15)
    assert height == pytest.approx(wanted[2, 3])


@every_kind
def test_limited_and_unlimited_kinds_move_alike(kind):
    for other in (kind.limited, kind.unlimited):
        assert other.motion_subspace == kind.motion_subspace
        assert (other.limited, other.unlimited) == (kind.limited, kind.unlimited)
    assert kind.limited.has_position_limits is (kind.nv == 1)
    assert kind in (kind.limited, kind.unlimited)


@every_kind
def test_a_single_coordinate_is_asked_only_of_joints_that_have_one(kind):
    if kind.nv == 1:
        assert (kind.coordinate,) == kind.coordinates
    else:
        with pytest.raises(ArgumentError):
            kind.coordinate  # noqa: B018 - it raises
        assert len({each.suffix for each in kind.coordinates}) == kind.nv


def test_units():
    hinge, slide = KINDS["continuous"].coordinate, KINDS["prismatic"].coordinate
    assert (hinge.position_unit, hinge.speed_unit, hinge.effort_unit) == ("rad", "rad/s", "N m")
    assert (slide.position_unit, slide.speed_unit, slide.effort_unit) == ("m", "m/s", "N")


def test_words_of_files_name_one_kind():
    for words in ([kind.urdf for kind in KINDS.values() if kind.urdf], [kind.dh for kind in KINDS.values() if kind.dh]):
        assert len(set(words)) == len(words)
    mjcf = [(kind.mjcf, kind.has_position_limits) for kind in KINDS.values() if kind.mjcf]
    assert len(set(mjcf)) == len(mjcf)


TWISTS = [UnitTwist(axis, turns) for axis in range(3) for turns in (True, False)]


@pytest.mark.parametrize("twist", TWISTS)
def test_one_unit_vector_in_one_part(twist):
    whole = [*twist.linear, *twist.angular]
    assert whole == list(np.eye(6)[twist.axis + (3 if twist.turns else 0)])


@pytest.mark.parametrize("twist", TWISTS)
def test_effort_is_the_power_per_unit_of_rate(twist):
    force, moment = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)
    assert twist.effort(force, moment) == np.dot(twist.linear, force) + np.dot(twist.angular, moment)


@pytest.mark.parametrize("twist", TWISTS)
def test_direction_is_the_turned_axis(twist):
    rotation = rpy_rotation(0.3, -0.4, 0.5)
    wanted = np.array(rotation) @ np.eye(3)[twist.axis]
    np.testing.assert_array_equal(twist.direction(rotation), wanted)


def functions(basis, degree, x):
    """The functions of a basis at x, (N, size)."""
    if basis.is_periodic:
        return np.stack([f(k * x) for k in range(degree + 1) for f in (np.cos, np.sin) if k or f is np.cos], axis=1)
    return np.stack([x**k for k in range(degree + 1)], axis=1)


@pytest.mark.parametrize("basis", list(PositionBasis))
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_size_is_the_number_of_independent_functions(basis, degree):
    size = basis.size(degree)
    x = np.random.default_rng(degree).uniform(-1.0, 1.0, 40)
    assert functions(basis, degree, x).shape[1] == np.linalg.matrix_rank(functions(basis, degree, x)) == size
    assert basis.degree(size) == degree


@pytest.mark.parametrize("basis", list(PositionBasis))
def test_periodic_functions_repeat_after_a_turn(basis):
    x = np.linspace(-1.0, 1.0, 7)
    assert np.allclose(functions(basis, 2, x), functions(basis, 2, x + 2.0 * np.pi)) is basis.is_periodic
