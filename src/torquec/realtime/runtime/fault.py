"""Words of the runtime: why a stop began, what the guards do, how a run ended. Values are those of the C sources."""

from __future__ import annotations

from enum import IntEnum, IntFlag, StrEnum


class Fault(IntFlag):
    """Why a stop began; several can come together. `torquec_guard.h` says when each one is raised."""

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
    """The end of the run, or somebody asked for it: no fault."""
    STATE_FROZEN = 1 << 15

    @property
    def words(self) -> tuple[str, ...]:
        """The faults by name, as documents have them.

        >>> (Fault.OVERRUN | Fault.STATE_JUMP).words
        ('state-jump', 'overrun')
        """
        return tuple(str(part.name).lower().replace("_", "-") for part in Fault if part in self)


FAULT_REMEDIES = {
    Fault.STATE_MISSING: "the robot sent no state: start its process first, or look at its driver",
    Fault.STATE_NOT_FINITE: "a sensor gave a number that is none: look at the driver's conversion",
    Fault.STATE_STALE: "the states' times are old, go back or lie ahead: the driver must give the time of measuring",
    Fault.STATE_JUMP: "a position jumped: look at encoders and their offsets, or allow more `slack`",
    Fault.STATE_INCONSISTENT: "positions do not move as the speeds say: look at units and signs, or allow more `slack`",
    Fault.STATE_FROZEN: "a position did not change at all while its speed or its reference did: look at the encoder, "
    "the brake and the driver; a coarse encoder needs more `resolution`, a joint that may stick more `unmoved`",
    Fault.POSITION_LIMIT: "a joint is beyond its limits: move it back, or give wider ones",
    Fault.SPEED_LIMIT: "a joint is too fast: slow the motion down, or give a higher limit",
    Fault.LAW_NOT_FINITE: "the law gave a torque that is not finite: look at the motion and the gains",
    Fault.POWER_LIMIT: "the motion needs more power than allowed: slow it down, or give a higher limit",
    Fault.COEFFICIENTS: "the background was late: give it a longer period or a core of its own",
    Fault.OVERRUN: "cycles were missed: lower the rate, use a real-time kernel and priority, or allow a longer gap",
    Fault.CLOCK: "the driver's clock stood still, went back, or its cycles came far too often",
    Fault.DRIVER: "the driver refused a torque or reported a fault of its own",
    Fault.WATCHDOG: "the loop hung for longer than the watchdog waits: look at the driver and the machine's load",
}
"""What to do about each fault."""


class GuardMode(IntEnum):
    """What the guards do with the law's torques."""

    RUN = 0
    HOLD = 1
    RAMP = 2
    STOPPED = 3


class RunEnd(StrEnum):
    """How a run ended."""

    ENDED = "ended"
    """As it was asked to."""
    FAULT = "fault"
    NOT_STARTED = "not started"
    NO_THREAD = "no thread"
    OTHER_JOINTS = "other joints"


RUN_ENDS = (RunEnd.ENDED, RunEnd.FAULT, RunEnd.NOT_STARTED, RunEnd.NO_THREAD, RunEnd.OTHER_JOINTS)
"""By the number that the loop returns."""
