"""Four angles from a quadratic form of cosine and sine: against roots of its polynomial, folds among them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.kinematics.angle import JointAngle
from torquec.kinematics.conic_angles import conic_angles

NO_TURN = JointAngle(1.0, 0.0)


def form_value(Q, q):
    y = np.array([math.cos(q), math.sin(q), 1.0])
    return float(y @ Q @ y)


def true_angles(Q, slack=1e-6):
    """Roots on the unit circle of the polynomial in exp(j q)."""
    second = ((Q[0, 0] - Q[1, 1]) / 2.0 - 1j * Q[0, 1]) / 2.0
    first, mean = Q[0, 2] - 1j * Q[1, 2], Q[2, 2] + (Q[0, 0] + Q[1, 1]) / 2.0
    z = np.roots([second, first, mean, first.conjugate(), second.conjugate()])
    return np.angle(z[np.abs(np.abs(z) - 1.0) < slack])


def apart(a, b):
    return abs((a - b + math.pi) % (2.0 * math.pi) - math.pi)


def found_angles(Q):
    return [one.angle.radians for one in conic_angles(Q.tolist(), NO_TURN)]


@pytest.mark.parametrize("size", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_every_root_is_found_and_no_other(size):
    rng = np.random.default_rng(1)
    counts = set()
    for k in range(size):
        Q = rng.standard_normal((3, 3)) * 10.0 ** rng.uniform(-1.0, 1.0, (3, 3))
        Q = Q + Q.T
        if k % 3:
            Q[2, 2] -= form_value(Q, rng.uniform(-3.0, 3.0))
        expected, found = true_angles(Q), found_angles(Q)
        met = [q for q in found if abs(form_value(Q, q)) < 1e-13 * np.linalg.norm(Q)]
        assert all(min(apart(q, other) for other in met) < 1e-7 for q in expected)
        assert all(min(apart(q, other) for other in expected) < 1e-6 for q in met)
        counts.add(len(expected))
    assert counts == {0, 2, 4}


def touching_line(u):
    return np.array([math.cos(u), math.sin(u), -1.0])


def line_angles(line):
    middle, half = math.atan2(line[1], line[0]), math.acos(-line[2] / math.hypot(line[0], line[1]))
    return [middle + half, middle - half]


@pytest.mark.parametrize(
    ("fold", "root_accuracy"),
    [("two coincide", 1e-6), ("two and two coincide", 1e-4), ("three coincide", 3e-4), ("all four coincide", 3e-3)],
)
def test_where_roots_coincide_the_form_is_met_all_the_same(fold, root_accuracy):
    """(a . y)(b . y), lines that touch the circle or are one. A root of order m is known to eps^(1/m), f to eps."""
    rng = np.random.default_rng(2)
    for _ in range(100):
        u, v = rng.uniform(-3.0, 3.0, 2)
        touching, chord = touching_line(u), np.array([math.cos(v), math.sin(v), rng.uniform(-0.9, 0.9)])
        turned = u + rng.uniform(0.5, 2.5)
        through = np.array([math.cos(turned), math.sin(turned), -math.cos(turned - u)])
        a, b, roots = {
            "two coincide": (touching, chord, [u, *line_angles(chord)]),
            "two and two coincide": (chord, chord, line_angles(chord)),
            "three coincide": (touching, through, [u, *line_angles(through)]),
            "all four coincide": (touching, touching, [u]),
        }[fold]
        Q = 0.5 * (np.outer(a, b) + np.outer(b, a))
        found = conic_angles(Q.tolist(), NO_TURN)
        met = [one for one in found if abs(form_value(Q, one.angle.radians)) < 1e-11]
        assert all(min(apart(root, one.angle.radians) for one in met) < root_accuracy for root in roots)
        assert any(one.margin < 1e-3 for one in met)


def test_angles_are_of_length_one():
    rng = np.random.default_rng(3)
    for _ in range(100):
        Q = rng.standard_normal((3, 3))
        for one in conic_angles((Q + Q.T).tolist(), NO_TURN):
            assert math.hypot(one.angle.c, one.angle.s) == pytest.approx(1.0, abs=1e-14)
