"""Information matrix of a motion, and its gradient with respect to the motion by the chain rule.

(1)  A = [Y_b F] over N states,   W = A' A / N
(2)  a cost with derivative S (symmetric) by W has the derivative 2 A S / N by A,
(3)  and by a state (q, qd, qdd) the derivative of sum(weights o Y_b), weights = 2 A S / N: a compiled program, by
     reverse-mode differentiation of the base regressor
(4)  Coulomb columns have a step; (3) uses tanh(s/0.05) instead, (1) the step itself unless `soft`
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.codegen.llvm import load_or_compile
from torquec.dynamics.friction import ShaftState, terms_of
from torquec.dynamics.friction_torque import Shaft
from torquec.errors import ArgumentError
from torquec.expr.differentiate import gradient
from torquec.foundation.arrays import Array
from torquec.identification.torque.friction_law import (
    FrictionLaw,
    FrictionModel,
    friction_block,
    friction_names,
    shafts_of,
)
from torquec.model.model import Model, compile
from torquec.parameters.base_parameters import base_parameters
from torquec.robot.friction import FRICTION_WORDS, Friction, stored_words
from torquec.robot.robot import Robot
from torquec.spatial import Scalar
from torquec.trajectory.trajectory import MotionState

_STATE = ("q", "qd", "qdd")
_SOFT = 0.05
"""[rad/s or m/s] Width of a smoothed Coulomb step (4)."""


@dataclass(frozen=True)
class SoftStep:
    """Smoothed direction of motion (4): z = tanh(s/0.05) at speeds s, and direction-dependent values weighted by it."""

    speed: Array

    def sided(self, positive: Scalar, negative: Scalar) -> Scalar:
        """`positive` for forward motion, -`negative` for backward motion, smooth in between."""
        z = np.tanh(self.speed / _SOFT)
        return 0.5 * (1.0 + z) * positive - 0.5 * (1.0 - z) * negative

    def slope(self, positive: float, negative: float) -> Scalar:
        """The derivative of `sided` by the speed."""
        return 0.5 * (positive + negative) * (1.0 - np.tanh(self.speed / _SOFT) ** 2) / _SOFT


def is_excitable(friction: FrictionModel) -> bool:
    """Whether motions can be designed for a friction model: only if its columns depend on the speed alone."""
    law = FrictionLaw.of(friction)
    words = [FRICTION_WORDS[word] for name in law.parameters for word in stored_words(name)]
    return not law.reads_load and not any(word.needs for word in words)


def excitable_models() -> tuple[FrictionModel, ...]:
    """The friction models that motions can be designed for."""
    return tuple(kind for kind in FrictionModel if is_excitable(kind))


def _soft_column(parameter: str, speed: Array) -> tuple[Array, Array]:
    """A friction column at speeds (N,) and its derivative (4): the term whose parameter is one."""
    friction, state = Friction.of({parameter: 1.0}), ShaftState(speed, SoftStep(speed))
    terms = terms_of(friction)
    value: Array = np.zeros_like(speed) + sum(term.torque(friction, state) for term in terms)
    slope: Array = np.zeros_like(speed) + sum(term.slope(friction, state) for term in terms)
    return value, slope


@dataclass(frozen=True)
class RegressorInformation:
    """W and its gradient for a robot, with the columns of a `friction` model.

    Raises `ArgumentError` for friction whose columns depend on more than the speed.
    """

    robot: Robot
    friction: FrictionModel = FrictionModel.NONE

    def __post_init__(self) -> None:
        if not is_excitable(self.friction):
            raise ArgumentError(
                f"motions cannot be designed for the friction model '{self.friction}'",
                remedy=f"use one of {', '.join(excitable_models())}",
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
        """The shafts with friction."""
        return shafts_of(self.robot)

    @cached_property
    def _gradient(self) -> Callable[..., Any]:
        """(3)."""
        model = self.model  # not `self`, which keeps the native function
        native = load_or_compile(
            f"robot {self.robot.content_hash} base_regressor gradient",
            lambda: gradient(model.function("base_regressor"), "Y", by=_STATE),
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
        """Gradient of sum(weights o A) by q, qd and qdd, (N, n) each, for weights (N, n, b): (3), (4)."""
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
            for name in friction_names([shaft], self.friction):
                value, slope = _soft_column(name.removesuffix(f"_{shaft.name}"), speed)
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
