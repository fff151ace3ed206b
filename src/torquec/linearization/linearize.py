"""Linear models of a robot about points of a trajectory.

(1)  dtau = M dqdd + C dqd + K dq,     M = dtau/dqdd,   C = dtau/dqd,   K = dtau/dq                       Clover II (39)
(2)  d/dt (dq, dqd) = A (dq, dqd) + B dtau,   A = [[0, 1], [-M^-1 K, -M^-1 C]],   B = [[0], [M^-1]]             II (40)

tau is everything that the drives supply: rigid bodies, rotors, friction and springs. The matrices come from composite
bodies, which need fewer operations than n passes of the linearized recursion (:mod:`linearized_recursion`); a single
direction, as a controller needs it, is cheapest by the recursion. `check_linear_model` compares both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from torquec.dynamics import inverse_dynamics_derivatives, mass_matrix, total_torque
from torquec.errors import ArgumentError, CheckError
from torquec.expr import Function, trace
from torquec.foundation.arrays import Array, ComplexArray
from torquec.linearization.friction_damping import friction_damping, spring_stiffness
from torquec.linearization.linearized_recursion import Linearized
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

if TYPE_CHECKING:
    from torquec.closedform.layouts import Rule
    from torquec.codegen.llvm import NativeFunction


_AGREEMENT = 1e-8
"""Largest difference that `check_linear_model` allows, relative to the largest entry."""

_STEP = 1e-30
_STATE = ("q", "qd", "qdd")


@dataclass(frozen=True, eq=False)
class LinearModel:
    """M, C, K (n, n) of (1) at the point q, qd, qdd (n,) of a robot with these joints."""

    joints: tuple[str, ...]
    q: Array
    qd: Array
    qdd: Array
    M: Array
    C: Array
    K: Array

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @cached_property
    def A(self) -> Array:
        """State matrix (2n, 2n) of (2)."""
        n = self.n
        below = -np.linalg.solve(self.M, np.hstack([self.K, self.C]))
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), below])

    @cached_property
    def B(self) -> Array:
        """Input matrix (2n, n) of (2)."""
        return np.vstack([np.zeros((self.n, self.n)), np.linalg.inv(self.M)])

    @cached_property
    def eigenvalues(self) -> ComplexArray:
        """Eigenvalues of A (2n,), the fastest growing first, the slower frequency first among equals."""
        found = np.linalg.eigvals(self.A).astype(np.complex128)
        order = sorted(range(len(found)), key=lambda k: (-found[k].real, abs(found[k].imag), found[k].imag))
        return found[order]


def linearize(
    robot: Robot, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike, *, rule: Rule | None = None
) -> LinearModel:
    """The linear model (1) of a robot at (q, qd, qdd), (n,) each, friction and springs included.

    With a `rule` it is the abbreviated one (`abbreviated_linear_model`). Raises `ArgumentError`
    for states that are not n finite numbers each, `RobotError` for a robot without inertias.

    >>> from torquec.robot import classics
    >>> linearize(classics.planar2r(), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).A.shape
    (4, 4)
    """
    state = [checked_state(robot, name, values) for name, values in zip(_STATE, (q, qd, qdd), strict=True)]
    return LinearModel(robot.joint_names, *state, *native_linear_model(robot, rule=rule).call(*state))


def linearize_along(
    robot: Robot, q: npt.ArrayLike, qd: npt.ArrayLike, qdd: npt.ArrayLike, *, rule: Rule | None = None
) -> tuple[LinearModel, ...]:
    """The linear models at N points (N, n) of a trajectory, computed as one batch."""
    states = [np.ascontiguousarray(values, dtype=np.float64) for values in (q, qd, qdd)]
    if any(s.ndim != 2 or s.shape != states[0].shape or s.shape[1] != robot.n for s in states):
        raise ArgumentError(
            f"points of shapes {', '.join(str(s.shape) for s in states)}", remedy=f"give (N, {robot.n}) three times"
        )
    matrices = native_linear_model(robot, rule=rule).call(*states)
    return tuple(LinearModel(robot.joint_names, *row) for row in zip(*states, *matrices, strict=True))


def linear_model_function(robot: Robot, *, rule: Rule | None = None) -> Function:
    """The program (q, qd, qdd) -> M, C, K, (n, n) each, for any back end."""
    if rule is not None:
        from torquec.linearization.abbreviated_linear_model import abbreviated_linear_model

        return abbreviated_linear_model(robot, rule)
    return trace("linear_model", lambda q, qd, qdd: matrices_at(robot, q, qd, qdd), dict.fromkeys(_STATE, (robot.n,)))


def matrices_at(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> dict[str, Any]:
    """M, C and K by name, over any scalar."""
    slopes = inverse_dynamics_derivatives(robot, q, qd, qdd)
    return {
        "M": mass_matrix(robot, q),
        "C": with_friction(robot, slopes.dtau_dqd, qd),
        "K": with_springs(robot, slopes.dtau_dq),
    }


def with_friction(robot: Robot, damping: Sequence[Sequence[Scalar]], qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """dtau/dqd with the slopes of friction added."""
    rows = zip(damping, friction_damping(robot, qd), strict=True)
    return [[a + b for a, b in zip(row, further, strict=True)] for row, further in rows]


def with_springs(robot: Robot, stiffness: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """dtau/dq with the springs added."""
    springs = spring_stiffness(robot)
    return [[a + springs[i] if i == j else a for j, a in enumerate(row)] for i, row in enumerate(stiffness)]


def native_linear_model(robot: Robot, *, rule: Rule | None = None) -> NativeFunction:
    """`linear_model_function`, compiled for this machine."""
    return _compiled(_Subject(robot.content_hash, rule, robot))


@dataclass(frozen=True)
class _Subject:
    """A robot by its content, which is hashed once, not entry by entry at every call."""

    content: str
    rule: Rule | None
    robot: Robot = field(compare=False)


@lru_cache(maxsize=32)
def _compiled(subject: _Subject) -> NativeFunction:
    from torquec.codegen.llvm import load_or_compile

    key = f"robot {subject.content} linear_model {subject.rule!r}"
    return load_or_compile(key, lambda: linear_model_function(subject.robot, rule=subject.rule))


def check_linear_model(robot: Robot, model: LinearModel) -> None:
    """Raise `CheckError` unless the model agrees with the linearized recursion and with the slopes of the torque.

    The recursion is run in all 3n directions; the slopes are those of `total_torque`, by complex steps.
    """
    state = (list(model.q), list(model.qd), list(model.qdd))
    for source, found in (("recursion", _by_recursion(robot, *state)), ("slopes", _by_complex_steps(robot, *state))):
        for name, expected in found.items():
            difference = float(np.max(np.abs(getattr(model, name) - expected)))
            if difference > _AGREEMENT * max(1.0, float(np.max(np.abs(expected)))):
                raise CheckError(
                    f"{name} of the linear model differs by {difference:.3g} from the linearized "
                    f"{'recursion' if source == 'recursion' else 'torque'}",
                    where=f"robot '{robot.name}'",
                    remedy="linearize again; an abbreviated model is not meant to pass",
                )


def _by_recursion(robot: Robot, q: list[float], qd: list[float], qdd: list[float]) -> Mapping[str, Array]:
    n = robot.n
    recursion = Linearized(robot, q, qd, qdd)
    still, units = [0.0] * n, np.eye(n).tolist()
    M = np.array([recursion.torques(still, still, unit) for unit in units], dtype=np.float64).T
    C = np.array([recursion.torques(still, unit, still) for unit in units], dtype=np.float64).T
    K = np.array([recursion.torques(unit, still, still) for unit in units], dtype=np.float64).T
    C = C + np.array(friction_damping(robot, qd), dtype=np.float64)
    return {"M": M, "C": C, "K": K + np.diag(spring_stiffness(robot))}


def _by_complex_steps(robot: Robot, q: list[float], qd: list[float], qdd: list[float]) -> Mapping[str, Array]:
    found: dict[str, Array] = {}
    for k, name in ((2, "M"), (1, "C"), (0, "K")):
        columns = []
        for j in range(robot.n):
            state: list[list[complex]] = [[complex(x) for x in part] for part in (q, qd, qdd)]
            state[k][j] += 1j * _STEP
            columns.append(np.imag(np.array(total_torque(robot, *state), dtype=np.complex128)) / _STEP)
        found[name] = np.array(columns).T
    return found


def checked_state(robot: Robot, name: str, values: npt.ArrayLike) -> Array:
    """One finite number per joint, (n,); raises `ArgumentError` for anything else."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"'{name}' is no array of real numbers ({error})", remedy="give floats") from error
    if array.shape != (robot.n,) or not np.isfinite(array).all():
        raise ArgumentError(
            f"'{name}' is not one finite number per joint (shape {array.shape})",
            remedy=f"give {robot.n} numbers, for {', '.join(robot.joint_names)}",
        )
    return array
