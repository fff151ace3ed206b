"""Functions of a page's WebAssembly module (dynamics, inverse kinematics), and the page's initial configuration.

torque (q, qd, qdd), gravity_torque, mass_matrix, velocity_torque    of the model
exact_torque (q, qd, qdd)                                            of the robot, beside a simplified model
hand_step_k (q, rotation, position) -> moved, error                  a step of inverse kinematics for hand k
hand_jacobian_k (q)
joint_placements (q)                                                 child frames in their joint frames

Rows of `joint_placements` are rotation and origin of a body; only robots with closed loops, or with joints of several
coordinates, have this function. Hands of a robot with a floating base are moved by their limbs alone: q of their
functions begins behind the base, and poses are those in its frame. Initial configuration, such that the hand can be
dragged:

(1)  at `start_posture` of :mod:`torquec.robot.state_coordinate`; the joints of a robot with several hands start at
     zero, or at the nearest limit
(2)  where (1) is near a singularity, some joints are bent by a sixth of a turn, chosen by manipulability and preferably
     with a high hand
(3)  of seeded random configurations, the one that maximizes min(smallest singular value of the Jacobian, with positions
     in arm lengths; half the distance to the nearest limit)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.friction_torque import rubbing_shafts
from torquec.dynamics.mechanism import coordinates
from torquec.errors import RobotError
from torquec.expr import Function, evaluate, trace
from torquec.foundation.arrays import Array
from torquec.kinematics.arm_geometry import ArmGeometry, arm_geometry
from torquec.kinematics.kinematics_task import KinematicsTask
from torquec.kinematics.refinement import refined
from torquec.model.model import Model
from torquec.robot.configuration import joint_slices, neutral
from torquec.robot.floating_base import Base, with_base
from torquec.robot.joints import JointType
from torquec.robot.loops.closure import loop_state
from torquec.robot.robot import BASE, Frame, Robot
from torquec.robot.state_coordinate import StateCoordinate, start_posture
from torquec.spatial import Scalar, norm

_MOST_HANDS = 6  # two hands, two feet, a head, a tail; a page of a robot with more offers the first ones
_JOINTS_OF_A_HAND = 3  # a hand with fewer joints can hardly be dragged
_JOINTS_OF_A_POSE = 6  # fewest joints for which position and rotation can both be prescribed


@dataclass(frozen=True)
class DragHand:
    """A frame that can be dragged, and the joints that move it, by their index in the q of its functions.

    That q begins at index `first` of the robot's q, and poses are in the frame of the body `base`.

    `rank`: number of directions in which they move it. An arm of fewer than six joints has no `step` for position and
    rotation.
    """

    frame: Frame
    step: Function | None
    place: Function
    jacobian: Function
    rank: int
    reach: float
    joints: tuple[int, ...]
    base: int = BASE
    first: int = 0

    @property
    def turns(self) -> bool:
        """Whether its rotation can be prescribed, and is kept while it is dragged."""
        return self.step is not None

    @property
    def functions(self) -> tuple[Function, ...]:
        """All functions of this frame."""
        return (*(() if self.step is None else (self.step,)), self.place, self.jacobian)


@dataclass(frozen=True)
class ViewFunctions:
    """The functions of a page, and the reason if it has no dynamics."""

    dynamics: tuple[Function, ...]
    hands: tuple[DragHand, ...]
    no_dynamics: str = ""
    placements: tuple[Function, ...] = ()

    @property
    def all(self) -> tuple[Function, ...]:
        """Everything that goes into the module."""
        hands = (function for hand in self.hands for function in hand.functions)
        return (*self.dynamics, *hands, *self.placements)


def view_functions(model: Model) -> ViewFunctions:
    """The functions that a page about the model needs; of a robot without inertias, kinematics alone."""
    try:
        model.robot.check_inertias()
        dynamics, reason = _dynamics(model), ""
    except RobotError as error:
        dynamics, reason = (), str(error)
    return ViewFunctions(dynamics, tuple(view_hands(model)), reason, _placements(model.robot))


def floating_body(robot: Robot) -> int | None:
    """The body of a floating base whose position stands first in q; None for other robots."""
    first = robot.bodies[0]
    return 0 if first.parent == BASE and first.joint.type is JointType.FREE else None


def _placements(robot: Robot) -> tuple[Function, ...]:
    """The function `joint_placements`, for robots whose joints do not each have one number of q."""
    if not robot.dependent and all(joint.kind.nv == 1 for joint in robot.joints):
        return ()

    def algorithm(q: Sequence[Scalar]) -> dict[str, list[list[Scalar]]]:
        at = loop_state(robot, q).q if robot.dependent else q
        rows = []
        for body, own in zip(robot.bodies, coordinates(robot.tree), strict=True):
            kind = body.joint.kind
            pose = kind.placement(body.joint.axis, [own.position(at)] if kind.nv == 1 else own.positions(at, kind.nq))
            rows.append([*(x for row in pose.rotation for x in row), *pose.origin])
        return {"placements": rows}

    return (trace("joint_placements", algorithm, {"q": (robot.nq,)}),)


def torque_quantity(robot: Robot) -> str:
    """Torques of the drives, with the robot's friction and springs."""
    has_springs = any(body.joint.spring is not None or body.joint.counterbalances for body in robot.bodies)
    return "total_torque" if rubbing_shafts(robot.tree) or has_springs else "inverse_dynamics"


def _dynamics(model: Model) -> tuple[Function, ...]:
    quantity = torque_quantity(model.robot)
    found = [replace(model.function(quantity), name="torque")]
    found += [model.function(name) for name in ("gravity_torque", "mass_matrix", "velocity_torque")]
    if model.kind.follows_program:
        found.append(replace(model.exact.function(quantity), name="exact_torque"))
    return tuple(found)


def view_hands(model: Model) -> list[DragHand]:
    """The hands of a robot, outermost frames of its branches; a gripper's fingers belong to the hand that carries them.

    Frames that a coupled joint moves, and those of very short branches where there are longer ones, are left out.
    Robots with closed loops, and those with joints of several coordinates behind the base, have none.
    """
    robot, free = model.robot, floating_body(model.robot)
    if robot.dependent or (free is not None and len(robot.joints) == 1):
        return []
    if free is not None:
        limbs = Model(with_base(robot, Base.FIXED))
        first = robot.joints[0].kind.nq
        return [replace(hand, frame=robot.frame(hand.frame.name), base=free, first=first) for hand in view_hands(limbs)]
    if any(joint.kind.nv > 1 for joint in robot.joints):
        return []
    hands: list[DragHand] = []
    for frame in _outermost_frames(robot):
        try:
            arm = arm_geometry(robot, frame.name)
        except RobotError:
            continue
        k = len(hands)
        place = _step(robot, frame, arm, f"hand_place_{k}", KinematicsTask.POSITION)
        step = _step(robot, frame, arm, f"hand_step_{k}") if len(arm.joints) >= _JOINTS_OF_A_POSE else None
        jacobian = replace(model.exact.function(f"jacobian:{frame.name}"), name=f"hand_jacobian_{k}")
        joints = tuple(joint.index for joint in arm.joints)
        hands.append(DragHand(frame, step, place, jacobian, _rank(robot, jacobian), arm.reach, joints))
    return hands[:_MOST_HANDS]


def _step(
    robot: Robot, frame: Frame, arm: ArmGeometry, name: str, task: KinematicsTask = KinematicsTask.POSE
) -> Function:
    algorithm = refined(robot, frame.name, arm, arm.joints, bounded=True, task=task)
    return trace(name, algorithm, {"q": (robot.n,), "rotation": (3, 3), "position": (3,)})


def _outermost_frames(robot: Robot) -> list[Frame]:
    """One frame for each branch, the farthest out on its last body; branches of the most joints first."""
    children: dict[int, list[int]] = {body: [] for body in range(BASE, len(robot.bodies))}
    for index, moved in enumerate(robot.bodies):
        children[moved.parent].append(index)

    def depth(body: int) -> int:
        return 0 if body == BASE else 1 + depth(robot.bodies[body].parent)

    def is_hand(body: int) -> bool:
        fingers = children[body]
        return depth(body) >= _JOINTS_OF_A_HAND and len(fingers) > 1 and not any(children[f] for f in fingers)

    ends = [b for b in range(len(robot.bodies)) if is_hand(b) or not (children[b] or is_hand(robot.bodies[b].parent))]
    long = [body for body in ends if depth(body) >= _JOINTS_OF_A_HAND]
    frames = []
    for body in sorted(long or ends, key=depth, reverse=True):  # arms before the head
        own = [frame for frame in robot.frames if frame.body == body]
        if own:
            frames.append(max(own, key=lambda frame: float(norm(frame.pose.origin))))
    return frames


def _rank(robot: Robot, jacobian: Function) -> int:
    """The dimension of the hand's velocities at a posture without special symmetry."""
    q = np.random.default_rng(1).uniform(-1.0, 1.0, robot.n)
    found = evaluate(jacobian, {"q": q})["J"]
    return int(np.linalg.matrix_rank(np.asarray(found)[:3], tol=1e-9))


_BEND = math.pi / 3  # (2)
_BENT = (1, 2, 4)  # joints of an arm, from zero: shoulder, elbow and the middle of the wrist
_TRIED = 300  # postures of (3): an arm of six joints has a good one among fifty
_NO_LIMIT = 0.75 * math.pi  # [rad] of a joint without limits: more only turns the arm around
_NO_END = 0.5  # [m] of a slide without limits
_FREE = 0.1  # of the best manipulability: a configuration with less is near a singularity


def bent_posture(robot: Robot, hands: Sequence[DragHand]) -> list[float]:
    """(1), or (2) for the hand of an arm."""
    if len(hands) > 1 or any(joint.kind.nv > 1 for joint in robot.joints):
        found = neutral(robot)
        for joint, at, _ in joint_slices(robot):
            if joint.kind.nv == 1:
                found[at.start] = min(max(found[at.start], joint.limits.lower), joint.limits.upper)
        return found
    q = start_posture(robot)
    for hand in hands:
        bent = [hand.joints[k] for k in _BENT if k < len(hand.joints)]
        bent = [joint for joint in bent if robot.coordinates[joint].turns]
        tried = [_bent(robot, q, bent, bends) for bends in itertools.product((0.0, -_BEND, _BEND), repeat=len(bent))]
        freedom = np.array([_freedom(hand, np.array(posture)) for posture in tried])
        if freedom.max() > 0.0 and freedom[0] < _FREE * freedom.max():
            heights = [float(frame_pose(robot, hand.frame.name, posture).origin[2]) for posture in tried]
            q = tried[int(np.argmax(freedom / freedom.max() + 0.5 * np.array(heights) / hand.reach))]
    return q


def _bent(robot: Robot, q: Sequence[float], joints: Sequence[int], bends: Sequence[float]) -> list[float]:
    posture = list(q)
    for joint, bend in zip(joints, bends, strict=True):
        lower, upper = robot.joints[joint].limits.lower, robot.joints[joint].limits.upper
        wanted = posture[joint] + bend
        # Half the way where the whole way would end at a limit or beyond it.
        edge = lower if wanted <= lower else upper
        posture[joint] = wanted if lower < wanted < upper else 0.5 * (posture[joint] + edge)
    return posture


def free_posture(robot: Robot, hand: DragHand) -> list[float]:
    """(3): a configuration from which a hand can be moved far in all directions."""
    ranges = [_range(joint) for joint in robot.coordinates]
    lower, upper = np.array([low for low, _ in ranges]), np.array([high for _, high in ranges])
    tried = np.random.default_rng(2).uniform(lower, upper, (_TRIED, robot.n))
    room = 0.5 * np.minimum(tried - lower, upper - tried).min(axis=1)
    scale = np.array([1.0 / hand.reach] * 3 + [1.0] * 3)[:, None]
    least = [np.linalg.svd(scale * evaluate(hand.jacobian, {"q": q})["J"], compute_uv=False)[5] for q in tried]
    return [float(value) for value in tried[int(np.argmax(np.minimum(room, least)))]]


def _range(joint: StateCoordinate) -> tuple[float, float]:
    """The limits of a joint; without limits, a range to show it in."""
    widest = _NO_LIMIT if joint.turns else _NO_END
    return max(joint.limits.lower, -widest), min(joint.limits.upper, widest)


def _freedom(hand: DragHand, q: Array) -> float:
    """The product of the singular values that the arm's geometry does not make zero: of position and any rotation."""
    jacobian = np.asarray(evaluate(hand.jacobian, {"q": q})["J"])
    rows = jacobian if hand.turns else jacobian[:3]
    values = np.linalg.svd(rows, compute_uv=False)
    return float(np.prod(values[: 6 if hand.turns else hand.rank]))
