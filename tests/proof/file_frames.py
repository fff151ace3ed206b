"""Inverse dynamics on the frames of a robot's file, without canonical frames: what a claim is about, computed another
way; and robots whose angles are nearly right ones.

Newton-Euler in the base frame: forward w, dw, a of every body, backward forces and moments, then the joint's share.
"""

from __future__ import annotations

import math

import numpy as np

from torquec.robot.robot import BASE, Body, Joint, JointType, Robot
from torquec.spatial import Inertia, Pose, rpy_rotation


def torques_on_file_frames(robot, q, qd, qdd):
    """Torques (N, n) of a robot without mimic joints and motors at states (N, n)."""
    count, still = len(q), np.zeros((len(q), 3))
    base = (np.broadcast_to(np.eye(3), (count, 3, 3)), still, still, still, still - np.array(robot.gravity))
    bodies, axes = [], []
    for i, body in enumerate(robot.bodies):
        before = base if body.parent == BASE else bodies[body.parent]
        state, axis = _moved(body.joint, before, q[:, i], qd[:, i, None], qdd[:, i, None])
        bodies.append(state)
        axes.append(axis)
    wrenches = [_wrench(body.inertia, state) for body, state in zip(robot.bodies, bodies, strict=True)]
    torques = np.zeros_like(q)
    for i in reversed(range(robot.n)):
        force, moment = wrenches[i]
        torques[:, i] = np.sum(axes[i] * (force if robot.joints[i].type.is_prismatic else moment), axis=1)
        parent = robot.bodies[i].parent
        if parent != BASE:
            arm = bodies[i][1] - bodies[parent][1]
            wrenches[parent] = (wrenches[parent][0] + force, wrenches[parent][1] + moment + np.cross(arm, force))
    return torques


def _moved(joint, before, q, qd, qdd):
    """Rotation, origin, w, dw and a of a body after its parent's, and its axis, all seen from the base."""
    R, p, w, dw, a = before
    placed = R @ np.array(joint.placement.rotation)
    u = np.array(joint.axis) / np.linalg.norm(joint.axis)
    axis = placed @ u
    across = np.cross(np.eye(3), u)  # u x as a matrix
    offset = R @ np.array(joint.placement.origin)
    if joint.type.is_prismatic:
        offset = offset + axis * q[:, None]
        gained = 2.0 * np.cross(w, axis * qd) + axis * qdd
        turned, w_next, dw_next = placed, w, dw
    else:
        s, c = np.sin(q)[:, None, None], np.cos(q)[:, None, None]
        turned = placed @ (np.eye(3) + s * across + (1.0 - c) * (across @ across))
        gained = np.zeros_like(a)
        w_next, dw_next = w + axis * qd, dw + axis * qdd + np.cross(w, axis * qd)
    a_next = a + np.cross(dw, offset) + np.cross(w, np.cross(w, offset)) + gained
    return (turned, p + offset, w_next, dw_next, a_next), axis


def _wrench(inertia, state):
    """Force and moment about the origin of a body's frame that move it so."""
    R, _, w, dw, a = state
    xx, xy, xz, yy, yz, zz, *h, m = inertia.parameters
    J = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ np.swapaxes(R, 1, 2)
    h = R @ np.array(h)
    force = m * a + np.cross(dw, h) + np.cross(w, np.cross(w, h))
    spin = np.einsum("nij,nj->ni", J, w)
    return force, np.einsum("nij,nj->ni", J, dw) + np.cross(w, spin) + np.cross(h, a)


def nearly_right_robot(rng):
    """A tree of two to four joints, some of them prismatic, whose angles and axes are off by 1e-16 to 1e-4 rad."""
    bodies = []
    for k in range(int(rng.integers(2, 5))):
        axis = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
        if rng.random() < 0.4:
            axis = axis + rng.normal(size=3) * 10.0 ** rng.uniform(-10.0, -4.3)
        pose = Pose(
            rpy_rotation(_nearly_right(rng), _nearly_right(rng), _nearly_right(rng)),
            tuple(map(float, rng.uniform(-0.4, 0.4, 3) * (rng.random(3) < 0.6))),
        )
        kind = JointType.PRISMATIC if rng.random() < 0.25 else JointType.REVOLUTE
        joint = Joint(f"joint{k + 1}", kind, pose, tuple(map(float, axis / np.linalg.norm(axis))))
        parent = k - 1 if rng.random() < 0.85 else int(rng.integers(-1, k)) if k else BASE
        bodies.append(Body(f"link{k + 1}", parent, joint, _inertia(rng)))
    return Robot("nearly", tuple(bodies))


def _nearly_right(rng):
    size = 10.0 ** (rng.uniform(-9.5, -4.0) if rng.random() < 0.6 else rng.uniform(-16.0, -9.0))
    off = rng.choice([-1.0, 1.0]) * size if rng.random() < 0.7 else 0.0
    return float(rng.integers(-2, 3) * math.pi / 2 + off)


def _inertia(rng):
    root = rng.normal(size=(3, 3))
    tensor = tuple(tuple(map(float, row)) for row in 0.02 * root @ root.T)
    center = tuple(map(float, rng.uniform(-0.3, 0.3, 3)))
    return Inertia.from_center_of_mass(float(rng.uniform(0.5, 5.0)), center, tensor)
