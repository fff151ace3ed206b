"""Export fits: an estimate refitted with the parameters that each file format can express, and its error.

(1)  generated programs express all but recorded columns, which have no formula: the model is refitted without them.
     Friction with memory is a function with state, `total_torque_step`
(2)  MuJoCo has damping up to the third power of the speed, friction loss, armature and constant torques: the friction
     is refitted with these terms only, with the powers that predict best (cross-validation)
(3)  URDF has inertias, damping and friction; the side file beside it has all of (1). A reader of the URDF alone gets
     the inertias of (1) and the nonnegative damping and friction that best fit the remaining torque

The error is that of the report: |tau - predicted|/|tau| over all joints and used samples, both low-passed; the
torques are computed by the program that reads the file:

(4)  C: generated, compiled and called sample by sample, with its state where friction has memory; without a C compiler
     the native callable, which is the same program
(5)  URDF without its drives file: Pinocchio's inverse dynamics, damping and friction of the file added
(6)  MJCF: MuJoCo's inverse dynamics, with its constraints: friction, limits of joints

Without Pinocchio or MuJoCo, the torques are computed by the written robot itself.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from torquec.dynamics.friction import PLAIN_TERMS
from torquec.dynamics.friction_memory import friction_start, has_memory, memory_size
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.total_torque import total_torque
from torquec.foundation.arrays import Array
from torquec.identification.extras import need
from torquec.identification.identify import identify
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.logs.prepare import Samples, prepare
from torquec.identification.open_logs import LogOrPath
from torquec.identification.result.estimate import Estimate, identified_model
from torquec.identification.torque.friction_law import FrictionLaw, FrictionModel, Turnover
from torquec.identification.torque.torque_columns import GasSpring
from torquec.model.generate import generate
from torquec.model.model import Model
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, Robot
from torquec.robot.write_mjcf import write_mjcf
from torquec.robot.write_urdf import write_urdf
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap

OURS = "Torquec"
_COMPILERS = ("cc", "gcc", "clang")
_SECONDS = 120.0  # for compiling the torques of a large robot on a slow machine

Torques = Callable[[Samples], Array]
"""Torques (N, n) along samples, not filtered."""
CODE = "code, model, URDF with its drives file"
URDF_ALONE = "URDF without its drives file"
MJCF = "MJCF"
"""Name of the format in the table of errors."""


_MUJOCO_TERMS = ("curved", "cubic")
"""Friction terms of MuJoCo besides the plain ones, in the order in which they are tried."""


class FileWords(StrEnum):
    """The file format whose parameters an estimate is restricted to."""

    PROGRAM = "program"
    MUJOCO = "mujoco"


@dataclass(frozen=True, eq=False)
class FileFits:
    """An estimate as generated programs, MuJoCo (None unless requested) and URDF alone can express it.

    It is the estimate itself where the format expresses all of it. `dynamics` is the URDF friction by joint; `errors`
    are those of the report and of the written files, by name, `joint_errors` those of each joint, relative to the
    variation of its torque; `readers` are the programs that computed the torques of the written files.
    """

    program: Estimate
    mujoco: Estimate | None
    dynamics: dict[str, Friction]
    errors: dict[str, float]
    joint_errors: dict[str, dict[str, float]]
    readers: dict[str, str]


def fit_files(
    estimate: Estimate,
    robot: Robot,
    logs: Sequence[LogOrPath],
    shown: Sequence[Log],
    *,
    log_map: LogMap | None = None,
    options: IdentifyOptions,
    mujoco: bool = True,
) -> FileFits:
    """The estimate of `logs` refitted for every file format (1)-(3); (2) only with `mujoco`.

    `robot`, `log_map` and `options` are those of the estimate, `shown` the logs (or their beginnings) in memory, on
    which the errors are computed. Raises as `identify` does.
    """
    samples = [
        prepare(log, cutoff=estimate.cutoff, slowest=options.slowest, derivatives=options.derivatives) for log in shown
    ]
    fits: dict[FileWords, Estimate] = {}
    for words in FileWords if mujoco else (FileWords.PROGRAM,):
        known = next((fit for fit in (estimate, *fits.values()) if _is_said(fit, words)), None)
        fits[words] = known or _refitted(
            [
                partial(identify, robot, logs, log_map=log_map, options=how)
                for how in _narrowed(estimate, options, words)
            ]
        )
    program = fits[FileWords.PROGRAM]
    dynamics = dynamics_words(program.robot, samples)
    alone = _without_drives(program.robot, dynamics)
    # Physically inconsistent bodies have no robot file, and readers may refuse them.
    solid = program.realization.physically_consistent
    readers = {
        CODE: code_reader(identified_model(program)),
        URDF_ALONE: (urdf_reader(alone, dynamics) if solid else None) or _own_reader(alone),
    }
    if mujoco:
        readers[MJCF] = mjcf_reader(fits[FileWords.MUJOCO].robot) or _own_reader(fits[FileWords.MUJOCO].robot)
    torques = {
        "report": [(one, estimate.model.regressor(one) @ estimate.x) for one in samples],
        **{what: _filtered(reader.torques, samples) for what, reader in readers.items()},
    }
    joints = estimate.model.robot.joint_names
    return FileFits(
        program,
        fits.get(FileWords.MUJOCO),
        dynamics,
        {name: _error(own) for name, own in torques.items()},
        {name: dict(zip(joints, _joint_errors(own).tolist(), strict=True)) for name, own in torques.items()},
        {name: reader.name for name, reader in readers.items()},
    )


def torque_error(robot: Robot, samples: Sequence[Samples]) -> float:
    """The error of a robot's total torques on samples, low-passed with the filter of the measured torques."""
    return _error(_filtered(_own_reader(robot).torques, samples))


def dynamics_words(robot: Robot, samples: Sequence[Samples]) -> dict[str, Friction]:
    """URDF damping and friction of every joint: the nonnegative best fit beside the torques of the bodies (3)."""
    optimize = need("scipy.optimize", "fitting friction")
    bodies = _without_drives(robot, {})
    rests, speeds, signs = (
        np.concatenate(parts)
        for parts in zip(
            *(
                (
                    (one.tau - one.low_passed(_along(inverse_dynamics, bodies, one)))[one.used],
                    one.low_passed(one.qd)[one.used],
                    one.low_passed(np.sign(one.qd))[one.used],
                )
                for one in samples
            ),
            strict=True,
        )
    )
    words = {}
    for j, joint in enumerate(robot.joints):
        columns = np.column_stack([speeds[:, j], signs[:, j]])
        viscous, coulomb = optimize.nnls(columns, rests[:, j])[0]
        words[joint.name] = Friction.symmetric(float(viscous), float(coulomb))
    return words


def _is_said(estimate: Estimate, words: FileWords) -> bool:
    """Whether a file format can express all of an estimate."""
    if words is FileWords.PROGRAM:
        return not estimate.unbound
    law = estimate.model.friction
    plain = set(law.parameters) <= {*PLAIN_TERMS, *_MUJOCO_TERMS} and law.shape.turnover is Turnover.STEP
    return plain and not estimate.model.columns


def _refitted(fits: Sequence[Callable[[], Estimate]]) -> Estimate:
    """The fit that predicts best; of equals, the first."""
    return min((fit() for fit in fits), key=lambda found: found.validation_error)


def _narrowed(estimate: Estimate, options: IdentifyOptions, words: FileWords) -> list[IdentifyOptions]:
    """Options restricted to a file format, with the filter of the estimate; fewer friction terms first."""
    if words is FileWords.PROGRAM:
        columns = tuple(column for column in options.columns if isinstance(column, GasSpring))
        law = estimate.model.friction
        return [dataclasses.replace(options, cutoff=estimate.cutoff, columns=columns, friction=law)]
    parameters = estimate.model.friction.parameters
    fewer = (FrictionModel.NONE, FrictionModel.VISCOUS, FrictionModel.SYMMETRIC)
    plain = next((model for model in fewer if model.parameters == parameters), None)
    count = range(len(_MUJOCO_TERMS) + 1)
    laws = [FrictionLaw((*PLAIN_TERMS, *_MUJOCO_TERMS[:k])) for k in count] if plain is None else [plain]
    return [dataclasses.replace(options, cutoff=estimate.cutoff, columns=(), friction=law) for law in laws]


def _without_drives(robot: Robot, dynamics: dict[str, Friction]) -> Robot:
    """The robot as URDF alone describes it: bodies, damping and friction."""
    bodies = tuple(
        dataclasses.replace(
            body,
            joint=dataclasses.replace(
                body.joint, friction=dynamics.get(body.joint.name, Friction()), spring=None, counterbalances=()
            ),
        )
        for body in robot.bodies
    )
    return dataclasses.replace(robot, bodies=bodies, drives=Drives())


def _along(torque: Callable[..., Sequence[Any]], robot: Robot, samples: Samples) -> Array:
    """Torques (N, n) of a robot along samples, all at once and not compiled, which pays for a single pass."""
    rows = torque(robot, samples.q.T, samples.qd.T, samples.qdd.T)
    return np.column_stack([np.broadcast_to(row, len(samples)) for row in rows])


def _own_reader(robot: Robot) -> FileReader:
    return FileReader(OURS, partial(step_torques if has_memory(robot) else partial(_along, total_torque), robot))


def _filtered(torques: Torques, samples: Sequence[Samples]) -> list[tuple[Samples, Array]]:
    """Torques along samples, low-passed like the measured ones."""
    return [(one, one.low_passed(torques(one))) for one in samples]


def _error(predicted: Sequence[tuple[Samples, Array]]) -> float:
    squares = sum(float(((one.tau - torque)[one.used] ** 2).sum()) for one, torque in predicted)
    return float(np.sqrt(squares / sum(float((one.tau[one.used] ** 2).sum()) for one, _ in predicted)))


def _joint_errors(predicted: Sequence[tuple[Samples, Array]]) -> Array:
    """Root mean square errors (n,) relative to the variation of the measured torques about their means."""
    wrong = np.concatenate([(one.tau - torque)[one.used] for one, torque in predicted])
    tau = np.concatenate([one.tau[one.used] for one, _ in predicted])
    found: Array = np.sqrt((wrong**2).mean(axis=0)) / np.maximum(tau.std(axis=0), np.finfo(float).tiny)
    return found


@dataclass(frozen=True, eq=False)
class FileReader:
    """A program that reads a file, and the torques that it computes."""

    name: str
    torques: Torques


def code_reader(model: Model) -> FileReader:
    """(4) for the total torques of a model."""
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
    """(5) for a robot with this URDF friction; None without Pinocchio, or where it cannot read the robot."""
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
    """(6) for a robot; None without MuJoCo, or where MuJoCo's joints differ."""
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
