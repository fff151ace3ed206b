"""Elimination for an estimate: logs become trajectories, and what the logs do not need goes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.logs.prepare import prepare
from torquec.papers.izaguirre.elimination import eliminate
from torquec.papers.izaguirre.log_elimination import log_elimination
from torquec.trajectory import fourier_motion


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
