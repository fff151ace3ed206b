"""Acceleration errors of a plant that is known to sets only: parameters, payload, friction, drives, sensors, delay.

The robot obeys  tau_0(q, qd, qdd) + Y(q, qd, qdd) delta + f = tau,  with tau_0 the nominal dynamics, delta in a
zonotope (the columns of `directions` times numbers in [-1, 1]) and friction f in the set (4). The controller computes
tau = P(q^, qd^, v^) + f^ from measurements of t_j, and that torque acts until the next one arrives. Split qdd = A + B
with tau_0(q, qd, A) = P, and let M be the nominal inertia:

(1)  A(t_j) = v + w:    M w = (P - tau_0) + [tau_0(q^, qd^, v^) - tau_0(q, qd, v^)]
     and v^ - v = -(p eps_q + s eps_v), with eps the measurement errors; the bracket is at most |dtau_0/dq| eps_q +
     |dtau_0/dqd| eps_v. A model that is evaluated at the reference has the tracking error itself for eps.
(2)  drift of A while the torque is held:  M A' = -d/dz tau_0(q + z qd, qd + z qdd, A)  at z = 0
(3)  at every instant  M B = f^(t_j) - f + (drive error) - Y(q, qd, qdd) delta
(4)  f is the nominal friction of every speed in the tube, with each term wrong by a part, and a residual; where the
     tube holds zero speed, that is any torque between minus and plus the Coulomb torque
(5)  a torque that acts D late has drifted by D R more; that feedback is late, and speeds by difference lag, is part of
     the loop (:mod:`torquec.proof.tracking.late_response`), and of eps_v only the lag of the reference

Columns of Y go through M^-1 whole, so that torques of several joints by one parameter stay correlated:

(6)  |M^-1 Y(q, qd, qdd) delta| <= sum over columns of |M^-1 Y_k(q, qd, qdd_ref)| + |M^-1 dY_k/dqdd| |qdd - qdd_ref|

Columns of one `ball`, such as the three coordinates of a centre of mass, have coefficients of Euclidean norm at most
one: in (6) their root of the sum of squares stands for their sum.

(3) has qdd on both sides: radii of accelerations that reproduce themselves bound it, since qdd moves continuously with
the size of
delta as long as the true inertia is positive definite, as that of every robot that can be built is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from torquec.dynamics import inverse_dynamics, regressor, spring_torque
from torquec.dynamics.friction import terms_of
from torquec.dynamics.friction_torque import friction_torque, rubbing_shafts
from torquec.expr import Function, bind, differentiate, trace
from torquec.expr.math import absolute
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import enclose, magnitudes, verified_bound
from torquec.proof.tracking.acceleration_bound import AccelerationBound, MotionBoxes, with_constants
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES

Ends = tuple[Array, Array]
"""Lower and upper ends of a quantity, (N, n) each."""

_ROUNDED_UP = 1.0 + 1e-12
"""Covers the rounding of sums of some hundred products that are not negative."""

_PIECES = 8
"""Pieces of an interval of speeds over which friction is enclosed: half of them of either sign where it holds zero."""

_ROUNDS = 40
"""Of `verified_bound`: inertias of light wrists contract slowly."""


@dataclass(frozen=True, eq=False)
class PlantUncertainty:
    """The sets, (n,) where nothing else is said.

    `directions` (10 bodies, k) span deviations of the standard parameters, each with its cause and the number of its
    ball; `friction_part` of
    every friction term, `friction_residual` and `drive_error` [N m or N]; `compensation` maps (qd_ref, qd) to f^.
    Measurement errors: `position_error`; `speed_error`, and `speed_lag` [s] times the acceleration. `delay` D [s].
    `stiffness` p and `damping` s are those of the feedback; `at_reference`: where the law evaluates its model.
    """

    robot: Robot
    directions: Array
    causes: tuple[str, ...]
    balls: tuple[int, ...]
    friction_part: Array
    friction_residual: Array
    drive_error: Array
    compensation: Function
    position_error: Array
    speed_error: Array
    speed_lag: Array
    delay: float
    stiffness: Array
    damping: Array
    at_reference: bool

    def speed_errors(self, fastest: Array) -> Array:
        """eps_v (n,) where accelerations are at most `fastest` (n,)."""
        return self.speed_error + self.speed_lag * fastest

    def feedback_error(self, wanted: Array) -> Array:
        """|v^ - v| (n,) of (1), for accelerations of the reference of at most `wanted` (n,)."""
        return (self.stiffness * self.position_error + self.damping * self.speed_errors(wanted)) * _ROUNDED_UP

    # --- programs ---------------------------------------------------------------------------------------------------

    def _torque(self, q: Any, qd: Any, qdd: Any) -> list[Any]:
        """tau_0: rigid bodies, rotors and springs."""
        parts = zip(inverse_dynamics(self.robot, q, qd, qdd), spring_torque(self.robot, q), strict=True)
        return [bodies + spring for bodies, spring in parts]

    def _columns(self, q: Any, qd: Any, qdd: Any) -> list[list[Any]]:
        """Y times the directions, (n, k), over any scalar."""
        Y = regressor(self.robot, q, qd, qdd)
        kept = [[(int(p), float(column[p])) for p in np.flatnonzero(column)] for column in self.directions.T]
        return [[sum((row[p] * size for p, size in column), 0.0) for column in kept] for row in Y]

    @cached_property
    def column_program(self) -> Function:
        """(q, qd, qdd) -> Y directions (n, k)."""
        n, shape = self.robot.n, {"Y": (self.robot.n, self.directions.shape[1])}
        algorithm = lambda q, qd, qdd: {"Y": self._columns(q, qd, qdd)}  # noqa: E731
        return trace("columns", algorithm, dict.fromkeys(("q", "qd", "qdd"), (n,)), shapes=shape)

    @cached_property
    def inertia_program(self) -> Function:
        """q -> dY/dqdd (n, k, n) of (6): what each direction adds to the mass matrix."""
        zero = [0.0] * self.robot.n
        return bind(differentiate(self.column_program, "Y", "qdd"), {"qd": zero, "qdd": zero})

    @cached_property
    def rate_program(self) -> Function:
        """(q, qd, a, A) -> the right side of (2) without its sign, `rate` (n,), for accelerations a of the robot."""
        n = self.robot.n

        def moved(q: Any, qd: Any, a: Any, A: Any, z: Any) -> dict[str, Any]:
            place = [x + z[0] * v for x, v in zip(q, qd, strict=True)]
            return {"tau": self._torque(place, [v + z[0] * x for v, x in zip(qd, a, strict=True)], A)}

        ports = dict.fromkeys(("q", "qd", "a", "A"), (n,))
        slope = bind(differentiate(trace("moved", moved, {**ports, "z": (1,)}), "tau", "z"), {"z": [0.0]})
        return trace("rate", lambda **state: {"rate": [row[0] for row in replay(slope, state)["dtau_dz"]]}, ports)

    @cached_property
    def slope_programs(self) -> tuple[Function, Function]:
        """(q, qd, qdd) -> dtau_0/dq and dtau_0/dqd, (n, n) each."""
        ports = dict.fromkeys(("q", "qd", "qdd"), (self.robot.n,))
        whole = trace("held", lambda q, qd, qdd: {"tau": self._torque(q, qd, qdd)}, ports)
        return differentiate(whole, "tau", "q"), differentiate(whole, "tau", "qd")

    @cached_property
    def friction_program(self) -> Function:
        """qd -> nominal friction `f` (n,), and `size` (n,), the sum of the magnitudes of all of its terms."""

        def algorithm(qd: Any) -> dict[str, Any]:
            size: list[Any] = [0.0 * speed for speed in qd]
            for shaft in rubbing_shafts(self.robot):
                state = shaft.state(qd)
                terms = [absolute(term.torque(shaft.friction, state)) for term in terms_of(shaft.friction)]
                size = [a + abs(ratio) * sum(terms, 0.0) for a, ratio in zip(size, shaft.row, strict=True)]
            return {"f": friction_torque(self.robot, qd), "size": size}

        return trace("friction", algorithm, {"qd": (self.robot.n,)})

    # --- bounds -----------------------------------------------------------------------------------------------------

    def friction_error(self, own: Ends, wanted: Ends, measured: Ends) -> Array:
        """|f^ - f| (N, n) of (4), from ends (N, n) of the true, the reference and the measured speeds."""
        found = self._subdivided(self.friction_program, {"qd": own})
        low, high = found["f"]
        loose = self.friction_part * found["size"][1] + self.friction_residual
        below, above = self._subdivided(self.compensation, {"qd_ref": wanted, "qd": measured})["tau"]
        worst: Array = np.maximum(above - low + loose, high + loose - below) * _ROUNDED_UP
        return worst

    def _subdivided(self, program: Function, ends: Mapping[str, Ends]) -> dict[str, Ends]:
        """Enclosure of a program of speeds, subdivided at zero and within either sign.

        A shaft that turns with several joints sees combinations of their speeds: then the boxes stay whole.
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

    def levels(
        self,
        bound: AccelerationBound,
        own: MotionBoxes,
        reach: Array,
        *,
        asked: MotionBoxes,
        errors: Array,
        friction: Array,
        eps: Ends,
    ) -> tuple[dict[str, Array], Ends]:
        """(1) and (3): by cause the acceleration errors (N, n) over the boxes, and R, D of the inertia there.

        `own` holds the motions of the robot but for the radii `reach` (n,) of their accelerations, `asked` with them
        the states at which the model is evaluated; `errors` (N, n) bounds P - tau_0, `friction` (N, n) is (4), `eps`
        (n,) each the errors of those states.
        """
        R, D = bound.inverse(bound.inertia(own.q_lower, own.q_upper))
        size = np.abs(R)
        found: dict[str, Array] = {}

        def solved(c: Array) -> Array:
            return verified_bound(D, c * _ROUNDED_UP, rounds=_ROUNDS)

        with np.errstate(all="ignore"):
            found["model"] = solved((size @ errors[..., None])[..., 0])
            if self.directions.shape[1]:
                low, high = enclose(self.column_program, own.lower, own.upper)["Y"]
                columns = magnitudes(R, *with_constants(low, high))
                low, high = enclose(self.inertia_program, {"q": own.q_lower}, {"q": own.q_upper})["dY_dqdd"]
                flat = with_constants(*(end.reshape(*end.shape[:2], -1) for end in (low, high)))
                columns = np.concatenate([columns[..., None], magnitudes(R, *flat).reshape(low.shape)], axis=-1)
                for cause in dict.fromkeys(self.causes):
                    inside = {ball for ball, name in zip(self.balls, self.causes, strict=True) if name == cause}
                    found[cause] = solved(sum((self._of_ball(columns, ball, reach) for ball in inside), 0.0 * errors))
            if any(np.any(each > 0.0) for each in eps):
                total = np.zeros_like(errors)
                for program, error, name in zip(self.slope_programs, eps, ("q", "qd"), strict=True):
                    low, high = enclose(program, asked.lower, asked.upper)[f"dtau_d{name}"]
                    total = total + magnitudes(R, *with_constants(low, high)) @ error
                found["evaluation"] = solved(total)
            found["friction"] = solved((size @ friction[..., None])[..., 0])
            found["drives"] = solved(size @ self.drive_error)
        return found, (R, D)

    def _of_ball(self, columns: Array, ball: int, reach: Array) -> Array:
        """What one ball adds to (6), (N, n), from |M^-1 Y_k| and |M^-1 dY_k/dqdd|, (N, n, k, 1 + n)."""
        own = [k for k, name in enumerate(self.balls) if name == ball]
        sizes = np.sqrt((columns[..., own, :] ** 2).sum(axis=-2))
        found: Array = sizes[..., 0] + sizes[..., 1:] @ reach
        return found

    def drift(self, inverse: Ends, own: MotionBoxes) -> Array:
        """(2) over the boxes (N, n); infinite where M could not be inverted."""
        R, D = inverse
        ends = [{"q": at["q"], "qd": at["qd"], "a": at["qdd"], "A": at["qdd"]} for at in (own.lower, own.upper)]
        low, high = enclose(self.rate_program, *ends)["rate"]
        with np.errstate(all="ignore"):
            c = magnitudes(R, *with_constants(low[..., None], high[..., None]))[..., 0]
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


def body_directions(robot: Robot, parts: Mapping[str, float]) -> Array:
    """Deviations (10 bodies, k) of every standard parameter by a part of itself, by name, one column for each."""
    values = [float(x) for body in robot.bodies for x in body.inertia.parameters]
    names = [name for _ in robot.bodies for name in PARAMETER_NAMES]
    sizes = np.array([abs(value) * parts[name] for name, value in zip(names, values, strict=True)])
    full = np.diag(sizes)
    return full[:, sizes > 0.0]
