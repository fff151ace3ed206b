"""Affine numbers enclose what they stand for, to the first order exactly, and torques follow from them."""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np
import pytest
from tests.torquec_check.documents import robot_document

import torquec as tq
from torquec_check.affine import Affine, Boxes, Dual
from torquec_check.recursion import robot_torques
from torquec_check.robot import robot_of
from torquec_check.rows import ball_of

N, M = 5, 4


def _number(rng, size=1.0):
    mid, lin, rad = rng.normal(size=N), rng.normal(size=(M, N)) * size, np.abs(rng.normal(size=N)) * size * 0.1
    return Affine(mid, rad, lin=lin)


def _exact(x, e, r):
    """The value of an affine number at deviations e (M, N) and r (N,), in fractions."""
    return [
        Fraction(x.mid[k]) + sum(Fraction(a) * Fraction(b) for a, b in zip(x.lin[:, k], e[:, k], strict=True))
        + Fraction(x.rad[k]) * Fraction(r[k])
        for k in range(N)
    ]  # fmt: skip


def _holds(found, values, e):
    """Whether exact values differ from the linear part by no more than the radius."""
    for k, value in enumerate(values):
        linear = Fraction(found.mid[k]) + sum(
            Fraction(a) * Fraction(b) for a, b in zip(found.lin[:, k], e[:, k], strict=True)
        )
        if abs(value - linear) > Fraction(found.rad[k]):
            return False
    return True


@pytest.mark.parametrize("seed", range(6))
def test_sums_and_products_hold_what_they_stand_for(seed):
    rng = np.random.default_rng(seed)
    a, b = _number(rng), _number(rng, 10.0 ** rng.integers(-6, 3))
    e, r, s = rng.choice([-1.0, 1.0], (M, N)), rng.choice([-1.0, 1.0], N), rng.choice([-1.0, 1.0], N)
    x, y = _exact(a, e, r), _exact(b, e, s)
    third = ball_of(flint.arb(1) / 3)
    assert _holds(a + b, [p + q for p, q in zip(x, y, strict=True)], e)
    assert _holds(a * b, [p * q for p, q in zip(x, y, strict=True)], e)
    assert _holds(a - b, [p - q for p, q in zip(x, y, strict=True)], e)
    assert _holds(third * a + Fraction(2, 7), [p / 3 + Fraction(2, 7) for p in x], e)
    assert _holds(Fraction(2, 7) + -a * third, [Fraction(2, 7) - p / 3 for p in x], e)


def test_an_exact_number_keeps_the_rounding_of_its_products():
    """Without the rounding, 1 + 2^-60 squared would be 1."""
    tiny = Affine(np.ones(1), np.zeros(1), lin=np.full((1, 1), 2.0**-60))
    assert _holds_one(tiny * tiny, (1 + Fraction(1, 2**60)) ** 2)
    tenth = Affine(np.full(1, 0.1), np.zeros(1), lin=np.zeros((1, 1)))
    assert _holds_one(tenth * tenth, Fraction(0.1) ** 2)
    assert (tenth * tenth).rad[0] < 1e-17


def _holds_one(found, value):
    linear = Fraction(found.mid[0]) + sum(Fraction(x) for x in found.lin[:, 0])
    return abs(value - linear) <= Fraction(found.rad[0])


def test_waves_are_right_to_the_second_order():
    rng = np.random.default_rng(1)
    angle = Affine(rng.normal(size=N) * 3.0, np.full(N, 1e-4), lin=rng.normal(size=(M, N)) * 1e-2)
    e = rng.uniform(-1.0, 1.0, (M, N))
    at = angle.mid + (angle.lin * e).sum(axis=0) + angle.rad
    for found, true in zip(angle.waves(), (np.sin(at), np.cos(at)), strict=True):
        off = np.abs(found.mid + (found.lin * e).sum(axis=0) - true)
        assert np.all(off <= found.rad)
        assert np.all(found.rad <= 2e-4 + (angle.size + angle.rad) ** 2)


def test_derivatives_are_those_of_finite_differences():
    x = np.linspace(0.2, 1.4, N)
    plain = [Affine(x + h, np.zeros(N), lin=np.zeros((1, N))) for h in (1e-6, -1e-6)]
    one = Affine(np.ones(N), np.zeros(N), lin=np.zeros((1, N)))

    def curve(y):
        s, c = y.waves()
        return s * c * y - s + Fraction(1, 3) * c * c + y * Fraction(5)

    ends = [curve(each).mid for each in plain]
    slope = curve(Dual.of(Affine(x, np.zeros(N), lin=np.zeros((1, N))), one)).slope
    np.testing.assert_allclose(slope.mid, (ends[0] - ends[1]) / 2e-6, atol=1e-8)
    assert curve(Dual.of(Affine(x, np.zeros(N), lin=np.zeros((1, N))), None)).slope is None


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_torques_over_boxes_hold_those_of_points_and_their_derivatives(name):
    robot, own = robot_of(robot_document(name)), getattr(tq.classics, name)()
    n, rng = robot.n, np.random.default_rng(3)
    middles, size = rng.uniform(-1.0, 1.0, (3, n, N)), 1e-2
    signs = rng.choice([-1.0, 1.0], (3, n, N))

    def box(kind):
        found = []
        for j in range(n):
            lin = np.zeros((3 * n, N))
            lin[kind * n + j] = size
            found.append(Affine(middles[kind, j], np.zeros(N), lin=lin))
        return tuple(found)

    q, qd, qdd = (box(kind) for kind in range(3))
    tau = robot_torques(robot, Boxes(q, qd, qdd))
    at = middles + size * signs
    exact = tq.as_model(own).inverse_dynamics(*(each.T for each in at))
    flat = (signs * np.ones((3, n, N))).reshape(3 * n, N)
    for j, row in enumerate(tau):
        found = row[()]
        for key, value in row.items():
            found = qdd[~key[0]] * value + found if key else found
        linear = found.mid + (found.lin * flat).sum(axis=0)
        assert np.all(np.abs(linear - exact[:, j]) <= found.rad + 1e-9)
        assert np.all(found.rad <= 30.0 * size**2 * (1.0 + np.abs(exact).max()))
    changed = Boxes(*(tuple(Dual.of(x, y) for x, y in zip(p, v, strict=True)) for p, v in ((q, qd), (qd, qdd))),
                    tuple(Dual.of(x, None) for x in qdd))  # fmt: skip
    h, model = 1e-6, tq.as_model(own)
    ends = [model.inverse_dynamics((at[0] + s * h * at[1]).T, (at[1] + s * h * at[2]).T, at[2].T) for s in (1.0, -1.0)]
    for j, row in enumerate(robot_torques(robot, changed)):
        found = row[()].slope
        linear = found.mid + (found.lin * flat).sum(axis=0)
        assert np.all(np.abs(linear - (ends[0] - ends[1])[:, j] / (2 * h)) <= found.rad + 1e-5)


def _near(found, wanted):
    """A bound is not below what it must be, and above it by its own rounding at most."""
    assert np.all(found >= np.asarray(wanted) * (1.0 - 1e-15))
    np.testing.assert_allclose(found, wanted, rtol=2e-9, atol=0.0)


def _two(size=1.0):
    """Two numbers (1,): of whole numbers, so that nothing is rounded."""
    a = Affine(np.array([3.0]), np.array([0.25]) * size, lin=np.array([[0.5], [-2.0]]) * size)
    b = Affine(np.array([-5.0]), np.array([0.125]) * size, lin=np.array([[4.0], [1.0]]) * size)
    return a, b


def test_radii_keep_their_numbers():
    """The formulas of the module, term by term."""
    (a, b), u = _two(), 2.0**-53
    assert a.size == 2.5
    _near(a.magnitude(), [3.0 + 2.5 + 0.25])
    _near((a + b).rad, [0.375 + u * (2.0 + 7.5)])
    _near((a * b).rad, [3 * 0.125 + 5 * 0.25 + 2.75 * 5.125 + u * (15 + 2 * (3 * 5 + 5 * 2.5))])
    np.testing.assert_allclose((a * b).lin, [[3 * 4 - 5 * 0.5], [3 * 1 + 5 * 2]])
    third = ball_of(flint.arb(1) / 3)
    wanted = third.mid * 0.25 + third.rad * (3 + 2.5 + 0.25) + u * (1.0 + third.mid * 2.5)
    _near((a * third).rad, wanted)
    _near((third * a).rad, wanted)
    _near((a + third).rad, 0.25 + third.rad + u * (10.0 / 3.0 + 2.5))
    _near((-a).rad, [0.25])
    np.testing.assert_array_equal((-a).lin, -a.lin)
    a, b = _two(0.0)
    a, b = (
        Affine(x.mid, x.rad, lin=x.lin + y) for x, y in ((a, np.array([[0.5], [-2.0]])), (b, np.array([[4.0], [1.0]])))
    )
    _near((a + b).rad, [u * (2.0 + 7.5)])
    a, b = _two(0.0)
    _near((a + b).rad, [u * 2.0])
    _near((a * b).rad, [u * 15.0])
    zero = Affine(np.zeros(1), np.zeros(1), lin=np.zeros((2, 1)))
    assert (zero * zero).rad == 1e-300
    assert (zero * third).rad == 1e-300
    a = Affine(np.array([3.0]), np.zeros(1), lin=np.array([[0.0], [0.0]]))
    b = Affine(np.array([0.0]), np.zeros(1), lin=np.array([[2.0**-60], [0.0]]))
    _near((a * b).rad, [u * 2 * 3 * 2.0**-60])
    _near((b * a).rad, [u * 2 * 3 * 2.0**-60])
    _near((b * ball_of(flint.arb(3))).rad, [u * 3 * 2.0**-60])


def test_what_waves_add_keeps_its_numbers():
    x = Affine(np.array([0.5]), np.array([0.01]), lin=np.array([[0.03], [-0.02]]))
    (sine, cosine), u = x.waves(), 2.0**-53
    for found, value, slope in ((sine, np.sin(0.5), np.cos(0.5)), (cosine, np.cos(0.5), -np.sin(0.5))):
        np.testing.assert_allclose(found.mid, [value], rtol=1e-15)
        np.testing.assert_allclose(found.lin[:, 0], slope * x.lin[:, 0], rtol=1e-14)
        np.testing.assert_allclose(found.rad, abs(slope) * 0.01 + 0.06**2 / 2, rtol=1e-8)
        assert np.all(found.rad > abs(slope) * 0.01 + 0.06**2 / 2 * (1 + 0.5e-9))
    still = Affine(np.array([0.5]), np.zeros(1), lin=np.zeros((1, 1)))
    for found in still.waves():
        assert 0.0 < found.rad < 4.0 * u


def test_a_box_has_its_numbers_and_zeros():
    one = Affine(np.ones(1), np.zeros(1), lin=np.zeros((1, 1)))
    box = Boxes((one, None), (None, one), None)
    assert box.constant(Fraction(0)) == {}
    assert box.constant(Fraction(2)) == {(): 2}
    assert box.input("q", 0)[()] is one
    assert box.input("q", 1) == {}
    assert box.input("qd", 0) == {}
    assert box.input("qdd", 1) == {(-2,): 1}
    sine, cosine = (box.wave(op, box.constant(Fraction(1, 2)))[()] for op in ("sin", "cos"))
    assert abs(sine.mid - np.sin(0.5)) <= sine.rad < 1e-15
    assert abs(cosine.mid - np.cos(0.5)) <= cosine.rad < 1e-15
    assert box.wave("cos", box.constant(Fraction(0)))[()].mid == 1.0
    assert box.wave("cos", box.input("q", 0))[()].mid == np.cos(1.0)
    assert box.wave("sin", box.input("q", 0))[()].mid == np.sin(1.0)
    x = Affine(np.array([0.3]), np.zeros(1), lin=np.zeros((1, 1)))
    sine, cosine = Dual.of(x, None).waves()
    assert sine.slope is cosine.slope is None
    assert (sine * cosine + sine).slope is None
    assert (-(sine * 2.0)).slope is None
    assert (-Dual.of(x, one)).slope.mid == -1.0


def test_what_underflows_in_a_square_counts():
    """The sine of zero is exact: two products are left, of 1e-300 each."""
    sine, _ = Affine(np.zeros(1), np.zeros(1)).waves()
    np.testing.assert_allclose(sine.rad, [2e-300], rtol=1e-6)
