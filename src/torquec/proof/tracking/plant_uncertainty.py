"""Acceleration errors of an uncertain plant: sets of parameters, payload, friction, drives, sensors, delay.

The robot obeys  tau_0(q, qd, qdd) + Y(q, qd, qdd) delta + f = tau,  with tau_0 the nominal dynamics and friction f in
the set (4). Deviations delta of the parameters are the columns of `directions` times numbers in [-1, 1] (or of
`directions` F times a vector of length at most 1, an ellipsoid) and, for a payload, ten parameters in one of the
cells that cover its set. The controller computes tau = P(q^, qd^, v^) + f^ from measurements of t_j, and that
torque acts until the next one arrives. Split qdd = A + B with tau_0(q, qd, A) = P, and let M be the nominal
inertia:

(1)  A(t_j) = v + w:    M w = (P - tau_0) + [tau_0(q^, qd^, v^) - tau_0(q, qd, v^)]
     and v^ - v = -(p eps_q + s eps_v), with eps the measurement errors; the bracket is at most |dtau_0/dq| eps_q +
     |dtau_0/dqd| eps_v. For a model that is evaluated at the reference, eps is the tracking error itself.
(2)  drift of A while the torque is held:  M A' = -d/dz tau_0(q + z qd, qd + z qdd, A)  at z = 0
(3)  at every instant  M_t B = f^(t_j) - f + (drive error) - Y(q, qd, A) delta,    M_t = M + dM the true inertia
(4)  f is the nominal friction at every speed in the tube, each term with a relative error, plus a residual; where the
     tube contains zero speed, and at all speeds with a `turnover_distance`, dry friction may be any of -f- to f+
(5)  a torque that acts D late has drifted by D R more; the delay of feedback and the lag of differenced speeds are part
     of the loop (:mod:`torquec.proof.tracking.coupled_response`); eps_v contains only the lag of the reference

Columns of Y are multiplied by the inverse as a whole, which keeps one parameter's joint torques correlated. With R an
approximate inverse of M, D >= |1 - R M|, N_k = dY_k/dqdd, and for a cell with centre c and half widths r

(6)  R M_t = 1 + sum c_k R N_k + E,   |E| <= D + sum r_k |R N_k| + sum |R N_j| of the directions;  Q ~ (1 + sum ..)^-1
(7)  |Q R Y(q, qd, A) delta| <= |sum c_k Q R Y_k| + sum r_k |Q R Y_k|  at A = qdd_ref, and the same of N_k |A - qdd_ref|
(8)  |B| <= |Q R (right side of (3))| + |1 - Q R M_t| |B|,  solved as (6) of :mod:`torquec.proof.enclosure.enclose`
(9)  Feedback u in A accelerates by G u, G = M_t^-1 M, which is part of the loop (`coupled_response`) with one constant
     G_f for an epoch. The rest is a disturbance:  Q R M_t (G - G_f) u = Q (1 - P G_f) u + Q (1 - R M) (G_f - 1) u -
     Q (R M_t - P - (R M - 1)) G_f u,  P = 1 + sum c_k R N_k. Torques likewise act through a constant M_t^-1 per epoch,
     and Y delta of a cell's centre at the reference is a known acceleration

(10) Over an ellipsoid |x' delta| <= |F' x|, and for x known within r <= |F' x_0| + sqrt(r' |F F'| r): R Y is one x' for
     each joint, so that all parameters stay correlated

The largest value over all cells is used. A vector that solves (8) also proves every true inertia nonsingular.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from torquec.dynamics import inverse_dynamics, regressor, spring_torque
from torquec.dynamics.friction import AtRest, Direction, OneWay, direction_of, terms_of
from torquec.dynamics.friction_torque import Shaft, friction_torque, rubbing_shafts
from torquec.expr import Function, bind, differentiate, trace
from torquec.expr.math import absolute
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import approximate_inverses, defect, enclose, magnitudes, rounding, verified_bound
from torquec.proof.tracking.acceleration_bound import AccelerationBound, MotionBoxes, with_constants
from torquec.proof.tracking.coupled_response import ErrorInputs, stacked
from torquec.proof.tracking.preconditioned import CarriedColumns, Ends, RateBound, batched_product
from torquec.robot.robot import Robot

_ROUNDED_UP = 1.0 + 1e-12
"""Covers the rounding of sums of some hundred products that are not negative."""

_PIECES = 8
"""Pieces of an interval of speeds over which friction is enclosed: half of them of either sign where it holds zero."""

_ROUNDS = 40
"""Iterations of `verified_bound`, which converges slowly for the inertias of light wrists."""


@dataclass(frozen=True, eq=False)
class PlantUncertainty:
    """Uncertainty sets of a plant, (n,) unless stated otherwise.

    `directions` (10 bodies + motors, j) span deviations of the standard parameters, `factor` F (j, k) makes them
    those of an ellipsoid (10); `carried` are those of a payload of one unit; `friction_part` of every friction term,
    `friction_residual` and `drive_error` [N m or N]; `compensation` maps (qd_ref, qd) to f^. Measurement errors:
    `position_error`, all but `position_noise` of it constant; `speed_error`, and `speed_lag` [s] times the
    acceleration; `feedback_noise` [1/s^2] is what errors of measured speeds add to the feedback. `delay` D [s] is the
    largest, `jitter` [s] how much of it varies. `stiffness` p, `damping` s and `integral` are those of the feedback;
    `at_reference`: where the law evaluates its model. `stated`: the entries of bodies and payload by name, for a part
    of the sets, for messages.
    """

    robot: Robot
    directions: Array
    carried: CarriedColumns | None
    friction_part: Array
    friction_residual: Array
    drive_error: Array
    compensation: Function
    position_error: Array
    position_noise: Array
    speed_error: Array
    speed_lag: Array
    feedback_noise: Array
    delay: float
    jitter: float
    stiffness: Array
    damping: Array
    at_reference: bool
    factor: Array | None = None
    integral: Array | None = None
    stated: Mapping[str, Callable[[float], float]] = field(default_factory=dict)

    def speed_errors(self, fastest: Array) -> Array:
        """eps_v where accelerations are at most `fastest`, (n,) or (N, n)."""
        return self.speed_error + self.speed_lag * fastest

    def feedback_error(self, wanted: Array) -> Array:
        """|v^ - v| of (1) but for errors of positions, which pass the loop, for reference accelerations of at most
        `wanted`, (n,) or (N, n).
        """
        return (self.feedback_noise + self.damping * self.speed_lag * wanted) * _ROUNDED_UP

    def jitter_error(self, position: Array, speed: Array, acceleration: Array) -> Array:
        """Change of the feedback by a delay of up to `jitter`, for radii (N, n)."""
        if not self.jitter:
            return np.zeros_like(speed)
        rate = self.stiffness * speed + self.damping * acceleration
        moved = self.jitter * (rate if self.integral is None else rate + self.integral * position)
        noise = 2.0 * self.stiffness * self.position_error + 4.0 * self.damping * self.speed_error
        return np.asarray((moved + noise) * _ROUNDED_UP)

    # --- programs ---------------------------------------------------------------------------------------------------

    def _torque(self, q: Any, qd: Any, qdd: Any) -> list[Any]:
        """tau_0: rigid bodies, rotors and springs."""
        parts = zip(inverse_dynamics(self.robot, q, qd, qdd), spring_torque(self.robot, q), strict=True)
        return [bodies + spring for bodies, spring in parts]

    @cached_property
    def column_program(self) -> Function:
        """(q, qd, qdd) -> Y times directions, (n, j)."""
        wide = self.directions
        kept = [[(int(p), float(column[p])) for p in np.flatnonzero(column)] for column in wide.T]

        def algorithm(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
            Y = regressor(self.robot, q, qd, qdd)
            return {"Y": [[sum((row[p] * size for p, size in column), 0.0) for column in kept] for row in Y]}

        n = self.robot.n
        return trace("columns", algorithm, dict.fromkeys(("q", "qd", "qdd"), (n,)), shapes={"Y": (n, wide.shape[1])})

    @cached_property
    def inertia_program(self) -> Function:
        """q -> dY/dqdd (n, j, n) of (6): contribution of each column to the mass matrix."""
        zero = [0.0] * self.robot.n
        return bind(differentiate(self.column_program, "Y", "qdd"), {"qd": zero, "qdd": zero})

    @cached_property
    def slope_program(self) -> Function:
        """(q, qd, qdd) -> dtau_0/dq (n, n)."""
        ports = dict.fromkeys(("q", "qd", "qdd"), (self.robot.n,))
        return differentiate(trace("held", lambda q, qd, qdd: {"tau": self._torque(q, qd, qdd)}, ports), "tau", "q")

    @cached_property
    def rates(self) -> RateBound:
        """The rates of the nominal torques."""
        return RateBound(self.robot)

    @cached_property
    def friction_program(self) -> Function:
        """qd -> friction `f` (2, n), of either way at rest, and `size` (2, n), the sum of magnitudes of its terms."""

        def algorithm(qd: Any) -> dict[str, Any]:
            found: dict[str, list[Any]] = {"f": [], "size": []}
            for forwards in (False, True):
                way = partial(_standing, forwards=forwards)
                size: list[Any] = [0.0 * speed for speed in qd]
                for shaft in rubbing_shafts(self.robot):
                    state = shaft.state(qd, direction=way(shaft, shaft.speed(qd)))
                    terms = [absolute(term.torque(shaft.friction, state)) for term in terms_of(shaft.friction)]
                    size = [a + abs(ratio) * sum(terms, 0.0) for a, ratio in zip(size, shaft.row, strict=True)]
                found["f"].append(friction_torque(self.robot, qd, direction=way))
                found["size"].append(size)
            return found

        both = 2, self.robot.n
        return trace("friction", algorithm, {"qd": (self.robot.n,)}, shapes={"f": both, "size": both})

    # --- bounds -----------------------------------------------------------------------------------------------------

    def friction_error(self, own: Ends, wanted: Ends, measured: Ends) -> Array:
        """|f^ - f| (N, n) of (4), from ends (N, n) of the true, the reference and the measured speeds."""
        found = self._subdivided(self.friction_program, {"qd": own})
        low, high = found["f"][0].min(axis=1), found["f"][1].max(axis=1)
        loose = self.friction_part * found["size"][1].max(axis=1) + self.friction_residual
        below, above = self._subdivided(self.compensation, {"qd_ref": wanted, "qd": measured})["tau"]
        worst: Array = np.maximum(above - low + loose, high + loose - below) * _ROUNDED_UP
        return worst

    def _subdivided(self, program: Function, ends: Mapping[str, Ends]) -> dict[str, Ends]:
        """Enclosure of a program of speeds, subdivided at zero and within either sign.

        The speed of a shaft coupled to several joints is a combination of theirs: then boxes are not subdivided.
        """
        pieces = _PIECES if all(shaft.is_joint for shaft in rubbing_shafts(self.robot)) else 1
        hull: dict[str, Ends] = {}
        for k in range(pieces):
            cut = {name: _piece(*pair, k, pieces) for name, pair in ends.items()}
            lower, upper = ({name: pair[side] for name, pair in cut.items()} for side in (0, 1))
            for name, (low, high) in enclose(program, lower, upper, squares=True).items():
                before = hull.get(name, (low, high))
                hull[name] = np.minimum(before[0], low), np.maximum(before[1], high)
        return hull

    def torque_errors(
        self, inverse: Ends, own: MotionBoxes, asked: MotionBoxes, errors: Array, eps: Ends
    ) -> tuple[Array, Array, Array]:
        """(1) and (2): acceleration errors (N, n) of the model and of the state that it is evaluated at; the drift.

        `inverse`: R and D of the inertia; `own` holds the motions of the robot, `asked` the states at which the model
        is evaluated and the true ones, which differ by at most `eps`, (N, n) each; `errors` (N, n) bounds P - tau_0.
        """
        R, D = inverse
        with np.errstate(all="ignore"):
            model = solved(D, batched_product(np.abs(R), errors))
            both = self.rates.coefficients(R, own), self.rates.coefficients(R, asked)
            drift = solved(D, self.rates.rates(R, both[0], own))
            low, high = enclose(self.slope_program, asked.lower, asked.upper)["dtau_dq"]
            total = batched_product(magnitudes(R, *with_constants(low, high)), eps[0])
            total = total + batched_product(self.rates.speed_slopes(both[1][1], asked), eps[1])
            return model, solved(D, total), drift

    def plant_errors(
        self, inverse: Ends, own: MotionBoxes, cells: Array, frozen: Ends, acting: ActingErrors
    ) -> dict[str, ErrorInputs]:
        """(3), (9) by cause for every cell, with centres and half widths `cells` (C, 2, k), over motions `own` with the
        accelerations of the reference. `frozen`: G and M_t^-1 (C, N, n, n) of the loop's gains.
        """
        R, D = inverse
        split = self.directions.shape[1]
        drives = np.broadcast_to(self.drive_error, acting.friction.shape)
        found: list[dict[str, ErrorInputs]] = []
        with np.errstate(all="ignore"):
            middle, radius = self.preconditioned(R, own)
            sizes = self.deviations(middle[:, :, :split], radius[:, :, :split])
            wide = D + sizes[..., 1:] * _ROUNDED_UP
            load, spread = middle[:, :, split:], radius[:, :, split:]
            for c, (centre, half) in enumerate(cells):
                G, held = frozen[0][c], frozen[1][c]
                u, other = acting.feedback[c], acting.other[c]
                cell = in_cell(load, spread, centre, half, wide)
                QR = cell.Q @ R
                size = np.abs(QR) + rounding(R.shape[1]) * (np.abs(cell.Q) @ np.abs(R))
                apart = np.abs(QR - held) + 2.0 * rounding(R.shape[1]) * (np.abs(cell.Q) @ np.abs(R))
                zero = np.zeros_like(u)
                right = {}
                for cause, torque in (("friction", acting.friction[c]), ("drives", drives[c])):
                    first = batched_product(size, torque)
                    beyond = solved(cell.wrong, first) - first + batched_product(apart, torque)
                    right[cause] = ErrorInputs(beyond, torque, zero, zero, zero)
                moved = batched_product(np.abs(G), u)
                if split:
                    both = sizes[..., 0] + batched_product(sizes[..., 1:], other + moved)
                    level = solved(cell.wrong, batched_product(np.abs(cell.Q), both))
                    right["bodies"] = ErrorInputs(level, zero, zero, zero, zero)
                identity = np.eye(len(self.drive_error))
                step = 4.0 * rounding(len(identity)) * (np.abs(cell.Q) @ (identity + np.abs(cell.P) @ np.abs(G)))
                away = np.abs(cell.Q @ (identity - cell.P @ G)) + step
                away = away + np.abs(cell.Q) @ (D @ np.abs(identity - G))
                rest = cell.loose[..., 0] + batched_product(cell.loose[..., 1:], moved) + batched_product(away, u)
                rest = rest + batched_product(cell.whole, other)
                known = np.abs(cell.known)
                level = solved(cell.wrong, known + rest) - known
                right["payload"] = ErrorInputs(level, zero, cell.known, cell.known, u)
                found.append(right)
        return {cause: stacked([each[cause] for each in found]) for cause in found[0]}

    def deviations(self, middle: Array, radius: Array) -> Array:
        """The largest |sum of columns times deviations| (N, n, m), from their middles and radii (N, n, j, m); (10)."""
        F = self.factor
        if F is None:
            return np.asarray((np.abs(middle) + radius).sum(axis=2))

        def length(sizes: Array, products: Array) -> Array:
            return np.asarray(np.sqrt(np.einsum("xnjm,jl,xnlm->xnm", sizes, products, sizes, optimize=True)))

        known = np.sqrt((np.einsum("xnjm,jk->xnkm", middle, F, optimize=True) ** 2).sum(axis=2))
        beside = length(radius, np.abs(F @ F.T)) + rounding(len(F)) * length(
            np.abs(middle) + radius, np.abs(F) @ np.abs(F.T)
        )
        return np.asarray((known + beside) * _ROUNDED_UP)

    def torque_deviation(self, own: MotionBoxes, cells: Array) -> Array:
        """|Y(q, qd, qdd) delta| (N, n), the largest of all cells."""
        found = np.zeros_like(own.q_lower)
        if self.directions.shape[1]:
            middle, radius = with_constants(*enclose(self.column_program, own.lower, own.upper)["Y"])
            found = found + self.deviations(middle[..., None], radius[..., None])[..., 0]
        if self.carried is not None:
            middle, radius = with_constants(*enclose(self.carried.torques, own.lower, own.upper)["Y"])
            size = np.abs(middle) + radius
            step = rounding(len(cells[0, 0]))
            each = [np.abs(middle @ c) + (radius + step * size) @ np.abs(c) + size @ half for c, half in cells]
            found = found + np.max(each, axis=0)
        return np.asarray(found * _ROUNDED_UP)

    def frozen(self, bound: AccelerationBound, cells: Array, q: Array) -> tuple[Array, Array, Array]:
        """G and M_t^-1 (C, E, n, n) of the centres of cells at positions (E, n), and M (E, n, n); no enclosures."""
        R, _ = bound.inverse(bound.inertia(q, q))
        zero, split = np.zeros_like(q), self.directions.shape[1]
        load = self.preconditioned(R, MotionBoxes(q, q, zero, zero, zero, zero))[0][:, :, split:, 1:]
        P = np.eye(q.shape[1]) + np.einsum("xikj,ck->cxij", load, cells[:, 0])
        Q = np.linalg.inv(np.where(np.isfinite(P), P, np.eye(q.shape[1])))
        return Q, Q @ R, np.asarray(np.linalg.inv(R))

    def preconditioned(self, R: Array, own: MotionBoxes) -> Ends:
        """Middles and radii (N, n, j + k, 1 + n) of R Y, at the reference's accelerations, and of R dY/dqdd."""
        count, n = R.shape[:2]
        found = []
        if self.directions.shape[1]:
            pairs = []
            for low, high in (
                enclose(self.column_program, own.lower, own.upper)["Y"],
                enclose(self.inertia_program, {"q": own.q_lower}, {"q": own.q_upper})["dY_dqdd"],
            ):
                centre, spread = with_constants(*(end.reshape(count, n, -1) for end in (low, high)))
                radius = np.abs(R) @ (spread + rounding(n) * np.abs(centre)) * _ROUNDED_UP
                pairs.append([each.reshape(count, n, self.directions.shape[1], -1) for each in (R @ centre, radius)])
            found.append([np.concatenate(each, axis=-1) for each in zip(*pairs, strict=True)])
        if self.carried is not None:
            found.append(list(self.carried.columns(R, own)))
        if not found:
            return np.zeros((count, n, 0, 1 + n)), np.zeros((count, n, 0, 1 + n))
        middle, radius = (np.concatenate(each, axis=2) for each in zip(*found, strict=True))
        return middle, radius


@dataclass(frozen=True, eq=False)
class ActingErrors:
    """Inputs of a plant, by cell (C, N, n): `friction` errors [N m or N], the `feedback` |u|, and `other`, the
    difference of A from the reference acceleration without the feedback.
    """

    friction: Array
    feedback: Array
    other: Array


@dataclass(frozen=True, eq=False)
class _Cell:
    """Q and P of (6), |1 - Q R M_t| of (8), and of (7): the `known` part sum c_k Q R Y_k (N, n) at the reference's
    acceleration, what may be `loose` in it and in Q R N (N, n, 1 + n), and the `whole` |sum Q R N_k| (N, n, n).
    """

    Q: Array
    P: Array
    wrong: Array
    known: Array
    loose: Array
    whole: Array


def in_cell(load: Array, spread: Array, centre: Array, half: Array, D: Array) -> _Cell:
    """The matrices of a cell, from middles and radii of the payload's columns (N, n, k, 1 + n)."""
    count, n, k, _ = load.shape
    identity = np.broadcast_to(np.eye(n), (count, n, n))
    if not k:
        zero = np.zeros((count, n, 1 + n))
        return _Cell(identity, identity, D, zero[..., 0], zero, zero[..., 1:])
    P = identity + np.einsum("nikj,k->nij", load[..., 1:], centre)
    Q, regular = approximate_inverses(np.where(np.isfinite(P), P, identity))
    size = np.abs(Q)
    moved = (Q @ load.reshape(count, n, -1)).reshape(load.shape)
    # Rounding of P, of Q times the columns, and of their sums, relative to the magnitudes of the summands.
    step = 4.0 * rounding(max(n, k))
    wide = np.einsum("nikj,k->nij", spread + step * np.abs(load), np.abs(centre) + half)
    wide[..., 1:] += step * identity
    loose = (np.einsum("nikj,k->nij", np.abs(moved), half) + size @ wide) * _ROUNDED_UP
    middle = np.einsum("nikj,k->nij", moved, centre)
    around = (defect(Q, P) + size @ D + loose[..., 1:]) * _ROUNDED_UP
    wrong = np.where(regular[:, None, None], around, np.inf)
    return _Cell(Q, P, wrong, middle[..., 0], loose, (np.abs(middle) + loose)[..., 1:] * _ROUNDED_UP)


def _standing(shaft: Shaft, speed: Any, *, forwards: bool) -> Direction:
    rest, friction = OneWay(forwards), shaft.friction
    return rest if friction.value("turnover_distance") else AtRest(direction_of(friction, speed), speed, rest)


def solved(D: Array, c: Array) -> Array:
    """Bounds (N, n) of |x| with |x| <= c + D |x|; infinite where none is found."""
    return verified_bound(D, c * _ROUNDED_UP, rounds=_ROUNDS)


def _piece(low: Array, high: Array, k: int, pieces: int) -> Ends:
    """The k-th piece of intervals (N, n); zero is an edge where it is inside."""
    part = np.linspace(0.0, 1.0, pieces + 1)
    if pieces % 2 == 0:
        half = pieces // 2
        crossing = (low < 0.0) & (high > 0.0)
        sides = np.concatenate([low[None] * (1.0 - part[: 2 * half + 1 : 2])[:, None, None],
                                high[None] * part[2 : 2 * half + 1 : 2][:, None, None]])  # fmt: skip
        edges = np.where(crossing[None], sides, low + (high - low) * part[:, None, None])
    else:
        edges = low + (high - low) * part[:, None, None]
    edges[0], edges[-1] = low, high
    return edges[k], np.maximum(edges[k + 1], edges[k])
