"""The sets of an `Uncertainty` as arrays, for the proof of a tracking guarantee.

An unknown payload is covered by boxes of its ten standard parameters: the mass is subdivided into ranges,
the centre into cubes, and first moments and moments of inertia over each follow by interval arithmetic:

(1)  first moment m c,   moments m (c_y^2 + c_z^2), ..,   products -m c_x c_y, ..,   plus the payload's own central
     inertia: moments from zero to inertia_part m r^2, products at most half of that, r the radius of the centre
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from torquec.control.model_terms import Evaluation, FrictionCompensation
from torquec.control.uncertainty import BodyUncertainty, JointUncertainty, PayloadUncertainty, SpeedSource, Uncertainty
from torquec.dynamics.friction_torque import has_load_friction
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.planning.torque_spread import TorqueSpread
from torquec.proof.tracking.plant_uncertainty import PlantUncertainty, body_directions
from torquec.proof.tracking.preconditioned import CarriedColumns
from torquec.robot.robot import BASE, Robot
from torquec.spatial import PARAMETER_NAMES, Inertia

_Range = tuple[float, float]


def plant_uncertainty(
    model: Model,
    stated: Uncertainty,
    robot: Robot,
    *,
    feedback: tuple[Array, Array],
    period: float | None,
    evaluation: Evaluation,
    friction: FrictionCompensation,
    efforts: Array,
) -> PlantUncertainty | str:
    """The sets as arrays, for a loop with this feedback (stiffness, damping); or the reason why nothing can be proven.

    `robot` is the nominal plant. Raises `ArgumentError` for speeds by difference or delays without a period, and for
    a relative torque error of a drive without an effort limit.
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
    known = [_speed_errors(joint, T) for joint in joints]
    limits = np.where(np.isfinite(efforts), efforts, 0.0)
    return PlantUncertainty(
        robot=robot,
        directions=body_directions(robot, _body_parts(stated.bodies)),
        carried=carried,
        friction_part=np.array([j.friction_part for j in joints]),
        friction_residual=np.array([j.friction_residual for j in joints]),
        drive_error=np.array([j.torque_part for j in joints]) * limits,
        compensation=trace("compensation", lambda **at: {"tau": friction.torque(model, at)}, ports),
        position_error=np.array([j.position + j.position_bias for j in joints]),
        position_noise=np.array([0.5 * j.position for j in joints]),
        speed_error=np.array([noise for noise, _ in known]),
        speed_lag=np.array([lag for _, lag in known]),
        feedback_noise=feedback[1] * np.array([joint.speed_noise for joint in joints]),
        delay=T * stated.samples_late(period),
        jitter=T * (stated.samples_late(period) - stated.timing.delay),
        stiffness=feedback[0],
        damping=feedback[1],
        at_reference=evaluation is Evaluation.REFERENCE,
        stated=_inertia_entries(stated),
    )


def torque_spread(robot: Robot, stated: Uncertainty) -> TorqueSpread:
    """The sets as a spread of the torques of a motion; errors of sensors and delays are not part of it."""
    joints = stated.of(robot)
    efforts = np.array([coordinate.limits.effort for coordinate in robot.coordinates])
    columns = body_directions(robot, _body_parts(stated.bodies))
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
    return TorqueSpread(columns, centre, half, np.array([joint.friction_part for joint in joints]), fixed)


def _speed_errors(joint: JointUncertainty, T: float) -> tuple[float, float]:
    """The error of the speed, and the lag [s] that the acceleration multiplies."""
    c = joint.speed_filter
    if joint.speed is SpeedSource.MEASURED:
        return joint.speed_noise, 0.0
    return c * joint.position / T, T * (0.5 + (1.0 - c) / c)


def _inertia_entries(stated: Uncertainty) -> dict[str, float]:
    """The entries that change the inertia, by name."""
    found = {f"bodies.{name}": value for name, value in vars(stated.bodies).items()}
    return found if stated.payload is None else {**found, "the largest payload.mass": stated.payload.mass[1]}


def _body_parts(bodies: BodyUncertainty) -> dict[str, float]:
    """The part of every standard parameter by its name: m; mx, my, mz; Ixx, .."""
    kinds = {"I": bodies.inertia_part}
    return {n: kinds.get(n[0], bodies.mass_part if n == "m" else bodies.first_moment_part) for n in PARAMETER_NAMES}


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

    Its mass is subdivided into `masses` ranges; its centre into so many `cubes` along each axis for the largest mass,
    and fewer for smaller ones; one empty box without a payload.
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
    """The product of two ranges; of one with itself where it is a square."""
    products = [x * y for x in a for y in b]
    if square:
        products = [x * x for x in a] + ([0.0] if a[0] <= 0.0 <= a[1] else [])
    return min(products), max(products)
