"""Why an uncertain plant has no tracking error bound: joint, set, and the largest sets that keep M nonsingular."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from torquec.proof.tracking.acceleration_bound import MotionBoxes
from torquec.proof.tracking.error_inputs import ErrorInputs
from torquec.proof.tracking.error_tube import joint_unit
from torquec.proof.tracking.payload_cell import in_cell, solved
from torquec.proof.tracking.preconditioned import batched_product

if TYPE_CHECKING:
    from torquec.proof.tracking.varying_tube import VaryingTube

_BISECTIONS = 12
"""Halvings of the part of the sets that keeps M nonsingular: three digits."""


class Divergence(str):
    """A reason in words, with the set that contributes most, `cause`."""

    __slots__ = ("cause",)
    cause: str

    def __new__(cls, words: str, cause: str) -> Divergence:
        """A string of these words."""
        made = super().__new__(cls, words)
        made.cause = cause
        return made


def divergence_reason(problem: VaryingTube, causes: Mapping[str, ErrorInputs]) -> Divergence:
    """The joint and the set that contributes most, from the inputs by cause; without any, M may be singular."""
    robot, inverse = problem.proven.robot, np.abs(problem.epochs.inverse[:, problem.epochs.of_piece])
    finite = {
        cause: (each.most + np.abs(each.high) + batched_product(inverse, each.torque)).max(axis=(0, 1))
        for cause, each in causes.items()
    }
    if not finite:
        return _singular(problem)
    cause, joint = max(((name, k) for name in finite for k in range(robot.n)), key=lambda at: finite[at[0]][at[1]])
    return Divergence(
        f"the bounds diverge under this uncertainty: most of it is '{cause}' at joint "
        f"'{robot.joint_names[joint]}', an acceleration error of {finite[cause][joint]:.3g} "
        f"{joint_unit(robot.joints[joint])}/s^2; state a smaller set, choose faster poles, move more slowly, or give "
        "the robot its rotor inertias",
        cause,
    )


def _singular(problem: VaryingTube) -> Divergence:
    sets, names = problem.sets, problem.proven.robot.joint_names
    q = np.unique(problem.reference.q, axis=0)
    zero, split = np.zeros_like(q), sets.directions.shape[1]
    R, D = problem.bound.inverse(problem.bound.inertia(q, q))
    columns = sets.preconditioned(R, MotionBoxes(q, q, zero, zero, zero, zero))
    bodies = sets.deviations(*(each[:, :, :split, 1:] for each in columns))
    payload = (np.abs(columns[0]) + columns[1])[:, :, split:, 1:]
    largest = np.abs(problem.cells).sum(axis=1).max(axis=0)
    shares = {
        "bodies": bodies.sum(axis=-1).max(axis=0),
        "payload": (payload.sum(axis=-1) @ largest).max(axis=0),
    }
    cause = max(shares, key=lambda name: float(shares[name].max()))
    joint = int(np.argmax(shares[cause]))

    def is_regular(part: float) -> bool:
        load = columns[0][:, :, split:], columns[1][:, :, split:]
        cells = (in_cell(*load, part * centre, part * half, D, part * bodies) for centre, half in problem.cells)
        return all(bool(np.isfinite(solved(cell.wrong, np.ones_like(q))).all()) for cell in cells)

    part = _largest(is_regular)
    most = ", ".join(f"{name} = {value(part):.2g}" for name, value in sets.stated.items())
    found = f"; it is proven nonsingular there up to {most}" if part and most else ""
    return Divergence(
        "the mass matrix is not proven nonsingular for all robots of the sets, even on the reference: most is "
        f"'{cause}' at joint '{names[joint]}', {shares[cause][joint]:.2g} of the nominal inertia where less than 1 is "
        f"needed{found}; state a smaller set, or give the robot its rotor inertias",
        cause,
    )


def _largest(holds: Callable[[float], bool]) -> float:
    """The largest part of a set, between 0 and 1, for which a property is found to hold, by bisection."""
    least, most = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (least + most)
        least, most = (middle, most) if holds(middle) else (least, middle)
    return least
