"""What the page computes, as functions of its WebAssembly module.

torque (q, qd, qdd), gravity_torque, mass_matrix, velocity_torque    of the model
exact_torque (q, qd, qdd)                                            of the robot, beside a simplified model
hand_step_k (q, rotation, position) -> moved, error                  a step of inverse kinematics for hand k
hand_jacobian_k (q)
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from torquec.dynamics.friction_torque import rubbing_shafts
from torquec.errors import RobotError
from torquec.expr import Function, evaluate, trace
from torquec.kinematics.arm_geometry import ArmGeometry, arm_geometry
from torquec.kinematics.refinement import refined
from torquec.model.model import Model
from torquec.robot.robot import BASE, Frame, Robot
from torquec.spatial import norm

_MOST_HANDS = 6  # two hands, two feet, a head, a tail; a page about more offers the first ones
_JOINTS_OF_A_HAND = 3  # what has fewer joints is hardly moved by pulling
_JOINTS_OF_A_POSE = 6  # position and direction can both be asked for


@dataclass(frozen=True)
class DragHand:
    """A frame that can be dragged, and the joints that move it, by their place in the state.

    `rank`: in how many directions they move it. An arm of fewer than six joints has no `step` for place and direction.
    """

    frame: Frame
    step: Function | None
    place: Function
    jacobian: Function
    rank: int
    reach: float
    joints: tuple[int, ...]

    @property
    def turns(self) -> bool:
        """Whether its direction can be asked for, and is kept while it is dragged."""
        return self.step is not None

    @property
    def functions(self) -> tuple[Function, ...]:
        """What of the module belongs to it."""
        return (*(() if self.step is None else (self.step,)), self.place, self.jacobian)


@dataclass(frozen=True)
class ViewFunctions:
    """The functions of a page, and why it has no dynamics where it has none."""

    dynamics: tuple[Function, ...]
    hands: tuple[DragHand, ...]
    no_dynamics: str = ""

    @property
    def all(self) -> tuple[Function, ...]:
        """Everything that goes into the module."""
        return (*self.dynamics, *(function for hand in self.hands for function in hand.functions))


def view_functions(model: Model) -> ViewFunctions:
    """The functions that a page about the model needs; of a robot without inertias, kinematics alone."""
    try:
        model.robot.check_inertias()
        dynamics, reason = _dynamics(model), ""
    except RobotError as error:
        dynamics, reason = (), str(error)
    return ViewFunctions(dynamics, tuple(view_hands(model)), reason)


def torque_quantity(robot: Robot) -> str:
    """What the drives supply: with friction and springs, where the robot has any."""
    has_springs = any(body.joint.spring is not None or body.joint.counterbalances for body in robot.bodies)
    return "total_torque" if rubbing_shafts(robot) or has_springs else "inverse_dynamics"


def _dynamics(model: Model) -> tuple[Function, ...]:
    quantity = torque_quantity(model.robot)
    found = [dataclasses.replace(model.function(quantity), name="torque")]
    found += [model.function(name) for name in ("gravity_torque", "mass_matrix", "velocity_torque")]
    if model.kind.follows_program:
        found.append(dataclasses.replace(model.exact.function(quantity), name="exact_torque"))
    return tuple(found)


def view_hands(model: Model) -> list[DragHand]:
    """The hands of a robot, outermost frames of its branches; a gripper's fingers belong to the hand that carries them.

    Frames that a coupled joint moves, and those of very short branches where there are longer ones, are left out.
    """
    robot = model.robot
    hands: list[DragHand] = []
    for frame in _outermost_frames(robot):
        try:
            arm = arm_geometry(robot, frame.name)
        except RobotError:
            continue
        k = len(hands)
        place = _step(robot, frame, arm, f"hand_place_{k}", turning=False)
        step = _step(robot, frame, arm, f"hand_step_{k}") if len(arm.joints) >= _JOINTS_OF_A_POSE else None
        jacobian = dataclasses.replace(model.exact.function(f"jacobian:{frame.name}"), name=f"hand_jacobian_{k}")
        joints = tuple(joint.index for joint in arm.joints)
        hands.append(DragHand(frame, step, place, jacobian, _rank(robot, jacobian), arm.reach, joints))
    return hands[:_MOST_HANDS]


def _step(robot: Robot, frame: Frame, arm: ArmGeometry, name: str, *, turning: bool = True) -> Function:
    algorithm = refined(robot, frame.name, arm, arm.joints, bounded=True, turning=turning)
    return trace(name, algorithm, {"q": (robot.n,), "rotation": (3, 3), "position": (3,)})


def _outermost_frames(robot: Robot) -> list[Frame]:
    """One frame for each branch, the farthest out on its last body."""
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
    for body in long or ends:
        own = [frame for frame in robot.frames if frame.body == body]
        if own:
            frames.append(max(own, key=lambda frame: float(norm(frame.pose.origin))))
    return frames


def _rank(robot: Robot, jacobian: Function) -> int:
    """The dimension of the hand's velocities at a posture without special symmetry."""
    q = np.random.default_rng(1).uniform(-1.0, 1.0, robot.n)
    found = evaluate(jacobian, {"q": q})["J"]
    return int(np.linalg.matrix_rank(np.asarray(found)[:3], tol=1e-9))
