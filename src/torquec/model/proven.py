"""Proven error bounds of each quantity of a model: equality, bounds implied by a certificate, or none.

A torque certificate: |P - tau| <= b_i for all motions of its box; the error is E(q) qdd + e(q, qd) + h(q), and so

(1)  gravity: rest (q, 0, 0) is in the box, so |g_i error| <= b_i; total and pushed torques add exact terms: b_i
(2)  M: the errors at qdd and -qdd differ by 2 E qdd: sum_j |E_ij| a_j <= b_i over |qdd_j| <= a_j, |E_ij| <= b_i / a_j
(3)  velocity torque: the difference of two motions of the box, |c_i error| <= 2 b_i

A coefficient certificate bounds every entry of M, c and g by itself. For forward dynamics, derivatives, C and energies
no error bound is proven: the only guarantee is that they follow from the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from torquec.dynamics.friction_torque import has_load_friction
from torquec.model.followed_program import FOLLOWS
from torquec.robot.robot import Robot

if TYPE_CHECKING:
    from torquec.proof.torque.certificate import Certificate

Bounds = tuple[tuple[float, ...], ...]
"""By row: one bound per joint (n, 1), or one per entry (n, n)."""


class Standing(StrEnum):
    """Guarantee on a quantity: exact, bounded or unproven."""

    EXACT = "exact"
    """It is the robot's own, to rounding."""
    BOUNDED = "bounded"
    """Its error against the robot's is proven to stay within bounds."""
    UNPROVEN = "unproven"
    """It follows from the model's program; its error against the robot's is not proven."""


@dataclass(frozen=True)
class Proven:
    """Proven statement about one quantity, as text, with bounds [N m, N; kg m^2 for M] by row where there are any."""

    standing: Standing
    text: str
    bounds: Bounds = ()


def _same(record: Certificate) -> Bounds:
    return tuple((proof.bound,) for proof in record.joints.values())


def _doubled_bounds(record: Certificate) -> Bounds:
    return tuple((2.0 * proof.bound,) for proof in record.joints.values())


def _by_acceleration(record: Certificate) -> Bounds:
    limits = record.motions.acceleration
    if not all(limit > 0.0 for limit in limits):
        return ()
    return tuple(tuple(proof.bound / limit for limit in limits) for proof in record.joints.values())


_TORQUE: Mapping[str, tuple[Callable[[Certificate], Bounds], str]] = MappingProxyType(
    {
        "inverse_dynamics": (_same, "the torque error of every joint, over all motions of the box"),
        "gravity_torque": (_same, "rest is a motion of the box: the torque bounds hold"),
        "total_torque": (_same, "friction and springs are the robot's own: the torque bounds hold"),
        "pushed_inverse_dynamics": (_same, "what the wrench adds is the robot's own: the torque bounds hold"),
        "velocity_torque": (_doubled_bounds, "the difference of two motions of the box: twice the torque bounds hold"),
        "mass_matrix": (_by_acceleration, "row i, column j: the torque bound of joint i by the acceleration of j"),
    }
)
"""Bounds (1)-(3) that a torque certificate implies, each with the reason."""

_COEFFICIENTS = ("mass_matrix", "gravity_torque", "velocity_torque")


def proven_of_program(quantity: str, record: Certificate | None, robot: Robot) -> Proven:
    """Proven bounds of a quantity that follows from a program, with or without a certificate."""
    name = quantity.partition(":")[0]
    row = FOLLOWS[name]
    if row.algorithm is None and not row.refusal:
        return Proven(Standing.EXACT, row.formula)
    if name == "total_torque" and has_load_friction(robot):
        text = "friction depends on the load, and so on the error of the program; nothing is proven about it"
        return Proven(Standing.UNPROVEN, text)
    if record is not None and record.joints and name in _TORQUE:
        bounds, text = _TORQUE[name]
        if found := bounds(record):
            return Proven(Standing.BOUNDED, text, found)
    inner = None if record is None else record.coefficients
    if record is not None and inner is not None and inner.program == record.program and name in _COEFFICIENTS:
        return Proven(Standing.BOUNDED, "the error of every coefficient is proven: model.record.coefficients")
    return Proven(Standing.UNPROVEN, f"it follows from the program, {row.formula}; nothing is proven of its error")
