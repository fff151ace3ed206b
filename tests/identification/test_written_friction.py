"""The MJCF files of identified robots in MuJoCo: never a gain of energy, and torques as measured."""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
import pytest
from tests.identification import real_logs, simulated_arm

from torquec.identification.file_fits import MJCF, fit_files
from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.friction_law import FrictionModel
from torquec.robot.friction import Friction
from torquec.robot.write_mjcf import mjcf_text, write_mjcf
from torquec.spatial import Inertia

STEP = 5e-4
"""s: small enough that what the integrator gains is far below what friction takes."""


def gain(text: str, speed: float, seconds: float) -> tuple[float, float]:
    """The largest rise of the energy [J] above its least value so far, and what is lost, with all joints at `speed`.

    Without drives and without limits of the joints, which would store energy; without gravity, so that all of it is
    kinetic but for the springs that stand for constant torques.
    """
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.gravity[:] = 0.0
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    model.jnt_stiffness[:] = 0.0
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    data = mujoco.MjData(model)
    data.qvel[:] = speed
    mujoco.mj_forward(model, data)
    first = least = float(data.energy.sum())
    most = 0.0
    for _ in range(round(seconds / STEP)):
        mujoco.mj_step(model, data)
        energy = float(data.energy.sum())
        least = min(least, energy)
        most = max(most, energy - least)
    return most, first - energy


def solid_arm(friction=None):
    """The simulated arm with bodies that MuJoCo takes."""
    robot = simulated_arm.arm()
    bodies = []
    for body in robot.bodies:
        ball = Inertia.from_center_of_mass(1.0, (0.4, 0.0, 0.0), np.diag([0.05, 0.06, 0.07]).tolist())
        joint = body.joint if friction is None else dataclasses.replace(body.joint, friction=friction)
        bodies.append(dataclasses.replace(body, inertia=ball, joint=joint))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def test_an_identified_arm_never_gains_energy(tmp_path):
    """A log whose friction is 0.2 + 0.5 v - 0.3 v^2, which drives beyond 2 rad/s: the fitted one never does."""
    log = simulated_arm.log()
    robot = solid_arm()
    bent = dataclasses.replace(log, tau=log.tau - 0.3 * log.qd * np.abs(log.qd))
    options = dataclasses.replace(simulated_arm.QUICK, friction=FrictionModel.CURVED)
    found = identify(robot, bent, options=options).robot
    (path,) = write_mjcf(found, tmp_path / "arm.xml")
    rise, lost = gain(path.read_text(), 3.6, 1.0)
    assert lost > 0.1
    assert rise < 1e-4 * lost
    # What the fit would be without its bounds.
    planted = mjcf_text(solid_arm(Friction.of({"viscous": 0.5, "coulomb": 0.2, "curved": 0.3})))
    planted = planted.replace('damping="0.5 0.3 0.0"', 'damping="0.5 -0.3 0.0"')
    assert gain(planted, 3.6, 1.0)[0] > 0.5


@pytest.mark.slow
def test_the_identified_lwr4_never_gains_energy():
    """Fitted without bounds it was driven above 1.18, 0.90, 1.33 and 0.54 rad/s at joints 2, 3, 5 and 7."""
    robot, logs = real_logs.lwr4()
    options = IdentifyOptions()
    estimate = identify(robot, logs, options=options)
    found = fit_files(estimate, robot, logs, logs, options=options)
    assert found.errors[MJCF] < 0.023
    text = mjcf_text(found.mujoco.robot)
    for speed in (0.5, 1.5, 3.0, -3.0):
        rise, lost = gain(text, speed, 2.0)
        assert lost > 0.0
        assert rise < 1e-4 * lost


@pytest.mark.slow
def test_mujoco_computes_the_torques_that_the_tx40_had():
    """mj_inverse along the log: with MuJoCo's own solreffriction the error is half as large again."""
    robot, logs = real_logs.tx40()
    options = IdentifyOptions(transmission=real_logs.TX40.transmission)
    estimate = identify(robot, logs, options=options)
    found = fit_files(estimate, robot, logs, logs, options=options)
    samples = prepare(logs[0], cutoff=estimate.cutoff)
    text = mjcf_text(found.mujoco.robot)

    def error(text: str) -> float:
        torque = samples.low_passed(inverse(text, samples.q, samples.qd, samples.qdd))[samples.used]
        tau = samples.tau[samples.used]
        return float(np.linalg.norm(tau - torque) / np.linalg.norm(tau))

    assert error(text) < 0.043
    assert error(text) < found.errors[MJCF] + 0.002
    assert error(text.replace(' solreffriction="0.004 1"', "")) > 0.06


def inverse(text: str, q, qd, qdd):
    """MuJoCo's inverse dynamics (N, n)."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    found = np.empty_like(q)
    for k in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], qd[k], qdd[k]
        mujoco.mj_inverse(model, data)
        found[k] = data.qfrc_inverse
    return found
