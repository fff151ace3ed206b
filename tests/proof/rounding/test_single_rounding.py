"""What single precision does to torques: by hand on small programs, and never below what is found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.single_precision import float_torques, rounding_found

from torquec.codegen.precision import Precision
from torquec.codegen.sincos import SINGLE_ERROR
from torquec.errors import RobotError
from torquec.expr import trace
from torquec.expr.math import exp, sincos
from torquec.model.quantities import trace_quantity
from torquec.proof.checker.check_floats import check_floats
from torquec.proof.rounding.single_rounding import (
    SMALLEST,
    UNIT,
    _Boxes,
    _constant,
    _product,
    _rounded,
    _Value,
    _wave,
    single_rounding,
)
from torquec.proof.torque.certify import certify, rounding_of
from torquec.robot import classics
from torquec.trajectory.motion_box import MotionBox

MARGIN = 1.05  # of the search, so that a checker with other boxes agrees
ONE = MotionBox((-1.0,), (1.0,), (2.0,), (3.0,))


def torque(program):
    """A program of one joint."""
    return trace(
        "f", lambda q, qd, qdd: {"tau": [program(q[0], qd[0], qdd[0])]}, dict.fromkeys(("q", "qd", "qdd"), (1,))
    )


TENTH = abs(0.1 - float(np.float32(0.1)))

BY_HAND = {
    "an input is converted": (lambda q, v, a: a, 3.0 * UNIT),
    "a sign costs nothing": (lambda q, v, a: -a, 3.0 * UNIT),
    "a sum: two inputs, one rounding": (lambda q, v, a: v + a, (2.0 + 3.0 + 5.0) * UNIT),
    "a difference": (lambda q, v, a: v - a, (2.0 + 3.0 + 5.0) * UNIT),
    "a product: each input by the other, one rounding": (lambda q, v, a: v * a, (6.0 + 6.0 + 6.0) * UNIT),
    "a square": (lambda q, v, a: v * v, (4.0 + 4.0 + 4.0) * UNIT),
    "a constant that is a float": (lambda q, v, a: 0.5 * a, (1.5 + 1.5) * UNIT),
    "a constant that is none": (lambda q, v, a: 0.1 * a, 3.0 * TENTH + (0.3 + 0.3) * UNIT),
    "a constant alone": (lambda q, v, a: 0.1 + 0.0 * a, TENTH),
    "a sine: its angle and its own error": (lambda q, v, a: sincos(q)[0], UNIT + SINGLE_ERROR),
    "a cosine": (lambda q, v, a: sincos(q)[1], UNIT + SINGLE_ERROR),
    "three operations in a row": (lambda q, v, a: ((v + a) + a) + a, (2 + 3 + 5 + 3 + 8 + 3 + 11) * UNIT),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_small_programs_by_hand(name):
    program, expected = BY_HAND[name]
    (found,) = single_rounding(torque(program), ONE)
    assert found == pytest.approx(MARGIN * expected, rel=1e-5, abs=0.0)
    # The checker counts the same: what is stated is enough, a hundredth less than the truth is not.
    check_floats(torque(program), ONE, [found])
    with pytest.raises(Exception, match="single precision"):
        check_floats(torque(program), ONE, [0.99 * expected])


@pytest.mark.parametrize("make", [classics.planar2r, classics.stanford, classics.scara])
def test_no_rounding_is_larger_than_the_bound(make, monkeypatch):
    monkeypatch.setattr("torquec.proof.rounding.single_rounding._BOXES", 2000)
    monkeypatch.setattr("torquec.proof.rounding.single_rounding._FIRST", 500)
    check_not_below_what_is_found(make(), 4000)


@pytest.mark.slow
@pytest.mark.parametrize("make", [classics.puma560, classics.stanford])
def test_no_rounding_of_many_motions_is_larger_than_the_bound(make):
    check_not_below_what_is_found(make(), 200_000)


def check_not_below_what_is_found(robot, count):
    program = trace_quantity(robot, "inverse_dynamics")
    low = [max(joint.limits.lower, -3.0) for joint in robot.joints]
    high = [min(joint.limits.upper, 3.0) for joint in robot.joints]
    box = MotionBox(tuple(low), tuple(high), (2.0,) * robot.n, (5.0,) * robot.n)
    bound = np.array(single_rounding(program, box))
    found = rounding_found(program, box, count)
    assert np.all(found <= bound)
    assert np.all(bound <= 100.0 * found + 1e-12)  # the worst of some motions is far from the worst case
    check_floats(program, box, bound)


def test_a_constant_and_a_conversion_are_attained():
    program = torque(lambda q, v, a: 0.1 * a)
    exact, single = float_torques(program, {"q": np.zeros((1, 1)), "qd": np.zeros((1, 1)), "qdd": np.full((1, 1), 2.9)})
    (bound,) = single_rounding(program, ONE)
    assert 0.2 * bound < abs(exact - single).item() <= bound


def test_more_boxes_make_the_bound_smaller(monkeypatch):
    robot = classics.puma560()
    program = trace_quantity(robot, "inverse_dynamics")
    box = MotionBox((-3.0,) * 6, (3.0,) * 6, (2.0,) * 6, (5.0,) * 6)
    monkeypatch.setattr("torquec.proof.rounding.single_rounding._BOXES", 1)
    monkeypatch.setattr("torquec.proof.rounding.single_rounding._FIRST", 1)
    rough = np.array(single_rounding(program, box))
    monkeypatch.setattr("torquec.proof.rounding.single_rounding._BOXES", 3000)
    monkeypatch.setattr("torquec.proof.rounding.single_rounding._FIRST", 500)
    fine = np.array(single_rounding(program, box))
    assert np.all(fine[:5] < rough[:5])
    assert fine[0] < 0.95 * rough[0]


def test_doubles_are_not_counted_and_floats_are_part_of_the_bounds():
    robot = classics.planar2r()
    exact = trace_quantity(robot, "inverse_dynamics")
    box = MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (2.0,) * 2)
    assert rounding_of(exact, box, Precision.DOUBLE) is None
    double, single = (certify(robot, exact, exact, box, precision=each) for each in Precision)
    assert double.rounding is None
    assert single.rounding is not None
    for name, proof in single.joints.items():
        part = single.rounding.joints[name]
        assert part > 0.0
        assert proof.bound == pytest.approx(double.joints[name].bound + part, rel=1e-6)


def test_what_is_not_known_is_refused():
    with pytest.raises(RobotError, match="beyond 4096 rad"):
        single_rounding(torque(lambda q, v, a: sincos(q)[0]), MotionBox((-5000.0,), (5000.0,), (1.0,), (1.0,)))
    with pytest.raises(RobotError, match="too large for single precision"):
        single_rounding(torque(lambda q, v, a: 1e38 * a * a), ONE)
    with pytest.raises(RobotError, match="is not known"):
        single_rounding(torque(lambda q, v, a: exp(a)), ONE)
    assert math.isfinite(
        single_rounding(torque(lambda q, v, a: sincos(q)[0]), MotionBox((-4000.0,), (4000.0,), (1.0,), (1.0,)))[0]
    )


@pytest.mark.parametrize(("wave", "peak"), [(np.sin, 0.5 * math.pi), (np.cos, 0.0)])
def test_ranges_of_waves_are_those_of_their_angles(wave, peak):
    """On rising and falling parts, over tops and bottoms, many turns away: as many samples show, and hardly wider."""
    rng = np.random.default_rng(5)
    low = rng.uniform(-30.0, 30.0, 300)
    high = low + rng.uniform(0.0, 7.0, 300) ** 2 / 7.0
    angles = _Value(low, high, np.full(300, 1e-3))
    found = _wave(angles, wave(low), wave(high), peak=peak)
    samples = wave(low + (high - low) * np.linspace(0.0, 1.0, 4001)[:, None])
    np.testing.assert_allclose(found.low, samples.min(axis=0), atol=1e-5)
    np.testing.assert_allclose(found.high, samples.max(axis=0), atol=1e-5)
    assert np.all(found.low <= samples.min(axis=0))
    assert np.all(found.high >= samples.max(axis=0))
    assert np.all((found.low >= -1.0) & (found.high <= 1.0))
    np.testing.assert_allclose(found.error, 1e-3 + SINGLE_ERROR, rtol=1e-12)


def test_ranges_of_sums_and_products_hold_what_occurs():
    """Intervals of all signs, against samples of both operands; a square is not negative."""
    rng = np.random.default_rng(6)
    ends = np.sort(rng.uniform(-2.0, 2.0, (2, 200, 2)), axis=2)
    a, b = (_Value(each[:, 0], each[:, 1], np.full(200, off)) for each, off in zip(ends, (1e-3, 2e-3), strict=True))
    at = np.linspace(0.0, 1.0, 9)
    x, y = (each[:, 0] + (each[:, 1] - each[:, 0]) * at[:, None] for each in ends)
    products = (x[:, None] * y[None]).reshape(-1, 200)
    found = _product(a, b, is_square=False)
    np.testing.assert_allclose(found.low, products.min(axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.high, products.max(axis=0), rtol=1e-12, atol=1e-15)
    assert np.all((found.low <= products.min(axis=0)) & (found.high >= products.max(axis=0)))
    size, error = np.abs(products).max(axis=0), np.abs(x).max(axis=0) * 2e-3 + np.abs(y).max(axis=0) * 1e-3 + 2e-6
    np.testing.assert_allclose(found.error, error + UNIT * (size + error), rtol=1e-12)
    square = _product(a, a, is_square=True)
    assert np.all(square.low >= -1e-14)
    np.testing.assert_allclose(square.high, (x * x).max(axis=0), rtol=1e-12)


def test_boxes_are_cut_across_their_widest_side():
    boxes = _Boxes(np.array([[0.0, 0.0, -1.0], [1.0, 2.0, 3.0]]), np.array([[4.0, 3.0, 9.0], [2.0, 9.0, 3.5]]))
    cut = boxes.halves(np.array([1.0, 1.0, math.inf]))
    np.testing.assert_array_equal(cut.lower, [[0, 0, -1], [1, 2, 3], [2, 0, -1], [1, 5.5, 3]])
    np.testing.assert_array_equal(cut.upper, [[2, 3, 9], [2, 5.5, 3.5], [4, 3, 9], [2, 9, 3.5]])
    assert boxes.halves(np.array([2.0, 1.0, math.inf])).upper[0].tolist() == [4.0, 1.5, 9.0]
    assert len(cut) == 4
    assert cut[1:3].lower.tolist() == cut.lower[1:3].tolist()


def test_every_part_of_an_error_is_added():
    """Of a constant its rounding and that of its digits; of a result a unit of all that it may be, and underflow."""
    outwards = 2.0**-50
    assert float(_constant(1.0 + 2.0**-25).error) == 2.0**-25 + outwards * (1.0 + 2.0**-25)
    assert float(_constant(2.0**-130).error) == pytest.approx(SMALLEST, rel=1e-12, abs=0.0)
    assert float(_constant(0.0).error) == 0.0
    value = _rounded(np.array([-3.0]), np.array([2.0]), np.array([0.0]))
    assert (value.low[0], value.high[0]) == (-3.0 - 3.0 * outwards, 2.0 + 3.0 * outwards)
    assert value.error[0] == UNIT * 3.0 * (1.0 + outwards)
    assert _rounded(np.zeros(1), np.zeros(1), np.zeros(1)).error[0] == SMALLEST
    assert _rounded(np.zeros(1), np.ones(1), np.full(1, 0.5)).error[0] == pytest.approx(0.5 + 1.5 * UNIT, rel=1e-12)


def test_waves_end_at_one():
    """Just before a peak, where a sine is one but for less than its own rounding."""
    near = np.array([0.5 * math.pi - 2e-8])
    for sign in (1.0, -1.0):
        low, high = (near - 0.5, near) if sign > 0.0 else (-near, -near + 0.5)
        found = _wave(_Value(low, high, np.zeros(1)), np.sin(low), np.sin(high), peak=0.5 * math.pi)
        assert (found.high[0] if sign > 0.0 else -found.low[0]) == 1.0
