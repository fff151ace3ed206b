"""Reversals: which samples are near one, joint by joint."""

from __future__ import annotations

import numpy as np

from torquec.identification.logs.reversals import away_from_reversals


def test_joints_are_seen_one_by_one():
    t = np.linspace(0.0, 2.0 * np.pi, 1001)
    away = away_from_reversals(np.column_stack([np.sin(t), np.full_like(t, 2.0)]), 50)
    assert away[:, 1].all()
    assert not away[450:551, 0].any()
    assert away[100:400, 0].all()
    assert away[600:900, 0].all()


def test_without_a_margin_only_the_two_samples_of_the_reversal_are_near():
    assert away_from_reversals(np.array([[1.0], [2.0], [-1.0], [-2.0]]), 0).ravel().tolist() == [
        True,
        False,
        False,
        True,
    ]
