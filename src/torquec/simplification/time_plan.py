"""How a search for a cheaper program shares its time: searching, proving, and the check that comes after.

(1)  without a limit nothing ends early, and errors use nearly all of the tolerances
(2)  under a limit most of it goes to the search; the last proof may take a quarter longer, for what was searched for
     long should not be lost
(3)  where a check has to be done by a time that is stated and short, it comes first: what it will take is foreseen from
     a part of it (:class:`torquec.proof.checker.check_time.CheckTime`) and kept free, the proof ends in time for its
     boxes to be gone through again, degrees stay so low that proof and check are short
     (:class:`torquec.simplification.degree_limit.DegreeRoom`), and errors use less of the tolerances, so that few
     boxes prove them
(4)  where that check is short beside the time, and tolerances turn out to be so wide that proofs are easy, (2) will do
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from torquec.dynamics.mechanism import mechanism
from torquec.foundation.handed_out import wake, workers_of
from torquec.foundation.time_limit import TimeLimit
from torquec.proof.checker.check_time import CheckTime
from torquec.proof.torque.torque_tables import positions_read
from torquec.simplification.degree_limit import DegreeRoom
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.problem import SimplificationProblem

_PARTS = ((4, 0.98), (6, 0.97), (math.inf, 0.94))
_PARTS_IN_TIME = ((4, 0.98), (math.inf, 0.94))
_PARTS_IN_SHORT_TIME = ((4, 0.98), (math.inf, 0.8))
"""Up to so many joints, the part of the tolerances that errors may use: the more of them, the more room proofs need,
whose bounds of products of speeds are up to 3 % above the truth. Where time is limited they get more room, and are
short."""

_FIRST, _SEARCHING, _PROVING = 0.4, 0.7, 1.25
"""The part of the time left that a first proof may take, and parts of a limit until which programs are searched for,
and the last proof may go on (2)."""

_FIRST_IN_SHORT_TIME, _SEARCHING_IN_SHORT_TIME, _CLOSER_IN_SHORT_TIME = 0.8, 0.45, 0.8
"""The same of the time before the check (3): without a proof there is nothing to check, so that all of it may go to
showing that errors are within the tolerances; bounds are made closer as long as there is time for their boxes to be
gone through again."""

LONG = 300.0
"""Seconds for search, proof and check from which on (3) is not needed: there is time for what is hard to check."""

_MARGIN, _LEAST = 1.5, 0.5
"""What is kept free for the check, in times of what is foreseen; and the part of all time that is left for searching
and proving, however long the check."""

_SHORT = 0.15
"""A check is short that takes at most this part of all time, so that what (2) leaves will do for it (4)."""

_POINTS_IN_A_SECOND = 200
"""Control points of a box for every second: in a minute degree three in three of five joints is proven and checked."""


@dataclass(frozen=True)
class TimePlan:
    """The limit of search and proof, the part of what is left of it that a first proof may take, the parts of it until
    which programs are searched for and bounds made closer, the part of the tolerances that errors may use at first, and
    the room for degrees where time is short.
    """

    limit: TimeLimit
    first: float
    searching: float
    proving: float
    part: float
    room: DegreeRoom | None = None
    if_easy: TimePlan | None = None


def time_plan(problem: SimplificationProblem) -> TimePlan:
    """How the time of a problem's work is shared."""
    limit, check = problem.work.limit, problem.checked_by
    if not limit.is_stated:
        return TimePlan(limit, 1.0, 1.0, 1.0, _part(problem, _PARTS))
    in_time = TimePlan(limit, _FIRST, _SEARCHING, _PROVING, _part(problem, _PARTS_IN_TIME))
    if not check.is_stated or check.until - check.start >= LONG:
        return in_time
    wake(problem.work.executor)
    foreseen = CheckTime(problem.robot, problem.motions, processes=workers_of(problem.work.executor))
    # Programs begin as recursions with moments carried along: what cancels in them does so but for rounding, and has a
    # degree in exact arithmetic.
    degrees = foreseen.degrees_of(torque_program(mechanism(problem.robot)))
    needed = _MARGIN * foreseen.of_grid(foreseen.points(degrees))
    whole = check.until - check.start
    end = max(check.until - needed, check.start + _LEAST * whole)
    room = DegreeRoom(
        degrees,
        in_grid=foreseen.points_in(max(needed, 0.25 * whole)),
        in_box=int(_POINTS_IN_A_SECOND * max(end - time.time(), 0.0)),
    )
    return TimePlan(
        TimeLimit(check.start, end),
        _FIRST_IN_SHORT_TIME,
        _SEARCHING_IN_SHORT_TIME,
        _CLOSER_IN_SHORT_TIME,
        _part(problem, _PARTS_IN_SHORT_TIME),
        room,
        if_easy=in_time if needed <= _SHORT * whole else None,
    )


def _part(problem: SimplificationProblem, parts: tuple[tuple[float, float], ...]) -> float:
    """The part for as many joints as torques depend on."""
    return next(part for joints, part in parts if len(positions_read(problem.exact)) <= joints)
