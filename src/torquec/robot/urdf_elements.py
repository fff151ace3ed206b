"""URDF's `<link>` and `<joint>`: inertia, parent and child link, motion, and the vocabulary of both.

Vocabulary: attributes and elements that an element may have, so that a misspelt one is reported. Only elements that
matter for dynamics are checked; other known ones (shapes, sensors, simulator settings) and those of other namespaces
are passed over.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from torquec.errors import RobotFileError
from torquec.robot.degrees import degrees_text, is_placement_in_degrees
from torquec.robot.friction import Friction
from torquec.robot.joints import JointKind, JointType
from torquec.robot.robot import FileWarning, Joint, Limits, Mimic
from torquec.robot.validate import check_joint
from torquec.robot.xml import Element
from torquec.spatial import IDENTITY, Inertia, Pose, matmul, norm, rpy_rotation, transpose

NO_LIMIT = sys.float_info.max
"""URDF requires some limits that a robot may not have, and has no word for infinity: this number stands for it."""

_FIXED = "fixed"
_MOVING = {type.kind.urdf: type for type in JointType if type.kind.urdf}


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
    """The joint of a `<joint>` element; raises `RobotFileError` for unsupported types and inconsistent values."""
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
        raise RobotFileError(
            f"joint '{name}' is of type '{type_name}'", where=element.where, remedy=f"use one of {known}"
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
    """A joint's limits by URDF's rules: one position limit alone leaves the other at 0; a continuous joint has none.

    A velocity or effort limit of zero or less means no limit: URDF demands the attributes, and files without the
    numbers have 0. A joint that may not move would be fixed.
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


@dataclass(frozen=True)
class Link:
    """A link as the file gives it; `inertia` is about the link's frame, None where the file has none.

    A link without inertia and without a shape `is_frame`: files name frames that way, and once welded it lacks nothing.
    """

    name: str
    where: str
    inertia: Inertia | None
    is_frame: bool


def read_urdf_inertia(inertial: Element, link: str, warnings: list[FileWarning]) -> Inertia:
    """Mass, centre and tensor of `<inertial>`, the tensor in axes that the origin's rpy may have turned."""
    pose = read_origin(inertial, warnings)
    mass_element, tensor = inertial.find("mass"), inertial.find("inertia")
    if mass_element is None or tensor is None:
        missing = "mass" if mass_element is None else "inertia"
        raise RobotFileError(
            f"the <inertial> of link '{link}' has no <{missing}>",
            where=inertial.where,
            remedy="give both <mass> and <inertia>, or leave the <inertial> out",
        )
    mass = mass_element.number("value")
    if mass < 0.0:
        raise RobotFileError(
            f"the mass of link '{link}' is negative: {mass:g}", where=mass_element.where, remedy="give 0 kg or more"
        )
    xx, xy, xz, yy, yz, zz = (tensor.number(key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    central = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    if pose.rotation != IDENTITY.rotation:
        central = matmul(matmul(pose.rotation, central), transpose(pose.rotation))
    return Inertia.from_center_of_mass(mass, pose.origin, central)


def read_origin(element: Element, warnings: list[FileWarning]) -> Pose:
    """The `<origin>` of an element, identity where there is none; of several the first counts, with a warning."""
    origins = element.all("origin")
    if not origins:
        return IDENTITY
    if len(origins) > 1:
        text = f"{element} has {len(origins)} <origin> elements: the first counts"
        warnings.append(FileWarning(origins[1].where, text))
    origin = origins[0]
    angles = origin.vector("rpy", (0.0, 0.0, 0.0))
    wrong = [angle for angle in angles if is_placement_in_degrees(angle)]
    if wrong:
        text = degrees_text(f"an angle of <origin> in {element}", wrong[0], "xacro has radians()")
        warnings.append(FileWarning(origin.where, text, about_units=True))
    return Pose(rpy_rotation(*angles), origin.vector("xyz", (0.0, 0.0, 0.0)))


@dataclass(frozen=True)
class _Word:
    """An element: the attributes and elements that it may have."""

    attributes: frozenset[str] = frozenset()
    children: frozenset[str] = frozenset()


def _word(attributes: str = "", children: str = "") -> _Word:
    return _Word(frozenset(attributes.split()), frozenset(children.split()))


_ORIGIN = _word("xyz rpy quat_xyzw")
_NAMED = _word("link")

_WORDS: dict[str, _Word] = {
    "robot": _word(
        "name version",
        "link joint transmission material gazebo sensor ros2_control mujoco plugin group group_state chain end_effector"
        " disable_collisions virtual_joint passive_joint loop_joint frame",
    ),
    "robot/link": _word(
        "name type",
        "inertial visual collision sensor contact self_collision_checking self_collide gravity kinematic"
        " must_be_base_link velocity_decay capsule material verbose",
    ),
    "robot/link/inertial": _word("name", "origin mass inertia"),
    "robot/link/inertial/origin": _ORIGIN,
    "robot/link/inertial/mass": _word("value"),
    "robot/link/inertial/inertia": _word("ixx ixy ixz iyy iyz izz"),
    "robot/joint": _word(
        "name type", "origin parent child axis limit dynamics mimic calibration safety_controller hardwareInterface"
    ),
    "robot/joint/origin": _ORIGIN,
    "robot/joint/parent": _NAMED,
    "robot/joint/child": _NAMED,
    "robot/joint/axis": _word("xyz"),
    "robot/joint/limit": _word("lower upper effort velocity acceleration deceleration jerk"),
    "robot/joint/dynamics": _word("damping friction"),
    "robot/joint/mimic": _word("joint multiplier offset"),
}


def unknown_words(root: Element) -> list[FileWarning]:
    """A warning for every word unknown to URDF, inside elements that matter for dynamics.

    An attribute or element that occurs often is one warning: that of the first, with the count.
    """
    found: dict[tuple[str, str], list[FileWarning]] = {}
    waiting = [("robot", root)]
    while waiting:
        path, element = waiting.pop()
        word = _WORDS[path]
        if not word.attributes >= element.attributes.keys():
            for name in element.attributes:
                if name not in word.attributes and " " not in name:
                    text = f"{element} has an attribute '{name}' that URDF does not know: not read"
                    found.setdefault((path, name), []).append(FileWarning(element.where, text))
        for child in element.children:
            inner = f"{path}/{child.tag}"
            if inner not in _WORDS and child.tag not in word.children and not child.tag.startswith("{"):
                text = f"{child} in {element} is not known to URDF: it is not read"
                found.setdefault((inner, ""), []).append(FileWarning(child.where, text))
        known = ((f"{path}/{child.tag}", child) for child in reversed(element.children))
        waiting += [(inner, child) for inner, child in known if inner in _WORDS]
    return [_summary(alike) for alike in found.values()]


def _summary(alike: list[FileWarning]) -> FileWarning:
    """The first of several warnings about one word, and how many more there are."""
    first, last = alike[0], alike[-1]
    if len(alike) == 1:
        return first
    more = f"; {len(alike)} times, the last in line {last.where.rpartition(':')[2]}"
    return FileWarning(first.where, first.text + more)
