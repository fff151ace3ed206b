"""What estimates are worth: conditions, excitation, significance, verdicts, elimination."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification import joint_factors, torque_model
from torquec.identification.elimination import eliminate
from torquec.identification.excitation import ExcitationOptions, excitation
from torquec.identification.statistics import (
    check_excitation,
    conditions,
    correlations,
    not_excited,
    significant,
    verdict,
)
from torquec.identification.torque_columns import friction_block
from torquec.model.model import compile
from torquec.robot import classics


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


def test_verdicts():
    names, x = ["a", "b"], np.array([1.0, 1.0])
    assert "poorly excited: b" in verdict(names, x, np.array([0.1, 2.0]), [True, True], training=0.01, validation=0.01)
    assert "overfit" in verdict(names, x, np.array([0.1, 0.1]), [True, True], training=0.01, validation=0.1)
    assert "trusted" in verdict(names, x, np.array([0.1, 2.0]), [True, False], training=0.01, validation=0.01)


def test_elimination_on_the_puma_260():
    """78 standard parameters, 52 independent ones; of these, those below 1 % of the largest torque go."""
    robot = classics.puma260()
    model = torque_model(robot, friction="symmetric")
    assert len(model.standard_names) + 12 == 78
    assert model.size == 52
    motion = excitation(robot, options=ExcitationOptions(evaluations=30, period=0.028)).trajectory
    q, qd, qdd = motion.q, motion.qd, motion.qdd
    a = np.concatenate([model.rigid(q, qd, qdd), friction_block(model.shafts, model.friction, qd)], axis=2)
    tau = np.asarray(compile(robot).total_torque(q, qd, qdd))
    tau = tau + 0.01 * np.abs(tau).max(axis=0) * np.random.default_rng(0).normal(size=tau.shape)
    found = eliminate(joint_factors(a, tau), np.abs(a).max(axis=0), np.abs(tau).max(axis=0))
    kept = {model.names[k] for k in found.kept}
    assert 20 <= len(kept) <= 30
    assert {f"{kind}_joint{j}" for kind in ("viscous", "coulomb") for j in (1, 2, 3)} <= kept
    assert found.condition_after <= found.condition_before
    assert np.linalg.norm(tau - a @ found.x) < 0.05 * np.linalg.norm(tau)
