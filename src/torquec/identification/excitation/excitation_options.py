"""What an exciting motion is to be: how long, of what shape, by which criterion, within which limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from torquec.foundation.choice import chosen
from torquec.identification.excitation.criterion import Criterion
from torquec.identification.excitation.workspace import WorkspaceRule
from torquec.identification.torque.torque_columns import FrictionModel


class MotionShape(StrEnum):
    """What a motion is made of."""

    FOURIER = "fourier"
    SPLINE = "spline"


@dataclass(frozen=True)
class ExcitationOptions:
    """`duration` [s] of the motion, `harmonics` of a Fourier series or `waypoints` of a spline, largest `acceleration`
    [rad/s^2 or m/s^2], friction columns to excite too, `rules` about frames; how many `evaluations`, which `seed`, and
    the sampling `period` [s] of what is returned.
    """

    duration: float = 10.0
    harmonics: int = 5
    acceleration: float = math.inf
    criterion: Criterion = Criterion.CONDITION
    evaluations: int = 3000
    seed: int = 0
    period: float = 0.005
    shape: MotionShape = MotionShape.FOURIER
    waypoints: int = 12
    friction: FrictionModel = FrictionModel.NONE
    rules: tuple[WorkspaceRule, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "criterion", chosen(Criterion, self.criterion, "criterion"))
        object.__setattr__(self, "shape", chosen(MotionShape, self.shape, "shape of motion"))
        object.__setattr__(self, "friction", chosen(FrictionModel, self.friction, "friction model"))
