"""A `Robot` as plain JSON values and back: every field under its own name, infinite limits as null.

The types of the dataclasses decide what is accepted, so a field added to `Robot` is saved and checked without a line
here.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from torquec.errors import ModelFileError
from torquec.robot.robot import Robot

_NOT_SAVED = ("warnings", "source")
"""What the file said on loading; no part of the robot (`Robot` does not compare them either)."""

_ADDED = ("further", "counterbalances")
"""Fields that the first files did not have: they may be missing."""


def robot_to_dict(robot: Robot) -> dict[str, Any]:
    """The robot as JSON-ready values."""
    document: dict[str, Any] = _plain(dataclasses.asdict(robot))
    for name in _NOT_SAVED:
        del document[name]
    return document


def robot_from_dict(document: object, *, where: str = "") -> Robot:
    """The inverse of `robot_to_dict`; raises `ModelFileError`, naming the field, on anything else."""
    robot = _read(Robot, document, "robot", where)
    assert isinstance(robot, Robot)
    names = [body.joint.name for body in robot.bodies]
    for index, body in enumerate(robot.bodies):
        if not -1 <= body.parent < index:
            raise _refused(where, f"robot.bodies[{index}].parent", f"{body.parent} is no earlier body")
        if body.joint.mimic is not None and body.joint.mimic.joint not in names:
            raise _refused(where, f"robot.bodies[{index}].joint.mimic", f"there is no joint '{body.joint.mimic.joint}'")
    for index, frame in enumerate(robot.frames):
        if not -1 <= frame.body < len(robot.bodies):
            raise _refused(where, f"robot.frames[{index}].body", f"there is no body {frame.body}")
    transmission = robot.drives.transmission
    if len(transmission) != len(robot.drives.motors) or any(len(row) != robot.n for row in transmission):
        raise _refused(where, "robot.drives.transmission", "it needs one row per motor and one column per joint")
    return robot


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, bool | int | str) or value is None:
        return value
    number = float(value)
    return number if math.isfinite(number) else None


def _read(kind: Any, value: object, field: str, where: str) -> Any:
    """The value as the type `kind`; `field` is its path in the document."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _read_dataclass(kind, value, field, where)
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        chosen = next(arg for arg in args if arg is not type(None))
        return None if value is None else _read(chosen, value, field, where)
    if origin is tuple:
        if not isinstance(value, list):
            raise _refused(where, field, "a list was expected")
        item_kinds = (args[0],) * len(value) if args[-1] is Ellipsis else args
        if len(value) != len(item_kinds):
            raise _refused(where, field, f"{len(item_kinds)} elements were expected, there are {len(value)}")
        return tuple(
            _read(item_kind, item, f"{field}[{k}]", where)
            for k, (item_kind, item) in enumerate(zip(item_kinds, value, strict=True))
        )
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if value not in [member.value for member in kind]:
            raise _refused(where, field, f"{value!r} is none of {', '.join(kind)}")
        return kind(str(value))
    if kind in (str, bool, int):
        if type(value) is not kind:
            raise _refused(where, field, f"{kind.__name__} was expected, not {value!r}")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _refused(where, field, f"a finite number was expected, not {value!r}")
    return float(value)


def _read_dataclass(kind: type[Any], value: object, field: str, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise _refused(where, field, "an object was expected")
    kinds = {name: hint for name, hint in _hints(kind).items() if name not in _NOT_SAVED}
    if missing := [name for name in kinds if name not in value and name not in _ADDED]:
        raise _refused(where, field, f"'{missing[0]}' is missing")
    if unknown := [name for name in value if name not in kinds]:
        raise _refused(where, field, f"'{unknown[0]}' is not known")
    read = {}
    for name, hint in kinds.items():
        if name not in value:
            continue
        default = kind.__dict__.get(name)
        if value[name] is None and isinstance(default, float) and math.isinf(default):  # no limit is null in the file
            read[name] = default
        else:
            read[name] = _read(hint, value[name], f"{field}.{name}", where)
    return kind(**read)


def _hints(kind: type[Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _refused(where: str, field: str, text: str) -> ModelFileError:
    return ModelFileError(f"{field}: {text}", where=where, remedy="save the model again with torquec")
