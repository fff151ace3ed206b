"""The page's document, typed: what Python writes into a page as one JSON value.

`web/source/document.ts` is generated from this file by `python -m torquec.page.typescript_types`: a docstring becomes a
comment, a base class `extends`, and a class whose name begins with an underscore is written where it is used. A string
in `Annotated` is the TypeScript type, where it says more than the type of Python.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

Vector3 = Annotated[list[float], "[number, number, number]"]


class PoseData(TypedDict):
    """Rotation row by row, and origin, of a frame in another."""

    rotation: list[float]
    origin: Vector3


class JointData(TypedDict):
    """A rate of the state; limits are null where the file gives none."""

    name: str
    at: int
    """Index in q of its position, or of the quaternion that it turns."""
    turn: int | None
    """Of a quaternion: 0 roll, 1 pitch, 2 yaw."""
    prismatic: bool
    lower: float | None
    upper: float | None
    velocity: float | None
    effort: float | None


class CoordinateData(TypedDict):
    """multiplier * q[joint] + offset."""

    joint: int
    multiplier: float
    offset: float


class _EllipsoidData(TypedDict):
    rotation: list[float]
    axes: Vector3


class BodyData(CoordinateData):
    """A moving body and the coordinate of its joint; joint -1 where closed loops make it dependent."""

    name: str
    parent: int
    rates: int
    """Number of rates of its joint; `joint` is the first of them."""
    placement: PoseData
    axis: Vector3
    prismatic: bool
    mass: float
    center: Vector3
    ellipsoid: _EllipsoidData | None
    """The solid ellipsoid of the same mass and inertia, about the centre of mass; null where there is none."""


class FrameData(TypedDict):
    """A frame on a body (-1: the base)."""

    name: str
    body: int
    pose: PoseData


ShapeRole = Literal["link", "housing", "visual"]


class ShapeData(TypedDict):
    """Something to draw on a body (-1: the base). Sizes: capsule and cylinder (radius, length), sphere (radius),
    ellipsoid (half axes), box (x, y, z).
    """

    body: int
    role: ShapeRole
    kind: Literal["capsule", "cylinder", "sphere", "ellipsoid", "box", "mesh"]
    pose: PoseData
    sizes: list[float]
    scale: Vector3
    mesh: int
    color: list[float] | None


class _MeshPart(TypedDict):
    count: int
    color: list[float] | None


class MeshData(TypedDict):
    """Triangles: positions in steps of the box (16 bits), indices; compressed with deflate, in base64."""

    name: str
    lower: Vector3
    upper: Vector3
    vertices: int
    parts: list[_MeshPart]
    packed: str


class PortData(TypedDict):
    """An input or output of a function; matrices go row by row."""

    name: str
    shape: list[int]


class _FunctionData(TypedDict):
    symbol: str
    inputs: list[PortData]
    outputs: list[PortData]


class ModuleData(TypedDict):
    """A WebAssembly module in base64, and its functions by name."""

    code: str
    functions: dict[str, _FunctionData]


class HandData(TypedDict):
    """A frame that can be dragged: functions of the module that move it and measure its manipulability."""

    frame: str
    body: int
    base: int
    """The body in whose frame the functions compute (-1: the base)."""
    first: int
    """Index in q of their first joint; earlier positions are those of a floating base."""
    pose: PoseData
    step: str | None
    """Step towards a position and rotation; null for arms with fewer than six joints."""
    place: str
    """Step towards a position alone."""
    jacobian: str
    rank: int
    reach: float


class ProvenData(TypedDict):
    """Bounds of the torque error by joint, and the box of motions in which they are proven."""

    bounds: list[float]
    lower: list[float | None]
    upper: list[float | None]
    velocity: list[float | None]
    acceleration: list[float | None]


TermData = list[float]
"""A term: its coefficient, then a code 16 * variable + 8 * (cosine's power) + (power of sine or displacement) per
factor.
"""


class _VariableData(TypedDict):
    bodies: list[Annotated[list[int], "[number, number]"]]
    prismatic: bool
    name: str


class EquationData(TypedDict):
    """The closed form of M, g and, where it does not follow from M, c."""

    coordinates: list[CoordinateData]
    variables: list[_VariableData]
    """Sums of coordinates, [coordinate, sign] each."""
    symmetric: bool
    """By rows; of a symmetric matrix only the upper triangle is filled."""
    mass: list[list[TermData]]
    gravity: list[list[TermData]]
    velocity: list[Annotated[list[Any], "[number, number, number, TermData[]]"]] | None
    """Of a simplified model: [i, j, k, terms] with j <= k; null where c follows from M."""


class MotionData(TypedDict):
    """A motion to be played."""

    title: str
    samples: int
    values: str
    """Doubles in base64: t (N), then q (N, nq), then qd, qdd and, where there are any, torques, (N, nv) each; then,
    where there is one, the reference of q (N, nq).
    """
    torques: str
    """Origin of these torques: measured or simulated; empty without torques."""
    reference: bool
    """Whether a simulated run comes with its reference."""
    tube: list[float]
    """Guaranteed bound of every joint's error [rad or m] along this motion; empty without a guarantee."""


class HapticData(TypedDict):
    """The haptic scene: functions of one cycle by law and of a fine step, and the layout of a row of the loop."""

    module: ModuleData
    laws: dict[str, str]
    motion: str
    jacobian: str
    steps: int
    period: float
    parts: dict[str, Annotated[list[int], "[number, number]"]]
    cycle: dict[str, Annotated[list[int], "[number, number]"]]
    settings: list[float]
    settingSizes: dict[str, int]
    goalSizes: dict[str, int]
    first: str
    radius: float
    wall: float
    reach: float
    largest: float


class ViewData(TypedDict):
    """The whole document."""

    name: str
    version: str
    kind: str
    kindText: str
    mass: float
    gravity: Vector3
    joints: list[JointData]
    bodies: list[BodyData]
    frames: list[FrameData]
    shapes: list[ShapeData]
    meshes: list[MeshData]
    hands: list[HandData]
    module: ModuleData | None
    noDynamics: str
    simplified: bool
    proven: ProvenData | None
    equations: EquationData | None
    noEquations: str
    motions: list[MotionData]
    haptic: HapticData | None
    base: int | None
    """The body of a floating base, which can be dragged and turned; its position stands first in q."""
    start: list[float]
    floor: float
    """Height of the floor [m]."""
    problems: list[str]
