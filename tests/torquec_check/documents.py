"""Documents that tests of the checker are about, made by torquec's writers from its classic robots."""

from __future__ import annotations

import functools
import json
from typing import Any

from torquec.expr import function_to_dict
from torquec.model.quantities import trace_quantity
from torquec.robot import classics
from torquec.robot.robot_document import robot_to_dict


@functools.cache
def _robot(name: str) -> str:
    return json.dumps(robot_to_dict(getattr(classics, name)()))


def robot_document(name: str = "planar2r") -> dict[str, Any]:
    """The document of a classic robot."""
    return json.loads(_robot(name))


@functools.cache
def _program(name: str) -> str:
    return json.dumps(function_to_dict(trace_quantity(getattr(classics, name)(), "inverse_dynamics")))


def program_document(name: str = "planar2r") -> dict[str, Any]:
    """The document of a classic robot's inverse dynamics."""
    return json.loads(_program(name))
