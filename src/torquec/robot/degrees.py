"""Detection of degrees where radians are expected: numbers implausible in radians and usual in degrees.

(1)  positions: more than two turns if read as radians, at most ten turns if read as degrees; larger means "no limit"
(2)  limits of files: as (1), and only whole and half numbers, as degrees are written
(3)  speeds: above 40 rad/s, over six turns per second; the fastest arms reach half of that
(4)  angles of placements: more than one turn
"""

from __future__ import annotations

import math
import warnings

from torquec.errors import UnitWarning
from torquec.robot.tuning import TUNING

_TURN = 2.0 * math.pi * (1.0 + 1e-3)  # files round pi


def is_position_in_degrees(value: float) -> bool:
    """Whether a position looks like degrees (1).

    >>> is_position_in_degrees(90.0), is_position_in_degrees(6.283), is_position_in_degrees(1e5)
    (True, False, False)
    """
    return TUNING.radian_limit < abs(value) <= TUNING.largest_degrees


def is_limit_in_degrees(value: float) -> bool:
    """Whether a position limit looks like degrees (2).

    >>> is_limit_in_degrees(-170.0), is_limit_in_degrees(62.8318)
    (True, False)
    """
    return is_position_in_degrees(value) and value % TUNING.degree_grid == 0.0


def is_speed_in_degrees(value: float) -> bool:
    """Whether a speed looks like degrees per second (3).

    >>> is_speed_in_degrees(90.0), is_speed_in_degrees(15.0)
    (True, False)
    """
    return TUNING.radian_speed < abs(value) <= TUNING.largest_degrees


def is_placement_in_degrees(value: float) -> bool:
    """Whether an angle of a placement looks like degrees (4).

    >>> is_placement_in_degrees(90.0), is_placement_in_degrees(-3.1416)
    (True, False)
    """
    return _TURN < abs(value) <= TUNING.largest_degrees


def degrees_text(what: str, value: float, remedy: str, *, unit: str = "rad") -> str:
    """Warning text about a number that looks like degrees.

    >>> degrees_text("alpha of joint 'a'", 90.0, "write alpha_deg")
    "alpha of joint 'a' is 90 rad: radians are meant, and 90 degrees are 1.5708 (write alpha_deg)"
    """
    return (
        f"{what} is {value:g} {unit}: radians are meant, and {value:g} degrees are {math.radians(value):.5g} ({remedy})"
    )


def warn_of_degrees(text: str, where: str = "") -> None:
    """Issue a `UnitWarning` with a text from `degrees_text`."""
    warnings.warn(f"{where}: {text}" if where else text, UnitWarning, stacklevel=3)
