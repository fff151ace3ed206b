"""Consistency check of a model's programs: each is compared at a few states with an independent computation.

Where quantities come from the robot, the reference is the robot's algorithm on floats. Where they follow a program P:

(1)  g = P(q, 0, 0),  M e_j = P(q, 0, e_j) - g,  c = P(q, qd, 0) - g,  C e_j = (c(qd + e_j) - c(qd) - c(e_j)) / 2
(2)  derivatives of P by a complex step;  forward dynamics and its derivatives from those and M by NumPy's solver

This detects a file that was edited and given a new checksum: the program of an exact model, or of another model, cannot
pass as that of a simplified one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec import dynamics
from torquec.dynamics.friction_memory import torque_step
from torquec.dynamics.total_torque import torque_with_losses
from torquec.errors import CheckError, TorquecError
from torquec.expr import Function
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array
from torquec.model.followed_program import FOLLOWS
from torquec.model.model import Model
from torquec.model.quantities import input_shapes, quantity_of
from torquec.robot.robot import Robot

_STATES = 2  # random ones: a wrong program is wrong almost everywhere
_TOLERANCE = 1e-6
"""Relative to the largest value: far above rounding errors with an ill-conditioned M, far below errors that matter."""
_COMPLEX_STEP = 1e-30  # complex step: no difference is taken, so no cancellation


def check_programs(model: Model) -> None:
    """Raise `CheckError`, naming the quantity, where a program of `model.functions` computes something else."""
    rng = np.random.default_rng(0)
    for name, function in model.functions.items():
        row, frame = quantity_of(name)
        shapes = input_shapes(model.robot, row)
        for _ in range(_STATES):
            inputs = {key: rng.uniform(-1.0, 1.0, shape).tolist() for key, shape in shapes.items()}
            try:
                expected = _expected(model, name, frame, inputs)
            except (TorquecError, np.linalg.LinAlgError) as error:
                raise CheckError(f"quantity '{name}' cannot be compared with what it should be: {error}") from None
            found = replay(function, inputs)
            for output, values in zip(row.outputs, expected, strict=True):
                have, want = np.array(found[output], dtype=np.float64), np.array(values, dtype=np.float64)
                if have.shape != want.shape or not np.allclose(have, want, rtol=0.0, atol=_scale(want)):
                    raise CheckError(f"quantity '{name}' does not compute what its name says")


def _scale(want: Array) -> float:
    return _TOLERANCE * max(1.0, float(np.abs(want).max(initial=0.0)))


def _expected(model: Model, name: str, frame: str, inputs: Mapping[str, list[float]]) -> list[Any]:
    """The outputs of a quantity by the independent computation."""
    row, _ = quantity_of(name)
    if model.kind.follows_program and FOLLOWS[name.partition(":")[0]].algorithm is not None:
        other = _ByProgram(model.robot, model.functions["inverse_dynamics"], frame, inputs)
        return list(_WAYS[name.partition(":")[0]](other))
    result = row.algorithm(model.robot, *((frame,) if row.of_frame else ()), *inputs.values())
    return [result] if len(row.outputs) == 1 else [getattr(result, output) for output in row.outputs]


@dataclass(frozen=True)
class _ByProgram:
    """P at one state, and the quantities that follow from its values alone (1), (2)."""

    robot: Robot
    program: Function
    frame: str
    inputs: Mapping[str, list[float]]

    def torque(self, q: Any, qd: Any, qdd: Any) -> Any:
        return np.array(replay(self.program, {"q": q, "qd": qd, "qdd": qdd})["tau"])

    def at(self, name: str) -> Array:
        return np.array(self.inputs[name])

    @cached_property
    def still(self) -> Array:
        return np.zeros(self.robot.n)

    @cached_property
    def gravity(self) -> Array:
        return np.asarray(self.torque(self.at("q"), self.still, self.still))

    @cached_property
    def mass(self) -> Array:
        columns = [self.torque(self.at("q"), self.still, unit) - self.gravity for unit in np.eye(self.robot.n)]
        return np.array(columns).T

    def velocity(self, qd: Array) -> Array:
        return np.asarray(self.torque(self.at("q"), qd, self.still) - self.gravity)

    def torque_step(self) -> tuple[Any, ...]:
        made = torque_step(
            self.robot, list(self.torque(*self.state)), *(self.inputs[key] for key in ("q", "qd", "state"))
        )
        return made.tau, made.next_state

    @cached_property
    def coriolis(self) -> Array:
        qd, c = self.at("qd"), self.velocity
        return np.array([0.5 * (c(qd + unit) - c(qd) - c(unit)) for unit in np.eye(self.robot.n)]).T

    def derivatives(self, qdd: Array) -> tuple[Array, Array]:
        columns: list[list[Array]] = []
        for which in range(2):
            columns.append([])
            for unit in np.eye(self.robot.n):
                state = [self.at("q").astype(complex), self.at("qd").astype(complex), qdd.astype(complex)]
                state[which] = state[which] + 1j * _COMPLEX_STEP * unit
                columns[which].append(np.imag(self.torque(*state)) / _COMPLEX_STEP)
        return np.array(columns[0]).T, np.array(columns[1]).T

    @cached_property
    def forward(self) -> Array:
        free = self.at("tau") - self.torque(self.at("q"), self.at("qd"), self.still)
        return np.asarray(np.linalg.solve(self.mass, free))

    @property
    def state(self) -> tuple[Array, Array, Array]:
        return self.at("q"), self.at("qd"), self.at("qdd")

    def pushed(self) -> Array:
        turn: Array = np.array(dynamics.frame_pose(self.robot, self.frame, self.inputs["q"]).rotation)
        wrench = (turn @ self.at("wrench").reshape(2, 3).T).T.ravel()
        J: Array = np.array(dynamics.jacobian(self.robot, self.frame, self.inputs["q"]))
        return np.asarray(self.torque(*self.state) - J.T @ wrench)

    def forward_derivatives(self) -> tuple[Array, Array, Array]:
        by_q, by_qd = self.derivatives(self.forward)
        inverse: Array = np.asarray(np.linalg.inv(self.mass), dtype=np.float64)
        return -inverse @ by_q, -inverse @ by_qd, inverse


_WAYS: Mapping[str, Callable[[_ByProgram], tuple[Any, ...]]] = {
    "inverse_dynamics": lambda p: (p.torque(*p.state),),
    "mass_matrix": lambda p: (p.mass,),
    "gravity_torque": lambda p: (p.gravity,),
    "velocity_torque": lambda p: (p.velocity(p.at("qd")),),
    "coriolis_matrix": lambda p: (p.coriolis,),
    "forward_dynamics": lambda p: (p.forward,),
    "inverse_dynamics_derivatives": lambda p: p.derivatives(p.at("qdd")),
    "forward_dynamics_derivatives": lambda p: p.forward_derivatives(),
    "total_torque": lambda p: (torque_with_losses(p.robot, list(p.torque(*p.state)), p.inputs["q"], p.inputs["qd"]),),
    "total_torque_step": lambda p: p.torque_step(),
    "kinetic_energy": lambda p: (0.5 * p.at("qd") @ p.mass @ p.at("qd"),),
    "pushed_inverse_dynamics": lambda p: (p.pushed(),),
}
"""The independent computation of every quantity that follows from P."""
