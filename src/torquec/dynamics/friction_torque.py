"""Friction torque of all shafts: joints, mimic joints, and motors, which may turn with several joints.

(1)  a shaft with row t turns at  s = t . qd;  its torque f acts on the joints as  t f
(2)  load  sum_j |t_j| |tau_j|  of the rigid-body torques tau
(3)  tau = sum over shafts of  t f(s, load),   f the sum of the shaft's terms (:mod:`torquec.dynamics.friction`)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from torquec.dynamics.friction import Direction, ShaftState, direction_of, reads_load, terms_of
from torquec.errors import RobotError
from torquec.expr.math import absolute, select
from torquec.robot.friction import Friction
from torquec.robot.loops.closure import independent_rates
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, product, total

NO_FRICTION = Friction()


@dataclass(frozen=True)
class Shaft:
    """A shaft (joint, mimic joint or motor): its name, its speed per joint speed (n,), its friction law."""

    name: str
    row: tuple[float, ...]
    friction: Friction = NO_FRICTION

    @property
    def is_joint(self) -> bool:
        """Whether it turns with one joint only."""
        return sum(ratio != 0.0 for ratio in self.row) == 1

    def speed(self, qd: Sequence[Scalar]) -> Scalar:
        """s of (1); positions and accelerations of the shaft follow from the same row."""
        total: Scalar = 0.0
        for ratio, value in zip(self.row, qd, strict=True):
            if ratio != 0.0:
                total = total + (value if ratio == 1.0 else ratio * value)
        return total

    def load(self, tau: Sequence[Scalar]) -> Scalar:
        """Load of the shaft (2)."""
        return Shaft(self.name, tuple(map(abs, self.row))).speed([absolute(torque) for torque in tau])

    def state(
        self, qd: Sequence[Scalar], load: Sequence[Scalar] | None = None, direction: Direction | None = None
    ) -> ShaftState:
        """Speed, direction (its own unless given) and load at joint speeds qd (n,), rigid-body torques (n,)."""
        speed = self.speed(qd)
        carried = self.load(load) if load is not None and reads_load(self.friction) else 0.0
        return ShaftState(speed, direction or direction_of(self.friction, speed), carried)


def friction_shafts(robot: Robot) -> tuple[Shaft, ...]:
    """Every independent one-coordinate joint; mimic joints, other joints and motors only where they have friction."""
    if robot.dependent:
        return _independent_shafts(robot)
    shafts = []
    for body in robot.bodies:
        joint = body.joint
        if joint.friction == NO_FRICTION and (joint.mimic is not None or joint.kind.nv > 1):
            continue
        first = robot.joint_index(joint.name if joint.mimic is None else joint.mimic.joint)
        ratio = 1.0 if joint.mimic is None else joint.mimic.multiplier
        for index, coordinate in enumerate(joint.kind.coordinates, start=first):
            name = f"{joint.name}_{coordinate.suffix}" if coordinate.suffix else joint.name
            row = tuple(ratio if k == index else 0.0 for k in range(robot.n))
            shafts.append(Shaft(name, row, joint.friction))
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        if motor.friction != NO_FRICTION:
            shafts.append(Shaft(motor.name, row, motor.friction))
    return tuple(shafts)


def _independent_shafts(robot: Robot) -> tuple[Shaft, ...]:
    """The shafts of a robot with closed loops; raises `RobotError` for friction at dependent joints."""
    own = independent_rates(robot)
    shafts = []
    for shaft in friction_shafts(robot.tree):
        turns_with_others = any(ratio != 0.0 for k, ratio in enumerate(shaft.row) if k not in own)
        if turns_with_others and shaft.friction != NO_FRICTION:
            raise RobotError(
                f"the friction of '{shaft.name}' depends on the position: loops make it a dependent joint",
                where=robot.source,
                remedy="total_torque has it",
            )
        if not turns_with_others:
            shafts.append(Shaft(shaft.name, tuple(shaft.row[k] for k in own), shaft.friction))
    return tuple(shafts)


def rubbing_shafts(robot: Robot) -> tuple[Shaft, ...]:
    """The shafts of `friction_shafts` that move and have friction."""
    return tuple(shaft for shaft in friction_shafts(robot) if shaft.friction != NO_FRICTION and any(shaft.row))


def has_load_friction(robot: Robot) -> bool:
    """Whether some shaft's friction depends on the torques that it carries."""
    return any(reads_load(shaft.friction) for shaft in rubbing_shafts(robot))


ShaftDirection: TypeAlias = Callable[[Shaft, Scalar], Direction]
"""From a shaft and its speed to the direction that its dry friction follows."""


class FrictionPart(Enum):
    """A subset of the terms of a friction law."""

    ALL = "all"
    SMOOTH = "those that do not turn over with the direction: viscous, curved, cubic, offset"
    DRY = "those that oppose motion whatever its speed: Coulomb, Stribeck, load-dependent"

    def has(self, *, dry: bool) -> bool:
        """Whether the part has dry terms (`dry`), or smooth ones (not `dry`)."""
        return self is FrictionPart.ALL or (self is FrictionPart.DRY) == dry


def friction_torque(
    robot: Robot,
    qd: Sequence[Scalar],
    *,
    load: Sequence[Scalar] | None = None,
    part: FrictionPart = FrictionPart.ALL,
    direction: ShaftDirection | None = None,
) -> list[Scalar]:
    """Friction torque (n,) at joint speeds qd (n,) (3).

    `load` (n,) are the rigid-body torques at this motion, which load-dependent friction needs; without them that
    term is left out. Dry friction is zero at exactly zero speed. `direction` replaces each shaft's own rule for the
    reversal of dry friction.
    """
    torque: list[Scalar] = [0.0 * speed for speed in qd]
    for shaft in rubbing_shafts(robot):
        state = shaft.state(qd, load, None if direction is None else direction(shaft, shaft.speed(qd)))
        torque = spread_torque(torque, shaft, shaft_friction(shaft.friction, state, part))
    return torque


def shaft_friction(friction: Friction, state: ShaftState, part: FrictionPart = FrictionPart.ALL) -> Scalar:
    """f of (3) at the shaft."""
    found: Scalar = 0.0
    for term in terms_of(friction):
        if part.has(dry=term.is_dry):
            found = total(found, term.torque(friction, state))
    return found


def spread_torque(torque: Sequence[Scalar], shaft: Shaft, at_shaft: Scalar) -> list[Scalar]:
    """Joint torques (n,) with the torque of a shaft added."""
    return [total(own, product(ratio, at_shaft)) for own, ratio in zip(torque, shaft.row, strict=True)]


def load_matrix(robot: Robot, qd: Sequence[Scalar], *, direction: ShaftDirection | None = None) -> list[list[Scalar]]:
    """G (n, n) at speeds qd (n,): load-dependent friction is G |tau| of the rigid-body torques tau (n,)."""
    found: list[list[Scalar]] = [[0.0] * robot.n for _ in range(robot.n)]
    for shaft in rubbing_shafts(robot):
        state = shaft.state(qd, None, None if direction is None else direction(shaft, shaft.speed(qd)))
        slope = shaft_load_slope(shaft.friction, state)
        for i, left in enumerate(shaft.row):
            for j, right in enumerate(shaft.row):
                found[i][j] = total(found[i][j], product(left * abs(right), slope))
    return found


def shaft_load_slope(friction: Friction, state: ShaftState) -> Scalar:
    """df/dload at the shaft."""
    slope: Scalar = 0.0
    for term in terms_of(friction):
        slope = total(slope, term.load_slope(friction, state))
    return slope


def load_gain(robot: Robot, qd: Sequence[Scalar], rigid: Sequence[Scalar]) -> list[list[Scalar]]:
    """d(friction torque)/d(rigid-body torques), (n, n), at speeds qd (n,) and rigid-body torques (n,).

    Zero without load-dependent friction. The identity plus this multiplies every derivative of the rigid-body torque.
    """
    return [
        [entry if _is_zero(entry) else select(torque, entry, -entry) for entry, torque in zip(row, rigid, strict=True)]
        for row in load_matrix(robot, qd)
    ]


def _is_zero(value: Scalar) -> bool:
    return isinstance(value, float) and value == 0.0
