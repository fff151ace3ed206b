"""Which way a shaft moves, as dry friction sees it: what a force that opposes motion is at once, or turns over to.

(1)  step:     f+ for v > 0,  -f- for v < 0,  0 at v = 0
(2)  rounded:  max(z, 0) f+ + min(z, 0) f-  with z between -1 and 1, such as tanh(v/w)
(3)  one way:  f+ or -f-, whatever the speed: what friction could be at most

Friction that turns over a distance has memory. It is (1) here, where it ends some widths after a reversal; fits of
logs, which know the past, follow it (`torquec.identification.torque.coulomb_shape`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torquec.expr.math import maximum, minimum, select, tanh
from torquec.robot.robot import Friction
from torquec.spatial import Scalar


class Direction(Protocol):
    """A direction of motion, sharp or rounded."""

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """`positive` moving forwards, -`negative` moving backwards, and what lies between while it turns."""

    def slope(self, positive: float, negative: float) -> Scalar:
        """The derivative of `sided` by the speed."""


@dataclass(frozen=True)
class Step:
    """(1)."""

    speed: Scalar

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """Nothing at zero speed."""
        return select(self.speed, select(-self.speed, 0.0, positive), -negative)

    def slope(self, positive: float, negative: float) -> Scalar:
        """A step has none."""
        return 0.0


@dataclass(frozen=True)
class Rounded:
    """(2), with z and dz/dv."""

    z: Scalar
    rate: Scalar = 0.0

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """Weighted by z."""
        if positive is negative or (isinstance(positive, float) and positive == negative):
            return positive * self.z
        return positive * maximum(self.z, 0.0) + negative * minimum(self.z, 0.0)

    def slope(self, positive: float, negative: float) -> Scalar:
        """By the side that z is on."""
        return select(self.z, positive, negative) * self.rate


@dataclass(frozen=True)
class OneWay:
    """(3)."""

    forwards: bool

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """Of one side."""
        return positive if self.forwards else -negative

    def slope(self, positive: float, negative: float) -> Scalar:
        """It does not turn."""
        return 0.0


def direction_of(friction: Friction, speed: Scalar) -> Direction:
    """The direction as the friction's own turnover has it: a step, or over a range of speeds."""
    width = friction.value("turnover_speed")
    if not width:
        return Step(speed)
    z = tanh(speed / width)
    return Rounded(z, (1.0 - z * z) / width)
