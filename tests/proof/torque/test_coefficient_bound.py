"""Bounds of coefficients: known answers, sums of angles, relative errors, never below what occurs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.proof.tables import table_of

from torquec.closedform.paths import ParallelGroup
from torquec.closedform.polynomial import TrigPolynomial, Variable
from torquec.errors import TimeLimitError
from torquec.proof.enclosure.bernstein import sum_of_amplitudes
from torquec.proof.torque.coefficient_bound import coefficient_bound
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.coefficient_error import CoefficientError
from torquec.trajectory.motion_box import MotionBox

TURN = 2.0 * math.pi


def angle(*joints: int) -> Variable:
    return Variable(tuple((j, 1) for j in joints))


def error(*polynomials: dict, joints: int, kind: ErrorKind = ErrorKind.ABSOLUTE) -> CoefficientError:
    variables = tuple(angle(j) for j in range(joints))
    table = table_of([TrigPolynomial(terms) for terms in polynomials], variables, 2)
    return CoefficientError(table, variables, kind, np.full(len(polynomials), 1e-14), 1e-12)


def test_a_sine_on_a_part_of_its_turn():
    s = error({((angle(0), 0, 1),): 2.0}, joints=1)
    bound = coefficient_bound(s, MotionBox((-0.2,), (math.pi / 6,)))
    assert bound.found == pytest.approx(1.0)
    assert 1.0 <= bound.bound <= 1.0301
    assert bound.degrees == (1,)


def test_a_product_over_whole_turns():
    # S0 C0 S1: at most 1/2.
    product = error({((angle(0), 1, 1), (angle(1), 0, 1)): 1.0}, joints=2)
    bound = coefficient_bound(product, MotionBox((-math.pi,) * 2, (math.pi,) * 2))
    assert bound.found == pytest.approx(0.5)
    assert 0.5 <= bound.bound <= 0.5151
    assert bound.degrees == (2, 1)


def test_a_constant_needs_no_boxes():
    bound = coefficient_bound(error({(): -0.25}, joints=0), MotionBox((), ()))
    assert bound.bound == pytest.approx(0.25)
    assert bound.trees == ((-1,),)


def test_nothing_left_out_is_bounded_by_rounding():
    bound = coefficient_bound(error({}, joints=0), MotionBox((), ()))
    assert bound.bound == 1e-12


def test_a_relative_error_is_a_part_of_the_coefficient():
    # 0.1 S0 of 2 + S0: the largest part is 0.1 at -pi/2.
    s = ((angle(0), 0, 1),)
    part = error({s: 0.1}, {(): -2.0, s: -1.0}, joints=1, kind=ErrorKind.RELATIVE)
    bound = coefficient_bound(part, MotionBox((-math.pi,), (math.pi,)))
    assert bound.found == pytest.approx(0.1)
    assert 0.1 <= bound.bound <= 0.1031


def test_a_relative_error_of_what_has_zeros_has_no_bound():
    s = ((angle(0), 0, 1),)
    part = error({s: 0.1}, {(): -0.5, s: -1.0}, joints=1, kind=ErrorKind.RELATIVE)
    assert coefficient_bound(part, MotionBox((-math.pi,), (math.pi,))) is None


def test_a_relative_error_of_more_than_all_of_it_has_no_bound():
    s = ((angle(0), 0, 1),)
    whole = MotionBox((-math.pi,), (math.pi,))
    for size, holds in ((0.9, True), (1.2, False)):
        part = error({(): 2.0 * size, s: size}, {(): -2.0, s: -1.0}, joints=1, kind=ErrorKind.RELATIVE)
        bound = coefficient_bound(part, whole)
        assert (bound is not None and size <= bound.bound <= 1.04 * size) is holds


def test_a_limit_that_is_exceeded_gives_none_and_one_that_is_close_is_proven():
    s = error({((angle(0), 0, 1),): 1.0}, joints=1)
    whole = MotionBox((-math.pi,), (math.pi,))
    assert coefficient_bound(s, whole, limit=0.99) is None
    assert coefficient_bound(s, whole, limit=1.01).bound == pytest.approx(1.01)


@pytest.mark.parametrize(
    ("box", "variables"),
    [
        (
            MotionBox((-math.pi, -math.pi), (math.pi, math.pi)),
            1,
        ),  # sin(q0 + q1) is a function of one angle on the torus,
        (MotionBox((-0.5, -0.5), (0.5, 0.75)), 1),  # and on any box: the sum ranges over [-1, 1.25]
    ],
)
def test_a_sum_of_angles_is_one_variable(box, variables):
    both = {((angle(0), 0, 1), (angle(1), 1, 0)): 1.0, ((angle(0), 1, 0), (angle(1), 0, 1)): 1.0}
    group = ParallelGroup(((0, 1), (1, 1)))
    bound = coefficient_bound(error(both, joints=2), box, groups=[group])
    truth = 1.0 if box.upper[0] > 1.0 else math.sin(1.25)
    assert len(bound.variables) == variables
    assert truth <= bound.bound <= 1.031 * truth


def test_sums_are_not_used_where_the_box_is_no_product_of_their_ranges():
    # S0 S01 on a narrow box: q0 and q0 + q1 are not independent, and taken as such they would allow much more.
    q0, q1 = angle(0), angle(1)
    terms = {((q0, 0, 2), (q1, 1, 0)): 1.0, ((q0, 1, 1), (q1, 0, 1)): 1.0}
    box = MotionBox((-0.5, -0.4), (0.5, 0.6))
    bound = coefficient_bound(error(terms, joints=2), box, groups=[ParallelGroup(((0, 1), (1, 1)))])
    q = np.stack(np.meshgrid(*(np.linspace(a, b, 801) for a, b in zip(box.lower, box.upper, strict=True))), axis=-1)
    truth = np.abs(np.sin(q[..., 0]) * np.sin(q.sum(axis=-1))).max()
    assert all(len(variable.joints) == 1 for variable in bound.variables)
    assert truth <= bound.bound <= 1.04 * truth


def test_bounds_hold_and_are_close_for_random_errors():
    rng = np.random.default_rng(4)
    powers = ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1))
    for _ in range(8):
        terms = {}
        for _ in range(6):
            chosen = [powers[k] for k in rng.integers(0, 5, 3)]
            monomial = tuple((angle(j), a, b) for j, (a, b) in enumerate(chosen) if a or b)
            terms[monomial] = float(rng.normal())
        lower = rng.uniform(-3.0, 0.0, 3)
        box = MotionBox(tuple(lower), tuple(lower + rng.uniform(0.5, 6.0, 3)))
        bound = coefficient_bound(error(terms, joints=3), box)
        q = rng.uniform(box.lower, box.upper, (200_000, 3))
        seen = float(np.abs(TrigPolynomial(terms)(q)).max())
        assert seen <= bound.bound <= 1.05 * bound.found


def test_a_constant_part_of_a_constant():
    part = error({(): 0.1}, {(): -2.0}, joints=0, kind=ErrorKind.RELATIVE)
    bound = coefficient_bound(part, MotionBox((), ()))
    assert 0.05 < bound.bound < 0.05 * (1.0 + 3e-8)
    assert bound.trees == ((-1,),)
    assert coefficient_bound(part, MotionBox((), ()), limit=0.0499) is None
    assert coefficient_bound(part, MotionBox((), ()), limit=0.0501).bound == bound.bound
    none = error({}, {(): -2.0}, joints=0, kind=ErrorKind.RELATIVE)
    assert coefficient_bound(none, MotionBox((), ())).bound == 1e-9


def test_what_snapping_changes_is_part_of_the_bound():
    plain = error({(): 0.1}, joints=0)
    snapped = replace(plain, allowance=plain.allowance + 1e-3, snap=1e-3)
    assert coefficient_bound(snapped, MotionBox((), ())).bound == pytest.approx(0.101, rel=1e-6)


# --- many variables -------------------------------------------------------------------------------------------------


def waves(seed: int, joints: int) -> CoefficientError:
    """A few products of sines and cosines of all joints."""
    rng = np.random.default_rng(seed)
    terms = {}
    for _ in range(12):
        chosen = rng.integers(0, 3, joints)
        powers = [(angle(j), int(k == 1), int(k == 2)) for j, k in enumerate(chosen) if k]
        terms[tuple(powers)] = float(rng.normal())
    return error(terms, joints=joints)


def sampled(wave: CoefficientError, count: int = 100_000) -> float:
    q = np.random.default_rng(3).uniform(-math.pi, math.pi, (count, len(wave.variables)))
    values = wave.table[0]
    for x in q.T[::-1]:
        basis = np.stack([np.ones_like(x), np.cos(x), np.sin(x), np.sin(x) ** 2, np.cos(x) * np.sin(x)], axis=-1)
        values = np.einsum("...b,nb->...n" if values.ndim == len(q.T) else "...bn,nb->...n", values, basis)
        q = q[:, :-1]
    return float(np.abs(values).max())


@pytest.mark.parametrize("effort", [150_000_000, 4_000_000])
def test_bounds_of_many_variables_are_as_close_as_the_effort_allows(monkeypatch, effort):
    monkeypatch.setattr("torquec.proof.torque.coefficient_bound._MANY", 3)
    monkeypatch.setattr("torquec.proof.torque.coefficient_bound._MANY_EFFORT", effort)
    monkeypatch.setattr("torquec.proof.torque.coefficient_bound._LEAST_BOXES", 100)
    wave = waves(1, 4)
    bound = coefficient_bound(wave, MotionBox((-math.pi,) * 4, (math.pi,) * 4))
    assert sampled(wave) <= bound.found <= bound.bound
    assert bound.bound <= (1.051 if effort > 10_000_000 else 3.1) * bound.found


def test_a_tolerance_of_many_variables_is_proven_first(monkeypatch):
    monkeypatch.setattr("torquec.proof.torque.coefficient_bound._MANY", 3)
    wave, whole = waves(2, 4), MotionBox((-math.pi,) * 4, (math.pi,) * 4)
    found = coefficient_bound(wave, whole).found
    assert coefficient_bound(wave, whole, limit=0.99 * found) is None
    assert coefficient_bound(wave, whole, limit=1.04 * found).bound == pytest.approx(1.04 * found)
    assert found <= coefficient_bound(wave, whole, limit=2.5 * found).bound <= 2.5 * found


def over(done: float, whole: float, note: str = "") -> None:
    """A meter whose time is over."""
    raise TimeLimitError("over")


def test_amplitudes_are_the_bound_when_time_is_over():
    wave, whole = waves(3, 4), MotionBox((-math.pi,) * 4, (math.pi,) * 4)
    bound = coefficient_bound(wave, whole, meter=over)
    assert (bound.variables, bound.trees) == ((), ((-1,),))
    assert sampled(wave) <= bound.bound == pytest.approx(sum_of_amplitudes(wave.table[0], wave.variables))
    with pytest.raises(TimeLimitError):
        coefficient_bound(wave, whole, limit=0.9 * bound.bound, meter=over)
