"""Identification on floating bases: base parameters, rotors and friction from motions with base pose, twist and wrench.

The base is not actuated, so its six rows are equations without motor torques:

(1)  Y_b(q, qd, qdd) beta + F(qd) f = tau + sum of J_k' w_k     tau = 0 in the rows of the base
(2)  w_k is a measured wrench on a frame (a force plate under a foot); in flight there is none, and the joint torques
     alone set the scale
(3)  a wrench on a fixed frame (a plate under several feet) is transformed to the base: only the six rows of the base
     remain of (1); they determine all base parameters of bodies (Ayusawa, Venture, Nakamura 2014)
(4)  both sides pass the same low pass; rates that were not recorded are differences on the manifold, accelerations
     central differences of the filtered rates
(5)  weighted least squares: the weight of a row is one over the root mean square of its residual, found by iteration;
     rows of the base and of joints are then weighted by their accuracy
(6)  standard deviations from the residuals, with 2 x cut-off independent samples per second
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.foundation.one_thread import one_thread
from torquec.foundation.reading import to_path
from torquec.identification.logs.prepare import central_difference, choose_cutoff, correlation_of, low_pass, thinning
from torquec.identification.result.estimate import bind_parameters
from torquec.identification.result.realization import Realization, realize
from torquec.identification.torque.friction_law import FrictionModel, friction_block
from torquec.identification.torque.torque_model import TorqueModel, torque_model
from torquec.robot.configuration import difference, normalised
from torquec.robot.joints import JointType
from torquec.robot.robot import BASE, Robot
from torquec.trajectory.log import LogFinding
from torquec.trajectory.log_formats import log_format

_EDGE = 0.5
"""Seconds at each end that are not used: filter transients."""

_REWEIGHTED = 4
"""Repetitions of (5): weights settle to a few per cent in two."""

_LOST = 1e-9
"""Smallest singular value of the unit columns that counts as excited."""

_WEAK = 1e-6
"""Smallest residual relative to the largest that is used for weights, so that weights stay bounded."""


@dataclass(frozen=True, eq=False)
class MotionLog:
    """Times t (N,), positions q (N, nq), torques tau (N, nv); rates and accelerations (N, nv) where recorded.

    `wrenches` are those on named frames (N, 6): force, then moment about the frame's origin, in world axes. Elements
    of tau that belong to the base are ignored: nothing drives it.
    """

    t: Array
    q: Array
    tau: Array | None
    qd: Array | None = None
    qdd: Array | None = None
    wrenches: Mapping[str, Array] = field(default_factory=dict)
    source: str = ""

    @property
    def rate(self) -> float:
        """Samples per second [Hz]."""
        return float((len(self.t) - 1) / (self.t[-1] - self.t[0]))


@dataclass(frozen=True, eq=False)
class MotionEstimate:
    """Result of `identify_motion`: parameters x (k,) of the torque model by name, covariance, and quality of fit.

    `rows` are the names of the rates whose rows were used, `rms` the residual of each [N or N m], `condition` the
    condition number of the unit columns.
    """

    model: TorqueModel
    x: Array
    covariance: Array
    rows: tuple[str, ...]
    rms: Mapping[str, float]
    relative_error: float
    condition: float
    cutoff: float
    samples: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of x."""
        return self.model.names

    @property
    def std(self) -> Array:
        """Standard deviations (k,)."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @cached_property
    def realization(self) -> Realization:
        """The bodies with parameters x nearest to the robot's own, and whether all are physically consistent."""
        return realize(self.model, self.x)

    @property
    def robot(self) -> Robot:
        """The robot with the identified bodies, rotors and friction."""
        return bind_parameters(self.model, self.realization.standard)


def read_motion_log(path: str | os.PathLike[str], robot: Robot) -> MotionLog:
    """A log with columns t, q_NAME of all positions, and qd_NAME, qdd_NAME, tau_NAME of all rates; see `write_motion`.

    Columns qd_NAME, qdd_NAME and, of the base, tau_NAME may be left out. Wrenches are force_FRAME_x .. z and
    moment_FRAME_x .. z. Raises `ArgumentError` for missing columns or numbers, and times that do not rise evenly.
    """
    source = to_path(path)
    table = log_format(source).read(source, robot.joint_names, None)
    found: list[LogFinding] = []
    values = np.concatenate(list(table.blocks(found)))
    columns = {name: values[:, k] for k, name in enumerate(table.names)}

    def block(kind: str, names: Sequence[str], *, needed: bool) -> Array | None:
        lacking = [f"{kind}_{name}" for name in names if f"{kind}_{name}" not in columns]
        if lacking and (needed or len(lacking) < len(names)):
            raise ArgumentError(
                f"there is no column '{lacking[0]}'",
                where=str(source),
                remedy=f"a log of '{robot.name}' has t, {', '.join(f'q_{each}' for each in robot.position_names[:7])}, "
                f"..; the columns are {', '.join(table.names[:20])}",
            )
        return None if lacking else np.column_stack([columns[f"{kind}_{name}"] for name in names])

    driven = [each.name for each in robot.coordinates if each.joint.type is not JointType.FREE]
    torques = block("tau", driven, needed=False) if driven else None
    tau = None
    if torques is not None:
        tau = np.zeros((len(values), robot.nv))
        tau[:, [robot.coordinate_names.index(name) for name in driven]] = torques
    wrenches = {}
    for frame in robot.frames:
        names = [f"{kind}_{frame.name}_{axis}" for kind in ("force", "moment") for axis in "xyz"]
        if all(name in columns for name in names):
            wrenches[frame.name] = np.column_stack([columns[name] for name in names])
    q = block("q", robot.position_names, needed=True)
    assert q is not None
    if "t" not in columns:
        raise ArgumentError("there is no column 't'", where=str(source), remedy="name the column of times t")
    qd, qdd = (block(kind, robot.coordinate_names, needed=False) for kind in ("qd", "qdd"))
    return MotionLog(columns["t"], q, tau, qd, qdd, wrenches, str(source))


def identify_motion(
    robot: Robot,
    logs: Sequence[MotionLog] | MotionLog,
    *,
    cutoff: float | None = None,
    friction: FrictionModel | str = FrictionModel.SYMMETRIC,
    rotors: bool | None = None,
) -> MotionEstimate:
    """The parameters of a robot with a floating base from motions in flight, or with measured wrenches.

    `cutoff` [Hz] of the low pass is chosen from the data by default; `rotors`: whether rotor inertias are estimated, by
    default where the robot has any. Logs without torques, and those with a wrench on a fixed frame, use the rows of the
    base alone (3): friction and rotors are then not estimated. Raises `ArgumentError` for a robot without a free base,
    for logs that do not fit it, or that do not excite all parameters.
    """
    law = chosen(FrictionModel, friction, "friction")
    given = [logs] if isinstance(logs, MotionLog) else list(logs)
    base = robot.joints[0]
    if base.type is not JointType.FREE or robot.dependent:
        raise ArgumentError(
            f"robot '{robot.name}' has no floating base", remedy="load it with base='floating', or use identify"
        )
    for log in given:
        _check(robot, log)
    fixed = {frame.name for frame in robot.frames if frame.body == BASE}
    base_only = any(log.tau is None or fixed & log.wrenches.keys() for log in given)
    if base_only and not any(np.any(wrench) for log in given for wrench in log.wrenches.values()):
        raise ArgumentError(
            "nothing sets the scale: there are neither joint torques nor a wrench on the robot",
            where=given[0].source,
            remedy="record joint torques (tau_NAME), or the wrench of force plates (force_FRAME_x .. moment_FRAME_z)",
        )
    rows = list(range(base.kind.nv if base_only else robot.nv))
    with_rotors = bool(robot.drives.motors) if rotors is None else rotors
    model = torque_model(robot, friction=FrictionModel.NONE if base_only else law, rotors=with_rotors and not base_only)
    with one_thread():
        frequency = cutoff if cutoff is not None else max(_cutoff(robot, log) for log in given)
        parts = [_equations(model, log, frequency, rows) for log in given]
        a, b = (np.concatenate([part[k] for part in parts]) for k in range(2))
        seconds = sum(len(part[1]) * part[2] for part in parts)
        return _solved(model, a, b, rows, frequency, correlation_of(len(b), seconds, frequency))


def _check(robot: Robot, log: MotionLog) -> None:
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv, "tau": robot.nv}
    for name, size in sizes.items():
        values = getattr(log, name)
        if values is not None and values.shape != (len(log.t), size):
            raise ArgumentError(
                f"'{name}' of the log has shape {values.shape}", where=log.source, remedy=f"give {(len(log.t), size)}"
            )
    arrays = [log.t, log.q, log.qd, log.qdd, log.tau, *log.wrenches.values()]
    if not all(np.isfinite(values).all() for values in arrays if values is not None):
        raise ArgumentError(
            "numbers are missing", where=log.source, remedy="cut the log where all columns are recorded"
        )
    steps = np.diff(log.t)
    if len(log.t) < 2 or not (steps > 0.0).all() or np.ptp(steps) > 0.5 * np.median(steps):
        raise ArgumentError("times do not rise evenly", where=log.source, remedy="resample the log to even times")
    for name in log.wrenches:
        robot.frame(name)


def _cutoff(robot: Robot, log: MotionLog) -> float:
    """Cut-off [Hz] chosen from the data: from positions other than quaternions, and from recorded rates."""
    turns = ("qw", "qx", "qy", "qz")
    numbers = [k for k, name in enumerate(robot.position_names) if name.rpartition("_")[2] not in turns]
    return choose_cutoff(log.q[:, numbers], log.rate, qd=log.qd)


def _equations(model: TorqueModel, log: MotionLog, cutoff: float, rows: Sequence[int]) -> tuple[Array, Array, float]:
    """Columns (N, rows, k) and right side (N, rows) of (1), filtered and decimated, and seconds per sample."""
    robot, rate = model.robot, log.rate
    q = np.array(normalised(robot, list(log.q.T))).T
    qd = log.qd
    if qd is None:
        ahead = [np.broadcast_to(x, len(q) - 2) for x in difference(robot, list(q[:-2].T), list(q[2:].T))]
        qd = 0.5 * rate * np.column_stack(ahead)
        qd = np.vstack([qd[:1], qd, qd[-1:]])
    smooth = low_pass(qd, rate, cutoff)
    qdd = central_difference(smooth, rate) if log.qdd is None else low_pass(log.qdd, rate, cutoff)
    right = np.zeros((len(q), robot.nv)) if log.tau is None else log.tau.copy()
    right[:, : robot.joints[0].kind.nv] = 0.0
    for name, wrench in log.wrenches.items():
        right += _generalized(model, name, q, wrench)
    friction = friction_block(model.shafts, model.friction, smooth)
    columns = np.concatenate([model.rigid(q, smooth, qdd), friction], axis=2)
    inside = (log.t >= log.t[0] + _EDGE) & (log.t <= log.t[-1] - _EDGE)
    step = thinning(rate, cutoff)
    kept = np.flatnonzero(inside)[::step]
    if len(kept) < 2:
        raise ArgumentError(
            f"no samples remain without {_EDGE:g} s at each end", where=log.source, remedy="record a longer motion"
        )
    left, right = (low_pass(values[:, rows], rate, cutoff)[kept] for values in (columns, right))
    return left, right, step / rate


def _generalized(model: TorqueModel, frame: str, q: Array, wrench: Array) -> Array:
    """J' w (N, nv) of a wrench in world axes; one on a fixed frame as that of the same frame on the base (3)."""
    robot = model.robot
    named, root = robot.frame(frame), next(each for each in robot.frames if each.body == 0)
    own = frame if named.body != BASE else root.name
    if named.body == BASE:
        at = frame_pose(robot, root.name, list(q.T)).origin
        ways = zip(named.pose.origin, at, strict=True)
        reach = np.column_stack([float(x) - np.broadcast_to(y, len(q)) for x, y in ways])
        moment = wrench[:, 3:] + np.cross(reach, wrench[:, :3])
        wrench = np.column_stack([wrench[:, :3], moment])
    jacobian = np.asarray(model.model.jacobian(own)(q))
    found: Array = np.einsum("nkj,nk->nj", jacobian, wrench)
    return found


def _solved(
    model: TorqueModel, a: Array, b: Array, rows: Sequence[int], cutoff: float, correlation: float
) -> MotionEstimate:
    """(5), (6)."""
    count, size = b.shape[0], a.shape[2]
    sizes = np.linalg.norm(a, axis=(0, 1))
    weights = 1.0 / np.maximum(np.sqrt((a**2).mean(axis=(0, 2))), 1e-300)
    for k in range(_REWEIGHTED):
        counted = weights
        left = (a * weights[:, None] / np.maximum(sizes, 1e-300)).reshape(-1, size)
        u, s, vt = np.linalg.svd(left, full_matrices=False)
        if k == 0 and s[-1] <= _LOST * s[0]:
            lost = [model.names[j] for j in np.argsort(-np.abs(vt[-1]))[:3]]
            raise ArgumentError(
                f"the motion does not excite all parameters: {', '.join(lost)} are not separated",
                remedy="move every joint and turn the base about every axis, fast enough for accelerations",
            )
        x = (vt.T / s) @ (u.T @ (b * weights).reshape(-1)) / sizes
        residual = b - a @ x
        rms = np.sqrt((residual**2).mean(axis=0))
        weights = 1.0 / np.maximum(rms, max(_WEAK * float(rms.max()), 1e-300))
    spread = float((residual**2 * counted**2).sum() / max(b.size / correlation - size, 1.0))
    inverse = (vt.T / s) / sizes[:, None]
    names = model.robot.coordinate_names
    return MotionEstimate(
        model=model,
        x=x,
        covariance=spread * (inverse @ inverse.T),
        rows=tuple(names[k] for k in rows),
        rms={names[k]: float(value) for k, value in zip(rows, rms, strict=True)},
        relative_error=float(np.linalg.norm(residual) / max(float(np.linalg.norm(b)), 1e-300)),
        condition=float(s[0] / s[-1]),
        cutoff=cutoff,
        samples=count,
    )
