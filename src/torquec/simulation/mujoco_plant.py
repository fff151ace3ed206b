"""MuJoCo as the plant (extra `mujoco`): the same closed loop on independent dynamics.

(1)  torques enter as generalized forces (`qfrc_applied`), MuJoCo integrates with its RK4; actuators, contacts and
     joint ranges of the file are switched off
(2)  the controller is the same native function, called once per sample

The joints keep the damping, friction loss and armature that the file gives them.
"""

from __future__ import annotations

import importlib
import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.control.controller import JOINT_REFERENCE, Controller
from torquec.errors import ArgumentError, DivergenceError, MissingExtraError
from torquec.foundation.arrays import Indices
from torquec.foundation.reading import to_path
from torquec.model.model import Model, as_model
from torquec.robot.mjcf import mujoco_warnings
from torquec.robot.mjcf_file import read_mjcf_tree
from torquec.robot.mjcf_strip import strip_mjcf, to_xml
from torquec.robot.robot import Robot
from torquec.simulation.simulation_result import KnownMotion, SimulationResult
from torquec.trajectory.trajectory import Trajectory

_DIVERGENCE_WARNINGS = ("mjWARN_BADQPOS", "mjWARN_BADQVEL", "mjWARN_BADQACC")
_OFF = ("mjDSBL_ACTUATION", "mjDSBL_CONTACT", "mjDSBL_LIMIT")


def simulate_on_mujoco(
    path: str | os.PathLike[str],
    source: Robot | Model,
    controller: Controller,
    trajectory: Trajectory,
    *,
    period: float | None = None,
    substeps: int = 1,
) -> SimulationResult:
    """Run the controller along the trajectory on the MJCF file at `path`; `source` is the same arm (same joint names).

    `period` [s] is the controller's, or the trajectory's, unless given; MuJoCo takes `substeps` steps in it. Raises
    `ArgumentError` where the joints do not match, `DivergenceError` for an unstable loop and
    `MissingExtraError` without the `mujoco` package.
    """
    try:
        mujoco = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtraError("mujoco", "mujoco", "simulating with MuJoCo") from None
    robot = as_model(source).robot
    if controller.reference != JOINT_REFERENCE:
        raise ArgumentError(
            f"'{controller.name}' is given a motion of frame '{controller.reference.frame}'",
            remedy="MuJoCo's loop gives motions of the joints; use simulate",
        )
    interval = period or controller.period or trajectory.period
    sampled = trajectory.sampled(interval)
    root, _ = strip_mjcf(read_mjcf_tree(to_path(path)))
    with mujoco_warnings(mujoco):
        model = mujoco.MjModel.from_xml_string(to_xml(root, keep_lines=False))
        order = _order(mujoco, model, robot, controller, trajectory)
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        model.opt.timestep = interval / substeps
        model.opt.gravity = robot.gravity
        for flag in _OFF:
            model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, flag))
        data = mujoco.MjData(model)
        data.qpos[order], data.qvel[order] = sampled.q[0], sampled.qd[0]
        return _run(_World(mujoco, model, data, order), robot, controller, sampled, substeps)


@dataclass(frozen=True, eq=False)
class _World:
    """MuJoCo, its model and state, and the indices of the robot's joints in it."""

    mujoco: Any
    model: Any
    data: Any
    order: Indices


def _run(world: _World, robot: Robot, controller: Controller, sampled: Trajectory, substeps: int) -> SimulationResult:
    """(1), (2)."""
    mujoco, model, data, order = world.mujoco, world.model, world.data, world.order
    steps, n = len(sampled) - 1, robot.n
    efforts = np.array([joint.limits.effort for joint in robot.joints])
    q, qd, qdd, tau = (np.empty((rows, n)) for rows in (steps + 1, steps + 1, steps + 1, steps))
    memory = controller.initial_state
    warnings = [getattr(mujoco.mjtWarning, name) for name in _DIVERGENCE_WARNINGS]
    began = time.thread_time()
    for k in range(steps + 1):
        q[k], qd[k] = data.qpos[order], data.qvel[order]
        lost = [data.warning[warning] for warning in warnings if data.warning[warning].number]
        if lost:  # MuJoCo has put the robot back to its first position
            joint = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, int(lost[0].lastinfo))
            raise DivergenceError(
                f"the simulation diverged: joint '{joint}' is no longer finite before t = {sampled.t[k]:g} s",
                remedy="use slower poles or lower gains, or sample faster",
            )
        if k == steps:
            mujoco.mj_forward(model, data)
            qdd[k] = data.qacc[order]
            break
        inputs: list[Any] = [sampled.q[k], sampled.qd[k], sampled.qdd[k], q[k], qd[k]]
        if controller.schedule is not None:
            inputs.append(controller.schedule.at(float(sampled.t[k])))
        if controller.slots:
            tau[k], memory = controller.native.call(*inputs, memory)
        else:
            tau[k] = controller.native.call(*inputs)
        data.qfrc_applied[order] = np.clip(tau[k], -efforts, efforts)
        mujoco.mj_forward(model, data)
        qdd[k] = data.qacc[order]
        for _ in range(substeps):
            mujoco.mj_step(model, data)
    seconds = time.thread_time() - began
    error = sampled.q - q
    return SimulationResult(
        joints=sampled.joints,
        t=sampled.t,
        q=q,
        qd=qd,
        motion=KnownMotion(qdd),
        q_ref=sampled.q,
        qd_ref=sampled.qd,
        qdd_ref=sampled.qdd,
        tau=tau,
        measured=q[:-1],
        measured_speed=qd[:-1],
        rmse_values=np.sqrt((error**2).mean(axis=0)),
        max_error_values=np.abs(error).max(axis=0),
        saturated_samples=(np.abs(tau) >= efforts).sum(axis=0).astype(np.float64),
        efforts=tuple(efforts.tolist()),
        steps=steps,
        seconds=seconds,
    )


def _order(mujoco: Any, model: Any, robot: Robot, controller: Controller, trajectory: Trajectory) -> Indices:
    """The indices of the robot's joints in MuJoCo's state."""
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k) for k in range(model.njnt)]
    for what, joints in (("controller", controller.joints), ("trajectory", trajectory.joints), ("file", tuple(names))):
        if sorted(map(str, joints)) != sorted(robot.joint_names) or (what != "file" and joints != robot.joint_names):
            raise ArgumentError(
                f"the joints of the {what} are {', '.join(map(str, joints))}",
                remedy=f"the robot's are {', '.join(robot.joint_names)}",
            )
    return np.array([names.index(name) for name in robot.joint_names], dtype=np.int64)
