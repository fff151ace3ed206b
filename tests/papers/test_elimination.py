"""Stepwise elimination: the PUMA 260 of Izaguirre et al., and what the steps must do."""

from __future__ import annotations

import dataclasses
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.errors import ArgumentError
from torquec.identification.estimators.joint_factors import joint_factors
from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.torque_model import torque_model
from torquec.papers.elimination import chosen_columns, eliminate, fit_trajectories, log_elimination
from torquec.papers.inward_basis import inward_basis
from torquec.papers.izaguirre_comparisons import SIGNIFICANT
from torquec.papers.simulated_runs import MeasurementNoise, simulated_elimination
from torquec.robot import classics
from torquec.trajectory import fourier_motion


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
    script = Path(__file__).resolve().parents[2] / "examples" / "puma260_identification.py"
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


def rows(seed, x):
    a = np.random.default_rng(seed).normal(size=(30, 2, 2))
    return joint_factors(a, a @ np.asarray(x))


def test_average_std_maximum_minimum():
    fits = fit_trajectories(["a", "b"], [rows(0, [1.0, 5.0]), rows(1, [3.0, 5.0]), rows(2, [2.0, 5.0])])
    assert fits.average == pytest.approx([2.0, 5.0])
    assert fits.std == pytest.approx([1.0, 0.0], abs=1e-12)
    assert fits.maximum == pytest.approx([3.0, 5.0])
    assert fits.minimum == pytest.approx([1.0, 5.0])


def test_condition_is_that_of_one_trajectory():
    a = np.zeros((2, 1, 2))
    a[0, 0, 0], a[1, 0, 1] = 8.0, 2.0
    fits = fit_trajectories(["a", "b"], [joint_factors(a, a @ np.ones(2))] * 3)
    assert fits.conditions == pytest.approx([4.0, 4.0, 4.0])
    assert fits.condition == pytest.approx(4.0)


def test_weights_scale_the_rows_of_a_joint():
    a = np.zeros((1, 2, 2))
    a[0, 0, 0], a[0, 1, 1] = 8.0, 2.0
    fits = fit_trajectories(["a", "b"], [joint_factors(a, a @ np.ones(2))], np.array([1.0, 4.0]))
    assert fits.condition == pytest.approx(1.0)


def test_a_trajectory_that_says_nothing_is_left_out_of_a_row():
    still = np.zeros((5, 1, 2))
    still[:, 0, 0] = 1.0
    one = np.random.default_rng(3).normal(size=(20, 1, 2))
    fits = fit_trajectories(
        ["a", "b"], [joint_factors(still, 2.0 * still[:, :, 0]), joint_factors(one, one @ np.array([4.0, 7.0]))]
    )
    assert fits.average == pytest.approx([3.0, 7.0])
    assert np.isnan(fits.values[0, 1])
    assert np.isnan(fits.std[1])
    assert np.isinf(fits.conditions[0])


def test_no_trajectory():
    with pytest.raises(ArgumentError, match="no trajectory"):
        fit_trajectories(["a"], [])


@pytest.fixture(scope="module")
def estimate():
    return simulated_arm.estimate()


def test_what_is_kept_predicts_the_same_torques(estimate):
    found, basis = log_elimination(estimate, [simulated_arm.log()])
    assert sorted([*found.dropped, *(basis.names[k] for k in found.kept)]) == sorted(basis.names)
    samples = prepare(simulated_arm.log(), cutoff=estimate.cutoff)
    a = (estimate.model.regressor(samples)[samples.used] @ basis.matrix)[..., list(found.kept)]
    tau = samples.tau[samples.used]
    assert np.linalg.norm(a @ found.after.average - tau) < 0.02 * np.linalg.norm(tau)


def test_friction_that_is_not_there_goes_first(estimate):
    frictionless = dataclasses.replace(
        simulated_arm.arm(),
        bodies=tuple(
            dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=type(body.joint.friction)()))
            for body in simulated_arm.arm().bodies
        ),
    )
    cosines, sines = np.random.default_rng(0).normal(scale=0.8, size=(2, 2, 5))
    joints = frictionless.joint_names
    motion = fourier_motion([0.0, 0.0], cosines, sines, base_period=8.0, joints=joints, period=0.01)
    found, basis = log_elimination(estimate, [simulated_log(frictionless, motion, noise=0.0)])
    assert {f"coulomb_{joint}" for joint in joints} <= set(found.dropped)
    kept = {basis.names[k] for k in found.kept}
    assert not any(name.startswith(("coulomb", "viscous", "offset")) for name in kept)


def test_one_log_is_cut_into_five_and_several_are_taken_whole(estimate):
    log, other = simulated_arm.log(), simulated_arm.log(5)
    _, basis = log_elimination(estimate, [log])

    def rows(log, parts):
        samples = prepare(log, cutoff=estimate.cutoff)
        a, tau = estimate.model.regressor(samples)[samples.used] @ basis.matrix, samples.tau[samples.used]
        chunks = np.array_split(np.arange(len(a)), parts)
        return [(a[chunk], tau[chunk]) for chunk in chunks]

    one, _ = log_elimination(estimate, [log])
    assert one.kept == eliminate(basis.names, rows(log, 5)).kept
    assert one.before.std == pytest.approx(eliminate(basis.names, rows(log, 5)).before.std)
    two, _ = log_elimination(estimate, [log, other])
    assert two.before.std == pytest.approx(eliminate(basis.names, rows(log, 1) + rows(other, 1)).before.std)
