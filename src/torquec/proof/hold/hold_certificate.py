"""Hold certificate: error bounds of held coefficients, with the witness by which :mod:`torquec_check.hold` proves them.

The witness holds the motions and, for every joint, the parts of its bound (`HoldBound.parts`) and the model's error.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from torquec.expr import Function, function_to_dict
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.proof.hold.held_torque_bound import ROUNDED, HoldBound, checked_box
from torquec.proof.hold.hold_order import HoldOrder
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_to_dict
from torquec.trajectory.motion_box import MotionBox
from torquec_check.boxes import amplitude, waves_of
from torquec_check.document import RefusedError, canonical_hash
from torquec_check.hold import FORMAT, check_hold, hold_of
from torquec_check.program import torque_program
from torquec_check.program_error import difference
from torquec_check.robot import robot_of
from torquec_check.rounding import DOUBLE, rounding_errors

_MOST_VALUES = 2e10
"""Limit of control values (Bernstein coefficients), a minute or two: a part with more of them is not proven."""


def hold_witness(
    robot: Robot,
    program: Function,
    motions: MotionBox,
    bound: HoldBound,
    *,
    jerk: Sequence[float] | None,
    age: float,
    order: HoldOrder,
    model: Sequence[float] | None,
) -> Mapping[str, Any] | None:
    """Witness of a hold certificate: its motions, and its bounds by joint.

    `model` (n,) are the program's own errors, None for an exact program. Returns None where the checker does not know
    the kind of a joint, or the robot is too large for it.
    """
    parts, limits = bound.parts(age, order), None if jerk is None else list(map(float, jerk))
    try:
        own = _exact_errors(robot, program, motions) if model is None else [float(x) for x in model]
    except RefusedError:
        return None
    for joint, error in zip(robot.joint_names, own, strict=True):
        held = parts[joint]["bound"]
        assert held is not None
        parts[joint] = {**parts[joint], "bound": ROUNDED * (held + error), "model": error}
    box = {key: list(values) for key, values in dataclasses.asdict(motions).items()}
    return {"motions": {**box, "jerk": limits}, "joints": parts}


def hold_certificate(
    robot: Robot, program: Function, witness: Mapping[str, Any], *, age: float, order: HoldOrder
) -> Mapping[str, Any]:
    """The document that :mod:`torquec_check.hold` proves."""
    document = {
        "format": FORMAT,
        "robot_document": robot_to_dict(robot),
        "program": function_to_dict(program),
        "order": order.value,
        "age": age,
        **witness,
    }
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return plain | {"sha256": canonical_hash(plain)}


def _exact_errors(robot: Robot, program: Function, motions: MotionBox) -> list[float]:
    """Errors (n,) of an exact program: snapped angles and rounding, as sums of amplitudes."""
    box = checked_box(motions)
    made = torque_program(function_to_dict(program), robot.n)
    with one_thread():
        errors = difference(robot_of(robot_to_dict(robot)), made, box)
        found = rounding_errors(made, box, DOUBLE)
        for i, rows in enumerate(errors.error):
            for key, ball in rows.items():
                rate = math.prod(box.velocity[k] if k >= 0 else box.acceleration[~k] for k in key)
                waves, noise = waves_of(ball, errors.grid)
                found[i] += rate * (amplitude(waves) + noise)
    return [ROUNDED * error for error in found]


def is_hold_proven(document: Mapping[str, Any], *, work: Work | None = None) -> bool:
    """Whether the checker proves a hold certificate; also False where that is too large or takes too long."""
    task = as_work(work)
    with task.step("proving the hold error again", whole=1.0) as step, one_thread():

        def progress(_step: str, part: float) -> None:
            step.show(part)
            if task.budget.is_over:
                raise RefusedError("the time is over")

        try:
            check_hold(hold_of(document), progress, _MOST_VALUES)
        except RefusedError:
            return False
    return True
