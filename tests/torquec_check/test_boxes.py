"""Subdivision: what holds over a range is proven, what does not is refused, to within rounding."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import flint
import numpy as np
import pytest

from torquec_check import boxes
from torquec_check.boxes import (
    _bends,
    _halves,
    _largest,
    _piece,
    _pieces,
    _rounding,
    along,
    amplitude,
    check_below,
    in_sums,
    product_error,
    waves_of,
)
from torquec_check.document import RefusedError
from torquec_check.program_error import torque_exceeds
from torquec_check.rows import Ball, grid_of


def _silent(_part):
    """No progress is shown."""


def _grid(ranges):
    return grid_of((True, True), (2, 1), *zip(*ranges, strict=True))


def _prove(values, grid, bound):
    return check_below({(): Ball(values, np.zeros(()))}, grid, torque_exceeds, bound, _silent)


A, B = np.meshgrid(2 * np.pi * np.arange(5) / 5, 2 * np.pi * np.arange(3) / 3, indexing="ij")


def _function(a, b):
    return np.cos(2.0 * a - 0.3) * (1.0 + 0.5 * np.sin(b)) + 0.2 * np.sin(a)


@pytest.mark.parametrize("ranges", [[(-3.2, 3.2), (-3.2, 3.2)], [(0.4, 1.1), (-1.0, 0.7)], [(2.0, 2.0), (0.5, 0.5)]])
def test_the_largest_value_in_the_ranges_is_the_limit(ranges):
    fine = np.meshgrid(*(np.linspace(*ends, 801) for ends in ranges), indexing="ij")
    largest = np.abs(_function(*fine)).max()
    _prove(_function(A, B), _grid(ranges), largest * 1.0005)
    with pytest.raises(RefusedError):
        _prove(_function(A, B), _grid(ranges), largest * 0.9995)


def test_displacements_are_bounded_in_their_range():
    grid = grid_of((False,), (2,), (-1.0,), (3.0,))
    d = grid.input("q", 0)[()].mid
    _prove(d * (d - 2.5), grid, 3.5001)
    with pytest.raises(RefusedError, match="attained"):
        _prove(d * (d - 2.5), grid, 3.4999)


def test_a_piece_has_the_values_of_its_waves():
    matrix, weights = _piece(2, flint.arb(1), flint.arb(2))
    t = np.tan(0.25 * 2.0)
    rng = np.random.default_rng(0)
    waves = rng.normal(size=5) + 1j * rng.normal(size=5)
    for s, q in ((0.0, 0.0), (1.0, 2.0), (0.5, 1.0)):
        basis = np.array([[1, 4, 6, 4, 1][i] * s**i * (1.0 - s) ** (4 - i) for i in range(5)])
        wanted = sum(f * np.exp(1j * k * q) for f, k in zip(waves, [0, 1, 2, -2, -1], strict=True))
        assert basis @ (matrix @ waves) / (basis @ weights) == pytest.approx(wanted)
    assert basis @ weights == pytest.approx(1.0)
    assert t < 1.0


def test_pieces_cover_ranges_and_have_positive_weights():
    assert len(_pieces(5, -3.2, 3.2)) == 3
    assert len(_pieces(5, 0.0, 2.8)) == 1
    assert len(_pieces(5, 0.0, 2.9)) == 2
    assert all(np.all(weights > 0.0) for _, weights in _pieces(7, 0.0, 2.8))
    with pytest.raises(RefusedError, match="too wide"):
        _piece(1, flint.arb(0), flint.arb.pi() * flint.arb("1.1"))


def test_halves_are_the_polynomial_on_its_halves():
    left, right = _halves(3)
    assert (left @ [1.0, 5.0, 2.0]).tolist() == [1.0, 3.0, 3.25]
    assert (right @ [1.0, 5.0, 2.0]).tolist() == [3.25, 3.5, 2.0]


def test_noise_counts_in_full():
    values = np.ones((1, 1))
    ball = Ball(values, np.full((5, 3), 0.01))
    args = (_grid([(-1.0, 1.0)] * 2), torque_exceeds)
    assert check_below({(): ball}, *args, 1.05, _silent) == pytest.approx(0.01 * np.sqrt(15.0), rel=0.02)
    with pytest.raises(RefusedError):
        check_below({(): ball}, *args, 1.035, _silent)


def test_rounding_of_control_values():
    unit = 2.0**-53
    assert _rounding(2, (5, 3), 0) == pytest.approx((4 * 9 + 4 * 7 + 416) * unit, rel=1e-8, abs=0.0)
    assert _rounding(2, (5, 3), 7) == pytest.approx((4 * 9 + 4 * 7 + 416 + 7 * 4 * 9) * unit, rel=1e-8, abs=0.0)


def test_limits_are_lowered_by_the_rounding_of_control_values():
    """All N are at most the size of F times the largest row sums of the matrices."""
    seen, grid = [], grid_of((True, True), (1, 1), (0.0, 0.0), (1.0, 2.0))
    rows = [np.outer(np.cos(a), np.cos(a)) for a in [2.0 * np.pi * np.arange(3) / 3]] + [np.ones((3, 3))]
    balls = {key: Ball(each, np.zeros(())) for key, each in enumerate(rows)}
    noise = check_below(balls, grid, lambda *given: seen.append(given), 1.5, _silent)
    ((_, points, limits),) = seen
    (((a, v),), ((b, w),)) = (_pieces(3, 0.0, high) for high in (1.0, 2.0))
    size = np.abs(a).sum(axis=1).max() * np.abs(b).sum(axis=1).max() * (0.25 + 1.0)
    weights, left = np.multiply.outer(v, w).ravel(), 1.5 - noise
    np.testing.assert_allclose(left * weights - limits, _rounding(2, (3, 3), 0) * (left * weights + size), rtol=1e-2)
    assert points.shape == (2, 9)


def test_waves_that_are_left_out_are_counted():
    """The smallest ones, whatever their degree."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(7, 5)) + 0.0j, rng.normal(size=(7, 1)) + 0.0j
    first[3:5], second[3:5] = 1e-6, -2e-6  # degree 3 of the first joint
    first[:, 2:4] = 1e-6  # degree 2 of the second one
    vectors, waves, omitted = _largest([first, second], 1e-3)
    assert np.abs(vectors).max(axis=0).tolist() == [2, 1]
    for k, (f, g) in zip(vectors, waves.T, strict=True):
        assert (f, g) == (first[tuple(k)], second[k[0], 0] if k[1] == 0 else 0.0)
    lost = np.abs(first).sum() + np.abs(second).sum() - np.abs(waves).sum()
    assert lost <= omitted == pytest.approx(lost, rel=1e-6)
    assert len(vectors) == 5 * 3
    vectors, waves, omitted = _largest([first, second], 1e-9)
    assert (len(vectors), waves.shape, omitted) == (35, (2, 35), 0.0)


def test_nothing_but_noise_is_refused_where_it_is_more_than_the_bound():
    ball = Ball(np.zeros((1, 1)), np.full((5, 3), 0.01))
    with pytest.raises(RefusedError, match=r"only 0\.01 is allowed, and rounding is 0\.038"):
        check_below({(): ball}, _grid([(-1.0, 1.0)] * 2), torque_exceeds, 0.01, _silent)


def test_slack_counts(monkeypatch):
    """The noise has the factor for rounding twice, for its own sum and for that over rows."""
    monkeypatch.setattr(boxes, "UP", 2.0)
    ball = Ball(np.ones((1, 1)), np.full((5, 3), 0.01))
    grid = _grid([(0.3, 0.3)] * 2)
    assert check_below({(): ball}, grid, torque_exceeds, 4.2, _silent) == pytest.approx(0.155, rel=0.01)
    check_below({(): ball}, grid, torque_exceeds, 1.16, _silent)  # by boxes, whose limits have no such factor
    with pytest.raises(RefusedError):
        check_below({(): ball}, grid, torque_exceeds, 1.15, _silent)


def test_it_ends(monkeypatch):
    monkeypatch.setattr(boxes, "MOST_VALUES", 100)
    with pytest.raises(RefusedError, match="limit of subdivisions"):
        _prove(_function(A, B), _grid([(-3.2, 3.2)] * 2), 1.7)


def test_boxes_are_halved_along_joints_that_matter(monkeypatch):
    """A function of one joint nearly: other joints bend numerators through their denominators alone."""
    halved = []
    monkeypatch.setattr(boxes, "along", lambda *given: halved.append(given) or along(*given))
    grid = grid_of((True,) * 3, (2,) * 3, (-3.2,) * 3, (3.2,) * 3)
    a, b, c = np.meshgrid(*[2 * np.pi * np.arange(5) / 5] * 3, indexing="ij")
    values = 0.5 + np.cos(a) + np.cos(2.0 * a - 1.0) + 0.01 * (np.cos(2.0 * b) + np.cos(2.0 * c))
    _prove(values, grid, 2.46)
    assert {axis for matrix, values, axis in halved if values.dtype == float} == {1}


def test_every_halving_adds_its_rounding(monkeypatch):
    depths = []
    monkeypatch.setattr(boxes, "_rounding", lambda *given: depths.append(given) or _rounding(*given))
    _prove(_function(A, B), _grid([(-3.2, 3.2)] * 2), 1.7)
    assert depths == [(1, (5, 3), depth) for depth in range(boxes.DEEPEST + 1)]


def test_waves_and_their_bounds():
    """3 + 2 cos(a) d^2 with d = sin p: d^2 = (1 - cos 2p)/2."""
    grid = grid_of((True, False), (1, 2), (0.0, -1.0), (0.0, 1.0))
    angle, d = 2.0 * np.pi * np.arange(3) / 3, grid.input("q", 1)[()].mid
    values = 3.0 + 2.0 * np.cos(angle)[:, None] * d**2
    waves, noise = waves_of(Ball(values, np.full(values.shape, 1e-9)), grid)
    assert np.allclose(waves[0], [3.0, 0.0, 0.0, 0.0, 0.0])
    assert np.allclose(waves[1], [0.5, 0.0, -0.25, -0.25, 0.0])
    assert amplitude(waves) == pytest.approx(5.0)
    assert np.sqrt(15.0) * 1e-9 < noise == pytest.approx(np.sqrt(15.0) * 1e-9, rel=1e-3, abs=0.0)
    exactly = waves_of(Ball(values, np.zeros(values.shape)), grid)[1]
    assert exactly == pytest.approx((4 * 7 + 4 * 9) * 2.0**-53 * 15 * np.abs(values).max(), rel=1e-6, abs=0.0)


def test_noise_bounds_what_radii_allow():
    """No polynomial whose values on the grid are at most the radii is larger than the noise."""
    rng = np.random.default_rng(0)
    grid = grid_of((True, True), (2, 1), (0.0, 0.0), (0.0, 0.0))
    rad = rng.uniform(0.0, 1.0, (5, 3))
    _, noise = waves_of(Ball(np.zeros((5, 3)), rad), grid)
    for _ in range(50):
        waves, _ = waves_of(Ball(rad * rng.choice([-1.0, 1.0], rad.shape), np.zeros(())), grid)
        assert amplitude(waves) <= noise


def test_small_radii_count():
    """The square of 1e-205 is no double: a robot of 1e-200 kg was proven to a millionth of its error."""
    grid = grid_of((True,), [1], [-1.0], [1.0])
    assert waves_of(Ball(np.zeros(3), np.full(3, 1e-205)), grid)[1] >= 1e-205


def test_products_with_matrices_err_by_their_columns():
    assert product_error(5, 3) == pytest.approx(4.0 * (9 + 7) * 2.0**-53, rel=1e-8, abs=0.0)
    assert product_error(5, 3) > 4.0 * (9 + 7) * 2.0**-53
    rng = np.random.default_rng(2)
    for m in (3, 7, 21):
        a, x = rng.uniform(-1.0, 1.0, (50, m)), rng.uniform(-1.0, 1.0, m)
        a /= np.abs(a).sum(axis=1, keepdims=True)
        wanted = [sum(Fraction(p) * Fraction(q) for p, q in zip(row, x, strict=True)) for row in a.tolist()]
        off = max(abs(float(Fraction(float(y)) - w)) for y, w in zip(a @ x, wanted, strict=True))
        assert off <= product_error(m) * np.abs(x).max()


def test_slack_of_waves_counts(monkeypatch):
    monkeypatch.setattr(boxes, "UP", 2.0)
    grid = grid_of((True,), [1], [-1.0], [1.0])
    waves, noise = waves_of(Ball(np.zeros(3), np.full(3, 1.0)), grid)
    assert noise == pytest.approx(2.0 * np.sqrt(3.0))
    assert amplitude(np.array([1.0, 2.0j])) == 6.0
    assert product_error(3) == 2.0 * 28.0 * 2.0**-53
    assert not waves.any()


def test_rounding_of_weights_counts_with_every_halving():
    """W loses 4 (m + 4) u in each: 5.6e-12 after 120 halvings of degree 50, where a fixed 1e-12 was taken."""
    seen = []

    def exceeds(_keys, rows, limits):
        if rows.shape[1] == 101:
            seen.append(limits)
        return rows.shape[1] == 101 and len(seen) <= boxes.DEEPEST

    grid, bound = grid_of((True,), (50,), (0.0,), (1.0,)), 1.0
    values = 1.5 * np.cos(50.0 * 2.0 * np.pi * np.arange(101) / 101)
    check_below({(): Ball(values, np.zeros(()))}, grid, exceeds, bound, _silent)
    ((_, weights),) = _pieces(101, 0.0, 1.0)
    for _ in range(boxes.DEEPEST):
        weights = _halves(101)[1] @ weights
    assert np.all(seen[boxes.DEEPEST] <= bound * weights * (1.0 - 120 * 4 * 105 * 2.0**-53))


def test_products_along_an_axis_are_those_of_matrices():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((2, 3, 4, 5)) + 1j * rng.standard_normal((2, 3, 4, 5))
    for axis, letter in enumerate("abcd"):
        matrix = rng.standard_normal((6, values.shape[axis]))
        expected = np.einsum(f"x{letter},abcd->{'abcd'.replace(letter, 'x')}", matrix, values)
        np.testing.assert_allclose(along(matrix, np.swapaxes(values, 0, 1).swapaxes(0, 1), axis), expected, rtol=1e-13)


def test_bends_are_second_differences_of_all_rows():
    """One along each joint, of every second value along the others where there are more than three."""
    i, j = np.meshgrid(np.arange(5.0), np.arange(3.0), indexing="ij")
    control = np.array([i**2 + 0.5 * j**2, -3.0 * i**2 * (j == 1.0)])
    np.testing.assert_allclose(_bends(control), [2.0 + 6.0, 1.0 + 2.0 * 3.0 * 16.0])


def test_a_function_of_no_joint_is_its_value():
    grid = grid_of((True, True), (0, 0), (0.0, 0.0), (1.0, 1.0))
    _prove(np.array([[2.0]]), grid, 2.0 + 1e-8)
    with pytest.raises(RefusedError, match="attained"):
        _prove(np.array([[2.0]]), grid, 2.0 - 1e-8)


def test_a_narrow_range_of_large_angles_is_no_turn():
    _prove(_function(A, B), _grid([(6.7, 6.9), (6.7, 6.9)]), 1.2)


def test_waves_that_are_trimmed_take_their_part_of_the_bound():
    """1 + 4e-5 cos 2 q, whose second waves are left out, attains 1.00004."""
    grid = grid_of((True,), (2,), (-1.0,), (1.0,))
    nodes = 2.0 * np.pi * np.arange(5) / 5
    ball = Ball(1.0 + 4e-5 * np.cos(2.0 * nodes), np.zeros(5))
    check_below({(): ball}, grid, torque_exceeds, 1.00004 + 1e-8, _silent)
    with pytest.raises(RefusedError):
        check_below({(): ball}, grid, torque_exceeds, 1.00003, _silent)


@pytest.mark.parametrize(("degree", "bound", "each"), [(2, 1.13, 1.0), (5, 2.13, 2.2)])
def test_every_box_costs_its_values_and_at_least_those_of_a_small_one(degree, bound, each):
    """Five boxes of cos q + cos 2 q (+ cos 5 q) are looked at until none is left; eleven nodes cost 11/5."""
    grid = grid_of((True,), (degree,), (1.0,), (3.0,))
    nodes = 2.0 * np.pi * np.arange(2 * degree + 1) / (2 * degree + 1)
    values = np.cos(nodes) + np.cos(2.0 * nodes) + (np.cos(5.0 * nodes) if degree == 5 else 0.0)
    rows, most = {(): Ball(values, np.zeros(len(nodes)))}, round(5 * each * boxes.LEAST_VALUES)
    check_below(rows, grid, torque_exceeds, bound, _silent, most)
    with pytest.raises(RefusedError, match="limit of subdivisions"):
        check_below(rows, grid, torque_exceeds, bound, _silent, most - 1)


def test_rows_that_are_left_out_take_their_part_of_the_bound():
    grid = grid_of((True,), (2,), (-1.0,), (1.0,))
    rows = {(): Ball(np.ones(5), np.zeros(5)), (-1,): Ball(np.full(5, 9e-5), np.zeros(5))}
    check_below(rows, grid, torque_exceeds, 1.00009 + 1e-8, _silent)
    with pytest.raises(RefusedError):
        check_below(rows, grid, torque_exceeds, 1.00005, _silent)


def test_a_sum_of_amplitudes_counts_with_its_rounding():
    """A constant of one: its amplitude is rounded up, and the sum of all amplitudes again."""
    grid, seen = grid_of((True,), (0,), (-1.0,), (1.0,)), []

    def spy(keys, rows, limits):
        seen.append(keys)
        return torque_exceeds(keys, rows, limits)

    up = 1.0 + 1e-9
    check_below({(): Ball(np.ones(1), np.zeros(1))}, grid, spy, up**2 * (1.0 + 1e-12), _silent)
    assert not seen
    check_below({(): Ball(np.ones(1), np.zeros(1))}, grid, spy, up**2 * (1.0 - 1e-12), _silent)
    assert seen


@pytest.mark.parametrize(("deepest", "proven"), [(0, False), (1, True)])
def test_boxes_are_halved_to_the_last_depth(monkeypatch, deepest, proven):
    """The whole box exceeds the bound, its halves do not."""
    monkeypatch.setattr(boxes, "DEEPEST", deepest)
    seen = []
    grid = grid_of((True,), (1,), (0.0,), (1.0,))
    ball = Ball(1.5 * np.cos(2.0 * np.pi * np.arange(3) / 3), np.zeros(()))

    def exceeds(_keys, rows, _limits):
        seen.append(rows.shape[1])
        return seen == [3]

    if proven:
        check_below({(): ball}, grid, exceeds, 1.0, _silent)
        assert seen == [3, 2, 3, 3]
    else:
        with pytest.raises(RefusedError, match="limit of subdivisions"):
            check_below({(): ball}, grid, exceeds, 1.0, _silent)


def _chosen(*steps):
    return lambda *_: list(steps)


def _random_waves(rng, degrees, count):
    """Orders (count, joints), and amplitudes with phases, of a real polynomial."""
    orders = np.stack([rng.integers(-d, d + 1, count) for d in degrees], axis=1)
    return orders, rng.normal(size=count), rng.uniform(-np.pi, np.pi, count)


def _values(orders, sizes, phases, q):
    """sum of sizes cos(k q + phase), q (.., joints)."""
    return (sizes * np.cos(q @ orders.T + phases)).sum(axis=-1)


def _ball(waves, degrees):
    nodes = np.meshgrid(*(2.0 * np.pi * np.arange(2 * d + 1) / (2 * d + 1) for d in degrees), indexing="ij")
    return Ball(_values(*waves, np.stack(nodes, axis=-1)), np.zeros(()))


@pytest.mark.parametrize("steps", [[(0, 1, 1)], [(0, 1, -1)], [(1, 0, 2), (2, 1, -1)], [(0, 1, 1), (1, 2, 1)]])
def test_vectors_of_sums_give_the_same_values(steps):
    """(7): k q = k'p at any q, with p of the definition, step by step."""
    rng = np.random.default_rng(1)
    vectors, q = rng.integers(-3, 4, (40, 3)), rng.uniform(-3.0, 3.0, 3)
    p = q.copy()
    for i, j, s in steps:
        p[j] += s * p[i]
    found, ranges = in_sums(vectors, [(-0.1, 0.2), (-3.2, 3.2), (1.0, 2.0)], np.ones(40), _chosen(*steps))
    np.testing.assert_allclose(found @ p, vectors @ q, atol=1e-12)
    summed = {j for _, j, _ in steps}
    assert [j for j in range(3) if ranges[j] == (-np.pi, np.pi)] == sorted(summed)
    assert [ranges[j] for j in {0, 1, 2} - summed] == [
        [(-0.1, 0.2), (-3.2, 3.2), (1.0, 2.0)][j] for j in {0, 1, 2} - summed
    ]


def test_multiples_of_an_angle_of_a_whole_turn_are_an_angle_and_those_of_others_are_not():
    vectors = np.array([[2, 4, 3], [-4, 2, 0], [0, 0, -3]])
    found, ranges = in_sums(vectors, [(-3.2, 3.2), (0.0, 1.0), (-3.14, 3.14)], np.ones(3), _chosen())
    assert found.tolist() == [[1, 4, 1], [-2, 2, 0], [0, 0, -1]]
    assert ranges == [(-3.2, 3.2), (0.0, 1.0), (-3.14, 3.14)]
    odd = in_sums(np.array([[2], [3]]), [(-4.0, 4.0)], np.ones(2), _chosen())[0]
    assert odd.tolist() == [[2], [3]]


@pytest.mark.parametrize("steps", [[], [(0, 1, -1)], [(0, 2, 1), (1, 2, 2)], [(2, 0, 3), (0, 1, 1)]])
@pytest.mark.parametrize("ranges", [[(-3.2, 3.2)] * 3, [(0.2, 0.9), (-1.0, 0.4), (2.0, 2.3)]])
def test_no_choice_of_sums_proves_what_is_exceeded(steps, ranges):
    """Any steps, of whole turns or not: what a sample exceeds is refused; of whole turns a little more is proven."""
    rng, degrees = np.random.default_rng(len(steps)), (1, 1, 1)
    lower, upper = np.transpose(ranges)
    waves = _random_waves(rng, degrees, 4)
    grid, q = grid_of((True,) * 3, degrees, lower, upper), rng.uniform(lower, upper, (1000, 3))
    for radius in 0.5 ** np.arange(1, 11):
        best = q[np.argsort(-np.abs(_values(*waves, q)))[:10]]
        near = best[:, None] + radius * rng.uniform(-1.0, 1.0, (10, 20, 3))
        q = np.concatenate([best, np.clip(near, lower, upper).reshape(-1, 3)])
    largest, rows = np.abs(_values(*waves, q)).max(), {(): _ball(waves, degrees)}
    with pytest.raises(RefusedError):
        check_below(rows, grid, torque_exceeds, 0.99 * largest, _silent, sums=_chosen(*steps))
    if upper[0] > 3.0 or not steps:
        check_below(rows, grid, torque_exceeds, 1.1 * largest, _silent, sums=_chosen(*steps))


def test_a_sum_of_narrow_ranges_is_a_whole_turn():
    """cos(q0 + q1) with both near a half is at most cos 0.8; over p = q0 + q1 of a whole turn it is one."""
    grid = grid_of((True, True), (1, 1), (0.4, 0.4), (0.5, 0.5))
    rows = {(): _ball((np.array([[1, 1]]), np.ones(1), np.zeros(1)), (1, 1))}
    check_below(rows, grid, torque_exceeds, 0.7, _silent)
    for bound, proven in ((0.7, False), (0.99, False), (1.0 + 1e-8, True)):
        with contextlib.nullcontext() if proven else pytest.raises(RefusedError):
            check_below(rows, grid, torque_exceeds, bound, _silent, sums=_chosen((0, 1, 1)))


def test_torque_errors_take_sums_of_whole_turns_alone():
    """A function of q0 + q1 and its sine: over whole turns one angle is left, over less both are."""
    seen = []

    def spy(_keys, rows, _limits):
        seen.append(rows.shape[1])
        return False

    waves = np.array([[1, 1], [2, 2]]), np.array([1.0, 0.9]), np.array([0.1, 0.5])
    for reach, values in ((3.2, 5), (1.3, 25)):
        grid = grid_of((True, True), (2, 2), (-reach,) * 2, (reach,) * 2)
        check_below({(): _ball(waves, (2, 2))}, grid, spy, 1.0, _silent)
        assert {*seen} == {values}
        seen.clear()


@pytest.mark.parametrize("infinite", [np.inf, np.nan, 1e200])
@pytest.mark.parametrize("part", ["mid", "rad"])
def test_values_beyond_all_numbers_are_refused(infinite, part):
    """A program that overflows; squares of radii overflow, too. `check_below` ended with an error of NumPy."""
    values, grid = {"mid": np.ones((5, 3)), "rad": np.zeros((5, 3))}, _grid([(-3.2, 3.2), (-3.2, 3.2)])
    values[part][2, 1] = infinite
    with np.errstate(all="ignore"), pytest.raises(RefusedError):
        check_below({(): Ball(**values)}, grid, torque_exceeds, 1.0, _silent)
