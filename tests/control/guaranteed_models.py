"""Models whose torque error is stated, for tests of what follows from it."""

from __future__ import annotations

import numpy as np

from torquec.model.model import Model, ModelKind
from torquec.proof.torque.certificate import Certificate, JointProof
from torquec.trajectory.motion_box import MotionBox


def claimed(robot, bounds, *, velocity=2.5, acceleration=10.0, lower=-2.5, upper=2.5, program=None) -> Model:
    """The exact model (or `program`), said to be wrong by up to `bounds`: whoever adds as much keeps the claim."""
    n = robot.n
    program = Model(robot).function("inverse_dynamics") if program is None else program
    sides = [tuple(np.broadcast_to(side, n).tolist()) for side in (lower, upper, velocity, acceleration)]
    proofs = {name: JointProof(float(bound), 0.0) for name, bound in zip(robot.joint_names, bounds, strict=True)}
    record = Certificate(robot.name, robot.content_hash, program, MotionBox(*sides), proofs)
    return Model(robot, {"inverse_dynamics": program}, record=record, kind=ModelKind.CERTIFIED_TORQUE)
