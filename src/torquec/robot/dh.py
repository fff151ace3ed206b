"""Denavit-Hartenberg (DH) tables in TOML to `Robot`; `docs/dh.md` documents the file.

The pose of link frame i in link frame i-1, with q added to theta (rotary joints) or to d (prismatic joints):

(1)  standard:  A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha)      joint i moves about or along z_{i-1}
(2)  modified:  A_i = Rx(alpha) Tx(a) Rz(theta) Tz(d)      joint i moves about or along z_i

Motion about and along z commutes with Rz(theta) Tz(d). So both have the form A_i = before J(q) after with constant
poses: `before` is the identity in (1), `after` in (2). The body frame directly follows J, so its z axis is the joint
axis. The link frame, in which the file gives inertias, has the pose `after` in the body frame. It is kept by name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from torquec.robot.degrees import degrees_text, is_placement_in_degrees
from torquec.robot.dh_joint import (
    GearedMotor,
    build_drives,
    read_angle,
    read_angles,
    read_counterbalances,
    read_coupled_motor,
    read_friction,
    read_limits,
    read_mimic,
    read_motor,
    read_spring,
)
from torquec.robot.joints import JointKind, JointType
from torquec.robot.right_angle import cos_sin, without_rounding
from torquec.robot.robot import BASE, STANDARD_GRAVITY, Body, FileWarning, Frame, Joint, Mimic, Robot
from torquec.robot.toml import Table, parse_toml, read_toml
from torquec.robot.tree import BodyTree, resolve_mimics
from torquec.robot.validate import InertiaCheck, check_inertia, check_robot
from torquec.spatial import (
    IDENTITY,
    PARAMETER_NAMES,
    Inertia,
    Matrix3,
    Pose,
    rotation_x,
    rotation_z,
    rpy_rotation,
    scale,
)

BASE_NAME = "base"
_FIXED = "fixed"
_JOINT_TYPES = {type.kind.dh: type for type in JointType if type.kind.dh}


class Convention(StrEnum):
    """Which of the two DH conventions a table follows."""

    STANDARD = "standard"
    MODIFIED = "modified"


def read_dh(
    path: str | os.PathLike[str], *, strict: bool = False, gravity: tuple[float, float, float] | None = None
) -> Robot:
    """The robot of a DH table.

    `gravity` (3,) [m/s^2] in the base frame replaces the file's. Raises `RobotFileError` with file, line and remedy for
    a file that is not a DH table, and with `strict` for every warning.
    """
    document = read_toml(path)
    _check_is_robot(document)
    reader = _Reader(document, inertias=InertiaCheck.BODIES)
    robot = reader.read(source=os.fspath(path), gravity=gravity)
    return check_robot(robot, strict=strict, inertias=InertiaCheck.NONE, where=reader.places)


def parse_dh(text: str, *, source: str, gravity: tuple[float, float, float] | None = None) -> Robot:
    """The robot of a DH table given as text, without plausibility checks; `source` is what messages call it.

    >>> parse_dh('''
    ... name = "pendulum"
    ... convention = "modified"
    ... [[joint]]
    ... name = "pivot"
    ... type = "continuous"
    ... alpha_deg = 90
    ... a = 0
    ... d = 0
    ... link = { mass = 1, com = [0.5, 0, 0], inertia = [0, 0, 0] }
    ... ''', source="pendulum.toml").bodies[0].inertia.zz
    0.25
    """
    reader = _Reader(parse_toml(text, source), inertias=InertiaCheck.NONE)
    return reader.read(source=source, gravity=gravity)


_OTHER_FILES = {
    "robot": ("a project file", "run it with torquec run, or name its robot file"),
    "every_joint": ("a file of requirements or uncertainties", "name the robot file; this one is for an option"),
}
"""Keys of other files of Torquec that are TOML, which a DH table does not have."""


def _check_is_robot(document: Table) -> None:
    for key, (title, remedy) in _OTHER_FILES.items():
        if "joint" not in document.keys and key in document.keys:
            document.refuse(key, f"this is {title}, not a robot", remedy)


class _Reader:
    """One pass over a document. `links` maps joint names to link frames, `places` maps names to lines."""

    def __init__(self, document: Table, *, inertias: InertiaCheck) -> None:
        self.document = document
        self.inertias = inertias
        self.name = document.text("name")
        self.convention = Convention(document.choice("convention", Convention))
        self.tree = BodyTree()
        base = Frame(BASE_NAME, BASE)
        self.frames = [base]
        self.links = {BASE_NAME: base}
        self.joints: dict[str, Table] = {}
        self.motors: list[GearedMotor] = []
        self.places: dict[str, str] = {}
        self.warnings: list[FileWarning] = []

    def read(self, *, source: str, gravity: tuple[float, float, float] | None) -> Robot:
        """The robot of the whole document; raises `RobotFileError` for its first fault."""
        document = self.document
        file_gravity = document.vector("gravity", STANDARD_GRAVITY)

        # Joints in file order, which is the state's order; parents first, so there are no loops.
        previous = BASE_NAME
        for table in document.tables("joint"):
            previous = self.add_joint(table, previous)
        if not self.tree.bodies:
            document.refuse("joint", f"robot '{self.name}' has no moving joint", "add a [[joint]] that is not fixed")

        # Then the parts that may refer to any joint of the file.
        mimics = self.resolved_mimics()
        moving = [body.joint.name for body in self.tree.bodies]
        for table in document.tables("motor"):
            self.add_coupled_motor(table, moving)
        for table in document.tables("frame"):
            self.add_named_frame(table)
        document.finish()

        bodies = list(self.tree.bodies)
        for index, body in enumerate(bodies):
            if body.joint.name in mimics:
                bodies[index] = replace(body, joint=replace(body.joint, mimic=mimics[body.joint.name]))
        return Robot(
            name=self.name,
            bodies=tuple(bodies),
            frames=tuple(self.frames),
            base_inertia=self.tree.base_inertia,
            gravity=file_gravity if gravity is None else gravity,
            drives=build_drives(self.motors, [name for name in moving if name not in mimics], mimics),
            warnings=tuple(self.warnings),
            source=source,
        )

    def add_joint(self, table: Table, previous: str) -> str:
        """Read one `[[joint]]`: adds a body, or if fixed extends its parent's body; returns the joint's name."""
        name = table.text("name")
        if name in self.links:
            table.refuse("name", f"there are two joints named '{name}'", "give each its own name, and none 'base'")
        parent = table.text("parent", previous)
        if parent not in self.links:
            table.refuse(
                "parent", f"joint '{name}' has an unknown parent '{parent}'", "name an earlier joint or 'base'"
            )
        type_name = table.choice("type", (*_JOINT_TYPES, _FIXED))
        self.warn_of_degrees(table, ("alpha", "theta"), f"joint '{name}'")
        moving = _JOINT_TYPES.get(type_name)
        before, after = _read_row(self.convention, table, moving.kind if moving else None)
        link_name, inertia = self.read_link(table, name)
        body, placement = self.links[parent].body, self.links[parent].pose @ before
        self.joints[name] = table
        self.places[name] = table.where("name")
        if moving is None:
            frame = Frame(link_name, body, placement @ after)
            self.tree.weld(inertia or Inertia(), frame.body, frame.pose)
        else:
            frame = Frame(link_name, len(self.tree.bodies), after)
            joint = _read_joint(table, name, moving, placement)
            carried = (inertia or Inertia()).transformed(after)
            self.tree.add(Body(link_name, body, joint, carried, () if inertia else (link_name,)))
            motor = read_motor(table, name)
            self.motors += [motor] if motor else []
        self.add_frame(table, frame)
        self.links[name] = frame
        table.finish()
        return name

    def warn_of_degrees(self, table: Table, keys: Sequence[str], of: str) -> None:
        """Keep a warning for every angle in radians that looks like one in degrees."""
        for key in keys:
            value = table.number(key, 0.0)
            if is_placement_in_degrees(value):
                text = degrees_text(f"{key} of {of}", value, f"write {key}_deg")
                self.warnings.append(FileWarning(table.where(key), text, about_units=True))

    def read_link(self, joint: Table, joint_name: str) -> tuple[str, Inertia | None]:
        """The name of a joint's link, and its inertia in the link frame where the file gives one."""
        link = joint.table("link")
        if link is None:
            self.places[f"{joint_name}_link"] = joint.where()
            return f"{joint_name}_link", None
        name = link.text("name", f"{joint_name}_link")
        inertia = read_dh_inertia(link)
        link.finish()
        self.places[name] = link.where("inertia")
        if inertia and self.inertias is InertiaCheck.BODIES:
            self.warnings += check_inertia(name, inertia, where=link.where("inertia"))
        return name, inertia

    def add_coupled_motor(self, table: Table, joints: list[str]) -> None:
        """Read one `[[motor]]`; a joint's own motor has the joint's name."""
        geared = read_coupled_motor(table, joints)
        if any(geared.motor.name == other.motor.name for other in self.motors):
            table.refuse("name", f"there are two motors named '{geared.motor.name}'", "give each its own name")
        self.motors.append(geared)

    def add_frame(self, table: Table, frame: Frame) -> None:
        """Keep a named frame; its name must be new."""
        if any(frame.name == other.name for other in self.frames):
            table.refuse("name", f"there are two links or frames named '{frame.name}'", "give each its own name")
        self.frames.append(frame)

    def add_named_frame(self, table: Table) -> None:
        """Read one `[[frame]]`: fixed to the link of `joint` (or to the base), at `xyz` and turned by `rpy`."""
        joint = table.text("joint")
        if joint not in self.links:
            table.refuse("joint", f"the frame is on an unknown joint '{joint}'", f"name one of {', '.join(self.links)}")
        rotation = rpy_rotation(*read_angles(table, "rpy", (0.0, 0.0, 0.0)))
        pose = Pose(without_rounding(rotation), table.vector("xyz", (0.0, 0.0, 0.0)))
        link = self.links[joint]
        self.add_frame(table, Frame(table.text("name"), link.body, link.pose @ pose))
        table.finish()

    def resolved_mimics(self) -> dict[str, Mimic]:
        """The mimic joints, each with the independent joint at the end of its chain."""
        mimics = {body.joint.name: body.joint.mimic for body in self.tree.bodies if body.joint.mimic}
        moving = {body.joint.name for body in self.tree.bodies}
        for name, mimic in mimics.items():
            if mimic.joint not in moving:
                self.joints[name].refuse(
                    "mimic", f"joint '{name}' mimics '{mimic.joint}', which does not move", "name a moving joint"
                )
        return resolve_mimics(mimics, {name: self.joints[name].where("mimic") for name in mimics})


def _read_joint(table: Table, name: str, kind: JointType, placement: Pose) -> Joint:
    return Joint(
        name=name,
        type=kind,
        placement=placement,
        limits=read_limits(table, kind.kind),
        friction=read_friction(table),
        spring=read_spring(table),
        counterbalances=read_counterbalances(table),
        mimic=read_mimic(table),
    )


def _read_row(convention: Convention, table: Table, kind: JointKind | None) -> tuple[Pose, Pose]:
    """The constant poses before and after the motion, (1) or (2); the column that q adds to is optional."""
    turns = None if kind is None else kind.coordinate.turns  # None: a fixed joint needs both columns
    along_x = Pose(rotation_x(*cos_sin(read_angle(table, "alpha"))), (table.number("a"), 0.0, 0.0))
    theta = read_angle(table, "theta", 0.0 if turns is True else None)
    d = table.number("d", 0.0 if turns is False else None)
    along_z = Pose(rotation_z(*cos_sin(theta)), (0.0, 0.0, d))
    if convention is Convention.STANDARD:
        return IDENTITY, along_z @ along_x
    return along_x @ along_z, IDENTITY


_BODY_KEYS = ("mass", "com", "first_moment", "inertia", "about")
_SYMMETRY_TOLERANCE = 1e-9  # of the largest entry: rounded symmetric entries differ by less


def read_dh_inertia(link: Table) -> Inertia | None:
    """The inertia that a link's table gives, None where it gives none; raises `RobotFileError` with the line."""
    ten = [key for key in PARAMETER_NAMES if key in link]
    body = [key for key in _BODY_KEYS if key in link]
    if ten and body:
        link.refuse(body[0], f"'{body[0]}' and '{ten[0]}'", "give mass, com and inertia, or the ten parameters")
    if ten:
        return Inertia(*(link.number(key, 0.0) for key in PARAMETER_NAMES))
    if not body:
        return None
    mass = link.number("mass")
    tensor = _read_tensor(link)
    about = link.choice("about", ("com", "origin"), "com")
    if "first_moment" in link:
        if "com" in link:
            link.refuse("com", "'com' and 'first_moment'", "give one of them: first_moment = mass * com")
        moment = link.vector("first_moment")
        if mass == 0.0 and about == "com" and any(moment):
            link.refuse("first_moment", "a first moment without mass has no centre of mass", 'add about = "origin"')
        center = scale(moment, 1.0 / mass) if mass else moment
    else:
        center = link.vector("com")
        moment = scale(center, mass)
    if about == "com":
        return Inertia.from_center_of_mass(mass, center, tensor)
    return Inertia(
        tensor[0][0], tensor[0][1], tensor[0][2], tensor[1][1], tensor[1][2], tensor[2][2], *moment, mass
    )  # fmt: skip


def _read_tensor(link: Table) -> Matrix3:
    """`inertia`: three principal moments, or three symmetric rows."""
    rows = link.rows("inertia")
    if len(rows) == 1 and len(rows[0]) == 3:
        x, y, z = rows[0]
        return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
    if len(rows) != 3 or any(len(row) != 3 for row in rows):
        link.refuse("inertia", f"'inertia' is {rows}", "give [Ixx, Iyy, Izz] or three rows of three numbers")
    largest = max(abs(element) for row in rows for element in row)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if abs(rows[i][j] - rows[j][i]) > _SYMMETRY_TOLERANCE * largest:
            link.refuse("inertia", f"'inertia' is not symmetric: {rows[i][j]} and {rows[j][i]}", "make both equal")
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
