"""Subdivision: what holds over a range is proven, what does not is refused, to within rounding."""

from __future__ import annotations

import flint
import numpy as np
import pytest

from torquec_check import boxes
from torquec_check.balls import Ball
from torquec_check.boxes import _halves, _most_bent, _piece, _pieces, _rounding, _size, _trimmed, check_below
from torquec_check.document import RefusedError
from torquec_check.rows import grid_of
from torquec_check.torque_error import TorqueFunctional


def _grid(ranges):
    return grid_of((True, True), (2, 1), *zip(*ranges, strict=True))


def _prove(values, grid, bound):
    functional = TorqueFunctional(((),))
    return check_below([Ball(values, np.zeros(()))], grid, lambda _kept: functional, bound)


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
    d = grid.position(0)[()].mid
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
    functional = TorqueFunctional(((),))
    ball = Ball(values, np.full((5, 3), 0.01))
    args = (_grid([(-1.0, 1.0)] * 2), lambda _kept: functional)
    assert check_below([ball], *args, 1.05) == pytest.approx(0.01 * np.sqrt(15.0), rel=0.02)
    with pytest.raises(RefusedError):
        check_below([ball], *args, 1.035)


def test_sizes_and_rounding_of_control_values():
    pieces = [[(np.array([[1.0, -2.0], [0.5, 0.0]]), np.ones(2))], [(np.array([[3.0]]), np.ones(1))] * 2]
    waves = np.array([[[1.0], [-4.0]], [[0.5], [0.25]]])
    assert _size(waves, pieces) == 3.0 * 3.0 * (4.0 + 0.5)
    unit = 2.0**-53
    assert _rounding((5, 3), 0) == pytest.approx((4 * 9 + 4 * 7 + 400) * unit, rel=1e-8, abs=0.0)
    assert _rounding((5, 3), 7) == pytest.approx((4 * 9 + 4 * 7 + 400 + 7 * 4 * 9) * unit, rel=1e-8, abs=0.0)


def test_waves_that_are_left_out_are_counted():
    rng = np.random.default_rng(0)
    waves = rng.normal(size=(2, 7, 5)) + 0.0j
    waves[:, 3:5] *= 1e-6  # degree 3 of the first joint
    waves[:, :, 2:4] *= 1e-6  # degree 2 of the second one
    kept, dropped = _trimmed(waves, 1e-3)
    assert kept.shape == (2, 5, 3)
    assert np.array_equal(kept, waves[:, [0, 1, 2, 5, 6]][:, :, [0, 1, 4]])
    lost = np.abs(waves).sum() - np.abs(kept).sum()
    assert lost <= dropped == pytest.approx(lost, rel=1e-6)
    assert _trimmed(waves, 1e-9)[0].shape == waves.shape


def test_nothing_but_noise_is_refused_where_it_is_more_than_the_bound():
    ball = Ball(np.zeros((1, 1)), np.full((5, 3), 0.01))
    with pytest.raises(RefusedError, match=r"only 0\.01 is allowed, and rounding is 0\.038"):
        check_below([ball], _grid([(-1.0, 1.0)] * 2), lambda _kept: TorqueFunctional(((),)), 0.01)


def test_slack_counts(monkeypatch):
    """Twice the noise and twice the amplitudes, where the factor for rounding is two."""
    monkeypatch.setattr(boxes, "UP", 2.0)
    ball = Ball(np.ones((1, 1)), np.full((5, 3), 0.01))
    grid, functional = _grid([(0.3, 0.3)] * 2), TorqueFunctional(((),))
    assert check_below([ball], grid, lambda _: functional, 2.2) == pytest.approx(0.0775, rel=0.01)
    check_below([ball], grid, lambda _: functional, 1.08)  # by boxes, whose limits have no such factor
    with pytest.raises(RefusedError):
        check_below([ball], grid, lambda _: functional, 1.07)


def test_it_ends(monkeypatch):
    monkeypatch.setattr(boxes, "MOST_VALUES", 100)
    with pytest.raises(RefusedError, match="limit of subdivisions"):
        _prove(_function(A, B), _grid([(-3.2, 3.2)] * 2), 1.7)


def test_boxes_are_halved_along_joints_that_matter(monkeypatch):
    """A function of one joint nearly: other joints bend numerators through their denominators alone."""
    halved = []
    monkeypatch.setattr(boxes, "_most_bent", lambda control: halved.append(_most_bent(control)) or halved[-1])
    grid = grid_of((True,) * 3, (2,) * 3, (-3.2,) * 3, (3.2,) * 3)
    a, b, c = np.meshgrid(*[2 * np.pi * np.arange(5) / 5] * 3, indexing="ij")
    values = 0.5 + np.cos(a) + np.cos(2.0 * a - 1.0) + 0.01 * (np.cos(2.0 * b) + np.cos(2.0 * c))
    _prove(values, grid, 2.46)
    assert halved
    assert set(halved) == {0}


def test_every_halving_adds_its_rounding(monkeypatch):
    depths = []
    monkeypatch.setattr(boxes, "_rounding", lambda shape, depth: depths.append(depth) or _rounding(shape, depth))
    _prove(_function(A, B), _grid([(-3.2, 3.2)] * 2), 1.7)
    assert set(depths) == set(range(max(depths) + 1))
    assert max(depths) > 2
