"""Shafts: everything that turns with the joints and can rub, each with its speed per joint speed.

A shaft is a joint, a joint that follows another one, or a motor, which may turn with several joints:

(1)  speed  s = t . qd,   its torque f acts on the joints as  t f,   t its row
(2)  load   sum_j |t_j| |tau_j|  of the rigid-body torques tau
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.friction import Direction, ShaftState, direction_of
from torquec.dynamics.friction.terms import reads_load
from torquec.expr.math import absolute
from torquec.robot.robot import Friction, Robot
from torquec.spatial import Scalar

NO_FRICTION = Friction()


@dataclass(frozen=True)
class Shaft:
    """Something that turns and may rub: its name, its speed per joint speed (n,), its friction."""

    name: str
    row: tuple[float, ...]
    friction: Friction = NO_FRICTION

    @property
    def is_joint(self) -> bool:
        """Whether it turns with one joint only."""
        return sum(ratio != 0.0 for ratio in self.row) == 1

    def speed(self, qd: Sequence[Scalar]) -> Scalar:
        """s of (1); also positions and accelerations go through the row."""
        total: Scalar = 0.0
        for ratio, value in zip(self.row, qd, strict=True):
            if ratio != 0.0:
                total = total + (value if ratio == 1.0 else ratio * value)
        return total

    def load(self, tau: Sequence[Scalar]) -> Scalar:
        """(2)."""
        return Shaft(self.name, tuple(map(abs, self.row))).speed([absolute(torque) for torque in tau])

    def state(
        self, qd: Sequence[Scalar], load: Sequence[Scalar] | None = None, direction: Direction | None = None
    ) -> ShaftState:
        """How it moves at joint speeds qd (n,) under rigid-body torques (n,); its own direction unless one is given."""
        speed = self.speed(qd)
        carried = self.load(load) if load is not None and reads_load(self.friction) else 0.0
        return ShaftState(speed, direction or direction_of(self.friction, speed), carried)


def friction_shafts(robot: Robot) -> tuple[Shaft, ...]:
    """Every independent joint, and each mimic joint and motor that has friction."""
    shafts = []
    for body in robot.bodies:
        joint = body.joint
        if joint.mimic is not None and joint.friction == NO_FRICTION:
            continue
        index = robot.joint_index(joint.name if joint.mimic is None else joint.mimic.joint)
        ratio = 1.0 if joint.mimic is None else joint.mimic.multiplier
        row = tuple(ratio if k == index else 0.0 for k in range(robot.n))
        shafts.append(Shaft(joint.name, row, joint.friction))
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        if motor.friction != NO_FRICTION:
            shafts.append(Shaft(motor.name, row, motor.friction))
    return tuple(shafts)


def rubbing_shafts(robot: Robot) -> tuple[Shaft, ...]:
    """Those of `friction_shafts` that have friction and move."""
    return tuple(shaft for shaft in friction_shafts(robot) if shaft.friction != NO_FRICTION and any(shaft.row))


def has_load_friction(robot: Robot) -> bool:
    """Whether some shaft's friction depends on the torques that it carries."""
    return any(reads_load(shaft.friction) for shaft in rubbing_shafts(robot))
