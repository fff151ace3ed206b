"""Inertias: textbook bodies, clouds of point masses added up one by one, every scalar."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.spatial.scalars import KINDS, LAW, OTHER_TURN, TURN, flat

from torquec.spatial import PARAMETER_NAMES, Inertia, Pose, matmul, rpy_rotation, transpose

fractions = st.fractions(-3, 3, max_denominator=9)
points = st.tuples(st.fractions(Fraction(1, 9), 4, max_denominator=9), st.tuples(fractions, fractions, fractions))
clouds = st.lists(points, min_size=1, max_size=6)
floats = st.floats(-2.0, 2.0)
float_poses = st.builds(Pose, st.builds(rpy_rotation, floats, floats, floats), st.tuples(floats, floats, floats))
NOTHING = ((0.0, 0.0, 0.0),) * 3
POSE = Pose(TURN, (Fraction(1, 2), Fraction(-3), Fraction(2, 7)))


def of_points(cloud) -> Inertia:
    """The definition: sums over point masses (mass, place)."""
    total = [Fraction(0)] * 10
    for m, (x, y, z) in cloud:
        terms = (m * (y * y + z * z), -m * x * y, -m * x * z, m * (x * x + z * z), -m * y * z, m * (x * x + y * y))
        total = [a + b for a, b in zip(total, (*terms, m * x, m * y, m * z, m), strict=True)]
    return Inertia(*total)


def test_parameters_keep_their_order():
    body = Inertia(*range(10))
    assert body.parameters == tuple(range(10))
    assert PARAMETER_NAMES == ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "mx", "my", "mz", "m")
    assert body.tensor == ((0, 1, 2), (1, 3, 4), (2, 4, 5))
    assert body.first_moment == (6, 7, 8)


def test_a_rod_about_its_end():
    mass, length = 3.0, 2.0
    central = mass * length**2 / 12.0
    rod = Inertia.from_center_of_mass(mass, (1.0, 0.0, 0.0), ((0.0, 0, 0), (0, central, 0), (0, 0, central)))
    assert rod.yy == rod.zz == mass * length**2 / 3.0
    assert rod.xx == 0.0
    assert rod.first_moment == (3.0, 0.0, 0.0)


def test_two_cubes_are_a_box():
    def cube(center):
        return Inertia.from_center_of_mass(6.0, center, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))

    box = cube((0.5, 0.0, 0.0)) + cube((-0.5, 0.0, 0.0))
    assert box.parameters == (2.0, 0.0, 0.0, 5.0, 0.0, 5.0, 0.0, 0.0, 0.0, 12.0)
    assert box == Inertia(2.0, yy=5.0, zz=5.0, m=12.0)


def test_a_quarter_turn_exchanges_axes():
    quarter = Pose(((0, -1, 0), (1, 0, 0), (0, 0, 1)), (0, 0, 0))
    assert Inertia(1, 2, 3, 4, 5, 6, 7, 8, 9, 10).transformed(quarter).parameters == (4, -2, -5, 1, 3, 6, -8, 7, 9, 10)


@LAW
@given(cloud=clouds, origin=st.tuples(fractions, fractions, fractions))
def test_a_transformed_body_is_its_transformed_points(cloud, origin):
    for turn in (TURN, OTHER_TURN, matmul(TURN, OTHER_TURN)):
        pose = Pose(turn, origin)
        moved = of_points([(m, pose.apply(place)) for m, place in cloud])
        assert of_points(cloud).transformed(pose) == moved
        assert moved.transformed(pose.inverse()) == of_points(cloud)


@LAW
@given(first=clouds, second=clouds)
def test_bodies_add_like_their_points(first, second):
    assert of_points(first) + of_points(second) == of_points(first + second)


@LAW
@given(cloud=clouds)
def test_center_and_central_tensor_are_those_of_the_points(cloud):
    body = of_points(cloud)
    mass = sum(m for m, _ in cloud)
    center = tuple(sum(m * place[k] for m, place in cloud) / mass for k in range(3))
    about_center = of_points([(m, tuple(a - b for a, b in zip(place, center, strict=True))) for m, place in cloud])
    assert body.center_of_mass == center
    assert body.central_tensor == about_center.tensor
    assert Inertia.from_center_of_mass(mass, center, about_center.tensor) == body


@LAW
@given(p=float_poses, q=float_poses)
def test_transforms_compose(p, q):
    body = Inertia(2.0, 0.1, -0.2, 3.0, 0.3, 4.0, 0.5, -0.6, 0.7, 1.5)
    there = np.array(body.transformed(q).transformed(p).parameters)
    assert np.allclose(body.transformed(p @ q).parameters, there, rtol=0.0, atol=1e-12)


@LAW
@given(pose=float_poses)
def test_principal_moments_do_not_depend_on_the_frame(pose):
    body = Inertia.from_center_of_mass(2.0, (0.1, 0.2, -0.3), ((2.0, 0.1, 0.0), (0.1, 3.0, 0.2), (0.0, 0.2, 4.0)))
    moved = body.transformed(pose)
    before, after = (np.linalg.eigvalsh(np.array(each.central_tensor)) for each in (body, moved))
    assert np.allclose(before, after, rtol=0.0, atol=1e-12)
    assert np.allclose(moved.center_of_mass, pose.apply(body.center_of_mass), rtol=0.0, atol=1e-13)


def test_a_body_without_mass_has_its_center_at_the_origin():
    rotor = Inertia(1.0, yy=2.0, zz=3.0)
    assert rotor.center_of_mass == (0.0, 0.0, 0.0)
    assert rotor.central_tensor == rotor.tensor
    assert Inertia.from_center_of_mass(0.0, (1.0, 2.0, 3.0), NOTHING) == Inertia()


def test_all_parameters_are_floats_when_the_numbers_are():
    body = Inertia.from_center_of_mass(1.0, (0.0, 0.0, 1.0), NOTHING).transformed(Pose())
    assert all(type(value) is float for value in body.parameters)
    assert all(math.isfinite(value) for value in body.parameters)


BODY = of_points([(Fraction(2), (Fraction(1), Fraction(-1, 3), Fraction(2))), (Fraction(1, 2), (Fraction(3),) * 3)])


def everything(parameters, rotation, origin):
    body = Inertia(*parameters)
    moved = body.transformed(Pose(rotation, origin))
    made = Inertia.from_center_of_mass(body.m, origin, matmul(matmul(rotation, body.tensor), transpose(rotation)))
    return (moved.parameters, (moved + body).parameters, made.parameters)


def test_fractions_stay_exact():
    assert all(isinstance(v, Fraction) for v in flat(everything(BODY.parameters, POSE.rotation, POSE.origin)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_scalar_gives_the_same(kind):
    args = (BODY.parameters, POSE.rotation, POSE.origin)
    expected = [float(value) for value in flat(everything(*args))]
    assert np.allclose(kind.run(everything, args), expected, rtol=0.0, atol=1e-12)
