"""Composite rigid bodies: the mass moments of a link with all that it carries, and the gravity torque from them.

(1)  C_i = own_i + sum over children c of shift(turn(C_c)),   about the origin of link i, in its axes
(2)  gravity torque: one product more per axis than (1), which the mass matrix needs anyway
     tau_i = z_i . (h_i x -g) = h_y g_x - h_x g_y (rotation),   -m g_z (translation),   h_i and m of C_i, g turned into
     the axes of link i     Izaguirre et al., (5) and 4.3
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, PlacedLink
from torquec.robot.robot import BASE
from torquec.spatial import Scalar, Vector3, minus, product


def composite_moments(placed: Sequence[PlacedLink]) -> list[MassMoments]:
    """Equation (1) for every link."""
    composite = [link.moments for link in placed]
    for i in reversed(range(len(placed))):
        link = placed[i]
        if link.parent != BASE:
            turned = link.turn.moments_out(composite[i])
            composite[link.parent] = composite[link.parent] + turned.shifted(link.origin)
    return composite


def composite_gravity(m: Mechanism, placed: Sequence[PlacedLink]) -> list[Scalar]:
    """Gravity torque g(q), (n,), at a placement (2)."""
    composite = composite_moments(placed)
    turned: list[Vector3] = []
    tau: list[Scalar] = [0.0] * m.n
    for link, body, coordinate in zip(placed, composite, m.coordinates, strict=True):
        g = link.turn.back(m.gravity if link.parent == BASE else turned[link.parent])
        turned.append(g)
        h = body.first
        for at, column in enumerate(link.columns, start=coordinate.index):
            i, j, k = (column.axis + 1) % 3, (column.axis + 2) % 3, column.axis
            own = minus(product(h[j], g[i]), product(h[i], g[j])) if column.turns else -product(body.m, g[k])
            tau[at] = tau[at] + coordinate.multiplier * own
    return tau
