"""Torques of exported files along samples, computed by the programs that read them: generated C, Pinocchio, MuJoCo.

(1)  C: generated, compiled and called sample by sample, with its state where friction has memory; without a C compiler
     the native callable, which is the same program
(2)  URDF without its drives file: Pinocchio's inverse dynamics, damping and friction of the file added
(3)  MJCF: MuJoCo's inverse dynamics, with its constraints: friction, limits of joints

Without Pinocchio or MuJoCo, the torques are those of the robot that is written.
"""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from torquec.dynamics.friction_memory import friction_start, has_memory, memory_size
from torquec.foundation.arrays import Array
from torquec.identification.logs.prepare import Samples
from torquec.model.generate import generate
from torquec.model.model import Model
from torquec.robot.friction import Friction
from torquec.robot.robot import Robot
from torquec.robot.write_mjcf import write_mjcf
from torquec.robot.write_urdf import write_urdf

OURS = "Torquec"
_COMPILERS = ("cc", "gcc", "clang")
_SECONDS = 120.0  # for compiling the torques of a large robot on a slow machine

Torques = Callable[[Samples], Array]
"""Torques (N, n) along samples, not filtered."""


@dataclass(frozen=True, eq=False)
class FileReader:
    """A program that reads a file, and the torques that it computes."""

    name: str
    torques: Torques


def code_reader(model: Model) -> FileReader:
    """(1) for the total torques of a model."""
    compiler = next((found for found in map(shutil.which, _COMPILERS) if found), None)
    remembers = has_memory(model.robot)
    if compiler is None and remembers:
        return FileReader(f"{OURS}, native", partial(step_torques, model.robot))
    if compiler is None:
        native = model.native("total_torque")
        return FileReader(f"{OURS}, native", lambda one: np.asarray(native(*_states(one)), dtype=np.float64))
    with tempfile.TemporaryDirectory() as folder:
        package = generate(
            model, folder, quantities=["total_torque_step" if remembers else "total_torque"], prefix="found", force=True
        )
        sources = [str(file) for file in package.files if file.suffix == ".c" and "test" not in file.name]
        library = str(Path(folder) / "found.so")
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", library, *sources, "-lm"]
        subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)  # noqa: S603 - our own code
        code = ctypes.CDLL(library)
    function = code.found_total_torque_step if remembers else code.found_total_torque
    function.argtypes, function.restype = [ctypes.c_void_p] * (6 if remembers else 4), None

    def torques(samples: Samples) -> Array:
        states = _states(samples)
        tau = np.empty_like(states[1])
        arguments = [*states, tau]
        if remembers:  # the state after a sample is the next one's
            memory = np.empty((len(samples) + 1, memory_size(model.robot)))
            memory[0] = friction_start(model.robot, samples.q[0].tolist())
            arguments = [*states, memory, tau, memory[1:]]
        rows = [(values.ctypes.data, values.strides[0]) for values in arguments]
        for k in range(len(samples)):
            function(*(start + k * step for start, step in rows))
        return tau

    return FileReader(f"C compiled by {Path(compiler).name}", torques)


def step_torques(robot: Robot, samples: Samples) -> Array:
    """Torques (N, n) of `total_torque_step` from sample to sample, from the first one on."""
    step, tau = Model(robot).native("total_torque_step"), np.empty_like(samples.q)
    state = np.array(friction_start(robot, samples.q[0].tolist()), dtype=np.float64)
    for k, row in enumerate(zip(samples.q, samples.qd, samples.qdd, strict=True)):
        tau[k], state = step.call(*map(np.ascontiguousarray, row), state)
    return tau


def urdf_reader(robot: Robot, dynamics: dict[str, Friction]) -> FileReader | None:
    """(2) for a robot with this URDF friction; None without Pinocchio, or where it cannot read the robot."""
    if not _is_installed("pinocchio") or robot.nq != robot.n:
        return None
    pinocchio: Any = importlib.import_module("pinocchio")
    with tempfile.TemporaryDirectory() as folder:
        path = write_urdf(robot, Path(folder) / "robot.urdf", dynamics=dynamics)[0]
        model = pinocchio.buildModelFromUrdf(str(path))
    if model.nv != robot.n or model.nq != robot.n:  # mimic or continuous joints
        return None
    model.gravity.linear = np.array(robot.gravity)
    data = model.createData()
    order = [robot.joint_names.index(name) for name in model.names if name in robot.joint_names]
    damping, friction = np.array(model.damping), np.array(model.upperDryFrictionLimit)

    def torque(q: Array, qd: Array, qdd: Array) -> Array:
        found: Array = pinocchio.rnea(model, data, q, qd, qdd) + damping * qd + friction * np.sign(qd)
        return found

    return FileReader(f"Pinocchio {pinocchio.__version__}", _row_by_row(torque, order))


def mjcf_reader(robot: Robot) -> FileReader | None:
    """(3) for a robot; None without MuJoCo, or where MuJoCo's joints differ."""
    if not _is_installed("mujoco") or robot.nq != robot.n:
        return None
    mujoco: Any = importlib.import_module("mujoco")
    with tempfile.TemporaryDirectory() as folder:
        path = write_mjcf(robot, Path(folder) / "robot.xml")[0]
        model = mujoco.MjModel.from_xml_path(str(path))
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k) for k in range(model.njnt)]
    if sorted(names) != sorted(robot.joint_names):
        return None
    data = mujoco.MjData(model)

    def torque(q: Array, qd: Array, qdd: Array) -> Array:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        found: Array = data.qfrc_inverse
        return found

    order = [robot.joint_names.index(name) for name in names]
    return FileReader(f"MuJoCo {mujoco.__version__}", _row_by_row(torque, order))


def _row_by_row(torque: Callable[[Array, Array, Array], Array], order: Sequence[int]) -> Torques:
    """Torques along samples from those of one state, whose joints are in another `order`."""

    def torques(samples: Samples) -> Array:
        states = _states(samples)
        tau = np.empty_like(states[1])
        for k, (q, qd, qdd) in enumerate(zip(*states, strict=True)):
            tau[k, order] = torque(q[order], qd[order], qdd[order])
        return tau

    return torques


def _states(samples: Samples) -> list[Array]:
    return [np.ascontiguousarray(values, dtype=np.float64) for values in (samples.q, samples.qd, samples.qdd)]


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
