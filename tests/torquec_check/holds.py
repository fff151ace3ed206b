"""Hold certificates of classic robots, made once."""

from __future__ import annotations

import functools
import json

import torquec as tq
from torquec.model.model import as_model
from torquec.proof.hold.hold_certificate import hold_certificate, hold_witness
from torquec.proof.hold.hold_order import HoldOrder
from torquec.trajectory.motion_box import MotionBox

BOX = MotionBox((-1.0, -3.2), (1.0, 3.25), (2.0, 3.0), (4.0, 5.0))
JERK = (30.0, 40.0)


@functools.cache
def _bound(name, jerk):
    """Robot, program, box, jerks and bounds, the same for every order and age."""
    robot = getattr(tq.classics, name)()
    n = robot.n
    box = BOX if n == 2 else MotionBox(*((x,) * n for x in (-0.5, 0.5, 1.0, 2.0)))
    limits = jerk if jerk is None or n == 2 else jerk[:1] * n
    return robot, as_model(robot).function("inverse_dynamics"), box, limits, tq.hold_bound(robot, box, jerk=limits)


@functools.cache
def _made(order, jerk, name="planar2r", age=0.01):
    robot, program, box, limits, bound = _bound(name, jerk)
    given = {"age": age, "order": HoldOrder(order)}
    witness = hold_witness(robot, program, box, bound, jerk=limits, model=None, **given)
    return json.dumps(hold_certificate(robot, program, witness, **given))


def document(order="first", jerk=JERK, **options):
    """The document of a certificate."""
    return json.loads(_made(order, jerk, **options))
