"""Proven torque error of a program against the robot, and the box of motions in which the bound holds.

(1)  certified torques:       |P_i(q, qd, a) - tau_i(q, qd, a)| <= b_i  in the box of positions, speeds, accelerations
(2)  certified coefficients:  <= sum_j m_ij |a_j| + sum_jk h_ijk |qd_j| |qd_k| + g_i  in the box of positions,
     m, h, g the error bounds of M, c and g: each absolute, or relative to the coefficient, which is then enclosed
(3)  an exact model:          s_i, the same sum over changes due to snapped angles, in every configuration; zero without

The robot of (1) to (3) is that of the file as written, without snapped angles. The error of snapping is part of every
certificate; for an exact model it is bounded here (:mod:`torquec.proof.torque.snap_bound`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from torquec.dynamics import friction_torque, gravity_torque, mass_matrix, spring_torque, velocity_torque
from torquec.errors import RobotError
from torquec.expr import Function, trace
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import enclose
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.coefficient_certificate import CoefficientCertificate, CoefficientProof, ErrorKind, Family
from torquec.proof.torque.snap_bound import snap_rows
from torquec.proof.tracking.acceleration_bound import MotionBoxes
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox

_ROUNDED_UP = 1.0 + 1e-12
"""Covers the rounding of a sum of some hundred products that are not negative."""

_SNAPPED = "angles of the file were snapped to right angles, and the resulting torque error cannot be bounded"
_KEEP_ANGLES = "keep them as they are written: --no-snap, or load(path, snap=False)"


@dataclass(frozen=True, eq=False)
class ProvenTorque:
    """A torque program (q, qd, qdd -> tau) with its proven error and the box in which that holds.

    `robot` is that of the file as written: its angles are not snapped. `lower`, `upper`, `velocity`,
    `acceleration` (n,) are the box, infinite where it has no limit; `torque` (n,) is b of (1); `coefficients` are the
    proofs of (2), `others` (n,) the bounds of coefficients without one; `snapped` (n, rows) are the bounds of (3), in
    the order of `torque_rows`, None without snaps.
    """

    program: Function
    robot: Robot
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    torque: Array
    coefficients: tuple[CoefficientProof, ...] = ()
    others: Array | None = None
    snapped: Array | None = None

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.robot.n

    def torques(self, boxes: MotionBoxes, friction: tuple[Array, Array] | None = None) -> Array:
        """The largest commanded torques (N, n) in the boxes, with a friction compensation between these ends (N, n);
        where it is not known, the largest with that at the speeds of the boxes and without.
        """
        ends = enclose(self.asked_program, boxes.lower, boxes.upper)
        if friction is not None:
            ends = {"tau": (ends["tau"][0] + friction[0], ends["tau"][1] + friction[1])}
        sizes = [np.maximum(np.abs(low), np.abs(high)) for low, high in ends.values()]
        largest: Array = np.max(sizes, axis=0)
        return largest

    @cached_property
    def asked_program(self) -> Function:
        """Commanded torques (q, qd, qdd) -> tau: the model's torques and the springs.

        `total` includes the robot's friction, for a controller that compensates it.
        """

        def algorithm(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
            tau = replay(self.program, {"q": q, "qd": qd, "qdd": qdd})["tau"]
            held = [a + b for a, b in zip(tau, spring_torque(self.robot, q), strict=True)]
            loss = friction_torque(self.robot, qd, load=tau)
            return {"tau": held, "total": [a + b for a, b in zip(held, loss, strict=True)]}

        return trace("asked", algorithm, dict.fromkeys(("q", "qd", "qdd"), (self.n,)))

    @cached_property
    def _coefficient_program(self) -> Function:
        return _coefficients(self.robot)

    def errors(self, lower: Array, upper: Array, speed: Array, acceleration: Array) -> Array:
        """Bounds (N, n) of the torque error for positions between `lower` and `upper` (N, n) and for speeds and
        accelerations of at most `speed` and `acceleration` (N, n): (1), (2) or (3).
        """
        found = np.broadcast_to(self.torque, lower.shape).copy()
        if self.snapped is not None:
            pairs = [speed[:, j] * speed[:, k] for j in range(self.n) for k in range(j, self.n)]
            weights = np.concatenate([acceleration, np.stack([*pairs, np.ones(len(speed))], axis=1)], axis=1)
            found += (weights @ self.snapped.T) * _ROUNDED_UP
        if self.others is None:
            return found
        # A coefficient that the certificate does not name has the error bound of its joint.
        moved = 1.0 + acceleration.sum(axis=1, keepdims=True) + speed.sum(axis=1, keepdims=True) ** 2
        found += self.others * moved
        ends = enclose(self._coefficient_program, {"q": lower}, {"q": upper})
        size = {key: np.maximum(np.abs(low), np.abs(high)) for key, (low, high) in ends.items()}
        for proof in self.coefficients:
            i, *rest = proof.index
            part = np.full(len(lower), proof.bound)
            if proof.kind is ErrorKind.RELATIVE:
                part *= np.moveaxis(size[str(proof.family)], 0, -1)[proof.index]
            if proof.family is Family.M:
                found[:, i] += part * acceleration[:, rest[0]]
                if rest[0] != i:
                    found[:, rest[0]] += part * acceleration[:, i]
            elif proof.family is Family.H:
                twice = 1.0 if rest[0] == rest[1] else 2.0
                found[:, i] += twice * part * speed[:, rest[0]] * speed[:, rest[1]]
            else:
                found[:, i] += part
        return found * _ROUNDED_UP


def certified_torque_error(program: Function, robot: Robot, record: Certificate) -> ProvenTorque | str:
    """Proven torque error from a certificate, (1) or (2); or the reason why it proves nothing about this program."""
    if record.robot_hash != robot.content_hash:
        return "the certificate is for another robot, or the robot has changed since"
    if program.content_hash == record.program.content_hash and record.joints:
        return _certified_torque(program, robot, record)
    inner = record.coefficients
    if inner is not None and program.content_hash == inner.program.content_hash:
        return _certified_coefficients(program, robot, inner)
    return "the model's inverse dynamics is not the program that its certificate is about"


def _certified_torque(program: Function, robot: Robot, record: Certificate) -> ProvenTorque | str:
    """(1)."""
    box = record.motions
    bounds = np.array([record.joints[name].bound for name in robot.joint_names])
    sides = [np.asarray(side, dtype=np.float64) for side in (box.lower, box.upper, box.velocity, box.acceleration)]
    if any(side.shape != (robot.n,) for side in sides):
        return "the box of the certificate does not fit the robot"
    if not (np.isfinite(bounds).all() and np.all(bounds >= 0.0)):
        return "a bound of the certificate is negative or not finite"
    positions = _turned(robot, sides[0], sides[1])
    return ProvenTorque(program, _written(robot), *positions, sides[2], sides[3], bounds)


def _certified_coefficients(program: Function, robot: Robot, inner: CoefficientCertificate) -> ProvenTorque | str:
    """(2)."""
    free = np.full(robot.n, math.inf)
    lower, upper = np.array(inner.box.lower), np.array(inner.box.upper)
    proofs = tuple(inner.coefficients.values())
    if not all(math.isfinite(proof.bound) and proof.bound >= 0.0 for proof in proofs):
        return "a bound of the certificate is negative or not finite"
    if len(inner.others) != robot.n or not np.isfinite(inner.others).all():
        return "the certificate bounds some of its coefficients only: make it again with torquec simplify"
    positions, others = _turned(robot, lower, upper), np.array(inner.others)
    return ProvenTorque(program, _written(robot), *positions, free, free, np.zeros(robot.n), proofs, others)


def exact_torque_error(program: Function, robot: Robot) -> ProvenTorque | str:
    """Proven torque error (3) of the robot's exact program; prismatic joints are bounded by the limits of the file."""
    free, zero = np.full(robot.n, math.inf), np.zeros(robot.n)
    if not robot.canonical.snaps:
        return ProvenTorque(program, robot, -free, free, free, free, zero)
    slides = np.array([not each.turns for each in robot.coordinates])
    limits = np.array([(each.limits.lower, each.limits.upper) for each in robot.coordinates]).T
    lower, upper = np.where(slides, limits, [-free, free])
    if not np.isfinite(limits[:, slides]).all():
        return f"{_SNAPPED}: a joint slides, and the file states no limits of its position; {_KEEP_ANGLES}"
    box = np.where(slides, limits, [-np.full(robot.n, math.pi), np.full(robot.n, math.pi)])
    try:
        snapped = snap_rows(robot, MotionBox(tuple(box[0].tolist()), tuple(box[1].tolist())))
    except RobotError as error:
        return f"{_SNAPPED}: {error.found}; {_KEEP_ANGLES}"
    return ProvenTorque(program, _written(robot), lower, upper, free, free, zero, snapped=snapped)


def _written(robot: Robot) -> Robot:
    """The robot of the file as written."""
    return replace(robot, snap=False) if robot.canonical.snaps else robot


def _turned(robot: Robot, lower: Array, upper: Array) -> tuple[Array, Array]:
    """The box of positions; an angle that ranges over a whole turn is unbounded, since torques are periodic.

    A spring's torque is not periodic: it grows with every turn, and the stated range bounds it.
    """
    repeats = [each.turns and each.joint.spring is None for each in robot.coordinates]
    free = np.array(repeats) & (upper - lower >= 2.0 * math.pi)
    free &= np.array(
        [all(b.joint.mimic is None or b.joint.mimic.joint != j.name for b in robot.bodies) for j in robot.joints]
    )
    return np.where(free, -math.inf, lower), np.where(free, math.inf, upper)


def _coefficients(robot: Robot) -> Function:
    """M (n, n), H (n, n, n) and g (n,) of the robot: q is its only input."""
    n = robot.n

    def algorithm(q: Any) -> dict[str, Any]:
        def at(*moving: int) -> list[Any]:
            return list(velocity_torque(robot, q, [float(moving.count(k)) for k in range(n)]))

        single = [at(j) for j in range(n)]
        H: list[Any] = [[[0.0] * n for _ in range(n)] for _ in range(n)]
        for j in range(n):
            for k in range(j, n):
                both = single[j] if j == k else at(j, k)
                for i in range(n):
                    mixed = both[i] if j == k else 0.5 * (both[i] - single[j][i] - single[k][i])
                    H[i][j][k] = H[i][k][j] = mixed
        return {"M": mass_matrix(robot, q), "H": H, "g": gravity_torque(robot, q)}

    return trace("coefficients", algorithm, {"q": (n,)})
