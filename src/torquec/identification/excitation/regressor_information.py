"""The information matrix of a motion, and how it changes with the motion: the chain rule through the regressor.

(1)  A = [Y_b F] over N states,   W = A' A / N
(2)  for a cost that changes with W as S (symmetric), it changes with A as 2 A S / N,
(3)  and with a state (q, qd, qdd) as the gradient of sum(weights o Y_b), weights = 2 A S / N: a compiled program that
     reverse differentiation makes of the base regressor
(4)  Coulomb columns have a step; in (3) it is as steep as tanh(s/0.05), in (1) it is the step itself unless `soft`
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.codegen.llvm import load_or_compile
from torquec.dynamics.shafts import Shaft
from torquec.errors import ArgumentError
from torquec.expr.gradient import gradient
from torquec.foundation.arrays import Array
from torquec.identification.torque.torque_columns import (
    FrictionModel,
    friction_block,
    friction_names,
    shafts_of,
)
from torquec.model.model import Model, compile
from torquec.parameters.base_parameters import base_parameters
from torquec.robot.robot import Robot
from torquec.trajectory.trajectory import MotionState

_STATE = ("q", "qd", "qdd")
_SOFT = 0.05
"""[rad/s or m/s] Speed at which a soft Coulomb step is nearly done."""

_SMOOTH: dict[str, Callable[[Array, Array, Array], tuple[Array, Array]]] = {
    "viscous": lambda s, _, __: (s, np.ones_like(s)),
    "coulomb": lambda _, c, d: (c, d),
    "offset": lambda s, _, __: (np.ones_like(s), np.zeros_like(s)),
    "viscous_positive": lambda s, c, d: (0.5 * s * (1.0 + c), 0.5 * (1.0 + c) + 0.5 * s * d),
    "viscous_negative": lambda s, c, d: (0.5 * s * (1.0 - c), 0.5 * (1.0 - c) - 0.5 * s * d),
    "coulomb_positive": lambda _, c, d: (0.5 * (1.0 + c), 0.5 * d),
    "curved": lambda s, _, __: (s * np.abs(s), 2.0 * np.abs(s)),
    "coulomb_negative": lambda _, c, d: (-0.5 * (1.0 - c), 0.5 * d),
}
"""Friction columns and their derivatives by the speed s, with c = tanh(s/v) and d its derivative (4)."""


@dataclass(frozen=True)
class RegressorInformation:
    """W and its changes for a robot, with friction columns where `friction` asks for them.

    Raises `ArgumentError` for friction whose columns depend on more than the speed.
    """

    robot: Robot
    friction: FrictionModel = FrictionModel.NONE

    def __post_init__(self) -> None:
        if not set(self.friction.parameters) <= set(_SMOOTH):
            usable = [str(kind) for kind in FrictionModel if set(kind.parameters) <= set(_SMOOTH)]
            raise ArgumentError(
                f"motions cannot be designed for the friction model '{self.friction}'",
                remedy=f"use one of {', '.join(usable)}",
            )

    @cached_property
    def model(self) -> Model:
        """The compiled robot."""
        return compile(self.robot)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of A."""
        return (*base_parameters(self.robot).names, *friction_names(self.shafts, self.friction))

    @cached_property
    def shafts(self) -> tuple[Shaft, ...]:
        """What rubs."""
        return shafts_of(self.robot)

    @cached_property
    def _gradient(self) -> Callable[..., Any]:
        """(3)."""
        native = load_or_compile(
            f"robot {self.robot.content_hash} base_regressor gradient",
            lambda: gradient(self.model.function("base_regressor"), "Y", by=_STATE),
        )
        return native.call

    def rows(self, state: MotionState, *, soft: bool = False) -> Array:
        """A (N, n, b) of (1) at states (N, n)."""
        rigid = np.asarray(self.model.base_regressor(state.q, state.qd, state.qdd))
        if self.friction is FrictionModel.NONE:
            return rigid
        if soft:
            return np.concatenate([rigid, self._soft_friction(state.qd)[0]], axis=2)
        return np.concatenate([rigid, friction_block(self.shafts, self.friction, state.qd)], axis=2)

    def by_state(self, state: MotionState, weights: Array) -> MotionState:
        """What sum(weights o A) changes with every state, (N, n) each, for weights (N, n, b): (3), (4)."""
        width = weights.shape[2] - len(friction_names(self.shafts, self.friction))
        rigid = np.ascontiguousarray(weights[:, :, :width])
        q, qd, qdd = (np.array(part) for part in self._gradient(state.q, state.qd, state.qdd, rigid))
        if self.friction is not FrictionModel.NONE:
            slopes = self._soft_friction(state.qd)[1]
            for k, row in enumerate(self._rows):
                qd += ((weights[:, :, width + k] * slopes[:, :, k]).sum(axis=1))[:, None] * row
        return MotionState(q, qd, qdd)

    @cached_property
    def _rows(self) -> Array:
        """The shaft of every friction column, as its speed per joint speed (f, n)."""
        rows = [shaft.row for shaft in self.shafts for _ in friction_names([shaft], self.friction)]
        return np.array(rows).reshape(len(rows), self.robot.n)

    def _soft_friction(self, qd: Array) -> tuple[Array, Array]:
        """Columns (N, n, f) and their derivatives by the speed of the shaft (4)."""
        columns, slopes = [], []
        for shaft in self.shafts:
            row = np.array(shaft.row)
            speed = qd @ row
            step = np.tanh(speed / _SOFT)
            steep = (1.0 - step**2) / _SOFT
            for name in friction_names([shaft], self.friction):
                value, slope = _SMOOTH[name.removesuffix(f"_{shaft.name}")](speed, step, steep)
                columns.append(value[:, None] * row)
                slopes.append(slope[:, None] * row)
        return np.stack(columns, axis=2), np.stack(slopes, axis=2)


def information_matrix(rows: Array) -> Array:
    """W (b, b) of (1) from A (N, n, b)."""
    flat = rows.reshape(-1, rows.shape[2])
    w: Array = flat.T @ flat / len(rows)
    return w


def regressor_conditions(rows: Array) -> tuple[float, float]:
    """Condition numbers of A (N, n, b) over a motion: columns as they are, and with unit norms.

    >>> regressor_conditions(np.array([[[3.0, 0.0]], [[0.0, 1.0]]]))
    (3.0, 1.0)
    """
    triangle = np.linalg.qr(rows.reshape(-1, rows.shape[2]), mode="r")
    norms = np.linalg.norm(triangle, axis=0)
    return float(np.linalg.cond(triangle)), float(np.linalg.cond(triangle / np.maximum(norms, 1e-300)))
