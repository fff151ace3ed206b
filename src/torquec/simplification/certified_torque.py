"""Inverse dynamics within given torque errors: two ways to a small program, the cheaper one proven.

(1)  the recursion with fewer, fitted parameters (:mod:`torquec.simplification.fewer_parameters`), pruned
(2)  the closed form without insignificant terms (:mod:`torquec.simplification.closed_torque`), pruned, for robots small
     enough that it has a chance
(3)  the exact program, which costs most and errs only by rounding
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torquec.errors import SpecificationError
from torquec.expr import Function, count_operations
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.proof.certificate import Certificate, UnprovenError, certify
from torquec.proof.motions import Motions
from torquec.proof.torque_residual import positions_read
from torquec.robot.robot import Robot
from torquec.simplification.closed_torque import closed_torque
from torquec.simplification.fewer_parameters import fewer_parameters
from torquec.simplification.prune import prune_within

_SHRINKS = 2.2
"""What pruning usually makes of a closed form: one that costs more than this many times the recursion is not tried."""

MOST_JOINTS = 6
"""Up to this many joints the closed form is tried: beyond, it has thousands of terms."""


_PARTS = ((4, 0.98), (5, 0.97), (6, 0.9), (math.inf, 0.85))
"""Up to so many joints, the part of the tolerances that errors may use: the more of them, the more room proofs need."""

_PRUNINGS, _PROOFS = 8, 2
"""How many seeds a program is pruned with, and how many of the results are tried to be proven."""

_LESS, _ATTEMPTS = 0.92, 4
"""What a joint's part is lowered by where its error was not proven, and how often before the exact program is taken."""


def certified_torque(
    robot: Robot, exact: Function, motions: Motions, tolerance: Sequence[float], *, work: Work | None = None
) -> Certificate:
    """The cheapest program found whose torque errors are proven to stay within the tolerances (n,), with the proof.

    `exact` is the program of the robot's inverse dynamics. Raises `SpecificationError` with joint and smallest error
    that can be proven where a tolerance is below the rounding of the exact program.
    """
    work = as_work(work)
    allowed = [float(error) for error in tolerance]
    _check_provable(robot, exact, motions, allowed)
    parts = dict.fromkeys(robot.joint_names, _part_to_use(exact))
    for _ in range(_ATTEMPTS):
        aims = [parts[name] * error for name, error in zip(robot.joint_names, allowed, strict=True)]
        programs = _recursive(robot, exact, motions, aims, work)
        closed = _closed(robot, exact, motions, aims, min(_cost(exact), _cost(programs[0])), work)
        if closed is not None:
            programs.append(closed)
        unproven = set()
        for program in sorted(programs, key=_cost)[:_PROOFS]:
            if _cost(program) >= _cost(exact):
                break
            try:
                return certify(robot, exact, program, motions, limits=allowed, work=work)
            except UnprovenError as error:
                unproven.add(error.joint)
        for name in unproven or parts:
            parts[name] *= _LESS
    return certify(robot, exact, exact, motions, limits=allowed, work=work)


def _part_to_use(exact: Function) -> float:
    """The part of the tolerances that errors may use."""
    return next(part for joints, part in _PARTS if len(positions_read(exact)) <= joints)


def _recursive(robot: Robot, exact: Function, motions: Motions, tolerance: list[float], work: Work) -> list[Function]:
    """(1), pruned with several seeds, the cheapest first."""
    fewer = work.run("searching for fewer parameters", fewer_parameters, robot, motions, tolerance, metered=True)
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    tasks = [(exact, fewer.function, prismatic, motions, tolerance, seed) for seed in range(_PRUNINGS)]
    found = work.map("pruning", _pruned, tasks, metered=True, note=lambda _, program: f"{count_operations(program)}")
    return sorted(dict.fromkeys(found), key=_cost)


def _pruned(
    task: tuple[Function, Function, list[bool], Motions, list[float], int], *, meter: Meter = silent
) -> Function:
    exact, simplified, prismatic, motions, tolerance, seed = task
    return prune_within(exact, simplified, prismatic, motions, tolerance, seed=seed, meter=meter)


def _closed(
    robot: Robot, exact: Function, motions: Motions, tolerance: list[float], cost: int, work: Work
) -> Function | None:
    """(2), or None where it is not worth trying; `cost` is what the other ways have reached."""
    if len(robot.bodies) > MOST_JOINTS or len(robot.bodies) != robot.n:
        return None
    most = int(_SHRINKS * cost)
    return work.run("pruning the closed form", closed_torque, robot, exact, motions, tolerance, most, metered=True)


def _cost(program: Function) -> int:
    return count_operations(program).cost


def _check_provable(robot: Robot, exact: Function, motions: Motions, tolerance: Sequence[float]) -> None:
    """Refuse tolerances that even the exact program is not proven to keep."""
    proofs = certify(robot, exact, exact, motions).joints
    for (name, proof), allowed in zip(proofs.items(), tolerance, strict=True):
        if not proof.bound <= allowed:
            raise SpecificationError(
                f"joint '{name}' is allowed a torque error of {allowed:.3g}, less than rounding makes of exact torques",
                remedy=f"allow at least {proof.bound:.3g}, the smallest error that can be proven",
            )
