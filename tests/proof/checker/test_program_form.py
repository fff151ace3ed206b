"""Programs that values at points determine are accepted; what could hide an error between points is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.proof.arms import arm

from torquec.errors import CheckError
from torquec.expr import Op, math, trace
from torquec.model.quantities import trace_quantity
from torquec.proof.checker.program_form import (
    HIGHEST_DEGREE,
    AngleSum,
    added_angles,
    check_program,
    scaled_angle,
)

SHAPES = dict.fromkeys(("q", "qd", "qdd"), (2,))
ARM = arm("planar2r")


def program(formula):
    """A torque of the first joint by a formula, zero at the second."""
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": [formula(q, qd, qdd), 0.0 * qd[0]]}, SHAPES)


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford", "puma560"])
def test_recursions_are_polynomials(name):
    robot = arm(name)
    check_program(robot, trace_quantity(robot, "inverse_dynamics"))


def test_multiple_angles_are_polynomials():
    check_program(ARM, program(lambda q, qd, qdd: math.sincos(2.0 * (q[0] - q[1]) + 0.3)[0] * qd[0] * qd[1] - qdd[1]))


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (lambda q, qd, qdd: math.select(q[0] - 3.0, 5.0, 0.0) + qdd[0], "operation 'select'"),
        (lambda q, qd, qdd: qdd[0] / (qd[0] + 9.0), "operation 'div'"),
        (lambda q, qd, qdd: q[0] * qdd[0], "uses an angle itself"),
        (lambda q, qd, qdd: q[0] + qdd[0], "uses an angle itself"),
        (lambda q, qd, qdd: q[0] + q[1], "proportional to an angle"),
        (lambda q, qd, qdd: math.sincos(1.5 * q[0])[0], "a fraction of an angle"),
        (lambda q, qd, qdd: math.sincos(200.0 * q[0])[0] * math.sincos(201.0 * q[0])[0], "a degree above"),
        (lambda q, qd, qdd: math.sincos(qd[0])[0], "something else than angles"),
        (lambda q, qd, qdd: math.sincos((HIGHEST_DEGREE + 1.0) * q[0])[1], "more than 400 times an angle"),
    ],
)
def test_what_could_hide_an_error_is_refused(formula, message):
    with pytest.raises(CheckError, match=message):
        check_program(ARM, program(formula))


@pytest.mark.parametrize("number_first", [False, True])
@pytest.mark.parametrize(("factor", "is_whole"), [(1.5, False), (2.0, True)])
def test_factors_of_angles_are_whole_on_either_side(factor, is_whole, number_first):
    made = program(lambda q, qd, qdd: math.sincos(factor * q[0])[0])
    at = next(k for k, step in enumerate(made.operations) if step.op is Op.MUL)
    step = made.operations[at]
    sides = sorted(step.args, key=lambda k: made.operations[k].op is Op.CONST, reverse=number_first)
    turned = replace(step, args=tuple(sides))
    made = replace(made, operations=(*made.operations[:at], turned, *made.operations[at + 1 :]))
    if is_whole:
        check_program(ARM, made)
    else:
        with pytest.raises(CheckError, match="a fraction of an angle"):
            check_program(ARM, made)


def test_programs_of_other_shapes_are_refused():
    with pytest.raises(CheckError, match="does not map"):
        check_program(arm("planar3r"), program(lambda q, qd, qdd: qdd[0]))


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        (("q", "qd", "qdd"), {"tau": 3}),
        (("q", "qd", "qdd"), {"torque": 2}),
        (("q", "qd", "qdd"), {"tau": 2, "more": 2}),
        (("q", "qd"), {"tau": 2}),
        (("q", "qd", "qdd", "more"), {"tau": 2}),
    ],
)
def test_inputs_and_outputs_are_those_of_a_torque(inputs, outputs):
    shapes = dict.fromkeys(inputs, (2,))
    made = trace("f", lambda **x: {name: [x["qd"][0] * x["qd"][1]] * size for name, size in outputs.items()}, shapes)
    with pytest.raises(CheckError, match="does not map"):
        check_program(ARM, made)


def test_a_torque_that_is_zero_or_constant_is_one():
    check_program(ARM, program(lambda q, qd, qdd: 0.0))
    check_program(ARM, program(lambda q, qd, qdd: 2.5))


def power(x, exponent):
    """A product of so many factors, as it is written."""
    found = x
    for _ in range(exponent - 1):
        found = found * x
    return found


@pytest.mark.parametrize(
    ("formula", "degree"),
    [
        (lambda q: power(q[2], HIGHEST_DEGREE), HIGHEST_DEGREE),
        (lambda q: power(q[2], HIGHEST_DEGREE + 1), HIGHEST_DEGREE + 1),
        (lambda q: power(q[2], 201) * (power(q[2], 200) + q[2]), 401),  # a sum has the larger degree of its terms
        (lambda q: power(q[2], 200) * (q[2] + power(q[2], 200)), 400),
        (lambda q: power(q[2], 399) * math.sincos(q[0])[0], 400),
        (lambda q: power(q[2], 398) * math.sincos(2.0 * q[0] - q[1])[0], 401),
    ],
)
def test_degrees_are_counted_as_they_are_written(formula, degree):
    scara = arm("scara")
    made = trace(
        "inverse_dynamics",
        lambda q, qd, qdd: {"tau": [formula(q) + qdd[0], *(qdd[k] for k in range(1, 4))]},
        dict.fromkeys(("q", "qd", "qdd"), (4,)),
    )
    if degree <= HIGHEST_DEGREE:
        check_program(scara, made)
    else:
        with pytest.raises(CheckError, match="a degree above"):
            check_program(scara, made)


def test_sums_of_angles_by_hand():
    first, second = AngleSum(((0, 1.0), (1, 2.0)), 0.5), AngleSum(((1, 2.0), (2, -3.0)), 0.25)
    assert added_angles(Op.ADD, [first, second]) == AngleSum(((0, 1.0), (1, 4.0), (2, -3.0)), 0.75)
    assert added_angles(Op.SUB, [first, second]) == AngleSum(((0, 1.0), (2, 3.0)), 0.25)
    assert added_angles(Op.NEG, [first]) == AngleSum(((0, -1.0), (1, -2.0)), -0.5)
    assert scaled_angle(AngleSum((), 3.0), first) == AngleSum(((0, 3.0), (1, 6.0)), 1.5)
    assert scaled_angle(first, AngleSum((), -1.0)) == AngleSum(((0, -1.0), (1, -2.0)), -0.5)
    assert scaled_angle(first, second) is None


def test_numbers_beside_angles_add_up_exactly():
    """In doubles 2^54 + 1 - 2^54 is zero, and three tenths of ten are three."""
    large, one, tenth = AngleSum((), 2.0**54), AngleSum((), 1.0), AngleSum((), 0.1)
    angle = AngleSum(((0, 1.0),), 0.0)
    moved = added_angles(Op.SUB, [added_angles(Op.ADD, [added_angles(Op.ADD, [angle, large]), one]), large])
    assert moved == AngleSum(((0, 1),), 1)
    thrice = scaled_angle(AngleSum((), 3.0), added_angles(Op.ADD, [angle, tenth]))
    assert thrice == AngleSum(((0, 3),), 3 * Fraction(0.1)) != AngleSum(((0, 3),), 3 * 0.1)
