"""Whether programs of M, c, C and g are the parts of a certified torque program, at every position of its box.

Each part is made into a torque (`residual_grid`) and compared on the whole grid with the same made of the program P:

(1)  g:  P(q, 0, 0)          M:  M qdd  with  P(q, 0, qdd) - P(q, 0, 0)          c:  P(q, qd, 0) - P(q, 0, 0)
(2)  C, column j:  C_j qd_j  with  (c(qd + qd_j e_j) - c(qd) - c(qd_j e_j)) / 2,   c being a quadratic form

They may differ by 1e-9 of the robot's largest coefficient (`allowances.UNNAMED`): such programs are made of the same
coefficients in another order. Programs are combined here as real numbers, in which (q + 2^54) - 2^54 is q, so what they
compute in doubles must be the same, too (`check_doubles`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torquec.errors import CheckError
from torquec.expr import Function, trace
from torquec.expr.replay import replay
from torquec.foundation.work import Work, as_work
from torquec.proof.checker.allowances import UNNAMED
from torquec.proof.checker.check_boxes import REMEDY
from torquec.proof.checker.check_doubles import check_doubles
from torquec.proof.checker.residual_grid import ResidualGrid, no_rows
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox

_Torque = Callable[["_Motion"], Sequence[Any]]


def check_parts(
    robot: Robot, program: Function, parts: Mapping[str, Function], box: MotionBox, *, work: Work | None = None
) -> None:
    """Raise `CheckError`, naming the quantity, where one of `parts` is not that part of the program's torque."""
    with as_work(work).step("comparing M, c, C and g with the program") as step:
        allowed = _allowed(robot, program, box)
        for k, (name, part) in enumerate(parts.items()):
            step.meter(k, len(parts))
            for own, derived in _torques(robot.n, program, name, part):
                if not _difference(robot, _traced(robot.n, own), _traced(robot.n, derived), box) <= allowed:
                    raise CheckError(f"quantity '{name}' is not that part of the certified program", remedy=REMEDY)
            check_doubles(part, box.positions, allowed)


def is_same_torque(robot: Robot, program: Function, reference: Function, box: MotionBox) -> bool:
    """Whether two programs compute one torque over the positions of a box, but for rounding."""
    return _difference(robot, program, reference, box) <= _allowed(robot, program, box)


def _difference(robot: Robot, program: Function, reference: Function, box: MotionBox) -> float:
    """How far two programs can be from each other in the box, coefficient by coefficient."""
    grid = ResidualGrid(robot, program, box.lower, box.upper, reference)
    return float(grid.largest_differences(no_rows).max())


def _allowed(robot: Robot, program: Function, box: MotionBox) -> float:
    """What rounding may make of two ways to one coefficient."""
    return UNNAMED * ResidualGrid(robot, program, box.lower, box.upper).largest_coefficient()


@dataclass(frozen=True)
class _Motion:
    """Positions, speeds and accelerations, (n,) each."""

    q: Sequence[Any]
    qd: Sequence[Any]
    qdd: Sequence[Any]


def _torques(n: int, program: Function, name: str, part: Function) -> list[tuple[_Torque, _Torque]]:
    """A part as torques, and the same made of the program (1), (2)."""
    still = [0.0] * n

    def torque(q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> Sequence[Any]:
        found: Sequence[Any] = replay(program, {"q": q, "qd": qd, "qdd": qdd})["tau"]
        return found

    def moving(q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> list[Any]:
        return [x - y for x, y in zip(torque(q, qd, qdd), torque(q, still, still), strict=True)]

    def values(motion: _Motion) -> Any:
        (result,) = replay(part, {port.name: getattr(motion, port.name) for port in part.inputs}).values()
        return result

    def accelerated(motion: _Motion) -> list[Any]:
        return [sum(m * a for m, a in zip(row, motion.qdd, strict=True)) for row in values(motion)]

    def column(j: int) -> tuple[_Torque, _Torque]:
        def derived(motion: _Motion) -> list[Any]:
            q, qd = motion.q, motion.qd
            alone = [qd[j] if k == j else 0.0 for k in range(n)]
            both = [2.0 * qd[j] if k == j else qd[k] for k in range(n)]
            sides = (moving(q, speeds, still) for speeds in (both, qd, alone))
            return [0.5 * (x - y - z) for x, y, z in zip(*sides, strict=True)]

        return (lambda motion: [row[j] * motion.qd[j] for row in values(motion)]), derived

    if name == "gravity_torque":
        return [(values, lambda motion: torque(motion.q, still, still))]
    if name == "velocity_torque":
        return [(values, lambda motion: moving(motion.q, motion.qd, still))]
    if name == "mass_matrix":
        return [(accelerated, lambda motion: moving(motion.q, still, motion.qdd))]
    if name == "coriolis_matrix":
        return [column(j) for j in range(n)]
    raise CheckError(f"'{name}' is no part of a torque", remedy=REMEDY)


def _traced(n: int, torque: _Torque) -> Function:
    shapes = dict.fromkeys(("q", "qd", "qdd"), (n,))
    return trace("torque", lambda q, qd, qdd: {"tau": list(torque(_Motion(q, qd, qdd)))}, shapes)
