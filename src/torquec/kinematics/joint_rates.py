"""Joint speeds and accelerations from the velocity and acceleration of a frame.

(1)  J qd = v,   J qdd = a - (dJ/dt) qd      rows: linear before angular, in base axes
(2)  J = Q R by modified Gram-Schmidt, with the right side as one more column
(3)  manipulability = product of the diagonal of R (|det J| for six joints); pivot = the smallest of the diagonal

Arms with fewer than six joints meet (1) in the least-squares sense. A joint whose diagonal of R is below `REST` depends
linearly on those before it: its speed is zero, and the others solve (1) by least squares.

(4)  damped rates minimize |A qd - w|^2 + k |qd|^2 with k = max(d^2 - pivot^2, 0)    (Nakamura and Hanafusa)

A and w are J and v with lengths divided by half the arm's size; the pivot in (4) is that of A. The rates are exact
where the pivot is above d. Below it, speeds along the singular direction are at most |w|/(2 sqrt k).

One program gives the nearest branch with its rates (`nearest_motion_function`). Where the closed form branches, the
side nearer to the reference is taken (`one_branch`): one branch is computed, not all. Near folds, or where that branch
violates limits or reach, another branch may be nearer: `certain` is positive where none can be. Closed forms with other
forks than `FORKS` compute all branches; then `certain` is always 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, compile_function
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.errors import ArgumentError
from torquec.expr import Function, trace
from torquec.expr.math import maximum, minimum, select, sqrt
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import one_branch, over
from torquec.kinematics.arm_geometry import ArmGeometry, PoseTarget
from torquec.kinematics.arm_poses import branch_cost, branch_status, place_joints
from torquec.kinematics.refinement import SymmetricFactors
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, matmul, transpose

if TYPE_CHECKING:
    from torquec.kinematics.closed_kinematics import InverseKinematics

_LEAST_DAMPING = 1e-15  # relative to squares of columns of order 1: keeps (4) solvable, and is negligible

REST = 1e-9
"""Diagonal entry of R [m or 1] below which a joint is at a singularity and stands still."""


@dataclass(frozen=True, eq=False)
class JointRates:
    """Speeds and accelerations of all joints, and how far the arm is from singular (3); with N states, N of each."""

    qd: Array
    """(n,); zero for joints that do not move the frame"""
    qdd: Array
    manipulability: Any
    pivot: Any
    """The smallest diagonal of R: speeds grow as 1/pivot; below `REST` a joint was left standing still"""
    missed: Any = 0.0
    """(2,), errors of the frame's velocity with damped rates, linear [m/s] and angular [rad/s]; zero for exact rates"""


def joint_rates_function(robot: Robot, frame: str, moving: Sequence[int]) -> Function:
    """The program q (n,), velocity (6,), acceleration (6,) -> qd (n,), qdd (n,), manipulability (), pivot ().

    `moving` are the indices in q of the joints that move the frame.
    """

    name = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in robot.name)
    inputs = {"q": (robot.n,), "velocity": (6,), "acceleration": (6,)}
    return trace(f"{name}_joint_rates", joint_rates_algorithm(robot, frame, moving), inputs)


def joint_rates_algorithm(robot: Robot, frame: str, moving: Sequence[int]) -> Callable[..., Mapping[str, Any]]:
    """The algorithm of `joint_rates_function`, over any scalar."""

    def algorithm(q: Any, velocity: Any, acceleration: Any) -> dict[str, Any]:
        full = jacobian(robot, frame, q)
        factors = JacobianFactors([[full[row][k] for row in range(6)] for k in moving])
        qd = _spread(factors.solve(velocity), moving, robot.n)
        rate = jacobian_derivative(robot, frame, q, qd)
        bias = [sum(rate[row][k] * qd[k] for k in moving) for row in range(6)]
        qdd = _spread(factors.solve([a - b for a, b in zip(acceleration, bias, strict=True)]), moving, robot.n)
        manipulability, pivot = factors.size_and_pivot()
        return {"qd": qd, "qdd": qdd, "manipulability": manipulability, "pivot": pivot}

    return algorithm


def damped_rates(robot: Robot, frame: str, arm: ArmGeometry, inputs: Sequence[Array], damping: float) -> JointRates:
    """Damped rates (4) from q, velocity and acceleration, one or N; raises `ArgumentError` for a damping <= 0."""
    if not 0.0 < damping < math.inf:
        raise ArgumentError(f"a damping of {damping}", remedy="give a positive number, such as 0.05")
    native = _compiled(robot, frame, tuple(joint.index for joint in arm.joints), 0.5 * arm.reach)
    return JointRates(*native.call(*inputs, np.full(inputs[0].shape[:-1], damping)))


@lru_cache(maxsize=16)
def _compiled(robot: Robot, frame: str, moving: tuple[int, ...], size: float) -> NativeFunction:
    return compile_function(damped_rates_function(robot, frame, moving, size))


def damped_rates_function(robot: Robot, frame: str, moving: Sequence[int], size: float) -> Function:
    """The program of (4): q (n,), two twists (6,), damping () -> as `joint_rates_function`, and missed (2,).

    The twists are velocity and acceleration; lengths are divided by `size` [m].
    """

    def scaled(twist: Sequence[Scalar]) -> list[Scalar]:
        return [value * (1.0 / size) for value in twist[:3]] + list(twist[3:])

    def algorithm(q: Any, velocity: Any, acceleration: Any, damping: Any) -> dict[str, Any]:
        full = jacobian(robot, frame, q)
        columns = [[full[row][k] for row in range(6)] for k in moving]
        manipulability, pivot = JacobianFactors(columns).size_and_pivot()
        even = [scaled(column) for column in columns]
        _, own = JacobianFactors(even).size_and_pivot()
        factors = SymmetricFactors(even, maximum(damping * damping - own * own, _LEAST_DAMPING))

        def solved(twist: Sequence[Scalar]) -> list[Scalar]:
            wanted = scaled(twist)
            return _spread(factors.solve([_dot(column, wanted) for column in even]), moving, robot.n)

        qd = solved(velocity)
        rate = jacobian_derivative(robot, frame, q, qd)
        bias = [sum(rate[row][k] * qd[k] for k in moving) for row in range(6)]
        qdd = solved([a - b for a, b in zip(acceleration, bias, strict=True)])
        off = [v - sum(full[row][k] * qd[k] for k in moving) for row, v in enumerate(velocity)]
        missed = [sqrt(_dot(off[:3], off[:3])), sqrt(_dot(off[3:], off[3:]))]
        return {"qd": qd, "qdd": qdd, "manipulability": manipulability, "pivot": pivot, "missed": missed}

    inputs = {"q": (robot.n,), "velocity": (6,), "acceleration": (6,), "damping": ()}
    return trace("damped_rates", algorithm, inputs)


class JacobianFactors:
    """Q by columns and R by rows of a matrix given by columns (2)."""

    def __init__(self, columns: list[list[Scalar]]) -> None:
        work = [list(column) for column in columns]
        self.q: list[list[Scalar]] = []
        self.r: list[dict[int, Scalar]] = []
        self.diagonal: list[Scalar] = []
        for k, column in enumerate(work):
            size = sqrt(_dot(column, column))
            self.diagonal.append(size)
            inverse = select(size - REST, over(1.0, size), 0.0)
            unit = [inverse * value for value in column]
            row = {}
            for j in range(k + 1, len(work)):
                row[j] = _dot(unit, work[j])
                work[j] = [value - row[j] * u for value, u in zip(work[j], unit, strict=True)]
            self.q.append(unit)
            self.r.append(row)

    def size_and_pivot(self) -> tuple[Scalar, Scalar]:
        """Product and smallest of the diagonal (3)."""
        product, pivot = self.diagonal[0], self.diagonal[0]
        for value in self.diagonal[1:]:
            product, pivot = product * value, minimum(pivot, value)
        return product, pivot

    def solve(self, right: Sequence[Scalar]) -> list[Scalar]:
        """The least-squares solution for a right side (6,)."""
        rest = list(right)
        parts = []
        for unit in self.q:
            part = _dot(unit, rest)
            parts.append(part)
            rest = [value - part * u for value, u in zip(rest, unit, strict=True)]
        x: list[Scalar] = [0.0] * len(parts)
        for k in reversed(range(len(parts))):
            total = parts[k]
            for j, value in self.r[k].items():
                total = total - value * x[j]
            x[k] = select(self.diagonal[k] - REST, over(total, self.diagonal[k]), 0.0)
        return x


def manipulability_and_pivot(columns: list[list[Scalar]]) -> tuple[Scalar, Scalar]:
    """Both numbers of (3) for a Jacobian given by columns."""
    return JacobianFactors(columns).size_and_pivot()


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), start=a[0] * b[0])


def _spread(values: Sequence[Scalar], moving: Sequence[int], n: int) -> list[Scalar]:
    """Values of the moving joints at their indices in q, zeros elsewhere."""
    row: list[Scalar] = [0.0] * n
    for k, value in zip(moving, values, strict=True):
        row[k] = value
    return row


FORKS = ("shoulder", "elbow", "wrist")
"""Forks of a closed form; together they number its branches, the first being the most significant bit."""


@dataclass(frozen=True, eq=False)
class NearestMotion:
    """The branch nearest to the reference with its rates, for one pose; for N poses with a leading axis."""

    q: Array
    """(n,)"""
    branch: Indices
    """(), index of the name"""
    status: Indices
    error: Array
    """(2,): errors of the position [m] and of the rotation [rad]"""
    qd: Array
    """(n,)"""
    qdd: Array
    """(n,)"""
    manipulability: Any
    pivot: Any
    """As in `JointRates`"""


def nearest_motion_function(ik: InverseKinematics, name: str) -> Function:
    """rotation (3, 3), position (3,), near (n,), velocity (6,), acceleration (6,) -> the parts of `NearestMotion`, and
    certain ().
    """
    rates = joint_rates_algorithm(ik.robot, ik.frame, [joint.index for joint in ik.arm.joints])

    def algorithm(rotation: Any, position: Any, near: Any, velocity: Any, acceleration: Any) -> dict[str, Any]:
        found = _one(ik, rotation, position, near)
        if found is None:
            found = {**ik.nearest_algorithm(rotation, position, near), "certain": 1.0}
        certain = found.pop("certain")
        return {**found, **rates(found["q"], velocity, acceleration), "certain": certain}

    n = ik.robot.n
    inputs = {"rotation": (3, 3), "position": (3,), "near": (n,), "velocity": (6,), "acceleration": (6,)}
    return trace(name, algorithm, inputs)


def _one(ik: InverseKinematics, rotation: Any, position: Any, near: Any) -> dict[str, Any] | None:
    """The one branch that is chosen fork by fork, or None where the closed form has forks of other kinds."""
    kept = tuple(near[joint.index] for joint in ik.arm.joints)
    turn = matmul(rotation, transpose(ik.arm.tool.rotation))
    with one_branch() as choices:
        branches = ik.closed.solve(PoseTarget(turn, position, kept))
    forks = [fork for fork in FORKS if fork in choices.second]
    if len(branches) != 1 or 2 ** len(forks) != len(ik.names):
        return None
    (branch,) = branches
    placed = place_joints(ik.arm.joints, branch.values, near)
    missed = [branch.position_miss, branch.rotation_miss]
    status = branch_status(placed.outside, missed, branch.margin, ik.arm.reach)
    cost = branch_cost(status, sum((a - b) * (a - b) for a, b in zip(placed.q, near, strict=True)))
    number = choices.number(forks)
    return {"q": placed.q, "branch": number, "status": status, "error": missed, "certain": choices.others - cost}
