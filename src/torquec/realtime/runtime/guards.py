"""Safety guards of a real-time run: torque clamps, trip limits, faults with remedies, and the stop.

(1)  clamps of every sent torque:               |tau_i| <= torque_i,   |tau_i - tau_i before| <= rate_i x period
(2)  trips, beyond which the stop begins:       lower_i <= q_i <= upper_i,   |qd_i| <= speed_i,
     sum over driven joints of tau_i qd_i <= power,   |q_i - q_i before| <= 1.5 speed_i dt + slack_i,
     |drift of q_i against qd_i| <= slack_i,   limits of times between torques and samples, and of the age of samples
     and while q_i stays the same number:   |sum of qd_i dt, over a tenth of a second| <= resolution_i,
     |change of the reference of joint i| <= unmoved_i
(3)  the stop: the last torque for `hold`, then to zero in `ramp`, minus damping_i qd_i while the state is valid

Values of enumerations are those of the C sources.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum, IntFlag, StrEnum

from torquec.errors import ArgumentError
from torquec.realtime.runtime.library import MOST_JOINTS, LimitsStruct
from torquec.realtime.tuning import TUNING
from torquec.robot.robot import Joint, Robot


class Fault(IntFlag):
    """Reasons for a stop; several can be set. `torquec_guard.h` defines when each one is raised."""

    STATE_MISSING = 1 << 0
    STATE_NOT_FINITE = 1 << 1
    STATE_STALE = 1 << 2
    STATE_JUMP = 1 << 3
    STATE_INCONSISTENT = 1 << 4
    POSITION_LIMIT = 1 << 5
    SPEED_LIMIT = 1 << 6
    LAW_NOT_FINITE = 1 << 7
    POWER_LIMIT = 1 << 8
    COEFFICIENTS = 1 << 9
    OVERRUN = 1 << 10
    CLOCK = 1 << 11
    DRIVER = 1 << 12
    WATCHDOG = 1 << 13
    REQUESTED = 1 << 14
    """Requested stop or end of the run: no fault."""
    STATE_FROZEN = 1 << 15

    @property
    def words(self) -> tuple[str, ...]:
        """The faults by name, as documents have them.

        >>> (Fault.OVERRUN | Fault.STATE_JUMP).words
        ('state-jump', 'overrun')
        """
        return tuple(str(part.name).lower().replace("_", "-") for part in Fault if part in self)


FAULT_REMEDIES = {
    Fault.STATE_MISSING: "the robot sent no state: start its process first, or check its driver",
    Fault.STATE_NOT_FINITE: "a sensor value is not finite: check the driver's conversion",
    Fault.STATE_STALE: "time stamps are old, go back or lie in the future: the driver must stamp each measurement",
    Fault.STATE_JUMP: "a position jumped: check encoders and their offsets, or allow more `slack`",
    Fault.STATE_INCONSISTENT: "positions are inconsistent with speeds: check units and signs, or allow more `slack`",
    Fault.STATE_FROZEN: "a position did not change at all while its speed or its reference did: look at the encoder, "
    "the brake and the driver; a coarse encoder needs more `resolution`, a joint that may stick more `unmoved`",
    Fault.POSITION_LIMIT: "a joint is beyond its limits: move it back, or give wider ones",
    Fault.SPEED_LIMIT: "a joint is too fast: slow the motion down, or give a higher limit",
    Fault.LAW_NOT_FINITE: "the law gave a torque that is not finite: check the motion and the gains",
    Fault.POWER_LIMIT: "the motion needs more power than allowed: slow it down, or give a higher limit",
    Fault.COEFFICIENTS: "the background was late: give it a longer period or its own core",
    Fault.OVERRUN: "cycles were missed: lower the rate, use a real-time kernel and priority, or allow a longer gap",
    Fault.CLOCK: "the driver's clock stopped, went back, or triggered cycles far too often",
    Fault.DRIVER: "the driver refused a torque or reported a fault of its own",
    Fault.WATCHDOG: "the loop hung for longer than the watchdog time: check the driver and the load of the machine",
}
"""What to do about each fault."""


class GuardMode(IntEnum):
    """Mode of the guards: how they treat the law's torques."""

    RUN = 0
    HOLD = 1
    RAMP = 2
    STOPPED = 3


class RunEnd(StrEnum):
    """How a run ended."""

    ENDED = "ended"
    """As requested."""
    FAULT = "fault"
    NOT_STARTED = "not started"
    NO_THREAD = "no thread"
    OTHER_JOINTS = "other joints"


RUN_ENDS = (RunEnd.ENDED, RunEnd.FAULT, RunEnd.NOT_STARTED, RunEnd.NO_THREAD, RunEnd.OTHER_JOINTS)
"""Ends of a run by the return value of the loop."""


JointNumbers = float | Sequence[float]
"""One number for all joints, or one for each."""

_NANOSECONDS = 1e9  # of a second


@dataclass(frozen=True)
class Guards:
    """Limits of the guards, per joint or one number for all; None selects the robot's own limit or a default.

    `torque` [N m or N]: the robot's effort limits. `torque_rate` [per s]: from zero to that limit in 20 ms. `power` [W]
    of all drives together: no limit. `lower`, `upper`, `speed`: the limits of the joints. `slack` [rad or m]: 0.05 or
    0.01. `resolution` [rad or m]: 0.002 or 0.0002, more than one step of an encoder; `unmoved` [rad or m]: 0.01 or
    0.002, more than a reference moves while dry friction holds a joint; both infinite to disable the check for frozen
    positions. `damping` [N m s/rad or N s/m] acts while the torque is ramped down. Times [s]: `hold` and `ramp` of the
    stop; `longest_gap` between two torques and `longest_blind` without a state: 3.5 cycles; `oldest_state`: two cycles.
    For a simulated robot, these three are 0.1 s.
    """

    torque: JointNumbers | None = None
    torque_rate: JointNumbers | None = None
    power: float | None = None
    lower: JointNumbers | None = None
    upper: JointNumbers | None = None
    speed: JointNumbers | None = None
    slack: JointNumbers | None = None
    resolution: JointNumbers | None = None
    unmoved: JointNumbers | None = None
    damping: JointNumbers = 0.0
    hold: float = 0.02
    ramp: float = 0.2
    longest_gap: float | None = None
    longest_blind: float | None = None
    oldest_state: float | None = None


@dataclass(frozen=True)
class GuardLimits:
    """The resolved limits of a run; (n,) by joint, infinite for no limit."""

    joints: tuple[str, ...]
    period: float
    torque: tuple[float, ...]
    torque_rate: tuple[float, ...]
    power: float
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    speed: tuple[float, ...]
    slack: tuple[float, ...]
    resolution: tuple[float, ...]
    unmoved: tuple[float, ...]
    damping: tuple[float, ...]
    hold: float
    ramp: float
    longest_gap: float
    longest_blind: float
    oldest_state: float

    def to_struct(self) -> LimitsStruct:
        """As the C sources have them."""
        made = LimitsStruct()
        made.joints = len(self.joints)
        made.hold_cycles = math.ceil(self.hold / self.period - 1e-9)
        made.ramp_cycles = max(1, math.ceil(self.ramp / self.period - 1e-9))
        made.period = nanoseconds(self.period)
        made.longest_gap = nanoseconds(self.longest_gap)
        made.longest_blind = nanoseconds(self.longest_blind)
        made.oldest_sample = nanoseconds(self.oldest_state)
        made.power = self.power
        for name, values in (("torque", self.torque), ("rate", self.torque_rate), ("lower", self.lower),
                             ("upper", self.upper), ("speed", self.speed), ("slack", self.slack),
                             ("resolution", self.resolution), ("unmoved", self.unmoved),
                             ("damping", self.damping)):  # fmt: skip
            getattr(made, name)[: len(values)] = values
        return made

    def to_document(self) -> dict[str, float | dict[str, float]]:
        """As JSON values: by name, and by joint for limits of joints."""
        found: dict[str, float | dict[str, float]] = {}
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            found[field.name] = dict(zip(self.joints, value, strict=True)) if isinstance(value, tuple) else value
        return found


def guard_limits(robot: Robot, guards: Guards, *, period: float, patience: float | None = None) -> GuardLimits:
    """The limits of a run at a period [s]; `patience` [s]: default of the longest gap.

    Raises `ArgumentError` for a robot without effort limits where no torques are given, for too many joints,
    and for invalid limits.
    """
    joints = robot.joints
    if len(joints) > MOST_JOINTS:
        raise ArgumentError(f"{len(joints)} joints", where=robot.name, remedy=f"the runtime has room for {MOST_JOINTS}")
    if not (math.isfinite(period) and 1e-6 <= period <= 1.0):
        raise ArgumentError(f"a period of {period!r} s", remedy="give between a microsecond and a second")
    torque = _numbers(robot, "torque", guards.torque, [joint.limits.effort for joint in joints])
    for joint, limit in zip(joints, torque, strict=True):
        if not math.isfinite(limit):
            raise ArgumentError(
                f"joint '{joint.name}' has no effort limit, and no torque is sent without one",
                where=robot.name,
                remedy="give torques: Guards(torque=[..]), --torque LIST, or effort limits in the robot file",
            )
    late = TUNING.late_cycles * period if patience is None else patience
    times = {
        "hold": guards.hold,
        "ramp": guards.ramp,
        "longest_gap": late if guards.longest_gap is None else guards.longest_gap,
        "longest_blind": late if guards.longest_blind is None else guards.longest_blind,
        "oldest_state": max(2.0 * period, patience or 0.0) if guards.oldest_state is None else guards.oldest_state,
    }
    for name, value in times.items():
        if not (math.isfinite(value) and 0.0 <= value <= 60.0):
            raise ArgumentError(f"{name} is {value!r} s", remedy="give zero or more seconds, at most a minute")
    if times["longest_gap"] < 1.5 * period:
        raise ArgumentError(
            f"a longest gap of {times['longest_gap']:g} s at a period of {period:g} s",
            remedy=f"give at least one and a half periods, {1.5 * period:g} s: cycles are never exactly on time",
        )
    power = math.inf if guards.power is None else float(guards.power)
    if not power > 0.0:
        raise ArgumentError(f"a power of {guards.power!r} W", remedy="give a positive number")
    limits = GuardLimits(
        robot.joint_names,
        period,
        torque,
        _numbers(robot, "torque_rate", guards.torque_rate, [limit / TUNING.full_torque_time for limit in torque]),
        power,
        _numbers(robot, "lower", guards.lower, [_range(joint)[0] for joint in joints], signed=True),
        _numbers(robot, "upper", guards.upper, [_range(joint)[1] for joint in joints], signed=True),
        _numbers(robot, "speed", guards.speed, [joint.limits.velocity for joint in joints]),
        _numbers(robot, "slack", guards.slack, _by_type(joints, *TUNING.position_slack)),
        _numbers(robot, "resolution", guards.resolution, _by_type(joints, *TUNING.position_resolution)),
        _numbers(robot, "unmoved", guards.unmoved, _by_type(joints, *TUNING.unmoved_distance)),
        _numbers(robot, "damping", guards.damping, (), least=0.0),
        **times,
    )
    for name, low, high in zip(limits.joints, limits.lower, limits.upper, strict=True):
        if not low < high:
            raise ArgumentError(f"joint '{name}' from {low:g} to {high:g}", remedy="give lower below upper")
    return limits


def nanoseconds(seconds: float) -> int:
    """Seconds as integer nanoseconds."""
    return round(seconds * _NANOSECONDS)


def _range(joint: Joint) -> tuple[float, float]:
    return joint.limits.lower, joint.limits.upper


def _by_type(joints: Sequence[Joint], angle: float, length: float) -> list[float]:
    return [angle if joint.kind.coordinate.turns else length for joint in joints]


def _numbers(
    robot: Robot,
    name: str,
    given: JointNumbers | None,
    usual: Sequence[float],
    *,
    least: float = 1e-12,
    signed: bool = False,
) -> tuple[float, ...]:
    """A number for every joint."""
    values = usual if given is None else [given] * robot.n if isinstance(given, int | float) else given
    found = tuple(float(value) for value in values)
    if len(found) != robot.n:
        raise ArgumentError(
            f"{len(found)} numbers of {name} for {robot.n} joints",
            where=robot.name,
            remedy=f"give one for all, or one for each of {', '.join(robot.joint_names)}",
        )
    if any(math.isnan(value) or (value < least and not signed) for value in found):
        raise ArgumentError(f"{name} is {list(found)}", where=robot.name, remedy="give positive numbers")
    return found
