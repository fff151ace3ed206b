"""Gravity torque from composite bodies: what the mass matrix has computed already, and one product more per axis.

(1)  tau_i = z_i . (h_i x -g) = h_y g_x - h_x g_y (rotation),   -m g_z (translation),   h_i and m of everything that
     link i carries, about its origin and in its axes, g turned into the same axes     Izaguirre et al., (5) and 4.3
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.composite import composite_moments
from torquec.dynamics.mechanism import Mechanism, PlacedLink
from torquec.robot.robot import BASE
from torquec.spatial import Scalar, Vector3, difference, product


def composite_gravity(m: Mechanism, placed: Sequence[PlacedLink]) -> list[Scalar]:
    """g(q), (n,), at a placement (1)."""
    composite = composite_moments(placed)
    turned: list[Vector3] = []
    tau: list[Scalar] = [0.0] * m.n
    for link, body, coordinate in zip(placed, composite, m.coordinates, strict=True):
        g = link.turn.back(m.gravity if link.parent == BASE else turned[link.parent])
        turned.append(g)
        turns = link.column.turns
        own = difference(product(body.y, g[0]), product(body.x, g[1])) if turns else -product(body.m, g[2])
        tau[coordinate.index] = tau[coordinate.index] + coordinate.multiplier * own
    return tau
