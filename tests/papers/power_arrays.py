"""Inertial power in other ways: from its definition in world coordinates, and from the mass matrix.

The definition (Kang, equations (9), (10)) is summed over all elements, in the file's frames, without any of the
properties that the package uses; mimic joints are put on outside.
"""

from __future__ import annotations

import numpy as np
from tests.dynamics.laws import violation
from tests.dynamics.random_robots import PLACEMENTS, random_robot, random_state
from tests.dynamics.scalars import by_element, on_batch
from tests.robot import reference

from torquec import dynamics
from torquec.papers.augmented_body import augmented_body, link_sum
from torquec.papers.inertial_power import mass_point_sum
from torquec.robot.robot import BASE

METHODS = (link_sum, augmented_body, mass_point_sum)

ORDINARY = tuple(kind for kind in PLACEMENTS if kind != "nearly parallel")
"""Nearly parallel axes have canonical frames up to a thousand times farther away, and that many digits less."""


def ordinary_robots(seeds, **options):
    """Random robots and states, without nearly parallel axes."""
    for seed in seeds:
        robot = random_robot(seed, placements=ORDINARY, **options)
        yield robot, random_state(robot, seed)


def serial_robot(seed, joints, **options):
    """A random chain, without mimic joints and motors."""
    for attempt in range(100):
        robot = random_robot([seed, attempt], bodies=joints, mimic=False, motors=False, **options)
        if [body.parent for body in robot.bodies] == list(range(-1, joints - 1)):
            return robot
    raise AssertionError("no chain among 100 robots")


def joint_axes(robot, q):
    """Direction and a point of every joint axis, in world coordinates."""
    axes = []
    for body, pose in zip(robot.bodies, reference.body_poses(robot, q), strict=True):
        axes.append((pose[:3, :3] @ np.array(body.joint.axis), pose[:3, 3]))
    return axes


def defined_parts(robot, q):
    """P1, P2, P3 between bodies (b, b, b) each, from their definition."""
    size = len(robot.bodies)
    parts = np.zeros((3, size, size, size))
    poses, axes = reference.body_poses(robot, q), joint_axes(robot, q)
    for i, body in enumerate(robot.bodies):
        way = []
        while i != BASE:
            way.insert(0, i)
            i = robot.bodies[i].parent
        pose = poses[way[-1]]
        center = pose[:3, :3] @ np.array(body.inertia.center_of_mass) + pose[:3, 3]
        tensor = pose[:3, :3] @ np.array(body.inertia.central_tensor) @ pose[:3, :3].T
        g, w = np.zeros((size, 3)), np.zeros((size, 3))
        for k in way:
            prismatic = robot.bodies[k].joint.type.is_prismatic
            s, o = axes[k]
            g[k] = s if prismatic else np.cross(s, center - o)
            w[k] = 0.0 if prismatic else s
        turning, moving = np.zeros((size, size, 3)), np.zeros((size, size, 3))
        for j in way:
            for k in way:
                moving[j, k] = np.cross(w[min(j, k)], g[max(j, k)])
                turning[j, k] = np.cross(w[j], w[k]) if j < k else 0.0
        parts[0] += body.inertia.m * np.einsum("ia,jka->ijk", g, moving)
        parts[1] += np.einsum("ia,ab,jkb->ijk", w, tensor, turning)
        parts[2] += np.einsum("ija,ab,kb->ijk", np.cross(w[:, None], w[None]), tensor, w)
    return parts


def coupled(robot, array):
    """An array (b, b, b) between bodies as one between coordinates (n, n, n)."""
    matrix, _ = reference.coupling(robot)
    return np.einsum("ijk,ia,jb,kc->abc", array, matrix, matrix, matrix)


def christoffel(robot, q):
    """Symbols of the first kind (N, n, n, n) from dM/dq: what the symmetric P* must be."""
    change = by_element(dynamics.mass_matrix, robot, (q,))  # [N, i, j, k] = dM_ij/dq_k
    return 0.5 * (change + change.transpose(0, 1, 3, 2) - change.transpose(0, 3, 1, 2))


def inertia_violation(method, robot, state):
    """How far I* is from the mass matrix of the recursion."""
    found = on_batch(lambda r, q: method(r, q).inertia, robot, state.q)
    return violation(found, on_batch(dynamics.mass_matrix, robot, state.q))


def torque_violation(method, robot, state):
    """How far I* qdd + qd' P* qd is from inverse dynamics without gravity, relative to the largest term."""
    found = on_batch(lambda r, q, qd, qdd: method(r, q).torque(qd, qdd), robot, state.q, state.qd, state.qdd)
    speed = on_batch(dynamics.velocity_torque, robot, state.q, state.qd)
    mass = on_batch(dynamics.mass_matrix, robot, state.q)
    power = on_batch(lambda r, q: method(r, q).power, robot, state.q)
    terms = np.einsum("nijk,nj,nk->ni", np.abs(power), np.abs(state.qd), np.abs(state.qd))
    return violation(found, np.einsum("nij,nj->ni", mass, state.qdd) + speed, terms)


def christoffel_violation(method, robot, state):
    """How far the symmetric P* is from the symbols of the mass matrix."""
    found = on_batch(lambda r, q: method(r, q).symmetric_power, robot, state.q)
    mass = on_batch(dynamics.mass_matrix, robot, state.q)
    return violation(found, christoffel(robot, state.q), mass)
