"""Linearization of robot dynamics about points of a trajectory: M, C, K and state-space matrices.

(1)  dtau = M dqdd + C dqd + K dq,     M = dtau/dqdd,   C = dtau/dqd,   K = dtau/dq                       Clover II (39)
(2)  d/dt (dq, dqd) = A (dq, dqd) + B dtau,   A = [[0, 1], [-M^-1 K, -M^-1 C]],   B = [[0], [M^-1]]             II (40)

tau is everything that the drives supply: rigid bodies, rotors, friction and springs. The matrices come from composite
bodies, which need fewer operations than n passes of the linearized recursion (`linearized_recursion`); a single
direction, as a controller needs it, is cheapest by the recursion. `check_linear_model` compares both. A model that
follows a program is linearized through that program, never through the robot's bodies.

(3)  for DC motors with a given voltage V instead of a given current, their inductance neglected,
       k N (V - k N qd)/R = tau,    so that dtau is  k N dV/R  and back-EMF damps:  C + diag((k N)^2/R)
     with k the torque (and back-EMF) constant, N the gear ratio, R the resistance of each joint's motor. A current
     amplifier with voltage headroom cancels this damping: then leave `motors` out.

Joints with several coordinates (a floating base) have displacements dq in the tangent space. dq and dqd are expressed
in the axes of the moving body. These axes move with its twist v, so that at speed

(4)  d/dt dq = dqd - [v, dq],   [(u1, w1), (u2, w2)] = (w1 x u2 - w2 x u1, w1 x w2),   the upper left block of A
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from torquec.dynamics import inverse_dynamics
from torquec.dynamics.friction_torque import has_load_friction
from torquec.dynamics.spring_torque import spring_stiffness
from torquec.dynamics.total_torque import torque_with_losses
from torquec.errors import ArgumentError, CheckError, RobotError
from torquec.expr import Function, trace
from torquec.foundation.arrays import Array, ComplexArray
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.linearization.linearized_torque import (
    Linearized,
    check_abbreviation,
    friction_damping,
    runs_recursion,
    with_load_friction,
)
from torquec.model.model import Model, as_model
from torquec.robot.configuration import joint_slices, unit_position
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates
from torquec.spatial import Scalar

if TYPE_CHECKING:
    from torquec.closedform.fourier import Rule
    from torquec.codegen.llvm import NativeFunction


_AGREEMENT = 1e-8
"""Largest difference that `check_linear_model` allows, relative to the largest entry."""

_COMPLEX_STEP = 1e-30  # complex step: no difference is taken, so no cancellation
_STATE = ("q", "qd", "qdd")
_NULL_ENTRY = 1e-3
"""Smallest entry of a unit null vector of M whose joint is reported as having no inertia."""


class StateSpaceMatrices(NamedTuple):
    """A, B, C, D of a linear system with 2n states, n inputs and n outputs."""

    A: Array
    B: Array
    C: Array
    D: Array


@dataclass(frozen=True, eq=False)
class LinearModel(NotebookDisplay):
    """M, C, K (n, n) of (1) at the point q (nq,), qd, qdd (n,) of a robot; `joints` name the n coordinates.

    `turning` (n, n) is the matrix of (4), None where every joint has one coordinate.
    """

    joints: tuple[str, ...]
    q: Array
    qd: Array
    qdd: Array
    M: Array
    C: Array
    K: Array
    turning: Array | None = None

    def __repr__(self) -> str:
        state = "; ".join(
            f"{name} = {np.array2string(getattr(self, name), precision=3)}" for name in ("q", "qd", "qdd")
        )
        return f"LinearModel({self.n} joints at {state})"

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @cached_property
    def A(self) -> Array:
        """State matrix (2n, 2n) of (2)."""
        n = self.n
        below = -self._solved(np.hstack([self.K, self.C]))
        turning = np.zeros((n, n)) if self.turning is None else self.turning
        return np.vstack([np.hstack([turning, np.eye(n)]), below])

    @cached_property
    def B(self) -> Array:
        """Input matrix (2n, n) of (2)."""
        return np.vstack([np.zeros((self.n, self.n)), self._solved(np.eye(self.n))])

    def state_space(self) -> StateSpaceMatrices:
        """A, B, C, D from torques to positions: `scipy.signal.StateSpace(*..)` and `control.ss(*..)` take them.

        The state is (dq, dqd), the input dtau, the output dq.
        """
        n = self.n
        return StateSpaceMatrices(self.A, self.B, np.eye(n, 2 * n), np.zeros((n, n)))

    def _solved(self, right: Array) -> Array:
        """M^-1 right; raises `RobotError` where a simplified model has lost the inertia of a joint."""
        try:
            found: Array = np.linalg.solve(self.M, right).astype(np.float64)
        except np.linalg.LinAlgError:
            place = ", ".join(f"{value:.4g}" for value in self.q)
            lost = ", ".join(self._joints_without_inertia)
            raise RobotError(
                f"the mass matrix of the model is singular at q = ({place}), so it has no accelerations: "
                f"too little is left of the inertia at {lost}",
                remedy=f"allow {lost} a smaller torque_error or torque_error_part in the specification "
                "([specification] in a project), or use the robot's exact model",
            ) from None
        return found

    @property
    def _joints_without_inertia(self) -> tuple[str, ...]:
        """Joints without inertia: those that move in the null vector of M."""
        null = np.linalg.svd(self.M)[2][-1]
        return tuple(name for name, part in zip(self.joints, np.abs(null), strict=True) if part > _NULL_ENTRY)

    @cached_property
    def eigenvalues(self) -> ComplexArray:
        """Eigenvalues of A (2n,), sorted by descending real part, then by ascending frequency."""
        found = np.linalg.eigvals(self.A).astype(np.complex128)
        order = sorted(range(len(found)), key=lambda k: (-found[k].real, abs(found[k].imag), found[k].imag))
        return found[order]


class VoltageDrive(Protocol):
    """A voltage-driven motor, such as `torquec.simulation.plant_bodies.DcMotor`."""

    @property
    def back_emf_damping(self) -> float:
        """(k N)^2/R of (3) at the joint [Nm s/rad]."""


def linearize(
    source: Robot | Model,
    q: npt.ArrayLike,
    qd: npt.ArrayLike,
    qdd: npt.ArrayLike,
    *,
    rule: Rule | None = None,
    motors: Sequence[VoltageDrive] = (),
) -> LinearModel:
    """The linear model (1) of a robot or a model about the point q, qd, qdd (n,); with a `rule` its abbreviation.

    `motors`, one per joint, add the damping of their back-EMF (3). Raises `ArgumentError` for another number of them,
    for states that are not one finite number per joint and for a model that has no equations to abbreviate;
    `RobotError` where an abbreviation does not exist.

    >>> from torquec.robot import classics
    >>> linearize(classics.planar2r(), [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).n
    2
    """
    model = as_model(source, any_joint=True)
    robot = model.robot
    state = (checked_state(robot, "q", q), checked_state(robot, "qd", qd), checked_state(robot, "qdd", qdd))
    M, C, K = native_linear_model(model, rule=rule).call(*state)
    turning = turning_axes(robot, state[1])
    return LinearModel(robot.coordinate_names, *state, M, C + _back_emf(robot, motors), K, turning)


def turning_axes(robot: Robot, qd: Array) -> Array | None:
    """The upper left block of A (4) at rates qd (n,), (n, n); None where every joint has one coordinate."""
    if all(joint.kind.nv == 1 for joint in robot.joints):
        return None
    found = np.zeros((robot.n, robot.n))
    for joint, _, rates in joint_slices(robot):
        columns = joint.kind.motion_subspace
        if len(columns) == 1:
            continue
        u = sum((rate * np.array(s.linear) for rate, s in zip(qd[rates], columns, strict=True)), np.zeros(3))
        w = sum((rate * np.array(s.angular) for rate, s in zip(qd[rates], columns, strict=True)), np.zeros(3))
        for k, column in enumerate(columns):
            linear = np.cross(w, column.linear) - np.cross(column.angular, u)
            angular = np.cross(w, column.angular)
            for i, row in enumerate(columns):
                part = angular if row.turns else linear
                found[rates.start + i, rates.start + k] = -part[row.axis]
    return found


def linearize_along(
    source: Robot | Model,
    q: npt.ArrayLike,
    qd: npt.ArrayLike,
    qdd: npt.ArrayLike,
    *,
    rule: Rule | None = None,
    motors: Sequence[VoltageDrive] = (),
) -> tuple[LinearModel, ...]:
    """The linear models at N points (N, n) of a trajectory, computed as one batch; options as in `linearize`."""
    model = as_model(source, any_joint=True)
    robot = model.robot
    states = [np.ascontiguousarray(values, dtype=np.float64) for values in (q, qd, qdd)]
    sizes = (robot.nq, robot.n, robot.n)
    if any(s.ndim != 2 or s.shape != (len(states[0]), size) for s, size in zip(states, sizes, strict=True)):
        wanted = ", ".join(f"(N, {size})" for size in sizes)
        raise ArgumentError(f"points of shapes {', '.join(str(s.shape) for s in states)}", remedy=f"give {wanted}")
    M, C, K = native_linear_model(model, rule=rule).call(*states)
    matrices = (M, C + _back_emf(robot, motors), K)
    turning = [turning_axes(robot, rates) for rates in states[1]]
    return tuple(LinearModel(robot.coordinate_names, *row) for row in zip(*states, *matrices, turning, strict=True))


def linear_model_function(source: Robot | Model, *, rule: Rule | None = None) -> Function:
    """The program (q, qd, qdd) -> M, C, K, (n, n) each, for any back end."""
    model = as_model(source, any_joint=True)
    if rule is not None:
        check_single_coordinates(model.robot)
        from torquec.linearization.abbreviated_linear_model import abbreviated_linear_model

        check_abbreviation(model)
        return abbreviated_linear_model(model.robot, rule)
    ports = dict.fromkeys(_STATE, (model.robot.n,)) | {"q": (model.robot.nq,)}
    return trace("linear_model", lambda q, qd, qdd: vars(matrices_at(model, q, qd, qdd)), ports)


@dataclass(frozen=True, eq=False)
class LinearMatrices:
    """M, C and K of (1), (n, n) each, of any scalars."""

    M: Sequence[Sequence[Scalar]]
    C: Sequence[Sequence[Scalar]]
    K: Sequence[Sequence[Scalar]]


def matrices_at(model: Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> LinearMatrices:
    """The matrices (1) at a state (n,) each, over any scalar."""
    K, C = model.at("inverse_dynamics_derivatives", q, qd, qdd)
    M, rigid = model.at("mass_matrix", q), None
    if has_load_friction(model.robot):
        rigid = model.at("inverse_dynamics", q, qd, qdd)
        M, C, K = with_load_friction(model.robot, qd, rigid, (M, C, K))
    return LinearMatrices(M, with_friction(model.robot, C, qd, load=rigid), with_springs(model.robot, K, q))


def _back_emf(robot: Robot, motors: Sequence[VoltageDrive]) -> Array:
    """(3), (n, n); zero without motors."""
    if motors and len(motors) != robot.n:
        raise ArgumentError(f"{len(motors)} motors for {robot.n} joints", remedy="give one per joint, or none")
    return np.diag([float(motor.back_emf_damping) for motor in motors]) if motors else np.zeros((robot.n, robot.n))


def with_friction(
    robot: Robot, damping: Sequence[Sequence[Scalar]], qd: Sequence[Scalar], *, load: Sequence[Scalar] | None = None
) -> list[list[Scalar]]:
    """dtau/dqd with the slopes of friction added; `load` (n,) are the rigid-body torques."""
    rows = zip(damping, friction_damping(robot, qd, load=load), strict=True)
    return [[a + b for a, b in zip(row, further, strict=True)] for row, further in rows]


def with_springs(robot: Robot, stiffness: Sequence[Sequence[Scalar]], q: Sequence[Scalar]) -> list[list[Scalar]]:
    """dtau/dq with the springs added."""
    springs = spring_stiffness(robot, q)
    return [[a + springs[i] if i == j else a for j, a in enumerate(row)] for i, row in enumerate(stiffness)]


def native_linear_model(source: Robot | Model, *, rule: Rule | None = None) -> NativeFunction:
    """`linear_model_function`, compiled for this machine."""
    model = as_model(source, any_joint=True)
    return _compiled(_Subject(model.content_hash, rule, model))


@dataclass(frozen=True)
class _Subject:
    """Cache key: a model by its content hash, computed once instead of at every call."""

    content: str
    rule: Rule | None
    model: Model = field(compare=False)


@lru_cache(maxsize=32)
def _compiled(subject: _Subject) -> NativeFunction:
    from torquec.codegen.llvm import load_or_compile

    key = f"robot {subject.content} linear_model {subject.rule!r}"
    return load_or_compile(key, lambda: linear_model_function(subject.model, rule=subject.rule))


def check_linear_model(source: Robot | Model, linear: LinearModel) -> None:
    """Raise `CheckError` unless a linear model agrees with the linearized recursion and with complex-step derivatives.

    The recursion is run in all 3n directions (a model that follows a program has none); the complex steps
    differentiate the total torque.
    """
    model = as_model(source)
    state = (list(linear.q), list(linear.qd), list(linear.qdd))
    ways = {"torque": _by_complex_steps(model, *state)}
    if runs_recursion(model):
        ways["recursion"] = _by_recursion(model.robot, *state)
    for way, found in ways.items():
        for name, expected in found.items():
            difference = float(np.max(np.abs(getattr(linear, name) - expected)))
            if difference > _AGREEMENT * max(1.0, float(np.max(np.abs(expected)))):
                raise CheckError(
                    f"{name} of the linear model differs by {difference:.3g} from the linearized {way}",
                    where=f"robot '{model.robot.name}'",
                    remedy="linearize again; abbreviated models fail this check",
                )


def _by_recursion(robot: Robot, q: list[float], qd: list[float], qdd: list[float]) -> Mapping[str, Array]:
    n = robot.n
    recursion = Linearized(robot, q, qd, qdd)
    still, units = [0.0] * n, np.eye(n).tolist()
    M = np.array([recursion.torques(still, still, unit) for unit in units], dtype=np.float64).T
    C = np.array([recursion.torques(still, unit, still) for unit in units], dtype=np.float64).T
    K = np.array([recursion.torques(unit, still, still) for unit in units], dtype=np.float64).T
    rigid = [float(value) for value in inverse_dynamics(robot, q, qd, qdd)]
    M, C, K = (np.array(part) for part in with_load_friction(robot, qd, rigid, (M.tolist(), C.tolist(), K.tolist())))
    C = C + np.array(friction_damping(robot, qd, load=rigid), dtype=np.float64)
    return {"M": M, "C": C, "K": K + np.diag(np.array(spring_stiffness(robot, q), dtype=np.float64))}


def _by_complex_steps(model: Model, q: list[float], qd: list[float], qdd: list[float]) -> Mapping[str, Array]:
    def torque(*state: list[complex]) -> ComplexArray:
        rigid = model.at("inverse_dynamics", *state)
        return np.array(torque_with_losses(model.robot, rigid, state[0], state[1]), dtype=np.complex128)

    found: dict[str, Array] = {}
    for k, name in ((2, "M"), (1, "C"), (0, "K")):
        columns = []
        for j in range(model.robot.n):
            state: list[list[complex]] = [[complex(x) for x in part] for part in (q, qd, qdd)]
            state[k][j] += 1j * _COMPLEX_STEP
            columns.append(np.imag(torque(*state)) / _COMPLEX_STEP)
        found[name] = np.array(columns).T
    return found


def checked_state(robot: Robot, name: str, values: npt.ArrayLike) -> Array:
    """One finite number per coordinate, (n,), of q (nq,); raises `ArgumentError` for anything else.

    Quaternions are normalised, or refused.
    """
    size = robot.nq if name == "q" else robot.n
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"'{name}' is not an array of real numbers ({error})", remedy="give floats") from error
    if array.shape != (size,) or not np.isfinite(array).all():
        raise ArgumentError(
            f"'{name}' is not one finite number per joint (shape {array.shape})",
            remedy=f"give {size} numbers, for "
            f"{', '.join(robot.position_names if name == 'q' else robot.coordinate_names)}",
        )
    return array if name != "q" or robot.nq == robot.n else np.array(unit_position(robot, array.tolist()))
