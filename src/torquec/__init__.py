"""A compiler for robot dynamics: a robot file in, native callables and C out.

>>> import torquec as tq
>>> arm = tq.compile(tq.classics.planar2r())
>>> arm.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).shape
(2,)

Names are imported when they are first used, so that `import torquec` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torquec.codegen.target import Target
    from torquec.errors import (
        ArgumentError,
        CheckError,
        CompileError,
        ExpressionError,
        MissingExtraError,
        ModelFileError,
        RobotError,
        RobotFileError,
        TorquecError,
    )
    from torquec.expr import Function
    from torquec.model.generate import GeneratedPackage, generate
    from torquec.model.model import Model, compile
    from torquec.model.save import load_model, save
    from torquec.reduction.base_parameters import BaseParameters, BasisMethod, base_parameters
    from torquec.reduction.check_base_parameters import check_base_parameters
    from torquec.robot import Robot, attach_payload, classics, load, write_urdf

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "BaseParameters",
    "BasisMethod",
    "CheckError",
    "CompileError",
    "ExpressionError",
    "Function",
    "GeneratedPackage",
    "MissingExtraError",
    "Model",
    "ModelFileError",
    "Robot",
    "RobotError",
    "RobotFileError",
    "Target",
    "TorquecError",
    "attach_payload",
    "base_parameters",
    "check_base_parameters",
    "classics",
    "compile",
    "generate",
    "load",
    "load_model",
    "save",
    "write_urdf",
]

_HOMES = {
    "torquec.codegen.target": ("Target",),
    "torquec.errors": (
        "ArgumentError",
        "CheckError",
        "CompileError",
        "ExpressionError",
        "MissingExtraError",
        "ModelFileError",
        "RobotError",
        "RobotFileError",
        "TorquecError",
    ),
    "torquec.expr": ("Function",),
    "torquec.model.generate": ("GeneratedPackage", "generate"),
    "torquec.model.model": ("Model", "compile"),
    "torquec.model.save": ("load_model", "save"),
    "torquec.reduction.base_parameters": ("BaseParameters", "BasisMethod", "base_parameters"),
    "torquec.reduction.check_base_parameters": ("check_base_parameters",),
    "torquec.robot": ("Robot", "attach_payload", "load", "write_urdf"),
}


def __getattr__(name: str) -> Any:
    if name == "classics":
        return importlib.import_module("torquec.robot.classics")
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'torquec' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
