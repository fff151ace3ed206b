"""Bounds of all joints' torque errors, as tasks of a work: the hardest joints first, and long proofs in parts.

(1)  joints are tasks, each for as long as its proofs are short (:func:`torquec.proof.torque_bound.pursued`). First come
     those whose errors use most of what is allowed, for their proofs fail, if any do, and take longest
(2)  a proof that takes long is done in parts, by everybody, until it is found or given up; then (1) again, with what is
     left to be tried

Parts and their order are the same whatever the work, and so are the bounds, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec.foundation.rounded_bound import rounded_up
from torquec.foundation.work import Meter, Work, silent
from torquec.proof.torque_bound import (
    BoundSearch,
    JointError,
    TorqueBound,
    bound_search,
    joint_error,
    open_parts,
    pursued,
    show_part,
    with_parts,
)
from torquec.proof.torque_residual import TorqueResidual
from torquec.trajectory.motion_box import MotionBox

_IN_PARTS = "proving a torque error in parts"


@dataclass(frozen=True)
class BoundTask:
    """What a process needs to bound one joint's error, as :func:`torquec.proof.torque_bound.torque_bound` is asked.

    The residual may have the tables of this joint alone. `search` is how far the search is, where it was begun.
    """

    residual: TorqueResidual
    joint: int
    motions: MotionBox
    found: float
    limit: float | None
    closer: bool
    known: TorqueBound | None = None
    search: BoundSearch | None = None

    @property
    def error(self) -> JointError:
        """The joint's error, with what is asked of its bound."""
        return joint_error(self.residual, self.joint, self.motions, limit=self.limit, closer=self.closer)

    @property
    def hardness(self) -> tuple[float, int]:
        """How much of what is allowed is used (1), and where that is the same, how much there is to compute."""
        used = 0.0 if self.limit is None else self.found / self.limit if self.limit > 0.0 else np.inf
        return used, int(np.count_nonzero(self.residual.tables[self.joint]))


def torque_bounds(
    name: str, tasks: Sequence[BoundTask], joint_names: Sequence[str], work: Work
) -> Iterator[tuple[int, TorqueBound | None]]:
    """The joint and the bound of every task, or None where no proof was found, as they come in a fixed order.

    The step of the work has a name. Raises `TimeLimitError` where there is no time even for a bound by amplitudes.
    """
    left = sorted(tasks, key=lambda task: task.hardness, reverse=True)
    while left:
        searches = work.map(name, _pursued, left, metered=True, note=lambda t, s: _note(joint_names[t.joint], s))
        waiting = []
        for task, search in zip(left, searches, strict=True):
            if search.is_over:
                yield task.joint, search.best
            else:
                waiting.append(replace(task, search=search))
        left = [replace(task, search=_shown_in_parts(task, work)) for task in waiting]


def _pursued(task: BoundTask, *, meter: Meter = silent) -> BoundSearch:
    """(1)."""
    error = task.error
    return pursued(error, task.search or bound_search(error, task.found, task.known), meter=meter)


def _shown_in_parts(task: BoundTask, work: Work) -> BoundSearch:
    """(2), until the target of the search is shown, or known not to be."""
    error, search = task.error, task.search
    assert search is not None
    while search.trees:
        search = with_parts(error, search, work.map(_IN_PARTS, show_part, open_parts(error, search), metered=True))
    return search


def _note(joint: str, search: BoundSearch) -> str:
    bound = search.best
    if not search.is_over:
        return f"{joint}: this takes longer, and is done in parts"
    if bound is None:
        return f"{joint}: not proven"
    if bound.by_amplitudes:
        return f"{joint}: error at most {rounded_up(bound.bound, 4)}, by amplitudes"
    return f"{joint}: error at most {rounded_up(bound.bound, 4)}, proven with {bound.boxes} boxes"
