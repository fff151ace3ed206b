"""Acceleration errors of an uncertain plant: sets of parameters, payload, friction, drives, sensors, delay.

The robot obeys  tau_0(q, qd, qdd) + Y(q, qd, qdd) delta + f = tau,  with tau_0 the nominal dynamics and friction f in
the set (4). Deviations delta of the parameters are the columns of `directions` times numbers in [-1, 1] (or of
`directions` F times a vector of length at most 1, an ellipsoid) and, for a payload, ten parameters in one of the
cells that cover its set. The controller computes tau = P(q^, qd^, v^) + f^ from the measurements at t_j, and that
torque acts until the next one arrives. Split qdd = A + B with tau_0(q, qd, A) = P, and let M be the nominal inertia:

(1)  A(t_j) = v + w:    M w = (P - tau_0) + [tau_0(q^, qd^, v^) - tau_0(q, qd, v^)]
     and v^ - v = -(p eps_q + s eps_v), with eps the measurement errors; the bracket is at most |dtau_0/dq| eps_q +
     |dtau_0/dqd| eps_v. For a model that is evaluated at the reference, eps is the tracking error itself.
(2)  drift of A while the torque is held:  M A' = -d/dz tau_0(q + z qd, qd + z qdd, A)  at z = 0
(3)  at every instant  M_t B = f^(t_j) - f + (drive error) - Y(q, qd, A) delta,    M_t = M + dM the true inertia
(4)  f is the nominal friction at every speed in the tube, each term with a relative error, plus a residual; where the
     tube contains zero speed, and at all speeds with a `turnover_distance`, dry friction may be any value in [-f-, f+].
     Viscous friction B is part of the loop (:mod:`torquec.proof.tracking.viscous_damping`); its relative error is not
(5)  a torque that acts D late has drifted by another D R; the delay of feedback and the lag of differenced speeds are
     part of the loop (:mod:`torquec.proof.tracking.coupled_response`); eps_v contains only the lag of the reference

Columns of Y are multiplied by the inverse as a whole, which keeps one parameter's joint torques correlated. With R an
approximate inverse of M, D >= |1 - R M|, N_k = dY_k/dqdd, and for a cell with centre c and half widths r

(6)  R M_t = 1 + sum c_k R N_k + E,   |E| <= D + sum r_k |R N_k| + sum |R N_j| of the directions;  Q ~ (1 + sum ..)^-1
(7)  |Q R Y(q, qd, A) delta| <= |sum c_k Q R Y_k| + sum r_k |Q R Y_k|  at A = qdd_ref, plus those of N_k |A - qdd_ref|
(8)  |B| <= |Q R (right side of (3))| + |1 - Q R M_t| |B|,  solved as (6) of :mod:`torquec.proof.enclosure.enclose`
(9)  Feedback u in A accelerates by G u, G = M_t^-1 M, which is part of the loop (`coupled_response`) with one constant
     G_f for an epoch. The rest is a disturbance:  Q R M_t (G - G_f) u = Q (1 - P G_f) u + Q (1 - R M) (G_f - 1) u -
     Q (R M_t - P - (R M - 1)) G_f u,  P = 1 + sum c_k R N_k. Torques likewise act through a constant M_t^-1 per epoch,
     and Y delta of a cell's centre at the reference is a known acceleration

(10) Constant deviations d from a cell's centre, and those of bodies, act on the position as in `error_inputs`. With a
     the error of the acceleration, M_c the inertia of the centre and N_d = sum d_k N_k, exactly
       M_c B = f^ - f + (drive error) - Y(q, qd, qdd_ref) delta - (sum c_k N_k) (A - qdd_ref) - N_d a
     so that Y delta has an acceleration per parameter, and S a = M_c^-1 N_d a is a disturbance with S_l from Q R N_d

(11) Over an ellipsoid |x' delta| <= |F' x|, and for x known within r <= |F' x_0| + sqrt(r' |F F'| r): a row of R Y is
     one x', so that all parameters stay correlated

The largest value over all cells is used. A vector that solves (8) also proves every true inertia nonsingular.
"""

from __future__ import annotations

import math
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
from torquec.proof.enclosure.enclose import enclose, magnitudes, rounding
from torquec.proof.tracking.acceleration_bound import AccelerationBound, MotionBoxes, with_constants
from torquec.proof.tracking.error_inputs import (
    ActingErrors,
    ConstantErrors,
    ErrorInputs,
    ParameterSet,
    SignedErrors,
    joined_inputs,
    reaction,
)
from torquec.proof.tracking.payload_cell import constant_inputs, in_cell, solved
from torquec.proof.tracking.preconditioned import CarriedColumns, Ends, RateBound, batched_product
from torquec.proof.tracking.viscous_damping import ViscousDamping
from torquec.robot.robot import Robot

_ROUNDED_UP = 1.0 + 1e-12  # covers the rounding of sums of some hundred products that are not negative

_PIECES = 8
"""Pieces of a speed interval over which friction is enclosed: half of them on either side of zero if it is inside."""


@dataclass(frozen=True, eq=False)
class PlantUncertainty:
    """Uncertainty sets of a plant, (n,) unless stated otherwise.

    `directions` (10 bodies + motors, j) span deviations of the standard parameters, `factor` F (j, k) makes them
    those of an ellipsoid (11); `carried` are those of a payload of one unit; `friction_part` of every friction term,
    `friction_residual` and `drive_error` [N m or N]; `viscous` is B, `compensation` maps (qd_ref, qd) to f^ beside B.
    Measurement errors: `position_error`, all but `position_noise` of it constant; `speed_error`, and `speed_lag` [s]
    times the acceleration; `feedback_noise` [1/s^2], their effect on the feedback. `delay` D [s] is the largest delay,
    `jitter` [s] its variation. `stiffness` p, `damping` s and `integral` are those of the feedback;
    `at_reference`: whether the law evaluates its model at the reference. `payload_reach`: the payload's mass in the
    model, and the largest distance of its centre from the frame. `stated`, for messages: the stated values of bodies
    and payload by name, as functions of the part of the sets.
    """

    robot: Robot
    directions: Array
    carried: CarriedColumns | None
    friction_part: Array
    friction_residual: Array
    drive_error: Array
    compensation: Function
    viscous: ViscousDamping
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
    payload_reach: tuple[float, float] = (0.0, math.inf)
    stated: Mapping[str, Callable[[float], float]] = field(default_factory=dict)

    def speed_errors(self, fastest: Array) -> Array:
        """eps_v where accelerations are at most `fastest`, (n,) or (N, n)."""
        return self.speed_error + self.speed_lag * fastest

    def feedback_error(self, wanted: Array) -> Array:
        """|v^ - v| of (1) for reference accelerations of at most `wanted`, (n,) or (N, n).

        Position errors are not included: they pass through the loop.
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
        bodies = inverse_dynamics(self.robot, q, qd, qdd)
        return [own + spring for own, spring in zip(bodies, spring_torque(self.robot, q), strict=True)]

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
        """qd -> friction `f` (2, n) beside B, both directions at rest; `size` (2, n), terms' sum of magnitudes."""
        rest = self.viscous.left_out_of(self.robot)

        def algorithm(qd: Any) -> dict[str, Any]:
            found: dict[str, list[Any]] = {"f": [], "size": []}
            for forwards in (False, True):
                way = partial(_standing, forwards=forwards)
                size: list[Any] = [0.0 * speed for speed in qd]
                for shaft in rubbing_shafts(self.robot):
                    state = shaft.state(qd, direction=way(shaft, shaft.speed(qd)))
                    terms = [absolute(term.torque(shaft.friction, state)) for term in terms_of(shaft.friction)]
                    size = [a + abs(ratio) * sum(terms, 0.0) for a, ratio in zip(size, shaft.row, strict=True)]
                found["f"].append(friction_torque(rest, qd, direction=way))
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
        return np.asarray(np.maximum(above - low + loose, high + loose - below) * _ROUNDED_UP)

    def compensated(self, wanted: Ends, measured: Ends) -> Ends:
        """Ends of f^ (N, n), from ends (N, n) of the reference and the measured speeds."""
        low, high = self._subdivided(self.compensation, {"qd_ref": wanted, "qd": measured})["tau"]
        return low + self.viscous.coefficients * wanted[0], high + self.viscous.coefficients * wanted[1]

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
        """(3), (9), (10) by cause for every cell, with centres and half widths `cells` (C, 2, k), over motions `own`
        with the accelerations of the reference. `frozen`: G and M_t^-1 (C, N, n, n) of the loop's gains.
        """
        R, D = inverse
        split = self.directions.shape[1]
        drives = np.broadcast_to(self.drive_error, acting.friction.shape)
        found: list[dict[str, ErrorInputs]] = []
        with np.errstate(all="ignore"):
            middle, radius = self.preconditioned(R, own)
            bodies, body_spread = middle[:, :, :split], radius[:, :, :split]
            sizes = self.deviations(bodies, body_spread)
            load, spread = middle[:, :, split:], radius[:, :, split:]
            payloads = ParameterSet.of_payload(cells, *self.payload_reach)
            for c, (centre, half) in enumerate(cells):
                G, held = frozen[0][c], frozen[1][c]
                u, other = acting.feedback[c], acting.other[c]
                motion = acting.motion[c]
                cell = in_cell(load, spread, centre, half, D, sizes[..., 1:] * _ROUNDED_UP)
                QR = cell.Q @ R
                size = np.abs(QR) + rounding(R.shape[1]) * (np.abs(cell.Q) @ np.abs(R))
                apart = np.abs(QR - held) + 2.0 * rounding(R.shape[1]) * (np.abs(cell.Q) @ np.abs(R))
                zero = np.zeros_like(u)
                right = {}
                acted = {"friction": (acting.friction[c], acting.damped[c]), "drives": (drives[c], zero)}
                for cause, (torque, damped) in acted.items():
                    first = batched_product(size, torque + damped)
                    own_inertia = solved(cell.centre_wrong, first)
                    beyond = own_inertia - first + batched_product(apart, torque + damped)
                    more = np.maximum(solved(cell.wrong, first) - own_inertia, 0.0)
                    right[cause] = ErrorInputs(beyond, torque, zero, zero, zero, ConstantErrors(more, zero, zero, zero))
                moved = batched_product(np.abs(G), u)
                if split:
                    both = sizes[..., 0] + batched_product(sizes[..., 1:], other + moved)
                    turned = (cell.Q @ bodies.reshape(*bodies.shape[:2], -1)).reshape(bodies.shape)
                    step = rounding(bodies.shape[1]) * (np.abs(cell.Q) @ np.abs(bodies).reshape(*bodies.shape[:2], -1))
                    loose = step.reshape(bodies.shape) + np.einsum("nij,njkl->nikl", np.abs(cell.Q), body_spread)
                    signed, spare = self._signed(turned[..., 0], loose[..., 0], len(cells))
                    level = solved(cell.wrong, batched_product(np.abs(cell.Q), both))
                    inertial = reaction(cell.centre_wrong, (turned[..., 1:], loose[..., 1:]), self.deviations, motion)
                    right["bodies"] = constant_inputs(
                        cell, c, known=(zero, zero), signed=signed, rest=spare, level=level, inertial=inertial
                    )
                identity = np.eye(len(self.drive_error))
                step = 4.0 * rounding(len(identity)) * (np.abs(cell.Q) @ (identity + np.abs(cell.P) @ np.abs(G)))
                away = np.abs(cell.Q @ (identity - cell.P @ G)) + step
                away = away + np.abs(cell.Q) @ (D @ np.abs(identity - G))
                rest = batched_product(away, u) + batched_product(cell.whole, other)
                level = cell.loose[..., 0] + batched_product(cell.loose[..., 1:], moved) + rest
                level = solved(cell.wrong, np.abs(cell.known) + level) - np.abs(cell.known)
                rest = cell.wide[..., 0] + batched_product(cell.wide[..., 1:], moved) + rest
                inner = [x * half[:, None] for x in (cell.columns[..., 1:], cell.column_spread)]
                inertial = reaction(cell.centre_wrong, (inner[0], inner[1]), _sum, motion)
                columns = np.moveaxis(cell.columns[..., 0], 2, 0)
                signed = SignedErrors(columns, columns, payloads)
                right["payload"] = constant_inputs(
                    cell, c, known=(cell.known, u), signed=signed, rest=rest, level=level, inertial=inertial
                )
                found.append(right)
        return {cause: joined_inputs([each[cause] for each in found], axis=0) for cause in found[0]}

    def _signed(self, middle: Array, radius: Array, cells: int) -> tuple[SignedErrors, Array]:
        """Accelerations of unit parameters of bodies (p, N, n) with their set, and the contribution of radii (N, n),
        from middles and radii of the columns (N, n, j).
        """
        F = np.eye(middle.shape[2]) if self.factor is None else self.factor
        radius = radius + rounding(len(F)) * np.abs(middle) * (self.factor is not None)
        one = np.ones((cells, F.shape[1]))
        parameters = ParameterSet(0.0 * one, one, ball=self.factor is not None)
        spare = self.deviations(0.0 * middle[..., None], radius[..., None])[..., 0]
        columns = np.moveaxis(middle @ F, 2, 0)
        return SignedErrors(columns, columns, parameters), spare

    def deviations(self, middle: Array, radius: Array) -> Array:
        """The largest |sum of columns times deviations| (N, n, m), from their middles and radii (N, n, j, m); (11)."""
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


def _sum(middle: Array, radius: Array) -> Array:
    return np.asarray((np.abs(middle) + radius).sum(axis=2))


def _standing(shaft: Shaft, speed: Any, *, forwards: bool) -> Direction:
    rest, friction = OneWay(forwards), shaft.friction
    return rest if friction.value("turnover_distance") else AtRest(direction_of(friction, speed), speed, rest)


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
