"""Dahl friction (presliding): dry friction that reverses over a distance, as a passive function with state.

Teeth, flexsplines and seals bend before they slide. A shaft with `turnover_distance` w keeps the direction z of its dry
friction, between -1 and 1, along its path x:

(1)  dz/dx = (s - z)/w,   s the sign of dx;   from sample to sample  z = s + (z0 - s) exp(-|x - x0|/w)
(2)  dry friction at the shaft  f = f(v, z, load): every dry term with the direction z

A joint at standstill thus keeps the torque with which it stopped. A constant level f = F z is passive: bent teeth
store E = w F z^2/2, and f (x - x0) >= E - E0 for the step (1). A level that varies (Stribeck, load) could return more
than was stored. Therefore the stored energy is a state, too, and limits the returned energy:

(3)  f := f min(1, E0/|f (x - x0)|)  where f (x - x0) < 0;      E = min(E0 + f (x - x0), w |f z|/2) >= 0

Over any motion, the work that dry friction absorbs is then at least minus the energy of the first state. For Coulomb
friction, (3) changes nothing. Shafts without a distance reverse as in `friction_torque`. The state is (x, z, E), one
of each per shaft; `friction_start` is the state of a robot that has not moved.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.dynamics.friction import Direction, Rounded
from torquec.dynamics.friction_torque import (
    FrictionPart,
    friction_shafts,
    friction_torque,
    rubbing_shafts,
    shaft_friction,
    spread_torque,
)
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.spring_torque import spring_torque
from torquec.expr.math import absolute, exp, maximum, minimum, select
from torquec.foundation.arrays import Array
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates
from torquec.spatial import Scalar

DISTANCE = "turnover_distance"
"""The friction parameter that gives a shaft memory [rad or m]."""

_LEAST_WORK = 1e-300  # divisor in (3) in place of zero


@dataclass(frozen=True)
class FrictionStep:
    """Torques (n,) of a step and the state (3 shafts,) after it."""

    tau: list[Scalar]
    next_state: list[Scalar]


def has_memory(robot: Robot) -> bool:
    """Whether some shaft's dry friction reverses over a distance."""
    return not robot.dependent and any(shaft.friction.value(DISTANCE) for shaft in rubbing_shafts(robot))


def memory_size(robot: Robot) -> int:
    """Numbers of the state: (x, z, E) of every shaft."""
    return 3 * len(friction_shafts(robot))


def friction_start(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """Initial friction state (3 shafts,) at q (n,), without presliding deflection."""
    check_single_coordinates(robot)
    found = [shaft.speed(q) for shaft in friction_shafts(robot)]
    return [*found, *(0.0 * x for x in found), *(0.0 * x for x in found)]


def friction_step(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], state: Sequence[Scalar]) -> FrictionStep:
    """Friction (n,) at the next sample (1)-(3), from the `state` after the previous sample; without load terms."""
    return losses_step(robot, q, qd, state)


def total_torque_step(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], state: Sequence[Scalar]
) -> FrictionStep:
    """Drive torques (n,) at the next sample: rigid bodies, springs, and friction with memory, load terms too."""
    return torque_step(robot, inverse_dynamics(robot, q, qd, qdd), q, qd, state)


def torque_step(
    robot: Robot, rigid: Sequence[Scalar], q: Sequence[Scalar], qd: Sequence[Scalar], state: Sequence[Scalar]
) -> FrictionStep:
    """Rigid-body torques (n,), of any model, with springs and friction with memory added."""
    step = losses_step(robot, q, qd, state, load=rigid)
    parts = zip(rigid, step.tau, spring_torque(robot, q), strict=True)
    return FrictionStep([bodies + friction + spring for bodies, friction, spring in parts], step.next_state)


def losses_step(
    robot: Robot,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    state: Sequence[Scalar],
    *,
    load: Sequence[Scalar] | None = None,
) -> FrictionStep:
    """`friction_step`, under rigid-body torques `load` (n,) where they are known."""
    check_single_coordinates(robot)
    torque = friction_torque(robot, qd, load=load, part=FrictionPart.SMOOTH)
    shafts = friction_shafts(robot)
    count, after = len(shafts), []
    for k, shaft in enumerate(shafts):
        width, x, before = shaft.friction.value(DISTANCE), shaft.speed(q), state[k::count]
        moved = x - before[0]
        direction: Direction | None = None
        z, stored = before[1], before[2]
        if width:
            side = select(moved, 1.0, -1.0)
            z = side + (before[1] - side) * exp(-(1.0 / width) * absolute(moved))
            direction = Rounded(z)
        force = shaft_friction(shaft.friction, shaft.state(qd, load, direction), FrictionPart.DRY)
        if width:
            work = force * moved
            limit = minimum(1.0, stored / maximum(-work, _LEAST_WORK))
            share = select(work, 1.0, limit)
            stored = maximum(0.0, minimum(stored + share * work, (0.5 * width) * absolute(force * z)))
            force = share * force
        torque = spread_torque(torque, shaft, force)
        after.append((x, z, stored))
    return FrictionStep(torque, [value for part in zip(*after, strict=True) for value in part])


def bent_direction(position: Array, width: float, first: float) -> Array:
    """z (N,) of (1) along positions (N,) in time order, from z = `first` on, stretch by stretch between reversals."""
    z = np.full(len(position), float(first))
    forward = np.diff(position) >= 0.0
    starts = np.concatenate([[0], np.flatnonzero(forward[1:] != forward[:-1]) + 1, [len(forward)]])
    for start, stop in itertools.pairwise(starts):
        if stop > start:
            side = 1.0 if forward[start] else -1.0
            way = np.abs(position[start + 1 : stop + 1] - position[start])
            z[start + 1 : stop + 1] = side + (z[start] - side) * np.exp(-way / width)
    return z
