"""What estimates are worth: conditions, excitation, significance."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification import joint_factors
from torquec.identification.estimators.statistics import (
    check_excitation,
    conditions,
    correlations,
    not_excited,
    significant,
)


def test_conditions_of_a_diagonal():
    found = conditions(np.diag([100.0, 1.0, 5.0])[:, :3])
    assert found.plain == pytest.approx(100.0)
    assert found.unit_columns == pytest.approx(1.0)


def test_a_dependent_column_is_named_with_its_partner():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(50, 1, 3))
    a[:, :, 2] = 2.0 * a[:, :, 0]
    factors = joint_factors(a, rng.normal(size=(50, 1)))
    assert not_excited(factors.weighted(np.ones(1)), "abc") == ("a", "c")
    with pytest.raises(ArgumentError, match=r"a, c") as refused:
        check_excitation(factors, "abc")
    assert refused.value.remedy.endswith("identifies b")


def test_one_percent_of_the_largest_torque_is_significant():
    peaks, torques = np.array([[1.0, 1.0], [0.0, 50.0]]), np.array([100.0, 100.0])
    assert significant(peaks, torques, np.array([1.0, 0.01])).tolist() == [True, False]
    assert significant(peaks, torques, np.array([0.99, 0.02])).tolist() == [False, True]


def test_correlations_have_a_unit_diagonal():
    assert np.allclose(correlations(np.array([[4.0, 1.0], [1.0, 1.0]])), [[1.0, 0.5], [0.5, 1.0]])
