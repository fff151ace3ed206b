"""Recursive estimator: exact rows, the payload of simulated arms, an interval that covers, and its files."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.control.payload_runs import PERIOD, mass_errors, waving

import torquec as tq
from torquec.control.controller_file import read_estimator, write_controller
from torquec.control.detection_thresholds import bias_program, momentum_program
from torquec.control.recursive_estimator import _student, _Window, payload_momenta, recursive_estimator
from torquec.errors import ArgumentError, ModelFileError
from torquec.expr import evaluate
from torquec.model.model import as_model
from torquec.robot.payload import attach_payload
from torquec.simulation.applied_forces import HeldPayload
from torquec.simulation.observed_run import estimated_run
from torquec.simulation.plant import Plant

ARM = tq.classics.puma560()
FRAME = "link6"


def test_the_columns_are_those_of_a_payload():
    """p and b of the arm with a payload less those of the arm, at random states."""
    mass, c, inertia = 2.0, np.array([0.03, -0.05, 0.08]), np.array([0.02, 0.03, 0.015])
    about_center = np.diag(inertia) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    # The columns know no products of inertia in the frame: choose the tensor about the centre so that there are none.
    held = attach_payload(ARM, FRAME, mass=mass, center=c, inertia=(about_center + 0.05 * np.eye(3)).tolist())
    theta = np.array([mass, *(mass * c), *(inertia + 0.05)])
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qd = rng.uniform(-1, 1, (2, ARM.n))
        for columns, program, name in zip(
            payload_momenta(ARM, FRAME, q.tolist(), qd.tolist()), (momentum_program, bias_program), "pb", strict=True
        ):
            states = {"q": q, "qd": qd}
            with_, without = (evaluate(program(as_model(robot)), states)[name] for robot in (held, ARM))
            assert np.array(columns) @ theta == pytest.approx(with_ - without, abs=1e-9)


def test_the_modulating_function_ends_at_zero_and_has_integral_one():
    window = _Window(10, 0.01)
    weights = [window.around(float(k)) for k in range(11)]
    assert (weights[0][0], weights[-1][1]) == (0.0, 0.0)
    assert all(a[1] == pytest.approx(b[0]) for a, b in itertools.pairwise(weights))
    assert 0.01 * sum(after for _, after in weights) == pytest.approx(1.0)


def test_students_quantile():
    """Printed tables of Student's distribution, 97.5 %: within one per cent from five degrees of freedom on."""
    for freedom, quantile in ((5, 2.571), (10, 2.228), (30, 2.042), (1e9, 1.960)):
        assert _student(1.0 / freedom) == pytest.approx(quantile, rel=0.01)


def test_payload_and_friction_of_a_simulated_arm():
    """No noise: the payload within some grams, and friction that the model lacks; the interval narrows and covers."""
    robot = tq.classics.planar2r()
    period = 0.002
    motion = waving(robot, [0.3, 0.5], [0.8, 0.9], 2.0, 3, period=period)
    law = tq.computed_torque(robot, -20.0, period=period)
    plant = Plant(robot, forces=(HeldPayload("link2", 0.7, (0.1, 0.0, 0.0)),), saturates=False)
    estimator = recursive_estimator(robot, "link2", period=period)
    found = estimated_run(tq.simulate(plant, law, motion), estimator)
    document = found.to_document(estimator)
    assert document["mass"] == pytest.approx(0.7, abs=0.01)
    assert document["interval"][0] <= 0.7 <= document["interval"][1]
    widths = found.interval[:, 1] - found.interval[:, 0]
    assert widths[-1] < 0.1 * widths[len(widths) // 4]
    assert set(document["coulomb"]) == set(robot.joint_names)


def test_a_payload_that_is_put_down_is_forgotten():
    """Rows of a constant load, then of none: the estimate follows with the memory's time constant."""
    robot, period = tq.classics.planar2r(), 0.002
    held = attach_payload(robot, "link2", mass=1.0)
    motion = waving(robot, [0.3, 0.5], [0.8, 0.9], 8.0, 4, period=period)
    model, loaded = (as_model(each) for each in (robot, held))
    states = (motion.q, motion.qd, motion.qdd)
    half = len(motion.t) // 2
    tau = np.concatenate([
        loaded.total_torque(*(x[:half] for x in states)), model.total_torque(*(x[half:] for x in states))
    ])  # fmt: skip
    estimator = recursive_estimator(robot, "link2", period=period, memory=1.0)
    state, masses = estimator.initial_state, []
    for k in range(len(tau)):
        # the torque of the middle of the interval before
        acted = 0.5 * (tau[k] + tau[k - 1]) if k else tau[0]
        mass, *_, state = estimator.native.call(motion.q[k], motion.qd[k], acted, state)
        masses.append(mass[0])
    assert masses[half - 1] == pytest.approx(1.0, abs=0.02)
    assert abs(masses[-1]) < 0.1


def test_the_estimator_is_a_file(tmp_path):
    robot = tq.classics.planar2r()
    estimator = recursive_estimator(robot, "link2", period=PERIOD)
    files = write_controller(estimator, tmp_path, prefix="arm")
    assert read_estimator(tmp_path / "controller.json") == estimator
    header = next(path for path in files if path.suffix == ".h").read_text()
    assert "95 % interval" in header
    assert tq.check_file(tmp_path).ok
    with pytest.raises(ModelFileError, match="this is an estimator"):
        tq.read_observer(tmp_path / "controller.json")


def test_refusals():
    with pytest.raises(ArgumentError, match="a memory of 0"):
        recursive_estimator(ARM, FRAME, period=0.001, memory=0.0)
    with pytest.raises(ArgumentError, match="four samples"):
        recursive_estimator(ARM, FRAME, period=0.1)
    with pytest.raises(ArgumentError, match="nowhere"):
        recursive_estimator(ARM, "nowhere", period=0.001)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_fifty_runs_with_friction_noise_and_ripple(name):
    mass, error, radius = mass_errors(name, runs=10)
    assert np.all(np.abs(error) <= np.maximum(0.05, 0.05 * mass))
    assert np.mean(np.abs(error) <= radius) >= 0.92  # 95 % of 50, less one standard deviation
    assert np.all(radius < 0.1)
