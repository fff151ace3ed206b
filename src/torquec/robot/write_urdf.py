"""`Robot` to URDF, every number in full precision, with a side file for what URDF cannot say.

A body becomes the link that its joint carries; a named frame that is not a body's own becomes an empty link, welded to
it. Written first to temporary files and renamed: a reader never sees half a robot.

URDF's `<inertia>` is about the centre of mass, so reading back gives the same ten parameters up to rounding. A rotary
joint without position limits becomes `continuous`, which is what it is. Gravity is not part of URDF: give it to `load`.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

from torquec.errors import ArgumentError, RobotError, RobotFileError
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.robot.drives import side_file
from torquec.robot.robot import BASE, Body, Frame, Friction, Joint, JointType, Limits, Robot
from torquec.robot.urdf_joint import NO_LIMIT
from torquec.robot.validate import check_inertia
from torquec.robot.write_drives import drives_text, is_symmetric
from torquec.spatial import IDENTITY, Inertia, Pose, rpy_from_rotation

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_urdf(robot: Robot, path: str | os.PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
    """Write the robot as a URDF file, and its drives beside it; the files that were written.

    An earlier side file of the same name is replaced, for it would change what is read back. Files that Torquec did not
    write are replaced with `force` only. Raises `RobotError` for an inertia that URDF cannot hold, `ArgumentError` for
    a name that XML cannot hold, a place that cannot be written and a file in the way.
    """
    file = to_path(path)
    if file.suffix.lower() != ".urdf":
        raise ArgumentError(f"'{file.name}' is not the name of a URDF file", remedy="give a name that ends in .urdf")
    contents = {file: urdf_text(robot)}
    side, drives = side_file(file), drives_text(robot)
    if drives or side.exists():
        contents[side] = f"# Drives of {file.name}, written by Torquec.\n\n{drives}"
    write_files(contents, force=force)
    return tuple(contents)


def urdf_text(robot: Robot) -> str:
    """The robot as a URDF document; what does not fit in is left to the side file. Raises as `write_urdf` does."""
    for name in (robot.name, *_names(robot)):
        if _NOT_IN_XML.search(name):
            raise ArgumentError(f"the name {name!r} has characters that XML cannot hold", remedy="rename it")
    _check_writable("base", robot.base_inertia)
    for body in robot.bodies:
        _check_writable(body.name, body.inertia)
    links = _link_names(robot)
    joint_names = {body.joint.name for body in robot.bodies}
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<!-- Written by Torquec. -->"]
    lines += [f"<robot name={quoteattr(robot.name)}>"]
    lines += _link(links[BASE], robot.base_inertia, lacking=True)
    for index, body in enumerate(robot.bodies):
        lines += _link(links[index], body.inertia, lacking=body.name in body.lacking_inertia)
        lines += _joint(body, links[body.parent], links[index])
    for frame in robot.frames:
        if frame.name not in links.values():
            lines += [f"  <link name={quoteattr(frame.name)}/>"]
            lines += _weld(frame, links[frame.body], _unused(f"{frame.name}_weld", joint_names))
    return "\n".join([*lines, "</robot>", ""])


def _names(robot: Robot) -> Iterator[str]:
    for body in robot.bodies:
        yield body.name
        yield body.joint.name
    for frame in robot.frames:
        yield frame.name


def _link_names(robot: Robot) -> dict[int, str]:
    """A link name for the base and each body: that of the frame which coincides with it, where there is one."""
    taken = {frame.name for frame in robot.frames}
    names: dict[int, str] = {}
    own = {(frame.body, frame.name): frame for frame in robot.frames}
    for index, body in enumerate(robot.bodies):
        frame = own.get((index, body.name))
        is_own = frame is not None and frame.pose == IDENTITY
        names[index] = body.name if is_own else _unused(body.name, taken)
    at_base = [frame.name for frame in robot.frames if frame.body == BASE and frame.pose == IDENTITY]
    names[BASE] = at_base[0] if at_base else _unused("base", taken)
    return names


def _unused(name: str, taken: set[str]) -> str:
    """`name`, with underscores behind it until nothing else is called so; it counts as taken from now on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _link(name: str, inertia: Inertia, *, lacking: bool) -> list[str]:
    if lacking and not any(inertia.parameters):
        return [f"  <link name={quoteattr(name)}/>"]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.central_tensor if inertia.m > 0.0 else inertia.tensor
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    written = " ".join(f'{key}="{float(value)!r}"' for key, value in moments.items())
    return [
        f"  <link name={quoteattr(name)}>",
        "    <inertial>",
        f'      <origin xyz="{_numbers(inertia.center_of_mass)}" rpy="0 0 0"/>',
        f'      <mass value="{float(inertia.m)!r}"/>',
        f"      <inertia {written}/>",
        "    </inertial>",
        "  </link>",
    ]


def _check_writable(name: str, inertia: Inertia) -> None:
    try:
        check_inertia(name, inertia, where="write_urdf")
    except RobotFileError as error:
        raise RobotError(error.found, where=error.where, remedy="URDF needs inertias that a solid can have") from None
    if inertia.m == 0.0 and any(inertia.first_moment):
        raise RobotError(
            f"'{name}' has first moments but no mass: URDF has no place for them",
            where="write_urdf",
            remedy="write a robot with physical masses",
        )


def _joint(body: Body, parent: str, child: str) -> list[str]:
    joint = body.joint
    kind = joint.type
    if kind is JointType.REVOLUTE and math.isinf(joint.limits.lower) and math.isinf(joint.limits.upper):
        kind = JointType.CONTINUOUS
    lines = [
        f'  <joint name={quoteattr(joint.name)} type="{kind}">',
        *_ends(joint.placement, parent, child),
        f'    <axis xyz="{_numbers(joint.axis)}"/>',
        *_limit(joint.limits, kind),
        *_dynamics(joint),
    ]
    if joint.mimic is not None:
        mimic = joint.mimic
        factors = f'multiplier="{mimic.multiplier!r}" offset="{mimic.offset!r}"'
        lines.append(f"    <mimic joint={quoteattr(mimic.joint)} {factors}/>")
    return [*lines, "  </joint>"]


def _weld(frame: Frame, parent: str, name: str) -> list[str]:
    return [f'  <joint name={quoteattr(name)} type="fixed">', *_ends(frame.pose, parent, frame.name), "  </joint>"]


def _ends(pose: Pose, parent: str, child: str) -> list[str]:
    angles = rpy_from_rotation(pose.rotation, upright=1e-15)
    return [
        f'    <origin xyz="{_numbers(pose.origin)}" rpy="{_numbers(angles)}"/>',
        f"    <parent link={quoteattr(parent)}/>",
        f"    <child link={quoteattr(child)}/>",
    ]


def _limit(limits: Limits, kind: JointType) -> list[str]:
    """URDF demands effort and velocity wherever there is a `<limit>`, and a `<limit>` on all but continuous joints."""
    if limits == Limits() and kind is JointType.CONTINUOUS:
        return []
    names = ("velocity", "effort") if kind is JointType.CONTINUOUS else ("lower", "upper", "velocity", "effort")
    values = ((name, max(-NO_LIMIT, min(NO_LIMIT, getattr(limits, name)))) for name in names)
    written = " ".join(f'{name}="{float(value)!r}"' for name, value in values)
    return [f"    <limit {written}/>"]


def _dynamics(joint: Joint) -> list[str]:
    friction = joint.friction
    if friction == Friction() or not is_symmetric(friction):
        return []
    return [f'    <dynamics damping="{friction.viscous_positive!r}" friction="{friction.coulomb_positive!r}"/>']


def _numbers(values: tuple[float, float, float]) -> str:
    return " ".join(repr(float(value)) for value in values)
