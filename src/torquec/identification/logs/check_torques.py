"""Check torques of a log against the robot's own model: signs, order, units, gravity, gains.

(1)  unexplained share of the torque of joint j, with m the model's torque along the motion:

         e_j^2 = min |tau_j - (s m_j + r qdd_j + v qd_j + c sign(qd_j) + o)|^2 / |tau_j - mean|^2     s, r, v, c >= 0

     the scale s is free because the model is only a prior, but s has a fixed sign; e = 1 where nothing is explained
(2)  F = sum_j log(e_j^2 + 0.01); a change of the log (a joint negated, two exchanged, another zero of a joint, degrees,
     milliseconds, gravity along another axis) is accepted where F falls by 2 or more and its joints are then explained
(3)  several changes are found one after the other, the best one first
(4)  the candidate direction of gravity comes from least squares: tau = sum_k T_k g_k + rest, T_k the model's torque
     of unit gravity along axis k
(5)  torque gain: u_j = 0.3 e_j std(tau_j)/std(s m'_j) is the relative error of s, with m'_j the part of m_j that the
     other terms of (1) do not explain, and 0.3 a usual correlation of m'_j with the unexplained torque. Where three
     joints or more have u_j below `scale_error`, and all their scales but one agree within their errors, the torques of
     that one joint have a wrong factor: motor constant, gear ratio
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from torquec.dynamics import gravity_torque
from torquec.foundation.arrays import Array
from torquec.identification.logs.clean_rows import LogMotion
from torquec.identification.logs.tuning import TUNING
from torquec.model.model import Model, compile
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity

_DEGREE = math.pi / 180.0  # [rad]
_OFFSETS = (45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0)
"""Offsets tried [degrees]: smaller ones are within the error of a prior; a fit finds them (`check_hypotheses`)."""


@dataclass(frozen=True, eq=False)
class _Change:
    """The motion after a change of the log, the joints concerned (none: all), and its finding.

    `pull` (M, n) is added to the torques of the model for another gravity.
    """

    motion: LogMotion
    joints: tuple[int, ...]
    finding: LogFinding
    pull: Array | float = 0.0


def check_torques(robot: Robot, log: Log, motion: LogMotion) -> list[LogFinding]:
    """(1)-(5), where all bodies of the robot (the log's joints, the others locked) have inertias to compare with."""
    if any(not any(body.inertia.parameters) for body in robot.bodies):
        return []
    few = motion.thinned(TUNING.model_samples)
    model = compile(robot)
    found: list[LogFinding] = []
    errors = _errors(few, _model_torque(model, few))
    for _ in range(robot.n):
        best: tuple[float, _Change, Array] | None = None
        if errors.max() < TUNING.model_fits:
            break
        for change in _changes(robot, log, few, first=not found):
            changed = _errors(change.motion, _model_torque(model, change.motion) + change.pull)
            gain = float(np.sum(np.log(errors + TUNING.explained_floor) - np.log(changed + TUNING.explained_floor)))
            explained = not change.joints or changed[list(change.joints)].max() < TUNING.explained_by_model
            if gain > TUNING.believed_gain and explained and (best is None or gain > best[0]):
                best = (gain, change, changed)
        if best is None:
            break
        found.append(best[1].finding)
        few, errors = best[1].motion, best[2]
        if not best[1].joints:
            break  # units or gravity: the rest can be checked only after these are corrected
    return found or [*_size(model, few), *_gains(log, few, _model_torque(model, few))]


def _changes(robot: Robot, log: Log, motion: LogMotion, *, first: bool) -> Iterator[_Change]:
    """All candidate changes of the log (2)."""
    n = robot.n
    for j in range(n):
        flip = np.where(np.arange(n) == j, -1.0, 1.0)
        name = log.column("tau", j)
        text, key = "is opposite to the torque of the robot's own model", "a negative gain for it in a map (gains)"
        yield _Change(_turned(motion, tau=flip), (j,), _error(Pathology.NEGATED, text, name, key))
        name = log.column("q", j)
        text, key = "the torques of the robot's own model agree once it is negated", "signs in a map (and gains)"
        yield _Change(_turned(motion, q=flip), (j,), _error(Pathology.NEGATED, text, name, key))
        text = f"the torques of the robot's own model agree once it and {log.column('tau', j)} are negated"
        yield _Change(_turned(motion, q=flip, tau=flip), (j,), _error(Pathology.NEGATED, text, name, "signs in a map"))
    for j in (j for j in range(n) if robot.coordinates[j].turns):
        for offset in _OFFSETS:
            text = f"the torques of the robot's own model agree once {offset:.0f} degrees are added, or about that"
            key = f"if the joint counts from elsewhere, say so in a map: offset = [..] with {offset:.0f} degrees for it"
            found = LogFinding(Pathology.OFFSET, Severity.WARNING, text, log.column("q", j), remedy=key)
            moved = dataclasses.replace(motion, q=motion.q + offset * _DEGREE * np.eye(n)[j])
            yield _Change(moved, (j,), found)
    for j, k in itertools.combinations(range(n), 2):
        order = [k if i == j else j if i == k else i for i in range(n)]
        for kinds in (("tau",), ("q",), ("q", "tau")):
            names = " and ".join(log.column(kind, j) for kind in kinds)
            text = f"the torques of the robot's own model agree once it is exchanged with that of '{log.joints[k]}'"
            key = "name the columns in the right order in a map"
            yield _Change(_ordered(motion, order, kinds), (j, k), _error(Pathology.PERMUTED, text, names, key))
    if first:
        text, key = "the torques of the robot's own model agree once positions are degrees", 'angle = "deg" in a map'
        degrees = _turned(motion, q=np.full(n, _DEGREE))
        yield _Change(degrees, (), _error(Pathology.UNITS, text, log.column("q"), key))
        text, key = "the torques of the robot's own model agree once stamps are ms", 'time_unit = "ms" in a map'
        fast = dataclasses.replace(motion, qd=1e3 * motion.qd, qdd=1e6 * motion.qdd)
        yield _Change(fast, (), _error(Pathology.UNITS, text, log.column("t"), key))
        yield from _gravity(robot, motion)


def _gravity(robot: Robot, motion: LogMotion) -> Iterator[_Change]:
    """(4) along the observable axes, where the fitted direction clearly differs from the robot's."""
    expected = np.array(robot.gravity)
    if not expected.any():
        return
    pulls = _pulls(robot, motion)
    still = dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0))
    moved = _model_torque(compile(still), motion)
    columns = [pull.ravel() for pull in pulls] + [moved.ravel()]
    for j in range(robot.n):
        for values in (np.sign(motion.qd[:, j]), motion.qd[:, j], motion.qdd[:, j], np.ones(len(motion.t))):
            block = np.zeros_like(motion.tau)
            block[:, j] = values
            columns.append(block.ravel())
    a = np.stack(columns, axis=1)
    norms = np.linalg.norm(a, axis=0)
    felt = norms[:3] > TUNING.felt_gravity * max(float(norms[:3].max()), 1e-300)
    x = np.linalg.lstsq(a / np.maximum(norms, 1e-300), motion.tau.ravel(), rcond=None)[0][:3]
    g = np.where(felt, x / np.maximum(norms[:3], 1e-300), 0.0)
    size = float(np.linalg.norm(g))
    if size < 1e-6 or float(g @ expected) > math.cos(math.radians(30.0)) * size * float(np.linalg.norm(expected)):
        return
    g = g * float(np.linalg.norm(expected)) / size
    text = (
        f"the torques imply gravity along ({g[0]:.1f}, {g[1]:.1f}, {g[2]:.1f}) m/s^2, the robot has "
        f"({expected[0]:.1f}, {expected[1]:.1f}, {expected[2]:.1f})"
    )
    key = f"give --gravity {g[0] + 0.0:.3g},{g[1] + 0.0:.3g},{g[2] + 0.0:.3g}, or correct the robot's base"
    pull: Array = np.einsum("k,kmn->mn", g - expected, pulls)
    yield _Change(motion, (), _error(Pathology.GRAVITY, text, "tau", key), pull)


def _model_torque(model: Model, motion: LogMotion) -> Array:
    """m (M, n) along a motion."""
    states = (np.ascontiguousarray(values) for values in (motion.q, motion.qd, motion.qdd))
    torque: Array = np.asarray(model.inverse_dynamics(*states))
    return torque


def _pulls(robot: Robot, motion: LogMotion) -> Array:
    """T_k (3, M, n) of (4)."""
    pulls = []
    for axis in np.eye(3):
        turned = dataclasses.replace(robot, gravity=(float(axis[0]), float(axis[1]), float(axis[2])))
        torques = gravity_torque(turned, list(motion.q.T))
        pulls.append(np.stack([np.broadcast_to(values, len(motion.t)) for values in torques], axis=1))
    return np.stack(pulls)


def _errors(motion: LogMotion, model: Array) -> Array:
    """e_j^2 (n,) of (1)."""
    return _shares_and_scales(motion, model)[0]


def _shares_and_scales(motion: LogMotion, model: Array) -> tuple[Array, Array]:
    """e_j^2 and s of (1), (n,) each: the best of all choices of columns whose coefficients are not negative."""
    m, n = motion.tau.shape
    columns = np.stack([model, motion.qdd, motion.qd, np.sign(motion.qd), np.ones((m, n))])
    sizes = np.maximum(np.linalg.norm(columns, axis=1), 1e-300)
    columns = columns / sizes[:, None]
    table = np.concatenate([columns, motion.tau[None]])
    products = np.einsum("amj,bmj->jab", table, table)
    best = np.maximum(((motion.tau - motion.tau.mean(axis=0)) ** 2).sum(axis=0), 1e-300)
    whole, scales = best.copy(), np.zeros(n)
    for count in range(5):
        for chosen in itertools.combinations(range(4), count):
            k = [*chosen, 4]
            square = products[:, k][:, :, k] + 1e-9 * np.eye(len(k))
            x = np.linalg.solve(square, products[:, k, -1][:, :, None])[:, :, 0]
            left = np.maximum(products[:, -1, -1] - np.einsum("ja,ja->j", x, products[:, k, -1]), 0.0)
            better = (x[:, :-1] >= 0.0).all(axis=1) & (left < best)
            best = np.where(better, left, best)
            scales = np.where(better, x[:, 0] / sizes[0] if 0 in chosen else 0.0, scales)
    return best / whole, scales


def _gains(log: Log, motion: LogMotion, model: Array) -> list[LogFinding]:
    """(5)."""
    shares, scales = _shares_and_scales(motion, model)
    others = np.stack([motion.qdd, motion.qd, np.sign(motion.qd), np.ones_like(motion.qd)], axis=1)
    rest = [
        m - a @ np.linalg.lstsq(a, m, rcond=None)[0] for a, m in zip(others.transpose(2, 0, 1), model.T, strict=True)
    ]
    own = np.maximum(scales * np.std(rest, axis=1), 1e-300)
    unsure = TUNING.aligned_share * np.sqrt(shares) * motion.tau.std(axis=0) / own
    told = np.flatnonzero((unsure < TUNING.scale_error) & (scales > 0.0))
    found: list[tuple[float, LogFinding]] = []
    for j in told:
        known = told[told != j]
        logarithms, errors = np.log(scales[known]), unsure[known]
        apart = np.abs(np.subtract.outer(logarithms, logarithms)) - np.hypot.outer(errors, errors)
        if len(known) < TUNING.fewest_others or apart.max() > math.log(TUNING.scales_agree):
            continue
        usual = float(np.exp(np.median(logarithms)))
        factor = usual / float(scales[j])
        if max(factor, 1.0 / factor) < TUNING.reported_gain:
            continue
        text = (
            f"is {scales[j]:.3g} times the torque of the robot's own model, the others {usual:.3g} times: to "
            f"multiply it by {factor:.3g} makes them agree"
        )
        remedy = f"check motor constant and gear ratio; if they are wrong, say so in a map: gains with {factor:.3g}"
        finding = LogFinding(Pathology.GAIN, Severity.WARNING, text, log.column("tau", int(j)), remedy=remedy)
        found.append((float(apart.max()), finding))
    # With two others, one of which is wrong, several joints may stand out: the best agreement counts.
    return [min(found, key=lambda one: one[0])[1]] if found else []


def _size(model: Model, motion: LogMotion) -> list[LogFinding]:
    """Torques of another order of magnitude."""
    expected = max(float(np.linalg.norm(_model_torque(model, motion))), 1e-12)
    size = float(np.linalg.norm(motion.tau)) / expected
    if TUNING.small_scale <= size <= TUNING.large_scale:
        return []
    text = f"torques are {size:.3g} times those of the robot's own model"
    remedy = "are they the motors', currents, or in other units? Say so in a map (gear_ratios, gains, torque_unit)"
    if 200.0 < size < 5000.0:
        text, remedy = f"{text}: are they in mNm?", 'say so in a map: torque_unit = "mNm"'
    elif 2e-4 < size < 5e-3:
        text = f"{text}: are they in kNm, or the motors'?"
        remedy = 'say so in a map: torque_unit = "kNm", or gear_ratios'
    return [LogFinding(Pathology.UNITS, Severity.WARNING, text, "tau", remedy=remedy)]


def _turned(motion: LogMotion, *, q: Array | None = None, tau: Array | None = None) -> LogMotion:
    """Positions and their derivatives, or torques, times factors (n,)."""
    if q is not None:
        motion = dataclasses.replace(motion, q=motion.q * q, qd=motion.qd * q, qdd=motion.qdd * q)
    return motion if tau is None else dataclasses.replace(motion, tau=motion.tau * tau)


def _ordered(motion: LogMotion, order: list[int], kinds: tuple[str, ...]) -> LogMotion:
    """Positions, or torques, or both, in another order of the joints."""
    if "q" in kinds:
        motion = dataclasses.replace(motion, q=motion.q[:, order], qd=motion.qd[:, order], qdd=motion.qdd[:, order])
    return dataclasses.replace(motion, tau=motion.tau[:, order]) if "tau" in kinds else motion


def _error(kind: Pathology, text: str, column: str, remedy: str) -> LogFinding:
    return LogFinding(kind, Severity.ERROR, text, column, remedy=remedy)
