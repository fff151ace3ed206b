"""Tables of mass matrices: all of M, at any position, from a grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

import torquec as tq
from torquec.closedform.tabulate import basis_powers
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.mass_matrix import mass_matrix as own_mass_matrix
from torquec.errors import ArgumentError, CheckError
from torquec.expr import evaluate, trace
from torquec.expr.math import sincos
from torquec.expr.replay import replay
from torquec.foundation.budget import Budget
from torquec.foundation.json_text import checksum
from torquec.model.quantities import trace_quantity
from torquec.proof.check_certificate import check_certificate
from torquec.proof.inertia import positive_mass_matrix as module
from torquec.proof.inertia.positive_mass_matrix import (
    is_near_enough,
    is_positive_everywhere,
    least_inertia,
    mass_matrix_table,
    polynomial_degrees,
)
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import certify
from torquec.robot.classics import load_classic
from torquec.trajectory.motion_box import MotionBox


def value_at(table, q, n):
    """The symmetric matrix that a table stands for."""
    entries = table.entries
    for joint, variable, degree in zip(table.joints, table.variables, table.degrees, strict=True):
        x = q[joint]
        powers = basis_powers(variable, degree)
        c = 1.0 if not variable.is_angle else np.cos(x)
        s = x if not variable.is_angle else np.sin(x)
        entries = np.tensordot(entries, np.array([c**a * s**b for a, b in powers]), axes=(1, 0))
    M = np.zeros((n, n))
    M[np.triu_indices(n)] = entries
    return np.maximum(M, M.T) + np.minimum(M, M.T) - np.diag(np.diag(M))


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford", "puma560"])
def test_a_table_is_the_matrix_anywhere(name):
    robot = load_classic(name)
    own = trace_quantity(robot, "mass_matrix")
    table = mass_matrix_table(robot, own, polynomial_degrees(robot, own))
    for q in np.random.default_rng(0).uniform(-2.0, 2.0, (5, robot.n)):
        M = evaluate(own, {"q": q[None]})["M"][0]
        assert value_at(table, q, robot.n) == pytest.approx(M, abs=1e-10)
        assert np.abs(value_at(table, q, robot.n) - M).max() <= table.off


def test_less_itself_nothing_is_left():
    robot = load_classic("puma560")
    own = trace_quantity(robot, "mass_matrix")
    table = mass_matrix_table(robot, own, polynomial_degrees(robot, own), less=own)
    assert np.all(table.entries == 0.0)
    assert table.off > 0.0


def test_only_the_symmetric_part_is_in_it():
    robot = load_classic("planar2r")
    M = trace("mass_matrix", lambda q: {"M": [[1.0, 4.0 * sincos(q[1])[0]], [2.0, 1.0]]}, {"q": (2,)})
    table = mass_matrix_table(robot, M, polynomial_degrees(robot, M))
    assert value_at(table, [0.3, 0.5], 2)[0, 1] == pytest.approx(1.0 + 2.0 * np.sin(0.5))


def test_what_is_no_polynomial_or_too_large_has_no_table():
    robot = load_classic("planar2r")
    quotient = trace("mass_matrix", lambda q: {"M": [[1.0 / (2.0 + sincos(q[0])[0]), 0.0], [0.0, 1.0]]}, {"q": (2,)})
    assert polynomial_degrees(robot, quotient) is None
    own = trace_quantity(robot, "mass_matrix")
    assert mass_matrix_table(robot, own, [400, 400]) is None


TURN = ((-np.pi, -np.pi), (np.pi, np.pi))
ARM = tq.classics.planar2r()


def matrix(entries):
    def algorithm(q):
        (s1, c1), (s2, c2) = sincos(q[0]), sincos(q[1])
        return {"M": entries(s1, c1, s2, c2)}

    return trace("mass_matrix", algorithm, {"q": (2,)})


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "scara", "stanford", "puma560"])
def test_the_mass_matrix_of_every_arm_is_positive(name):
    robot = load_classic(name)
    lower = [0.1 if joint.type.is_prismatic else -np.pi for joint in robot.joints]
    upper = [0.9 if joint.type.is_prismatic else np.pi for joint in robot.joints]
    assert is_positive_everywhere(robot, trace_quantity(robot, "mass_matrix"), lower, upper)


def test_the_margin_is_close():
    """S has the smallest eigenvalue 1 - a at one position only."""
    for a, shown in ((0.9, True), (0.999, True), (1.001, False), (1.5, False)):
        M = matrix(lambda s, c, t, d, a=a: [[1.0 + 0.0 * s, a * c * d], [a * c * d, 1.0]])
        assert is_positive_everywhere(ARM, M, *TURN) == shown


def test_only_the_symmetric_part_counts():
    turned = matrix(lambda s, c, t, d: [[1.0, 5.0 * s], [-5.0 * s, 1.0]])
    assert is_positive_everywhere(ARM, turned, *TURN)
    assert not is_positive_everywhere(ARM, matrix(lambda s, c, t, d: [[1.0, 5.0 * s], [5.0 * s, 1.0]]), *TURN)


def test_a_singular_place_within_the_box_is_never_passed_over():
    M = matrix(lambda s, c, t, d: [[1.0, 1.0 - 0.3 * (1.0 - s * t)], [1.0, 1.0]])
    assert not is_positive_everywhere(ARM, M, *TURN)
    assert is_positive_everywhere(ARM, M, (-1.0, -1.0), (1.0, 1.0))


def test_what_is_shown_agrees_with_samples():
    rng = np.random.default_rng(1)
    verdicts = set()
    for k in range(40):
        a, size = rng.uniform(-1.0, 1.0, 6), 0.4 + 0.06 * k
        M = matrix(
            lambda s, c, t, d, a=a, size=size: [
                [size + a[0] * c, a[1] * s + a[2] * d],
                [a[3] * t, size + a[4] * c * d + a[5] * s],
            ]
        )
        values = evaluate(M, {"q": rng.uniform(-np.pi, np.pi, (20_000, 2))})["M"]
        smallest = float(np.linalg.eigvalsh(0.5 * (values + values.transpose(0, 2, 1)))[:, 0].min())
        shown = is_positive_everywhere(ARM, M, *TURN)
        verdicts.add(shown)
        assert shown == (smallest > 0.0) or abs(smallest) < 0.02
    assert verdicts == {True, False}


def test_what_is_no_polynomial_is_not_shown():
    quotient = trace("mass_matrix", lambda q: {"M": [[1.0 / (2.0 + sincos(q[0])[0]), 0.0], [0.0, 1.0]]}, {"q": (2,)})
    assert not is_positive_everywhere(ARM, quotient, *TURN)


def test_the_budget_ends_the_search():
    M = matrix(lambda s, c, t, d: [[1.0, 0.99 * c * d], [0.99 * c * d, 1.0]])
    assert not is_positive_everywhere(ARM, M, *TURN, most=150)


def changed(robot, size, seed=0):
    """The robot's M with waves of this size, in parts of its diagonals, and of both triangles, added."""
    rng = np.random.default_rng(seed)
    own = trace_quantity(robot, "mass_matrix")
    diagonal = np.sqrt(np.einsum("nii->ni", evaluate(own, {"q": rng.uniform(-1, 1, (50, robot.n))})["M"]).min(axis=0))
    waves = size * np.outer(diagonal, diagonal) * rng.uniform(-1.0, 1.0, (robot.n, robot.n))
    at = rng.integers(robot.n, size=(robot.n, robot.n))

    def algorithm(q):
        M = replay(own, {"q": q})["M"]
        bent = [q[k] * q[k] if robot.joints[k].type.is_prismatic else sincos(q[k])[0] for k in range(robot.n)]
        return {"M": [[M[i][j] + waves[i, j] * bent[at[i, j]] for j in range(robot.n)] for i in range(robot.n)]}

    return trace("mass_matrix", algorithm, {"q": (robot.n,)})


def box(robot):
    lower = [0.1 if joint.type.is_prismatic else -np.pi for joint in robot.joints]
    return lower, [0.9 if joint.type.is_prismatic else np.pi for joint in robot.joints]


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "scara", "stanford", "puma560"])
def test_small_errors_are_shown_and_large_ones_are_not(name):
    robot = load_classic(name)
    assert is_near_enough(robot, trace_quantity(robot, "mass_matrix"), *box(robot))
    assert is_near_enough(robot, changed(robot, 0.005), *box(robot))
    assert not is_near_enough(robot, changed(robot, 3.0), *box(robot))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_shown_agrees_with_samples_of_near_mass_matrix(seed):
    robot = random_robot(seed, bodies=4, mimic=False, motors=False)
    q = np.random.default_rng(seed).uniform(*box(robot), (4000, robot.n))
    for size in (0.003, 0.03, 0.3):
        M = changed(robot, size, seed)
        values = evaluate(M, {"q": q})["M"]
        smallest = np.linalg.eigvalsh(values + values.transpose(0, 2, 1))[:, 0].min()
        assert not is_near_enough(robot, M, *box(robot)) or smallest > 0.0


def test_the_least_inertia_is_what_decides(monkeypatch):
    """Planted: with errors taken to be nothing, a singular M would pass."""
    robot = load_classic("planar2r")
    none = trace("mass_matrix", lambda q: {"M": [[0.0 * q[0], 0.0], [0.0, 0.0]]}, {"q": (2,)})
    assert not is_near_enough(robot, none, *box(robot))
    monkeypatch.setattr(module, "_largest", lambda error, n, reach: np.zeros((n, n)))
    assert is_near_enough(robot, none, *box(robot))


def test_displacements_count_as_far_as_they_reach():
    robot = load_classic("stanford")
    lower, upper = box(robot)
    M = changed(robot, 0.02)
    assert is_near_enough(robot, M, lower, upper)
    slide = next(k for k, joint in enumerate(robot.joints) if joint.type.is_prismatic)
    assert not is_near_enough(robot, M, lower, [50.0 if k == slide else u for k, u in enumerate(upper)])


def test_what_is_no_polynomial_is_not_shown_of_near_mass_matrix():
    quotient = trace("mass_matrix", lambda q: {"M": [[9.0 / (2.0 + sincos(q[0])[0]), 0.0], [0.0, 1.0]]}, {"q": (2,)})
    assert not is_near_enough(load_classic("planar2r"), quotient, [-1.0, -1.0], [1.0, 1.0])


@pytest.mark.parametrize("power", [4, 6])
def test_degrees_of_operations_may_be_higher_than_those_of_robots(power):
    """Pruned recursions multiply sines of a joint several times: the proof takes longer, and is found."""
    robot = load_classic("planar2r")

    def program(q):
        own, c = own_mass_matrix(robot, q), sincos(q[1])[1]
        small = 1e-3 * c
        for _ in range(power - 1):
            small = small * c
        return {"M": [[own[0][0] + small, own[0][1]], [own[1][0], own[1][1]]]}

    M = trace("mass_matrix", program, {"q": (2,)})
    assert max(polynomial_degrees(robot, M)) >= power
    assert is_positive_everywhere(robot, M, (-3.0, -3.0), (3.0, 3.0))
    assert is_near_enough(robot, M, (-3.0, -3.0), (3.0, 3.0))


BOX = MotionBox((-3.0, -3.0), (3.0, 3.0), (1.0, 1.0), (2.0, 2.0))


def test_it_is_below_m_at_random_positions():
    for robot in (tq.classics.planar2r(), tq.classics.scara(), tq.classics.stanford()):
        program = trace_quantity(robot, "inverse_dynamics")
        box = MotionBox((-1.0,) * robot.n, (1.0,) * robot.n)
        found = least_inertia(robot, program, box, budget=Budget())
        assert len(found) == robot.n
        model = tq.compile(robot)
        for q in np.random.default_rng(0).uniform(-1.0, 1.0, (200, robot.n)):
            assert np.linalg.eigvalsh(model.mass_matrix(q) - np.diag(found))[0] > 0.0


def test_a_singular_mass_matrix_has_none():
    robot = tq.classics.planar2r()

    def without_m22(robot, q, qd, qdd):
        first, second = inverse_dynamics(robot, q, qd, qdd)
        return [first, second - robot.bodies[1].inertia.zz * qdd[1]]

    program = trace_quantity(robot, "inverse_dynamics", algorithm=without_m22)
    assert not least_inertia(robot, program, BOX, budget=Budget())


def test_none_is_found_once_the_time_is_over():
    robot = tq.classics.planar2r()
    program = trace_quantity(robot, "inverse_dynamics")
    assert not least_inertia(robot, program, BOX, budget=Budget(1e-9, start=0.0))


def test_a_certificate_holds_it_and_the_check_proves_it():
    robot = tq.classics.planar2r()
    program = trace_quantity(robot, "inverse_dynamics")
    plain = certify(robot, program, program, BOX)
    honest = replace(plain, least_inertia=least_inertia(robot, program, BOX, budget=Budget()))
    assert "least_inertia" not in plain.to_dict()
    assert Certificate.from_dict(honest.to_dict()) == honest
    check_certificate(robot, honest)
    with pytest.raises(CheckError, match="M is not proven"):
        check_certificate(robot, replace(honest, least_inertia=tuple(3.0 * m for m in honest.least_inertia)))
    values = {key: value for key, value in honest.to_dict().items() if key != "sha256"} | {"least_inertia": []}
    with pytest.raises(ArgumentError, match="least_inertia"):
        Certificate.from_dict(values | {"sha256": checksum(values)})
