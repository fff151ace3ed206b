"""Degrees in exact arithmetic: known ones, cancellations, and terms that vanish on grids."""

from __future__ import annotations

import pytest
from tests.proof.arms import arm

from torquec.errors import CheckError
from torquec.expr import trace
from torquec.expr.math import sincos
from torquec.model.quantities import trace_quantity
from torquec.proof.checker.modular_degree import _BITS, _Draw, _Field, exact_degrees
from torquec.proof.checker.program_form import AngleSum

SHAPES = dict.fromkeys(("q", "qd", "qdd"), (2,))


def degrees(formula, *, slides=(False, False), seed="test"):
    program = trace("f", lambda q, qd, qdd: {"tau": [formula(q, qd, qdd), qdd[0]]}, SHAPES)
    return exact_degrees(program, slides, seed=seed)


@pytest.mark.parametrize(
    ("name", "expected"), [("planar2r", (1, 1)), ("scara", (0, 1, 0, 1)), ("stanford", (0, 2, 2, 2, 2, 0))]
)
def test_equations_of_motion(name, expected):
    """The mass moments about a last axis and the first position of an upright arm do not matter."""
    robot = arm(name)
    sliding = [joint.type.is_prismatic for joint in robot.joints]
    found = exact_degrees(trace_quantity(robot, "inverse_dynamics"), sliding, seed="any")
    assert all(a <= b for a, b in zip(found, expected, strict=True))
    assert found[1] == expected[1]


def test_what_cancels_has_no_degree():
    def formula(q, qd, qdd):
        s, c = sincos(q[0])
        return (s * s + c * c) * qdd[0] + (s + c) * (s - c) * 0.0

    assert degrees(formula) == (0, 0)


def test_powers_and_multiples_count():
    assert degrees(lambda q, qd, qdd: sincos(q[0])[0] * sincos(q[0])[1] * sincos(q[0])[1]) == (3, 0)
    assert degrees(lambda q, qd, qdd: sincos(2.0 * q[0] - 3.0 * q[1] + 0.2)[0]) == (2, 3)
    assert degrees(lambda q, qd, qdd: q[1] * q[1] * sincos(q[0])[0], slides=(False, True)) == (1, 2)


def test_a_tiny_coefficient_counts_like_any_other():
    assert degrees(lambda q, qd, qdd: qdd[0] + 1e-300 * sincos(3.0 * q[1])[0]) == (0, 3)


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_terms_that_vanish_on_a_grid_are_seen(seed):
    with pytest.raises(CheckError, match="a degree above 4 in joint 2"):
        degrees(lambda q, qd, qdd: 1.0 - sincos(5.0 * q[1])[1], seed=seed)


def test_angles_add_up_modulo_a_prime():
    """Points stay on the circle, a sum and its difference give twice the first angle, and a number has one point."""
    draw = _Draw("angles")
    field = _Field(draw.prime(), draw)
    assert field.p.bit_length() == _BITS
    a, b = field.circle(field.number()), field.circle(field.number())

    def point(*multiples, offset=0.0):
        return field.point(AngleSum(multiples, offset), [a, b])

    for found in (a, b, point((0, 1.0), (1, -2.0)), point((0, 3.0), offset=0.7)):
        assert (found.c**2 + found.s**2) % field.p == 1
    assert point((0, 1.0)) == a
    assert point((0, -1.0)).s == -a.s % field.p
    assert field.point(
        AngleSum(((0, 1.0), (1, 1.0)), 0.0), [point((0, 1.0), (1, 1.0)), point((0, 1.0), (1, -1.0))]
    ) == (point((0, 2.0)))
    assert point(offset=0.7) == point(offset=0.7) != point(offset=0.8)
    assert point().c == 1
    assert 4 * field.double(0.25) % field.p == 1


def test_primes_are_drawn_from_all_of_their_length():
    """Every bit but the first and the last is sometimes set and sometimes not, and no prime comes twice."""
    draw = _Draw("primes")
    primes = [draw.prime() for _ in range(40)]
    assert len(set(primes)) == 40
    for bit in range(_BITS):
        assert {prime >> bit & 1 for prime in primes} == ({1} if bit in (0, _BITS - 1) else {0, 1}), bit
    assert all(prime >> _BITS == 0 for prime in primes)
