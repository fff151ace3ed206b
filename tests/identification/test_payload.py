"""Payloads from a loaded and an unloaded run: planted ones come back, with the confidence that is stated."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.errors import ArgumentError
from torquec.identification.estimators.least_squares import WeightedLeastSquares
from torquec.identification.estimators.pseudo_inertia import is_consistent
from torquec.identification.logs.prepare import Samples
from torquec.identification.payload import identify_payload, weigh_payload
from torquec.identification.torque.torque_model import torque_model
from torquec.model.model import compile
from torquec.robot import attach_payload, classics
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import Frame
from torquec.spatial import PARAMETER_NAMES, Inertia, Pose, rpy_rotation
from torquec.trajectory import fourier_motion

CENTER = (0.03, -0.05, 0.12)
TENSOR = ((0.02, 1e-3, 0.0), (1e-3, 0.03, -2e-3), (0.0, -2e-3, 0.015))
TRUE = np.array(Inertia.from_center_of_mass(1.7, CENTER, TENSOR).parameters)
RATE, CUTOFF = 100.0, 20.0


@pytest.fixture(scope="module")
def puma():
    """A PUMA 560 with a tool frame that is turned and shifted, and its model."""
    robot = classics.puma560()
    pose = Pose(rpy_rotation(0.3, -0.5, 1.1), (0.02, 0.01, 0.1))
    robot = dataclasses.replace(robot, frames=(*robot.frames, Frame("tool", 5, pose)))
    return robot, torque_model(robot, friction="directional")


def run(robot, seed, noise=0.0):
    """Samples along a Fourier motion: exact positions, torques through the filter of the samples."""
    rng = np.random.default_rng(seed)
    cosines, sines = rng.normal(scale=0.6, size=(2, robot.n, 5))
    motion = fourier_motion(np.zeros(robot.n), cosines, sines, base_period=10.0, period=1.0 / RATE)
    tau = np.asarray(compile(robot).total_torque(motion.q, motion.qd, motion.qdd))
    tau = tau + noise * rng.normal(size=tau.shape)
    used = (motion.t > 0.5) & (motion.t < motion.t[-1] - 0.5)
    samples = Samples(robot.joint_names, motion.t, motion.q, motion.qd, motion.qdd, tau, used, RATE, CUTOFF, {})
    return dataclasses.replace(samples, tau=samples.low_passed(tau))


def loaded(robot, frame="tool"):
    return attach_payload(robot, frame, mass=1.7, center=CENTER, inertia=TENSOR)


def bare_fit(model, noise=0.0, seed=1):
    """x and its covariance from an unloaded run."""
    samples = run(model.robot, seed, noise)
    fit = WeightedLeastSquares(correlation=RATE / (2.0 * CUTOFF))
    return fit.fit(model.regressor(samples)[samples.used], samples.tau[samples.used])


def test_a_planted_payload_comes_back(puma):
    robot, model = puma
    found = weigh_payload(model, bare_fit(model).x_, [run(loaded(robot), 2)], frame="tool")
    assert found.parameters == pytest.approx(TRUE, abs=1e-8)
    assert found.mass == pytest.approx(1.7, abs=1e-8)
    assert found.center == pytest.approx(CENTER, abs=1e-8)
    assert found.open == ()
    assert found.error < 1e-9 < found.error_without
    assert found.physically_consistent


def test_the_frame_is_where_it_is_seen_from(puma):
    robot, model = puma
    samples = run(loaded(robot), 2)
    x = bare_fit(model).x_
    here, there = (weigh_payload(model, x, [samples], frame=frame) for frame in ("tool", hand_frame(robot)))
    assert hand_frame(robot) == robot.bodies[-1].name
    pose = robot.frame("tool").pose
    moved = here.inertia.transformed(pose).transformed(robot.frame(hand_frame(robot)).pose.inverse())
    assert there.parameters == pytest.approx(np.array(moved.parameters), abs=1e-8)


def test_with_noise_the_payload_lies_within_its_confidence(puma):
    """Over 25 pairs of runs, squared errors by variances are one on average, parameter by parameter and together."""
    robot, model = puma
    heavy = loaded(robot)
    ratios = []
    for k in range(25):
        fit = bare_fit(model, noise=0.2, seed=100 + k)
        samples = run(heavy, 500 + k, noise=0.2)
        found = weigh_payload(model, fit.x_, [samples], covariance=fit.covariance_, frame="tool")
        ratios.append((found.parameters - TRUE) / found.std)
    squares = np.array(ratios) ** 2
    assert 0.7 < squares.mean() < 1.4
    assert np.mean(squares < 1.96**2) > 0.9


def test_the_robot_with_its_payload(puma):
    robot, model = puma
    found = weigh_payload(model, bare_fit(model).x_, [run(loaded(robot), 2)], frame="tool")
    q = np.full(6, 0.4)
    expected = compile(loaded(robot)).gravity_torque(q)
    assert np.asarray(compile(found.attached(robot)).gravity_torque(q)) == pytest.approx(np.asarray(expected), abs=1e-7)


def test_what_a_planar_arm_cannot_tell_is_open():
    robot = classics.planar2r()
    robot = dataclasses.replace(robot, frames=(*robot.frames, Frame("hand", 1)))
    model = torque_model(robot, friction="none")
    found = weigh_payload(model, bare_fit(model).x_, [run(loaded(robot, "hand"), 2)], frame="hand")
    assert set(found.open) == set(PARAMETER_NAMES) - {"m", "mx", "my", "Izz"}
    assert found.mass == pytest.approx(1.7, abs=1e-7)
    assert np.isinf(found.std[PARAMETER_NAMES.index(found.open[0])])
    # A solid that the torques allow: what is told is kept, what is open is made up.
    told = [PARAMETER_NAMES.index(name) for name in ("m", "mx", "my", "Izz")]
    assert found.solid[told] == pytest.approx(found.parameters[told], rel=1e-3, abs=1e-4)
    assert is_consistent(found.solid)
    heavy = compile(found.attached(robot)).gravity_torque([0.3, -0.2])
    assert np.asarray(heavy) == pytest.approx(
        np.asarray(compile(loaded(robot, "hand")).gravity_torque([0.3, -0.2])), rel=1e-3
    )


def test_a_noisy_payload_becomes_solid(puma):
    robot, model = puma
    fit = bare_fit(model, noise=0.5, seed=7)
    found = weigh_payload(model, fit.x_, [run(loaded(robot), 8, noise=0.5)], covariance=fit.covariance_, frame="tool")
    thin = dataclasses.replace(found, parameters=found.parameters - 3.0 * np.eye(10)[0] * found.parameters[0])
    assert not thin.physically_consistent
    assert is_consistent(thin.solid)
    compile(thin.attached(robot))
    assert found.solid[9] == pytest.approx(1.7, rel=0.1)


def test_misuse(puma):
    robot, model = puma
    x = np.zeros(model.size)
    with pytest.raises(ArgumentError, match="no loaded run"):
        weigh_payload(model, x, [])
    grounded = dataclasses.replace(model, robot=dataclasses.replace(robot, frames=(*robot.frames, Frame("floor", -1))))
    with pytest.raises(ArgumentError, match="on the base"):
        weigh_payload(grounded, x, [run(robot, 2)], frame="floor")


def test_a_loaded_run_with_errors_is_refused():
    estimate, log = simulated_arm.estimate(), simulated_arm.log()
    with pytest.raises(ArgumentError, match="opposite") as refused:
        identify_payload(estimate, dataclasses.replace(log, qd=-log.qd, source="loaded.csv"))
    assert refused.value.where == "loaded.csv"
    with pytest.raises(ArgumentError, match="this log is about a, b"):
        identify_payload(estimate, dataclasses.replace(log, joints=("a", "b")))
    assert identify_payload(estimate, log).mass == pytest.approx(0.0, abs=0.05)  # nothing in the hand
