"""Write a `Robot` as URDF, every number in full precision, with a side file for what URDF cannot express.

A body becomes the link that its joint carries. A named frame that is not a body's own becomes an empty link, welded to
that body. Files are written under temporary names, then renamed: a reader never sees half a robot.

URDF's `<inertia>` is about the centre of mass, so reading back gives the same ten parameters up to rounding. A rotary
joint without position limits becomes `continuous`. Gravity is not part of URDF: give it to `load`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from torquec.errors import ArgumentError, RobotError, RobotFileError
from torquec.foundation.reading import to_path
from torquec.foundation.writing import write_files
from torquec.robot.drives import drives_text, is_symmetric, side_file
from torquec.robot.edit_urdf import dynamics_line, edited_urdf, inertial_lines, origin_line
from torquec.robot.friction import Friction
from torquec.robot.joints import JointKind
from torquec.robot.passive_friction import check_friction_is_passive
from torquec.robot.robot import BASE, Body, Frame, Limits, Robot
from torquec.robot.state_coordinate import check_tree
from torquec.robot.urdf_elements import NO_LIMIT
from torquec.robot.validate import check_inertia
from torquec.robot.xml_text import check_xml_names, link_names, number_list, unused_name, xml_comment
from torquec.spatial import Inertia, Pose


def write_urdf(
    robot: Robot,
    path: str | os.PathLike[str],
    *,
    original: bytes | None = None,
    dynamics: Mapping[str, Friction] | None = None,
    note: str = "",
    force: bool = False,
) -> tuple[Path, ...]:
    """Write the robot as a URDF file, and its drives in a side file; returns the files written.

    `original` is the URDF document that the robot came from (`urdf_source` finds it): where the robot fits into it,
    everything but dynamics is kept unchanged. `dynamics` is the friction for `<dynamics>` by joint, for programs that
    do not read the side file; the side file then states the robot's own friction of every joint. `note` goes into the
    file's first lines.

    An earlier side file of the same name is replaced, since it would change the robot that is read back. Files that
    Torquec did not write are replaced with `force` only. Raises `RobotError` for an inertia that URDF cannot hold and
    for friction that drives its joint, `ArgumentError` for a name that XML cannot hold, a place that cannot be written
    and a file in the way.
    """
    file = to_path(path)
    if file.suffix.lower() != ".urdf":
        raise ArgumentError(f"'{file.name}' is not the name of a URDF file", remedy="give a name that ends in .urdf")
    anew = urdf_text(robot, dynamics=dynamics, note=note)
    kept = None if original is None else edited_urdf(original, robot, dynamics=dynamics, note=note)
    contents: dict[Path, str | bytes] = {file: anew if kept is None else kept}
    side, drives = side_file(file), drives_text(robot, complete=dynamics is not None)
    if drives or side.exists():
        contents[side] = f"# Drives of {file.name}, written by Torquec.\n\n{drives}"
    write_files(contents, force=force)
    return tuple(contents)


def urdf_text(robot: Robot, *, dynamics: Mapping[str, Friction] | None = None, note: str = "") -> str:
    """The robot as a URDF document; what URDF cannot express is left to the side file. Raises as `write_urdf` does."""
    check_xml_names(robot)
    check_tree(robot)
    check_friction_is_passive(robot)
    frictions = dynamics or {}
    _check_writable("base", robot.base_inertia)
    for body in robot.bodies:
        _check_writable(body.name, body.inertia)
    links = link_names(robot)
    joint_names = {body.joint.name for body in robot.bodies}
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        xml_comment("Written by Torquec." + (f" {note}" if note else "")),
    ]
    lines += [f"<robot name={quoteattr(robot.name)}>"]
    lines += _link(links[BASE], robot.base_inertia, lacking=True)
    for index, body in enumerate(robot.bodies):
        lines += _link(links[index], body.inertia, lacking=body.name in body.lacking_inertia)
        lines += _joint(body, links[body.parent], links[index], frictions.get(body.joint.name, body.joint.friction))
    for frame in robot.frames:
        if frame.name not in links.values():
            lines += [f"  <link name={quoteattr(frame.name)}/>"]
            lines += _weld(frame, links[frame.body], unused_name(f"{frame.name}_weld", joint_names))
    return "\n".join([*lines, "</robot>", ""])


def _link(name: str, inertia: Inertia, *, lacking: bool) -> list[str]:
    if lacking and not any(inertia.parameters):
        return [f"  <link name={quoteattr(name)}/>"]
    inner = (f"    {line}" for line in inertial_lines(inertia))
    return [f"  <link name={quoteattr(name)}>", *inner, "  </link>"]


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


def _joint(body: Body, parent: str, child: str, friction: Friction) -> list[str]:
    joint = body.joint
    kind = joint.kind
    if not kind.urdf:
        raise RobotError(
            f"URDF does not support the {kind.name} joint '{joint.name}'",
            where="write_urdf",
            remedy="write it as three hinges, or keep the robot's own file",
        )
    if math.isinf(joint.limits.lower) and math.isinf(joint.limits.upper):
        kind = kind.unlimited
    lines = [
        f'  <joint name={quoteattr(joint.name)} type="{kind.urdf}">',
        *_ends(joint.placement, parent, child),
        f'    <axis xyz="{number_list(joint.axis)}"/>',
        *_limit(joint.limits, kind),
        *_dynamics(friction),
    ]
    if joint.mimic is not None:
        mimic = joint.mimic
        factors = f'multiplier="{mimic.multiplier!r}" offset="{mimic.offset!r}"'
        lines.append(f"    <mimic joint={quoteattr(mimic.joint)} {factors}/>")
    return [*lines, "  </joint>"]


def _weld(frame: Frame, parent: str, name: str) -> list[str]:
    return [f'  <joint name={quoteattr(name)} type="fixed">', *_ends(frame.pose, parent, frame.name), "  </joint>"]


def _ends(pose: Pose, parent: str, child: str) -> list[str]:
    return [
        f"    {origin_line(pose)}",
        f"    <parent link={quoteattr(parent)}/>",
        f"    <child link={quoteattr(child)}/>",
    ]


def _limit(limits: Limits, kind: JointKind) -> list[str]:
    """URDF demands effort and velocity wherever there is a `<limit>`, and a `<limit>` on all but continuous joints."""
    if limits == Limits() and not kind.has_position_limits:
        return []
    names = (*(("lower", "upper") if kind.has_position_limits else ()), "velocity", "effort")
    values = ((name, max(-NO_LIMIT, min(NO_LIMIT, getattr(limits, name)))) for name in names)
    written = " ".join(f'{name}="{float(value)!r}"' for name, value in values)
    return [f"    <limit {written}/>"]


def _dynamics(friction: Friction) -> list[str]:
    return [] if friction == Friction() or not is_symmetric(friction) else [f"    {dynamics_line(friction)}"]
