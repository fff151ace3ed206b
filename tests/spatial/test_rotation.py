"""Rotations: known matrices, the group, both ways for roll-pitch-yaw, quaternions and axes, every scalar."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.spatial.scalars import KINDS, LAW, OTHER_TURN, TURN, flat

from torquec.errors import ArgumentError
from torquec.spatial import (
    IDENTITY,
    IDENTITY_ROTATION,
    Pose,
    axis_angle_rotation,
    matmul,
    quaternion_rotation,
    rotation_quaternion,
    rotation_x,
    rotation_y,
    rotation_z,
    rpy_from_rotation,
    rpy_rotation,
    transpose,
    unit_quaternion_rotation,
)

angles = st.floats(-math.pi, math.pi)
directions = st.tuples(*(st.floats(-1.0, 1.0),) * 3).filter(lambda v: math.hypot(*v) > 1e-3)
X, Y, Z = IDENTITY_ROTATION
ROTATIONS = {X: rotation_x, Y: rotation_y, Z: rotation_z}


def unit(v):
    return tuple(x / math.hypot(*v) for x in v)


def exponential(v):
    """exp of the cross-product matrix of v, by its series after halving: shares nothing with the closed form."""
    k = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]]) / 64.0
    term, total = np.eye(3), np.eye(3)
    for n in range(1, 14):
        term = term @ k / n
        total = total + term
    return np.linalg.matrix_power(total, 64)


def close(a, b, tolerance=1e-13):
    return np.allclose(np.array(a, dtype=float), np.array(b, dtype=float), rtol=0.0, atol=tolerance)


def test_quarter_turns():
    assert rotation_x(0.0, 1.0) == ((1, 0, 0), (0, 0, -1), (0, 1, 0))
    assert rotation_y(0.0, 1.0) == ((0, 0, 1), (0, 1, 0), (-1, 0, 0))
    assert rotation_z(0.0, 1.0) == ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    assert quaternion_rotation(0.0, 1.0, 0.0, 0.0) == ((1, 0, 0), (0, -1, 0), (0, 0, -1))
    assert axis_angle_rotation((0, 0, 1), 0, 1) == ((0, -1, 0), (1, 0, 0), (0, 0, 1))


def test_a_third_of_a_turn_about_the_diagonal_permutes_the_axes():
    third = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    assert close(quaternion_rotation(1.0, 1.0, 1.0, 1.0), third, 1e-15)
    assert close(axis_angle_rotation(unit((1.0, 1.0, 1.0)), -0.5, math.sqrt(0.75)), third, 1e-15)


@pytest.mark.parametrize("axis", ROTATIONS)
@LAW
@given(angle=angles)
def test_elementary_rotations_are_exponentials(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    assert close(ROTATIONS[axis](c, s), exponential(np.multiply(axis, angle)))
    assert close(axis_angle_rotation(axis, c, s), ROTATIONS[axis](c, s), 1e-15)


@LAW
@given(axis=directions, angle=angles)
def test_axis_and_quaternion_are_exponentials(axis, angle):
    axis = unit(axis)
    expected = exponential(np.multiply(axis, angle))
    assert close(axis_angle_rotation(axis, math.cos(angle), math.sin(angle)), expected)
    half = math.sin(angle / 2.0)
    assert close(quaternion_rotation(math.cos(angle / 2.0), *(half * u for u in axis)), expected)


@LAW
@given(roll=angles, pitch=angles, yaw=angles)
def test_rpy_turns_about_fixed_axes_x_first(roll, pitch, yaw):
    r = rpy_rotation(roll, pitch, yaw)
    turns = [exponential(np.multiply(axis, angle)) for axis, angle in ((Z, yaw), (Y, pitch), (X, roll))]
    assert close(r, turns[0] @ turns[1] @ turns[2])
    assert close(matmul(r, transpose(r)), IDENTITY_ROTATION, 1e-15)
    assert np.linalg.det(np.array(r)) == pytest.approx(1.0)


@LAW
@given(roll=angles, pitch=st.floats(-math.pi / 2, math.pi / 2), yaw=angles)
@example(roll=0.3, pitch=math.pi / 2, yaw=-0.7)
@example(roll=-2.0, pitch=-math.pi / 2, yaw=1.0)
@example(roll=0.3, pitch=math.pi / 2 - 1e-8, yaw=-0.7)
@example(roll=0.3, pitch=-math.pi / 2 + 1e-5, yaw=-0.7)
@example(roll=math.pi, pitch=0.0, yaw=-math.pi)
@example(roll=0.0, pitch=0.0, yaw=0.0)
def test_rpy_there_and_back(roll, pitch, yaw):
    r = rpy_rotation(roll, pitch, yaw)
    found = rpy_from_rotation(r)
    near_pole = math.hypot(r[0][0], r[1][0]) < 1e-9
    assert close(rpy_rotation(*found), r, 2e-9 if near_pole else 2e-15)
    assert abs(found[1]) <= math.pi / 2 + (1e-9 if near_pole else 0.0)
    if math.cos(pitch) > 0.1:
        for here, there in zip(found, (roll, pitch, yaw), strict=True):
            assert math.remainder(here - there, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
def test_roll_is_zero_at_the_poles(pitch):
    roll, found_pitch, yaw = rpy_from_rotation(rpy_rotation(0.4, pitch, 1.1))
    assert roll == pytest.approx(0.0, abs=1e-15)
    assert found_pitch == pytest.approx(pitch)
    assert yaw == pytest.approx(1.1 - math.copysign(0.4, pitch))


def test_rpy_of_exact_right_angles():
    assert rpy_from_rotation(IDENTITY_ROTATION) == (0.0, 0.0, 0.0)
    assert rpy_from_rotation(rotation_z(0.0, 1.0)) == (0.0, 0.0, math.pi / 2)
    assert rpy_from_rotation(rotation_y(0.0, 1.0)) == (0.0, math.pi / 2, 0.0)
    assert rpy_from_rotation(rotation_x(0.0, 1.0)) == (math.pi / 2, 0.0, 0.0)


@LAW
@given(q=st.tuples(*(st.floats(-2.0, 2.0),) * 4).filter(lambda q: math.hypot(*q) > 1e-3))
def test_quaternions_of_any_length_and_sign(q):
    r = quaternion_rotation(*q)
    assert close(matmul(r, transpose(r)), IDENTITY_ROTATION, 1e-14)
    assert close(quaternion_rotation(*(-3e-200 * x for x in q)), r, 1e-14)
    back = rotation_quaternion(r)
    assert math.hypot(*back) == pytest.approx(1.0, abs=1e-15)
    assert max(back, key=abs) > 0.0
    assert close(unit_quaternion_rotation(back), r, 1e-14)


@LAW
@given(
    p=st.tuples(*(st.integers(-5, 5),) * 4).filter(any),
    q=st.tuples(*(st.integers(-5, 5),) * 4).filter(any),
)
def test_quaternion_product_is_rotation_product(p, q):
    (a, b, c, d), (e, f, g, h) = p, q
    product = (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )
    assert close(quaternion_rotation(*product), matmul(quaternion_rotation(*p), quaternion_rotation(*q)), 1e-14)


@pytest.mark.parametrize("q", [(0.0,) * 4, (math.nan, 0.0, 0.0, 1.0), (math.inf, 0.0, 0.0, 1.0)])
def test_a_quaternion_without_direction_is_refused(q):
    with pytest.raises(ArgumentError, match=r"is not a rotation\n  remedy: give four finite numbers"):
        quaternion_rotation(*q)


C, S = Fraction(3, 5), Fraction(4, 5)
AXIS = (Fraction(1, 3), Fraction(2, 3), Fraction(-2, 3))


def everything(c, s, axis):
    return (rotation_x(c, s), rotation_y(c, s), rotation_z(c, s), axis_angle_rotation(axis, c, s))


def test_fractions_stay_exact_about_an_axis():
    r = axis_angle_rotation(AXIS, C, S)
    assert all(isinstance(value, Fraction) for value in flat(r))
    assert matmul(r, transpose(r)) == IDENTITY_ROTATION


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_scalar_gives_the_same(kind):
    expected = [float(value) for value in flat(everything(C, S, AXIS))]
    assert np.allclose(kind.run(everything, (C, S, AXIS)), expected, rtol=0.0, atol=1e-15)


vectors = st.tuples(*(st.floats(-2.0, 2.0),) * 3)
poses = st.builds(Pose, st.builds(rpy_rotation, *(st.floats(-math.pi, math.pi),) * 3), vectors)
P, Q = (TURN, (Fraction(1, 2), Fraction(-3), Fraction(2, 7))), (OTHER_TURN, (Fraction(5), Fraction(1, 3), Fraction(-1)))
POINT = (Fraction(2), Fraction(-1, 5), Fraction(7))


def matrix(pose: Pose) -> np.ndarray:
    return np.block([[np.array(pose.rotation), np.array(pose.origin)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


def test_known_answers():
    pose = Pose(rotation_z(0.0, 1.0), (5.0, 0.0, 0.0))
    assert pose.apply((1.0, 2.0, 3.0)) == (3.0, 1.0, 3.0)
    assert (pose @ pose).origin == (5.0, 5.0, 0.0)
    assert pose.inverse() == Pose(rotation_z(0.0, -1.0), (0.0, 5.0, 0.0))
    assert IDENTITY.apply((1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


@LAW
@given(p=poses, q=poses, point=vectors)
def test_poses_are_homogeneous_matrices(p, q, point):
    assert np.allclose(matrix(p @ q), matrix(p) @ matrix(q), rtol=0.0, atol=1e-14)
    assert np.allclose([*p.apply(point), 1.0], matrix(p) @ [*point, 1.0], rtol=0.0, atol=1e-14)
    assert np.allclose(matrix(p.inverse()), np.linalg.inv(matrix(p)), rtol=0.0, atol=1e-13)


def test_group_laws_hold_exactly_over_fractions():
    p, q = Pose(*P), Pose(*Q)
    assert p @ p.inverse() == p.inverse() @ p == IDENTITY
    assert (p @ q).inverse() == q.inverse() @ p.inverse()
    assert (p @ q) @ p == p @ (q @ p)
    assert (p @ q).apply(POINT) == p.apply(q.apply(POINT))
    assert p @ IDENTITY == IDENTITY @ p
    assert all(isinstance(value, Fraction) for value in flat(everything_pose(P, Q, POINT)))


def test_equal_poses_hash_alike():
    assert hash(Pose()) == hash(IDENTITY)
    assert Pose() == IDENTITY
    assert Pose(origin=(1.0, 0.0, 0.0)) != IDENTITY


def everything_pose(p, q, point):
    both, back = Pose(*p) @ Pose(*q), Pose(*p).inverse()
    return (both.rotation, both.origin, back.rotation, back.origin, Pose(*p).apply(point))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_scalar_gives_the_same_of_pose(kind):
    expected = [float(value) for value in flat(everything_pose(P, Q, POINT))]
    assert np.allclose(kind.run(everything_pose, (P, Q, POINT)), expected, rtol=0.0, atol=1e-14)
