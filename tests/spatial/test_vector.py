"""Three-vectors and 3x3 matrices: known answers, laws that determine them, every scalar."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.spatial.scalars import KINDS, LAW, OTHER_TURN, TURN, flat

from torquec.spatial import IDENTITY_ROTATION, add, cross, dot, matmul, matvec, norm, scale, subtract, transpose

integers = st.integers(-9, 9)
vectors = st.tuples(integers, integers, integers)
matrices = st.tuples(vectors, vectors, vectors)
A, B = (Fraction(1, 3), Fraction(-2), Fraction(5, 7)), (Fraction(4), Fraction(1, 2), Fraction(-3))


def test_known_answers():
    a, b, m = (1, 2, 3), (4, 5, 6), ((1, 2, 3), (4, 5, 6), (7, 8, 10))
    assert add(a, b) == (5, 7, 9)
    assert subtract(a, b) == (-3, -3, -3)
    assert scale(a, 2) == (2, 4, 6)
    assert dot(a, b) == 32
    assert cross(a, b) == (-3, 6, -3)
    assert norm((2.0, 3.0, 6.0)) == 7.0
    assert matvec(m, a) == (14, 32, 53)
    assert transpose(m) == ((1, 4, 7), (2, 5, 8), (3, 6, 10))
    assert matmul(m, m) == ((30, 36, 45), (66, 81, 102), (109, 134, 169))


def test_unit_vectors_turn_into_each_other():
    x, y, z = IDENTITY_ROTATION
    assert [cross(x, y), cross(y, z), cross(z, x)] == [z, x, y]


@LAW
@given(a=vectors, b=vectors, c=vectors)
def test_cross_product_is_the_determinant(a, b, c):
    assert dot(cross(a, b), c) == round(np.linalg.det(np.array([a, b, c], dtype=float)))
    assert cross(a, cross(b, c)) == subtract(scale(b, dot(a, c)), scale(c, dot(a, b)))


@LAW
@given(m=matrices, n=matrices, v=vectors)
def test_matrices_as_numpy_has_them(m, n, v):
    assert np.array_equal(matmul(m, n), np.array(m) @ np.array(n))
    assert np.array_equal(matvec(m, v), np.array(m) @ np.array(v))
    assert np.array_equal(transpose(m), np.array(m).T)
    assert matvec(matmul(m, n), v) == matvec(m, matvec(n, v))


@LAW
@given(a=vectors, b=vectors, m=matrices, n=matrices)
def test_floats_take_a_way_of_their_own_to_the_same_numbers(a, b, m, n):
    x, y = tuple(map(float, a)), tuple(map(float, b))
    p, r = (tuple(tuple(map(float, row)) for row in rows) for rows in (m, n))
    assert (add(x, y), subtract(x, y), scale(x, y[0])) == (add(a, b), subtract(a, b), scale(a, b[0]))
    assert (dot(x, y), cross(x, y), matvec(p, x), matmul(p, r)) == (dot(a, b), cross(a, b), matvec(m, a), matmul(m, n))
    products = (dot(x, y), *scale(x, y[0]), *cross(x, y), *matvec(p, x), *flat(matmul(p, r)))
    assert all(math.copysign(1.0, value) == 1.0 for value in products if value == 0.0)  # no zero is negative


def test_length_neither_overflows_nor_underflows():
    assert norm((3e200, 4e200, 0.0)) == pytest.approx(5e200)
    assert norm((3e-200, 4e-200, 0.0)) == pytest.approx(5e-200, abs=0.0)
    assert norm((math.inf, 0.0, 0.0)) == math.inf


def everything(a, b, m, n):
    return (add(a, b), subtract(a, b), scale(a, b[0]), dot(a, b), cross(a, b), matvec(m, a), transpose(m), matmul(m, n))


def test_fractions_stay_exact():
    result = flat(everything(A, B, TURN, OTHER_TURN))
    assert all(isinstance(value, Fraction) for value in result)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_scalar_gives_the_same(kind):
    expected = [float(value) for value in flat(everything(A, B, TURN, OTHER_TURN))]
    assert np.allclose(kind.run(everything, (A, B, TURN, OTHER_TURN)), expected, rtol=0.0, atol=1e-14)
