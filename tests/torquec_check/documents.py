"""Documents that tests of the checker are about, made by torquec's writers from its classic robots."""

from __future__ import annotations

import copy
import functools
from typing import Any

from torquec.expr import function_to_dict
from torquec.model.quantities import trace_quantity
from torquec.robot import classics
from torquec.robot.robot_document import robot_to_dict


@functools.cache
def _robot(name: str) -> dict[str, Any]:
    return robot_to_dict(getattr(classics, name)())


def robot_document(name: str = "planar2r") -> dict[str, Any]:
    """The document of a classic robot."""
    return copy.deepcopy(_robot(name))


@functools.cache
def _program(name: str) -> dict[str, Any]:
    return function_to_dict(trace_quantity(getattr(classics, name)(), "inverse_dynamics"))


def program_document(name: str = "planar2r") -> dict[str, Any]:
    """The document of a classic robot's inverse dynamics."""
    return copy.deepcopy(_program(name))
