"""Arms by their lines in space at q = 0, in any position of the base, and what their joints do to a frame."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from torquec.codegen.llvm import compile_function
from torquec.dynamics.frame_pose import frame_pose
from torquec.expr import trace
from torquec.robot.robot import BASE, Body, Frame, Joint, JointType, Limits, Robot
from torquec.spatial import IDENTITY_ROTATION, Pose

X, Y, Z = np.eye(3)
TYPES = {"R": JointType.CONTINUOUS, "P": JointType.PRISMATIC}


def random_rotation(rng):
    """A rotation, uniform."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else -q


def line_arm(letters, axes, points, rng=None, *, limits=None, hand=(0.1, -0.07, 0.2)):
    """An arm whose joints turn about (R) or slide along (P) these lines; with `rng` the base and tool stand anyhow."""
    base = np.eye(3) if rng is None else random_rotation(rng)
    start = np.zeros(3) if rng is None else rng.normal(size=3)
    axes = [base @ np.asarray(axis, float) / np.linalg.norm(axis) for axis in axes]
    points = [base @ np.asarray(point, float) + start for point in points]
    bodies, before = [], np.zeros(3)
    for k, (letter, axis, point) in enumerate(zip(letters, axes, points, strict=True)):
        placement = Pose(IDENTITY_ROTATION, tuple(point - before))
        joint = Joint(f"j{k}", TYPES[letter], placement, tuple(axis), (limits or {}).get(k, Limits()))
        bodies.append(Body(f"b{k}", k - 1 if k else BASE, joint))
        before = point
    turn = np.eye(3) if rng is None else random_rotation(rng)
    tool = Pose(tuple(map(tuple, turn)), tuple(hand))
    return Robot("lines", tuple(bodies), frames=(Frame("tool", len(bodies) - 1, tool),))


def wrist_lines(rng, center):
    """Axes and points of a spherical wrist at `center`."""
    a, b, c = random_rotation(rng)
    return [a, b, c * 0.6 + a * 0.8], [center + a * rng.normal(), center + b * rng.normal(), center]


def wrist_arm(letters, axes, points, rng):
    """Three given joints and a random spherical wrist."""
    center = np.asarray(points[2], float) + rng.uniform(0.2, 0.6, 3)
    more_axes, more_points = wrist_lines(rng, center)
    return line_arm(letters + "RRR", [*axes, *more_axes], [*points, *more_points], rng)


def parallel_lines_arm(rng):
    """Axes 2, 3, 4 parallel (one of them the other way round), axes 5 and 6 meeting."""
    n, across, along = random_rotation(rng)
    first = rng.normal(size=3)
    points = [rng.normal(size=3) * 0.1, across * 0.2, across * 0.7 + n * 0.1, across * 1.2 - along * 0.1]
    center = points[3] + n * 0.2 + across * 0.1
    fifth = across * 0.6 + along * 0.8
    sixth = np.cross(fifth, n) * 0.6 + n * 0.8
    axes = [first, n, -n, n, fifth, sixth]
    return line_arm("RRRRRR", axes, [*points, center + fifth * 0.3, center - sixth * 0.1], rng)


@lru_cache(maxsize=4)
def forward(robot, frame):
    """q -> rotation, position, native."""

    def algorithm(q):
        pose = frame_pose(robot, frame, q)
        return {"rotation": pose.rotation, "position": pose.origin}

    return compile_function(trace("forward", algorithm, {"q": (robot.n,)})).call


def misses(robot, frame, q, rotation, position):
    """Distances [m] and angles [rad] between the poses of q (N, branches, n) and those asked for."""
    turn, place = forward(robot, frame)(q.reshape(-1, q.shape[-1]))
    turn, place = turn.reshape(*q.shape[:2], 3, 3), place.reshape(*q.shape[:2], 3)
    between = np.swapaxes(turn, -1, -2) @ rotation[:, None]
    skew = between - np.swapaxes(between, -1, -2)
    sine = np.sqrt(skew[..., 0, 1] ** 2 + skew[..., 0, 2] ** 2 + skew[..., 1, 2] ** 2) / 2.0
    angle = np.arctan2(sine, (np.trace(between, axis1=-2, axis2=-1) - 1.0) / 2.0)
    return np.linalg.norm(place - position[:, None], axis=-1), angle


def turned_apart(robot, a, b):
    """The largest difference of two positions, whole turns aside."""
    apart = np.asarray(a) - np.asarray(b)
    slides = [joint.type.is_prismatic for joint in robot.joints]
    return np.abs(np.where(slides, apart, (apart + np.pi) % (2.0 * np.pi) - np.pi)).max(axis=-1)


SEVEN_JOINTS = {
    # Axes and points of the Franka Panda and of the KUKA iiwa with all joints at zero [m].
    "panda": (
        [Z, Y, Z, -Y, Z, -Y, -Z],
        [
            [0, 0, 0],
            [0, 0, 0.333],
            [0, 0, 0.333],
            [0.0825, 0, 0.649],
            [0, 0, 0.649],
            [0, 0, 1.033],
            [0.088, 0, 1.033],
        ],
    ),
    "iiwa": (
        [Z, Y, Z, -Y, Z, Y, Z],
        [[0, 0, 0], [0, 0, 0.36], [0, 0, 0.36], [0, 0, 0.78], [0, 0, 0.78], [0, 0, 1.18], [0, 0, 1.18]],
    ),
}


def seven_joint_arm(kind, rng=None, *, limits=None):
    """An arm with seven turning joints, one more than a pose needs."""
    return line_arm("R" * 7, *SEVEN_JOINTS[kind], rng, limits=limits)


UR10E = (
    [Z, Y, Y, Y, -Z, Y],
    [
        [0, 0, 0],
        [0, 0, 0.1807],
        [-0.6127, 0, 0.1807],
        [-1.18425, 0, 0.1807],
        [-1.18425, -0.17415, 0.1807],
        [-1.18425, -0.17415, 0.06085],
    ],
)
"""Axes and points of the Universal Robots UR10e with all joints at zero [m]."""

SPHERICAL = {
    # Axes [Z, Y, Y, X, Y, X]: a shoulder beside the first axis, one in front of it, and one on it [m].
    kind: ([Z, Y, Y, X, Y, X], points)
    for kind, points in {
        "beside": [[0, 0, 0], [0, 0.14, 0.67], [0.43, 0.14, 0.67], [0.45, 0.14, 0.67], *[[0.86, 0.14, 0.67]] * 2],
        "in front": [[0, 0, 0], [0.15, 0, 0.45], [0.15, 0, 1.05], [0.15, 0, 1.15], *[[0.75, 0, 1.15]] * 2],
        "on": [[0, 0, 0], [0, 0, 0.45], [0, 0, 1.05], [0, 0, 1.05], *[[0.6, 0, 1.05]] * 2],
    }.items()
}
"""Axes and points of arms with a spherical wrist."""


def off_lines(lines, size, rng):
    """Lines whose axes and points are off by up to `size` [rad, m] in every coordinate."""
    return [[np.asarray(v, float) + rng.uniform(-size, size, 3) for v in part] for part in lines]
