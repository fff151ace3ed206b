import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory.even_spline import even_spline

interpolate = pytest.importorskip("scipy.interpolate")
H = 0.004


def noisy(count=150, noise=0.05):
    t = H * np.arange(count)
    return t, np.sin(9.0 * t) + noise * np.random.default_rng(1).normal(size=count)


@pytest.mark.parametrize("smoothing", [1e-8, 1e-5, 1e-2])
def test_it_is_the_smoothing_spline_of_scipy(smoothing):
    t, y = noisy()
    found, reference = even_spline(y, H, smoothing=smoothing), interpolate.make_smoothing_spline(t, y, lam=smoothing)
    np.testing.assert_allclose(found.values, reference(t), atol=1e-9)
    np.testing.assert_allclose(found.bends[1:-1], reference.derivative(2)(t)[1:-1], rtol=1e-5, atol=1e-5)
    value, slope = found.between()
    middle = np.concatenate([[t[0] - H / 2], t + H / 2])
    np.testing.assert_allclose(value[1:-1], reference(middle[1:-1]), atol=1e-8)
    np.testing.assert_allclose(slope[1:-1], reference.derivative()(middle[1:-1]), atol=1e-7)


def test_cross_validation_chooses_about_what_scipy_chooses():
    """(3) approximates the trace; the curve is the same to a fraction of the noise that it takes away."""
    t, y = noisy()
    found, reference = even_spline(y, H), interpolate.make_smoothing_spline(t, y)
    assert np.abs(found.values - reference(t)).max() < 2e-3
    assert np.abs(found.values - np.sin(9.0 * t)).std() < 0.02


def test_a_straight_line_stays_one():
    found = even_spline(2.0 + 3.0 * H * np.arange(20), H)
    value, slope = found.between()
    np.testing.assert_allclose(slope, 3.0, atol=1e-9)
    np.testing.assert_allclose(value, 2.0 + 3.0 * H * (np.arange(21) - 0.5), atol=1e-9)


@pytest.mark.parametrize("values", [np.zeros(5), np.full(20, np.nan), np.zeros((20, 2))])
def test_misuse(values):
    with pytest.raises(ArgumentError, match="evenly apart"):
        even_spline(values, H)
