"""The PUMA 560 at the error level of Clover's Tables III and IV (chapter II): operations, printed and proven errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.clover import beside

import torquec as tq
from torquec.closedform import FourierSeries
from torquec.closedform.layouts import CLOVER, Entry, Matrix, Part, entries
from torquec.closedform.shared_sums import SharedSums
from torquec.dynamics import friction_torque
from torquec.expr import count_operations, evaluate, trace
from torquec.model.quantities import trace_quantity
from torquec.proof.checker.check_certificate import check_certificate
from torquec.proof.torque.certify import certify
from torquec.trajectory import minimum_jerk
from torquec.trajectory.motion_box import MotionBox

ARM = tq.classics.puma560()
STATE = dict.fromkeys(("q", "qd", "qdd"), (6,))

COEFFICIENTS = (38, 35)
"""Printed 59 / 42; common subexpressions reach 41 / 36."""

INVERSE_DYNAMICS = (72, 64)
"""With friction. Printed 87 / 60; common subexpressions reach 73 / 65."""

TABLE_III = (0.992, 0.753, 0.797, 0.275, 0.431, 0.0093)
TABLE_IV = (3.74, 2.58, 2.53, 1.14, 1.24, 0.02)
"""Largest errors printed; the second of 12,000 random motions at 10 rad/s and 100 rad/s^2."""

FOUND = (4.5808, 4.0798, 3.0752, 1.567, 1.5869, 0.03145)
"""Largest errors found at those speeds and accelerations, over all positions."""

CLOSE = 1.2
"""A bound is at most this much above what was found."""


def abbreviated():
    """The entries of the tables' model: the fifth joint's gravity terms are left out."""
    found = {}
    form = tq.closed_form(ARM)
    for matrix in (Matrix.M, Matrix.B, Matrix.D, Matrix.G_TORQUE):
        for one in entries(form, matrix, CLOVER):
            (part,) = one.parts
            value = part.value
            if matrix is Matrix.G_TORQUE:
                value = FourierSeries({h: c for h, c in value.terms.items() if 4 not in dict(h.multiples)})
            if value.terms:
                found[matrix, one.index] = Entry(matrix, one.index, (Part(value),))
    return SharedSums(found)


def torques(sums, q, qd, qdd):
    total = [0.0] * 6
    for (matrix, index), value in sums.values(q, qd, qdd).items():
        i, *rest = index
        if matrix is Matrix.M:
            (j,) = rest
            total[i] = total[i] + value * qdd[j]
            if i != j:
                total[j] = total[j] + value * qdd[i]
        elif matrix is Matrix.G_TORQUE:
            total[i] = total[i] + value
        else:
            total[i] = total[i] + value * (qd[rest[0]] * qd[rest[-1]])
    return total


@pytest.fixture(scope="module")
def sums():
    return abbreviated()


@pytest.fixture(scope="module")
def program(sums):
    """Inverse dynamics without friction."""
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": torques(sums, q, qd, qdd)}, STATE)


def test_operations_of_the_coefficients(sums):
    def algorithm(q, qd, qdd):
        return {"all": list(sums.values(q, qd, qdd).values())}

    count = count_operations(trace("coefficients", algorithm, STATE))
    beside("coefficients, mul/add", [count.mul, count.add], [59, 42])
    assert count.mul <= COEFFICIENTS[0]
    assert count.add <= COEFFICIENTS[1]


def test_operations_of_inverse_dynamics_with_friction(sums):
    def algorithm(q, qd, qdd):
        rigid, friction = torques(sums, q, qd, qdd), friction_torque(ARM, qd)
        return {"tau": [a + b for a, b in zip(rigid, friction, strict=True)]}

    count = count_operations(trace("total_torque", algorithm, STATE))
    beside("inverse dynamics with friction, mul/add", [count.mul, count.add], [87, 60])
    assert count.mul <= INVERSE_DYNAMICS[0]
    assert count.add <= INVERSE_DYNAMICS[1]


def test_table_iii(program):
    motion = minimum_jerk(np.zeros(6), np.full(6, 2 * math.pi), 1.5, period=0.01)
    state = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd}
    exact = tq.compile(ARM).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    largest = np.abs(exact - evaluate(program, state)["tau"]).max(axis=0)
    beside("Table III, largest errors", largest, TABLE_III)
    assert np.all(np.abs(largest - TABLE_III) < [6e-4, 6e-4, 6e-4, 6e-4, 6e-4, 6e-5])


@pytest.mark.slow
def test_the_proven_error_at_the_motions_of_table_iv(program):
    box = MotionBox((-math.pi,) * 6, (math.pi,) * 6, (10.0,) * 6, (100.0,) * 6)
    certificate = certify(ARM, trace_quantity(ARM, "inverse_dynamics"), program, box)
    check_certificate(ARM, certificate)
    bounds = [proof.bound for proof in certificate.joints.values()]
    beside("Table IV, proven and printed (sampled) errors", bounds, TABLE_IV)
    for bound, printed, found in zip(bounds, TABLE_IV, FOUND, strict=True):
        assert printed < found <= bound <= CLOSE * found
