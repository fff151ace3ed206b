"""URDF's `<joint>`: which two links it joins, where, and how it moves."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from torquec.errors import RobotFileError
from torquec.robot.joints import JointKind
from torquec.robot.joints.joint_type import JointType
from torquec.robot.robot import FileWarning, Friction, Joint, Limits, Mimic
from torquec.robot.urdf_link import read_origin
from torquec.robot.validate import check_joint
from torquec.robot.xml import Element
from torquec.spatial import Pose, norm

NO_LIMIT = sys.float_info.max
"""URDF requires some limits that a robot may not have, and has no word for infinity: this number stands for it."""

_FIXED = "fixed"
_MOVING = {type.kind.urdf: type for type in JointType}


@dataclass(frozen=True)
class Connection:
    """A joint as the file gives it: `joint` has the origin as its placement, and is None for a fixed one."""

    name: str
    where: str
    parent: str
    child: str
    origin: Pose
    joint: Joint | None


def read_connection(element: Element, warnings: list[FileWarning]) -> Connection:
    """What a `<joint>` says; raises `RobotFileError` for a type that is not supported and for what makes no sense."""
    name = element.attribute("name")
    origin = read_origin(element, warnings)
    parent, child = element.need("parent").attribute("link"), element.need("child").attribute("link")
    type_name = element.attribute("type")
    joint = None
    if type_name in _MOVING:
        joint = _read_joint(element, name, _MOVING[type_name], origin, warnings)
    elif type_name == _FIXED:
        mimic = element.find("mimic")
        if mimic is not None:
            warnings.append(FileWarning(mimic.where, f"{element} is fixed: its <mimic> is not read"))
    else:
        known = ", ".join([*_MOVING, _FIXED])
        lost = "only fixed-base robots are supported" if type_name == "floating" else "split it into single joints"
        raise RobotFileError(
            f"joint '{name}' is of type '{type_name}'",
            where=element.where,
            remedy=f"use one of {known}" + (f"; {lost}" if type_name in ("floating", "planar") else ""),
        )
    return Connection(name, element.where, parent, child, origin, joint)


def _read_joint(element: Element, name: str, kind: JointType, origin: Pose, warnings: list[FileWarning]) -> Joint:
    limit = element.find("limit")
    joint = Joint(
        name,
        kind,
        origin,
        axis=_read_axis(element.find("axis"), name),
        limits=_read_limits(limit, name, kind.kind, warnings),
        friction=_read_friction(element.find("dynamics")),
        mimic=_read_mimic(element.find("mimic")),
    )
    check_joint(joint, where=(limit or element).where)
    return joint


def _read_axis(element: Element | None, joint: str) -> tuple[float, float, float]:
    """The axis as a unit vector; x where none is given, as URDF says."""
    if element is None:
        return (1.0, 0.0, 0.0)
    direction = element.vector("xyz")
    if abs(norm(direction) - 1.0) < 1e-15:
        return direction  # scaling it again would only change its last digit
    largest = max(abs(component) for component in direction)
    if largest == 0.0:
        raise RobotFileError(
            f"the axis of joint '{joint}' is zero", where=element.where, remedy='give a direction: xyz="0 0 1"'
        )
    # Scaled twice: a direction of tiny or huge numbers must not lose its length to underflow or overflow.
    x, y, z = (component / largest for component in direction)
    length = norm((x, y, z))
    return (x / length, y / length, z / length)


def _read_limits(element: Element | None, joint: str, kind: JointKind, warnings: list[FileWarning]) -> Limits:
    """URDF's defaults: one position limit alone leaves the other at 0; a continuous joint has none.

    Limits of velocity and effort that are zero or below stand for none: URDF demands the words, and whoever does not
    know the numbers writes 0. A joint that may not move would be fixed.
    """
    if element is None:
        return Limits()
    names = ("lower", "upper", "velocity", "effort")
    given = {name: element.number(name) for name in names if name in element.attributes}
    if kind.has_position_limits and ("lower" in given or "upper" in given):
        position = {"lower": 0.0, "upper": 0.0} | {name: given[name] for name in ("lower", "upper") if name in given}
    else:
        position = {}
    for name in ("velocity", "effort"):
        if given.get(name, 1.0) <= 0.0:
            text = f"joint '{joint}': {name} of {element} is {given.pop(name):g}: taken as no limit"
            warnings.append(FileWarning(element.where, text, about=joint))
    bounds = position | {name: given[name] for name in ("velocity", "effort") if name in given}
    return Limits(**{name: value for name, value in bounds.items() if abs(value) != NO_LIMIT})


def _read_friction(element: Element | None) -> Friction:
    if element is None:
        return Friction()
    return Friction.symmetric(element.number("damping", 0.0), element.number("friction", 0.0))


def _read_mimic(element: Element | None) -> Mimic | None:
    if element is None:
        return None
    return Mimic(element.attribute("joint"), element.number("multiplier", 1.0), element.number("offset", 0.0))
