"""`simplify`: the model of a robot whose inverse dynamics is as cheap as a specification of its torque error allows.

The recursion keeps only the mass moments that matter (:mod:`torquec.reduction.fewer_parameters`), then loses terms that
do not (:mod:`torquec.reduction.prune`). The error that this makes is bounded rigorously over the whole box of motions
(:mod:`torquec.reduction.proof`), and the certificate goes with the model. All other quantities stay exact.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from types import MappingProxyType

from torquec.errors import ArgumentError
from torquec.expr import Function
from torquec.model.model import Model
from torquec.model.quantities import trace_quantity
from torquec.reduction.fewer_parameters import fewer_parameters
from torquec.reduction.kept_work import once
from torquec.reduction.proof.certificate import certify
from torquec.reduction.proof.torque_bound import Motions
from torquec.reduction.prune import HIGHEST_DEGREE, prune_within
from torquec.reduction.specification import Specification, load_specification
from torquec.robot.robot import Robot


def simplify(
    robot: Robot,
    specification: Specification | str | os.PathLike[str],
    *,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
) -> Model:
    """A model with simplified inverse dynamics; the proof of its torque error is in `model.record`.

    The specification states a torque error for every joint, with the largest speed and acceleration. The proofs of the
    joints go to the executor, if one is given. Raises `ArgumentError` where a joint has no torque error,
    `RobotError` where the specification cannot be met.
    """
    stated = specification if isinstance(specification, Specification) else load_specification(specification, robot)
    tolerance = [_torque_error(stated, k) for k in range(robot.n)]
    motions = specified_motions(robot, stated)
    # `once`: an executor that keeps work (`reduction.kept_work`) keeps these steps too, so that a run can be resumed.
    fewer = once(executor, fewer_parameters, robot, motions, tolerance, progress=progress)
    exact = trace_quantity(robot, "inverse_dynamics")
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    program = once(executor, prune_within, exact, fewer.function, prismatic, motions, tolerance, progress=progress)
    record = certify(
        robot,
        exact,
        program,
        motions,
        limits=tolerance,
        degree=2 if program == fewer.function else HIGHEST_DEGREE,
        executor=executor,
        progress=progress,
    )
    functions: dict[str, Function] = {"inverse_dynamics": program}
    return Model(robot, MappingProxyType(functions), record=record)


def specified_motions(robot: Robot, specification: Specification) -> Motions:
    """The box of motions of a specification, for the independent joints."""
    bodies = [k for k, body in enumerate(robot.bodies) if body.joint.mimic is None]
    return Motions(
        tuple(specification.box.lower[k] for k in bodies),
        tuple(specification.box.upper[k] for k in bodies),
        tuple(joint.velocity for joint in specification.joints),
        tuple(joint.acceleration for joint in specification.joints),
    )


def _torque_error(specification: Specification, k: int) -> float:
    stated = specification.joints[k].torque_error if specification.joints else None
    if stated is None:
        name = specification.joints[k].name if specification.joints else f"number {k + 1}"
        raise ArgumentError(
            f"joint {name} has no torque error",
            where=specification.source,
            remedy="state torque_error (N m, or N) or torque_error_part (of the effort limit) for every joint",
        )
    return stated
