"""Polynomials in rates, exact angles, degrees, and values on a grid."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.torquec_check.documents import program_document

from torquec_check.document import RefusedError
from torquec_check.program import torque_program
from torquec_check.rows import ANGLE, Rows, as_ball, grid_of, program_degrees, program_torques

TURNS = (True, True)


def _program(*operations, tau=None):
    """Inputs q1, q2, qd1, qdd1 are values 0 to 3; the last value is both torques."""
    inputs = [["input", "q", 0], ["input", "q", 1], ["input", "qd", 0], ["input", "qdd", 0]]
    document = program_document() | {"operations": [*inputs, *operations]}
    last = len(document["operations"]) - 1 if tau is None else tau
    document["outputs"][0]["values"] = [last, last]
    return torque_program(document, 2)


def test_products_of_rates_are_those_of_torques():
    speed, push = Rows({(0,): as_ball(2.0)}), Rows({(~0,): as_ball(3.0)})
    assert set((speed + Rows({(): as_ball(1.0)})) * speed) == {(0,), (0, 0)}
    for wrong in (lambda: speed * push, lambda: push * push, lambda: speed * speed * speed):
        with pytest.raises(RefusedError, match="product of rates"):
            wrong()


def test_numbers_beside_angles_are_exact():
    """q + 2^54 + 1 - 2^54 is not q, though doubles say so."""
    steps = [["const", 2.0**54], ["add", 0, 4], ["const", 1.0], ["add", 5, 6], ["sub", 7, 4], ["sin", 8]]
    grid = grid_of(TURNS, (1, 1), (0.0, 0.0), (1.0, 1.0))
    found = program_torques(_program(*steps), grid)[0][()]
    assert np.allclose(found.mid.ravel(), np.sin(2.0 * np.pi * np.arange(3) / 3 + 1.0), atol=1e-14)


def test_degrees_are_never_too_small():
    steps = [
        ["sin", 0],
        ["cos", 0],
        ["mul", 4, 5],
        ["add", 0, 1],
        ["add", 0, 7],
        ["sin", 8],
        ["mul", 6, 9],
        ["mul", 10, 3],
    ]
    assert program_degrees(_program(*steps), TURNS) == (4, 1)
    assert program_degrees(_program(["sin", 0], ["cos", 1], ["sub", 4, 5], ["neg", 6]), TURNS) == (1, 1)
    assert program_degrees(_program(["sub", 0, 1], ["add", 4, 1], ["cos", 5]), TURNS) == (1, 0)
    assert program_degrees(_program(["mul", 0, 0]), (False, True)) == (2, 0)


def test_a_wave_is_that_of_its_angles():
    grid = grid_of(TURNS, (2, 1), (0.0, 0.0), (1.0, 1.0))
    turned = Rows({(ANGLE,): Fraction(2), (ANGLE + 1,): Fraction(-1), (): Fraction(1, 2)})
    cosine, sine = (grid.wave(op, turned) for op in ("cos", "sin"))
    angle = 2.0 * (2.0 * np.pi * np.arange(5) / 5)[:, None] - (2.0 * np.pi * np.arange(3) / 3)[None, :] + 0.5
    for (ball,), expected in ((cosine.values(), np.cos(angle)), (sine.values(), np.sin(angle))):
        assert np.all(np.abs(ball.mid - expected) <= ball.rad + 4e-16)
        assert float(ball.rad.max()) < 1e-15


def test_displacements_are_sines_between_their_ends():
    grid = grid_of((False,), (2,), (0.1,), (0.3,))
    ball = grid.input("q", 0)[()]
    wanted = [0.2 + 0.1 * np.sin(2.0 * np.pi * k / 5) for k in range(5)]
    assert np.all(np.abs(ball.mid - wanted) < 1e-16)
    assert np.all(ball.rad < 1e-16)
    ((low, high),) = grid.angle_ranges
    assert low <= -np.pi / 2
    assert high >= np.pi / 2


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([["mul", 0, 3]], "an angle itself"),
        ([["neg", 0]], "an angle itself"),
        ([["sin", 3]], "something else than angles"),
        ([["const", 0.5], ["mul", 4, 0], ["sin", 5]], "fraction"),
        ([["mul", 0, 1], ["sin", 4]], "product of angles"),
        ([["mul", 0, 1], ["mul", 4, 1], ["sin", 5]], "product of rates, or of angles"),
        ([["mul", 0, 1], ["mul", 4, 3]], "an angle itself"),
        ([["const", 33.0], ["mul", 4, 0], ["sin", 5]], "more than 32"),
        ([["const", 32.0], ["mul", 4, 0], ["add", 5, 0], ["sin", 6]], "more than 32"),
        ([["const", 1.1], *(["mul", k, k] for k in range(4, 64)), ["sin", 64]], "too often"),
        (
            [["sub", 0, 0], ["const", 1.1], ["add", 4, 5], *(["mul", k, k] for k in range(6, 66)), ["sin", 66]],
            "too often",
        ),
        ([["abs", 3]], "operation 'abs'"),
        ([["div", 3, 3]], "operation 'div'"),
    ],
)
def test_what_is_no_torque_is_refused(steps, message):
    with pytest.raises(RefusedError, match=message):
        program_degrees(_program(*steps), TURNS)


def test_numbers_of_angles_that_cancel_are_exact():
    """q + 1 + 2^-60 - q is no double."""
    steps = [["const", 2.0**-60], ["add", 0, 4], ["const", 1.0], ["add", 5, 6], ["sub", 7, 0], ["mul", 8, 3]]
    ball = program_torques(_program(*steps), grid_of(TURNS, (0, 0), (0.0, 0.0), (1.0, 1.0)))[0][(~0,)]
    assert ball.mid == 1.0
    assert 2.0**-60 <= ball.rad < 2.0**-50


def test_sums_of_numbers_are_those_of_fractions():
    """0.1 + 0.2 is not the double 0.3: it is rounded in machine numbers, and exact here."""
    ball = program_torques(
        _program(["const", 0.1], ["const", 0.2], ["add", 4, 5]), grid_of(TURNS, (0, 0), (0, 0), (1, 1))
    )[0][()]
    assert (
        abs(Fraction(float(ball.mid)) - Fraction(0.1) - Fraction(0.2)) <= Fraction(float(ball.rad)) < Fraction(1, 2**53)
    )


def test_degrees_and_operations_that_would_take_hours_are_refused():
    """cos q^2048 has 4097 nodes, few enough for a grid; its matrices would take hours."""
    power = _program(["cos", 0], *(["mul", k, k] for k in range(4, 15)))
    degrees = program_degrees(power, TURNS)
    assert degrees == (2048, 0)
    with pytest.raises(RefusedError, match=r"degrees \[2048, 0\].*beyond 100"):
        grid_of(TURNS, degrees, (0.0, 0.0), (1.0, 1.0))
    assert grid_of((True,), (100,), (0.0,), (1.0,)).counts == (201,)
    assert grid_of((True,) * 11, (1,) * 11, (0.0,) * 11, (1.0,) * 11).counts == (3,) * 11
    with pytest.raises(RefusedError, match="400000 nodes"):  # 28 GB an array, of displacements of 20 joints
        grid_of((False,) * 20, (1,) * 20, (0.0,) * 20, (1.0,) * 20)
    long = _program(*[["const", 1.0]] * 50_000)
    program_torques(long, grid_of(TURNS, (0, 0), (0.0, 0.0), (1.0, 1.0)))
    with pytest.raises(RefusedError, match="50004 operations: too many"):
        program_torques(long, grid_of(TURNS, (99, 99), (0.0, 0.0), (1.0, 1.0)))


def test_one_odd_term_beside_angles_is_enough_to_refuse_a_sine():
    """sin(q1 + q2/2): half an angle would be taken for none."""
    for odd in ([["const", 0.5], ["mul", 1, 4], ["add", 0, 5], ["sin", 6]], [["add", 0, 2], ["sin", 4]]):
        with pytest.raises(RefusedError, match="something else than angles"):
            program_degrees(_program(*odd), TURNS)


def test_limits_are_reached_and_not_exceeded(monkeypatch):
    """Of exact numbers, degrees, points and operations: what is at its limit is computed."""
    one = Rows({(): Fraction(1)})
    for value in (Fraction(2**9999), Fraction(1, 2**9999), Fraction(-(2**9999))):
        assert Rows({(): value}) * one == {(): value}
        with pytest.raises(RefusedError, match="too often"):
            Rows({(): value}) * Rows({(): Fraction(2) if value.denominator == 1 else Fraction(1, 2)})
    grid_of((True,), (100,), (0.0,), (1.0,))
    with pytest.raises(RefusedError, match="beyond 100"):
        grid_of((True,), (101,), (0.0,), (1.0,))
    monkeypatch.setattr("torquec_check.rows.MOST_POINTS", 15)
    assert grid_of(TURNS, (2, 1), (0.0, 0.0), (1.0, 1.0)).counts == (5, 3)
    with pytest.raises(RefusedError, match="or 15 nodes"):
        grid_of(TURNS, (2, 2), (0.0, 0.0), (1.0, 1.0))
    program, grid = _program(["mul", 2, 2]), grid_of(TURNS, (1, 1), (0.0, 0.0), (1.0, 1.0))
    monkeypatch.setattr("torquec_check.rows.MOST_WORK", 5 * (9 + 2000 + 40 * 2**2))  # two joints: products of rates
    program_torques(program, grid)
    monkeypatch.setattr("torquec_check.rows.MOST_WORK", 5 * (9 + 2000 + 40 * 2**2) - 1)
    with pytest.raises(RefusedError, match="5 operations"):
        program_torques(program, grid)


@pytest.mark.parametrize("factor", [32.0, -32.0, 33.0, -33.0])
def test_angles_are_taken_up_to_32_times(factor):
    program = _program(["const", factor], ["mul", 0, 4], ["sin", 5])
    if abs(factor) > 32:
        with pytest.raises(RefusedError, match="more than 32 times"):
            program_degrees(program, TURNS)
    else:
        assert program_degrees(program, TURNS) == (32, 0)
