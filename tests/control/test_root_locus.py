"""Root loci: a joint by hand, continuous branches, the values as they are."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.control.poles import joint_poles
from torquec.control.robustness import ErrorFactor, ModelErrors, closed_loop_eigenvalues
from torquec.control.root_locus import root_locus
from torquec.control.stability_interval import stability_interval
from torquec.errors import ArgumentError
from torquec.linearization.linearize import linearize
from torquec.papers.clover.clover_comparisons import POINT

ARM = tq.classics.puma560()
MODEL = linearize(ARM, *POINT)
POLES = joint_poles(ARM.joint_names, -45 + 45j)


def test_inertia_moves_every_pair_on_one_curve():
    # alpha = beta = 1: s^2 + 90 gamma s + 4050 gamma = 0
    locus = root_locus(MODEL, POLES, ErrorFactor.GAMMA, [0.5, 1.0, 2.0])
    for gamma, row in zip(locus.values, locus.eigenvalues, strict=True):
        assert np.abs(row**2 + 90 * gamma * row + 4050 * gamma).max() < 1e-4


@pytest.mark.parametrize("period", [None, 0.002])
def test_branches_hold_the_same_eigenvalues_and_are_continuous(period):
    values = np.linspace(-20.0, 20.0, 401)
    locus = root_locus(MODEL, POLES, ErrorFactor.BETA, values, period=period)
    for k in (0, 137, 400):
        plain = closed_loop_eigenvalues(MODEL, POLES, errors=ModelErrors(beta=float(values[k])), period=period)
        assert np.allclose(np.sort_complex(locus.eigenvalues[k]), np.sort_complex(plain), atol=1e-6)
    steps = np.abs(np.diff(locus.eigenvalues, axis=0))
    assert steps.max() < 12.0


def test_values_are_checked():
    with pytest.raises(ArgumentError, match="not finite"):
        root_locus(MODEL, POLES, ErrorFactor.ALPHA, [np.nan])


def test_clover_figure_6_is_the_loop_of_28_and_33():
    """Clover III, Figure 6: poles -45 +- 45j at 200 Hz, roots as log(z)/h (32).

    By the text the loop is unstable for gamma above 4.55 (by the caption 4.6) and for gamma next to zero. The robot is
    discretized exactly (33); with the sampled gains (28) this agrees, the other loops that it could be do not.
    """
    period, texts = 0.005, 4.55
    limits = {
        (hold, sampled): stability_interval(MODEL, POLES, "gamma", period=period, hold=hold, sampled=sampled)
        for hold in ("exact", "euler")
        for sampled in (True, False)
    }
    nearest = min(limits, key=lambda loop: abs(limits[loop].upper - texts))
    assert nearest == ("exact", True)
    assert limits[nearest].upper == pytest.approx(texts, abs=0.03)
    assert 0.0 < limits[nearest].lower < 0.002

    values = np.append(np.geomspace(5e-4, 0.05, 40), np.linspace(0.06, 7.25, 720))  # as far as the figure goes
    locus = root_locus(MODEL, POLES, "gamma", values, period=period)
    worst = locus.eigenvalues.real.max(axis=1)
    stable = values[worst < 0.0]
    assert 5e-4 < stable[0] < 0.002
    assert stable[-1] == pytest.approx(4.52, abs=0.02)
    # It is lost where a root of the z-plane passes -1: half the sampling frequency on the imaginary axis.
    beyond = locus.eigenvalues[np.argmax(values > stable[-1])]
    assert abs(beyond[np.argmax(beyond.real)].imag) == pytest.approx(np.pi / period)
    # gamma = 1: the poles that were asked for, up to what Euler's rule in (28) leaves of them.
    at_one = locus.eigenvalues[np.argmin(np.abs(values - 1.0))]
    assert np.abs(np.abs(at_one) - 45.0 * np.sqrt(2.0)).max() < 3.0
    # Continuously there is no upper limit (Figure 5b).
    assert stability_interval(MODEL, POLES, "gamma").upper == np.inf
