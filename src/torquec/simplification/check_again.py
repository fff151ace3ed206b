"""The independent check of the cheapest of several proven programs that can be checked in the remaining time.

The duration of each check is predicted (:class:`torquec.proof.checker.check_time.CheckTime`): the cheapest program
whose check fits is checked; where none fits, the one with the shortest check. A check that turns out slower, on a
machine that has become busy, may end late (`TimeShares.check`), for without it nothing could be used. Then it is given
up: the program is proven all the same, and `torquec check` checks the proof from its files, whenever there is time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from torquec.errors import TimeLimitError
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.checker.check_certificate import check_certificate
from torquec.proof.checker.check_time import CheckTime
from torquec.robot.robot import Robot
from torquec.simplification.problem import Simplified
from torquec.simplification.time_plan import SHARES


def check_again(robot: Robot, proven: Sequence[Simplified], budget: Budget, work: Work) -> Simplified:
    """The first of the programs, cheapest first, that can be checked within the budget, once that is tried."""
    late = budget.share(SHARES.check)
    chosen = (
        proven[0] if len(proven) == 1 or not budget.is_timed or late.is_over else _chosen(robot, proven, budget, work)
    )
    try:
        with work.within(late):
            late.check()
            check_certificate(robot, chosen.certificate, work=work)
    except TimeLimitError:
        return chosen
    return replace(chosen, checked=True)


def _chosen(robot: Robot, proven: Sequence[Simplified], budget: Budget, work: Work) -> Simplified:
    predicted = CheckTime(robot, proven[0].certificate.motions, processes=work.workers)
    needed = []
    for one in proven:
        needed.append(predicted.of(one.certificate))
        if time.time() + needed[-1] <= budget.until:
            return one
    return proven[needed.index(min(needed))]
