"""The error of one coefficient: where it stands, what its table may be off by, and in which variables."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.proof.arms import arm, programs
from tests.proof.tables import table_of

from torquec.closedform.paths import ParallelGroup
from torquec.closedform.polynomial import TrigPolynomial, Variable
from torquec.closedform.tabulate import basis_powers
from torquec.proof.enclosure.bernstein import basis_degree
from torquec.proof.torque.coefficient_certificate import ErrorKind, Family
from torquec.proof.torque.coefficient_error import (
    CoefficientError,
    _is_product,
    _range,
    _turns,
    coefficient_error,
    coefficient_row,
    in_fewest_variables,
)
from torquec.proof.torque.torque_residual import torque_residual
from torquec.proof.torque.torque_tables import torque_rows, torque_tables
from torquec.robot.joints import PositionBasis
from torquec.trajectory.motion_box import MotionBox


def angle(*joints: int) -> Variable:
    return Variable(tuple((abs(j), 1 if j >= 0 else -1) for j in joints))


def values(error: CoefficientError, q):
    """Rows of the table at positions (N, n): (rows, N)."""
    found = np.repeat(error.table[..., None], len(q), axis=-1)
    for variable in reversed(error.variables):
        x = sum(sign * q[:, j] for j, sign in variable.joints)
        powers = basis_powers(variable, basis_degree(variable, found.shape[-2]))
        cosine, sine = (np.ones_like(x), x) if not variable.is_angle else (np.cos(x), np.sin(x))
        found = np.einsum("...bn,bn->...n", found, np.array([cosine**a * sine**b for a, b in powers]))
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_rows_of_coefficients(n):
    """M of a joint, then products of speeds, 2 c_jk for j < k, then gravity."""
    names = [(Family.M, (n - 1, j), 1.0) for j in range(n)]
    names += [(Family.H, (n - 1, j, k), 1.0 if j == k else 0.5) for j in range(n) for k in range(j, n)]
    names += [(Family.G, (n - 1,), 1.0)]
    for row, (family, index, part) in enumerate(names):
        assert coefficient_row(n, family, index) == (n - 1, row, part)


@pytest.fixture(scope="module")
def tables():
    robot = arm("planar3r")
    made = programs(robot, 1, 0.8)
    exact, simplified = (torque_tables(program, [PositionBasis.TRIGONOMETRIC] * 3, [0, 1, 2]) for program in made)
    return made, exact, torque_residual(exact, simplified)


COEFFICIENTS = [
    (Family.M, (0, 0), 0, 1.0), (Family.M, (0, 1), 1, 1.0), (Family.H, (0, 0, 1), 4, 0.5),
    (Family.H, (0, 1, 1), 6, 1.0), (Family.H, (1, 0, 0), 3, 1.0), (Family.G, (1,), 9, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("family", "index", "row", "part"), COEFFICIENTS)
def test_tables_are_the_errors_and_what_they_are_off_by_is_added_up(tables, family, index, row, part):
    made, exact, residual = tables
    rng = np.random.default_rng(3)
    q = rng.uniform(-3.0, 3.0, (20, 3))
    whole, small = (part * torque_rows(program, q)[:, index[0], row] for program in made)
    dropped = 1e-3 * np.arange(1.0, 31.0).reshape(3, 10)
    residual = replace(residual, dropped=tuple(dropped))
    # Two coefficients of the exact function are nothing but rounding.
    noisy = exact.table.copy()
    noisy[2, 3, 4, index[0], row], noisy[4, 4, 4, index[0], row] = 1e-14 * residual.size, -0.5e-14 * residual.size
    absolute, relative = (
        coefficient_error(replace(exact, table=noisy), residual, family, index, kind, snap=0.125)
        for kind in (ErrorKind.ABSOLUTE, ErrorKind.RELATIVE)
    )
    np.testing.assert_allclose(values(absolute, q), [whole - small], atol=1e-11)
    np.testing.assert_allclose(values(relative, q), [whole - small, -whole], atol=1e-11)
    off = part * dropped[index[0], row] + residual.rounding + 0.125
    np.testing.assert_allclose(absolute.allowance, [off], rtol=1e-12)
    noise = np.abs(part * noisy[..., index[0], row])
    lost = noise[noise < 2e-14 * residual.size].sum()
    assert lost >= part * 1.4e-14 * residual.size
    assert relative.allowance[0] == off
    assert relative.allowance[1] - 0.125 == pytest.approx(lost + residual.rounding, rel=1e-3, abs=0.0)
    for error in (absolute, relative):
        assert error.snap == 0.125
        assert error.smallest == pytest.approx(3.0 * (residual.rounding + 0.125))


def polynomial(terms, joints, *, kind=ErrorKind.ABSOLUTE, off=1e-14, **more):
    variables = tuple(angle(j) for j in range(joints))
    rows = [TrigPolynomial(each) for each in terms]
    return CoefficientError(table_of(rows, variables, 2), variables, kind, np.full(len(rows), off), 1e-12, **more)


def sine_of_a_sum(a=0, b=1, size=1.0):
    q, p = angle(a), angle(b)
    return {((q, 0, 1), (p, 1, 0)): size, ((q, 1, 0), (p, 0, 1)): size}


def test_largest_errors_that_are_found():
    """sin q1 + 2 cos q2 in [0, 1] x [1, 2] is at most sin 1 + 2 cos 1, a part of 4 + sin q1 at most a third."""
    box = MotionBox((0.0, 1.0), (1.0, 2.0))
    wave = {((angle(0), 0, 1),): 1.0, ((angle(1), 1, 0),): 2.0}
    assert polynomial([wave], 2).largest_found(box) == pytest.approx(math.sin(1.0) + 2.0 * math.cos(1.0), rel=1e-6)
    part = polynomial([wave, {(): -4.0, ((angle(0), 0, 1),): -1.0}], 2, kind=ErrorKind.RELATIVE)
    most = (math.sin(1.0) + 2.0 * math.cos(1.0)) / (4.0 + math.sin(1.0))
    assert part.largest_found(box) == pytest.approx(most, rel=1e-6)
    assert polynomial([{}], 2).largest_found(box) == 0.0


def test_degrees_and_ranges():
    slide = Variable(((2, 1),), PositionBasis.POLYNOMIAL)
    error = CoefficientError(np.zeros((1, 3, 5, 7, 4)), (angle(0), angle(0, -1), angle(1), slide), *[None] * 3)
    assert error.degrees == (1, 2, 3, 3)
    box = MotionBox((-1.0, -3.0, -8.0), (2.0, 2.0, 9.0))
    found = [(r.variable, r.lower, r.upper) for r in error.ranges(box)]
    assert found == [
        (angle(0), -1.0, 2.0), (angle(0, -1), -math.pi, math.pi), (angle(1), -3.0, 2.0), (slide, -8.0, 9.0)
    ]  # fmt: skip
    narrow = MotionBox((-1.0, -0.5), (2.0, 0.25))
    assert [(r.lower, r.upper) for r in (_range(angle(0, -1), narrow), _range(angle(0, 1), narrow))] == [
        (-1.25, 2.5),
        (-1.5, 2.25),
    ]


def test_whole_turns():
    for width, turns in ((2.0 * math.pi, True), (2.0 * math.pi - 1e-9, False), (9.0, True)):
        box = MotionBox((0.0, 0.0), (1.0, width))
        assert _turns(1, box) is turns
        found = _range(angle(1), box)
        assert (found.lower, found.upper) == ((-math.pi, math.pi) if turns else (0.0, width))


@pytest.mark.parametrize(
    ("variables", "turning", "expected"),
    [
        ([(0,), (1,)], [], True),
        ([(0, 1)], [], True),
        ([(0,), (0, 1)], [], False),
        ([(0,), (0, 1)], [1], True),
        ([(0,), (0, 1)], [0], False),
        ([(0, 1), (0,)], [1], True),
        ([(0,), (0, 1), (0, 1, 2)], [1], False),
        ([(0,), (0, 1), (0, 1, 2)], [1, 2], True),
        ([(0, 1), (1, 2)], [2], True),
        ([(0, 1), (2,)], [], True),
    ],
)
def test_boxes_of_sums(variables, turning, expected):
    """Sums without a joint in common, or each with a joint of its own that makes a whole turn."""
    box = MotionBox((-1.0,) * 3, tuple(-1.0 + (2.0 * math.pi if j in turning else 2.0) for j in range(3)))
    assert _is_product([angle(*each) for each in variables], box) is expected


WHOLE = MotionBox((-math.pi,) * 3, (math.pi,) * 3)
GROUP = ParallelGroup(((0, 1), (1, 1), (2, 1)))


@pytest.mark.parametrize("box", [WHOLE, MotionBox((-0.5,) * 3, (0.75,) * 3)], ids=["turns", "narrow"])
@pytest.mark.parametrize("seed", range(4))
def test_sums_are_other_variables_of_the_same_function(seed, box):
    rng = np.random.default_rng(seed)
    first = seed // 2
    terms = sine_of_a_sum(first, first + 1, float(rng.normal()))
    terms[()] = 0.5
    if seed % 2:
        terms[((angle(first), 0, 1),)] = float(rng.normal())
    error = polynomial([terms], 3)
    found = in_fewest_variables(error, box, [GROUP])
    q = rng.uniform(box.lower, box.upper, (200, 3))
    np.testing.assert_allclose(values(found, q), values(error, q), atol=1e-12)
    assert len(found.variables) == (1 if not seed % 2 else 2)
    if not seed % 2:
        assert (found.variables, found.degrees) == ((angle(first, first + 1),), (1,))
    assert np.all(found.allowance >= error.allowance)
    assert found.allowance[0] < 1e-12


def test_terms_are_left_out_as_far_as_rounding_goes_and_are_counted():
    """Rounding makes sums of a wave in q1 - q2, which is then counted; snapping makes none of them."""
    q, p = angle(0), angle(1)
    both = sine_of_a_sum()
    for size, off, snap, variables in ((1e-7, 1e-6, 0.0, 1), (1e-5, 1e-6, 0.0, 2), (1e-5, 1e-3 + 1e-6, 1e-3, 2)):
        terms = dict(both)
        terms[(q, 0, 1), (p, 1, 0)] += size
        terms[(q, 1, 0), (p, 0, 1)] -= size  # size sin(q1 - q2)
        error = polynomial([terms], 2, off=off, snap=snap)
        found = in_fewest_variables(error, MotionBox((-math.pi,) * 2, (math.pi,) * 2), [GROUP])
        assert len(found.variables) == variables
        at = np.random.default_rng(1).uniform(-3.0, 3.0, (100, 2))
        left = np.abs(values(found, at) - values(error, at)).max()
        lost = found.allowance[0] - off
        assert left <= lost + 1e-12
        if variables == 1:
            assert size * (1.0 - 1e-6) <= lost <= 5.0 * size


def test_degrees_are_no_higher_than_those_of_the_error():
    square = {((angle(0), 1, 1),): 1.0, ((angle(1), 0, 1),): 1.0}
    found = in_fewest_variables(polynomial([square], 2), WHOLE, [])
    assert found.degrees == (2, 1)
    assert found.table.shape == (1, 5, 3)
