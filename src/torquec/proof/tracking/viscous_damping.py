"""Viscous friction in the error loop: it damps errors where friction is compensated at the reference speed.

Split the friction f(v) = B v + h(v), with B the viscous friction that both directions have in common, and the
compensation f^(v) = B v + h^(v). With compensation at the reference speed v_j of an earlier sample, at every instant

(1)  f^(v_j) - f(qd) = B ed + [h^(v_j) - h(qd)] + B (v_j - qd_ref),    ed = qd_ref - qd

The bracket does not grow with ed, and the term B ed accelerates the error by -M_t^-1 B ed: damping, whose sign is
known. As a disturbance of any sign it exceeds the feedback of an arm with light joints (an xArm 7: |M^-1 B| is 60/s at
its first joint, which is three poles at -20). The argument holds for every B; a smaller one only leaves more in h.

The loop is sampled. With z = T ed, A = T M_t^-1 B, and times T^2 all accelerations, let p_k = G u + A z_k be the
acceleration -edd at a sample without disturbances. Time r T after the sample

(2)  T^2 edd = -p_k + r A p_k + T^2 (w + w'),   w' = -A int_0^r (edd + p_k/T^2),   |edd + p_k/T^2| <= |w| + r |A edd|
     |w'| <= |A| (r |w| + r^2/2 |A edd|)
(3)  so that e_k+1 and z_k+1 are those of (1) of :mod:`torquec.proof.tracking.coupled_loop`, with the disturbance w + w'
(4)  between samples, with w~ the mean of w + w' over the time since the sample, instead of w + w':
       z(r) = (1 - r) z_k + r z_k+1(w~) + (r^2 - r) A p_k/2,    |(r^2 - r) A p_k/2| <= |A p_k|/8
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from torquec.dynamics import mass_matrix
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import approximate_inverses
from torquec.proof.tracking.preconditioned import batched_product
from torquec.robot.friction import Friction
from torquec.robot.robot import Body, Robot

_FASTEST = 0.2
"""Largest part of a joint's speed that B removes in a sampling interval: (2) is close for small ones."""

_UP = 1.0 + 1e-12  # covers the rounding of sums of some dozens of products that are not negative


@dataclass(frozen=True, eq=False)
class ViscousDamping:
    """B of (1): `coefficients` (n,) [N m s/rad or N s/m], and M^-1 (n, n) at one configuration, as a time scale."""

    coefficients: Array
    inverse: Array

    @classmethod
    def none(cls, n: int) -> ViscousDamping:
        """No friction in the loop."""
        return cls(np.zeros(n), np.zeros((n, n)))

    @classmethod
    def of(cls, robot: Robot, positions: Array, period: float) -> ViscousDamping:
        """The common viscous friction of the joints, reduced where it is fast against the sampling at some positions
        (N, n).
        """
        found = np.zeros(robot.n)
        for body in robot.bodies:
            if (friction := _own_friction(body)) is not None:
                common = max(min(friction.viscous_positive, friction.viscous_negative), 0.0)
                found[robot.joint_index(body.joint.name)] = common
        rows = mass_matrix(robot, list(positions.T))
        M = np.array([[np.broadcast_to(x, len(positions)) for x in row] for row in rows], dtype=np.float64)
        inverse, regular = approximate_inverses(np.moveaxis(M, 2, 0))
        if not regular.all():
            return cls.none(robot.n)
        rates = period * np.diagonal(inverse, axis1=1, axis2=2).max(axis=0) * found
        return cls(found * np.minimum(1.0, _FASTEST / np.maximum(rates, _FASTEST)), inverse[len(inverse) // 2])

    def rates(self, inverse: Array) -> Array:
        """M_t^-1 B [1/s] for M_t^-1 (.., n, n)."""
        return np.asarray(inverse * self.coefficients)

    def left_out_of(self, robot: Robot) -> Robot:
        """The robot with the friction h of (1)."""
        return replace(robot, bodies=tuple(self._without(robot, body) for body in robot.bodies))

    def _without(self, robot: Robot, body: Body) -> Body:
        friction = _own_friction(body)
        if friction is None:
            return body
        B = float(self.coefficients[robot.joint_index(body.joint.name)])
        forwards, backwards = friction.viscous_positive - B, friction.viscous_negative - B
        rest = replace(friction, viscous_positive=forwards, viscous_negative=backwards)
        return replace(body, joint=replace(body.joint, friction=rest))


def _own_friction(body: Body) -> Friction | None:
    """The friction of a joint with one coordinate of its own."""
    joint = body.joint
    return joint.friction if joint.mimic is None and joint.kind.nv == 1 else None


def step_error(A: Array, w: Array, acceleration: Array, *, rising: float) -> Array:
    """w' of (2) as a constant level (.., n): A (.., n, n), largest disturbances w and accelerations edd (.., n).

    `rising`: the level that replaces a disturbance that rises from zero to one in a sampling interval.
    """
    A = np.abs(A)
    return rising * batched_product(A, w + 0.5 * batched_product(A, acceleration)) * _UP


def speed_error(A: Array, p: Array, period: float) -> Array:
    """The last term of (4) as a speed (.., n), for p_k/T^2 (.., n)."""
    return period / 8.0 * batched_product(np.abs(A), p) * _UP
