"""What files say of an estimate: fitted to their words, and worth what they say they are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.identification import simulated_arm

from torquec.dynamics import inverse_dynamics, total_torque
from torquec.identification import file_fits
from torquec.identification.file_fits import (
    CODE,
    MJCF,
    URDF_ALONE,
    code_reader,
    dynamics_words,
    fit_files,
    mjcf_reader,
    torque_error,
    urdf_reader,
)
from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.friction_law import CoulombShape, FrictionLaw, Turnover, friction_block, shafts_of
from torquec.identification.torque.torque_columns import RecordedColumn
from torquec.model.model import compile
from torquec.robot.friction import Friction
from torquec.robot.load import load
from torquec.robot.robot import Drives
from torquec.robot.write_mjcf import write_mjcf
from torquec.robot.write_urdf import write_urdf
from torquec.trajectory import fourier_motion
from torquec.trajectory.log import Log

BENT = FrictionLaw(shape=CoulombShape(Turnover.DISTANCE, 0.02))
QUICK = IdentifyOptions(cutoff=20.0, rotors=False, strength=1.0)


@pytest.fixture(scope="module")
def robot():
    """An arm whose own file knows no friction."""
    arm = simulated_arm.arm()
    bodies = tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction())) for body in arm.bodies
    )
    return dataclasses.replace(arm, bodies=bodies, drives=Drives())


@pytest.fixture(scope="module")
def log(robot):
    """A run with friction that turns over 0.02 rad, and a torque that only a recorded column knows."""
    from torquec.dynamics import inverse_dynamics

    cosines, sines = np.random.default_rng(5).normal(scale=0.8, size=(2, 2, 5))
    motion = fourier_motion([0.0, 0.0], cosines, sines, base_period=8.0, period=0.005)
    tau = np.array(inverse_dynamics(robot, motion.q.T, motion.qd.T, motion.qdd.T)).T
    words = np.array([0.3, 1.0, 0.4, 0.2, 0.6, -0.3])  # viscous, Coulomb, offset of either joint
    tau = tau + friction_block(shafts_of(robot), BENT, motion.qd, q=motion.q) @ words
    pump = np.sin(7.0 * motion.t)
    tau[:, 1] += 0.2 * pump
    return Log(robot.joint_names, motion.t, motion.q, tau, qd=motion.qd, others={"pump": pump}, source="run.csv")


@pytest.fixture(scope="module")
def fits(robot, log):
    options = dataclasses.replace(QUICK, friction=BENT, columns=(RecordedColumn(robot.joint_names[1], "pump"),))
    estimate = identify(robot, log, options=options)
    assert estimate.unbound == ("pump",)
    chosen = dataclasses.replace(options, friction=None)
    return estimate, fit_files(estimate, robot, [log], [log], options=chosen)


def test_what_a_program_cannot_know_is_not_dropped_but_fitted_without(fits, log):
    estimate, found = fits
    samples = [prepare(log, cutoff=20.0)]
    assert found.program.unbound == ()
    assert found.errors["report"] == pytest.approx(estimate.relative_error, rel=1e-9)
    assert found.errors[CODE] < torque_error(estimate.robot, samples)
    assert found.errors[CODE] == pytest.approx(found.program.relative_error, rel=1e-6)
    assert found.mujoco.model.friction.parameters[:3] == ("viscous", "coulomb", "offset")
    assert set(found.mujoco.model.friction.parameters[3:]) <= {"curved", "cubic"}


def test_the_files_are_worth_what_is_said_of_them(fits, log, tmp_path):
    _, found = fits
    samples = [prepare(log, cutoff=20.0)]
    gravity = found.program.robot.gravity
    path, side = write_urdf(found.program.robot, tmp_path / "arm.urdf", dynamics=found.dynamics)
    assert torque_error(load(path, gravity=gravity), samples) == pytest.approx(found.errors[CODE], rel=1e-9)
    side.unlink()
    assert torque_error(load(path, gravity=gravity), samples) == pytest.approx(found.errors[URDF_ALONE], rel=1e-9)
    (path,) = write_mjcf(found.mujoco.robot, tmp_path / "arm_mujoco.xml")
    assert torque_error(load(path), samples) == pytest.approx(found.errors[MJCF], rel=0.01)  # MuJoCo rounds friction


def test_damping_and_friction_of_urdf_are_the_best_that_are_not_negative(fits, log):
    _, found = fits
    samples = [prepare(log, cutoff=20.0)]
    robot = found.program.robot

    def error(words):
        bodies = tuple(
            dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=words[body.joint.name]))
            for body in robot.bodies
        )
        return torque_error(dataclasses.replace(robot, bodies=bodies, drives=Drives()), samples)

    best = error(found.dynamics)
    assert best == pytest.approx(found.errors[URDF_ALONE])
    for joint in robot.joint_names:
        own = found.dynamics[joint]
        for factors in ((1.1, 1.0), (0.9, 1.0), (1.0, 1.1), (1.0, 0.9)):
            moved = Friction.symmetric(own.viscous_positive * factors[0], own.coulomb_positive * factors[1])
            assert error({**found.dynamics, joint: moved}) >= best
    assert dynamics_words(robot, samples) == found.dynamics


def test_mujoco_gets_the_powers_of_the_speed_that_it_has_words_for(robot, log, tmp_path):
    """Friction with a power of the speed that turns over a distance: the turnover is lost, the power is not."""
    log = dataclasses.replace(log, tau=log.tau + 0.4 * log.qd**3)
    options = dataclasses.replace(QUICK, friction=BENT)
    estimate = identify(robot, log, options=options)
    found = fit_files(estimate, robot, [log], [log], options=options)
    assert found.mujoco.model.friction.parameters == ("viscous", "coulomb", "offset", "curved", "cubic")
    assert found.errors[MJCF] < 0.5 * found.errors[CODE]
    (path,) = write_mjcf(found.mujoco.robot, tmp_path / "arm.xml")
    assert torque_error(load(path), [prepare(log, cutoff=20.0)]) == pytest.approx(found.errors[MJCF], rel=0.01)


def test_an_estimate_that_the_words_say_is_not_fitted_again(robot, log):
    plain = dataclasses.replace(QUICK, friction="offset")
    estimate = identify(robot, log, options=plain)
    found = fit_files(estimate, robot, [log], [log], options=plain)
    assert found.program is estimate
    assert found.mujoco is estimate
    assert fit_files(estimate, robot, [log], [log], options=plain, mujoco=False).mujoco is None


WORDS = dict(
    zip(simulated_arm.arm().joint_names, (Friction.symmetric(0.3, 1.2), Friction.symmetric(0.1, 0.4)), strict=True)
)


@pytest.fixture(scope="module")
def rubbing_arm():
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
def samples(rubbing_arm):
    cosines, sines = np.random.default_rng(3).normal(scale=0.5, size=(2, 2, 3))
    motion = fourier_motion([0.2, -0.4], cosines, sines, base_period=4.0, period=0.01)
    return prepare(Log(rubbing_arm.joint_names, motion.t, motion.q, np.ones_like(motion.q), qd=motion.qd), cutoff=20.0)


def own(rubbing_arm, samples):
    rows = total_torque(rubbing_arm, samples.q.T, samples.qd.T, samples.qdd.T)
    return np.column_stack([np.broadcast_to(row, len(samples)) for row in rows])


def test_compiled_and_native_code_have_the_torques_of_the_robot(rubbing_arm, samples, monkeypatch):
    compiled = code_reader(compile(rubbing_arm))
    assert compiled.torques(samples) == pytest.approx(own(rubbing_arm, samples), abs=1e-12)
    monkeypatch.setattr(file_fits.shutil, "which", lambda name: None)
    native = code_reader(compile(rubbing_arm))
    assert native.name == "Torquec, native"
    assert native.torques(samples) == pytest.approx(own(rubbing_arm, samples), abs=1e-12)


def test_pinocchio_reads_bodies_damping_and_friction(rubbing_arm, samples):
    pytest.importorskip("pinocchio")
    reader = urdf_reader(rubbing_arm, WORDS)
    assert reader.name.startswith("Pinocchio ")
    assert reader.torques(samples) == pytest.approx(own(rubbing_arm, samples), abs=1e-9)
    half = {name: Friction.symmetric(0.5 * one.viscous_positive, one.coulomb_positive) for name, one in WORDS.items()}
    assert np.abs(urdf_reader(rubbing_arm, half).torques(samples) - own(rubbing_arm, samples)).max() > 0.01


def test_mujoco_turns_friction_over_within_milliseconds(rubbing_arm, samples):
    """Away from reversals MuJoCo's friction is the robot's own; its constraint adds a thousandth."""
    pytest.importorskip("mujoco")
    reader = mjcf_reader(rubbing_arm)
    assert reader.name.startswith("MuJoCo ")
    fast = np.abs(samples.qd) > 0.2
    assert reader.torques(samples)[fast] == pytest.approx(own(rubbing_arm, samples)[fast], rel=2e-3, abs=2e-3)
    smooth = dataclasses.replace(
        rubbing_arm,
        bodies=tuple(
            dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction()))
            for body in rubbing_arm.bodies
        ),
    )
    rigid = np.column_stack(inverse_dynamics(smooth, samples.q.T, samples.qd.T, samples.qdd.T))
    assert mjcf_reader(smooth).torques(samples) == pytest.approx(rigid, abs=1e-9)


def test_without_the_reader_installed_there_is_none(rubbing_arm, monkeypatch):
    monkeypatch.setattr(file_fits, "_is_installed", lambda module: False)
    assert urdf_reader(rubbing_arm, WORDS) is None
    assert mjcf_reader(rubbing_arm) is None
