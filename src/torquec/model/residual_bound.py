"""`ResidualBound`: speed-dependent conformal bound on the torque residual of an identified model, per joint.

(1)  held out: every sample has the residual of a fit that has not seen it, nor its neighbourhood
(2)  the score of a block of motion: the `level` quantile of |residual|/s(|v|) over its samples, s the typical residual
     at that speed
(3)  bound at speed v: s(|v|) times the largest score of n blocks. A further block that is exchangeable with these has a
     score below it with probability n/(n + 1) (split conformal prediction): then `level` of its samples are inside
(4)  `all`: the least interval that holds every residual of the logs that were fitted, whatever their speed (conformant)

A bound holds for torques that passed the same low-pass filter as the logs, and for motions like those recorded.
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.model.model import Model

ENOUGH_BLOCKS = 19
"""With fewer blocks than these a new block stays below the bound with a probability under 95 % (3)."""


@dataclass(frozen=True)
class ResidualBound:
    """Residual bound of one joint [N m, N]: `bounds` (b,), each from the speed in `speeds` (b,) [rad/s, m/s] on.

    `speeds` begin at zero. `level` is the share of a block's samples inside the bound, `blocks` the number of held-out
    blocks, `seconds` the length of each, `all` the interval (4). Raises `ArgumentError` for numbers that are no bound.
    """

    joint: str
    level: float
    blocks: int
    seconds: float
    speeds: tuple[float, ...]
    bounds: tuple[float, ...]
    all: tuple[float, float]

    def __post_init__(self) -> None:
        numbers = (self.level, self.seconds, *self.speeds, *self.bounds, *self.all)
        rising = all(a < b for a, b in zip(self.speeds, self.speeds[1:], strict=False))
        right = (
            all(math.isfinite(number) for number in numbers)
            and 0.0 < self.level < 1.0
            and self.blocks >= 1
            and len(self.speeds) == len(self.bounds) >= 1
            and self.speeds[0] == 0.0
            and rising
            and min(self.bounds) >= 0.0
            and self.all[0] <= self.all[1]
        )
        if not right:
            raise ArgumentError(
                f"the residual of '{self.joint}' is no bound",
                remedy="give rising speeds from zero on, a bound that is not negative for each, and a level below one",
            )

    @property
    def confidence(self) -> float:
        """The probability n/(n + 1) of (3)."""
        return self.blocks / (self.blocks + 1)

    @property
    def is_sure(self) -> bool:
        """Whether there are blocks enough for a probability of 95 %."""
        return self.blocks >= ENOUGH_BLOCKS

    @property
    def largest(self) -> float:
        """The largest bound over all speeds."""
        return max(self.bounds)

    @property
    def enclosing(self) -> float:
        """The largest |residual| of any sample that was fitted (4)."""
        return max(abs(self.all[0]), abs(self.all[1]))

    def at(self, speed: float) -> float:
        """The bound at a speed.

        >>> ResidualBound("j", 0.99, 20, 0.5, (0.0, 1.0), (2.0, 3.0), (-2.5, 2.0)).at(-1.5)
        3.0
        """
        return self.bounds[bisect.bisect_right(self.speeds, abs(speed)) - 1]


def residual_bounds(model: Model) -> dict[str, ResidualBound]:
    """Residual bounds of an identified model by joint; raises `ArgumentError` for a model without them."""
    known = None if model.parameters is None else model.parameters.residual
    if not known:
        raise ArgumentError(
            f"the model of '{model.robot.name}' has no residual", remedy="give a model that torquec identify has made"
        )
    found = {bound.joint: bound for bound in known}
    if lacking := [name for name in model.robot.joint_names if name not in found]:
        raise ArgumentError(f"the residual of '{lacking[0]}' is not known", remedy="identify with a log of this joint")
    return found
