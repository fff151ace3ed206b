"""Pictures: files that are pictures, values that show the limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.control.robustness import ErrorFactor
from torquec.control.stability_interval import RootLocus, StabilityInterval
from torquec.report.eigenvalue_plots import locus_values, plot_eigenvalues, plot_root_locus

PNG = b"\x89PNG"


@pytest.mark.parametrize(
    ("factor", "lower", "upper"),
    [
        (ErrorFactor.ALPHA, -129.8, 158.1),
        (ErrorFactor.BETA, -math.inf, 38.9),
        (ErrorFactor.GAMMA, 0.0, math.inf),
        (ErrorFactor.ALPHA, -math.inf, math.inf),
    ],
)
def test_values_hold_one_and_pass_the_limits(factor, lower, upper):
    values = locus_values(StabilityInterval(factor, lower, upper))
    assert 1.0 in values
    assert np.isfinite(values).all()
    assert values == sorted(set(values))
    if math.isfinite(upper):
        assert max(values) > upper
    if math.isfinite(lower) and factor is not ErrorFactor.GAMMA:
        assert min(values) < lower
    assert factor is not ErrorFactor.GAMMA or min(values) == 0.0


def test_pictures_are_written(tmp_path):
    pytest.importorskip("matplotlib")
    values = np.linspace(0.0, 2.0, 21)
    branches = np.stack([-values + 1j, -values - 1j], axis=1)
    locus = RootLocus(ErrorFactor.GAMMA, values, branches)
    interval = StabilityInterval(ErrorFactor.GAMMA, 0.0, math.inf)
    for path in (
        plot_root_locus(locus, tmp_path / "new" / "locus.png", title="a locus", interval=interval),
        plot_eigenvalues({"open": branches[0], "closed": branches[-1]}, tmp_path / "e.png", title="eigenvalues"),
    ):
        assert path.read_bytes().startswith(PNG)
