"""Poses: known answers, the group of rigid motions as 4x4 matrices, every scalar."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.spatial.scalars import KINDS, LAW, OTHER_TURN, TURN, flat

from torquec.spatial import IDENTITY, Pose, rotation_z, rpy_rotation

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
    assert all(isinstance(value, Fraction) for value in flat(everything(P, Q, POINT)))


def test_equal_poses_hash_alike():
    assert hash(Pose()) == hash(IDENTITY)
    assert Pose() == IDENTITY
    assert Pose(origin=(1.0, 0.0, 0.0)) != IDENTITY


def everything(p, q, point):
    both, back = Pose(*p) @ Pose(*q), Pose(*p).inverse()
    return (both.rotation, both.origin, back.rotation, back.origin, Pose(*p).apply(point))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_scalar_gives_the_same(kind):
    expected = [float(value) for value in flat(everything(P, Q, POINT))]
    assert np.allclose(kind.run(everything, (P, Q, POINT)), expected, rtol=0.0, atol=1e-14)
