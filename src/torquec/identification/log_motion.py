"""The motion in a log against itself and against the robot's own model: signs, order, units, gravity.

(1)  smooth speeds and accelerations from moving averages of the positions, good enough to compare, not to fit
(2)  correlation of every recorded speed with every derivative of a position, and of every torque with every torque of
     the model; two columns are exchanged when they explain each other clearly better than themselves
(3)  tau = T_x g_x + T_y g_y + T_z g_z + rest: T_k the model's torque of unit gravity along k, the rest inertia,
     Coulomb and viscous friction and an offset per joint; least squares in g
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from torquec.dynamics import gravity_torque, inverse_dynamics, total_torque
from torquec.identification.prepare import clean_rows
from torquec.robot.robot import JointType, Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity
from torquec.trajectory.trajectory import Array

_MOST = 2000
_SURE = 0.8
_CLEARLY = 0.3
_TURN = 2.0 * math.pi
_DEGREE = 180.0 / math.pi
_TILT = math.radians(35.0)


@dataclass(frozen=True, eq=False)
class Motion:
    """(1): `rows` (M,) of the log, times t (M,), q, qd, qdd, tau (M, n)."""

    rows: np.ndarray[tuple[int], np.dtype[np.int64]]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array


def log_motion(log: Log) -> Motion | None:
    """The smoothed motion of the whole rows; None where there are too few."""
    rows = np.flatnonzero(clean_rows(log))
    if len(rows) < 20:
        return None
    t, q, tau = log.t[rows], log.q[rows], log.tau[rows]
    width = max(1, min(len(rows) // 20, round(0.1 / max(float(np.median(np.diff(t))), 1e-9))))
    q, tau = _averaged(q, width), _averaged(tau, width)
    qd = _averaged(np.gradient(q, t, axis=0), width)
    qdd = _averaged(np.gradient(qd, t, axis=0), width)
    return Motion(rows, t, q, qd, qdd, tau)


def check_positions(robot: Robot, log: Log, motion: Motion) -> list[LogFinding]:
    """Full turns between neighbours, and degrees."""
    found = []
    for j, name in enumerate(log.joints):
        if robot.joints[j].type.is_prismatic:
            continue
        values = log.q[motion.rows, j]
        jumps = np.diff(values)
        for turn, unit in ((_TURN, "radians"), (360.0, "degrees")):
            wraps = np.flatnonzero(np.abs(np.abs(jumps) - turn) < 0.1 * turn)
            if len(wraps) and np.median(np.abs(jumps)) < 0.01 * turn:
                text = f"jumps by a full turn (in {unit}) {len(wraps)} times: unwrap it"
                rows = (int(motion.rows[wraps[0]]), int(motion.rows[wraps[-1]] + 1))
                found.append(LogFinding(Pathology.WRAP, Severity.ERROR, text, f"q of {name}", rows))
    limits = [joint.limits for joint in robot.joints]
    most = np.abs(log.q[motion.rows]).max(axis=0)
    reach = np.array(
        [max(abs(lim.lower), abs(lim.upper)) if math.isfinite(lim.upper - lim.lower) else 2.0 * _TURN for lim in limits]
    )
    rotary = np.array([not joint.type.is_prismatic for joint in robot.joints])
    bounded = np.array([joint.type is not JointType.CONTINUOUS for joint in robot.joints])
    beyond = rotary & bounded & (most > 2.0 * np.maximum(reach, 1.0))
    if np.any(beyond) and np.all(most[rotary] / _DEGREE <= 1.1 * np.maximum(reach[rotary], 1.0)):
        j = int(np.argmax(beyond))
        text = f'reaches {most[j]:.4g}, the limit is {reach[j]:.3g} rad: these are degrees (angle = "deg" in a map)'
        found.append(LogFinding(Pathology.UNITS, Severity.ERROR, text, f"q of {log.joints[j]}"))
    return found


def check_speeds(log: Log, motion: Motion) -> list[LogFinding]:
    """(2) for recorded speeds."""
    if log.qd is None:
        return []
    recorded = _averaged(log.qd[motion.rows], max(1, len(motion.rows) // 200))
    smooth = _averaged(motion.qd, max(1, len(motion.rows) // 200))
    found = _compared(recorded, smooth, log.joints, "qd", "the derivative of the position")
    if found:
        return found
    for j, name in enumerate(log.joints):
        a, b = smooth[:, j], recorded[:, j]
        if _correlation(a, b) < _SURE:
            continue
        ratio = float(np.linalg.norm(b) / np.linalg.norm(a))
        if ratio > 5.0 or ratio < 0.2:
            guess = " (degrees)" if abs(math.log(ratio / _DEGREE)) < 0.2 else ""
            guess = " (radians, the positions degrees)" if abs(math.log(ratio * _DEGREE)) < 0.2 else guess
            text = f"is {ratio:.4g} times the derivative of the position{guess}"
            found.append(LogFinding(Pathology.UNITS, Severity.ERROR, text, f"qd of {name}"))
    return found


def check_torques(robot: Robot, log: Log, motion: Motion) -> list[LogFinding]:
    """(2) for torques, and their size, where the robot has inertias to compare with."""
    if any(not any(body.inertia.parameters) for body in robot.bodies):
        return []
    few = _thinned(motion)
    model = np.stack(
        [
            np.broadcast_to(values, len(few.t))
            for values in total_torque(robot, list(few.q.T), list(few.qd.T), list(few.qdd.T))
        ],
        axis=1,
    )
    found = _compared(few.tau, model, log.joints, "tau", "the torque of the robot's own model")
    if found:
        return found
    size = np.linalg.norm(few.tau) / max(float(np.linalg.norm(model)), 1e-12)
    if size > 20.0 or size < 0.05:
        text = (
            f"torques are {size:.3g} times those of the robot's own model: are they the motors', currents, or in "
            "other units? A map can say so (gear_ratios, gains)"
        )
        found.append(LogFinding(Pathology.UNITS, Severity.WARNING, text, "tau"))
    return found


def check_gravity(robot: Robot, motion: Motion) -> list[LogFinding]:
    """(3)."""
    if any(not any(body.inertia.parameters) for body in robot.bodies) or not any(robot.gravity):
        return []
    few = _thinned(motion)
    n, m = robot.n, len(few.t)
    states = [list(values.T) for values in (few.q, few.qd, few.qdd)]
    still = dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0))
    moved = np.stack([np.broadcast_to(v, m) for v in inverse_dynamics(still, *states)], axis=1)
    pulls = []
    for axis in np.eye(3):
        turned = dataclasses.replace(robot, gravity=(float(axis[0]), float(axis[1]), float(axis[2])))
        pulls.append(np.stack([np.broadcast_to(v, m) for v in gravity_torque(turned, states[0])], axis=1))
    columns = [pull.ravel() for pull in pulls] + [moved.ravel()]
    for j in range(n):
        for values in (np.sign(few.qd[:, j]), few.qd[:, j], np.ones(m)):
            block = np.zeros((m, n))
            block[:, j] = values
            columns.append(block.ravel())
    a, b = np.stack(columns, axis=1), few.tau.ravel()
    norms = np.linalg.norm(a, axis=0)
    if np.any(norms[:3] <= 1e-6 * norms[:3].max()):
        return []  # some direction of gravity has no effect on this motion
    x = np.linalg.lstsq(a, b, rcond=None)[0]
    expected = np.array(robot.gravity)
    g = x[:3]
    angle = math.acos(float(np.clip(g @ expected / (np.linalg.norm(g) * np.linalg.norm(expected) + 1e-300), -1.0, 1.0)))
    fixed = np.column_stack([a[:, :3] @ expected, a[:, 3:]])
    left = b - fixed @ np.linalg.lstsq(fixed, b, rcond=None)[0]
    given = b - fixed[:, 0] - fixed[:, 1:] @ np.linalg.lstsq(fixed[:, 1:], b - fixed[:, 0], rcond=None)[0]
    best = float(np.linalg.norm(b - a @ x))
    if angle > _TILT and best < 0.5 * min(float(np.linalg.norm(left)), float(np.linalg.norm(given))):
        text = (
            f"the torques ask for gravity along ({g[0]:.1f}, {g[1]:.1f}, {g[2]:.1f}) m/s^2, the robot has "
            f"({expected[0]:.1f}, {expected[1]:.1f}, {expected[2]:.1f}): give --gravity"
        )
        return [LogFinding(Pathology.GRAVITY, Severity.ERROR, text, "tau")]
    return []


def _compared(values: Array, expected: Array, joints: tuple[str, ...], kind: str, what: str) -> list[LogFinding]:
    """(2)."""
    table = np.array([[_correlation(a, b) for b in expected.T] for a in values.T])
    found = []
    for j, name in enumerate(joints):
        k = int(np.argmax(np.where(np.arange(len(joints)) == j, -1.0, np.minimum(table[j], table[:, j]))))
        crossed = min(table[j, k], table[k, j]) if k != j else -1.0
        if crossed > _SURE and 2.0 * crossed > table[j, j] + table[k, k] + _CLEARLY:
            text = f"follows {what} of joint '{joints[k]}', not its own: are columns permuted?"
            found.append(LogFinding(Pathology.PERMUTED, Severity.ERROR, text, f"{kind} of {name}"))
        elif table[j, j] < -_SURE:
            text = f"is opposite to {what}: negate it (signs in a map)"
            found.append(LogFinding(Pathology.NEGATED, Severity.ERROR, text, f"{kind} of {name}"))
    return found


def _correlation(a: Array, b: Array) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 1e-12 else 0.0


def _averaged(values: Array, width: int) -> Array:
    """A moving average over `width` rows, ends repeated."""
    if width <= 1:
        return values
    padded = np.concatenate([np.repeat(values[:1], width, axis=0), values, np.repeat(values[-1:], width, axis=0)])
    sums = np.cumsum(padded, axis=0)
    smooth = (sums[width:] - sums[:-width]) / width
    start = width - width // 2
    middle: Array = smooth[start : start + len(values)]
    return middle


def _thinned(motion: Motion) -> Motion:
    """At most `_MOST` rows."""
    step = max(1, len(motion.rows) // _MOST)
    return Motion(*(getattr(motion, f.name)[::step] for f in dataclasses.fields(Motion)))
