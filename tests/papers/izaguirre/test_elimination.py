"""Stepwise elimination: the PUMA 260 of Izaguirre et al., and what the steps must do."""

from __future__ import annotations

import dataclasses
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.torque.torque_model import torque_model
from torquec.papers.izaguirre.elimination import chosen_columns, eliminate
from torquec.papers.izaguirre.inward_basis import inward_basis
from torquec.papers.izaguirre.izaguirre_comparisons import SIGNIFICANT
from torquec.papers.izaguirre.simulated_elimination import simulated_elimination
from torquec.papers.izaguirre.simulated_runs import MeasurementNoise
from torquec.robot import classics


@pytest.fixture(scope="module")
def puma():
    model = torque_model(classics.puma260(), friction="symmetric")
    return model, inward_basis(model)


def reduced(puma, seed, torque_noise):
    return simulated_elimination(*puma, seed=seed, noise=MeasurementNoise(torque_noise))


def test_puma260_78_to_52_to_23(puma):
    _, basis = puma
    found = reduced(puma, 0, 0.02)
    assert (basis.standard, len(basis.names), len(found.kept)) == (78, 52, 23)
    assert [basis.letters[k] for k in found.kept] == list(SIGNIFICANT)
    assert found.improvement > 30.0
    assert len(found.dropped) == 29
    # A third of the parameters predicts as well, and scatters less.
    assert found.error_after < 1.01 * found.error_before
    kept = list(found.kept)
    assert np.mean(found.after.std < found.before.std[kept]) > 0.9


def test_puma260_parameters_come_back(puma):
    model, basis = puma
    found = reduced(puma, 0, 0.02)
    inertial = np.concatenate([model.base.values, np.zeros(12)])
    truth = dict(zip(basis.letters, np.linalg.solve(basis.matrix, inertial), strict=True))
    average = dict(zip(SIGNIFICANT, found.after.average, strict=True))
    assert average["m6"] == pytest.approx(truth["m6"], rel=0.01)
    assert average["y4"] == pytest.approx(truth["y4"], rel=0.02)
    assert average["fs3"] == pytest.approx(0.650706, rel=0.02)
    assert average["ds1"] == pytest.approx(0.575662, rel=0.05)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_puma260_other_runs_and_noise(puma, seed):
    found = reduced(puma, seed, 0.01)
    letters = {puma[1].letters[k] for k in found.kept}
    assert set(SIGNIFICANT) <= letters
    assert len(letters) <= 25
    assert found.improvement > 25.0


def test_steps_find_fewer_than_one_look(puma):
    """Almost parallel columns contribute much and cancel, until some of them are gone."""
    found = reduced(puma, 2, 0.03)
    assert np.sum(found.shares >= 0.01) > len(found.kept) == 23


def test_the_example_prints_the_three_tables(capsys, monkeypatch):
    script = Path(__file__).resolve().parents[3] / "examples" / "puma260_identification.py"
    monkeypatch.setattr(sys, "argv", [str(script)])  # pytest's own words would name a picture
    runpy.run_path(str(script), run_name="__main__")
    text = capsys.readouterr().out
    assert "78 parameters, 52 of them independent, 23 significant" in text
    for title in ("Table 1. Statistics for", "Table 2. Statistics for", "Table 3. Comparison of"):
        assert title in text
    assert "Value Found in J. Lloyd" in text
    # Coefficients of gravity as the paper's own parameters give them, beside Lloyd's (../shared/oracles/puma260.json).
    for values in (("c12", "5.5090", "5.5179"), ("c13", "-1.1762", "-1.7687"), ("c15", "-0.1920", "-0.1374")):
        assert any(all(value in line for value in values) for line in text.splitlines()), values


def test_significant_parameters_stay():
    rng = np.random.default_rng(1)
    a = rng.normal(size=(100, 1, 2))
    found = eliminate(["a", "b"], [(a, a @ np.array([1.0, 2.0]))])
    assert found.kept == (0, 1)
    assert found.improvement == pytest.approx(1.0)
    assert found.x == pytest.approx([1.0, 2.0])


def test_chosen_columns_keep_norms():
    rng = np.random.default_rng(2)
    a, tau = rng.normal(size=(40, 2, 5)), rng.normal(size=(40, 2))
    x = rng.normal(size=2)
    few = chosen_columns(joint_factors(a, tau), [1, 4])
    assert few.squares(x) == pytest.approx(((a[:, :, [1, 4]] @ x - tau) ** 2).sum(axis=0))


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_is_between_zero_and_one(share):
    with pytest.raises(ArgumentError, match="share"):
        eliminate(["a"], [(np.ones((3, 1, 1)), np.ones((3, 1)))], share=share)


def test_without_trajectories():
    with pytest.raises(ArgumentError, match="no trajectory"):
        eliminate(["a"], [])


def test_results_are_frozen():
    found = eliminate(["a"], [(np.ones((3, 1, 1)), np.ones((3, 1)))])
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.kept = ()
