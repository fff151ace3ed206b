"""Collision test of two boxes (separating axes): gap or penetration depth, as timed in Clover's Table I.

Two convex bodies are apart exactly where some direction separates them; for boxes fifteen directions do (Gottschalk):
the three axes of each, and the nine cross products of one axis of each. With C the rotation of the second box seen from
the first, t its centre, a and b the half sizes, the gap along axis i of the first is

(1)  |t_i| - a_i - sum_j |C_ij| b_j

and accordingly for the others. The largest gap is the separation along a separating direction, or, where it is
negative, the depth by which the boxes have to be moved. Cross products of nearly parallel axes are ignored.
"""

from __future__ import annotations

from typing import NamedTuple

from torquec.expr import Function, trace
from torquec.expr.math import absolute, maximum, select, sqrt
from torquec.haptics.tuning import TUNING
from torquec.spatial import Matrix3, Scalar, Vector3, dot, matmul, matvec, subtract, transpose

_BELOW_ANY_GAP = -1e300  # less than any gap: for ignored directions


class PlacedBox(NamedTuple):
    """A box: centre, rotation (its axes are the columns), half sizes; over any scalar."""

    centre: Vector3
    rotation: Matrix3
    half: Vector3


def box_gap(first: PlacedBox, second: PlacedBox) -> Scalar:
    """The largest gap of (1) [m]: positive apart, zero touching, negative overlapping by so much."""
    back = transpose(first.rotation)
    turned = matmul(back, second.rotation)
    centre = matvec(back, subtract(second.centre, first.centre))
    size = tuple(tuple(absolute(x) for x in row) for row in turned)
    a, b = first.half, second.half
    gaps = [absolute(centre[i]) - a[i] - dot(size[i], b) for i in range(3)]
    for j in range(3):
        column = (size[0][j], size[1][j], size[2][j])
        along = turned[0][j] * centre[0] + turned[1][j] * centre[1] + turned[2][j] * centre[2]
        gaps.append(absolute(along) - b[j] - dot(column, a))
    for i in range(3):
        p, q = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            r, s = (j + 1) % 3, (j + 2) % 3
            across = absolute(centre[q] * turned[p][j] - centre[p] * turned[q][j])
            reach = a[p] * size[q][j] + a[q] * size[p][j] + b[r] * size[i][s] + b[s] * size[i][r]
            length = sqrt(maximum(1.0 - turned[i][j] * turned[i][j], 0.0))
            gap = (across - reach) / maximum(length, TUNING.parallel_sine)
            gaps.append(select(length - TUNING.parallel_sine, gap, _BELOW_ANY_GAP))
    largest = gaps[0]
    for gap in gaps[1:]:
        largest = maximum(largest, gap)
    return largest


def box_gap_function() -> Function:
    """`box_gap` of two boxes as a `Function` for native code, C and WebAssembly."""

    def algorithm(**given: Scalar) -> dict[str, Scalar]:
        boxes = (PlacedBox(given[f"centre{k}"], given[f"rotation{k}"], given[f"half{k}"]) for k in (1, 2))
        return {"gap": box_gap(*boxes)}

    ports: dict[str, tuple[int, ...]] = {}
    for k in (1, 2):
        ports |= {f"centre{k}": (3,), f"rotation{k}": (3, 3), f"half{k}": (3,)}
    return trace("box_gap", algorithm, ports)
