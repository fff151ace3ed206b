"""`TorqueModel`: the parameters to estimate, and the regressor A with tau = A x at the samples of a log.

(1)  x = (beta, f):  beta = K phi the base parameters of bodies and rotors, f friction and further columns
(2)  A = [Y_b F]; the filter is linear, so low-passed A times x is low-passed tau: both sides of the equation pass the
     same filter, and a Coulomb step is as smooth as the measured one
(3)  the columns of a shaft are a function of time times a constant row: the function alone passes the filter

Unidentifiable combinations of parameters are columns that are linearly dependent in every state:

(4)  A(q, qd, qdd) z = 0 for all states, found at random ones: null vectors z of many rows
(5)  base parameters are independent by construction; friction of coupled shafts need not be. The viscosities of two
     joints and of the two motors of a differential between them are four columns of rank three

No log can separate these: `check_excitation` tests only the others. Columns of the user are assumed independent.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from torquec.dynamics.friction_torque import Shaft
from torquec.dynamics.regressor import parameter_names
from torquec.foundation.arrays import Array, Indices
from torquec.identification.logs.prepare import Samples
from torquec.identification.torque.friction_law import (
    CoulombShape,
    FrictionLaw,
    FrictionModel,
    ParameterKind,
    friction_block,
    friction_functions,
    friction_kinds,
    friction_names,
    shafts_of,
    spread,
)
from torquec.identification.torque.torque_columns import TorqueColumn
from torquec.model.model import Model, compile
from torquec.parameters.base_parameters import BaseParameters, base_parameters
from torquec.robot.robot import Drives, Motor, Robot

_STATES = 3  # per column, more than enough rows
_DEPENDENT = 1e-9  # of the largest singular value: rounding
_MIXED = 1e-3  # smallest entry of a null vector that counts: less is rounding


def dependences(model: TorqueModel) -> Array:
    """Null vectors (d, k) of (4), orthonormal; none where every parameter is determined by some motion."""
    rng = np.random.default_rng(0)
    count = len(model.base) + len(model.names)
    q, qd, qdd = rng.uniform(-2.0, 2.0, (3, _STATES * count, model.robot.n))
    load = np.abs(rng.normal(size=q.shape))
    friction = friction_block(model.shafts, model.friction, qd, q=q, load=load)
    columns = np.concatenate([model.rigid(q, qd, qdd), friction], axis=2).reshape(-1, model.size - len(model.columns))
    norms = np.linalg.norm(columns, axis=0)
    norms[norms == 0.0] = 1.0
    _, s, vt = np.linalg.svd(np.linalg.qr(columns / norms, mode="r"))
    null = vt[s <= _DEPENDENT * s[0]] / norms
    whole = np.zeros((len(null), model.size))
    whole[:, : null.shape[1]] = null
    return np.asarray(np.linalg.qr(whole.T)[0].T, dtype=np.float64) if len(null) else whole


def inseparable(null: Array, names: Sequence[str]) -> tuple[str, ...]:
    """The names (k,) that null vectors (d, k) mix.

    >>> inseparable(np.array([[0.0, 0.6, -0.8]]), ["a", "b", "c"])
    ('b', 'c')
    """
    mixed = np.abs(null).max(axis=0, initial=0.0) > _MIXED
    return tuple(name for name, lost in zip(names, mixed, strict=True) if lost)


class Past:
    """Friction memory from block to block of a log; blocks overlap, so the next one continues within the last."""

    def __init__(self) -> None:
        self._t, self._x, self._z = np.empty(0), np.empty((0, 0)), np.empty((0, 0))

    def direction(self, shape: CoulombShape, shafts: Sequence[Shaft], samples: Samples) -> Array:
        """z (N, shafts) of `CoulombShape` at the samples of the next block."""
        x, speeds = (values @ np.array([shaft.row for shaft in shafts]).T for values in (samples.q, samples.qd))
        before = None
        if len(self._t):
            # Continue from the same sample in the last block, or from its end where a gap lies between the two.
            k = min(int(np.searchsorted(self._t, samples.t[0] - 0.5 / samples.rate)), len(self._t) - 1)
            before = (self._x[k], self._z[k])
        z = shape.direction(x, speeds, before=before)
        self._t, self._x, self._z = samples.t, x, z
        return z


@dataclass(frozen=True, eq=False)
class TorqueModel:
    """A robot's parameters as columns; `robot` has the motors whose inertias are estimated. Made by `torque_model`."""

    robot: Robot
    friction: FrictionLaw
    shafts: tuple[Shaft, ...]
    columns: tuple[TorqueColumn, ...] = ()
    load: Array | None = None
    """Base parameters (b,) whose rigid-body torques are the load of load-dependent friction: those of `robot`, unless
    set by a fit."""
    _made: dict[str, Model] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def base(self) -> BaseParameters:
        """The base of bodies and rotors, without friction."""
        return base_parameters(self.robot)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of x (k,)."""
        others = (column.name for column in self.columns)
        return (*self.base.names, *friction_names(self.shafts, self.friction), *others)

    @cached_property
    def kinds(self) -> tuple[ParameterKind, ...]:
        """The kind of each entry of x (k,)."""
        base = (ParameterKind.BASE,) * len(self.base)
        further = (ParameterKind.COLUMN,) * len(self.columns)
        return (*base, *friction_kinds(self.shafts, self.friction), *further)

    @property
    def standard_names(self) -> tuple[str, ...]:
        """Names of phi (p,)."""
        return tuple(parameter_names(self.robot))

    @property
    def size(self) -> int:
        """Number k of parameters."""
        return len(self.names)

    @cached_property
    def projection(self) -> Array:
        """The matrix (k, p + f) that turns (phi, f) into x."""
        b, p = self.base.projection.shape
        rest = self.size - b
        whole = np.zeros((self.size, p + rest))
        whole[:b, :p] = self.base.projection
        whole[b:, p:] = np.eye(rest)
        return whole

    @cached_property
    def not_negative(self) -> Array:
        """Which of (phi, f) must not be negative (p + f,): rotors and friction, as booleans."""
        found = self.dissipative.copy()
        end = len(self.standard_names)
        found[end - len(self.robot.drives.motors) : end] = True
        return found

    @cached_property
    def dissipative(self) -> Array:
        """Which of (phi, f) are coefficients of dissipative friction (p + f,), as booleans."""
        rest = [kind.is_dissipative for kind in self.kinds[len(self.base) :]]
        return np.array([*[False] * len(self.standard_names), *rest])

    @cached_property
    def powers(self) -> Indices:
        """Indices in (phi, f) of viscous, curved and cubic friction of each shaft and direction that has all three."""
        place = {name: k for k, name in enumerate(self.names, len(self.standard_names) - len(self.base))}
        found = [
            [place.get(f"{word}_{shaft.name}", -1) for word in (viscous, "curved", "cubic")]
            for shaft in self.shafts
            for viscous in ("viscous", "viscous_positive", "viscous_negative")
        ]
        return np.array([three for three in found if min(three) >= 0], dtype=int).reshape(-1, 3)

    @property
    def model(self) -> Model:
        """The compiled robot."""
        if "model" not in self._made:
            self._made["model"] = compile(self.robot)
        return self._made["model"]

    def with_friction(self, friction: FrictionLaw) -> TorqueModel:
        """The same robot with another friction law; cached results of the rigid part are shared."""
        other = dataclasses.replace(self, friction=friction)
        other.__dict__["base"] = self.base
        object.__setattr__(other, "_made", self._made)
        return other

    def with_load_of(self, parameters: Array) -> TorqueModel:
        """The same columns with the rigid-body torques of other base parameters (b,) as the load."""
        other = dataclasses.replace(self, load=np.array(parameters, dtype=np.float64))
        other.__dict__["base"] = self.base
        object.__setattr__(other, "_made", self._made)
        return other

    def rigid(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Y_b (N, n, b)."""
        rows: Array = self.model.base_regressor(*(np.ascontiguousarray(values) for values in (q, qd, qdd)))
        return rows

    def rigid_columns(self, samples: Samples, kept: Indices | None = None) -> Array:
        """The columns (N, n, b) of the base parameters, low-passed."""
        return samples.low_passed(self.rigid(samples.q, samples.qd, samples.qdd), kept)

    def _load_torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """The rigid-body torques (N, n) that are the load of friction."""
        if self.load is None:
            own: Array = self.model.inverse_dynamics(q, qd, qdd)
            return own
        return self.rigid(q, qd, qdd) @ self.load

    def state_columns(self, q: Array, qd: Array, qdd: Array) -> Array:
        """The columns (N, n, b + f) at states (N, n): not filtered, friction without memory, none of the user."""
        law = self.friction
        memoryless = dataclasses.replace(law, shape=CoulombShape()) if law.has_memory else law
        load = self._load_torques(q, qd, qdd) if law.reads_load else None
        friction = friction_block(self.shafts, memoryless, qd, load=load)
        return np.concatenate([self.rigid(q, qd, qdd), friction], axis=2)

    def further_columns(self, samples: Samples, kept: Indices | None = None) -> Array:
        """The columns (N, n, c) of the user, low-passed."""
        parts = [column.torque(self.robot, samples)[:, :, None] for column in self.columns]
        if not parts:
            return np.zeros((len(samples) if kept is None else len(kept), samples.q.shape[1], 0))
        return samples.low_passed(np.concatenate(parts, axis=2), kept)

    def friction_columns(self, samples: Samples, past: Past | None = None, kept: Indices | None = None) -> Array:
        """The columns (N, n, f) of friction, low-passed (3); `past` is the friction memory of earlier blocks."""
        load = self._load_torques(samples.q, samples.qd, samples.qdd) if self.friction.reads_load else None
        direction = None if past is None else past.direction(self.friction.shape, self.shafts, samples)
        functions = friction_functions(
            self.shafts, self.friction, samples.qd, q=samples.q, load=load, direction=direction
        )
        return spread(self.shafts, self.friction, samples.low_passed(functions, kept))

    def regressor(self, samples: Samples, past: Past | None = None, kept: Indices | None = None) -> Array:
        """Regressor A (N, n, k), low-passed (2), or its rows `kept`; `past` is friction memory of earlier blocks."""
        parts = [
            self.rigid_columns(samples, kept),
            self.friction_columns(samples, past, kept),
            self.further_columns(samples, kept),
        ]
        return np.concatenate(parts, axis=2)


def torque_model(
    robot: Robot,
    *,
    friction: FrictionLaw | FrictionModel | str = FrictionModel.OFFSET,
    rotors: bool = True,
    transmission: Array | None = None,
    columns: Sequence[TorqueColumn] = (),
) -> TorqueModel:
    """The parameters to estimate: bodies, reflected rotor inertias (with `rotors`), friction, `columns`.

    `transmission` (motors, n) describes motors that turn with several joints (the robot's own drives unless given);
    rotor inertias are estimated joint side, whatever the gear. Springs of the robot are not taken as known: give them
    as columns, or they bias the estimate.

    >>> from torquec.robot import classics
    >>> torque_model(classics.planar2r(), friction="viscous").names[-2:]
    ('viscous_joint1', 'viscous_joint2')
    """
    robot = _without_springs(robot)
    shafts = shafts_of(robot, transmission)
    motors = tuple(Motor(shaft.name, _reflected(robot, shaft)) for shaft in shafts) if rotors else ()
    drives = Drives(motors, tuple(shaft.row for shaft in shafts) if rotors else ())
    return TorqueModel(dataclasses.replace(robot, drives=drives), FrictionLaw.of(friction), shafts, tuple(columns))


def _reflected(robot: Robot, shaft: Shaft) -> float:
    """Rotor inertia of a shaft from the robot's own drives, reflected to the joint side."""
    row = np.array(shaft.row)
    total = 0.0
    for motor, other in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        ratio = float(np.max(np.abs(other)))
        if np.allclose(np.abs(other), ratio * np.abs(row)):
            total += motor.rotor_inertia * ratio**2
    return total


def _without_springs(robot: Robot) -> Robot:
    """The robot without springs: the fitted parameters explain every torque, and springs would count twice."""
    bodies = tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, spring=None, counterbalances=()))
        for body in robot.bodies
    )
    return dataclasses.replace(robot, bodies=bodies)
