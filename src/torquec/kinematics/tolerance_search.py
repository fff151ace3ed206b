"""Poses within a tolerance: damped least squares over joints and displacements of the target, all within bounds.

The unknowns x are the moving joints and the coordinates of a tolerance (`kinematics_task`, equation (1)), each between
its bounds; L is half the arm's size:

(1)  e = ((p*(x) - p(x))/L, w(x)),   w = 2 tan(angle/2) axis of the rotation from the frame to the target
(2)  step = A'(A A' + (|e|^2/2 + `FLOOR`) 1)^-1 e,   A = d(-e)/dx, translations in units of L
(3)  unknowns that the step would take over a bound go to the bound; (2) is repeated for the others and the rest of e

Many rows at once, each from a start of its own, in NumPy around one native call of the frame's pose and Jacobian.
This is a search: the solutions that it finds are within every bound, and others may exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, compile_function
from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian
from torquec.expr import trace
from torquec.foundation.arrays import Array, Mask
from torquec.kinematics.arm_geometry import ArmGeometry
from torquec.kinematics.arm_poses import MISSED, SINGULAR
from torquec.kinematics.refinement import CLOSED, FLOOR, LARGEST_STEP
from torquec.kinematics.tuning import TUNING
from torquec.robot.robot import Robot

_BOUND_ROUNDS = 4  # of (3)


@dataclass(frozen=True, eq=False)
class ToleranceSearch:
    """One target of one arm: joints (n,) that move within `lower` and `upper`, and the tolerance's bounds (6, 2)."""

    robot: Robot
    frame: str
    arm: ArmGeometry
    rotation: Array
    position: Array
    bounds: Array

    @property
    def missed(self) -> float:
        """Largest error [m, rad] of a pose that counts as met."""
        return MISSED * min(1.0, self.arm.reach)

    def singular(self, q: Array) -> Mask:
        """Whether the Jacobian of the moving joints is singular at positions (K, n)."""
        J = np.asarray(_frame_motion(self.robot, self.frame).call(np.ascontiguousarray(q))[2])
        J = J[:, :, [joint.index for joint in self.arm.joints]]
        J[:, :3] /= 0.5 * self.arm.reach
        return np.asarray(np.linalg.svd(J, compute_uv=False)[:, -1] < SINGULAR)

    def solved(self, q: Array, offsets: Array) -> tuple[Array, Array, Array]:
        """q (K, n), offsets (K, 6) and errors (K, 2) [m, rad] after the steps from these starts; the best are kept."""
        moving = [joint.index for joint in self.arm.joints]
        limits = [joint.limits for joint in self.arm.joints]
        low = np.concatenate([[one.lower for one in limits], self.bounds[:, 0]])
        high = np.concatenate([[one.upper for one in limits], self.bounds[:, 1]])
        size = 0.5 * self.arm.reach
        unit = np.array([size if joint.slides else 1.0 for joint in self.arm.joints] + 3 * [size] + 3 * [1.0])
        per = unit**-1.0
        x = np.clip(np.concatenate([q[:, moving], offsets], axis=1), low, high)
        best, error = x.copy(), np.full((len(x), 2), np.inf)
        whole, active = q.copy(), np.arange(len(x))
        for _ in range(TUNING.tolerance_steps):
            now = x[active]
            whole[active[:, None], moving] = now[:, :-6]
            e, A, missed = self._linear(whole[active], now[:, -6:], moving, size)
            better = missed.sum(axis=1) < error[active].sum(axis=1)
            best[active[better]], error[active[better]] = now[better], missed[better]
            step = bounded_step(e, A * unit, per * (low - now), per * (high - now)) * unit
            x[active] = np.clip(now + step, low, high)
            active = active[missed.max(axis=1) > CLOSED]
            if not len(active):
                break
        whole[:, moving] = best[:, :-6]
        return whole, best[:, -6:], error

    def _linear(self, q: Array, offsets: Array, moving: list[int], size: float) -> tuple[Array, Array, Array]:
        """e (K, 6) and A (K, 6, columns) of (1) and (2), and the error in metres and radians (K, 2)."""
        turn, place, J = (np.asarray(a) for a in _frame_motion(self.robot, self.frame).call(q))
        wanted, position = displaced(self.rotation, self.position, offsets)
        off, (w, angle) = position - place, rotation_error(turn, wanted)
        A = np.zeros((len(q), 6, len(moving) + 6))
        A[:, :, :-6] = J[:, :, moving]
        A[:, :3, -6:-3] = -self.rotation
        first = self.rotation @ displaced_rotation(offsets[:, 3:] * (1.0, 0.0, 0.0))
        both = self.rotation @ displaced_rotation(offsets[:, 3:] * (1.0, 1.0, 0.0))
        A[:, 3:, -3], A[:, 3:, -2], A[:, 3:, -1] = -self.rotation[:, 0], -first[:, :, 1], -both[:, :, 2]
        A[:, :3] /= size
        e = np.concatenate([off / size, w], axis=1)
        return e, A, np.stack([np.linalg.norm(off, axis=1), angle], axis=1)


def bounded_step(e: Array, A: Array, low: Array, high: Array) -> Array:
    """Steps (K, c) by (2) and (3), between low and high, at most `LARGEST_STEP` long in any unknown."""
    damping = (0.5 * (e**2).sum(axis=1) + FLOOR)[:, None, None] * np.eye(e.shape[1])
    fixed: Mask = np.zeros(low.shape, dtype=bool)
    step = np.zeros(low.shape)
    for _ in range(_BOUND_ROUNDS):
        free = np.where(fixed[:, None, :], 0.0, A)
        rest = e - np.einsum("kij,kj->ki", A, np.where(fixed, step, 0.0))
        y = np.linalg.solve(free @ np.swapaxes(free, 1, 2) + damping, rest[:, :, None])[:, :, 0]
        step = np.where(fixed, step, np.einsum("kij,ki->kj", free, y))
        outside = ~fixed & ((step < low) | (step > high))
        step = np.clip(step, low, high)
        fixed |= outside
        if not outside.any():
            break
    longest = np.abs(step).max(axis=1, initial=LARGEST_STEP)
    return np.asarray(step * (LARGEST_STEP / longest)[:, None])


def displaced(rotation: Array, position: Array, offsets: Array) -> tuple[Array, Array]:
    """Rotations (K, 3, 3) and positions (K, 3) of a target displaced by offsets (K, 6)."""
    return rotation @ displaced_rotation(offsets[:, 3:]), position + offsets[:, :3] @ rotation.T


def displaced_rotation(angles: Array) -> Array:
    """Rx(rx) Ry(ry) Rz(rz) for angles (K, 3), as (K, 3, 3)."""
    (a, b, c), (sa, sb, sc) = np.cos(angles).T, np.sin(angles).T
    rows = [
        [b * c, -b * sc, sb],
        [a * sc + sa * sb * c, a * c - sa * sb * sc, -sa * b],
        [sa * sc - a * sb * c, sa * c + a * sb * sc, a * b],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def rotation_error(have: Array, want: Array) -> tuple[Array, Array]:
    """w (K, 3) of (1) from rotations (K, 3, 3) to others, and the angle (K,)."""
    between = want @ np.swapaxes(have, 1, 2)
    skew = between - np.swapaxes(between, 1, 2)
    twice = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)  # 2 sin(angle) axis
    together = 1.0 + np.trace(between, axis1=1, axis2=2)  # 2 (1 + cos(angle))
    w = 2.0 * twice / np.maximum(together, 2.0 * TUNING.tolerance_half_turn_floor)[:, None]
    return w, np.arctan2(np.linalg.norm(twice, axis=1), together - 2.0)


@lru_cache(maxsize=16)
def _frame_motion(robot: Robot, frame: str) -> NativeFunction:
    """q (n,) -> rotation, position and Jacobian of the frame."""

    def algorithm(q: Any) -> dict[str, Any]:
        pose = frame_pose(robot, frame, q)
        return {"rotation": pose.rotation, "position": pose.origin, "J": jacobian(robot, frame, q)}

    return compile_function(trace("frame_motion", algorithm, {"q": (robot.n,)}))
