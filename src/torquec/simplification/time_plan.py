"""Time budget of simplification: shares of search, proof and independent check.

(1)  without a time limit nothing ends early, and errors use nearly all of the tolerances
(2)  with one most of the time goes to the search; the last proof may take a quarter longer, so that the result of a
     long search is not lost. A good program of the first round of descents is proven first: it is the result where
     no better one is proven in time, and the duration of its proof says for how long the search may go on
(3)  where the independent check has a deadline that is near, it comes first: its duration is predicted from a part of
     it (:class:`torquec.proof.check_certificate.CheckTime`) and reserved. The proof ends early enough for its boxes to
     be checked, degrees stay so low that proof and check are short
     (:class:`torquec.simplification.degree_limit.DegreeRoom`), and errors use less of the tolerances, so that few
     boxes prove them
(4)  where that check is short relative to the time, and proofs turn out to be easy, (2) is used
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from torquec.foundation.budget import Budget
from torquec.foundation.executor_tasks import wake
from torquec.proof.check_certificate import CheckTime
from torquec.proof.torque.torque_tables import positions_read
from torquec.simplification.degree_limit import DegreeRoom
from torquec.simplification.problem import SimplificationProblem


@dataclass(frozen=True)
class TimeShares:
    """Parts of the time that a user states, for the passes of :mod:`torquec.simplification.pipeline`."""

    # of all time
    model: float = 0.7  # search and proof; the rest is for the independent check
    check: float = 1.5  # latest end of a check on a machine that has become busy: the result depends on it
    # of search and proof
    coefficient_fit: float = 0.35  # deadline for fits of coefficients of control requirements
    coefficient_proof: float = 0.5  # deadline for their proofs; the rest is for inverse dynamics
    threshold_proof: float = 0.6  # deadline for proofs of abbreviated coefficients, where torque errors follow
    early_proof_seconds: float = 40.0  # for an early program without a time limit, where the caller wants one
    proof_reserve: float = 1.2  # time reserved for the last proof, as a multiple of the first round's
    latest_search: float = 0.95  # deadline of searches whose proofs are short
    # where the check comes first (3), (4)
    long: float = 300.0  # seconds of all time above which (3) is not needed: even hard checks are shorter
    check_margin: float = 1.5  # time reserved for the check, as a multiple of its predicted duration
    least_search: float = 0.5  # part of all time that search and proof have, however long the check
    check_grid: float = 0.25  # part of all time that the grid of a check may take in any case
    short_check: float = 0.15  # part of all time: shorter checks fit into the time that (2) leaves (4)
    box_points_per_second: int = 200  # of a proof: degree three in three of five joints is then checked within a minute


SHARES = TimeShares()


@dataclass(frozen=True)
class TimePlan:
    """The budget of search and proof, and its parts.

    `first` is the part of the remaining time for a first proof; `searching` and `proving` are the deadlines
    of the search and of tightening bounds, as parts of the whole. `part` of the tolerances is what errors may use at
    first: proofs of many joints need a larger margin, since bounds of products of speeds are up to 3 % too large.
    `room` limits degrees. With `check_first` (3), a proof within the tolerances comes before tight bounds; `if_easy` is
    the plan used instead where proofs turn out to be easy (4).
    """

    budget: Budget
    first: float
    searching: float
    proving: float
    part: float
    room: DegreeRoom | None = None
    check_first: bool = False
    if_easy: TimePlan | None = None

    def search_after(self, proof: float) -> Budget:
        """The time for searches, after a first proof that took so many seconds."""
        assert self.budget.seconds is not None
        reserved = SHARES.proof_reserve * proof / self.budget.seconds
        return self.budget.share(max(self.searching, min(1.0 - reserved, SHARES.latest_search)))


def time_plan(problem: SimplificationProblem) -> TimePlan:
    """How the time of a problem is shared."""
    budget, check = problem.budget, problem.checked_by
    memory = problem.work.budget.within(budget).memory
    room = None if memory is None else DegreeRoom.in_memory(problem.robot.n, memory)
    if budget.seconds is None:
        return TimePlan(budget, 1.0, 1.0, 1.0, _part(problem, (4, 0.98), (6, 0.97), (math.inf, 0.94)), room)
    in_time = TimePlan(budget, 0.4, 0.6, 1.25, _part(problem, (4, 0.98), (math.inf, 0.94)), room)
    if check.seconds is None or check.seconds >= SHARES.long:
        return in_time
    wake(problem.work.executor)
    predicted = CheckTime(problem.robot, problem.motions)
    # Recursions have higher degrees by their operations; pruned programs mostly have those of the robot.
    needed = SHARES.check_margin * predicted.of_grid(predicted.points(predicted.degrees))
    before = replace(check, seconds=max(check.seconds - needed, SHARES.least_search * check.seconds))
    in_box = int(SHARES.box_points_per_second * max(before.until - time.time(), 0.0))
    return TimePlan(
        before,
        # Without a proof there is nothing to check: a proof within the tolerances may take all of the time. Bounds are
        # tightened as long as there is time to check their boxes.
        first=0.8,
        searching=0.45,
        proving=0.8,
        part=_part(problem, (4, 0.98), (math.inf, 0.8)),
        room=DegreeRoom(
            predicted.degrees,
            in_grid=predicted.points_in(max(needed, SHARES.check_grid * check.seconds)),
            in_box=in_box if room is None else min(in_box, room.in_box),
        ),
        check_first=True,
        if_easy=in_time if needed <= SHARES.short_check * check.seconds else None,
    )


def _part(problem: SimplificationProblem, *parts: tuple[float, float]) -> float:
    """The part of the tolerances, by the number of joints that torques depend on."""
    return next(part for joints, part in parts if len(positions_read(problem.exact)) <= joints)
