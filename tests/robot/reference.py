"""A slow, plain Newton-Euler in world coordinates, written without the package's own algorithms, to compare with.

All functions take a `Robot` and arrays over its independent joints, in the frames of the file. With w and a the angular
velocity and acceleration of a body, v' the acceleration of its origin less gravity, and m, h, J its ten parameters
turned into world axes:

(1)  force on the body                     f = m v' + a x h + w x (w x h)
(2)  moment on it about its origin         n = J a + w x (J w) + h x v'
(3)  joint torque                          axis . n (rotary) or axis . f (prismatic), f and n of the children added
(4)  mimic joints                          q_all = T q + offset, so tau = T' tau_all
"""

from __future__ import annotations

import numpy as np


def coupling(robot):
    """T (bodies, n) and offset (bodies,) of (4)."""
    names = robot.joint_names
    matrix, offset = np.zeros((len(robot.bodies), len(names))), np.zeros(len(robot.bodies))
    for row, body in enumerate(robot.bodies):
        mimic = body.joint.mimic
        if mimic is None:
            matrix[row, names.index(body.joint.name)] = 1.0
        else:
            matrix[row, names.index(mimic.joint)] = mimic.multiplier
            offset[row] = mimic.offset
    return matrix, offset


def homogeneous(pose):
    """A `Pose` as a 4x4 matrix."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = pose.rotation, pose.origin
    return matrix


def joint_motion(joint, q):
    """The 4x4 motion of a joint; the rotation is the exponential of the skew matrix of axis * q."""
    motion, (x, y, z) = np.eye(4), joint.axis
    if joint.type.is_prismatic:
        motion[:3, 3] = np.array(joint.axis) * q
    else:
        skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        motion[:3, :3] += np.sin(q) * skew + (1 - np.cos(q)) * skew @ skew
    return motion


def body_poses(robot, q):
    """The 4x4 pose of every body in the base frame."""
    matrix, offset = coupling(robot)
    poses = []
    for body, value in zip(robot.bodies, matrix @ np.asarray(q) + offset, strict=True):
        parent = np.eye(4) if body.parent < 0 else poses[body.parent]
        poses.append(parent @ homogeneous(body.joint.placement) @ joint_motion(body.joint, value))
    return poses


def frame_pose(robot, q, name):
    """The 4x4 pose of a named frame in the base frame."""
    frame = robot.frame(name)
    return (np.eye(4) if frame.body < 0 else body_poses(robot, q)[frame.body]) @ homogeneous(frame.pose)


def inverse_dynamics(robot, q, qd, qdd, *, gravity=None, motors=True):
    """Torques (n,) of the rigid bodies, and of the rotors unless `motors` is False; no friction, no springs."""
    matrix, _ = coupling(robot)
    gravity = np.array(robot.gravity if gravity is None else gravity, dtype=float)
    poses = body_poses(robot, q)
    speeds, accelerations = matrix @ np.asarray(qd), matrix @ np.asarray(qdd)
    rest = (np.zeros(3), np.zeros(3), -gravity, np.zeros(3))
    motion, forces, axes = [], [], []
    for body, pose, speed, acceleration in zip(robot.bodies, poses, speeds, accelerations, strict=True):
        w, a, v, origin = rest if body.parent < 0 else motion[body.parent]
        arm = pose[:3, 3] - origin
        v = v + np.cross(a, arm) + np.cross(w, np.cross(w, arm))
        axis = pose[:3, :3] @ np.array(body.joint.axis)
        if body.joint.type.is_prismatic:
            v = v + axis * acceleration + 2 * np.cross(w, axis * speed)
        else:
            a = a + axis * acceleration + np.cross(w, axis * speed)
            w = w + axis * speed
        h = pose[:3, :3] @ np.array(body.inertia.first_moment)
        tensor = pose[:3, :3] @ np.array(body.inertia.tensor) @ pose[:3, :3].T
        force = body.inertia.m * v + np.cross(a, h) + np.cross(w, np.cross(w, h))
        moment = tensor @ a + np.cross(w, tensor @ w) + np.cross(h, v)
        motion.append((w, a, v, pose[:3, 3]))
        forces.append([force, moment])
        axes.append(axis)
    torques = np.zeros(len(robot.bodies))
    for index in reversed(range(len(robot.bodies))):
        body, (force, moment) = robot.bodies[index], forces[index]
        torques[index] = axes[index] @ (force if body.joint.type.is_prismatic else moment)
        if body.parent >= 0:
            forces[body.parent][0] = forces[body.parent][0] + force
            arm = poses[index][:3, 3] - poses[body.parent][:3, 3]
            forces[body.parent][1] = forces[body.parent][1] + moment + np.cross(arm, force)
    rotors = np.array(robot.drives.reflected_inertia(robot.n)) @ np.asarray(qdd) if motors else 0.0
    return matrix.T @ torques + rotors


def mass_matrix(robot, q, *, motors=True):
    """M (n, n), column by column."""
    zero = np.zeros(robot.n)
    columns = [
        inverse_dynamics(robot, q, zero, unit, gravity=zero[:1].repeat(3), motors=motors) for unit in np.eye(robot.n)
    ]
    return np.array(columns).T


def gravity_torque(robot, q):
    """g (n,)."""
    return inverse_dynamics(robot, q, np.zeros(robot.n), np.zeros(robot.n))


def friction_torque(robot, qd):
    """Friction (n,) of joints and motors."""
    matrix, _ = coupling(robot)
    total = matrix.T @ [_friction(body.joint.friction, v) for body, v in zip(robot.bodies, matrix @ qd, strict=True)]
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        total = total + np.array(row) * _friction(motor.friction, np.dot(row, qd))
    return total


def _friction(friction, v):
    """Dry friction is zero at exactly zero speed."""
    if v >= 0:
        return friction.viscous_positive * v + (friction.coulomb_positive if v > 0 else 0.0) + friction.offset
    return friction.viscous_negative * v - friction.coulomb_negative + friction.offset
