"""Edit the original URDF of a robot: new inertias and friction; shapes, sensors, comments and all else stay.

The document stays the same byte for byte, except for

(1)  `<inertial>`: the link that a joint carries has the inertia of its whole body, links welded to it have none
(2)  `<dynamics>` of the joints that move
(3)  joints that were locked: they are fixed, at the position at which they were held
(4)  frames that the file lacks (payloads, tools): links without inertia behind fixed joints, at the end
(5)  a first line that says who wrote it

The result is read back and compared with the robot. If they differ, no edited file is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from torquec.errors import TorquecError
from torquec.foundation.reading import FileKind, read_bytes
from torquec.robot.friction import Friction
from torquec.robot.lock_joints import held_at, moved_by
from torquec.robot.robot import BASE, Body, Robot
from torquec.robot.tuning import TUNING
from torquec.robot.urdf import parse_urdf
from torquec.robot.xacro import expand_xacro
from torquec.robot.xml import xml_document
from torquec.robot.xml_text import number_list, unused_name, xml_comment
from torquec.spatial import Inertia, Pose, rpy_from_rotation, rpy_rotation

_WRITTEN = re.compile(rb"<!-- Written by Torquec\..*?-->\r?\n?", re.DOTALL)
_DECLARATION = re.compile(rb"\s*<\?xml.*?\?>[ \t]*\r?\n?", re.DOTALL)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def urdf_source(robot: Robot) -> bytes | None:
    """The URDF document from which a robot was read, xacro expanded; None if it had none or the file is gone."""
    path = Path(robot.source)
    suffix = path.suffix.lower()
    try:
        if suffix == ".xacro":
            return xml_document(expand_xacro(path)).encode("utf-8")
        if suffix in (".urdf", ".xml"):
            return read_bytes(path, FileKind.ROBOT)
    except TorquecError:
        return None
    return None


def edited_urdf(
    document: bytes, robot: Robot, *, dynamics: Mapping[str, Friction] | None = None, note: str = ""
) -> bytes | None:
    """The document with the robot's inertias and friction in it (1)-(5); None if it would describe another robot.

    `dynamics` is the friction for `<dynamics>` by joint, the robot's own unless given; `note` becomes part of (5).
    """
    try:
        original = parse_urdf(document, robot.source or "robot.urdf")
        if b"\0" in document:  # an encoding that does not extend ASCII
            return None
        edited = _Edits(document, original, robot, dict(dynamics or {})).applied(note)
        return edited if is_same_robot(parse_urdf(edited, "edited.urdf"), robot) else None
    except (TorquecError, KeyError):
        return None


def is_same_robot(found: Robot, robot: Robot) -> bool:
    """Whether two robots agree in joints, inertias and frames; `found` may have more frames, all else is ignored."""
    poses = {frame.name: (frame.body, frame.pose) for frame in found.frames}
    return (
        len(found.bodies) == len(robot.bodies)
        and all(
            a.parent == b.parent
            and a.joint.name == b.joint.name
            and a.joint.type == b.joint.type
            and a.joint.mimic == b.joint.mimic
            and _close(a.joint.axis, b.joint.axis)
            and _close_poses(a.joint.placement, b.joint.placement)
            and _close(a.inertia.parameters, b.inertia.parameters)
            for a, b in zip(found.bodies, robot.bodies, strict=True)
        )
        and all(
            frame.name in poses
            and poses[frame.name][0] == frame.body
            and _close_poses(poses[frame.name][1], frame.pose)
            for frame in robot.frames
        )
    )


def inertial_lines(inertia: Inertia) -> list[str]:
    """`<inertial>` of an inertia, the tensor about the centre of mass as URDF wants it."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.central_tensor if inertia.m > 0.0 else inertia.tensor
    moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    written = " ".join(f'{key}="{float(value)!r}"' for key, value in moments.items())
    return [
        "<inertial>",
        f'  <origin xyz="{number_list(inertia.center_of_mass)}" rpy="0 0 0"/>',
        f'  <mass value="{float(inertia.m)!r}"/>',
        f"  <inertia {written}/>",
        "</inertial>",
    ]


def origin_line(pose: Pose) -> str:
    """`<origin>` of a pose."""
    angles = rpy_from_rotation(pose.rotation, upright=1e-15)
    return f'<origin xyz="{number_list(pose.origin)}" rpy="{number_list(angles)}"/>'


def dynamics_line(friction: Friction) -> str:
    """`<dynamics>` of a friction law, as far as URDF can express it."""
    return f'<dynamics damping="{friction.viscous_positive!r}" friction="{friction.coulomb_positive!r}"/>'


@dataclass
class _Span:
    """An element in the document: where it begins and ends, where its first tag ends, and its children."""

    tag: str
    attributes: dict[str, str]
    begin: int
    opened: int
    is_empty: bool
    end: int = 0
    children: list[_Span] = field(default_factory=list)

    def all(self, tag: str) -> list[_Span]:
        return [child for child in self.children if child.tag == tag]


class _Edits:
    """Pieces of the document that are replaced, from its end to its beginning."""

    def __init__(self, document: bytes, original: Robot, robot: Robot, dynamics: dict[str, Friction]) -> None:
        self.document = document
        self.pieces: list[tuple[int, int, str]] = []
        root = _spans(document)
        positions = {held.name: held.position for held in robot.locked}
        moving = {body.joint.name: body for body in robot.bodies}
        self.put_inertias(root, robot)
        for joint in root.all("joint"):
            name = joint.attributes.get("name", "")
            if name in moving:
                self.put_dynamics(joint, dynamics.get(name, moving[name].joint.friction))
        for body in original.bodies:
            held = held_at(body.joint, positions)
            if held is not None and body.joint.name not in moving:
                self.fix(root, body, held)
        known = {frame.name for frame in original.frames}
        self.add_frames(root, robot, known)

    def put_inertias(self, root: _Span, robot: Robot) -> None:
        """Replace the inertias (1)."""
        own = {body.name: index for index, body in enumerate(robot.bodies)}
        bodies = {frame.name: frame.body for frame in robot.frames}
        for link in root.all("link"):
            name = link.attributes["name"]
            if bodies[name] == BASE:
                continue
            index = own.get(name)
            inertias = link.all("inertial")
            if index is None:
                for span in inertias:
                    self.remove(span)
                continue
            lines = inertial_lines(robot.bodies[index].inertia)
            self.put(link, inertias, lines)

    def put_dynamics(self, joint: _Span, friction: Friction) -> None:
        """Replace a joint's friction (2)."""
        found = joint.all("dynamics")
        if found or friction.viscous_positive or friction.coulomb_positive:
            self.put(joint, found, [dynamics_line(friction)])

    def fix(self, root: _Span, body: Body, position: float) -> None:
        """Make a locked joint fixed at its position (3)."""
        joint = next(one for one in root.all("joint") if one.attributes.get("name") == body.joint.name)
        start = self.document[joint.begin : joint.opened].decode("latin-1")
        fixed = re.sub(r"""(\stype\s*=\s*)(["'])[^"']*\2""", r"\1\2fixed\2", start)
        self.pieces.append((joint.begin, joint.opened, fixed))
        for tag in ("axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"):
            for span in joint.all(tag):
                self.remove(span)
        if position != 0.0:
            origins = joint.all("origin")
            # The joint's own origin, not its placement in the body, which may lie further up.
            own = _pose_of(origins[0].attributes) if origins else Pose()
            self.put(joint, origins, [origin_line(own @ moved_by(body.joint, position))])

    def add_frames(self, root: _Span, robot: Robot, known: set[str]) -> None:
        """Add the frames that the file lacks (4)."""
        links = {index: body.name for index, body in enumerate(robot.bodies)}
        taken = {joint.attributes.get("name", "") for joint in root.all("joint")}
        lines = []
        for frame in robot.frames:
            if frame.name in known:
                continue
            parent = links[frame.body] if frame.body != BASE else robot.frames[0].name
            lines += [
                f"  <link name={_attribute(frame.name)}/>",
                f'  <joint name={_attribute(unused_name(f"{frame.name}_weld", taken))} type="fixed">',
                f"    {origin_line(frame.pose)}",
                f"    <parent link={_attribute(parent)}/>",
                f"    <child link={_attribute(frame.name)}/>",
                "  </joint>",
            ]
        if lines:
            at = self.document.rindex(b"<", 0, root.end)
            self.pieces.append((at, at, "\n".join(lines).lstrip(" ") + "\n"))

    def put(self, parent: _Span, found: list[_Span], lines: list[str]) -> None:
        """Put lines in place of the first element in `found`, or as the parent's first child; remove the others."""
        indent = self.indent(found[0].begin if found else parent.begin)
        if found:
            self.pieces.append((found[0].begin, found[0].end, f"\n{indent}".join(lines)))
            for span in found[1:]:
                self.remove(span)
        elif parent.is_empty:
            tag = self.document[parent.begin : parent.opened].decode("latin-1").rstrip("/> \t\r\n")
            inner = "".join(f"\n{indent}  {line}" for line in lines)
            self.pieces.append((parent.begin, parent.end, f"{tag}>{inner}\n{indent}</{parent.tag}>"))
        else:
            self.pieces.append((parent.opened, parent.opened, "".join(f"\n{indent}  {line}" for line in lines)))

    def remove(self, span: _Span) -> None:
        """Take an element out, with the blank before it."""
        begin = span.begin
        while begin > 0 and self.document[begin - 1 : begin] in (b" ", b"\t"):
            begin -= 1
        if self.document[begin - 1 : begin] == b"\n":
            begin -= 1
        self.pieces.append((begin, span.end, ""))

    def indent(self, at: int) -> str:
        """The indentation before the byte `at`; empty if other text precedes it in its line."""
        line = self.document[self.document.rfind(b"\n", 0, at) + 1 : at]
        return "" if line.strip() else line.decode("latin-1")

    def applied(self, note: str) -> bytes:
        """The document with all edits made, and the first line (5)."""
        text = self.document
        for begin, end, new in sorted(self.pieces, key=lambda piece: piece[:2], reverse=True):
            text = text[:begin] + new.encode("latin-1") + text[end:]  # latin-1 maps bytes one to one
        text = _WRITTEN.sub(b"", text, count=1).removeprefix(_BYTE_ORDER_MARK)
        found = _DECLARATION.match(text)
        at = found.end() if found else 0
        comment = xml_comment("Written by Torquec." + (f" {note}" if note else "")).encode("utf-8")
        return text[:at] + comment + b"\n" + text[at:]


def _attribute(value: str) -> str:
    """A quoted value in ASCII, which fits into a document of any encoding."""
    return quoteattr(value).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _spans(document: bytes) -> _Span:
    """The root element with its positions in the bytes; `parse_urdf` has already accepted the document."""
    parser = expat.ParserCreate()
    stack: list[_Span] = []
    done: list[_Span] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        begin = parser.CurrentByteIndex
        opened = _tag_end(document, begin)
        stack.append(_Span(tag, attributes, begin, opened, document[opened - 2 : opened] == b"/>"))

    def end(_tag: str) -> None:
        span = stack.pop()
        span.end = span.opened if span.is_empty else _tag_end(document, parser.CurrentByteIndex)
        (stack[-1].children if stack else done).append(span)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(document, True)
    return done[0]


def _tag_end(document: bytes, begin: int) -> int:
    """The end of the tag that starts at `begin`: behind the first > that is not inside quotes."""
    quote = b""
    for at in range(begin, len(document)):
        letter = document[at : at + 1]
        if quote:
            quote = b"" if letter == quote else quote
        elif letter in (b'"', b"'"):
            quote = letter
        elif letter == b">":
            return at + 1
    raise AssertionError("expat has seen the end of this tag")


def _pose_of(attributes: Mapping[str, str]) -> Pose:
    roll, pitch, yaw = (float(word) for word in attributes.get("rpy", "0 0 0").split())
    x, y, z = (float(word) for word in attributes.get("xyz", "0 0 0").split())
    return Pose(rpy_rotation(roll, pitch, yaw), (x, y, z))


def _close(found: tuple[float, ...], wanted: tuple[float, ...]) -> bool:
    largest = max(1.0, *(abs(value) for value in wanted))
    return bool(np.allclose(found, wanted, rtol=0.0, atol=TUNING.edit_tolerance * largest))


def _close_poses(found: Pose, wanted: Pose) -> bool:
    rows = zip((*found.rotation, found.origin), (*wanted.rotation, wanted.origin), strict=True)
    return all(_close(a, b) for a, b in rows)
