"""Where the joints of a page start: a posture in which an arm looks like one and its hand can be dragged.

(1)  as :mod:`torquec.robot.state_coordinate` says; a robot with several hands stands as its file has it, at zero or at
     the limit next to it
(2)  where the hand of an arm cannot move freely at (1), some joints bent by a sixth of a turn: as freely as it goes,
     and high rather than low
(3)  of random postures, seeded, the one with the largest of min(least singular value of the Jacobian, places in arm's
     lengths; half the distance to the nearest limit)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from torquec.dynamics.frame_pose import frame_pose
from torquec.expr import evaluate
from torquec.foundation.arrays import Array
from torquec.page.view_functions import DragHand
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import StateCoordinate, start_posture

_BEND = math.pi / 3  # (2)
_BENT = (1, 2, 4)  # joints of an arm, from zero: shoulder, elbow and the middle of the wrist
_TRIED = 300  # postures of (3): an arm of six joints has a good one among fifty
_NO_LIMIT = 0.75 * math.pi  # [rad] of a joint without limits: more only turns the arm around
_NO_END = 0.5  # [m] of a slide without limits
_FREE = 0.1  # of the freedom of the best posture: what has less is next to a singularity


def bent_posture(robot: Robot, hands: Sequence[DragHand]) -> list[float]:
    """(1), or (2) for the hand of an arm."""
    if len(hands) > 1:
        return [min(max(0.0, joint.limits.lower), joint.limits.upper) for joint in robot.joints]
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
    """(3): a posture from which a hand can be moved far in all directions."""
    ranges = [_range(joint) for joint in robot.coordinates]
    lower, upper = np.array([low for low, _ in ranges]), np.array([high for _, high in ranges])
    tried = np.random.default_rng(2).uniform(lower, upper, (_TRIED, robot.n))
    room = 0.5 * np.minimum(tried - lower, upper - tried).min(axis=1)
    scale = np.array([1.0 / hand.reach] * 3 + [1.0] * 3)[:, None]
    least = [np.linalg.svd(scale * evaluate(hand.jacobian, {"q": q})["J"], compute_uv=False)[5] for q in tried]
    return [float(value) for value in tried[int(np.argmax(np.minimum(room, least)))]]


def _range(joint: StateCoordinate) -> tuple[float, float]:
    """The limits of a joint; where it has none, what it can be shown in."""
    widest = _NO_LIMIT if joint.turns else _NO_END
    return max(joint.limits.lower, -widest), min(joint.limits.upper, widest)


def _freedom(hand: DragHand, q: Array) -> float:
    """The product of the singular values that the arm's geometry does not make zero, of place and, if any, of turn."""
    jacobian = np.asarray(evaluate(hand.jacobian, {"q": q})["J"])
    rows = jacobian if hand.turns else jacobian[:3]
    values = np.linalg.svd(rows, compute_uv=False)
    return float(np.prod(values[: 6 if hand.turns else hand.rank]))
