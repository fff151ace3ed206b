"""Boxes of a proof that is checked: covers without holes, control values that enclose, rounding that is allowed for."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from torquec.errors import CheckError
from torquec.proof.checker.allowances import CONTROL_VALUE, added_up, basis_rounding
from torquec.proof.checker.check_boxes import (
    LeafChecker,
    _interval,
    basis_values,
    leaf_boxes,
    root_pieces,
    tree_leaves,
)


def test_root_pieces_cover_the_range():
    pieces = root_pieces(-3.0, 2.5, slides=False)
    assert pieces[0][0] == -3.0
    assert pieces[-1][1] == 2.5
    assert all(a[1] == b[0] for a, b in itertools.pairwise(pieces))
    assert root_pieces(0.0, 9.0, slides=True) == [(0.0, 9.0)]
    assert root_pieces(-9.0, 9.0, slides=False)[0][0] == -math.pi
    # As few as are not longer than 0.9 pi.
    assert [len(root_pieces(0.0, 0.9 * math.pi * k, slides=False)) for k in (0.5, 1.0, 1.01, 2.0, 2.1)] == [
        1,
        1,
        2,
        2,
        3,
    ]


def test_leaves_of_a_tree():
    assert tree_leaves((0, -1, 1, -1, -1), 2, "a") == [
        ((0.0, 0.5), (0.0, 1.0)),
        ((0.5, 1.0), (0.0, 0.5)),
        ((0.5, 1.0), (0.5, 1.0)),
    ]


@pytest.mark.parametrize(
    ("tree", "message"),
    [((0, -1), "leaves 1 boxes open"), ((-1, -1), "goes on after"), ((2, -1, -1), "splits axis 2"), ((), "1 boxes")],
)
def test_trees_with_holes_are_refused(tree, message):
    with pytest.raises(CheckError, match=message):
        tree_leaves(tree, 2, "a")


def boxes(root, leaves):
    return [tuple(zip(root, leaf, strict=True)) for leaf in leaves]


def checker(rows, bound, sliding=(False,)):
    return LeafChecker(1, "a", bound, np.asarray(rows, dtype=float), sliding, (2,) * len(sliding))


def test_gravity_of_a_pendulum_is_known():
    # dg = 2 cos q: at most 2. A wide box allows 20 % more, four narrow ones 1 % more, and 1.99 holds in none.
    rows = [[0.0] * 5, [0.0] * 5, [0.0, 2.0, 0.0, 0.0, 0.0]]
    whole, quarters = tree_leaves((-1,), 1, "a"), tree_leaves((0, 0, -1, -1, 0, -1, -1), 1, "a")
    checker(rows, 2.4).check(boxes([(-1.0, 1.0)], whole))
    checker(rows, 2.02).check(boxes([(-1.0, 1.0)], quarters))
    for leaves in (whole, quarters):
        with pytest.raises(CheckError, match=r"allows an error of 2.*, more than 1\.99"):
            checker(rows, 1.99).check(boxes([(-1.0, 1.0)], leaves))


def test_a_part_of_a_root_is_the_part_that_is_meant():
    # dg = sin q on [0, 1]: the lower half stays below sin 0.5 = 0.48, the upper half does not.
    rows = [[0.0] * 5, [0.0] * 5, [0.0, 0.0, 1.0, 0.0, 0.0]]
    checker(rows, 0.6).check(boxes([(0.0, 1.0)], [((0.0, 0.5),)]))
    with pytest.raises(CheckError):
        checker(rows, 0.6).check(boxes([(0.0, 1.0)], [((0.5, 1.0),)]))


def test_speeds_add_where_their_signs_allow():
    # 3 qd^2 - 1: between -1 (at rest) and 2.
    rows = [[0.0] * 5, [3.0, 0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0, 0.0]]
    checker(rows, 2.0 + 1e-9).check(boxes([(0.0, 1.0)], [((0.0, 1.0),)]))
    with pytest.raises(CheckError):
        checker(rows, 1.999).check(boxes([(0.0, 1.0)], [((0.0, 1.0),)]))


def test_rounding_counts():
    rows = np.zeros((3, 5))
    rows[2, 1] = 2.0
    with pytest.raises(CheckError, match="more than 2"):
        checker(rows, 2.0 * (1.0 - 1e-9)).check(boxes([(-1.0, 1.0)], [((0.0, 1.0),)]))


@pytest.mark.parametrize("seed", range(8))
def test_no_sampled_error_exceeds_what_boxes_allow(seed):
    """A bound just below an error that was sampled is refused, whatever the boxes."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 5, 3))
    low, high = -1.2, 1.3
    q = rng.uniform((low, 0.1), (high, 0.8), (20_000, 2))
    waves, powers = basis_values(q[:, 0], False, 2), basis_values(q[:, 1], True, 2)
    values = np.einsum("rab,na,nb->rn", rows, waves, powers)
    error = np.abs(values[0]) + np.maximum(np.abs(values[1] + values[2]), np.abs(values[2]))
    trees = [(int(rng.integers(2)), -1, -1), (0, 1, -1, -1, 1, -1, -1)]
    for tree in trees:
        leaves = tree_leaves(tree, 2, "a")
        with pytest.raises(CheckError):
            LeafChecker(1, "a", float(error.max()) * (1 - 1e-6), rows, (False, True), (2, 2)).check(
                boxes([(low, high), (0.1, 0.8)], leaves)
            )


def test_a_nan_is_refused():
    rows = np.full((3, 5), np.nan)
    with pytest.raises(CheckError):
        checker(rows, 1e9).check(boxes([(0.0, 1.0)], [((0.0, 1.0),)]))


@pytest.mark.parametrize("n", [2, 3, 6])
def test_constant_errors_of_speeds_are_bounded_from_above_and_closely(n):
    """Squares of speeds with both signs: the least bound that is accepted, against what is attained."""
    rng = np.random.default_rng(n)
    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    speeds = rng.uniform(-1.0, 1.0, size=(30_000, n))
    on_faces = np.where(rng.random(speeds.shape) < 0.7, np.sign(speeds), speeds)
    speeds = np.concatenate([speeds, np.sign(speeds[:2000]), np.round(speeds[:5000]), on_faces])
    forms = np.stack([speeds[:, j] * speeds[:, k] for j, k in pairs], axis=1)
    ratios = []
    for _ in range(8):
        sizes = [0.2] * n + [3.0 if j == k else 1.0 for j, k in pairs] + [1.0]
        rows = rng.normal(size=len(sizes)) * np.array(sizes)
        attained = np.abs(rows[:n]).sum() + np.abs(forms @ rows[n:-1] + rows[-1]).max()
        low, high = 0.5 * attained, 3.0 * attained
        for _ in range(30):
            middle = 0.5 * (low + high)
            try:
                LeafChecker(n, "a", middle, rows, (), ()).check([()])
                high = middle
            except CheckError:
                low = middle
        ratios.append(high / attained)
    assert min(ratios) >= 1.0 - 1e-9
    assert np.mean(ratios) < 1.03  # by signs alone 1.08 to 1.16


def test_what_a_box_allows_for_rounding_by_hand():
    """Of a displacement on [0, 4] and degree two, control values are 1, (0, 2, 4) and (0, 0, 16)."""
    box = _interval((0.0, 4.0), (0.0, 1.0), True, 2)
    np.testing.assert_allclose(box.control, [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 4.0, 16.0]], atol=1e-14)
    assert box.largest == 16.0
    # Interpolation multiplies 0, 4, 16 by -1/2, 2, -1/2 in the middle: 16 in magnitudes, as at the end.
    assert box.rounding == pytest.approx(16.0 * basis_rounding(3, 2, 0.0), rel=1e-12, abs=0.0)
    rows = np.array([[0.0] * 3, [0.0] * 3, [1.0, -2.0, 3.0]])
    leaf = LeafChecker(1, "a", 100.0, rows, (True,), (2,))
    assert leaf.sum == 6.0
    assert leaf._noise([]) == 0.0
    once = box.rounding / 16.0 + 3.0 * CONTROL_VALUE
    assert leaf._noise([box]) == pytest.approx(16.0 * 6.0 * once, rel=1e-12, abs=0.0)
    assert leaf._noise([box, box]) == pytest.approx(256.0 * 6.0 * 2.0 * once, rel=1e-12, abs=0.0)
    small = _interval((0.0, 0.5), (0.0, 1.0), True, 1)  # nothing is larger than one
    assert leaf._noise([small]) == pytest.approx(6.0 * (small.rounding + 2.0 * CONTROL_VALUE), rel=1e-12, abs=0.0)


def test_what_a_box_of_an_angle_allows_by_hand():
    """About the middle c of a box of 2 a, cos(q - c) has the control values cos a, 1/cos a, cos a."""
    box, c, a = _interval((0.3, 1.5), (0.0, 1.0), False, 1), 0.9, 0.6
    cosine, sine = np.array([np.cos(a), 1.0 / np.cos(a), np.cos(a)]), np.array([-np.sin(a), 0.0, np.sin(a)])
    turned = [np.ones(3), np.cos(c) * cosine - np.sin(c) * sine, np.sin(c) * cosine + np.cos(c) * sine]
    np.testing.assert_allclose(box.control, np.stack(turned, axis=1), atol=1e-14)
    # 1 + t^2 has the Bernstein coefficients 1 + h^2, 1 - h^2, 1 + h^2, the one in the middle 2 - (1 + h^2).
    h = np.tan(0.5 * a)
    assert box.rounding == pytest.approx(basis_rounding(3, 1, 1.5) * (3.0 + h * h) / (1.0 - h * h), rel=1e-12, abs=0.0)


@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_boxes_hold_the_quotients_of_bernstein_polynomials(degree, slides):
    """Functions f are sum D_b control_b B_b / sum D_b B_b, D the coefficients of (1 + t^2)^d, at all points of a box;
    rounding is that of the sums by which f at even points determines its control values.
    """
    low, high, top = -0.4, 1.7, 2 * degree if not slides else degree

    def at(s):
        """Bernstein polynomials at parts of the box, which is the middle half of its root, the positions, 1 + t^2."""
        u = 0.25 + 0.5 * s
        t = np.tan(0.25 * (high - low)) * (2.0 * u - 1.0)
        x = low + (high - low) * u if slides else 0.5 * (low + high) + 2.0 * np.arctan(t)
        polynomials = np.stack([math.comb(top, b) * s**b * (1.0 - s) ** (top - b) for b in range(top + 1)], axis=1)
        return polynomials, x, np.ones_like(s) if slides else (1.0 + t * t) ** degree

    even, x, weight = at(np.arange(top + 1) / top)
    inverse = np.linalg.inv(even)
    denominators = inverse @ weight
    box = _interval((low, high), (0.25, 0.75), slides, degree)
    sums = np.abs(inverse) @ np.abs(basis_values(x, slides, degree) * weight[:, None]) / denominators[:, None]
    off = basis_rounding(top + 1, degree, 0.0 if slides else np.abs(x).max())
    assert box.rounding == pytest.approx(off * sums.max(), rel=1e-9, abs=0.0)
    assert box.largest == np.abs(box.control).max()
    polynomials, x, weight = at(np.linspace(0.0, 1.0, 23))
    found = polynomials @ (denominators[:, None] * box.control) / weight[:, None]
    np.testing.assert_allclose(found, basis_values(x, slides, degree), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_boxes_together_allow_what_each_of_them_allows(seed):
    """Products that boxes share: the least bound that is accepted for all is the largest of those of single boxes."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(6, 5, 3, 3))
    sliding, degrees = (False, True, False), (2, 2, 1)
    trees = [(2, 0, -1, -1, 0, -1, 1, -1, -1), (0, 2, -1, 2, -1, -1, -1), (-1,), (1, -1, 1, -1, -1)]
    pieces = [root_pieces(-2.0, 2.5, slides=False), [(0.1, 0.9)], root_pieces(-3.0, 1.0, slides=False)]
    whole = leaf_boxes(pieces, trees, "a")

    def least(own):
        low, high = 0.0, 1e3
        for _ in range(45):
            middle = 0.5 * (low + high)
            try:
                LeafChecker(2, "a", middle, rows, sliding, degrees).check(own)
                high = middle
            except CheckError:
                low = middle
        return high

    assert least(whole) == pytest.approx(max(least([box]) for box in whole), rel=1e-9)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_no_box_of_many_is_left_out(order):
    """39 boxes, more than are worked off together: each of them is gone through once, with its own intervals."""
    tree = (order[0], -1) * 19 + (order[1], -1) * 19 + (-1,)
    leaves = leaf_boxes([[(-1.0, 1.0)], [(2.0, 3.0)]], [tree], "a")
    seen = []

    class Watched(LeafChecker):
        def _check_along(self, last):
            seen.extend(frozenset(id(each) for each in (*last.before, interval)) for interval in last.intervals)
            super()._check_along(last)

    Watched(1, "a", 1e9, np.ones((3, 3, 3)), (True, True), (2, 2)).check(leaves)
    # Intervals are kept, so that the same one is the same object.
    assert Counter(seen) == Counter(frozenset(id(_interval(*cell, True, 2)) for cell in box) for box in leaves)
    assert len(seen) == 39


def test_each_box_is_allowed_its_own_rounding():
    """A constant on boxes up to 2^-20 and up to 10^6, of which the second is rounded 10^12 times as coarsely."""
    rows = np.zeros((3, 3))
    rows[2, 0] = 1.0
    narrow, wide = (((0.0, 1e6), (0.0, 2.0**-40)),), (((0.0, 1e6), (0.5, 1.0)),)
    coarse, fine = (
        LeafChecker(1, "a", 2.0, rows, (True,), (2,))._noise([_interval(*b[0], True, 2)]) for b in (wide, narrow)
    )
    assert coarse > 1e-4 > 1e-9 > fine
    LeafChecker(1, "a", 1.0 + 1e-9, rows, (True,), (2,)).check([narrow])
    for both in ([narrow, wide], [wide, narrow]):
        with pytest.raises(CheckError):
            LeafChecker(1, "a", 1.0 + 1e-9, rows, (True,), (2,)).check(both)
        LeafChecker(1, "a", 1.0 + 2.0 * coarse, rows, (True,), (2,)).check(both)


@pytest.mark.parametrize("box", [(), (((0.0, 1.0), (0.0, 1.0)),)], ids=["constant", "box"])
def test_rows_that_are_left_out_count(box):
    """Nine rows of 9e-14 beside one of 1: more than all rounding together."""
    rows = np.zeros((10, 2)[: 1 + len(box)])
    rows.reshape(10, -1)[:, 0] = [*[9e-14] * 9, 1.0]
    checker = LeafChecker(3, "a", 1.0 + 5e-13, rows, (True,) * len(box), (1,) * len(box))
    assert len(checker.rows) == 1
    with pytest.raises(CheckError):
        checker.check([box])
    LeafChecker(3, "a", 1.0 + 1e-12, rows, (True,) * len(box), (1,) * len(box)).check([box])


@pytest.mark.parametrize("part", [(0.5, 0.5), (0.5, 0.5 + 2.0**-53), (0.0, 5e-324), (1.0 - 2.0**-53, 1.0)])
@pytest.mark.parametrize("slides", [False, True])
def test_boxes_as_narrow_as_doubles_allow_the_value_there(part, slides):
    rows = np.zeros((3, 3))
    rows[2, 1] = 1.0  # cos x, or x
    x = 2.0 + 2.0 * np.arctan(np.tan(0.25) * (2.0 * part[0] - 1.0)) if not slides else 1.5 + part[0]
    worst = abs(x) if slides else abs(np.cos(x))
    box = [(((1.5, 2.5), part),)]
    degree = 2 if slides else 1
    LeafChecker(1, "a", worst * (1.0 + 1e-12), rows, (slides,), (degree,)).check(box)
    with pytest.raises(CheckError):
        LeafChecker(1, "a", worst * (1.0 - 1e-15), rows, (slides,), (degree,)).check(box)


def test_splitting_the_same_axis_down_to_nothing_leaves_no_gap():
    leaves = tree_leaves((0,) * 1100 + (-1,) * 1101, 1, "a")
    assert leaves[0][0][0] == 0.0
    assert leaves[-1][0][1] == 1.0
    assert all(a[0][1] == b[0][0] for a, b in itertools.pairwise(leaves))


@pytest.mark.parametrize(("n", "products", "most"), [(30, [(3, 28)], 1.0), (12, "all", 66.0), (16, "all", 120.0)])
def test_arms_of_many_joints(n, products, most):
    """All signs of thirty speeds are more than there is memory; where products couple few of them these count."""
    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    rows = np.zeros(n + len(pairs) + 1)
    for j, k in itertools.combinations(range(n), 2) if products == "all" else products:
        rows[n + pairs.index((j, k))] = 1.0
    for sign in (1.0, -1.0) if n == 16 else (1.0,):
        rows[-1] = 5.0 * sign
        LeafChecker(n, "a", (most + 5.0) * (1.0 + 1e-12), rows, (), ()).check([()])
        with pytest.raises(CheckError):
            LeafChecker(n, "a", (most + 5.0) * (1.0 - 1e-15), rows, (), ()).check([()])


@pytest.mark.parametrize("n", [12, 30])
def test_signs_that_contradict_each_other_do_not_count(n):
    """x y + y z - x z is at most 1, and at least -3, however many more joints there are."""
    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    rows = np.zeros(n + len(pairs) + 1)
    rows[[n + pairs.index(pair) for pair in ((1, 4), (4, 9), (1, 9))]] = 1.0, 1.0, -1.0
    rows[-1] = 1.0
    LeafChecker(n, "a", 2.0 + 1e-12, rows, (), ()).check([()])
    with pytest.raises(CheckError):
        LeafChecker(n, "a", 2.0 - 1e-12, rows, (), ()).check([()])


def test_more_root_boxes_than_there_is_memory_are_refused_by_their_number():
    with pytest.raises(CheckError, match=f"1 trees for {3**40} root boxes"):
        leaf_boxes([root_pieces(-3.0, 3.0, slides=False)] * 40, [(-1,)], "a")


def test_a_proof_with_too_few_trees_is_refused():
    with pytest.raises(CheckError, match="1 trees for 2 root boxes"):
        leaf_boxes([[(0.0, 1.0), (1.0, 2.0)]], [(-1,)], "a")


@pytest.mark.parametrize("box", [(), (((0.0, 1.0), (0.0, 1.0)),)], ids=["constant", "box"])
@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_sums_of_rows_are_rounded(size, box):
    """A relative rounding of everything that is added up counts, whatever its size."""
    rows = np.zeros((6, 2)[: 1 + len(box)])
    rows.reshape(6, -1)[:, 0] = size * np.array([1.0, -2.0, 0.0, 3.0, 0.0, -4.0])
    given = rows, (True,) * len(box), (1,) * len(box)
    noise = LeafChecker(2, "a", 1.0, *given)._noise([_interval(*cell, True, 1) for cell in box])
    more = added_up(6) * 10.0 * size
    assert more > 1e-14 * size
    LeafChecker(2, "a", 10.0 * size + noise + 1.02 * more, *given).check([box])
    with pytest.raises(CheckError):
        LeafChecker(2, "a", 10.0 * size + noise + 0.9 * more, *given).check([box])
