"""Rounding errors over a box: never below those of programs that are run, and as large as the sizes that cancel."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.torquec_check.documents import program_document

from torquec_check import rounding as module
from torquec_check.program import torque_program
from torquec_check.robot import Box
from torquec_check.rounding import DOUBLE, SINGLE, Machine, Rounded, rounding_errors, unit_errors

BOX = Box((-3.0, -3.0), (2.0, 3.0), (2.0, 2.0), (5.0, 5.0))


def _program(*operations):
    inputs = [["input", "qd", 0], ["input", "qdd", 1]]
    document = program_document() | {"operations": [*inputs, *operations]}
    document["outputs"][0]["values"] = [len(document["operations"]) - 1] * 2
    return torque_program(document, 2)


@pytest.mark.parametrize(("precision", "kind"), [(DOUBLE, np.float64), (SINGLE, np.float32)])
def test_it_covers_what_machine_numbers_do(precision, kind):
    """0.1 qd^2 + 0.3 qdd in machine numbers, beside fractions."""
    program = _program(["const", 0.1], ["mul", 0, 0], ["mul", 2, 3], ["const", 0.3], ["mul", 5, 1], ["add", 4, 6])
    bound = rounding_errors(program, BOX, precision)[0]
    rng, worst = np.random.default_rng(1), 0.0
    for qd, qdd in rng.uniform(-1.0, 1.0, (500, 2)) * (2.0, 5.0):
        a, b = kind(qd), kind(qdd)
        found = kind(kind(0.1) * kind(a * a)) + kind(kind(0.3) * b)
        exact = Fraction(0.1) * Fraction(qd) ** 2 + Fraction(0.3) * Fraction(qdd)
        worst = max(worst, abs(float(Fraction(float(found)) - exact)))
    assert 0.05 * bound < worst <= bound


def test_cancellation_counts_with_the_size_that_cancels():
    """((x + B) - B) - x is zero in real numbers, and up to u B in doubles."""
    big = 2.0**60
    program = _program(["const", big], ["add", 0, 2], ["sub", 3, 2], ["sub", 4, 0])
    assert rounding_errors(program, BOX, DOUBLE)[0] >= 2.0**-53 * big


def test_what_may_overflow_has_no_bound():
    huge = _program(["const", 1e200], ["mul", 2, 0], ["mul", 3, 2])
    assert rounding_errors(huge, BOX, DOUBLE)[0] == float("inf")
    large = _program(["const", 1e38], ["mul", 2, 1])
    assert rounding_errors(large, BOX, SINGLE)[0] == float("inf")


def test_a_sine_is_as_wrong_as_its_angle_and_its_library():
    document = program_document() | {"operations": [["input", "q", 0], ["const", 2.0**20], ["add", 0, 1], ["sin", 2]]}
    document["outputs"][0]["values"] = [3, 3]
    found = rounding_errors(torque_program(document, 2), BOX, DOUBLE)[0]
    assert 2.0**-33 <= found <= 2.0**-32
    assert rounding_errors(torque_program(document, 2), BOX, SINGLE)[0] == float("inf")


def test_the_precisions_are_those_of_ieee_and_of_what_was_measured():
    assert (DOUBLE.unit, DOUBLE.smallest) == (2.0**-53 * 1025 / 1024, 1e-300)
    assert (DOUBLE.wave_error, DOUBLE.largest_angle, DOUBLE.largest) == (8 * 2.0**-53, 2.0**40, 1e300)
    assert (SINGLE.unit, SINGLE.smallest) == (2.0**-24, float(np.finfo(np.float32).tiny))
    assert (SINGLE.wave_error, SINGLE.largest_angle, SINGLE.largest) == (8.8e-8, 4096.0, 3e38)


@pytest.mark.parametrize("precision", [DOUBLE, SINGLE])
def test_results_below_the_normal_numbers_count(precision):
    """A product of 1e-40 and 1e-300 may be replaced by zero."""
    box = Box((-1.0, -1.0), (1.0, 1.0), (1e-170, 1.0), (5.0, 5.0))
    found = rounding_errors(_program(["mul", 0, 0]), box, precision)[0]
    assert found == pytest.approx(precision.smallest, rel=1e-6, abs=0.0)


def test_sizes_have_a_factor_for_their_own_rounding(monkeypatch):
    program = _program(["mul", 0, 0])
    once = rounding_errors(program, BOX, DOUBLE)[0]
    monkeypatch.setattr(module, "UP", 2.0)
    assert rounding_errors(program, BOX, DOUBLE)[0] == pytest.approx(2.0 * once, rel=1e-6, abs=0.0)
    assert Machine(SINGLE, BOX).constant(Fraction(0.1)).distance == pytest.approx(
        2.0 * float(abs(Fraction(float(np.float32(0.1))) - Fraction(0.1))), rel=1e-6, abs=0.0
    )


def test_errors_of_both_factors_multiply_too():
    """Numbers up to 3 that are at most 0.5 off have products that are 3.25 off."""
    half = module.Rounded(3.0, 0.5, DOUBLE)
    assert 3.25 <= (half * half).distance < 3.25 * (1.0 + 1e-12)


def test_the_largest_float_fits_and_inputs_near_zero_are_rounded():
    machine = Machine(SINGLE, Box((0.0,), (0.0,), (0.0,), (0.0,)))
    assert machine.constant(Fraction(SINGLE.largest)).distance < 1e38
    assert machine.constant(Fraction(SINGLE.largest) * 2).distance == float("inf")
    assert machine.input("q", 0).distance == SINGLE.smallest > 0.0
    assert machine.constant(Fraction(1, 2)).distance == SINGLE.smallest * module.UP


ROUNDING = {
    "double": [
        3.57353947138402e-13,
        3.02430650270142e-14,
        2.72958222414874e-13,
        2.56888737969346e-14,
        1.07364462751082e-13,
        8.9756028952309e-15,
        1.32622613241182e-14,
        2.36089923888628e-16,
        2.31866289014821e-14,
        2.19938799651883e-15,
        6.70650806634635e-15,
        4.25876240081442e-17,
    ],
    "single": [
        0.000117568491206659,
        9.88583558189871e-06,
        8.38259381994175e-05,
        7.74358532639196e-06,
        4.78560177561785e-05,
        4.72716836444553e-06,
        1.05217941520896e-05,
        1.14417072489594e-07,
        1.00174024958204e-05,
        1.13227764360152e-06,
        5.0629408551244e-06,
        1.94511245709848e-08,
    ],
}


@pytest.mark.parametrize("precision", [DOUBLE, SINGLE])
def test_rounding_of_a_torque_keeps_its_numbers(precision):
    """Of all operations of two arms, in a box of unequal sides, and at unit rates."""
    found = []
    for name in ("planar2r", "scara"):
        program = torque_program(program_document(name), 2 if name == "planar2r" else 4)
        n = len(program.results[0])
        sides = [tuple((k + 1.0) * x for k in range(n)) for x in (-0.5, 0.75, 2.0, 3.0)]
        for errors in (rounding_errors, unit_errors):
            found += errors(program, Box(*sides), precision)
    np.testing.assert_allclose(found, ROUNDING[precision.name], rtol=1e-12)


def test_a_value_with_its_error_may_not_overflow():
    close, wrong = Rounded(2e38, 0.0, SINGLE), Rounded(0.0, 1.5e38, SINGLE)
    assert (close + Rounded(0.5e38, 0.0, SINGLE)).distance < math.inf
    assert (close + wrong).distance == math.inf
