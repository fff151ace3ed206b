"""Root loci: a joint by hand, continuous branches, the values as they are."""

from __future__ import annotations

import numpy as np
import pytest
from tests.clover import POINT

import torquec as tq
from torquec.control.poles import joint_poles
from torquec.control.robustness import Factor, ModelErrors, closed_loop_eigenvalues
from torquec.control.root_locus import root_locus
from torquec.errors import ArgumentError
from torquec.linearization.linearize import linearize

ARM = tq.classics.puma560()
MODEL = linearize(ARM, *POINT)
POLES = joint_poles(ARM.joint_names, -45 + 45j)


def test_inertia_moves_every_pair_on_one_curve():
    # alpha = beta = 1: s^2 + 90 gamma s + 4050 gamma = 0
    locus = root_locus(MODEL, POLES, Factor.GAMMA, [0.5, 1.0, 2.0])
    for gamma, row in zip(locus.values, locus.eigenvalues, strict=True):
        assert np.abs(row**2 + 90 * gamma * row + 4050 * gamma).max() < 1e-4


@pytest.mark.parametrize("period", [None, 0.002])
def test_branches_hold_the_same_eigenvalues_and_are_continuous(period):
    values = np.linspace(-20.0, 20.0, 401)
    locus = root_locus(MODEL, POLES, Factor.BETA, values, period=period)
    for k in (0, 137, 400):
        plain = closed_loop_eigenvalues(MODEL, POLES, errors=ModelErrors(beta=float(values[k])), period=period)
        assert np.allclose(np.sort_complex(locus.eigenvalues[k]), np.sort_complex(plain), atol=1e-6)
    steps = np.abs(np.diff(locus.eigenvalues, axis=0))
    assert steps.max() < 12.0


def test_values_are_checked():
    with pytest.raises(ArgumentError, match="not finite"):
        root_locus(MODEL, POLES, Factor.ALPHA, [np.nan])
