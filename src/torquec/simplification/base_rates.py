"""The table [base] of a specification: limits of a free base's twist and acceleration, and errors of its wrench.

(1)  linear_velocity, angular_velocity:            of every component of the twist, in the base's axes
(2)  linear_acceleration, angular_acceleration:    of its time derivative, components in the base's axes
(3)  force_error, moment_error:                    of every component of the wrench at the base's origin

Orientation and place are not limited. In the text of a certificate each rate is a joint of its own, by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torquec.errors import SpecificationError
from torquec.robot.floating_base import Base, base_kind
from torquec.robot.limbs import RATES, limb_joints
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates
from torquec.robot.toml import Table
from torquec.simplification.stated_number import stated_positive


def base_rates(document: Table, robot: Robot) -> dict[str, dict[str, Any]]:
    """Velocity, acceleration and torque error of the base's rates, as far as stated, by their names.

    Raises `RobotFileError` for the base of a robot that has none, and for numbers that are not positive.
    """
    table, names = document.table("base"), base_rate_names(robot)
    if table is None:
        return {}
    if not names:
        document.refuse("base", f"robot '{robot.name}' has no free base", "leave [base] out, or give --base floating")
    found = [{key: stated_positive(table, word) for key, word in _words(rate).items()} for rate in range(RATES)]
    table.finish()
    return dict(zip(names, found, strict=True))


def base_rate_names(robot: Robot) -> tuple[str, ...]:
    """Names of the six rates of a free base, which come first; none without one."""
    return robot.coordinate_names[:RATES] if robot.joints[0].kind.nv == RATES else ()


def check_base_rates(robot: Robot, given: Sequence[Any], where: str) -> None:
    """Raise `SpecificationError` unless every rate of a free base has all numbers, and no range.

    Raises `RobotError` for other joints of several coordinates, and for limbs that something but the base couples.
    """
    if base_kind(robot) is Base.FLOATING:
        limb_joints(robot)
    else:
        check_single_coordinates(robot)
    for k, (name, entries) in enumerate(zip(base_rate_names(robot), given, strict=False)):
        for key, word in _words(k).items():
            if getattr(entries, key) is None:
                raise SpecificationError(
                    f"robot '{robot.name}' has a free base, and '{word}' is missing, for '{name}'",
                    where=where,
                    remedy=f"state {word} in the table [base], in metres, radians, seconds, N and N m",
                )
        if entries.range is not None:
            raise SpecificationError(
                f"'{name}' has a range: proofs are about every pose of the base", where=where, remedy="leave it out"
            )


def _words(rate: int) -> dict[str, str]:
    """The keys in [base] of velocity, acceleration and torque error of a rate."""
    kind, effort = ("linear", "force") if rate < RATES // 2 else ("angular", "moment")
    return {"velocity": f"{kind}_velocity", "acceleration": f"{kind}_acceleration", "torque_error": f"{effort}_error"}
