"""Random robots, the same for the same seed: trees of mixed joints with the geometry that breaks frame conventions.

A robot is made of generic pieces and of special ones in about equal parts: right angles, parallel, collinear and nearly
parallel axes, zero offsets, symmetric bodies, mimic joints, several roots.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from torquec.robot.configuration import integrate, neutral
from torquec.robot.friction import Friction
from torquec.robot.robot import BASE, Body, Drives, Frame, Joint, JointType, Mimic, Motor, Robot, Spring
from torquec.spatial import Inertia, Pose

PLACEMENTS = ("generic", "right-angled", "parallel", "collinear", "nearly parallel", "no offset")
TYPES = (JointType.REVOLUTE, JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


@dataclass(frozen=True)
class State:
    """A batch of N states: positions, speeds, accelerations and torques, (N, n) each."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray


def random_state(robot, seed, size=3):
    """N states, uniform within +-2."""
    values = np.random.default_rng([seed, 1]).uniform(-2.0, 2.0, (4, size, robot.n))
    q = values[0] if robot.nq == robot.nv else np.array([integrate(robot, neutral(robot), way) for way in values[0]])
    return State(q, *values[1:])


def random_robot(seed, *, bodies=None, light=False, mimic=True, motors=True, types=TYPES, placements=PLACEMENTS):
    """A robot with 1 to 10 bodies (or `bodies`); with `light`, some are points or weigh nothing, all have rotors."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 11)) if bodies is None else bodies
    branching = rng.choice([0.0, 0.3, 0.7])
    made: list[Body] = []
    for i in range(count):
        parent = i - 1
        if rng.uniform() < branching:
            parent = int(rng.integers(-1, i))
        carrier = None if parent == BASE else made[parent].joint
        joint = _joint(rng, f"joint{i}", types, placements, carrier)
        independent = [body.joint.name for body in made if body.joint.mimic is None]
        if mimic and independent and rng.uniform() < 0.15:
            coupling = Mimic(str(rng.choice(independent)), float(rng.uniform(-2.0, 2.0)), float(rng.uniform(-1.0, 1.0)))
            joint = Joint(joint.name, joint.type, joint.placement, joint.axis, friction=joint.friction, mimic=coupling)
        made.append(Body(f"body{i}", parent, joint, _inertia(rng, joint, light)))
    n = sum(body.joint.mimic is None for body in made)
    frames = [Frame(f"frame{i}", i, Pose(_rotation(rng), _vector(rng, 0.3))) for i in range(count)]
    return Robot(
        f"random{seed}",
        tuple(made),
        frames=(Frame("on_base", BASE, Pose(_rotation(rng), _vector(rng, 0.3))), *frames),
        gravity=(0.0, 0.0, -9.81) if rng.uniform() < 0.5 else _vector(rng, 6.0),
        drives=_drives(rng, n) if light or (motors and rng.uniform() < 0.5) else Drives(),
        snap=False,
    )


# --- pieces ---------------------------------------------------------------------------------------------------------


def _vector(rng, size):
    x, y, z = rng.uniform(-size, size, 3)
    return (float(x), float(y), float(z))


def _matrix(array):
    return tuple(tuple(float(value) for value in row) for row in array)


def _rotation(rng):
    """Uniform over all rotations."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return _matrix(q * np.linalg.det(q))


def _about(axis, angle):
    """Rotation about a unit axis (3, 3)."""
    x, y, z = axis
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * skew + (1.0 - math.cos(angle)) * skew @ skew


def _across(rng, axis):
    """A unit vector across an axis."""
    side = np.cross(axis, rng.normal(size=3))
    return side / np.linalg.norm(side)


def _onto(rng, a, b):
    """A rotation that takes the unit vector a to b, with any twist about b."""

    def basis(z, x):
        return np.stack([x, np.cross(z, x), z], axis=1)

    return basis(np.asarray(b), _across(rng, b)) @ basis(np.asarray(a), _across(rng, a)).T


QUARTER_TURNS = tuple(
    np.round(
        _about((0, 0, 1), i * math.pi / 2) @ _about((0, 1, 0), j * math.pi / 2) @ _about((1, 0, 0), k * math.pi / 2)
    )
    for i, j, k in itertools.product(range(4), repeat=3)
)
"""The rotations of the cube, exact, most of them more than once."""


def _joint(rng, name, types, placements, carrier):
    """A joint; on a carrier its axis may be parallel to the carrier's, exactly or nearly."""
    axis = rng.normal(size=3)
    axis = axis / np.linalg.norm(axis)
    if rng.uniform() < 0.6:
        axis = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    below = np.array([0.0, 0.0, 1.0] if carrier is None else carrier.axis)
    kind = str(rng.choice(placements))
    rotation, origin = np.array(_rotation(rng)), rng.uniform(-0.5, 0.5, 3)
    if kind == "right-angled":
        axis = np.where(abs(axis) == abs(axis).max(), np.sign(axis), 0.0)
        rotation, origin = QUARTER_TURNS[rng.integers(64)], origin * rng.integers(0, 2, 3)
    elif kind in ("parallel", "collinear"):
        if np.count_nonzero(axis) == 1 and np.count_nonzero(below) == 1:
            fitting = [turn for turn in QUARTER_TURNS if np.array_equal(abs(turn @ axis), abs(below))]
            rotation = fitting[rng.integers(len(fitting))]
        else:
            rotation = _onto(rng, axis, below * rng.choice([-1.0, 1.0]))
        origin = below * rng.uniform(-0.5, 0.5) if kind == "collinear" else origin
    elif kind == "nearly parallel":
        off = _about(_across(rng, below), 10.0 ** rng.uniform(-7.0, -1.0))
        rotation = off @ _onto(rng, axis, below * rng.choice([-1.0, 1.0]))
    elif kind == "no offset":
        origin = np.zeros(3)
    placement = Pose(_matrix(rotation), tuple(float(value) for value in origin))
    spring = Spring(float(rng.uniform(1.0, 20.0)), float(rng.uniform(-1.0, 1.0))) if rng.uniform() < 0.2 else None
    return Joint(
        name,
        JointType(str(rng.choice([str(t) for t in types]))),
        placement,
        tuple(float(value) for value in axis),
        friction=_friction(rng),
        spring=spring,
    )


def _friction(rng):
    kind = rng.integers(3)
    if kind == 0:
        return Friction()
    forward, back, positive, negative, offset = (float(value) for value in rng.uniform(0.0, 2.0, 5))
    return (
        Friction.symmetric(forward, positive, offset)
        if kind == 1
        else Friction(forward, back, positive, negative, offset)
    )


def _inertia(rng, joint, light):
    """Ten parameters of a real body, some symmetric; with `light`, some points and some without mass."""
    kind = rng.choice(["generic", "generic", "symmetric", "point", "nothing"])
    mass = float(rng.uniform(0.2, 5.0))
    if kind == "nothing" and light:
        return Inertia()
    if kind == "symmetric":
        # A wheel on its joint: round about the axis, centre on it.
        along = np.outer(joint.axis, joint.axis)
        tensor = 0.02 * along + 0.03 * (np.eye(3) - along)
        center = np.array(joint.axis) * rng.uniform(-0.2, 0.2)
        return Inertia.from_center_of_mass(mass, tuple(map(float, center)), _matrix(tensor))
    if kind == "point" and light:
        return Inertia.from_center_of_mass(mass, _vector(rng, 0.3), ((0.0,) * 3,) * 3)
    # Second moments of a box, turned: every such tensor keeps the triangle inequality.
    box = rng.uniform(0.01, 0.3, 3) ** 2
    turn = np.array(_rotation(rng))
    tensor = mass * (turn @ np.diag(box.sum() - box) @ turn.T)
    return Inertia.from_center_of_mass(mass, _vector(rng, 0.3), _matrix((tensor + tensor.T) / 2))


def _drives(rng, n):
    """A motor per joint, geared, with a few entries beside the diagonal."""
    gears = np.diag(rng.uniform(20.0, 100.0, n) * rng.choice([-1.0, 1.0], n))
    coupled = rng.uniform(-20.0, 20.0, (n, n)) * (rng.uniform(size=(n, n)) < 0.15)
    motors = tuple(Motor(f"motor{i}", float(rng.uniform(1e-5, 1e-4)), _friction(rng)) for i in range(n))
    return Drives(motors, _matrix(gears + coupled))
