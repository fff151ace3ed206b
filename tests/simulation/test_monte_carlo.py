"""Monte Carlo: every run is the run of its own robot, whatever the grouping; diverging runs are marked."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from tests.model_kinds import heavier, program_model
from tests.posted_executor import PostedExecutor
from tests.simulation.arms import clock, rotor

import torquec
from torquec.control.computed_torque import computed_torque
from torquec.control.controller import make_controller
from torquec.errors import ArgumentError
from torquec.model.model import Model, ModelKind
from torquec.report.tracking_plots import plot_envelope
from torquec.robot.friction import Friction
from torquec.simulation.applied_forces import HeldPayload
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import DormandPrince
from torquec.simulation.monte_carlo import Spread, monte_carlo
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.sensors import Sensors
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory

PUMA = torquec.classics.puma560()
MOTION = puma560_standard_trajectory()
LAW = computed_torque(PUMA, -12 + 45j, period=0.002)
SPREAD = Spread(inertia=0.1, friction=0.3)


def scaled(robot, factors):
    """The robot with inertias and friction multiplied."""
    bodies = []
    for k, body in enumerate(robot.bodies):
        inertia = type(body.inertia)(*(factors[k] * p for p in body.inertia.parameters))
        words = body.joint.friction.values
        friction = Friction.of({word: factors[len(robot.bodies) + k] * value for word, value in words.items()})
        bodies.append(
            dataclasses.replace(body, inertia=inertia, joint=dataclasses.replace(body.joint, friction=friction))
        )
    return dataclasses.replace(robot, bodies=tuple(bodies))


@pytest.mark.parametrize("friction", [DryFriction.SMOOTH, DryFriction.STICK])
def test_each_run_is_the_run_of_its_own_robot(friction):
    result = monte_carlo(Plant(PUMA, friction=friction), LAW, MOTION, runs=9, spread=SPREAD)
    for k in (0, 8):
        own = simulate(Plant(scaled(PUMA, result.factors[k]), friction=friction), LAW, MOTION)
        assert result.rmse[k] == pytest.approx(own.rmse_values, rel=1e-6)
        assert result.max_error[k] == pytest.approx(own.max_error_values, rel=1e-6)
    assert np.isnan(result.diverged).all()


def test_a_run_does_not_depend_on_the_others_or_on_workers():
    options = LoopOptions(sensors=Sensors(position_noise=1e-5), seed=4)
    many = monte_carlo(PUMA, LAW, MOTION, runs=70, spread=SPREAD, options=options)
    few = monte_carlo(PUMA, LAW, MOTION, runs=3, spread=SPREAD, options=options)
    assert np.array_equal(many.rmse[:3], few.rmse)
    assert len(np.unique(many.factors, axis=0)) == 70
    with ThreadPoolExecutor(2) as pool:
        pooled = monte_carlo(PUMA, LAW, MOTION, runs=70, spread=SPREAD, options=options, executor=pool)
    assert np.array_equal(many.rmse, pooled.rmse)


def test_large_tasks_hold_the_same_runs():
    robot = torquec.classics.planar2r()
    law = computed_torque(robot, -10.0, period=0.01)
    motion = minimum_jerk([0.0, 0.0], [0.4, -0.3], 0.2, joints=robot.joint_names, period=0.01)
    options = LoopOptions(record_every=5)
    posted = PostedExecutor()
    many = monte_carlo(robot, law, motion, runs=2100, spread=SPREAD, options=options, envelope=True, executor=posted)
    assert len(posted.done) == 17  # tasks of two groups of 64; a last one with what is left
    alone = monte_carlo(robot, law, motion, runs=2100, spread=SPREAD, options=options, envelope=True)
    few = monte_carlo(robot, law, motion, runs=200, spread=SPREAD, options=options)
    np.testing.assert_array_equal(many.rmse, alone.rmse)
    np.testing.assert_array_equal(many.envelope.average, alone.envelope.average)
    np.testing.assert_array_equal(many.rmse[:200], few.rmse)
    assert many.rmse.shape == (2100, 2)


def test_adaptive_steps_serve_several_runs_at_once():
    options = LoopOptions(integrator=DormandPrince())
    result = monte_carlo(PUMA, LAW, MOTION, runs=9, spread=SPREAD, options=options)
    own = simulate(scaled(PUMA, result.factors[8]), LAW, MOTION, options=options)
    assert result.rmse[8] == pytest.approx(own.rmse_values, rel=1e-6)


@pytest.mark.slow
def test_runs_go_over_processes():
    with ProcessPoolExecutor(1) as pool:
        pooled = monte_carlo(PUMA, LAW, MOTION, runs=3, spread=SPREAD, executor=pool)
    assert np.array_equal(pooled.rmse, monte_carlo(PUMA, LAW, MOTION, runs=3, spread=SPREAD).rmse)


def test_the_spread_is_what_was_asked_for():
    result = monte_carlo(PUMA, LAW, MOTION, runs=400, spread=SPREAD)
    assert result.factors[:, :6].std() == pytest.approx(0.1, rel=0.1)
    assert result.factors[:, 6:].std() == pytest.approx(0.3, rel=0.1)
    assert result.factors.mean() == pytest.approx(1.0, abs=0.02)


def test_a_run_that_diverges_is_marked_and_the_others_go_on():
    # Light wheels make the sampled loop unstable: tau = -k qd held for h needs k h < 2 J.
    robot = rotor(inertia=1.0)
    law = make_controller("damper", robot.joint_names, lambda **s: {"tau": [-19.0 * s["qd"][0]]})
    motion = clock(robot, 400.0, 0.1)
    moving = dataclasses.replace(motion, qd=np.ones_like(motion.qd))
    result = monte_carlo(robot, law, moving, runs=40, spread=Spread(inertia=0.1))
    light = result.factors[:, 0] < 0.95 * 0.9
    heavy = result.factors[:, 0] > 0.95
    assert light.any()
    assert heavy.any()
    assert np.isfinite(result.diverged[light]).all()
    assert np.isnan(result.rmse[light]).all()
    assert np.isnan(result.diverged[heavy]).all()
    assert np.isfinite(result.rmse[heavy]).all()


def test_the_envelope_holds_every_run(tmp_path):
    """Its ends are the largest errors of all runs, and each run lies in it; in groups as in one."""
    options = LoopOptions(record_every=5)
    result = monte_carlo(PUMA, LAW, MOTION, runs=70, spread=SPREAD, options=options, envelope=True)
    found = result.envelope
    assert found.runs == 70
    ends = np.maximum(np.abs(found.lowest), np.abs(found.highest)).max(axis=0)
    assert (ends <= result.max_error.max(axis=0) + 1e-12).all()
    assert (ends >= 0.98 * result.max_error.max(axis=0)).all()  # every fifth sample may miss a peak by a little
    own = simulate(Plant(scaled(PUMA, result.factors[66])), LAW, MOTION, options=options)
    assert np.array_equal(own.t, found.t)
    assert (own.error >= found.lowest - 1e-9).all()
    assert (own.error <= found.highest + 1e-9).all()
    assert (found.lowest <= found.average).all()
    assert (found.average <= found.highest).all()
    assert monte_carlo(PUMA, LAW, MOTION, runs=2, spread=SPREAD).envelope is None
    assert plot_envelope(result, tmp_path / "band.png").stat().st_size > 10_000
    with pytest.raises(ArgumentError, match="no envelope"):
        plot_envelope(dataclasses.replace(result, envelope=None), tmp_path / "none.png")


def test_an_identified_robot_varies_as_its_bodies_do(tmp_path):
    """Also where it comes from a file, which holds programs besides the bodies; a program without bodies cannot."""
    robot = torquec.classics.planar2r()
    law = computed_torque(robot, -10.0, period=0.01)
    motion = minimum_jerk([0.0, 0.0], [0.4, -0.3], 1.0, joints=robot.joint_names, period=0.01)
    expected = monte_carlo(heavier(robot), law, motion, runs=5, spread=SPREAD)
    torquec.save(Model(heavier(robot), kind=ModelKind.IDENTIFIED), tmp_path / "arm.tq.json")
    identified = torquec.load_model(tmp_path / "arm.tq.json")
    assert "inverse_dynamics" in identified.functions
    held = monte_carlo(Plant(identified, forces=(HeldPayload("link2", 0.5),)), law, motion, runs=5, spread=SPREAD)
    assert np.array_equal(monte_carlo(identified, law, motion, runs=5, spread=SPREAD).rmse, expected.rmse)
    assert (held.rmse > 1.1 * expected.rmse).all()
    with pytest.raises(ArgumentError, match="is a program without any") as caught:
        monte_carlo(program_model(robot), law, motion, runs=2, spread=SPREAD)
    assert "identified from logs" in caught.value.remedy


def test_misuse():
    with pytest.raises(ArgumentError, match="0 runs"):
        monte_carlo(PUMA, LAW, MOTION, runs=0, spread=SPREAD)
    with pytest.raises(ArgumentError, match="deviation"):
        Spread(inertia=-0.1)
