"""Assembly of closed loops: a position of the tree at which all loops are closed.

Damped Gauss-Newton steps  dq = -J' (J J' + d 1)^-1 e  from the given start and, at the same time, from random positions
within the joint limits. The result from the start is taken if it closes the loops within the limits, else the closed
position nearest to the start. Joints that the file names as independent, or that its actuators drive, keep their
positions if the loops close that way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.errors import RobotFileError
from torquec.foundation.arrays import Array
from torquec.robot.configuration import neutral, random_position
from torquec.robot.loops.batch import is_turned_over, largest_gap, limits, loop_batch, moved_batch, scales
from torquec.robot.loops.closed_loops import LoopFile
from torquec.robot.robot import Robot
from torquec.robot.tuning import TUNING


def assembled_position(tree: Robot, file: LoopFile) -> Array:
    """A position (nq of the tree) that closes the loops; raises `RobotFileError`, with the gap left, if none does."""
    lower, upper = limits(tree)
    first = np.clip(np.array(neutral(tree)), lower, upper)
    places = _positions(tree)
    for name, value in file.start:
        first[places[name]] = value
    rng = np.random.default_rng(0)
    q = np.stack([first, *(random_position(tree, rng) for _ in range(TUNING.assembly_tries - 1))])
    for name, value in file.start:
        q[:, places[name]] = value
    still = file.independent or file.driven
    held = [tree.joint_index(joint.name) for joint in tree.joints if joint.name in still and joint.kind.nv == 1]
    near = _descended(tree, file, q, held) if held else q
    q = near if held and _good(tree, file, near) else _descended(tree, file, q, [])
    good = _good(tree, file, q)
    if not good:
        gaps = loop_batch(tree, file, q).gaps
        gap, unit, where = min(largest_gap(file, each) for each in gaps)
        raise RobotFileError(
            f"the loops of robot '{tree.name}' do not close: a gap of {gap:.3g} {unit} remains at {where}",
            where=tree.source,
            remedy="check the frames and lengths around it, and joint limits; [start] gives positions to search from",
        )
    inside = [k for k in good if _inside(tree, q[k])]
    far = np.abs(q - first).sum(axis=1)
    found: Array = q[0 if 0 in (inside or good) else min(inside or good, key=lambda k: far[k])]
    return found


def _good(tree: Robot, file: LoopFile, q: Array) -> list[int]:
    """Indices of the positions at which the loops are closed and no frame is flipped (half a turn off)."""
    gaps = loop_batch(tree, file, q).gaps
    closed = [k for k, each in enumerate(gaps) if largest_gap(file, each)[0] < TUNING.redundant_gap]
    return [k for k in closed if not is_turned_over(tree, file, q[k])]


def _descended(tree: Robot, file: LoopFile, q: Array, held: Sequence[int]) -> Array:
    """The positions after damped Gauss-Newton steps, the rates `held` unchanged."""
    by_equation, by_rate = scales(tree, file)
    by_rate = by_rate.copy()
    by_rate[list(held)] = 0.0
    per_rate = np.where(by_rate > 0.0, by_rate, 1.0)
    damping = np.full(len(q), 1e-3)
    batch = loop_batch(tree, file, q)
    gaps = batch.gaps * by_equation
    for _ in range(TUNING.assembly_steps):
        rows = batch.rows * by_equation[:, None] * by_rate
        normal = rows @ rows.transpose(0, 2, 1)
        eye = damping[:, None, None] * np.eye(normal.shape[1])
        step = -(rows.transpose(0, 2, 1) @ np.linalg.solve(normal + eye, gaps[..., None]))[..., 0] * by_rate
        length = np.abs(step / per_rate).max(axis=1, initial=0.0)
        step *= np.minimum(1.0, TUNING.assembly_step / np.maximum(length, 1e-12))[:, None]
        tried = moved_batch(tree, q, step)
        new = loop_batch(tree, file, tried)
        better = np.linalg.norm(new.gaps * by_equation, axis=1) <= np.linalg.norm(gaps, axis=1)
        q = np.where(better[:, None], tried, q)
        damping = np.clip(np.where(better, 0.2 * damping, 10.0 * damping), 1e-14, 1e3)
        batch = loop_batch(tree, file, q)
        gaps = batch.gaps * by_equation
        done = np.abs(batch.gaps).max(axis=1, initial=0.0) < 1e-15
        # The result from the start is enough, unless it is outside of the limits or a frame is flipped.
        if done.all() or (done[0] and _inside(tree, q[0]) and not is_turned_over(tree, file, q[0])):
            break
    return q


def _inside(tree: Robot, q: Array) -> bool:
    """Whether a position is within the joint limits, to the tolerance of the loops."""
    lower, upper = limits(tree)
    return bool(np.all(q >= lower - TUNING.redundant_gap) and np.all(q <= upper + TUNING.redundant_gap))


def _positions(tree: Robot) -> dict[str, int]:
    """Index of each joint's first position in q."""
    found: dict[str, int] = {}
    k = 0
    for joint in tree.joints:
        found[joint.name] = k
        k += joint.kind.nq
    return found
