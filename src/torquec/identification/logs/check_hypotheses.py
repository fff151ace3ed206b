"""Diagnosis of wrong logs by fits: exchanged or negated joints, position offsets, gravity direction, delay, gains.

Where no robot of this kinematics explains the torques well (`gravity_direction`), the log is reinterpreted by every
known mistake (a "reading"), and parameters and friction are refitted:

(1)  two joints exchanged: their positions, their torques, or both; a joint negated
(2)  positions of a joint with another zero: offsets on a grid, the best ones then refined
(3)  gravity along another direction (`gravity_direction`)
(4)  torques that are late or early, up to 0.4 s; torques of a joint times a factor (wrong motor constant or gear
     ratio), observable through other joints that carry the same bodies

(5)  gain = sum_j log(e_j^2 + c) before - after. The gain of a joint counts only if the joint is then explained (e_j^2
     below 0.0625): poor fits change at random. The best reading is accepted from a gain of 2 on (squared errors fall to
     a seventh), or of 0.5 where the robot's own model gives the same finding (`check_torques`)
(6)  where other readings gain nearly as much, the motion cannot discriminate between them: they are reported together,
     and only if they gain far more than a poor fit of one joint can
(7)  the accepted reading is applied, and the search repeated

Unobservable mistakes are not found: an offset of the first or the last joint of an arm on a vertical axis is
equivalent to other inertias.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.one_thread import one_thread
from torquec.identification.extras import need
from torquec.identification.logs.fit_motion import FitMotion, even_rows, fit_motion, prepared_for_fit
from torquec.identification.logs.gravity_direction import FreeFit, free_fit, gravity_direction
from torquec.identification.logs.prepare import Samples
from torquec.identification.logs.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity

_OFFSETS = (12.0, 35.0, 90.0)
"""Grid of offsets [degrees] to either side: every offset above seven is nearer to one of them, or to 180, than to 0."""


@dataclass(frozen=True, eq=False)
class _Hypothesis:
    """A reading: the changed motion or robot, its fit, and the message on the errors before and after."""

    motion: FitMotion
    robot: Robot
    fit: FreeFit
    gain: float
    told: Callable[[str], LogFinding]
    place: tuple[object, ...]
    """The mistake: its kind and joints. Exchanged positions and exchanged torques are the same mistake."""


_Read = Callable[[FitMotion, Callable[[str], LogFinding], tuple[object, ...]], _Hypothesis]


def check_hypotheses(robot: Robot, log: Log, *, suspected: Sequence[LogFinding] = ()) -> list[LogFinding] | None:
    """(1)-(7) for a robot all of whose joints are in the log; None where nothing could be fitted.

    `suspected` are findings of the robot's own model. A fit is impossible for a log that is too short or has no
    joints, and without scipy.
    """
    if log.n == 0:
        return None
    try:
        with one_thread():
            samples = prepared_for_fit(log)
            if _independent(samples) < TUNING.fewest_independent:
                return None
            places = {(finding.kind, finding.column) for finding in suspected}
            return _Search(log, samples, places).findings(
                robot, fit_motion(samples, even_rows(samples, edge=TUNING.longest_delay))
            )
    except (ArgumentError, MissingExtraError):
        return None  # other checks report this


@dataclass(frozen=True, eq=False)
class _Search:
    """The log; its samples, which are the source of delayed torques; and the suspected kinds and columns."""

    log: Log
    samples: Samples
    suspected: set[tuple[Pathology, str]]

    def findings(self, robot: Robot, motion: FitMotion) -> list[LogFinding]:
        found: list[LogFinding] = []
        before = free_fit(motion.columns(robot), motion.tau)
        while before.error > (TUNING.still_bad if found else TUNING.fit_fits) and len(found) < TUNING.most_faults:
            every = sorted(self._hypotheses(robot, motion, before), key=lambda one: -one.gain)
            if not every:
                break
            best = every[0]
            told = {}
            for one in every:
                if one is best or (one.gain > TUNING.alike_gain * best.gain and one.place not in told):
                    told[one.place] = one.told(f"lowers the error from {before.error:.1%} to {one.fit.error:.1%}")
            # An offset of a planar arm's first joint equals a turn of gravity: report the more likely tilt of the base.
            first, *others = sorted(told.values(), key=lambda finding: finding.kind is not Pathology.GRAVITY)
            supported = (first.kind, first.column) in self.suspected
            needed = TUNING.supported_gain if supported else TUNING.believed_gain
            if best.gain < (TUNING.certain_gain if others else needed):
                break
            if others:
                found.append(_ambiguous(first, others[: TUNING.shown_readings]))
                break
            found.append(first)
            robot, motion, before = best.robot, best.motion, best.fit
        return found

    def _hypotheses(self, robot: Robot, motion: FitMotion, before: FreeFit) -> Iterator[_Hypothesis]:
        """Every other reading (1)-(4)."""

        def read(changed: FitMotion, told: Callable[[str], LogFinding], place: tuple[object, ...]) -> _Hypothesis:
            fit = free_fit(changed.columns(robot), changed.tau)
            return _Hypothesis(changed, robot, fit, gain(before, fit), told, place)

        bad = set(np.flatnonzero(before.shares > TUNING.bad_joint).tolist())
        yield from self._exchanged(motion, bad, read)
        yield from self._negated(motion, bad, read)
        yield from self._moved(robot, motion, read)
        yield from self._tilted(robot, motion, before)
        yield from self._delayed(robot, motion, read)
        yield from self._scaled(robot, motion, read)

    def _exchanged(self, motion: FitMotion, bad: set[int], read: _Read) -> Iterator[_Hypothesis]:
        """(1): exchanged pairs of joints, at least one of them poorly explained."""
        log = self.log
        for j, k in itertools.combinations(range(log.n), 2):
            if not {j, k} & bad:
                continue
            order = [k if i == j else j if i == k else i for i in range(log.n)]
            for kinds in (("q",), ("tau",), ("q", "tau")):
                columns = " and ".join(log.column(kind, j) for kind in kinds)
                others = " and ".join(log.column(kind, k) for kind in kinds)
                changed = motion.ordered(order, motion="q" in kinds, torque="tau" in kinds)
                text = f"to exchange it with {others} {{}}"
                remedy = "name the columns in the right order in a map"
                told = _finding(Pathology.PERMUTED, Severity.ERROR, text, columns, remedy)
                yield read(changed, told, (Pathology.PERMUTED, j, k))

    def _negated(self, motion: FitMotion, bad: set[int], read: _Read) -> Iterator[_Hypothesis]:
        """(1), signs."""
        log = self.log
        for j in sorted(bad):
            flip = np.where(np.arange(log.n) == j, -1.0, 1.0)
            both = f"to negate it and {log.column('tau', j)} {{}}"
            ways = (
                (motion.turned(torque=flip), "tau", "to negate it {}", "a negative gain for it in a map (gains)"),
                (motion.turned(motion=flip), "q", "to negate it {}", "signs in a map (and gains)"),
                (motion.turned(motion=flip, torque=flip), "q", both, "signs in a map"),
            )
            for changed, kind, text, remedy in ways:
                told = _finding(Pathology.NEGATED, Severity.ERROR, text, log.column(kind, j), remedy)
                yield read(changed, told, (Pathology.NEGATED, j))

    def _moved(self, robot: Robot, motion: FitMotion, read: _Read) -> Iterator[_Hypothesis]:
        """(2)."""
        n = self.log.n
        turning = [j for j, joint in enumerate(robot.coordinates) if joint.turns]
        tried = [sign * size for size in _OFFSETS for sign in (1.0, -1.0)] + [180.0]

        def cost(offset: float, j: int) -> float:
            return free_fit(motion.moved(math.radians(offset) * np.eye(n)[j]).columns(robot), motion.tau).cost

        costs = {(j, offset): cost(offset, j) for j in turning for offset in tried}
        optimize = need("scipy.optimize", "finding an offset")
        for j, start in sorted(costs, key=lambda place: costs[place])[: TUNING.refined_offsets]:
            bounds = (start - TUNING.offset_reach * abs(start), start + TUNING.offset_reach * abs(start))
            found = float(
                optimize.minimize_scalar(cost, bounds=bounds, args=(j,), method="bounded", options={"xatol": 0.05}).x
            )
            found = (found + 180.0) % 360.0 - 180.0
            if abs(found) < TUNING.smallest_offset:
                continue
            text = f"to add {found:.1f} degrees {{}}"
            remedy = (
                f"if the joint counts from elsewhere, say so in a map: offset = [..] with {found:.1f} degrees for it"
            )
            told = _finding(Pathology.OFFSET, Severity.WARNING, text, self.log.column("q", j), remedy)
            yield read(motion.moved(math.radians(found) * np.eye(n)[j]), told, (Pathology.OFFSET, j))

    def _tilted(self, robot: Robot, motion: FitMotion, before: FreeFit) -> Iterator[_Hypothesis]:
        """(3)."""
        if not any(robot.gravity):
            return
        found = gravity_direction(robot, [motion], independent=_independent(self.samples))
        angle = math.degrees(found.angle)
        if angle < TUNING.smallest_tilt:
            return
        x, y, z = (value + 0.0 for value in found.gravity)
        text = f"gravity along ({x:.2f}, {y:.2f}, {z:.2f}) m/s^2, {angle:.0f} degrees from the robot's, {{}}"
        remedy = f"give --gravity {x:.4g},{y:.4g},{z:.4g}, or use --fit-gravity, or correct the robot's base"
        severity = Severity.ERROR if angle > TUNING.wrong_gravity else Severity.WARNING
        told = _finding(Pathology.GRAVITY, severity, text, "tau", remedy)
        turned = dataclasses.replace(robot, gravity=found.gravity)
        yield _Hypothesis(motion, turned, found.after, gain(before, found.after), told, (Pathology.GRAVITY,))

    def _delayed(self, robot: Robot, motion: FitMotion, read: _Read) -> Iterator[_Hypothesis]:
        """(4)."""
        optimize, interpolate = (need(f"scipy.{name}", "finding a delay") for name in ("optimize", "interpolate"))
        spline = interpolate.CubicSpline(self.samples.t, self.samples.tau)
        columns = motion.columns(robot)
        # The spline holds recorded torques: no delay is tried once an earlier change has exchanged or negated them.
        if not np.allclose(spline(motion.t), motion.tau):
            return

        def cost(delay: float) -> float:
            return free_fit(columns, spline(motion.t + delay)).cost

        steps = round(TUNING.longest_delay / TUNING.delay_step)
        grid = [TUNING.delay_step * k for k in range(-steps + 1, steps)]
        start = min(grid, key=cost)
        bounds = (start - TUNING.delay_step, start + TUNING.delay_step)
        delay = float(optimize.minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-4}).x)
        if abs(delay) < TUNING.shortest_delay:
            return
        side = "late" if delay > 0.0 else "early"
        text = f"torques are {abs(delay) * 1e3:.0f} ms {side}: to move them {{}}"
        remedy = f"say so in a map: delay = {delay:.4f}"
        told = _finding(Pathology.DELAY, Severity.WARNING, text, "tau", remedy)
        yield read(dataclasses.replace(motion, tau=np.asarray(spline(motion.t + delay))), told, (Pathology.DELAY,))

    def _scaled(self, robot: Robot, motion: FitMotion, read: _Read) -> Iterator[_Hypothesis]:
        """(4), factors; none for a single joint, whose torque factor is equivalent to scaled bodies."""
        optimize = need("scipy.optimize", "finding a factor")
        if self.log.n == 1:
            return
        columns, size = motion.columns(robot), math.log(TUNING.largest_factor)

        def scaled(j: int, factor: float) -> FitMotion:
            return motion.turned(torque=np.where(np.arange(self.log.n) == j, factor, 1.0))

        def cost(logarithm: float, j: int) -> float:
            return free_fit(columns, scaled(j, math.exp(logarithm)).tau).cost

        for j in range(self.log.n):
            found = optimize.minimize_scalar(
                cost, bounds=(-size, size), args=(j,), method="bounded", options={"xatol": 0.02}
            )
            factor = math.exp(float(found.x))
            if not TUNING.smallest_factor < max(factor, 1.0 / factor) < TUNING.largest_factor * TUNING.inside_range:
                continue
            text = f"to multiply it by {factor:.3g} {{}}"
            remedy = f"check motor constant and gear ratio; if they are wrong, say so in a map: gains with {factor:.3g}"
            told = _finding(Pathology.GAIN, Severity.WARNING, text, self.log.column("tau", j), remedy)
            yield read(scaled(j, factor), told, (Pathology.GAIN, j))


def _independent(samples: Samples) -> float:
    """How many independent samples there are: two a period of the cut-off."""
    return 2.0 * samples.cutoff * float(samples.used.sum()) / samples.rate


def gain(before: FreeFit, after: FreeFit) -> float:
    """Gain (5) of the fit `after` over the fit `before`."""
    each = before.costs - after.costs
    return float(each[(each < 0.0) | (after.shares < TUNING.explained_by_fit)].sum())


def _ambiguous(best: LogFinding, others: Sequence[LogFinding]) -> LogFinding:
    """(6): a warning, because the right correction is not known."""
    also = ", or [".join(f"{other.column}] {other.text}" for other in others)
    text = f"{best.text}; the motion cannot distinguish this from [{also}"
    remedy = "check order, offsets and signs of these columns; record a motion with independent joints"
    return dataclasses.replace(best, severity=Severity.WARNING, text=text, remedy=remedy)


def _finding(kind: Pathology, severity: Severity, text: str, column: str, remedy: str) -> Callable[[str], LogFinding]:
    """A finding that still needs the text on how the change affects the error."""
    return lambda effect: LogFinding(kind, severity, text.format(effect), column, remedy=remedy)
