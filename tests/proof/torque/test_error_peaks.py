from __future__ import annotations

import numpy as np
import pytest
from tests.simplification.stanford_table import kind, needs_table, polynomial, rows, stanford, target

import torquec as tq
from torquec.closedform import TrigPolynomial, Variable, closed_form
from torquec.errors import ArgumentError
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.error_peaks import largest_error, largest_magnitude
from torquec.trajectory.motion_box import MotionBox, joint_box


@needs_table
@pytest.mark.parametrize("row", rows(), ids=lambda row: row["row"])
def test_errors_of_the_printed_expressions(row):
    _, box = stanford()
    found = largest_error(target(row["coefficient"]), polynomial(row["expression"]), box, kind=kind(row)).level
    assert found == pytest.approx(row["computed_error_of_printed_expression_q3_0.15_0.9"], abs=2e-6)


def test_a_peak_inside_and_a_peak_on_the_edge():
    x = Variable(((0, 1),))
    sine = TrigPolynomial({((x, 0, 1),): 2.0})
    assert largest_magnitude(sine, MotionBox((-1.0,), (2.0,))) == pytest.approx(2.0, abs=1e-14)
    assert largest_magnitude(sine, MotionBox((-0.3,), (0.2,))) == pytest.approx(2.0 * np.sin(0.3), abs=1e-14)


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_no_sample_exceeds_what_is_found(name):
    robot = getattr(tq.classics, name)()
    form, box = closed_form(robot), joint_box(robot)
    rng = np.random.default_rng(7)
    q = rng.uniform(box.lower, box.upper, (100_000, 6))
    for p in (form.M[0, 0], form.christoffel(0, 0, 1), form.christoffel(1, 0, 0), form.g[1]):
        largest = np.abs(p(q)).max()
        assert largest <= largest_magnitude(p, box) <= 1.1 * largest


def test_a_relative_error_needs_a_coefficient_without_zeros():
    _, box = stanford()
    with pytest.raises(ArgumentError, match="relative error of a coefficient that has zeros"):
        largest_error(target("G3"), TrigPolynomial(), box, kind=ErrorKind.RELATIVE)
