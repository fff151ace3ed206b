"""`Robot`: a tree of bodies with joints, inertias, frames and drives, the model behind every computation.

A floating base is a body on a free joint; closed loops are stored beside the tree. Links that fixed joints weld
together are one body; the frames of the links survive as named frames. A robot never holds a state: q, qd and qdd are
arguments everywhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from torquec.errors import ArgumentError, RobotError
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.robot.friction import Friction, repr_without_empty
from torquec.robot.joints import JointType
from torquec.robot.joints.kind import JointKind
from torquec.robot.loops.closed_loops import ClosedLoops
from torquec.spatial import IDENTITY, Inertia, Pose

if TYPE_CHECKING:
    from torquec.robot.canonical import CanonicalTree
    from torquec.robot.state_coordinate import StateCoordinate

BASE = -1
"""Index of the base in `Body.parent` and `Frame.body`."""

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Limits:
    """Position, speed and effort limits; infinite where the file gives none."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


@dataclass(frozen=True)
class Spring:
    """A linear joint spring: the torque that holds the joint at q against it is stiffness * (q - rest)."""

    stiffness: float
    rest: float = 0.0


@dataclass(frozen=True)
class Counterbalance:
    """Counterbalance: a gas or coil spring between a lever on the moving body and a point of its parent body.

    With lever length k, base length D [m] and delta = q + `angle` between them, the spring is
    L = sqrt(D^2 + k^2 - 2 D k cos delta) long and extended by s = L - D + k. Its force is

        preload + stiffness s + area pressure_volume / (volume - s area)

    with `area` [m^2], `pressure_volume` [J] (pressure times volume of the gas at a constant temperature) and `volume`
    [m^3] of the gas; without gas these are zero. The torque that holds the joint against it is this force times
    D k sin(delta)/L. Raises `ArgumentError` for impossible lengths, volumes and angles.
    """

    base: float
    lever: float
    angle: float = 0.0
    preload: float = 0.0
    stiffness: float = 0.0
    area: float = 0.0
    pressure_volume: float = 0.0
    volume: float = 0.0

    def __post_init__(self) -> None:
        wrong = [name for name, value in dataclasses.asdict(self).items() if not math.isfinite(value)]
        wrong += [name for name in ("base", "lever") if not getattr(self, name) > 0.0]
        if self.area or self.pressure_volume or self.volume:
            wrong += [name for name in ("area", "volume") if not getattr(self, name) > 0.0]
        if wrong:
            raise ArgumentError(
                f"a counterbalance with {wrong[0]} = {getattr(self, wrong[0])}",
                remedy="give lengths above zero, and for gas area and volume too",
            )


@dataclass(frozen=True)
class Mimic:
    """Exact coupling: this joint's position is multiplier * (position of `joint`) + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, repr=False)
class Joint:
    """One moving joint. `placement` is the joint frame in the parent body's frame; at q = 0 the child body's frame
    coincides with it; `axis` is a unit vector in it.
    """

    name: str
    type: JointType
    placement: Pose = IDENTITY
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    limits: Limits = Limits()
    friction: Friction = Friction()
    spring: Spring | None = None
    mimic: Mimic | None = None
    counterbalances: tuple[Counterbalance, ...] = ()

    @property
    def kind(self) -> JointKind:
        """Coordinates, motion, units and words of this kind of joint."""
        return self.type.kind

    def __repr__(self) -> str:
        return repr_without_empty(self, ("counterbalances",))


@dataclass(frozen=True)
class Body:
    """A moving body, the joint that carries it, and its inertia. `parent` indexes `Robot.bodies` (or `BASE`).

    `lacking_inertia` names the links welded into this body for which the file gave no inertia.
    """

    name: str
    parent: int
    joint: Joint
    inertia: Inertia = Inertia()
    lacking_inertia: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body (or `BASE`): every link of the file, every payload, tool or site."""

    name: str
    body: int
    pose: Pose = IDENTITY


@dataclass(frozen=True)
class Motor:
    """A drive's motor, motor side: rotor inertia [kg m^2] and friction at the motor shaft."""

    name: str
    rotor_inertia: float = 0.0
    friction: Friction = Friction()


@dataclass(frozen=True)
class Drives:
    """Motors and the transmission matrix from joint speeds to motor speeds: motor = transmission @ joint.

    A plain gear is one diagonal entry; a coupled wrist has entries off the diagonal. Rows are motors, columns are
    `Robot.coordinates`: joints with several coordinates have as many columns.
    """

    motors: tuple[Motor, ...] = ()
    transmission: tuple[tuple[float, ...], ...] = ()

    def reflected_inertia(self, n: int) -> tuple[tuple[float, ...], ...]:
        """The constant n x n matrix T' diag(rotor inertia) T that the motors add to the mass matrix."""
        total = [[0.0] * n for _ in range(n)]
        for motor, row in zip(self.motors, self.transmission, strict=True):
            for i in range(n):
                for j in range(n):
                    total[i][j] += row[i] * motor.rotor_inertia * row[j]
        return tuple(tuple(row) for row in total)


@dataclass(frozen=True)
class AttachedPayload:
    """A payload that was lumped into a body: its frame `name`, the frame that carries it, mass [kg], centre (3,) [m]
    and inertia (3, 3) [kg m^2] about the centre, in the carrying frame's axes.
    """

    name: str
    frame: str
    mass: float
    center: tuple[float, float, float]
    inertia: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class LockedJoint:
    """A joint that was locked, and the position [rad or m] at which it is held."""

    name: str
    position: float


@dataclass(frozen=True)
class FileWarning:
    """Something odd in the file that does not stop it from loading (an error with `strict`).

    `about_units` (a number that looks like degrees) and `about_base` (legs on a fixed base) change every result: `load`
    warns of them. `about` is the name of the link that lacks something, or of the joint.
    """

    where: str
    text: str
    about_units: bool = False
    about: str = ""
    about_base: bool = False

    @property
    def is_warned_of_by_load(self) -> bool:
        """Whether `load` reports it as a Python warning."""
        return self.about_units or self.about_base


@dataclass(frozen=True)
class Robot(NotebookDisplay):
    """A robot: bodies with parents first, named frames, gravity [m/s^2] in the base frame, drives.

    `attached` and `locked` list payloads and locked joints, which the bodies already include. With `loops`, the
    state holds the independent joints alone; columns of the drives' transmission are those of the `tree`.
    """

    held: ClassVar[bool] = False
    """Whether the base, on a free joint, stays in its neutral pose (:mod:`torquec.robot.limbs`)."""

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    base_inertia: Inertia = Inertia()
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    drives: Drives = Drives()
    snap: bool = True
    attached: tuple[AttachedPayload, ...] = ()
    locked: tuple[LockedJoint, ...] = ()
    loops: ClosedLoops | None = None
    warnings: tuple[FileWarning, ...] = field(default=(), compare=False)
    source: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return f"Robot('{self.name}', {self.n} joints, {self.mass:.4g} kg)"

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The independent moving joints, in state order (no mimic joints, no dependent joints of loops)."""
        moving = (body.joint for body in self.bodies if body.joint.mimic is None)
        return tuple(joint for joint in moving if joint.name not in self.dependent)

    @property
    def dependent(self) -> tuple[str, ...]:
        """Names of the joints that closed loops make dependent; mimic joints are not among them."""
        return () if self.loops is None else self.loops.dependent

    @cached_property
    def tree(self) -> Robot:
        """The robot with its loops cut: every joint that mimics no other is independent."""
        return dataclasses.replace(self, loops=None) if self.dependent else self

    @cached_property
    def coordinates(self) -> tuple[StateCoordinate, ...]:
        """The rates of the independent joints, in state order: one for each element of qd, qdd and tau."""
        from torquec.robot.state_coordinate import state_coordinates

        return state_coordinates(self)

    @cached_property
    def nq(self) -> int:
        """Number of position coordinates: the length of q."""
        return sum(joint.kind.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of rates: the length of qd, qdd and tau."""
        return sum(joint.kind.nv for joint in self.joints)

    @property
    def n(self) -> int:
        """Degrees of freedom, `nv`; with one-coordinate joints alone also the number of joints and the length of q."""
        return self.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints, in state order."""
        return tuple(joint.name for joint in self.joints)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the rates in state order: those of the joints, where each has one."""
        return tuple(coordinate.name for coordinate in self.coordinates)

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the positions in state order: those of the joints, with a suffix where a joint has several."""
        pairs = ((joint.name, suffix) for joint in self.joints for suffix in joint.kind.position_suffixes)
        return tuple(f"{name}_{suffix}" if suffix else name for name, suffix in pairs)

    def joint_index(self, name: str) -> int:
        """Position of the named independent joint, or of the first of its rates, in qd, qdd and tau."""
        at = 0
        for joint in self.joints:
            if joint.name == name:
                return at
            at += joint.kind.nv
        raise ArgumentError(
            f"robot '{self.name}' has no independent joint '{name}'",
            remedy=f"its joints are {', '.join(self.joint_names)}",
        )

    def frame(self, name: str) -> Frame:
        """The frame with that name."""
        for candidate in self.frames:
            if candidate.name == name:
                return candidate
        raise ArgumentError(
            f"robot '{self.name}' has no frame '{name}'",
            remedy=f"its frames are {', '.join(f.name for f in self.frames)}",
        )

    @cached_property
    def canonical(self) -> CanonicalTree:
        """This robot in modified-DH frames, angles snapped when `snap` is set."""
        from torquec.robot.canonical import canonical_tree

        return canonical_tree(self)

    @property
    def mass(self) -> float:
        """Mass of all moving bodies and the base [kg]."""
        return float(self.base_inertia.m + sum(body.inertia.m for body in self.bodies))

    @property
    def moving_mass(self) -> float:
        """Mass of all moving bodies [kg]."""
        return float(sum(body.inertia.m for body in self.bodies))

    def check_inertias(self) -> None:
        """Raise `RobotError` unless every moving body has its inertia, and every joint something to move."""
        from torquec.robot.inertialess import massless_joints

        lacking = [name for body in self.bodies if not any(body.inertia.parameters) for name in body.lacking_inertia]
        if lacking:
            lines = {warning.about: warning.where.rpartition(":")[2] for warning in self.warnings}
            named = (f"{name} (line {lines[name]})" if lines.get(name, "").isdecimal() else name for name in lacking)
            raise RobotError(
                f"robot '{self.name}' has no dynamics: these links have no inertia: {', '.join(named)}",
                where=self.source,
                remedy="give each its mass, centre and inertia (zeros for a massless link), "
                "or identify them from a log with torquec identify; kinematics works without them",
            )
        self._refuse_idle(massless_joints(self.tree))

    def check_forward_dynamics(self) -> None:
        """Raise `RobotError` unless every joint also moves inertia about or along its own axis, as M^-1 requires."""
        from torquec.robot.inertialess import inertialess_joints

        self.check_inertias()
        if not self.dependent:  # a dependent joint may carry nothing that turns about its axis
            self._refuse_idle(inertialess_joints(self))

    def _refuse_idle(self, joints: tuple[str, ...]) -> None:
        if joints:
            raise RobotError(
                f"the dynamics of robot '{self.name}' is singular: there is no inertia at {', '.join(joints)}",
                where=self.source,
                remedy="give the bodies beyond it an inertia about its axis, weld it with a fixed joint, "
                "or add a rotor inertia",
            )

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 over everything that the dynamics depends on, and the lists of payloads and locked joints."""
        content: tuple[object, ...] = (
            *(self.name, self.bodies, self.frames, self.base_inertia, self.gravity, self.drives, self.snap),
            *((self.attached, self.locked) if self.attached or self.locked else ()),
            *(() if self.loops is None else (self.loops,)),
        )
        return hashlib.sha256(repr(content).encode()).hexdigest()
