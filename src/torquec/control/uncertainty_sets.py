"""The sets of an `Uncertainty` as arrays, for the proof of a tracking guarantee.

An unknown payload is covered by boxes of its ten standard parameters: the mass is subdivided into ranges,
the centre into cubes, and first moments and moments of inertia over each follow by interval arithmetic:

(1)  first moment m c,   moments m (c_y^2 + c_z^2), ..,   products -m c_x c_y, ..,   plus the payload's own central
     inertia: moments from zero to inertia_part m r^2, products at most half of that, r the radius of the centre

The confidence ellipsoid of identified base parameters, x' S^-1 x <= chi squared quantile of as many degrees of freedom:

(2)  x = F z,  |z| <= 1,  F F' = quantile S, by the eigenvectors of the correlation matrix, which is well scaled
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from torquec.control.model_terms import Evaluation, FrictionAt, FrictionCompensation
from torquec.control.poles import ErrorFeedback
from torquec.control.structured_errors import chi_squared_exceeded, chi_squared_quantile
from torquec.control.uncertainty import BodyUncertainty, JointUncertainty, PayloadUncertainty, SpeedSource, Uncertainty
from torquec.dynamics.friction_torque import has_load_friction
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.model.quantities import base_of
from torquec.planning.torque_spread import TorqueSpread
from torquec.proof.tracking.plant_uncertainty import PlantUncertainty
from torquec.proof.tracking.preconditioned import CarriedColumns
from torquec.proof.tracking.viscous_damping import ViscousDamping
from torquec.robot.robot import BASE, Robot
from torquec.spatial import PARAMETER_NAMES, Inertia

_Range = tuple[float, float]

_ROUNDED = 1e-13
"""Covers the rounding of eigenvalues of a correlation matrix, by its dimension."""


def plant_uncertainty(
    model: Model,
    stated: Uncertainty,
    robot: Robot,
    *,
    feedback: ErrorFeedback,
    period: float | None,
    evaluation: Evaluation,
    friction: FrictionCompensation,
    efforts: Array,
    motion: Array | None = None,
) -> PlantUncertainty | str:
    """The sets as arrays, for a loop with this feedback; or the reason why nothing can be proven.

    `robot` is the nominal plant. With positions of its `motion` (N, n), viscous friction that the law compensates at
    the reference is part of the loop. Raises `ArgumentError` for speeds by difference or delays without a period, and
    for a relative torque error of a drive without an effort limit.
    """
    joints = stated.of(robot)
    if has_load_friction(robot):
        return "friction that depends on the load is not bounded under uncertainty: fit friction without that term"
    late = stated.timing.delay or stated.timing.jitter
    if period is None and (late or any(j.speed is SpeedSource.DIFFERENCE for j in joints)):
        raise ArgumentError("a delay, or speeds by difference, without a sampling interval", remedy="give period=...")
    T = period or 0.0
    for name, joint, effort in zip(robot.joint_names, joints, efforts, strict=True):
        if joint.torque_part and not math.isfinite(effort):
            raise ArgumentError(
                f"joint '{name}' has torque_part = {joint.torque_part:g} and no effort limit",
                remedy="state its limit in the robot's file, or leave torque_part out",
            )
    carried = None if stated.payload is None else payload_columns(robot, stated.payload)
    ports = dict.fromkeys(("qd_ref", "qd"), (robot.n,))
    known = [speed_errors(joint, T) for joint in joints]
    limits = np.where(np.isfinite(efforts), efforts, 0.0)
    directions, factor = body_set(robot, stated)
    viscous = ViscousDamping.none(robot.n)
    if motion is not None and friction.at is FrictionAt.REFERENCE:
        viscous = ViscousDamping.of(robot, motion, T)
    known_friction = viscous.left_out_of(model.robot)
    return PlantUncertainty(
        robot=robot,
        directions=directions,
        factor=factor,
        carried=carried,
        friction_part=np.array([j.friction_part for j in joints]),
        friction_residual=np.array([j.friction_residual for j in joints]),
        drive_error=np.array([j.torque_part for j in joints]) * limits,
        compensation=trace("compensation", lambda **at: {"tau": friction.torque(known_friction, at)}, ports),
        viscous=viscous,
        position_error=np.array([j.position + j.position_bias for j in joints]),
        position_noise=np.array([0.5 * j.position for j in joints]),
        speed_error=np.array([noise for noise, _ in known]),
        speed_lag=np.array([lag for _, lag in known]),
        feedback_noise=np.array(feedback.damping) * np.array([joint.speed_noise for joint in joints]),
        delay=T * stated.samples_late(period),
        jitter=T * (stated.samples_late(period) - stated.timing.delay),
        stiffness=np.array(feedback.stiffness),
        damping=np.array(feedback.damping),
        integral=None if feedback.integral is None else np.array(feedback.integral),
        at_reference=evaluation is Evaluation.REFERENCE,
        payload_reach=(held.nominal_mass, held.centre_within) if (held := stated.payload) else (0.0, math.inf),
        stated=_inertia_entries(stated, directions.shape[1]),
    )


def torque_spread(robot: Robot, stated: Uncertainty) -> TorqueSpread:
    """The sets as a spread of the torques of a motion; errors of sensors and delays are not part of it."""
    joints = stated.of(robot)
    efforts = np.array([coordinate.limits.effort for coordinate in robot.coordinates])
    columns, factor = body_set(robot, stated)
    columns = columns if factor is None else columns @ factor
    ball = 0 if factor is None else columns.shape[1]
    centre, half = np.zeros(columns.shape[1]), np.ones(columns.shape[1])
    if stated.payload is not None:
        carried = payload_columns(robot, stated.payload)
        whole = np.zeros((len(columns), len(PARAMETER_NAMES)))
        first = len(PARAMETER_NAMES) * carried.body
        whole[first : first + len(PARAMETER_NAMES)] = carried.units
        (box,) = payload_cells(stated.payload, 1, 1)
        columns = np.concatenate([columns, whole], axis=1)
        centre, half = np.concatenate([centre, box[0]]), np.concatenate([half, box[1]])
    drives = np.array([joint.torque_part for joint in joints]) * np.where(np.isfinite(efforts), efforts, 0.0)
    fixed = np.array([joint.friction_residual for joint in joints]) + drives
    return TorqueSpread(columns, centre, half, np.array([joint.friction_part for joint in joints]), fixed, ball)


def body_set(robot: Robot, stated: Uncertainty) -> tuple[Array, Array | None]:
    """Columns (10 bodies + motors, j) of deviations of standard parameters, and F (j, k) of (2), None without (2).

    Raises `ArgumentError` for a covariance that is not that of the robot's base parameters, or not positive.
    """
    level = stated.bodies.covariance
    if level is None:
        return body_directions(robot, _body_parts(stated.bodies)), None
    stated.of(robot)
    assert stated.identified is not None
    base, parameters = base_of(robot), stated.identified[1]
    assert parameters.covariance is not None
    place = {name: k for k, name in enumerate(parameters.names)}
    if missing := [name for name in base.names if name not in place]:
        raise ArgumentError(
            f"the covariance is not that of the base parameters of robot '{robot.name}': it has no '{missing[0]}'",
            remedy="identify this robot with these joints, or give parts of masses and inertias in [bodies]",
        )
    rows = [place[name] for name in base.names]
    S = np.array(parameters.covariance)[np.ix_(rows, rows)]
    sizes = np.sqrt(np.diagonal(S))
    scale = np.where(sizes > 0.0, sizes, 1.0)
    values, vectors = np.linalg.eigh(S / np.outer(scale, scale))
    if values.min(initial=0.0) < -_ROUNDED * len(S):
        raise ArgumentError(
            f"the covariance of '{robot.name}' is not positive: an eigenvalue of correlations is {values.min():.2g}",
            remedy="identify again, or give parts of masses and inertias in [bodies]",
        )
    radius = math.sqrt(chi_squared_quantile(level, len(S)))
    return base.body_expansion, (radius * scale)[:, None] * vectors * np.sqrt(np.maximum(values, 0.0) + _ROUNDED)


def speed_errors(joint: JointUncertainty, T: float) -> tuple[float, float]:
    """The error of the speed, and the lag [s] that the acceleration multiplies."""
    c = joint.speed_filter
    if joint.speed is SpeedSource.MEASURED:
        return joint.speed_noise, 0.0
    return c * joint.position / T, T * (0.5 + (1.0 - c) / c)


def _inertia_entries(stated: Uncertainty, ellipsoid: int) -> dict[str, Callable[[float], float]]:
    """The entries that change the inertia, by name: their values for a part of the sets; `ellipsoid`: its dimension."""
    found = {f"bodies.{name}": value for name, value in vars(stated.bodies).items() if value and name != "covariance"}
    if stated.payload is not None:
        found["the largest payload.mass"] = stated.payload.mass[1]
    entries: dict[str, Callable[[float], float]] = {name: partial(_share, value) for name, value in found.items()}
    if stated.bodies.covariance is not None:
        quantile = chi_squared_quantile(stated.bodies.covariance, ellipsoid)
        entries["bodies.covariance"] = lambda part: 1.0 - chi_squared_exceeded(part**2 * quantile, ellipsoid)
    return entries


def _share(value: float, part: float) -> float:
    return part * value


def _body_parts(bodies: BodyUncertainty) -> dict[str, float]:
    """The part of every standard parameter by its name: m; mx, my, mz; Ixx, .."""
    kinds = {"I": bodies.inertia_part}
    return {n: kinds.get(n[0], bodies.mass_part if n == "m" else bodies.first_moment_part) for n in PARAMETER_NAMES}


def body_directions(robot: Robot, parts: Mapping[str, float]) -> Array:
    """Deviations (10 bodies, k) of every standard parameter by a part of itself, by name, one column for each."""
    values = [float(x) for body in robot.bodies for x in body.inertia.parameters]
    names = [name for _ in robot.bodies for name in PARAMETER_NAMES]
    sizes = np.array([abs(value) * parts[name] for name, value in zip(names, values, strict=True)])
    full = np.diag(sizes)
    return full[:, sizes > 0.0]


def payload_columns(robot: Robot, payload: PayloadUncertainty) -> CarriedColumns:
    """The columns of a payload with one standard parameter equal to one in the payload's frame."""
    carrier = robot.frame(payload.frame)
    if carrier.body == BASE:
        raise ArgumentError(f"the payload's frame '{payload.frame}' does not move", remedy="name one of a moving body")
    width = len(PARAMETER_NAMES)
    units = [Inertia(*(float(j == k) for j in range(width))).transformed(carrier.pose) for k in range(width)]
    return CarriedColumns(robot, carrier.body, np.array([unit.parameters for unit in units], dtype=np.float64).T)


def payload_cells(payload: PayloadUncertainty | None, masses: int, cubes: int) -> Array:
    """Boxes (C, 2, 10), centres and half widths, that cover the payload's parameters beyond the nominal ones.

    The mass is subdivided into `masses` ranges. The centre is subdivided into `cubes` along each axis for the largest
    mass, and into fewer for smaller masses. Without a payload there is one empty box.
    """
    if payload is None:
        return np.zeros((1, 2, 0))
    low, high = payload.mass
    reach, edges = payload.centre_within, np.linspace(low, high, masses + 1)
    found = []
    for mass in itertools.pairwise(edges.tolist()):
        count = math.ceil(cubes * mass[1] / high - 1e-9) if reach and high else 1
        cuts = np.linspace(-reach, reach, max(count, 1) + 1)
        sides = list(itertools.pairwise(cuts.tolist()))
        for x, y, z in itertools.product(sides, repeat=3):
            nearest = [0.0 if a <= 0.0 <= b else min(abs(a), abs(b)) for a, b in (x, y, z)]
            if math.hypot(*nearest) <= reach * (1.0 + 1e-12):
                found.append(_payload_box(payload, mass, (x, y, z)))
    return np.array(found)


def _payload_box(payload: PayloadUncertainty, mass: _Range, place: tuple[_Range, _Range, _Range]) -> Array:
    """(1): centre and half widths (2, 10) of the parameters beyond the nominal ones, for ranges of mass and centre."""
    largest = mass[1] * payload.centre_within**2
    own = largest * payload.inertia_part  # of the central moments; products are at most half of it
    squares = [_times(side, side, square=True) for side in place]

    def moment(a: int, b: int) -> _Range:
        low, high = _times(mass, (squares[a][0] + squares[b][0], squares[a][1] + squares[b][1]))
        return low, min(high, largest) + own

    def product(a: int, b: int) -> _Range:
        low, high = _times(mass, _times(place[a], place[b]))
        return -high - 0.5 * own, -low + 0.5 * own

    firsts = [_times(mass, side) for side in place]
    ranges = {"Ixx": moment(1, 2), "Iyy": moment(0, 2), "Izz": moment(0, 1)}
    ranges |= {"Ixy": product(0, 1), "Ixz": product(0, 2), "Iyz": product(1, 2)}
    ranges |= dict(zip(("mx", "my", "mz"), firsts, strict=True))
    ranges["m"] = (mass[0] - payload.nominal_mass, mass[1] - payload.nominal_mass)
    ends = np.array([ranges[name] for name in PARAMETER_NAMES]).T
    half = 0.5 * (ends[1] - ends[0]) * (1.0 + 1e-12) + 1e-15
    return np.array([0.5 * (ends[0] + ends[1]), half])


def _times(a: _Range, b: _Range, *, square: bool = False) -> _Range:
    """The product of two ranges; with `square`, of one range with itself."""
    products = [x * y for x in a for y in b]
    if square:
        products = [x * x for x in a] + ([0.0] if a[0] <= 0.0 <= a[1] else [])
    return min(products), max(products)
