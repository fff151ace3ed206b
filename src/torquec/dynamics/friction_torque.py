"""Friction torque of all shafts: joints, joints that follow others, and motors.

(1)  tau = sum over shafts of  t f(t . qd, load),   t the shaft's row (`shafts`),   f the sum of its terms (`friction`)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeAlias

from torquec.dynamics.friction import Direction, ShaftState, terms_of
from torquec.dynamics.shafts import Shaft, rubbing_shafts
from torquec.expr.math import select
from torquec.robot.robot import Friction, Robot
from torquec.spatial import Scalar, product, total

ShaftDirection: TypeAlias = Callable[[Shaft, Scalar], Direction]
"""From a shaft and its speed to the direction that its dry friction follows."""


class FrictionPart(Enum):
    """Which terms of a law are meant."""

    ALL = "all"
    SMOOTH = "those that do not turn over with the direction: viscous, curved, cubic, offset"
    DRY = "those that oppose motion whatever its speed: Coulomb, Stribeck, load-dependent"

    def has(self, *, dry: bool) -> bool:
        """Whether a term that is dry, or one that is not, belongs to the part."""
        return self is FrictionPart.ALL or (self is FrictionPart.DRY) == dry


def friction_torque(
    robot: Robot,
    qd: Sequence[Scalar],
    *,
    load: Sequence[Scalar] | None = None,
    part: FrictionPart = FrictionPart.ALL,
    direction: ShaftDirection | None = None,
) -> list[Scalar]:
    """The torque (n,) that friction costs at joint speeds qd (n,) (1).

    `load` (n,) are the rigid-body torques at this motion, which load-dependent friction needs; without them that
    term is left out. Dry friction is zero at exactly zero speed. `direction` says how dry friction turns over, in place
    of what each shaft's friction says.
    """
    torque: list[Scalar] = [0.0 * speed for speed in qd]
    for shaft in rubbing_shafts(robot):
        state = shaft.state(qd, load, None if direction is None else direction(shaft, shaft.speed(qd)))
        torque = spread_torque(torque, shaft, shaft_friction(shaft.friction, state, part))
    return torque


def shaft_friction(friction: Friction, state: ShaftState, part: FrictionPart = FrictionPart.ALL) -> Scalar:
    """f of (1) at the shaft."""
    found: Scalar = 0.0
    for term in terms_of(friction):
        if part.has(dry=term.is_dry):
            found = total(found, term.torque(friction, state))
    return found


def spread_torque(torque: Sequence[Scalar], shaft: Shaft, at_shaft: Scalar) -> list[Scalar]:
    """Joint torques (n,) with that of a shaft added."""
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

    Zero but for load-dependent friction; one plus this multiplies every derivative of the rigid-body torque.
    """
    return [
        [entry if _is_zero(entry) else select(torque, entry, -entry) for entry, torque in zip(row, rigid, strict=True)]
        for row in load_matrix(robot, qd)
    ]


def _is_zero(value: Scalar) -> bool:
    return isinstance(value, float) and value == 0.0
