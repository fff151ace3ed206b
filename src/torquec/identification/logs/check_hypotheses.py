"""Other ways to read a log that explain its torques far better: what was exchanged, turned, moved or delayed.

Where no robot of this kinematics explains the torques well (`free_fit`), the log is read in every other way that is
known to happen, and parameters and friction are fitted again:

(1)  two joints exchanged: their positions, their torques, or both; a joint negated
(2)  positions of a joint that count from elsewhere: offsets on a grid, the best ones then refined
(3)  gravity along another direction (`gravity_direction`)
(4)  torques that are late or early, up to 0.4 s

(5)  gain = sum_j log(e_j^2 + c) before - after. A joint that gains counts only if it is explained then (e_j^2 < 0.04):
     poor fits change at random. The best reading is believed from a gain of 2 on: errors fall to a seventh, in squares
(6)  where other readings gain nearly as much, the motion does not tell which one is right: they are named together, and
     only if they gain far more than what the poor fit of one joint is worth
(7)  what was found is mended, and the rest sought again

Whatever the motion does not tell is not found: an offset of the first or the last joint of an arm on a vertical axis is
the same as other inertias.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.identification.extras import need
from torquec.identification.logs.fit_motion import FitMotion, fit_motion, prepared_for_fit
from torquec.identification.logs.free_fit import FreeFit, free_fit
from torquec.identification.logs.gravity_direction import gravity_direction
from torquec.identification.logs.prepare import Samples
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity

_FITS = 0.03  # of the torques: nothing is sought where so little is left
_BELIEVED = 2.0  # of (5)
_EXPLAINED = 0.04  # of e_j^2
_ALIKE = 0.8
"""Of the best gain: another reading explains the log as well."""
_CERTAIN = 6.0
"""A gain that no poor fit has: recorded motions in which all joints swing alike reach 3 by readings that are wrong."""
_MOST_FAULTS = 3  # (7); more than these are no slips any more
_OFFSETS = (10.0, 20.0, 35.0, 60.0, 90.0, 135.0)
"""Degrees to either side: dense where offsets are small, because far from the right one nothing fits."""
_SHOWN = 2  # of the readings that explain it as well
_REFINED = 2  # offsets that are refined: the right one need not be the best of the grid
_SMALLEST_OFFSET = 2.0  # degrees; kinematics and sensors are no better
_LONGEST_DELAY, _DELAY_STEP = 0.4, 0.02  # [s]
_SHORTEST_DELAY = 0.01  # [s]; `torque_delay` looks for less
_SMALLEST_TILT = 3.0  # degrees; robots do not stand more level
_WRONG_GRAVITY = 30.0  # degrees: no base is tilted so far by mistake


@dataclass(frozen=True, eq=False)
class _Hypothesis:
    """The motion as it would be read, or the robot that it would be of, and what to tell of errors before and after."""

    motion: FitMotion
    robot: Robot
    fit: FreeFit
    gain: float
    told: Callable[[str], LogFinding]


_Read = Callable[[FitMotion, Callable[[str], LogFinding]], _Hypothesis]


def check_hypotheses(robot: Robot, log: Log) -> list[LogFinding]:
    """(1)-(7) for a robot all of whose joints are in the log; nothing where the log is too short or scipy is missing."""
    if log.n == 0:
        return []
    try:
        with one_thread():
            samples = prepared_for_fit(log)
            return _Search(log, samples).findings(robot, fit_motion(samples, edge=_LONGEST_DELAY))
    except (ArgumentError, MissingExtraError):
        return []  # other checks say so


@dataclass(frozen=True, eq=False)
class _Search:
    """The log, and its samples, from which delayed torques are taken."""

    log: Log
    samples: Samples

    def findings(self, robot: Robot, motion: FitMotion) -> list[LogFinding]:
        found: list[LogFinding] = []
        before = free_fit(motion.columns(robot), motion.tau)
        while before.error > _FITS and len(found) < _MOST_FAULTS:
            every = sorted(self._hypotheses(robot, motion, before), key=lambda one: -one.gain)
            best = every[0]
            told = [one.told(f"lowers the error from {before.error:.1%} to {one.fit.error:.1%}") for one in every]
            place = (told[0].kind, told[0].column)
            others = {
                (finding.kind, finding.column): finding
                for one, finding in zip(every, told, strict=True)
                if one.gain > _ALIKE * best.gain and (finding.kind, finding.column) != place
            }
            if best.gain < (_CERTAIN if others else _BELIEVED):
                break
            if others:
                found.append(_ambiguous(told[0], list(others.values())[:_SHOWN]))
                break
            found.append(told[0])
            robot, motion, before = best.robot, best.motion, best.fit
        return found

    def _hypotheses(self, robot: Robot, motion: FitMotion, before: FreeFit) -> Iterator[_Hypothesis]:
        """Every other reading (1)-(4)."""

        def read(changed: FitMotion, told: Callable[[str], LogFinding]) -> _Hypothesis:
            fit = free_fit(changed.columns(robot), changed.tau)
            return _Hypothesis(changed, robot, fit, gain(before, fit), told)

        yield from self._exchanged(motion, read)
        yield from self._negated(motion, read)
        yield from self._moved(robot, motion, read)
        yield from self._tilted(robot, motion, before)
        yield from self._delayed(robot, motion, read)

    def _exchanged(self, motion: FitMotion, read: _Read) -> Iterator[_Hypothesis]:
        """(1), pairs."""
        log = self.log
        for j, k in itertools.combinations(range(log.n), 2):
            order = [k if i == j else j if i == k else i for i in range(log.n)]
            for kinds in (("q",), ("tau",), ("q", "tau")):
                columns = " and ".join(log.column(kind, j) for kind in kinds)
                others = " and ".join(log.column(kind, k) for kind in kinds)
                changed = motion.ordered(order, motion="q" in kinds, torque="tau" in kinds)
                text = f"to exchange it with {others} {{}}"
                remedy = "name the columns in the right order in a map"
                yield read(changed, _finding(Pathology.PERMUTED, Severity.ERROR, text, columns, remedy))

    def _negated(self, motion: FitMotion, read: _Read) -> Iterator[_Hypothesis]:
        """(1), signs."""
        log = self.log
        for j in range(log.n):
            flip = np.where(np.arange(log.n) == j, -1.0, 1.0)
            both = f"to negate it and {log.column('tau', j)} {{}}"
            ways = (
                (motion.turned(torque=flip), "tau", "to negate it {}", "a negative gain for it in a map (gains)"),
                (motion.turned(motion=flip), "q", "to negate it {}", "signs in a map (and gains)"),
                (motion.turned(motion=flip, torque=flip), "q", both, "signs in a map"),
            )
            for changed, kind, text, remedy in ways:
                yield read(changed, _finding(Pathology.NEGATED, Severity.ERROR, text, log.column(kind, j), remedy))

    def _moved(self, robot: Robot, motion: FitMotion, read: _Read) -> Iterator[_Hypothesis]:
        """(2)."""
        n = self.log.n
        turning = [j for j, joint in enumerate(robot.joints) if not joint.type.is_prismatic]
        tried = [sign * size for size in _OFFSETS for sign in (1.0, -1.0)] + [180.0]
        costs = {
            (j, offset): free_fit(moved.columns(robot), motion.tau).cost
            for j in turning
            for offset in tried
            for moved in [motion.moved(math.radians(offset) * np.eye(n)[j])]
        }
        optimize = need("scipy.optimize", "finding an offset")
        for j, start in sorted(costs, key=lambda place: costs[place])[:_REFINED]:

            def cost(offset: float, row: Array = np.eye(n)[j]) -> float:
                return free_fit(motion.moved(math.radians(offset) * row).columns(robot), motion.tau).cost

            # To the neighbours of a point of the grid it is at most half as far as to zero, or thirty degrees.
            reach = max(9.0, min(0.5 * abs(start), 30.0))
            bounds = (start - reach, start + reach)
            found = float(optimize.minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 0.05}).x)
            if abs(found) < _SMALLEST_OFFSET:
                continue
            text = f"to add {found:.1f} degrees {{}}"
            remedy = f"if the joint counts from elsewhere, say so in a map: offset = [..] with {found:.1f} degrees for it"
            told = _finding(Pathology.OFFSET, Severity.WARNING, text, self.log.column("q", j), remedy)
            yield read(motion.moved(math.radians(found) * np.eye(n)[j]), told)

    def _tilted(self, robot: Robot, motion: FitMotion, before: FreeFit) -> Iterator[_Hypothesis]:
        """(3)."""
        found = gravity_direction(robot, [motion])
        angle = math.degrees(found.angle)
        if angle < _SMALLEST_TILT:
            return
        x, y, z = (value + 0.0 for value in found.gravity)
        text = f"gravity along ({x:.2f}, {y:.2f}, {z:.2f}) m/s^2, {angle:.0f} degrees from the robot's, {{}}"
        remedy = f"give --gravity {x:.4g},{y:.4g},{z:.4g}, mend the robot's base, or use --fit-gravity"
        severity = Severity.ERROR if angle > _WRONG_GRAVITY else Severity.WARNING
        told = _finding(Pathology.GRAVITY, severity, text, "tau", remedy)
        turned = dataclasses.replace(robot, gravity=found.gravity)
        yield _Hypothesis(motion, turned, found.after, gain(before, found.after), told)

    def _delayed(self, robot: Robot, motion: FitMotion, read: _Read) -> Iterator[_Hypothesis]:
        """(4)."""
        optimize, interpolate = (need(f"scipy.{name}", "finding a delay") for name in ("optimize", "interpolate"))
        spline = interpolate.CubicSpline(self.samples.t, self.samples.tau)
        columns = motion.columns(robot)
        # Torques that an earlier change has exchanged or negated are moved as recorded: the factor brings them back.
        if not np.allclose(spline(motion.t), motion.tau):
            return

        def cost(delay: float) -> float:
            return free_fit(columns, spline(motion.t + delay)).cost

        steps = round(_LONGEST_DELAY / _DELAY_STEP)
        grid = [_DELAY_STEP * k for k in range(-steps + 1, steps)]
        start = min(grid, key=cost)
        bounds = (start - _DELAY_STEP, start + _DELAY_STEP)
        delay = float(optimize.minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-4}).x)
        if abs(delay) < _SHORTEST_DELAY:
            return
        side = "late" if delay > 0.0 else "early"
        text = f"torques are {abs(delay) * 1e3:.0f} ms {side}: to move them {{}}"
        remedy = f"say so in a map: delay = {delay:.4f}"
        told = _finding(Pathology.DELAY, Severity.WARNING, text, "tau", remedy)
        yield read(dataclasses.replace(motion, tau=np.asarray(spline(motion.t + delay))), told)


def gain(before: FreeFit, after: FreeFit) -> float:
    """How much better one fit is than another (5)."""
    each = before.costs - after.costs
    return float(each[(each < 0.0) | (after.shares < _EXPLAINED)].sum())


def _ambiguous(best: LogFinding, others: Sequence[LogFinding]) -> LogFinding:
    """(6): a warning, because it is not known what to mend."""
    also = ", or [".join(f"{other.column}] {other.text}" for other in others)
    text = f"{best.text}; the motion does not tell this from [{also}"
    remedy = "check order, offsets and signs of these columns; a motion in which joints move differently tells"
    return dataclasses.replace(best, severity=Severity.WARNING, text=text, remedy=remedy)


def _finding(kind: Pathology, severity: Severity, text: str, column: str, remedy: str) -> Callable[[str], LogFinding]:
    """The finding, once it is known what the change does to the error."""
    return lambda effect: LogFinding(kind, severity, text.format(effect), column, remedy=remedy)
