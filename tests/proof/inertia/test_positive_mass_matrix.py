"""Whether M is positive definite everywhere: shown where it is, with the robots whose M needs it."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.expr import evaluate, trace
from torquec.expr.math import sincos
from torquec.model.quantities import trace_quantity
from torquec.proof.inertia.positive_mass_matrix import is_positive_everywhere
from torquec.robot.classics import load_classic

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
