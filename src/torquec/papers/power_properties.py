"""Properties P3 to P10 of Kang's inertial power arrays, as printed and as they hold.

(1)  P1_ijk += m g_i . h_jk,   P2_ijk += (II w_i) . b_jk,   P3_ijk += (w_i x w_j) . II w_k,   summed over links, with
     h_jk = w_a x g_b, a and b the smaller and the larger of j and k, and b_jk = w_j x w_k for j < k, else 0
(2)  violation of a property: the largest |difference| over all index triples to which it applies, divided by the
     largest element of the array it is about

(1) is (10) of the paper, element by element: no property is used to compute it. Indices are those of a serial arm, base
first: P[i, j; k] with i the plane (torque), j the row, k the column (Kang, section 3).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from torquec.dynamics.jacobian import axis_of, chains, root_poses
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.foundation.arrays import Array
from torquec.papers.augmented_body import central_bodies
from torquec.robot.robot import Robot

_ZERO_ARRAY_SIZE = 1e-12  # replaces the largest element of an array that is zero, as P2 and P3 of sliding joints are


class ArrayIndex(NamedTuple):
    """Plane, row and column of an element."""

    i: int
    j: int
    k: int


def power_array_elements(robot: Robot, q: Sequence[float]) -> Array:
    """P1, P2, P3 between links (3, b, b, b) at q (n,), every element from its definition (1).

    Raises `RobotError` for a link that has a first moment but no mass.
    """
    m = mechanism(robot, Grouping.NONE)
    placed = place(m, list(q))
    poses = root_poses(m, placed)
    axes = [axis_of(pose, link.column) for pose, link in zip(poses, placed, strict=True)]
    size = len(placed)
    parts = np.zeros((3, size, size, size))
    for body, way in zip(central_bodies(robot, m, poses), chains(placed), strict=True):
        g, w = np.zeros((2, size, 3))
        for i in way:
            g[i], w[i] = axes[i].first(body.center), axes[i].spin
        tensor = np.array(body.tensor, dtype=np.float64)
        moving = np.array([[np.cross(w[min(j, k)], g[max(j, k)]) for k in range(size)] for j in range(size)])
        turning = np.cross(w[:, None], w[None])
        earlier = np.triu(np.ones((size, size)), 1)[:, :, None]
        parts[0] += body.mass * np.einsum("ia,jka->ijk", g, moving)
        parts[1] += np.einsum("ia,ab,jkb->ijk", w, tensor, turning * earlier)
        parts[2] += np.einsum("ija,ab,kb->ijk", turning, tensor, w)
    return parts


@dataclass(frozen=True)
class PowerProperty:
    """A property: `difference` of the arrays P1, P2, P3 (3, n, n, n) vanishes at every index where it `applies`.

    `array` is the one that it is about: 0, 1 or 2 for P1, P2 or P3.
    """

    array: int
    difference: Callable[[Array, ArrayIndex], float]
    applies: Callable[[ArrayIndex], bool]

    def violation(self, parts: Array) -> float:
        """(2) for P1, P2, P3 (3, n, n, n)."""
        indices = (ArrayIndex(*t) for t in itertools.product(range(parts.shape[1]), repeat=3))
        largest = max(float(np.abs(parts[self.array]).max()), _ZERO_ARRAY_SIZE)
        return max(abs(float(self.difference(parts, t))) for t in indices if self.applies(t)) / largest


AS_PRINTED: dict[str, PowerProperty] = {
    "P3": PowerProperty(0, lambda p, t: p[0][t] - p[0][t.i, t.k, t.j], lambda _: True),
    "P5": PowerProperty(0, lambda p, t: p[0][t], lambda t: (t.i == t.k and t.j <= t.i) or (t.i == t.j and t.k <= t.i)),
    "P7": PowerProperty(2, lambda p, t: p[2][t] + p[2][t.j, t.i, t.k], lambda _: True),
    "P8": PowerProperty(2, lambda p, t: p[2][t], lambda t: t.i == t.j),
}
"""Properties that hold as printed."""

CORRECTED: dict[str, PowerProperty] = {
    "P4": PowerProperty(0, lambda p, t: p[0][t] + p[0][t.k, t.j, t.i], lambda t: t.j <= t.k < t.i),
    "P6": PowerProperty(1, lambda p, t: p[1][t], lambda t: t.j >= t.k),
    "P9": PowerProperty(2, lambda p, t: p[2][t] - p[1][t.k, t.i, t.j], lambda t: t.i < t.j),
    "P10": PowerProperty(2, lambda p, t: p[2][t.j, t.i, t.k] + p[1][t.k, t.i, t.j], lambda t: t.i < t.j),
}
"""The misprinted properties as they hold."""

MISPRINTED: dict[str, PowerProperty] = {
    "P4": PowerProperty(0, lambda p, t: p[0][t] + p[0][t.j, t.k, t.i], lambda t: t.j <= t.k < t.i),
    "P6": PowerProperty(1, lambda p, t: p[1][t], lambda t: t.j <= t.k),
    "P9": PowerProperty(2, lambda p, t: p[2][t] + p[1][t.k, t.i, t.j], lambda t: t.k < t.j and t.i < t.j),
    "P10": PowerProperty(2, lambda p, t: p[2][t.j, t.i, t.k] + p[1][t.k, t.i, t.j], lambda t: t.j < t.k < t.i),
}
"""The misprinted properties as printed."""
