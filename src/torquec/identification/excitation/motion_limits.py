"""Limits of an excitation trajectory as used shares (1 is the limit), proved at every instant by interval arithmetic.

(1)  position   |q - middle|/(half the range)          (3)  acceleration   |qdd|/limit
(2)  speed      |qd|/limit                             (4)  torque         |total torque|/(effort x limit)
(5)  workspace  1 - clearance/0.2 m: a share of 0.95 stays a centimetre away
(8)  worst-case torque over the limit, for all robots whose bodies (mass, first moment and inertia together) and
     friction are within a share u of the file's:  |total| + u (sum over bodies |torque of the body| + |friction|)

(4), (5) and (8) are one traced program, compiled with its gradient, and enclosed by intervals (7). Joints without
limits of their own are given half a turn to each side (1 m) and 2 rad/s (m/s). `limit_proof` proves that a motion
keeps its limits at every instant, not only at samples:

(6)  on |t - t0| <= r, with |qddd| <= J:     qdd within qdd(t0) -+ J r,     qd within qd(t0) -+ (|qdd(t0)| r + J r^2/2),
     q within q(t0) -+ (|qd(t0)| r + |qdd(t0)| r^2/2 + J r^3/6)
(7)  the shares of all limits over these boxes are enclosed by interval arithmetic; where the enclosure exceeds 1, the
     interval is bisected, until every piece is proved, or one is found whose middle exceeds a limit
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from torquec.codegen.llvm import load_or_compile
from torquec.dynamics import parameter_values, regressor, total_torque
from torquec.dynamics.friction_torque import has_load_friction, load_matrix
from torquec.errors import SpecificationError
from torquec.expr import Function, trace
from torquec.expr.differentiate import gradient
from torquec.expr.math import absolute
from torquec.foundation.arrays import Array, Mask
from torquec.identification.excitation.workspace import WorkspaceRule
from torquec.proof.enclosure.enclose import enclose
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES, product
from torquec.trajectory.fourier_motion import FourierMotion
from torquec.trajectory.polynomial_motion import PolynomialMotion
from torquec.trajectory.trajectory import MotionState

_PIECES = 512  # initial pieces: most are proven at once
_HALVINGS = 14  # most bisections: a motion that needs more touches its limit
_MOST = 200_000
"""Most pieces at once: with more, the motion runs along a limit and cannot be proven."""
_ROUNDING = 1e-12
"""Relative rounding error of the formulas of a motion."""


@dataclass(frozen=True, eq=False)
class LimitProof:
    """`kept`: proved for every instant. `peaks` (K,): the largest shares seen, at the middles of all pieces.

    `broken`: names of limits that are exceeded or could not be proved.
    """

    kept: bool
    peaks: Array
    broken: tuple[str, ...]


def limit_proof(motion: FourierMotion | PolynomialMotion, limits: MotionLimits) -> LimitProof:
    """Try to prove that a motion keeps all limits from its start to its end (6), (7)."""
    edges = np.linspace(motion.start, motion.end, _PIECES + 1)
    middles, radius = 0.5 * (edges[:-1] + edges[1:]), 0.5 * (motion.end - motion.start) / _PIECES
    peaks = np.full(len(limits.names), -np.inf)
    for _ in range(_HALVINGS):
        here, bounds = _enclosed(motion, limits, middles, radius)
        peaks = np.maximum(peaks, here.max(axis=0))
        if np.any(peaks > 1.0):
            return LimitProof(False, peaks, _named(limits, peaks > 1.0))
        open_pieces = (bounds > 1.0).any(axis=1)
        if not open_pieces.any():
            return LimitProof(True, peaks, ())
        radius *= 0.5
        middles = np.concatenate([middles[open_pieces] - radius, middles[open_pieces] + radius])
        if len(middles) > _MOST:
            break
    return LimitProof(False, peaks, _named(limits, np.max(bounds, axis=0) > 1.0))


def _enclosed(
    motion: FourierMotion | PolynomialMotion, limits: MotionLimits, middles: Array, radius: float
) -> tuple[Array, Array]:
    """Shares (N, K) at the middles, and upper bounds of them on the pieces around (6), (7)."""
    state, jerk, r = motion.at(middles), motion.jerk_bound, radius * (1.0 + _ROUNDING)
    spread = {
        "q": np.abs(state.qd) * r + np.abs(state.qdd) * r**2 / 2.0 + jerk * r**3 / 6.0,
        "qd": np.abs(state.qdd) * r + jerk * r**2 / 2.0,
        "qdd": np.broadcast_to(jerk * r, state.qdd.shape),
    }
    centre = {"q": state.q, "qd": state.qd, "qdd": state.qdd}
    for key, values in centre.items():
        spread[key] = spread[key] + _ROUNDING * (1.0 + np.abs(values))
    bounds = [
        (np.abs(state.q - limits.middle) + spread["q"]) / limits.half,
        (np.abs(state.qd) + spread["qd"]) / limits.speed,
        (np.abs(state.qdd) + spread["qdd"]) / limits.acceleration,
    ]
    if limits.program is not None:
        lower = {key: centre[key] - spread[key] for key in centre}
        upper = {key: centre[key] + spread[key] for key in centre}
        bounds.append(enclose(limits.program, lower, upper)["share"][1])
    return limits.shares(state), np.concatenate(bounds, axis=1)


def _named(limits: MotionLimits, which: Mask) -> tuple[str, ...]:
    return tuple(name for name, chosen in zip(limits.names, which, strict=True) if chosen)


_FREE_RANGE = math.pi  # [rad], to each side, of a revolute joint without limits
_FREE_TRAVEL = 1.0  # [m], the same of a prismatic joint: as long as usual linear axes
_FREE_SPEED = 2.0  # [rad/s or m/s], of a joint without a speed limit in its file: every industrial arm can do it
_NEAR = 0.2
"""[m], of (5): the size of a link, below which distances count like other limits."""
_STATE = ("q", "qd", "qdd")
_TORQUE = "torque"


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """The limits (1)-(5) of a robot; `middle`, `half`, `speed`, `acceleration` are (n,). Made by `motion_limits`.

    `assumed` are the limits that the robot's file does not give, in words; `effort` is that of (4), `uncertainty` u of
    (8), zero for none.
    """

    robot: Robot
    middle: Array
    half: Array
    speed: Array
    acceleration: Array
    rules: tuple[WorkspaceRule, ...] = ()
    assumed: tuple[str, ...] = ()
    effort: float = 1.0
    uncertainty: float = 0.0
    _labels: list[str] = field(default_factory=list, init=False, repr=False)
    _made: dict[str, Callable[..., Any]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the limits (K,): (1)-(3) for every joint, then (4), (5)."""
        joints = self.robot.joint_names
        plain = [f"{what} of '{joint}'" for what in ("position", "speed", "acceleration") for joint in joints]
        return (*plain, *self.program_names)

    @property
    def program_names(self) -> tuple[str, ...]:
        """Names of the limits that `program` evaluates."""
        return tuple(self._labels) if self.program is not None else ()

    @cached_property
    def program(self) -> Function | None:
        """(4), (5): from q, qd, qdd to shares; None where there are neither torque limits nor rules."""
        labels = self._labels

        def algorithm(q: Any, qd: Any, qdd: Any) -> Mapping[str, Any]:
            shares = []
            if any(math.isfinite(joint.limits.effort) for joint in self.robot.joints):
                torques = total_torque(self.robot, q, qd, qdd)
                spread = self._spread(torques, q, qd, qdd) if self.uncertainty else None
                for j, (joint, torque) in enumerate(zip(self.robot.joints, torques, strict=True)):
                    limit = joint.limits.effort
                    if not math.isfinite(limit):
                        continue
                    labels.append(f"{_TORQUE} of '{joint.name}'")
                    shares.append(absolute(torque) / (self.effort * limit))
                    if spread is not None:
                        labels.append(
                            f"{_TORQUE} of '{joint.name}' with masses and friction {self.uncertainty:.0%} off"
                        )
                        shares.append((absolute(torque) + spread[j]) / limit)
            for rule in self.rules:
                for label, clearance in rule.clearances(self.robot, q):
                    labels.append(label)
                    shares.append(1.0 - clearance / _NEAR)
            return {"share": shares}

        traced = trace("limit_shares", algorithm, dict.fromkeys(_STATE, (self.robot.n,)))
        return traced if labels else None

    def _spread(self, torques: Sequence[Any], q: Any, qd: Any, qdd: Any) -> list[Any]:
        """u times the sum of (8), (n,)."""
        robot, width = self.robot, len(PARAMETER_NAMES)
        Y, values = regressor(robot, q, qd, qdd), parameter_values(robot)
        parts = [[product(y, v) for y, v in zip(row, values, strict=True)] for row in Y]
        found, loads = [], []
        for torque, row in zip(torques, parts, strict=True):
            bodies = [sum(row[k : k + width], 0.0) for k in range(0, width * len(robot.bodies), width)]
            rotors = sum(row[width * len(robot.bodies) :], 0.0)
            loads.append(sum(map(absolute, bodies), 0.0))
            found.append(loads[-1] + absolute(torque - (sum(bodies, 0.0) + rotors)))
        if not robot.dependent and has_load_friction(robot):  # load-dependent friction changes with the masses, too
            gain = load_matrix(robot, qd)
            found = [
                own + sum((absolute(g) * x for g, x in zip(row, loads, strict=True)), 0.0)
                for own, row in zip(found, gain, strict=True)
            ]
        return [self.uncertainty * own for own in found]

    def _native(self, program: Function) -> Callable[..., Any]:
        """`program`, compiled."""
        if "shares" not in self._made:
            self._made["shares"] = load_or_compile(f"function {program.content_hash}", lambda: program).call
        return self._made["shares"]

    def _native_gradient(self, program: Function) -> Callable[..., Any]:
        """The gradient of `program`, compiled when it is first needed."""
        if "gradient" not in self._made:
            key = f"function {program.content_hash} gradient"
            self._made["gradient"] = load_or_compile(key, lambda: gradient(program, "share", by=_STATE)).call
        return self._made["gradient"]

    def excess(self, index: int, share: float) -> str:
        """A share as text: the limit's name with a percentage, or with metres for workspace limits."""
        name = self.names[index]
        if index >= 3 * self.robot.n and not name.startswith(_TORQUE):
            return f"{name} ({(share - 1.0) * _NEAR:.3g} m too near)"
        return f"{name} ({share:.0%} of the limit)"

    def shares(self, state: MotionState) -> Array:
        """(1)-(5) at N states, (N, K)."""
        parts = [
            np.abs(state.q - self.middle) / self.half,
            np.abs(state.qd) / self.speed,
            np.abs(state.qdd) / self.acceleration,
        ]
        if self.program is not None:
            parts.append(np.asarray(self._native(self.program)(state.q, state.qd, state.qdd)))
        return np.concatenate(parts, axis=1)

    def by_state(self, state: MotionState, weights: Array) -> MotionState:
        """Gradient of sum(weights o shares) by q, qd and qdd, (N, n) each, for weights (N, K)."""
        n = self.robot.n
        q = weights[:, :n] * np.sign(state.q - self.middle) / self.half
        qd = weights[:, n : 2 * n] * np.sign(state.qd) / self.speed
        qdd = weights[:, 2 * n : 3 * n] * np.sign(state.qdd) / self.acceleration
        if self.program is not None and weights[:, 3 * n :].any():
            rest = np.ascontiguousarray(weights[:, 3 * n :])
            more = self._native_gradient(self.program)(state.q, state.qd, state.qdd, rest)
            q, qd, qdd = q + more[0], qd + more[1], qdd + more[2]
        return MotionState(q, qd, qdd)


def motion_limits(
    robot: Robot,
    *,
    acceleration: float = math.inf,
    rules: Sequence[WorkspaceRule] = (),
    effort: float = 1.0,
    uncertainty: float = 0.0,
) -> MotionLimits:
    """Limits of a robot's motion: those of its file, a largest `acceleration` of every joint, rules about its frames.

    Torques stay within a share `effort` of their limits (4), and, where masses and friction are wrong by up to
    `uncertainty`, within the limits themselves (8).

    Raises `SpecificationError` for a joint that has no range or no speed to move in.

    >>> from torquec.robot import classics
    >>> motion_limits(classics.planar2r()).names[:2]
    ("position of 'joint1'", "position of 'joint2'")
    """
    middle, half, speed = (np.zeros(robot.n) for _ in range(3))
    assumed: list[str] = []
    for j, joint in enumerate(robot.coordinates):
        lower, upper = joint.limits.lower, joint.limits.upper
        if not joint.has_position_limits or not math.isfinite(upper - lower):
            reach = _FREE_RANGE if joint.turns else _FREE_TRAVEL
            lower, upper = _bounded(lower, upper, reach, continuous=not joint.has_position_limits)
            assumed.append(f"position of '{joint.name}' from {lower:.4g} to {upper:.4g}")
        middle[j], half[j] = 0.5 * (lower + upper), 0.5 * (upper - lower)
        speed[j] = joint.limits.velocity
        if not math.isfinite(speed[j]):
            speed[j] = _FREE_SPEED
            assumed.append(f"speed of '{joint.name}' up to {_FREE_SPEED:g}")
        if not (half[j] > 0.0 and speed[j] > 0.0 and joint.limits.effort > 0.0):
            kind = "range" if not half[j] > 0.0 else "speed" if not speed[j] > 0.0 else "torque"
            raise SpecificationError(
                f"joint '{joint.name}' cannot move: its {kind} limit leaves nothing",
                where=robot.source,
                remedy="correct the limits in the robot file, or lock the joint",
            )
    every = np.full(robot.n, acceleration)
    return MotionLimits(robot, middle, half, speed, every, tuple(rules), tuple(assumed), effort, uncertainty)


def _bounded(lower: float, upper: float, reach: float, *, continuous: bool) -> tuple[float, float]:
    """A finite range in place of one without a lower or upper limit."""
    if continuous or not (math.isfinite(lower) or math.isfinite(upper)):
        return -reach, reach
    return (lower, lower + 2.0 * reach) if math.isfinite(lower) else (upper - 2.0 * reach, upper)
