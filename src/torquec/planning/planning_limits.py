"""`PlanningLimits`: limits of a planned motion on torque, speed, acceleration and tip speed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.robot.robot import Robot


class LimitingKind(StrEnum):
    """The kind of the active limit of a motion."""

    TORQUE = "torque"
    SPEED = "speed"
    ACCELERATION = "acceleration"
    TIP_SPEED = "tip speed"


@dataclass(frozen=True, eq=False)
class PlanningLimits:
    """Largest torque, speed and acceleration of every joint, (n,) each, infinite where there is none.

    `tip_speed` [m/s] limits the origin of `frame`.
    """

    effort: Array
    velocity: Array
    acceleration: Array
    tip_speed: float = math.inf
    frame: str | None = None


def planning_limits(
    robot: Robot,
    *,
    effort_share: npt.ArrayLike = 1.0,
    torque_reserve: npt.ArrayLike = 0.0,
    velocity_share: npt.ArrayLike = 1.0,
    acceleration: npt.ArrayLike | None = None,
    tip_speed: float | None = None,
    frame: str | None = None,
) -> PlanningLimits:
    """The limits of the robot's file, scaled, with limits that robot files do not have.

    `effort_share` and `velocity_share` (one number or one per joint, above 0, at most 1) are factors on the
    file's limits; `torque_reserve` [N m] is then subtracted, for a controller or for model errors.
    `acceleration` is one limit or one per joint, `tip_speed` [m/s] that of the origin of `frame`. Raises
    `ArgumentError` for values out of range, for a tip speed without a frame and where neither torques nor accelerations
    are limited.
    """
    shares = [
        _per_joint(name, given, robot.n)
        for name, given in (("effort_share", effort_share), ("velocity_share", velocity_share))
    ]
    for name, share in zip(("effort_share", "velocity_share"), shares, strict=True):
        if not ((share > 0.0) & (share <= 1.0)).all():
            raise ArgumentError(f"{name} is {share.tolist()}", remedy="give a part of the limit: above 0, at most 1")
    reserve = _per_joint("torque_reserve", torque_reserve, robot.n)
    limits = [coordinate.limits for coordinate in robot.coordinates]
    effort = np.array([limit.effort for limit in limits]) * shares[0] - reserve
    velocity = np.array([limit.velocity for limit in limits]) * shares[1]
    largest = np.full(robot.n, np.inf) if acceleration is None else _per_joint("acceleration", acceleration, robot.n)
    if (reserve < 0.0).any() or (effort <= 0.0).any():
        j = int(np.argmax((reserve < 0.0) | (effort <= 0.0)))
        raise ArgumentError(
            f"a reserve of {reserve[j]:g} leaves {effort[j]:g} of the torque of joint '{robot.coordinates[j].name}'",
            remedy="reduce the reserve; reserves are not negative",
        )
    for what, values in (("speed", velocity), ("acceleration", largest)):
        if not (values > 0.0).all():
            j = int(np.argmin(values > 0.0))
            raise ArgumentError(
                f"the {what} limit of joint '{robot.coordinates[j].name}' is {values[j]:g}",
                where=robot.source,
                remedy="give the true limit, a positive number",
            )
    if (tip_speed is None) != (frame is None):
        raise ArgumentError("a tip speed goes with a frame", remedy="give tip_speed and frame, or neither")
    if tip_speed is not None and not tip_speed > 0.0:
        raise ArgumentError(f"a tip speed of {tip_speed:g} m/s", remedy="give a positive number")
    if not (np.isfinite(effort) | np.isfinite(largest)).any():
        raise ArgumentError(
            f"robot '{robot.name}' has no torque limits",
            where=robot.source,
            remedy="give effort limits in its file, or a largest acceleration",
        )
    return PlanningLimits(effort, velocity, largest, math.inf if tip_speed is None else tip_speed, frame)


def _per_joint(name: str, values: npt.ArrayLike, n: int) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.shape not in ((), (n,)) or np.isnan(array).any():
        raise ArgumentError(f"{name} has shape {array.shape}", remedy=f"give one number, or one per joint, ({n},)")
    return np.broadcast_to(array, (n,)).copy()
