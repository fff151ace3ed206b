"""Loop equations of many positions at once, as arrays, for assembly and the choice of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array
from torquec.robot.loops.closed_loops import LoopFile
from torquec.robot.loops.closure import moved
from torquec.robot.loops.equations import loop_equations
from torquec.robot.robot import Robot


@dataclass(frozen=True)
class LoopBatch:
    """Gaps (N, m) and rows (N, m, nv) of the equations at N positions."""

    gaps: Array
    rows: Array


def loop_batch(tree: Robot, file: LoopFile, q: Array) -> LoopBatch:
    """The equations at positions q (N, nq of the tree)."""
    equations = loop_equations(tree, file, list(np.asarray(q, dtype=np.float64).T))
    gaps = np.zeros((len(q), len(equations)))
    rows = np.zeros((len(q), len(equations), tree.n))
    for k, equation in enumerate(equations):
        gaps[:, k] = equation.gap
        for rate, value in equation.row.items():
            rows[:, k, rate] = value
    return LoopBatch(gaps, rows)


def moved_batch(tree: Robot, q: Array, steps: Array) -> Array:
    """Positions (N, nq) after displacements (N, nv) of all rates."""
    found = moved(tree, list(q.T), dict(enumerate(steps.T)))
    return np.stack([np.broadcast_to(np.asarray(each, dtype=np.float64), len(q)) for each in found], axis=1)


def scales(tree: Robot, file: LoopFile) -> tuple[Array, Array]:
    """Factors of equations (m,) and rates (nv,) that make rows comparable: lengths in units of the robot's size."""
    size = np.mean([np.linalg.norm(link.pre.origin) + abs(link.d) for link in tree.canonical.links])
    unit = 1.0 / max(float(size), 1e-3)
    words = [word for loop in file.loops for word in loop.kind.equations]
    equations = [1.0 if word.startswith("about") else unit for word in words] + [1.0] * len(file.couplings)
    rates = [1.0 if coordinate.turns else 1.0 / unit for coordinate in tree.coordinates]
    return np.array(equations), np.array(rates)


def limits(tree: Robot) -> tuple[Array, Array]:
    """Lower and upper limits (nq,) of positions; infinite where there are none, and for quaternions."""
    lower = [v for j in tree.joints for v in ([j.limits.lower] if j.kind.nv == 1 else [-np.inf] * j.kind.nq)]
    upper = [v for j in tree.joints for v in ([j.limits.upper] if j.kind.nv == 1 else [np.inf] * j.kind.nq)]
    return np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)


def largest_gap(file: LoopFile, gaps: Sequence[float]) -> tuple[float, str, str]:
    """The largest gap of loops and couplings at one position, its unit, and where it is."""
    found, k = (0.0, "m", ""), 0
    for loop in file.loops:
        n = len(loop.kind.equations)
        way, turn = float(np.linalg.norm(gaps[k : k + 3])), float(np.linalg.norm(gaps[k + 3 : k + n]))
        found = max(found, (way, "m", f"loop '{loop.name}'"), (turn, "rad", f"loop '{loop.name}'"))
        k += n
    for coupling in file.couplings:
        found = max(found, (abs(gaps[k]), "rad or m", f"the coupling of joint '{coupling.joint}'"))
        k += 1
    return found


def is_turned_over(tree: Robot, file: LoopFile, q: Array) -> bool:
    """Whether an axis or a weld is closed with the frames half a turn apart, where its gap vanishes as well."""
    from torquec.robot.loops.equations import loop_frames

    for loop in file.loops:
        a, b = loop_frames(tree, loop, [float(value) for value in q])
        if loop.kind.is_turned_over(np.transpose(a.rotation) @ np.array(b.rotation)):
            return True
    return False
