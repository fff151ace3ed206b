"""Torques of written files by the programs that read them: against the robot's own, and planted differences."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.dynamics import inverse_dynamics, total_torque
from torquec.identification import file_readers
from torquec.identification.file_readers import code_reader, mjcf_reader, urdf_reader
from torquec.identification.logs.prepare import prepare
from torquec.model.model import compile
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives
from torquec.trajectory import fourier_motion
from torquec.trajectory.log import Log

WORDS = dict(
    zip(simulated_arm.arm().joint_names, (Friction.symmetric(0.3, 1.2), Friction.symmetric(0.1, 0.4)), strict=True)
)


@pytest.fixture(scope="module")
def robot():
    """A plain arm with viscous and Coulomb friction."""
    arm = simulated_arm.arm()
    bodies = tuple(
        dataclasses.replace(
            body,
            inertia=dataclasses.replace(body.inertia, xx=0.1),
            joint=dataclasses.replace(body.joint, friction=WORDS[body.joint.name]),
        )
        for body in arm.bodies
    )
    return dataclasses.replace(arm, bodies=bodies, drives=Drives())


@pytest.fixture(scope="module")
def samples(robot):
    cosines, sines = np.random.default_rng(3).normal(scale=0.5, size=(2, 2, 3))
    motion = fourier_motion([0.2, -0.4], cosines, sines, base_period=4.0, period=0.01)
    return prepare(Log(robot.joint_names, motion.t, motion.q, np.ones_like(motion.q), qd=motion.qd), cutoff=20.0)


def own(robot, samples):
    rows = total_torque(robot, samples.q.T, samples.qd.T, samples.qdd.T)
    return np.column_stack([np.broadcast_to(row, len(samples)) for row in rows])


def test_compiled_and_native_code_have_the_torques_of_the_robot(robot, samples, monkeypatch):
    compiled = code_reader(compile(robot))
    assert compiled.torques(samples) == pytest.approx(own(robot, samples), abs=1e-12)
    monkeypatch.setattr(file_readers.shutil, "which", lambda name: None)
    native = code_reader(compile(robot))
    assert native.name == "Torquec, native"
    assert native.torques(samples) == pytest.approx(own(robot, samples), abs=1e-12)


def test_pinocchio_reads_bodies_damping_and_friction(robot, samples):
    pytest.importorskip("pinocchio")
    reader = urdf_reader(robot, WORDS)
    assert reader.name.startswith("Pinocchio ")
    assert reader.torques(samples) == pytest.approx(own(robot, samples), abs=1e-9)
    half = {name: Friction.symmetric(0.5 * one.viscous_positive, one.coulomb_positive) for name, one in WORDS.items()}
    assert np.abs(urdf_reader(robot, half).torques(samples) - own(robot, samples)).max() > 0.01


def test_mujoco_turns_friction_over_within_milliseconds(robot, samples):
    """Away from reversals MuJoCo's friction is the robot's own; its constraint adds a thousandth."""
    pytest.importorskip("mujoco")
    reader = mjcf_reader(robot)
    assert reader.name.startswith("MuJoCo ")
    fast = np.abs(samples.qd) > 0.2
    assert reader.torques(samples)[fast] == pytest.approx(own(robot, samples)[fast], rel=2e-3, abs=2e-3)
    smooth = dataclasses.replace(
        robot,
        bodies=tuple(
            dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction()))
            for body in robot.bodies
        ),
    )
    rigid = np.column_stack(inverse_dynamics(smooth, samples.q.T, samples.qd.T, samples.qdd.T))
    assert mjcf_reader(smooth).torques(samples) == pytest.approx(rigid, abs=1e-9)


def test_without_the_reader_installed_there_is_none(robot, monkeypatch):
    monkeypatch.setattr(file_readers, "_is_installed", lambda module: False)
    assert urdf_reader(robot, WORDS) is None
    assert mjcf_reader(robot) is None
