"""The cheapest of several proven programs whose proof is checked again in the time that is left.

How long each check takes is foreseen (:class:`torquec.proof.checker.check_time.CheckTime`): the cheapest program whose
check fits is checked. Where none fits, the one that is checked soonest is. A check that turns out slower, on a machine
that has become busy, may end half as late again as all the time that was allowed: without it everything would be lost.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from torquec.errors import TimeLimitError
from torquec.foundation.handed_out import workers_of
from torquec.foundation.time_limit import TimeLimit
from torquec.foundation.work import Work
from torquec.proof.checker.check_certificate import check_certificate
from torquec.proof.checker.check_time import CheckTime
from torquec.robot.robot import Robot
from torquec.simplification.meet_specification import Simplified

LONGER = 1.5
"""Until which part of the time a check may go on that was to be done in it."""


def checked_in_time(robot: Robot, proven: Sequence[Simplified], limit: TimeLimit, work: Work) -> Simplified | None:
    """The first of the programs, cheapest first, that can be checked within the limit, once that is done; or None."""
    chosen = _chosen(robot, proven, limit, work) if len(proven) > 1 and limit.is_stated else proven[0]
    try:
        with work.limited(limit.part(LONGER)):
            check_certificate(robot, chosen.certificate, work=work)
    except TimeLimitError:
        return None
    return chosen


def _chosen(robot: Robot, proven: Sequence[Simplified], limit: TimeLimit, work: Work) -> Simplified:
    foreseen = CheckTime(robot, proven[0].certificate.motions, processes=workers_of(work.executor))
    needed = []
    for one in proven:
        needed.append(foreseen.of(one.certificate))
        if time.time() + needed[-1] <= limit.until:
            return one
    return proven[needed.index(min(needed))]
