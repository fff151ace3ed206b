"""What the acceleration of a robot can differ by: through errors of its torques, and through torques that are held.

The robot obeys tau = tau(q, qd, a) = M(q) a + c(q, qd) + g(q) + springs(q). Over boxes of motions:

(1)  torques that are wrong by d, |d_i| <= b_i, change the acceleration by w = M^-1 d:    level >= |w|
(2)  while the torques are held the acceleration changes at the rate a', which follows from d tau/dt = 0:
       M a' = - d/dz tau(q + z qd, qd + z a, a)  at z = 0:                                 drift >= |a'|

Both solve a linear system with M(q), enclosed over the box (`solution_bound`). The entries come
from interval arithmetic (:mod:`torquec.proof.enclosure.enclose`), rounded outwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from torquec.dynamics import inverse_dynamics, mass_matrix, spring_torque
from torquec.expr import Function, bind, differentiate, trace
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import enclose
from torquec.proof.enclosure.solution_bound import solution_bound
from torquec.robot.robot import Robot

_CONSTANTS = 1e-12
"""Relative to the largest entry: what rounding may have changed in the constants that tracing folds."""

_STATE = ("q", "qd", "qdd")


@dataclass(frozen=True, eq=False)
class MotionBoxes:
    """N boxes of motions: ends of positions, speeds and accelerations, (N, n) each."""

    q_lower: Array
    q_upper: Array
    qd_lower: Array
    qd_upper: Array
    qdd_lower: Array
    qdd_upper: Array

    def parts(self, size: int) -> Iterator[MotionBoxes]:
        """The boxes in parts of at most `size`, which bounds the memory that enclosing them takes."""
        for k in range(0, len(self.q_lower), size):
            yield MotionBoxes(*(getattr(self, field.name)[k : k + size] for field in fields(self)))

    @property
    def lower(self) -> dict[str, Array]:
        """The lower ends by the names of a torque program's inputs."""
        return {"q": self.q_lower, "qd": self.qd_lower, "qdd": self.qdd_lower}

    @property
    def upper(self) -> dict[str, Array]:
        """The upper ends by the names of a torque program's inputs."""
        return {"q": self.q_upper, "qd": self.qd_upper, "qdd": self.qdd_upper}


@dataclass(frozen=True, eq=False)
class AccelerationBound:
    """The bounds (1) and (2) of a robot over boxes of motions."""

    robot: Robot

    def inertia(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Ends (N, n, n) of M over positions between `lower` and `upper` (N, n)."""
        low, high = enclose(self.inertia_program, {"q": lower}, {"q": upper})["M"]
        slack = _CONSTANTS * np.maximum(np.abs(low), np.abs(high)).max(axis=(1, 2), keepdims=True)
        return low - slack, high + slack

    def level(self, inertia: tuple[Array, Array], errors: Array) -> Array:
        """(1) for torque errors (N, n) where M lies between the ends; infinite where M could not be inverted."""
        return solution_bound(*inertia, -errors, errors)

    def drift(self, inertia: tuple[Array, Array], boxes: MotionBoxes) -> Array:
        """(2) over the boxes (N, n), M being between the ends there; infinite where M could not be inverted."""
        low, high = enclose(self.rate_program, boxes.lower, boxes.upper)["rate"]
        slack = _CONSTANTS * np.maximum(np.abs(low), np.abs(high)).max(axis=1, keepdims=True)
        return solution_bound(*inertia, low - slack, high + slack)

    @cached_property
    def inertia_program(self) -> Function:
        """q -> M (n, n)."""
        return trace("inertia", lambda q: {"M": mass_matrix(self.robot, q)}, {"q": (self.robot.n,)})

    @cached_property
    def rate_program(self) -> Function:
        """(q, qd, qdd) -> the right side of (2) without its sign, `rate` (n,)."""
        robot = self.robot

        def moved(q: Any, qd: Any, qdd: Any, z: Any) -> dict[str, Any]:
            place = [x + z[0] * v for x, v in zip(q, qd, strict=True)]
            speed = [v + z[0] * a for v, a in zip(qd, qdd, strict=True)]
            parts = zip(inverse_dynamics(robot, place, speed, qdd), spring_torque(robot, place), strict=True)
            return {"tau": [bodies + spring for bodies, spring in parts]}

        n = robot.n
        whole = trace("moved", moved, {**dict.fromkeys(_STATE, (n,)), "z": (1,)})
        slope = bind(differentiate(whole, "tau", "z"), {"z": [0.0]})

        def rate(**state: Any) -> dict[str, Any]:
            from torquec.expr.replay import replay

            return {"rate": [row[0] for row in replay(slope, state)["dtau_dz"]]}

        return trace("rate", rate, dict.fromkeys(_STATE, (n,)))
