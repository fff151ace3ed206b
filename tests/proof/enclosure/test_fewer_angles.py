"""Polynomials in fewer angles: known sums and multiples, equal values, waves left out, ranges that forbid sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import basis_powers, coefficient_table, grid
from torquec.proof.enclosure.bernstein import Range
from torquec.proof.enclosure.fewer_angles import in_fewer_angles
from torquec.robot.joints import PositionBasis

TURN = (-math.pi, math.pi)
JOINTS = tuple(Variable(((k, 1),)) for k in range(4))


def table_of(function, *, degree=2):
    """The table (entries, basis, ..) of a function q (N, 4) -> (N, entries)."""
    values = function(grid(JOINTS, 4, degree))
    return np.moveaxis(coefficient_table(JOINTS, values, degree), -1, 0)


def ranges_of(*ends):
    return [Range(variable, *pair) for variable, pair in zip(JOINTS, ends, strict=True)]


def values_of(table, ranges, q):
    """The polynomials (entries,) at joint positions."""
    for r in reversed(ranges):
        y = sum(factor * q[joint] for joint, factor in r.variable.joints)
        powers = basis_powers(r.variable, (table.shape[-1] - 1) // 2)
        table = table @ np.array([math.cos(y) ** a * math.sin(y) ** b for a, b in powers])
    return table


def wrist(q):
    """Of q1 + q2 + q3 and 2 q4, as a UR5's last torque is."""
    whole = q[:, 0] + q[:, 1] + q[:, 2]
    return np.stack([np.cos(whole) + 0.5 * np.sin(2 * q[:, 3]), np.sin(2 * whole) * np.cos(2 * q[:, 3])], axis=1)


def arm(q):
    """Of all sums and differences of three parallel axes."""
    return np.stack([np.cos(q[:, 0]) + np.cos(q[:, 0] + q[:, 1]), np.sin(q[:, 1] - q[:, 2]) + np.sin(q[:, 3])], axis=1)


@pytest.mark.parametrize("function", [wrist, arm])
@pytest.mark.parametrize("second", [TURN, (-1.0, 2.0)])
def test_values_are_those_of_the_given_table(function, second):
    rng = np.random.default_rng(3)
    given, ranges = table_of(function), ranges_of(TURN, second, TURN, (-0.5, 1.0))
    found = in_fewer_angles(given, ranges, np.zeros(2), 1e-12)
    assert found.table.size < given.size
    assert found.left_out <= 1e-12
    assert found.allowance.max() < 1e-8  # sums of magnitudes grow from matrix to matrix
    for q in rng.uniform(-0.5, 1.0, (20, 4)):
        np.testing.assert_allclose(values_of(found.table, found.ranges, q), function(q[None])[0], rtol=0.0, atol=1e-13)
        for r in found.ranges:
            if r.upper - r.lower < 6.28:
                assert r.lower <= sum(factor * q[joint] for joint, factor in r.variable.joints) <= r.upper


def test_whole_turns_are_summed_and_others_multiplied():
    found = in_fewer_angles(table_of(wrist), ranges_of(TURN, TURN, TURN, (-0.5, 1.0)), np.zeros(2), 1e-12)
    summed, double = (r.variable.joints for r in found.ranges)
    assert {abs(factor) for _, factor in summed} == {1}
    assert [joint for joint, _ in summed] == [0, 1, 2]
    assert double == ((3, 2),)
    assert (found.ranges[1].lower, found.ranges[1].upper) == (-1.0, 2.0)
    assert found.table.shape == (2, 5, 3)  # degree two in the sum, one in the double angle


def test_a_position_that_makes_no_turn_is_not_added():
    for ends in ((TURN, (-3.0, 3.0), TURN, TURN), (TURN, (0.0, 6.28), TURN, TURN)):
        found = in_fewer_angles(table_of(wrist), ranges_of(*ends), np.zeros(2), 1e-12)
        assert [r.variable.joints for r in found.ranges if (1, 1) in r.variable.joints] == [((1, 1),)]


def test_small_waves_are_left_out():
    def disturbed(q):
        return wrist(q) + 1e-4 * np.cos(q[:, [0]] - q[:, [3]])

    given, ranges = table_of(disturbed), ranges_of(TURN, TURN, TURN, TURN)
    found = in_fewer_angles(given, ranges, np.zeros(2), 3e-4)
    assert found.table.shape == (2, 5, 3)
    assert found.left_out == pytest.approx(2e-4, rel=1e-9)  # amplitude 1e-4 in each of two entries
    assert in_fewer_angles(given, ranges, np.zeros(2), 1.9e-4).table.shape != (2, 5, 3)


def test_unchanged_where_nothing_is_gained():
    def one(q):
        return (np.cos(2 * q[:, 0] + 2 * q[:, 1]) + np.cos(2 * q[:, 2] - 2 * q[:, 3]) + np.cos(q).sum(axis=1))[:, None]

    given, ranges = table_of(one), ranges_of(*[(-1.0, 1.0)] * 4)
    found = in_fewer_angles(given, ranges, np.zeros(1), 1e-12)
    assert found.table is given
    assert found.ranges is ranges
    assert found.left_out == 0.0
    slides = [Range(Variable(((0, 1),), PositionBasis.POLYNOMIAL), -1.0, 1.0)]
    assert in_fewer_angles(np.ones((1, 3)), slides, np.zeros(1), 1.0).ranges is slides
    zero = in_fewer_angles(np.zeros((1, 5, 5, 5, 5)), ranges, np.zeros(1), 0.0)
    assert zero.ranges is ranges
