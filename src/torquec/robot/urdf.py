"""URDF files to `Robot`, and a warning where a robot on legs has a fixed base.

The reader takes links with their inertias, joints with limits, damping, friction and mimic, and transmissions. Like
every URDF reader it ignores the rest (visual, collision, gazebo, sensors, ...). No mesh is opened. Links that fixed
joints weld together become one body and keep their frames. Joints are ordered depth first, children in file order.

(1)  pose of a link in its body's frame:  the joint's origin, after the pose of the parent link in that frame
(2)  inertia of a body:                   the sum over its links, each moved to the body's frame

URDF cannot declare a floating base. A file whose base is fixed has a root link `world`; without one, the robot is an
arm on its base or a legged robot. `standing_limbs` tells them apart, with every joint at zero or at its nearest limit:

(3)  a limb is everything that one joint of the base carries, with at least two independent joints; its length is the
     largest distance of one of its frames from that joint
(4)  a limb is a leg if its lowest frame lies more than half its length below the lowest frame of the base, and
(5)  more than half as deep as the lowest frame of the deepest limb: a humanoid's arms hang less deep than its legs
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, read_bytes
from torquec.robot.lock_joints import held_at, moved_by
from torquec.robot.robot import BASE, STANDARD_GRAVITY, Body, FileWarning, Frame, Robot
from torquec.robot.tree import BodyTree, resolve_mimics
from torquec.robot.tuning import TUNING
from torquec.robot.urdf_elements import Connection, Link, read_connection, read_urdf_inertia, unknown_words
from torquec.robot.urdf_transmission import read_transmissions
from torquec.robot.validate import InertiaCheck, check_inertia, check_robot, is_solid, without_negative_moments
from torquec.robot.xml import Element, parse_xml
from torquec.spatial import IDENTITY, Inertia, Pose, Vector3, norm, subtract


def read_urdf(path: Path, *, strict: bool = False, gravity: tuple[float, float, float] | None = None) -> Robot:
    """The robot that a URDF file describes.

    `gravity` (3,) [m/s^2] in the base frame replaces the standard one. Raises `RobotFileError` with file, line, element
    and remedy for a file that is not a robot, and with `strict` for every warning.
    """
    return parse_urdf(read_bytes(path, FileKind.ROBOT), str(path), strict=strict, gravity=gravity)


def parse_urdf(
    data: bytes, source: str, *, strict: bool = False, gravity: tuple[float, float, float] | None = None
) -> Robot:
    """The robot that a URDF document describes; `source` is what messages call it.

    >>> hinge = b"<joint name='hinge' type='continuous'><parent link='base'/><child link='tool'/></joint>"
    >>> parse_urdf(b"<robot name='arm'><link name='base'/><link name='tool'/>" + hinge + b"</robot>", "arm").joint_names
    ('hinge',)
    """
    return robot_of_urdf(parse_xml(data, source), source, strict=strict, gravity=gravity)


def robot_of_urdf(
    root: Element, source: str, *, strict: bool = False, gravity: tuple[float, float, float] | None = None
) -> Robot:
    """The robot that the root element of a URDF document describes; otherwise as `parse_urdf`."""
    if root.tag != "robot":
        raise RobotFileError(
            f"the document is <{root.tag}>, not <robot>", where=root.where, remedy="name the file by its format"
        )
    warnings = [*_xacro_left_over(root), *unknown_words(root)]
    name = root.attributes.get("name", "").strip()
    if not name:
        name = Path(source).stem or "robot"
        warnings.append(FileWarning(root.where, f"<robot> has no name: '{name}' is taken from the file"))

    links = _read_links(root, warnings)
    connections = _resolve_mimics(_read_connections(root, links, warnings))
    robot = _assemble(links, connections, _find_root(root, links, connections))
    mimics = {body.joint.name: body.joint.mimic for body in robot.bodies if body.joint.mimic is not None}
    drives, ignored = read_transmissions(root, set(connections), robot.coordinate_names, mimics)
    actuators = (actuator for element in root.all("transmission") for actuator in element.all("actuator"))
    places = {actuator.attributes.get("name", ""): actuator.where for actuator in actuators}
    places |= {link.name: link.where for link in links.values()}
    places |= {connection.name: connection.where for connection in connections.values()}
    robot = replace(
        robot, name=name, gravity=STANDARD_GRAVITY if gravity is None else gravity, drives=drives, source=source
    )
    robot = replace(robot, warnings=(*warnings, *ignored, *check_base(robot, root.where)))
    return check_robot(robot, strict=strict, inertias=InertiaCheck.NONE, where=places)


_WITHOUT_OUTPUT = ("property", "macro", "arg", "include")
"""Elements of xacro that only define something: those that an expansion leaves behind are ignored."""


def _xacro_left_over(root: Element) -> list[FileWarning]:
    """A warning for each definition left by xacro; raises `RobotFileError` for elements that are not expanded."""
    warnings = []
    for element in root.walk():
        if not (element.tag.startswith("{") and "xacro" in element.tag):
            continue
        word = element.tag.rpartition("}")[2]
        if word in _WITHOUT_OUTPUT and element in root.children:
            warnings.append(FileWarning(element.where, f"<xacro:{word}> is ignored: this is URDF, not xacro"))
        elif word not in _WITHOUT_OUTPUT:
            raise RobotFileError(
                f"this is xacro, not URDF: <xacro:{word}>",
                where=element.where,
                remedy="give the file the suffix .xacro, or expand it with 'xacro robot.urdf.xacro > robot.urdf'",
            )
    return warnings


def _read_links(root: Element, warnings: list[FileWarning]) -> dict[str, Link]:
    links: dict[str, Link] = {}
    for element in root.all("link"):
        name = element.attribute("name")
        if name in links:
            raise _duplicate("links", name, links[name].where, element.where)
        inertial = element.find("inertial")
        inertia = None
        if inertial is not None:
            inertia = read_urdf_inertia(inertial, name, warnings)
            place = inertial.need("inertia").where  # the tensor's own line, where the number to correct stands
            if not is_solid(inertia):
                inertia, slight = without_negative_moments(name, inertia, where=place)
                warnings += [*slight, *check_inertia(name, inertia, where=place)]
        is_frame = inertia is None and not element.all("visual") and not element.all("collision")
        links[name] = Link(name, element.where, inertia, is_frame)
    if not links:
        raise RobotFileError("the robot has no links", where=root.where, remedy="add <link> elements to <robot>")
    return links


def _read_connections(root: Element, links: dict[str, Link], warnings: list[FileWarning]) -> dict[str, Connection]:
    connections: dict[str, Connection] = {}
    parents: dict[str, Connection] = {}
    for element in root.all("joint"):
        connection = read_connection(element, warnings)
        if connection.name in connections:
            raise _duplicate("joints", connection.name, connections[connection.name].where, element.where)
        for role, link in (("parent", connection.parent), ("child", connection.child)):
            if link not in links:
                raise RobotFileError(
                    f"joint '{connection.name}' has an unknown {role} link '{link}'",
                    where=element.need(role).where,
                    remedy=f"add a link '{link}', or name one that exists",
                )
        if connection.child in parents:
            raise RobotFileError(
                f"link '{connection.child}' has two parents: joints '{parents[connection.child].name}' "
                f"and '{connection.name}'",
                where=element.where,
                remedy="a robot is a tree: keep one of the two joints",
            )
        connections[connection.name] = parents[connection.child] = connection
    return connections


def _resolve_mimics(connections: dict[str, Connection]) -> dict[str, Connection]:
    """The same joints, with every mimic pointing at an independent joint."""
    mimics = {c.name: c.joint.mimic for c in connections.values() if c.joint is not None and c.joint.mimic is not None}
    resolved = dict(connections)
    for name, mimic in mimics.items():
        connection = connections[name]
        target = connections.get(mimic.joint)
        if target is None or target.joint is None or mimic.joint == name:
            what = "itself" if mimic.joint == name else f"'{mimic.joint}', which is "
            what += "" if mimic.joint == name else ("no joint of this robot" if target is None else "a fixed joint")
            raise RobotFileError(
                f"joint '{name}' mimics {what}", where=connection.where, remedy="mimic another joint that moves"
            )
    for name, end in resolve_mimics(mimics, {name: connections[name].where for name in mimics}).items():
        joint = connections[name].joint
        assert joint is not None
        resolved[name] = replace(connections[name], joint=replace(joint, mimic=end))
    return resolved


def _find_root(root: Element, links: dict[str, Link], connections: dict[str, Connection]) -> str:
    """The root link: the only one without a parent, from which every other link is reached."""
    children = {connection.child for connection in connections.values()}
    roots = [name for name in links if name not in children]
    if not roots:
        raise RobotFileError(
            "the joints form a loop: every link is the child of another",
            where=root.where,
            remedy="a robot is a tree: cut the loop at one joint so that one link has no parent",
        )
    if len(roots) > 1:
        raise RobotFileError(
            f"the robot has {len(roots)} roots: {', '.join(roots[:5])}{', ...' if len(roots) > 5 else ''}",
            where=links[roots[1]].where,
            remedy=f"join '{roots[1]}' to the rest with a fixed joint, or remove it",
        )
    return roots[0]


def _assemble(links: dict[str, Link], connections: dict[str, Connection], root: str) -> Robot:
    """Walk the tree depth first; weld fixed joints by (1) and (2)."""
    below: dict[str, list[Connection]] = {name: [] for name in links}
    for connection in connections.values():
        below[connection.parent].append(connection)
    tree = BodyTree(links[root].inertia or Inertia())
    frames = [Frame(root, BASE)]
    frame_of = {root: frames[0]}
    stack = below[root][::-1]
    while stack:
        connection = stack.pop()
        link, above = links[connection.child], frame_of[connection.parent]
        pose = above.pose @ connection.origin  # (1)
        if connection.joint is not None:
            joint = replace(connection.joint, placement=pose)
            lacking = (link.name,) if link.inertia is None else ()
            body = tree.add(Body(link.name, above.body, joint, link.inertia or Inertia(), lacking))
            frame = Frame(link.name, body)
        else:
            frame = Frame(link.name, above.body, pose)
            lacks = link.inertia is None and not link.is_frame
            tree.weld(link.inertia or Inertia(), above.body, pose, lacking=(link.name,) if lacks else ())  # (2)
        frames.append(frame)
        frame_of[link.name] = frame
        stack.extend(reversed(below[link.name]))
    lost = [name for name in links if name not in frame_of]
    if lost:
        raise RobotFileError(
            f"the joints form a loop: the links {', '.join(lost[:5])} are not connected to '{root}'",
            where=links[lost[0]].where,
            remedy="a robot is a tree: cut the loop at one joint",
        )
    return tree.applied_to(Robot("", (), tuple(frames)))


def _duplicate(kind: str, name: str, first: str, second: str) -> RobotFileError:
    return RobotFileError(
        f"two {kind} are called '{name}'; the first is at {first}", where=second, remedy="give them different names"
    )


_BOLTED = "world"  # name of the root link of a URDF file whose base is fixed


def standing_limbs(robot: Robot) -> tuple[str, ...]:
    """The joints of the base whose limbs are legs (3)-(5); none for fewer than two legs, or with a link `world`.

    >>> from torquec.robot import classics
    >>> standing_limbs(classics.puma560())
    ()
    """
    on_base = [frame for frame in robot.frames if frame.body == BASE]
    limbs = [body.joint.name for body in robot.bodies if body.parent == BASE]
    if len(limbs) < TUNING.fewest_legs or not on_base or any(frame.name.lower() == _BOLTED for frame in on_base):
        return ()
    floor = min(frame.pose.origin[2] for frame in on_base)
    poses, limb_of = _poses(robot)
    joints = dict.fromkeys(limbs, 0)
    for body, limb in zip(robot.bodies, limb_of, strict=True):
        joints[limb] += body.joint.mimic is None
    tips: dict[str, list[Vector3]] = {limb: [] for limb in limbs}
    for frame in robot.frames:
        if frame.body != BASE:
            tips[limb_of[frame.body]].append((poses[frame.body] @ frame.pose).origin)
    origin = {body.joint.name: poses[k].origin for k, body in enumerate(robot.bodies) if body.parent == BASE}
    depth = {limb: floor - min((tip[2] for tip in tips[limb]), default=floor) for limb in limbs}
    length = {limb: max((norm(subtract(tip, origin[limb])) for tip in tips[limb]), default=0.0) for limb in limbs}
    deepest = max(depth.values())
    standing = tuple(
        limb
        for limb in limbs
        if joints[limb] >= TUNING.fewest_leg_joints
        and depth[limb] > TUNING.leg_depth * max(length[limb], deepest)  # (4), (5)
    )
    return standing if len(standing) >= TUNING.fewest_legs else ()


def check_base(robot: Robot, where: str) -> list[FileWarning]:
    """A warning if a robot seems to stand on legs although its base is treated as fixed."""
    legs = standing_limbs(robot)
    if not legs:
        return []
    base = next(frame.name for frame in robot.frames if frame.body == BASE)
    text = (
        f"'{robot.name}' seems to stand on legs ({', '.join(legs)}) and its base '{base}' is treated as fixed: its "
        f"dynamics is that of the robot bolted down, not of one that walks. For a floating base: --base floating, "
        f"load(path, base='floating'). If the base is bolted down: --base fixed, or a link 'world' and a fixed joint "
        f"from it to '{base}'"
    )
    return [FileWarning(where, text, about_base=True)]


def _poses(robot: Robot) -> tuple[list[Pose], list[str]]:
    """The pose of every body in the base, and the joint of the base with which its limb begins."""
    zero = {joint.name: min(max(0.0, joint.limits.lower), joint.limits.upper) for joint in robot.joints}
    poses: list[Pose] = []
    limb_of: list[str] = []
    for body in robot.bodies:
        carrier = IDENTITY if body.parent == BASE else poses[body.parent]
        poses.append(carrier @ body.joint.placement @ moved_by(body.joint, held_at(body.joint, zero) or 0.0))
        limb_of.append(body.joint.name if body.parent == BASE else limb_of[body.parent])
    return poses, limb_of
