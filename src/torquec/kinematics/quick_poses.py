"""Lazy results of native inverse kinematics calls: joint positions directly, status and error on access.

A call of inverse kinematics takes less than a microsecond. A Python object with four arrays would cost more than the
solution, so the kernel gives two arrays:

(1)  all branches:  q (branches, n),  rest (branches + 1, 3): status and errors [m, rad] of every branch;
     the last row begins with the defect of the rotation (`rotation_defect`)
(2)  the nearest:   q (n,),  rest (5,): branch, status, errors [m, rad], defect

For a batch both have a leading axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.arm_poses import ArmPoses, BranchStatus, NearestPose, rotation_defect

ROTATION = 1e-6
"""Orthonormality tolerance of a rotation matrix: six digits in a file are enough."""

_OUT_OF_REACH = float(BranchStatus.OUT_OF_REACH)


class QuickArmPoses(ArmPoses):
    """Lazy `ArmPoses` from the arrays (1)."""

    rest: Array

    @cached_property
    def status(self) -> Indices:
        """As in `ArmPoses`."""
        return self.rest[..., : self.q.shape[-2], 0].astype(np.int64)

    @cached_property
    def error(self) -> Array:
        """As in `ArmPoses`."""
        return np.ascontiguousarray(self.rest[..., : self.q.shape[-2], 1:])

    def met(self, degree: int) -> ArmPoses:
        """The branches that meet the pose; `complete` unless one of them is singular."""
        status = self.rest[:-1, 0].tolist()
        kept = [k for k, word in enumerate(status) if word < _OUT_OF_REACH]
        complete = not any(int(status[k]) & 1 for k in kept)
        if len(kept) == len(status):
            return made_poses({**self.__dict__, "complete": complete, "degree": degree})
        names = tuple([self.names[k] for k in kept])
        q, rest = self.q.take(kept, axis=0), self.rest.take(kept, axis=0)
        return made_poses({"names": names, "q": q, "rest": rest, "complete": complete, "degree": degree})


class QuickNearestPose(NearestPose):
    """Lazy `NearestPose` from the arrays (2)."""

    rest: Array

    @cached_property
    def branch(self) -> Indices:
        """As in `NearestPose`."""
        return np.asarray(self.rest[..., 0].astype(np.int64))

    @cached_property
    def status(self) -> Indices:
        """As in `NearestPose`."""
        return np.asarray(self.rest[..., 1].astype(np.int64))

    @cached_property
    def error(self) -> Array:
        """As in `NearestPose`."""
        return np.ascontiguousarray(self.rest[..., 2:4])


def made_poses(fields: dict[str, Any]) -> QuickArmPoses:
    """A result from its fields, in a third of the constructor's time, which sets them one by one."""
    made = QuickArmPoses.__new__(QuickArmPoses)
    made.__dict__.update(fields)
    return made


_LAZY = ("status", "error", "branch")  # attributes that a result computes once, from `rest`

QuickCall: TypeAlias = Callable[[Any, Any, Any, Any], Any]
"""(rotation, position, near, out) -> a result, or None where the caller has to refuse an input by its own message."""


def quick_call(call: Callable[..., Any], default: Array | None, names: tuple[str, ...] | None = None) -> QuickCall:
    """A fast call that gives (1) if branch `names` are given, else (2).

    `default` is the reference of calls that give none; None if it must be searched for. The closure holds everything
    that a call needs: looking it up would take a third of the call.
    """
    kind: Any = QuickNearestPose if names is None else QuickArmPoses
    new, axes, place, largest = kind.__new__, 1 if names is None else 2, -1 if names is None else -3, ROTATION

    def quick(rotation: Any, position: Any, near: Any, out: Any) -> Any:
        reference = default if near is None else near
        if reference is None:
            return None
        try:
            if out is None:
                q, rest = call(rotation, position, reference)
            else:
                q, rest = _reused(call, (rotation, position, reference), out, kind)
        except ArgumentError:
            return None
        defect = rest.item(place) if rest.ndim == axes else rest.reshape(len(rest), -1)[:, place].max(initial=0.0)
        if not defect <= largest:
            return None
        if out is not None:
            return out
        made = new(kind)
        fields = made.__dict__
        fields["q"], fields["rest"] = q, rest
        if names is not None:
            fields["names"] = names
        return made

    return quick


def _reused(call: Callable[..., Any], inputs: tuple[Any, ...], out: Any, kind: type) -> tuple[Array, Array]:
    """A call that writes into the arrays of an earlier result."""
    check_reusable(out, kind)
    for name in _LAZY:
        out.__dict__.pop(name, None)
    call(*inputs, out=(out.q, out.rest))
    return out.q, out.rest


def check_reusable(out: Any, kind: type) -> None:
    """Raise `ArgumentError` where a call has an `out` that it cannot write to."""
    if out is not None and not isinstance(out, kind):
        raise ArgumentError(
            f"out is a {type(out).__name__}",
            remedy="give the result of an earlier call, with a reference, of an arm with a closed form",
        )


def checked_algorithm(algorithm: Callable[..., Mapping[str, Any]]) -> Callable[..., dict[str, Any]]:
    """The program of all branches, or of the nearest one, with outputs as in (1) or (2)."""

    def checked(rotation: Any, position: Any, near: Any) -> dict[str, Any]:
        found = dict(algorithm(rotation, position, near))
        defect = rotation_defect(rotation, [*position, *near])
        if "branch" in found:
            return {"q": found["q"], "rest": [found["branch"], found["status"], *found["error"], defect]}
        rows = [[status, *error] for status, error in zip(found["status"], found["error"], strict=True)]
        return {"q": found["q"], "rest": [*rows, [defect, 0.0, 0.0]]}

    return checked
