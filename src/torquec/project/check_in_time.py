"""The cheapest of several proven programs whose proof is checked again in the time that is left.

How long each check takes is foreseen (:class:`torquec.proof.checker.check_time.CheckTime`): the cheapest program whose
check fits is checked. Where none fits, the one that is checked soonest is. A check that turns out slower, on a machine
that has become busy, may end half as late again as all the time that was allowed, for without it nothing could be used.
Then it is given up: what was to be checked is proven all the same, and `torquec check` proves it again from its files,
whenever there is time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torquec.errors import TimeLimitError
from torquec.expr import count_operations
from torquec.foundation.handed_out import workers_of
from torquec.foundation.time_limit import TimeLimit
from torquec.foundation.work import Work
from torquec.model.quantities import trace_quantity
from torquec.project.simplification import MODEL_SHARE
from torquec.proof.checker.check_certificate import check_certificate
from torquec.proof.checker.check_time import CheckTime
from torquec.robot.robot import Robot
from torquec.simplification.meet_specification import Simplified, meet_specification
from torquec.simplification.specification import Specification

LONGER = 1.5
"""Until which part of the time a check may go on that was to be done in it."""


@dataclass(frozen=True)
class CheckedInTime:
    """A proven program, and whether there was time to check its proof."""

    program: Simplified
    checked: bool


def simplified_in_time(
    robot: Robot,
    specification: Specification,
    seconds: float,
    work: Work,
    *,
    on_proven: Callable[[Simplified], None] | None = None,
) -> CheckedInTime:
    """The cheapest program found that meets the specification, searched for, proven and checked in so many seconds.

    `on_proven` is told of programs that are proven while the search goes on. Raises what
    :func:`torquec.simplification.meet_specification.meet_specification` does.
    """
    limit = TimeLimit.after(seconds)
    proven: list[Simplified] = []

    def tell(found: Simplified) -> None:
        proven.append(found)
        if on_proven is not None:
            on_proven(found)

    exact = trace_quantity(robot, "inverse_dynamics")
    with work.limited(limit.part(MODEL_SHARE)):
        proven.append(meet_specification(robot, exact, specification, work=work, on_proven=tell, checked_by=limit))
    proven.reverse()  # of those that cost the same, the last has the closest bounds
    proven.sort(key=lambda found: count_operations(found.certificate.program).cost)
    return checked_in_time(robot, proven, limit, work)


def checked_in_time(robot: Robot, proven: Sequence[Simplified], limit: TimeLimit, work: Work) -> CheckedInTime:
    """The first of the programs, cheapest first, that can be checked within the limit, once that is tried."""
    chosen = _chosen(robot, proven, limit, work) if len(proven) > 1 and limit.is_stated else proven[0]
    late = limit.part(LONGER)
    try:
        with work.limited(late):
            late.check()
            check_certificate(robot, chosen.certificate, work=work)
    except TimeLimitError:
        return CheckedInTime(chosen, checked=False)
    return CheckedInTime(chosen, checked=True)


def _chosen(robot: Robot, proven: Sequence[Simplified], limit: TimeLimit, work: Work) -> Simplified:
    if limit.part(LONGER).is_over:
        return proven[0]  # nothing will be checked
    foreseen = CheckTime(robot, proven[0].certificate.motions, processes=workers_of(work.executor))
    needed = []
    for one in proven:
        needed.append(foreseen.of(one.certificate))
        if time.time() + needed[-1] <= limit.until:
            return one
    return proven[needed.index(min(needed))]
