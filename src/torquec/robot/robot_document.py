"""A `Robot` as plain JSON values and back: every field under its own name, infinite limits as null.

The types of the dataclasses decide which values are accepted (:mod:`torquec.foundation.documents`), so that a new field
of `Robot` is saved and checked without code here. Rules that types cannot express (order of bodies, proper rotations)
are checked as in robot files.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from torquec.errors import ModelFileError, RobotFileError
from torquec.foundation.documents import Codec, DocumentFormat
from torquec.robot.robot import Robot
from torquec.robot.validate import check_structure
from torquec.spatial import Inertia, Matrix3, Pose, cross, dot

_REMEDY = "save the model again with torquec"

_Numbers = tuple[float, float, float]


@dataclass(frozen=True)
class _PoseNumbers:
    """A `Pose` with floats as scalars."""

    rotation: tuple[_Numbers, _Numbers, _Numbers]
    origin: _Numbers


@dataclass(frozen=True)
class _InertiaNumbers:
    """An `Inertia` with floats as scalars."""

    xx: float
    xy: float
    xz: float
    yy: float
    yz: float
    zz: float
    mx: float
    my: float
    mz: float
    m: float


_POSE, _INERTIA = DocumentFormat("pose"), DocumentFormat("inertia")
_FORMAT = DocumentFormat(
    "robot",
    error=ModelFileError,
    remedy=_REMEDY,
    codecs={
        Pose: Codec(
            lambda pose: _POSE.to_values(_PoseNumbers(pose.rotation, pose.origin)),
            lambda values: Pose(**asdict(_POSE.from_values(_PoseNumbers, values))),
        ),
        Inertia: Codec(
            lambda inertia: _INERTIA.to_values(_InertiaNumbers(*inertia.parameters)),
            lambda values: Inertia(**asdict(_INERTIA.from_values(_InertiaNumbers, values))),
        ),
    },
)
_OLDER = replace(_FORMAT, defaults=True)

_ORTHOGONALITY = 1e-9
"""Largest deviation of an entry of R R' from the identity: rotations are written with all their digits."""


def robot_to_dict(robot: Robot) -> dict[str, Any]:
    """The robot as JSON-ready values; warnings and source, which are no part of it, are left out."""
    document: dict[str, Any] = _FORMAT.to_values(robot)
    if robot.loops is None:
        del document["loops"]
    return document


def robot_from_dict(document: object, *, where: str = "", older: bool = False, any_inertia: bool = False) -> Robot:
    """The inverse of `robot_to_dict`; raises `ModelFileError`, naming the field, on anything else.

    `older`: fields that an older version did not have take their defaults. `any_inertia`: negative masses are accepted,
    which a robot with estimated base parameters may have.
    """
    if isinstance(document, dict) and "loops" not in document:  # a robot without loops
        document = {**document, "loops": None}
    robot = (_OLDER if older else _FORMAT).from_values(Robot, document, where=where)
    names = [body.joint.name for body in robot.bodies]
    for index, body in enumerate(robot.bodies):
        field = f"robot.bodies[{index}]"
        if not -1 <= body.parent < index:
            raise _refused(where, f"{field}.parent", f"{body.parent} is not an earlier body")
        if body.joint.mimic is not None and body.joint.mimic.joint not in names:
            raise _refused(where, f"{field}.joint.mimic", f"there is no joint '{body.joint.mimic.joint}'")
        if not _is_rotation(body.joint.placement.rotation):
            raise _refused(where, f"{field}.joint.placement.rotation", "it is not a rotation")
        if body.inertia.m < 0.0 and not any_inertia:
            raise _refused(where, f"{field}.inertia.m", f"the mass is negative: {body.inertia.m:g}")
    for index, frame in enumerate(robot.frames):
        if not -1 <= frame.body < len(robot.bodies):
            raise _refused(where, f"robot.frames[{index}].body", f"there is no body {frame.body}")
        if not _is_rotation(frame.pose.rotation):
            raise _refused(where, f"robot.frames[{index}].pose.rotation", "it is not a rotation")
    transmission = robot.drives.transmission
    if len(transmission) != len(robot.drives.motors) or any(len(row) != robot.tree.n for row in transmission):
        raise _refused(where, "robot.drives.transmission", "it needs one row per motor and one column per joint")
    try:
        check_structure(robot)
    except RobotFileError as error:
        raise _refused(where, "robot", error.found) from None
    return robot


def _is_rotation(matrix: Matrix3) -> bool:
    """Whether the matrix is a proper rotation: R R' is the identity and R does not mirror."""
    products = ((dot(matrix[i], matrix[j]), float(i == j)) for i in range(3) for j in range(i + 1))
    turned = all(abs(found - wanted) < _ORTHOGONALITY for found, wanted in products)
    return turned and bool(dot(cross(matrix[0], matrix[1]), matrix[2]) > 0.0)


def _refused(where: str, field: str, text: str) -> ModelFileError:
    return ModelFileError(f"{field}: {text}", where=where, remedy=_REMEDY)
