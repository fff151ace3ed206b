"""Effective inertia and inertial power as a sum over links, from influence coefficients.

With m, c and II the mass, centre of mass and central inertia tensor of a link, g_k the first-order coefficients of c,
h_jk = w_j x g_k the second-order ones, and i, j, k joints on the way to the link:

(1)  I_ik  += m g_i . g_k + w_i . II w_k
(2)  P1_ijk += m g_i . h_jk
(3)  P2_ijk += (II w_i) . (w_j x w_k)
(4)  P3_ijk += (w_i x w_j) . II w_k

Only the elements that determine the others (:mod:`torquec.papers.kang.inertial_power`) are summed. The work grows with
n^4; :mod:`torquec.papers.kang.augmented_body` has the same result for n^3.

Thomas & Tesar (1982); Kang, equations (9), (10).
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.jacobian import axis_of, chains, root_poses
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.papers.kang.central_body import central_bodies
from torquec.papers.kang.inertial_power import Elements, InertialModel
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, cross, dot, matvec, scale


def link_sum(robot: Robot, q: Sequence[Scalar]) -> InertialModel:
    """I* and P* at q (n,), with P1, P2 and P3 of (2)-(4) as parts.

    Raises `RobotError` for a link that has a first moment but no mass: it has no centre.
    """
    m = mechanism(robot, Grouping.NONE)
    placed = place(m, q)
    poses = root_poses(m, placed)
    axes = [axis_of(pose, link.column) for pose, link in zip(poses, placed, strict=True)]
    found = Elements()
    for body, way in zip(central_bodies(robot, m, poses), chains(placed), strict=True):
        g = {i: axes[i].first(body.center) for i in way}
        w = {i: axes[i].spin for i in way}
        momentum = {i: scale(g[i], body.mass) for i in way}
        turning = {i: matvec(body.tensor, w[i]) for i in way}
        for k in way:
            inner = [i for i in way if i <= k]
            for i in inner:
                found.inertia[i, k] += dot(g[i], momentum[k]) + dot(w[i], turning[k])
            for j in inner:
                h = cross(w[j], momentum[k])
                for i in inner[:-1]:
                    found.first[i, j, k] += dot(g[i], h)
            for j in inner[:-1]:
                h = cross(w[j], w[k])
                for i in inner:
                    found.second[i, j, k] += dot(turning[i], h)
                for i in inner[: inner.index(j)]:
                    found.third[i, j, k] += dot(cross(w[i], w[j]), turning[k])
    return found.model(m)
