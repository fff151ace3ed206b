"""SDFormat (`.sdf`, versions 1.4 to 1.12) to `Robot`: one `<model>`, translated into the elements of URDF.

SDF places links, joints and frames relative to any frame of the model; URDF places a joint in its parent link, and the
frame of its child is the joint's own. With X_f the pose of frame f in the model's:

(1)  X_f = X_r pose,  r the frame of `relative_to`; without it, the model for a link, `attached_to` for a frame, the
     child link for a joint
(2)  origin of a URDF joint:  X_parent^-1 X_joint,  where a link that a joint moves has the pose of that joint
(3)  a child whose frame differs from its joint's is welded to the joint's frame:  X_joint^-1 X_child
(4)  axis in the joint's frame:  R_joint^T R_e xyz,  e the frame of `expressed_in`; the model where
     `use_parent_model_frame` is set, and before version 1.5
(5)  mimic:  q = multiplier (leader - reference) + offset

Everything else (inertias, limits, welding, checks and their messages) is done as for URDF.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, read_bytes
from torquec.robot.number import parse_number, parse_vector
from torquec.robot.robot import Robot, Spring
from torquec.robot.tuning import TUNING
from torquec.robot.urdf import robot_of_urdf
from torquec.robot.validate import check_joint
from torquec.robot.xml import Element, parse_xml
from torquec.spatial import IDENTITY, Pose, Vector3, matvec, norm, rpy_from_rotation, rpy_rotation, transpose

_WORLD, _MODEL = "world", "__model__"
_NO_LIMIT = 1e16  # SDF's word for a joint without a position limit
_MOVING = ("revolute", "continuous", "prismatic")
_AXIS_WORDS = frozenset({"xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position"})
_REFUSED = {
    "include": "write the included model into this file: 'gz sdf -p FILE > flat.sdf' does it",
    "model": "move the links and joints of the nested model into the outer one",
    "gripper": "remove it, or write its joints out",
}


def read_sdf(path: Path, *, strict: bool = False, gravity: Vector3 | None = None) -> Robot:
    """The robot that the single model of an SDF file describes.

    `gravity` (3,) [m/s^2] in the base frame replaces the standard one. Raises `RobotFileError` with file, line, element
    and remedy for several models, nested or included ones, and joints that URDF cannot express.
    """
    model, version = _model(parse_xml(read_bytes(path, FileKind.ROBOT), str(path)))
    robot = robot_of_urdf(_Translation(model, version).robot(), str(path), strict=strict, gravity=gravity)
    springs = {joint.attributes["name"]: spring for joint in model.all("joint") if (spring := _spring(joint))}
    bodies = [replace(body, joint=replace(body.joint, spring=springs.get(body.joint.name))) for body in robot.bodies]
    for body in bodies:
        check_joint(body.joint, where=str(path))
    return replace(robot, bodies=tuple(bodies))


def sdf_as_urdf(path: Path) -> Element:
    """The `<robot>` of URDF that an SDF file is translated into, with its shapes."""
    return _Translation(*_model(parse_xml(read_bytes(path, FileKind.ROBOT), str(path)))).robot()


def _model(root: Element) -> tuple[Element, int]:
    """The one `<model>` of a document, and the minor version of SDFormat 1."""
    if root.tag != "sdf":
        raise RobotFileError(
            f"the document is <{root.tag}>, not <sdf>", where=root.where, remedy="name the file by its format"
        )
    written = root.attribute("version").strip()
    if re.fullmatch(r"1\.[0-9]{1,2}", written) is None:
        raise RobotFileError(
            f"<sdf> is of version '{written[:20]}'", where=root.where, remedy="write a version of SDFormat: 1.4 to 1.12"
        )
    version = int(written[2:])
    models = [*root.all("model"), *(model for world in root.all("world") for model in world.all("model"))]
    if len(models) != 1:
        names = ", ".join(model.attributes.get("name", "?") for model in models[:5])
        raise RobotFileError(
            f"the file has {len(models)} models{f': {names}' if models else ''}",
            where=models[1].where if models else root.where,
            remedy="keep the one <model> of the robot",
        )
    (model,) = models
    for tag, remedy in _REFUSED.items():
        if found := model.all(tag):
            raise RobotFileError(f"{model} holds a <{tag}>", where=found[0].where, remedy=remedy)
    return model, version


class _Translation:
    """One model, its frames by name, and the joint that moves each link."""

    def __init__(self, model: Element, version: int) -> None:
        self.model, self.version = model, version
        self.frames: dict[str, Element] = {}
        for element in (*model.all("link"), *model.all("frame"), *model.all("joint")):
            name = element.attribute("name")
            if name in self.frames and (version >= 7 or element.tag == self.frames[name].tag):
                raise RobotFileError(
                    f"two elements are called '{name}'", where=element.where, remedy="rename one: names are frames"
                )
            self.frames.setdefault(name, element)
        self.poses: dict[str, Pose] = {}
        self.carriers = {_text(joint, "child"): joint for joint in model.all("joint")}

    def robot(self) -> Element:
        """The model as URDF: links, their welds (3), then joints."""
        parts: list[Element] = []
        if any(_text(joint, "parent") == _WORLD for joint in self.model.all("joint")):
            parts.append(_element("link", self.model, name=_WORLD))
        for link in self.model.all("link"):
            parts += self._link(link)
        for frame in self.model.all("frame"):
            parts += self._frame(frame)
        parts += [self._joint(joint) for joint in self.model.all("joint")]
        return _element("robot", self.model, *parts, name=self.model.attributes.get("name", ""))

    def pose(self, name: str, asked: Element) -> Pose:
        """X of (1) for a frame by name; `asked` is the element that names it."""
        waiting: list[str] = []
        while name not in self.poses:
            if name in (_MODEL, _WORLD, ""):
                self.poses[name] = IDENTITY
                break
            if name in waiting or name not in self.frames:
                what = f"frames {' -> '.join([*waiting, name])} are relative to each other" if name in waiting else ""
                asked = self.frames[waiting[-1]] if waiting else asked
                raise RobotFileError(
                    what or f"{asked} names the frame '{name}', which the model does not have",
                    where=asked.where,
                    remedy="name a link, joint or frame of this model, or __model__",
                )
            waiting.append(name)
            name = self._relative_to(self.frames[name])
        for frame in reversed(waiting):
            self.poses[frame] = self.poses[self._relative_to(self.frames[frame])] @ _read_pose(self.frames[frame])
        return self.poses[waiting[0] if waiting else name]

    def _relative_to(self, element: Element) -> str:
        """The frame that an element's pose is relative to (1)."""
        pose = element.find("pose")
        named = "" if pose is None else pose.attributes.get("relative_to", pose.attributes.get("frame", "")).strip()
        if named:
            return named
        if element.tag == "joint":
            return _text(element, "child")
        return element.attributes.get("attached_to", _MODEL) if element.tag == "frame" else _MODEL

    def _joint_pose(self, joint: Element) -> Pose:
        """X of a joint, which before version 1.7 may share its name with a link."""
        return self.pose(self._relative_to(joint), joint) @ _read_pose(joint)

    def _body_pose(self, link: str, asked: Element) -> Pose:
        """The pose of the URDF frame that moves with a link: its joint's (2), or the link's own if it has no joint."""
        carrier = self.carriers.get(link)
        return self.pose(link, asked) if carrier is None or self._is_own(carrier) else self._joint_pose(carrier)

    def _is_own(self, joint: Element) -> bool:
        """Whether the frame of a joint is that of its child."""
        return _is_identity(self.pose(_text(joint, "child"), joint).inverse() @ self._joint_pose(joint))

    def _carrier_name(self, link: str) -> str:
        """The URDF link that a joint moves: the link, or the frame of its joint (3)."""
        carrier = self.carriers.get(link)
        return link if carrier is None or self._is_own(carrier) else f"{carrier.attributes['name']} frame"

    def _link(self, link: Element) -> list[Element]:
        name = link.attribute("name")
        parts = [_element("link", link, *_inertial(link), *_visuals(link), name=name)]
        moving = self._carrier_name(name)
        if moving != name:
            weld = self._body_pose(name, link).inverse() @ self.pose(name, link)
            parts += [_element("link", link, name=moving), _weld(link, moving, name, weld)]
        return parts

    def _frame(self, frame: Element) -> list[Element]:
        """A `<frame>` as a link without mass, welded to the link that it is attached to."""
        name, link, seen = frame.attribute("name"), frame.attributes.get("attached_to", ""), set[str]()
        while (element := self.frames.get(link)) is not None and element.tag != "link" and link not in seen:
            seen.add(link)
            is_joint = element.tag == "joint"
            link = _text(element, "child") if is_joint else element.attributes.get("attached_to", "")
        if element is None or element.tag != "link":
            return []  # of the model itself: no body carries it
        pose = self.pose(link, frame).inverse() @ self.pose(name, frame)
        return [_element("link", frame, name=name), _weld(frame, link, name, pose)]

    def _joint(self, joint: Element) -> Element:
        name, type_name = joint.attribute("name"), joint.attribute("type")
        parent, child = _text(joint, "parent"), _text(joint, "child")
        if type_name not in (*_MOVING, "fixed"):
            raise RobotFileError(
                f"joint '{name}' is of type '{type_name}'",
                where=joint.where,
                remedy=f"use one of {', '.join(_MOVING)}, fixed; several of them, with links without mass between",
            )
        placed = IDENTITY if parent == _WORLD else self._body_pose(self._link_of(parent, joint), joint)
        end = self._body_pose(child, joint)
        ends = (
            _element("parent", joint, link=self._carrier_name(self._link_of(parent, joint))),
            _element("child", joint, link=self._carrier_name(child)),
        )
        origin = _origin(joint, placed.inverse() @ end)
        if type_name == "fixed":
            return _element("joint", joint, origin, *ends, name=name, type="fixed")
        axis = joint.need("axis")
        unread = [part for part in axis.children if part.tag not in _AXIS_WORDS]
        if unread:
            raise RobotFileError(f"{joint} has an unknown <{unread[0].tag}>", where=unread[0].where, remedy="remove it")
        parts = [origin, *ends, self._axis(axis, joint), *_limit(axis), *_dynamics(axis), *_mimic(axis)]
        limited = any(word in part.attributes for part in parts if part.tag == "limit" for word in ("lower", "upper"))
        if type_name == "revolute" and not limited:
            type_name = "continuous"
        return _element("joint", joint, *parts, name=name, type=type_name)

    def _link_of(self, name: str, asked: Element) -> str:
        """The link that a name stands for: itself, or the one that a frame or joint is attached to."""
        if name == _WORLD:
            return name
        self.pose(name, asked)  # raises where there is no such frame, or references are circular
        element = self.frames[name]
        while element.tag != "link":
            name = _text(element, "child") if element.tag == "joint" else element.attributes.get("attached_to", "")
            if name not in self.frames:
                raise RobotFileError(
                    f"{asked} is joined to {element}, which no link carries",
                    where=asked.where,
                    remedy="name a link, or world",
                )
            element = self.frames[name]
        return name

    def _axis(self, axis: Element, joint: Element) -> Element:
        """The axis by (4)."""
        xyz = axis.find("xyz")
        direction = (0.0, 0.0, 1.0) if xyz is None else parse_vector(xyz.text, what="<xyz>", where=xyz.where)
        named = "" if xyz is None else xyz.attributes.get("expressed_in", "").strip()
        old = axis.find("use_parent_model_frame")
        in_model = self.version < 5 if old is None else old.text.strip() in ("1", "true")
        frame = self._joint_pose(joint)
        if named or in_model:
            given = self.pose(named or _MODEL, axis)
            direction = matvec(transpose(frame.rotation), matvec(given.rotation, direction))
            x, y, z = (0.0 if abs(entry) < TUNING.same_frame * norm(direction) else entry for entry in direction)
            direction = (x, y, z)
        return _element("axis", axis, xyz=_words(direction))


def _element(tag: str, source: Element, *children: Element, **attributes: str) -> Element:
    """An element of URDF at the place of the SDF element that it comes from."""
    return Element(tag, attributes, source.where, "", children)


def _text(element: Element, tag: str) -> str:
    """The text of a child that must be there."""
    child = element.need(tag)
    if not child.text.strip():
        raise RobotFileError(f"<{tag}> of {element} is empty", where=child.where, remedy="write its name")
    return child.text.strip()


def _words(values: tuple[float, ...]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _read_pose(element: Element) -> Pose:
    """The `<pose>` of an element: x y z roll pitch yaw, angles perhaps in degrees, or x y z and a quaternion."""
    pose = element.find("pose")
    if pose is None or not pose.text.strip():
        return IDENTITY
    if pose.attributes.get("rotation_format", "euler_rpy") != "euler_rpy":
        raise RobotFileError(
            f"<pose> of {element} is a quaternion", where=pose.where, remedy="write it as x y z roll pitch yaw"
        )
    numbers = [parse_number(word, what=f"<pose> of {element}", where=pose.where) for word in pose.text.split()]
    if len(numbers) != 6:
        raise RobotFileError(
            f"<pose> of {element} has {len(numbers)} numbers", where=pose.where, remedy="write x y z roll pitch yaw"
        )
    x, y, z, *angles = numbers
    if pose.attributes.get("degrees", "false").strip() in ("1", "true"):
        angles = [angle * 0.017453292519943295 for angle in angles]
    return Pose(rpy_rotation(*angles), (x, y, z))


def _is_identity(pose: Pose) -> bool:
    rows = zip(pose.rotation, IDENTITY.rotation, strict=True)
    off = [abs(a - b) for row, unit in rows for a, b in zip(row, unit, strict=True)]
    return bool(max(*off, *map(abs, pose.origin)) < TUNING.same_frame)


def _origin(source: Element, pose: Pose) -> Element:
    return _element("origin", source, xyz=_words(pose.origin), rpy=_words(rpy_from_rotation(pose.rotation)))


def _weld(source: Element, parent: str, child: str, pose: Pose) -> Element:
    ends = _element("parent", source, link=parent), _element("child", source, link=child)
    return _element("joint", source, _origin(source, pose), *ends, name=f"{child} weld", type="fixed")


def _inertial(link: Element) -> list[Element]:
    inertial = link.find("inertial")
    if inertial is None:
        return []
    mass, tensor = inertial.need("mass"), inertial.need("inertia")
    entries = {key: (found.text.strip() if (found := tensor.find(key)) else "0") for key in ("ixy", "ixz", "iyz")}
    entries |= {key: _text(tensor, key) for key in ("ixx", "iyy", "izz")}
    parts = _element("mass", mass, value=mass.text.strip()), _element("inertia", tensor, **entries)
    return [_element("inertial", inertial, _origin(inertial, _read_pose(inertial)), *parts)]


def _limit(axis: Element) -> list[Element]:
    """Limits in URDF's form; in SDF, huge positions and negative speeds and efforts mean no limit."""
    limit = axis.find("limit")
    if limit is None:
        return []
    found: dict[str, str] = {}
    for word in ("lower", "upper", "velocity", "effort"):
        element = limit.find(word)
        if element is None or not element.text.strip() or element.text.strip().lower() in ("inf", "-inf"):
            continue
        value = parse_number(element.text, what=f"<{word}>", where=element.where)
        if abs(value) < _NO_LIMIT and (word in ("lower", "upper") or value >= 0.0):
            found[word] = element.text.strip()
    return [_element("limit", limit, **found)]


def _dynamics(axis: Element) -> list[Element]:
    dynamics = axis.find("dynamics")
    if dynamics is None:
        return []
    given = {word: found.text.strip() for word in ("damping", "friction") if (found := dynamics.find(word))}
    return [_element("dynamics", dynamics, **given)]


def _mimic(axis: Element) -> list[Element]:
    """The coupling (5)."""
    mimic = axis.find("mimic")
    if mimic is None:
        return []
    if mimic.attributes.get("axis", "axis") != "axis":
        raise RobotFileError(
            f"a joint follows the second axis of '{mimic.attribute('joint')}'",
            where=mimic.where,
            remedy="follow a joint with one axis",
        )
    factor, reference, offset = (
        parse_number(found.text, what=f"<{word}>", where=found.where) if (found := mimic.find(word)) else default
        for word, default in (("multiplier", 1.0), ("reference", 0.0), ("offset", 0.0))
    )
    words = {"multiplier": repr(factor), "offset": repr(offset - factor * reference)}
    return [_element("mimic", mimic, joint=mimic.attribute("joint"), **words)]


def _spring(joint: Element) -> Spring | None:
    axis = joint.find("axis")
    dynamics = None if axis is None else axis.find("dynamics")
    if dynamics is None or (stiffness := dynamics.find("spring_stiffness")) is None:
        return None
    value = parse_number(stiffness.text, what="<spring_stiffness>", where=stiffness.where)
    rest = dynamics.find("spring_reference")
    at = 0.0 if rest is None else parse_number(rest.text, what="<spring_reference>", where=rest.where)
    return Spring(value, at) if value else None


def _visuals(link: Element) -> list[Element]:
    """Shapes with SDF's sizes as attributes; a shape that URDF cannot express is left to the page to report."""
    found = []
    for visual in link.all("visual"):
        geometry, shapes = visual.need("geometry"), []
        for shape in geometry.children:
            words = {("filename" if part.tag == "uri" else part.tag): part.text.strip() for part in shape.children}
            shapes.append(_element(shape.tag, shape, **words))
        material = visual.find("material")
        color = None if material is None else material.find("diffuse")
        colors = [] if color is None else [_element("color", color, rgba=color.text.strip())]
        parts = [_origin(visual, _read_pose(visual)), _element("geometry", geometry, *shapes)]
        found.append(_element("visual", visual, *parts, *([_element("material", visual, *colors)] if colors else [])))
    return found
