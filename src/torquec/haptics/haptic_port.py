"""Apparent mass, damping and friction of an arm along one axis of a frame (a haptic port).

A force f along the unit vector u of a frame (or a moment about it) acts on the joints as w f, w = J' u:

(1)  mass         m = 1/(w' M^-1 w)             effective mass of the free arm
(2)  damping      b = 1/(w' B^-1 w)             B the viscous friction of all shafts, the smaller of both directions
(3)  friction     min_i  c_i/|w_i|              smallest force that moves a joint against dry friction c
(4)  encoders     sum_i |w_i| step_i            apparent motion of the frame within one count of every joint
(5)  model error  the largest relative error of m: the spectral norm of |L^-1| E |L^-1|', M = L L', E the proven
     bounds of the entries of M; where nothing is proven, the difference between model and robot at this configuration
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.control.tracking_guarantee import proven_torque
from torquec.dynamics.friction_torque import rubbing_shafts
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.haptics.tuning import TUNING
from torquec.model.model import Model, as_model
from torquec.model.proven import Bounds, Standing
from torquec.proof.tracking.torque_error_bound import ProvenTorque
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import Robot


@dataclass(frozen=True)
class HapticPort:
    """One axis of an arm: mass [kg], damping [N s/m], dry friction [N], motion of one encoder count [m].

    About an axis: kg m^2, N m s/rad, N m, rad. `model_error` is the largest relative error of the controller's nominal
    mass. Raises `ArgumentError` for invalid numbers.
    """

    mass: float
    damping: float = 0.0
    friction: float = 0.0
    encoder_step: float = 0.0
    model_error: float = 0.0

    def __post_init__(self) -> None:
        check_number("mass", self.mass, "kg", above=0.0)
        for name in ("damping", "friction", "encoder_step", "model_error"):
            check_number(name, getattr(self, name), "", least=0.0)
        if self.model_error >= 1.0:
            raise ArgumentError(
                f"a model error of {self.model_error:g} leaves no mass", remedy="give a part of the mass below 1"
            )


def haptic_port(
    source: Robot | Model,
    frame: str | None = None,
    q: npt.ArrayLike | None = None,
    direction: Sequence[float] = (1.0, 0.0, 0.0),
    *,
    about: bool = False,
    encoder_step: float | Sequence[float] = 0.0,
) -> HapticPort:
    """The port of a frame (of the hand, unless one is named) at q (n,), along `direction` in base axes (1)-(5).

    With `about`, the port turns about it. `encoder_step` is a joint's count [rad, m], one for all or (n,). Raises
    `ArgumentError` for a bad direction or position, and where no joint moves the frame in that direction.

    >>> from torquec.robot import classics
    >>> port = haptic_port(classics.puma560(), "link6", [0.0, 0.7, -2.4, 0.3, 1.2, 0.0], (0.0, 0.0, 1.0))
    >>> round(port.mass, 3) > 1.0
    True
    """
    model = as_model(source)
    robot = model.robot
    name = hand_frame(robot) if frame is None else frame
    position = np.zeros(robot.n) if q is None else np.asarray(q, dtype=np.float64)
    if position.shape != (robot.n,) or not np.isfinite(position).all():
        raise ArgumentError(
            f"the position has the shape {position.shape}, robot '{robot.name}' has {robot.n} joints",
            remedy="give one finite number for each joint",
        )
    w = model.jacobian(name)(position).T @ _axis(direction, about)
    largest = float(np.abs(w).max(initial=0.0))
    if largest < 1e-9:
        raise ArgumentError(
            f"no joint moves '{name}' in the direction {tuple(direction)} at this position",
            remedy="choose another direction or another position",
        )
    M = np.asarray(model.mass_matrix(position))
    M = 0.5 * (M + M.T)
    counts = np.broadcast_to(np.asarray(encoder_step, dtype=np.float64), (robot.n,))
    return HapticPort(
        1.0 / float(w @ np.linalg.solve(M, w)),
        _port_damping(_viscous(robot), w),
        float(min(c / abs(x) for c, x in zip(_dry(robot), w, strict=True) if abs(x) > TUNING.lever_share * largest)),
        float(np.abs(w) @ counts),
        _mass_error(model, position, M, w),
    )


def check_number(
    name: str, value: float, unit: str, *, above: float = -math.inf, least: float = -math.inf, most: float = math.inf
) -> None:
    """Raise `ArgumentError`, which names the quantity, for a number that is not finite or out of its range."""
    if math.isfinite(value) and value > above and least <= value <= most:
        return
    wanted = "positive" if above == 0.0 else "not negative" if most == math.inf else f"between {least:g} and {most:g}"
    shown = f"{value} {unit}".strip()
    raise ArgumentError(
        f"{name.replace('_', ' ')} of a haptic loop is {shown}", remedy=f"give a number that is {wanted}"
    )


def _axis(direction: Sequence[float], about: bool) -> Array:
    u = np.asarray(direction, dtype=np.float64)
    size = float(np.linalg.norm(u)) if u.shape == (3,) else math.nan
    if not (math.isfinite(size) and size > 0.0):
        raise ArgumentError(f"the direction {tuple(direction)} is invalid", remedy="give three numbers, not all zero")
    zero = np.zeros(3)
    return np.concatenate([zero, u / size] if about else [u / size, zero])


def _viscous(robot: Robot) -> Array:
    """B of (2)."""
    B = np.zeros((robot.n, robot.n))
    for shaft in rubbing_shafts(robot):
        row = np.asarray(shaft.row)
        least = min(shaft.friction.viscous_positive, shaft.friction.viscous_negative)
        B += least * np.outer(row, row)
    return B


def _dry(robot: Robot) -> Array:
    """c of (3), of shafts that turn with one joint alone."""
    c = np.zeros(robot.n)
    for shaft in rubbing_shafts(robot):
        if shaft.is_joint:
            least = min(shaft.friction.coulomb_positive, shaft.friction.coulomb_negative)
            c += least * np.abs(np.asarray(shaft.row))
    return c


def _port_damping(B: Array, w: Array) -> float:
    """(2); zero where a joint that the force can move has no viscous friction."""
    values, vectors = np.linalg.eigh(B)
    along = vectors.T @ w
    free = values <= 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
    if (np.abs(along[free]) > TUNING.lever_share * np.abs(w).max()).any():
        return 0.0
    return 1.0 / float((along[~free] ** 2 / values[~free]).sum())


def _mass_error(model: Model, q: Array, M: Array, w: Array) -> float:
    """(5)."""
    if not model.kind.follows_program:
        return 0.0
    stated = model.proven("mass_matrix")
    known = proven_torque(model) if stated.standing is Standing.BOUNDED else ""
    if not isinstance(known, str):
        if (q < known.lower).any() or (q > known.upper).any():
            raise ArgumentError(
                "the position is outside of the box in which the model's error is proven",
                remedy="choose one inside, or take the exact model",
            )
        L = np.abs(np.linalg.inv(np.linalg.cholesky(M)))
        return float(np.linalg.norm(L @ _entry_bounds(stated.bounds, known, q) @ L.T, 2))
    exact = model.exact.mass_matrix(q)
    return abs(float(w @ np.linalg.solve(M, w)) / float(w @ np.linalg.solve(exact, w)) - 1.0)


def _entry_bounds(bounds: Bounds, known: ProvenTorque, q: Array) -> Array:
    """E of (5), (n, n): as stated, or from the proofs of the coefficients."""
    if bounds:
        stated: Array = np.array(bounds)
        symmetric: Array = 0.5 * (stated + stated.T)  # of the symmetric part of the model's M
        return symmetric
    here, zero = q[None], np.zeros((1, known.n))
    rest = known.errors(here, here, zero, zero)[0]
    columns = [known.errors(here, here, zero, unit[None])[0] - rest for unit in np.eye(known.n)]
    return np.stack(columns, axis=1)
