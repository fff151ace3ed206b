"""The residual's tables are the difference of the programs, for revolute and prismatic joints."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.proof.arms import arm, programs

from torquec.closedform.tabulate import basis_powers
from torquec.expr import evaluate, math, trace
from torquec.proof.enclosure.bernstein import basis_degree
from torquec.proof.torque.torque_residual import _NOISE, TorqueFunctional, torque_residual
from torquec.proof.torque.torque_tables import position_degrees, positions_read, torque_tables
from torquec.robot.joints import PositionBasis
from torquec.robot.state_coordinate import position_bases


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_the_tables_reproduce_the_error(name):
    robot = arm(name)
    exact, simplified = programs(robot, 1, 0.9)
    bases = position_bases(robot)
    read = sorted(positions_read(exact) | positions_read(simplified))
    residual = torque_residual(torque_tables(exact, bases, read), torque_tables(simplified, bases, read))
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, robot.n))
    state = {"q": q, "qd": qd, "qdd": qdd}
    error = evaluate(exact, state)["tau"] - evaluate(simplified, state)["tau"]
    pairs = [qd[j] * qd[k] for j in range(robot.n) for k in range(j, robot.n)]
    for joint in range(robot.n):
        table, variables = residual.smallest_table(joint)
        assert residual.dependence(joint)[0] == tuple(v.joints[0][0] for v in variables)
        for variable in reversed(variables):
            x = q[variable.joints[0][0]]
            powers = basis_powers(variable, basis_degree(variable, table.shape[-1]))
            cosine, sine = (1.0, x) if not variable.is_angle else (np.cos(x), np.sin(x))
            table = table @ np.array([cosine**a * sine**b for a, b in powers])
        assert table @ [*qdd, *pairs, 1.0] == pytest.approx(error[joint], rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford"])
def test_degrees_are_those_of_the_torques(name):
    robot = arm(name)
    bases = position_bases(robot)
    assert position_degrees(programs(robot, 1, 0.9)[0], bases) == (2,) * robot.n

    def cubic(q, qd, qdd):
        s, c = math.sincos(q[0])
        return {"tau": [c * c * s, *([qdd[0]] * (robot.n - 1))]}

    shapes = {"q": (robot.n,), "qd": (robot.n,), "qdd": (robot.n,)}
    assert position_degrees(trace("cubic", cubic, shapes), [PositionBasis.TRIGONOMETRIC] * robot.n)[0] == 3


def torque_of_waves(*waves):
    """A torque of the first of three joints: waves (joint, multiple, factor)."""

    def algorithm(q, qd, qdd):
        tau = sum(factor * math.sincos(float(multiple) * q[joint])[1] for joint, multiple, factor in waves)
        return {"tau": [tau + qdd[0], qdd[1], qdd[2]]}

    return trace("waves", algorithm, dict.fromkeys(("q", "qd", "qdd"), (3,)))


def test_variables_and_degrees_of_an_error():
    """cos q1 is of degree one, cos 2 q2 of degree two; nothing depends on q3."""
    bases = [PositionBasis.TRIGONOMETRIC] * 3
    exact = torque_tables(torque_of_waves((0, 1, 5.0), (1, 2, 3.0), (2, 1, 4.0)), bases, [0, 1, 2])
    residual = torque_residual(exact, torque_tables(torque_of_waves((2, 1, 4.0)), bases, [0, 1, 2]))
    assert residual.dependence(0) == ((0, 1), (1, 2))
    assert residual.dependence(1) == residual.dependence(2) == ((), ())
    none = torque_residual(exact, exact)
    assert all(none.dependence(joint) == ((), ()) for joint in range(3))


def test_sizes_of_small_and_large_torques():
    """Rounding is in parts of the largest torque at rest, or of one where that is smaller."""
    for size, expected in ((1e-3, 1.0), (0.9, 1.0), (40.0, 40.0)):
        exact = torque_tables(torque_of_waves((0, 1, size)), [PositionBasis.TRIGONOMETRIC] * 3, [0])
        residual = torque_residual(exact, exact)
        assert residual.size == pytest.approx(expected, rel=0.1)  # largest on the grid
        assert 1e-16 * expected < residual.rounding < 1e-10 * expected


def test_rounding_grows_with_every_variable():
    """Three times for each, as the checker's allowance does by less; in parts of the largest torque at rest."""
    for joints in ([], [0], [0, 1], [0, 1, 2]):
        exact = torque_tables(
            torque_of_waves(*([(0, 1, 40.0)] if joints else [])), [PositionBasis.TRIGONOMETRIC] * 3, joints
        )
        residual = torque_residual(exact, exact)
        assert residual.rounding == pytest.approx(2e-13 * 3.0 ** len(joints) * residual.size, rel=1e-12, abs=0.0)
        assert residual.size >= (30.0 if joints else 1.0)


def test_what_is_dropped_as_rounding_is_counted():
    exact = torque_tables(torque_of_waves((0, 1, 1.0)), [PositionBasis.TRIGONOMETRIC] * 3, [0])
    other = torque_tables(torque_of_waves((0, 1, 1.0 + 4e-16)), [PositionBasis.TRIGONOMETRIC] * 3, [0])
    residual = torque_residual(exact, other)
    assert not np.any(residual.tables[0])
    assert 0.0 < residual.dropped[0].max() < 1e-14
    assert list(residual.weights([2.0, 3.0, 5.0], [7.0, 11.0, 13.0])) == [7, 11, 13, 4, 6, 10, 9, 15, 25, 1]


def test_differences_that_are_no_rounding_are_kept_and_not_counted_as_dropped():
    exact = torque_tables(torque_of_waves((0, 1, 0.5)), [PositionBasis.TRIGONOMETRIC] * 3, [0])
    other = torque_tables(torque_of_waves((0, 1, 0.25)), [PositionBasis.TRIGONOMETRIC] * 3, [0])
    residual = torque_residual(exact, other)
    assert np.abs(residual.tables[0]).max() == pytest.approx(0.25)
    assert all(dropped.max() < 1e-14 for dropped in residual.dropped)


def test_where_rounding_ends():
    """Below one, torques are measured against one: what is more than the noise of that is a difference."""
    plain = torque_tables(torque_of_waves((0, 1, 0.5)), [PositionBasis.TRIGONOMETRIC] * 3, [0])
    for part, kept in ((0.7, False), (1.5, True)):
        changed = plain.table.copy()
        changed[0, 0, -1] += part * _NOISE
        residual = torque_residual(plain, dataclasses.replace(plain, table=changed))
        assert bool(np.any(residual.tables[0])) is kept
        assert residual.dropped[0][-1] == pytest.approx(0.0 if kept else part * _NOISE, rel=1e-3, abs=0.0)


def coefficients(n, rng, points=30):
    """Rows (inertia, pairs of speeds, gravity) whose squares of speeds have both signs and weigh much."""
    functional = TorqueFunctional(n)
    rows = rng.normal(size=(n + len(functional.pairs) + 1, points))
    rows[:n] *= 0.2
    rows[[n + i for i, (j, k) in enumerate(functional.pairs) if j == k]] *= 3.0
    return functional, rows


def attained(functional, rows, rng):
    """The largest |error| over many speeds, those of rest, of corners and of middles of faces among them."""
    n = functional.n
    speeds = rng.uniform(-1.0, 1.0, size=(30_000, n))
    on_faces = np.where(rng.random(speeds.shape) < 0.7, np.sign(speeds), speeds)
    speeds = np.concatenate([speeds, on_faces, np.sign(speeds[:2000]), np.round(speeds[:5000]), np.zeros((1, n))])
    forms = np.stack([speeds[:, j] * speeds[:, k] for j, k in functional.pairs], axis=1)
    return np.abs(rows[:n]).sum(axis=0) + np.abs(forms @ rows[n:-1] + rows[-1]).max(axis=0)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 9])
def test_upper_values_are_never_below_what_is_attained(n):
    rng = np.random.default_rng(n)
    functional, rows = coefficients(n, rng)
    most = attained(functional, rows, rng)
    for target in (np.inf, -np.inf, 1.2 * most, 1.0001 * functional.exact(rows)):
        assert np.all(functional(rows, target) >= most * (1.0 - 1e-12))
    assert np.all(functional.exact(rows) <= most * (1.0 + 1e-12))


@pytest.mark.parametrize("n", [3, 5, 6])
def test_squares_of_both_signs_are_bounded_closely(n):
    rng = np.random.default_rng(10 + n)
    functional, rows = coefficients(n, rng)
    most = attained(functional, rows, rng)
    by_signs = functional(rows, -np.inf) <= 1.05 * most
    assert np.mean(by_signs) < 0.7
    assert np.mean(functional(rows, 1.05 * most) <= 1.05 * most) > 0.95


def test_one_square_against_another_is_known():
    # x^2 - y^2 + 4 x y is 4 at the corners, and nowhere more. By signs alone it is 5; by tangents at 1/2 it is 4.25,
    # and at the fourth choice 4.015625: as close as is asked for.
    functional = TorqueFunctional(2)
    rows = np.array([[0.0], [0.0], [1.0], [4.0], [-1.0], [0.0]])
    assert functional(rows, -np.inf) == pytest.approx(5.0)
    assert functional(rows, 4.5) == pytest.approx(4.25)
    assert functional(rows, 4.02) == pytest.approx(4.015625)
    assert functional(rows, 4.01) > 4.01
    assert functional.exact(rows) == pytest.approx(4.0)


@pytest.mark.parametrize("n", [2, 4, 6])
def test_signs_of_speeds_and_gravity_count_alike(n):
    # The error's magnitude does not change with all signs: whatever is shown of the one is shown of the other.
    rng = np.random.default_rng(20 + n)
    functional, rows = coefficients(n, rng, points=400)
    target = 1.03 * functional.exact(rows)
    shown = functional(rows, target) <= target
    assert 0.1 < np.mean(shown) < 1.0
    assert np.array_equal(shown, functional(-rows, target) <= target)


def test_rest_counts():
    functional = TorqueFunctional(1)
    assert functional(np.array([[0.0], [-1.0], [2.0]]), 1.0) == pytest.approx(2.0)
