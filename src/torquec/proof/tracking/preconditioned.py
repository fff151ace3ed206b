"""Preconditioned enclosures of M^-1 times torques: tight for arms with an ill-conditioned inertia matrix.

Interval arithmetic loses the dependency between the entries of a torque, and M^-1 amplifies the overestimation. The
torques here are linear or bilinear in speeds and accelerations, with coefficients of positions only, whose boxes are
narrow. R, an approximate M^-1, multiplies the coefficients before magnitudes are taken:

(1)  drift:  d/dz tau_0(q + z qd, qd + z a, A) = (dM/dq qd) A + 2 C(q, qd) a + (d(g + springs)/dq) qd
     + d/dz c(q + z qd, qd),  with 2 C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k; only the last,
     small term is enclosed without preconditioning
(2)  dtau_0/dqd = 2 C(q, qd)
(3)  payload:  R Y_k = (R J') w_k,  R dY_k/dqdd = (R J') I_k J,  with J (6, n) the twist of the body that carries it,
     w_k (6,) its wrench for a unit of parameter k, I_k (6, 6) its spatial inertia; R J' in mean-value form
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.dynamics import gravity_torque, mass_matrix, spring_torque, velocity_torque
from torquec.dynamics.regressor import wrench_regressor
from torquec.expr import Function, bind, differentiate, trace
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import enclose, magnitudes, rounding
from torquec.proof.tracking.acceleration_bound import MotionBoxes, with_constants
from torquec.robot.robot import Robot

Ends = tuple[Array, Array]
"""Middles and radii of a quantity, or its lower and upper ends."""

_UP = 1.0 + 1e-12  # covers the rounding of sums of some hundred products that are not negative


@dataclass(frozen=True, eq=False)
class RateBound:
    """(1) and (2) of a robot: |R .| over boxes of motions, from R (N, n, n)."""

    robot: Robot

    @cached_property
    def _inertia_slopes(self) -> Function:
        whole = trace("inertia", lambda q: {"M": mass_matrix(self.robot, q)}, {"q": (self.robot.n,)})
        return differentiate(whole, "M", "q")

    @cached_property
    def _load_slopes(self) -> Function:
        def held(q: Any) -> dict[str, Any]:
            parts = zip(gravity_torque(self.robot, q), spring_torque(self.robot, q), strict=True)
            return {"g": [a + b for a, b in parts]}

        return differentiate(trace("held", held, {"q": (self.robot.n,)}), "g", "q")

    @cached_property
    def _turning(self) -> Function:
        """(q, qd) -> d/dz c(q + z qd, qd) at z = 0, (n, 1)."""
        n = self.robot.n

        def moved(q: Any, qd: Any, z: Any) -> dict[str, Any]:
            return {"c": velocity_torque(self.robot, [x + z[0] * v for x, v in zip(q, qd, strict=True)], qd)}

        whole = trace("moved", moved, {"q": (n,), "qd": (n,), "z": (1,)})
        return bind(differentiate(whole, "c", "z"), {"z": [0.0]})

    def coefficients(self, R: Array, boxes: MotionBoxes) -> tuple[Ends, Ends]:
        """Middles and radii (N, n, n, n) of R dM/dq_k, with k the last index, and of the coefficients of R 2 C."""
        low, high = enclose(self._inertia_slopes, {"q": boxes.q_lower}, {"q": boxes.q_upper})["dM_dq"]
        shape = low.shape
        n = shape[1]
        centre, spread = (
            each.reshape(shape) for each in with_constants(*(x.reshape(len(x), n, -1) for x in (low, high)))
        )
        spread = spread + rounding(n) * np.abs(centre)

        def through(tensor: Array, matrix: Array, places: str) -> Array:
            return np.asarray(np.einsum(f"xil,{places}->xijk", matrix, tensor, optimize=True))

        size = np.abs(R)
        first = through(centre, R, "xljk"), through(spread, size, "xljk") * _UP
        last = through(centre, R, "xjkl"), through(spread, size, "xjkl") * _UP
        turned = (first[0] + first[0].swapaxes(2, 3) - last[0], first[1] + first[1].swapaxes(2, 3) + last[1])
        loose = rounding(n) * (np.abs(first[0]) + np.abs(first[0]).swapaxes(2, 3) + np.abs(last[0]))
        return first, (turned[0], (turned[1] + loose) * _UP)

    def speed_slopes(self, turned: Ends, boxes: MotionBoxes) -> Array:
        """(2): |R dtau_0/dqd| (N, n, n) over the boxes."""
        return _applied(turned, boxes.qd_lower, boxes.qd_upper)

    def rates(self, R: Array, coefficients: tuple[Ends, Ends], boxes: MotionBoxes) -> Array:
        """(1): |R times the rate of the torque| (N, n), for accelerations a and A in the same boxes."""
        first, turned = coefficients
        both = _applied(first, boxes.qd_lower, boxes.qd_upper) + self.speed_slopes(turned, boxes)
        fastest = np.maximum(np.abs(boxes.qdd_lower), np.abs(boxes.qdd_upper))
        speed = np.maximum(np.abs(boxes.qd_lower), np.abs(boxes.qd_upper))
        low, high = enclose(self._load_slopes, {"q": boxes.q_lower}, {"q": boxes.q_upper})["dg_dq"]
        found = batched_product(both, fastest) + batched_product(magnitudes(R, *with_constants(low, high)), speed)
        lower, upper = ({name: ends[name] for name in ("q", "qd")} for ends in (boxes.lower, boxes.upper))
        low, high = enclose(self._turning, lower, upper)["dc_dz"]
        return np.asarray((found + magnitudes(R, *with_constants(low, high))[..., 0]) * _UP)


@dataclass(frozen=True, eq=False)
class CarriedColumns:
    """(3) of a payload at a body of the robot: one unit column for each of its ten standard parameters in `frame`.

    `units` (10, 10): the parameters of the body, in its frame, column by column.
    """

    robot: Robot
    body: int
    units: Array

    @cached_property
    def _twists(self) -> Function:
        """q -> J (6, n)."""
        n, zero = self.robot.n, [0.0] * self.robot.n
        algorithm = lambda q: {"J": wrench_regressor(self.robot, self.body, q, zero, zero)[0]}  # noqa: E731
        return trace("twists", algorithm, {"q": (n,)})

    @cached_property
    def _twist_slopes(self) -> Function:
        return differentiate(self._twists, "J", "q")

    @cached_property
    def _wrenches(self) -> Function:
        """(q, qd, qdd) -> the wrenches w (6, 10) of the units."""

        def algorithm(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
            rows = wrench_regressor(self.robot, self.body, q, qd, qdd)[1]
            kept = [[(int(p), float(column[p])) for p in np.flatnonzero(column)] for column in self.units.T]
            return {"w": [[sum((row[p] * size for p, size in column), 0.0) for column in kept] for row in rows]}

        return trace("wrenches", algorithm, dict.fromkeys(("q", "qd", "qdd"), (self.robot.n,)), shapes={"w": (6, 10)})

    @cached_property
    def torques(self) -> Function:
        """(q, qd, qdd) -> the torques Y (n, 10) of the units."""
        n = self.robot.n

        def algorithm(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
            J, rows = wrench_regressor(self.robot, self.body, q, qd, qdd)
            Y = [[sum((J[a][i] * rows[a][p] for a in range(6)), 0.0) for p in range(10)] for i in range(n)]
            kept = [[(int(p), float(column[p])) for p in np.flatnonzero(column)] for column in self.units.T]
            return {"Y": [[sum((row[p] * size for p, size in column), 0.0) for column in kept] for row in Y]}

        return trace("carried", algorithm, dict.fromkeys(("q", "qd", "qdd"), (n,)), shapes={"Y": (n, 10)})

    @cached_property
    def _inertias(self) -> Array:
        """Spatial inertias (10, 6, 6) of the units, (moment, force) per (wd, a) of the body's frame."""
        found = []
        for xx, xy, xz, yy, yz, zz, x, y, z, m in self.units.T.tolist():
            cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            found.append(np.block([[moments, cross], [cross.T, m * np.eye(3)]]))
        return np.array(found)

    def columns(self, R: Array, boxes: MotionBoxes) -> Ends:
        """Middles and radii (N, n, 10, 1 + n) of R Y and of R dY/dqdd over the boxes."""
        count, n = R.shape[:2]
        centre = 0.5 * (boxes.q_lower + boxes.q_upper)
        half = np.maximum(boxes.q_upper - centre, centre - boxes.q_lower) * _UP + 1e-15
        middle, radius = with_constants(*enclose(self._twists, {"q": centre}, {"q": centre})["J"])
        low, high = enclose(self._twist_slopes, {"q": boxes.q_lower}, {"q": boxes.q_upper})["dJ_dq"]
        A, A_wide = R @ middle.swapaxes(1, 2), np.abs(R) @ (radius + rounding(n) * np.abs(middle)).swapaxes(1, 2)
        J_wide = radius
        for k in range(n):
            slope = with_constants(low[..., k], high[..., k])
            A_wide = A_wide + magnitudes(R, slope[0].swapaxes(1, 2), slope[1].swapaxes(1, 2)) * half[:, k, None, None]
            J_wide = J_wide + (np.abs(slope[0]) + slope[1]) * half[:, k, None, None]
        w, w_wide = with_constants(*enclose(self._wrenches, boxes.lower, boxes.upper)["w"])
        force = np.einsum("kab,xbj->xakj", self._inertias, middle).reshape(count, 6, -1)
        force_wide = np.einsum("kab,xbj->xakj", np.abs(self._inertias), J_wide + rounding(6) * np.abs(middle))
        right = np.concatenate([w[..., None], force.reshape(count, 6, 10, n)], axis=-1).reshape(count, 6, -1)
        wide = np.concatenate([w_wide[..., None], force_wide], axis=-1).reshape(count, 6, -1)
        found = A @ right
        size = np.abs(A) + A_wide
        loose = size @ (wide + 2.0 * rounding(6) * np.abs(right)) + A_wide @ np.abs(right)
        shape = (count, n, 10, 1 + n)
        return found.reshape(shape), (loose * _UP).reshape(shape)


def _applied(tensor: Ends, lower: Array, upper: Array) -> Array:
    """|sum_k T_ijk x_k| (N, n, n) for x between the ends (N, n), from middles and radii of T (N, n, n, n)."""
    middle, radius = tensor
    centre = 0.5 * (lower + upper)
    half = np.maximum(upper - centre, centre - lower)
    known = np.abs(np.einsum("xijk,xk->xij", middle, centre))
    step = rounding(len(middle[0]))
    size = np.einsum("xijk,xk->xij", np.abs(middle), half + step * np.abs(centre))
    return np.asarray((known + size + np.einsum("xijk,xk->xij", radius, np.abs(centre) + half)) * _UP)


def batched_product(matrices: Array, vectors: Array) -> Array:
    """Matrices (.., n, m) times vectors (.., m)."""
    return np.asarray((matrices @ vectors[..., None])[..., 0])
