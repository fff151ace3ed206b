"""MuJoCo as the plant: the same errors as on ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import torquec
from torquec.control.computed_torque import computed_torque
from torquec.control.independent_joint import PidGains, independent_joint
from torquec.errors import ArgumentError, DivergenceError
from torquec.simulation.closed_loop import simulate
from torquec.simulation.mujoco_plant import simulate_on_mujoco
from torquec.simulation.plant import Plant
from torquec.trajectory import minimum_jerk

pytest.importorskip("mujoco")

PANDA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models" / "panda_nohand.xml"

PENDULUM = """<mujoco model="pendulum"><option gravity="0 0 -9.81"/><worldbody>
  <body name="first"><joint name="b" axis="0 1 0" damping="0.3" armature="0.1"/>
    <inertial mass="2" pos="0 0 -0.4" diaginertia="0.1 0.1 0.02"/>
    <body name="second" pos="0 0 -0.8"><joint name="a" axis="1 0 0"/>
      <inertial mass="1" pos="0.1 0 -0.3" diaginertia="0.05 0.05 0.01"/></body></body>
</worldbody></mujoco>"""


@pytest.fixture
def pendulum(tmp_path):
    path = tmp_path / "pendulum.xml"
    path.write_text(PENDULUM)
    return path


def motion_of(robot, start, way, duration=2.0, period=0.001):
    first = np.array(start)
    return minimum_jerk(first, first + way, duration, joints=robot.joint_names, period=period)


@pytest.mark.skipif(not PANDA.exists(), reason="the model collection is not here")
def test_panda_computed_torque_has_the_same_error_on_both_plants():
    robot = torquec.load(PANDA)
    motion = motion_of(robot, [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.0], [0.8, 0.6, -0.5, 0.7, 0.6, 0.8, 1.0])
    controller = computed_torque(robot, -20 + 20j, period=0.001)
    ours, theirs = simulate(robot, controller, motion), simulate_on_mujoco(PANDA, robot, controller, motion)
    assert theirs.rmse_values == pytest.approx(ours.rmse_values, rel=0.01)
    assert theirs.max_error_values == pytest.approx(ours.max_error_values, rel=0.01)


def test_a_wrong_controller_makes_the_same_large_errors_on_both(pendulum):
    robot = torquec.load(pendulum)
    motion = motion_of(robot, [0.2, -0.1], [1.0, -0.7], duration=1.0)
    gains = PidGains((60.0, 30.0), (5.0, 3.0), (40.0, 20.0))
    controller = independent_joint(robot, gains, period=0.001)
    plant = Plant(robot)
    ours, theirs = simulate(plant, controller, motion), simulate_on_mujoco(pendulum, robot, controller, motion)
    assert ours.rmse_values.max() > 0.01
    assert np.allclose(theirs.q, ours.q, atol=1e-7)
    assert np.allclose(theirs.tau, ours.tau, atol=1e-4)


def test_what_does_not_fit_is_refused(pendulum):
    robot = torquec.load(pendulum)
    other = torquec.classics.planar2r()
    controller = computed_torque(other, -5 + 5j, period=0.001)
    with pytest.raises(ArgumentError, match="joints of the controller"):
        simulate_on_mujoco(pendulum, robot, controller, motion_of(robot, [0.0, 0.0], [0.1, 0.1]))


def test_divergence_is_reported_and_leaves_no_file_behind(pendulum, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    robot = torquec.load(pendulum)
    gains = PidGains((1e9, 1e9), (1e7, 1e7))
    controller = independent_joint(robot, gains, period=0.001)
    motion = motion_of(robot, [0.0, 0.0], [0.5, 0.5], duration=1.0)
    with pytest.raises(DivergenceError, match="diverged"):
        simulate_on_mujoco(pendulum, robot, controller, motion)
    assert [item.name for item in tmp_path.iterdir()] == ["pendulum.xml"]
