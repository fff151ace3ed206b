"""Robot shapes: those of its file, or capsules along the links, sized by mass, and a housing at every joint.

(1)  r^2 = r0^2 (m / L) / (sum of m / sum of L): a link of mass m and length L, with the radius r0 of the
     mean link; then thinner than the link that carries it, within limits
(2)  the solid ellipsoid of mass m with principal moments I has half axes a with a_x^2 = 5 (I_y + I_z - I_x) / (2 m)

Visual shapes of the robot file (URDF, expanded xacro, MJCF) are drawn where there are any. Shapes that cannot be drawn
are reported, the rest is drawn; a body that lacks some of its shapes gets capsules, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from torquec.dynamics.frame_pose import body_poses
from torquec.errors import TorquecError
from torquec.page.mesh import PackedMesh, packed_mesh
from torquec.page.mesh_files import MeshFolders, read_mesh
from torquec.robot.configuration import neutral
from torquec.robot.joints import JointType
from torquec.robot.load import READERS
from torquec.robot.robot import BASE, Body, Robot
from torquec.robot.visual import RgbaColor, ShapeKind, Visual
from torquec.spatial import IDENTITY, Matrix3, Pose, Vector3, cross, matmul, matvec, norm, scale, subtract, transpose

_SHOWN = 2  # names that a message lists for one reason: it stays one line
_MEAN_RADIUS = 0.045
_LEAST_RADIUS = 0.022
_MOST_RADIUS = 0.075
"""Radii of capsules relative to the robot's size: they look like an arm, neither wire nor barrel."""

_HOUSING = 1.16
"""Radius of a joint's housing relative to the link that carries it, the thicker one: no surfaces coincide."""

_TAPER = (0.68, 0.97)
"""Least and largest radius of a link relative to the link that carries it: arms become thinner gradually."""

_NEXT_HOUSING = 0.86
"""Radius of a housing relative to another one at the same place, as in wrists: equal surfaces would coincide."""

_SHORT = 0.02  # distances below this, relative to the robot's size, get no capsule

_FLANGE = 0.05
"""Length of the last link, as a share of the robot's size, if the file does not state how far it reaches."""


_COLUMN = 0.55
"""Height of a column under a base frame in the air, as a share of the robot's size; the PUMA's shoulder is so high."""

_AN_ARM = 3  # fewest bodies of an arm: pendulums have no column


class ShapeRole(StrEnum):
    """Whether a shape stands for a link, for the housing of a joint, or comes from the robot's file."""

    LINK = "link"
    HOUSING = "housing"
    VISUAL = "visual"


@dataclass(frozen=True)
class Shape:
    """A shape on a body (or `BASE`), at a pose in the body's frame. `mesh` counts the page's meshes; color is RGBA."""

    body: int
    kind: ShapeKind
    pose: Pose
    sizes: tuple[float, ...] = ()
    role: ShapeRole = ShapeRole.LINK
    mesh: int = -1
    scale: Vector3 = (1.0, 1.0, 1.0)
    color: RgbaColor | None = None


@dataclass(frozen=True)
class InertiaEllipsoid:
    """(2): principal axes as columns of `rotation`, half axes [m]."""

    rotation: Matrix3
    axes: Vector3


def robot_shapes(robot: Robot, *, without: frozenset[int] = frozenset()) -> list[Shape]:
    """Capsules and housings of all bodies but those in `without` (and of the base, `BASE`)."""
    size = robot_size(robot)
    bones = {body: _bones(robot, body, size) for body in range(BASE, len(robot.bodies))}
    radii = _radii(robot, bones, size)
    housings = _housing_radii(robot, radii, size)
    shapes = []
    for body, ends in bones.items():
        if body in without:
            continue
        shapes += [_capsule(body, end, radii[body]) for end in ends]
        if body == BASE:
            shapes += _foot(robot, radii[BASE], size) if ends or _hangs_in_the_air(robot) else []
        elif robot.bodies[body].joint.kind.nv > 1:
            shapes += _ball(robot.bodies[body], body, radii[body])
        elif robot.bodies[body].joint.kind.coordinate.turns:
            shapes.append(_housing(robot.bodies[body], body, housings[body]))
        else:
            shapes += _slide(robot.bodies[body], body, radii, size)
    return shapes


def floor_height(robot: Robot, q: Sequence[float]) -> float:
    """Height of the drawn floor [m]: at the base, or lower if the robot has a column or reaches lower at q."""
    poses = body_poses(robot, list(q))
    heights = [float(pose.origin[2]) for pose in poses]
    heights += [float((poses[f.body] @ f.pose).origin[2]) for f in robot.frames if f.body != BASE]
    foot = -_COLUMN * robot_size(robot) if _hangs_in_the_air(robot) else 0.0
    return min(0.0, foot, *heights)


def robot_size(robot: Robot) -> float:
    """The largest distance between joints and frames at the neutral position [m]; a tenth of a metre at least."""
    poses = body_poses(robot, neutral(robot))
    points = [(0.0, 0.0, 0.0), *(pose.origin for pose in poses)]
    points += [(poses[f.body] @ f.pose if f.body != BASE else f.pose).origin for f in robot.frames]
    return max([0.1, *(float(norm(subtract(a, b))) for a in points for b in points)])


def inertia_ellipsoid(body: Body) -> InertiaEllipsoid | None:
    """(2); None for a body without mass or extent."""
    if not body.inertia.m > 0.0:
        return None
    values, vectors = np.linalg.eigh(np.array(body.inertia.central_tensor, dtype=float))
    squares = 2.5 / body.inertia.m * (values.sum() - 2.0 * values)
    if not squares.max() > 0.0:
        return None
    if np.linalg.det(vectors) < 0.0:
        vectors[:, 2] *= -1.0
    least = 1e-3 * math.sqrt(squares.max())  # a thin plate is still seen
    axes = [max(least, math.sqrt(max(0.0, square))) for square in squares]
    rows = [tuple(float(x) for x in row) for row in vectors]
    return InertiaEllipsoid((rows[0], rows[1], rows[2]), (axes[0], axes[1], axes[2]))  # type: ignore[arg-type]


def _hangs_in_the_air(robot: Robot) -> bool:
    """Whether the base frame is at the first joint, which turns about the vertical, as in a table of DH parameters."""
    first = [body for body in robot.bodies if body.parent == BASE]
    if len(first) != 1 or len(robot.bodies) < _AN_ARM or first[0].joint.kind.nv > 1:
        return False
    joint = first[0].joint
    upright = abs(matvec(joint.placement.rotation, joint.axis)[2]) > 0.99  # cosine of a slight tilt
    return upright and joint.kind.coordinate.turns and norm(joint.placement.origin) < _SHORT * robot_size(robot)


def _foot(robot: Robot, radius: float, size: float) -> list[Shape]:
    """Base of the robot: a plate, with a column if the base frame is at the first joint."""
    column = _COLUMN * size if _hangs_in_the_air(robot) else 0.0
    plate = Pose(IDENTITY.rotation, (0.0, 0.0, 0.2 * radius - column))
    shapes = [Shape(BASE, ShapeKind.CYLINDER, plate, (1.6 * radius, 0.4 * radius), ShapeRole.HOUSING)]
    if column:
        middle = Pose(IDENTITY.rotation, (0.0, 0.0, -0.5 * column))
        shapes.append(Shape(BASE, ShapeKind.CYLINDER, middle, (radius, column), ShapeRole.LINK))
    return shapes


def _bones(robot: Robot, body: int, size: float) -> list[Vector3]:
    """End points of the capsules of a body; all begin at its joint. A free body has no capsule to its parent."""
    children = [child.joint for child in robot.bodies if child.parent == body]
    carried = [joint.placement.origin for joint in children if joint.type is not JointType.FREE]
    ends = [end for end in carried if norm(end) > _SHORT * size]
    if body == BASE or carried:
        return _distinct(ends)
    far = max((frame.pose.origin for frame in robot.frames if frame.body == body), key=norm, default=(0.0, 0.0, 0.0))
    if norm(far) > _SHORT * size:
        return [far]
    center = robot.bodies[body].inertia.center_of_mass if robot.bodies[body].inertia.m > 0.0 else far
    if norm(center) > _SHORT * size:
        return [scale(center, 2.0)]
    return [scale(robot.bodies[body].joint.axis, _FLANGE * size)]


def _distinct(points: list[Vector3]) -> list[Vector3]:
    kept: list[Vector3] = []
    for point in points:
        if all(norm(subtract(point, other)) > 1e-9 for other in kept):
            kept.append(point)
    return kept


def _radii(robot: Robot, bones: dict[int, list[Vector3]], size: float) -> dict[int, float]:
    """(1), within the limits of an arm's look; a body without mass or length gets the mean."""
    lengths = {body: float(sum(norm(end) for end in ends)) for body, ends in bones.items()}
    masses = {body: float(robot.bodies[body].inertia.m) if body != BASE else 0.0 for body in bones}
    known = [body for body in bones if masses[body] > 0.0 and lengths[body] > 0.0]
    mean = sum(masses[b] for b in known) / sum(lengths[b] for b in known) if known else 1.0
    radii = {}
    for body in bones:
        share = math.sqrt(masses[body] / lengths[body] / mean) if body in known else 1.0
        radii[body] = size * min(_MOST_RADIUS, max(_LEAST_RADIUS, _MEAN_RADIUS * share))
    radii[BASE] = max(radii.values())
    thinnest, thickest = _TAPER
    for index, moved in enumerate(robot.bodies):  # parents come first
        carrier = radii[moved.parent]
        radii[index] = min(thickest * carrier, max(thinnest * carrier, radii[index], _LEAST_RADIUS * size))
    return radii


def _housing_radii(robot: Robot, radii: dict[int, float], size: float) -> list[float]:
    """Radius of the housing of every body's joint: around the carrying link, inside a housing at the same position."""
    found: list[float] = []
    for body in robot.bodies:
        radius = _HOUSING * radii[body.parent]
        if body.parent != BASE and norm(body.joint.placement.origin) <= _SHORT * size:
            radius = min(radius, _NEXT_HOUSING * found[body.parent])
        found.append(radius)
    return found


def _capsule(body: int, end: Vector3, radius: float) -> Shape:
    length = float(norm(end))
    kind = ShapeKind.CYLINDER if body == BASE else ShapeKind.CAPSULE  # a round end would come out of the floor
    return Shape(body, kind, Pose(_along(end), scale(end, 0.5)), (radius, length))


def _housing(body: Body, index: int, radius: float) -> Shape:
    """A cylinder about the axis of a turning joint."""
    pose = Pose(_along(body.joint.axis), (0.0, 0.0, 0.0))
    return Shape(index, ShapeKind.CYLINDER, pose, (radius, 2.3 * radius), ShapeRole.HOUSING)


def _ball(body: Body, index: int, radius: float) -> list[Shape]:
    """A sphere at a joint that turns about every axis; a body that moves freely has no joint to show."""
    if body.joint.type is JointType.FREE:
        return []
    return [Shape(index, ShapeKind.SPHERE, IDENTITY, (_HOUSING * radius,), ShapeRole.HOUSING)]


def _slide(body: Body, index: int, radii: dict[int, float], size: float) -> list[Shape]:
    """A block that is fixed at the joint's origin, and a rod that slides through it, as long as the joint's range."""
    radius = 0.8 * max(radii[index], 0.8 * radii[body.parent])
    placement = body.joint.placement
    block = Pose(matmul(placement.rotation, _along(body.joint.axis)), placement.origin)
    sizes = (2.1 * radius, 2.1 * radius, 2.6 * radius)
    limits = body.joint.limits
    lower = limits.lower if math.isfinite(limits.lower) else -0.15 * size
    upper = limits.upper if math.isfinite(limits.upper) else 0.15 * size
    # Seen from the rod, the block is somewhere between these two.
    middle = scale(body.joint.axis, -0.5 * (min(lower, 0.0) + max(upper, 0.0)))
    length = max(upper, 0.0) - min(lower, 0.0)
    rod = Pose(_along(body.joint.axis), middle)
    return [
        Shape(body.parent, ShapeKind.BOX, block, sizes, ShapeRole.HOUSING),
        Shape(index, ShapeKind.CAPSULE, rod, (0.6 * radius, length)),
    ]


def _along(direction: Vector3) -> Matrix3:
    """A rotation whose z axis points along a vector."""
    z = scale(direction, 1.0 / float(norm(direction)))
    other = (1.0, 0.0, 0.0) if abs(z[0]) < 0.8 else (0.0, 1.0, 0.0)
    x = cross(other, z)
    x = scale(x, 1.0 / float(norm(x)))
    return transpose((x, cross(z, x), z))


@dataclass(frozen=True)
class RobotVisuals:
    """Shapes, their meshes, and omitted shapes with the reason; `incomplete` bodies lack some shapes."""

    shapes: tuple[Shape, ...] = ()
    meshes: tuple[PackedMesh, ...] = ()
    problems: tuple[str, ...] = ()
    incomplete: frozenset[int] = frozenset()

    @property
    def bodies(self) -> frozenset[int]:
        """Bodies that are drawn as the file has them, with all of their shapes."""
        return frozenset(shape.body for shape in self.shapes) - self.incomplete


def robot_visuals(robot: Robot, packages: Mapping[str, Path] | None = None) -> RobotVisuals:
    """The shapes of the file that the robot was read from; none where there is no such file or it has none."""
    path = Path(robot.source)
    form = READERS.get(path.suffix.lower())
    if form is None or form.visuals is None:
        return RobotVisuals()
    found = _Collection(robot, MeshFolders(path, packages or {}))
    try:
        for visual in form.visuals(path):
            found.add(visual)
    except TorquecError as error:
        return RobotVisuals(problems=(str(error),))
    problems = tuple(_problem_line(names, reason) for reason, names in found.problems.items())
    return RobotVisuals(tuple(found.shapes), tuple(found.meshes), problems, frozenset(found.incomplete))


class _Collection:
    """Shapes on the bodies of a robot, with meshes that lie in `folders`."""

    def __init__(self, robot: Robot, folders: MeshFolders) -> None:
        self.frames = {frame.name: frame for frame in robot.frames}
        self.folders = folders
        self.shapes: list[Shape] = []
        self.incomplete: set[int] = set()
        self.numbers: dict[str, int] = {}  # of meshes by name; -1 for one that cannot be drawn
        self.meshes: list[PackedMesh] = []
        self.problems: dict[str, list[str]] = {}  # names that cannot be drawn, by reason

    def add(self, visual: Visual) -> None:
        frame = self.frames.get(visual.frame)
        if frame is None:
            return
        if visual.problem:
            self.problems.setdefault(visual.problem, []).append(visual.label)
        number = self.mesh(visual.mesh) if visual.mesh else -1
        if visual.problem or (visual.kind is ShapeKind.MESH and number < 0):
            self.incomplete.add(frame.body)
            return
        pose = frame.pose @ visual.pose
        self.shapes.append(
            Shape(frame.body, visual.kind, pose, visual.sizes, ShapeRole.VISUAL, number, visual.scale, visual.color)
        )

    def mesh(self, name: str) -> int:
        """The number of a mesh among those of the page; -1 if it cannot be drawn, which is reported once."""
        if name not in self.numbers:
            try:
                self.meshes.append(packed_mesh(name, read_mesh(self.folders.find(name))))
                self.numbers[name] = len(self.meshes) - 1
            except TorquecError as error:
                self.numbers[name] = -1
                reason = f"{error.found} ({error.remedy})" if error.remedy else error.found
                self.problems.setdefault(reason, []).append(name)
        return self.numbers[name]


def _problem_line(names: Sequence[str], reason: str) -> str:
    """One line for all names with the same reason.

    >>> _problem_line(["a.stl", "b.stl", "c.stl", "d.stl"], "there is no such file")
    'a.stl, b.stl and 2 more: there is no such file'
    """
    first = ", ".join(names[:_SHOWN]) if len(names) > _SHOWN + 1 else ", ".join(names)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN + 1 else ""
    return f"{first}{more}: {reason}"
