"""Stiction: set-valued Coulomb friction by time stepping.

A slider (a joint or a motor shaft) moves at s = w . qd. Its dry friction lies between -c+ and c-, the levels of its
Coulomb, Stribeck and load-dependent friction at the beginning of a step, and

(1)  s > 0: the friction torque is -c+,   s < 0: it is c-,   s = 0: the torque that holds it, within the bounds

For a step from qd with sliders moving in directions d = sign(w . qd) or at rest (d = 0):

(2)  integrate with Coulomb friction in the directions d, none at rest: a smooth problem, which keeps the integrator's
     order; the result is qd*, and friction has exerted the impulses P0 = -d c h
(3)  find impulses P within the bounds [-c+ h, c- h] such that (1) holds at the end of the step for
     qd = qd* + M^-1 sum w (P - P0), by projected Gauss-Seidel sweeps (Moreau's time stepping):
     P := clip(P - (w . qd) / (w . M^-1 w), bounds);   M is replaced by M + h D/2, D the slope of viscous friction: it
     gives the effect of an impulse spread over the step, for light joints that are damped within few steps
(4)  a joint whose friction is within its bounds is at rest, exactly
(5)  positions follow by the mean of the change, q = q* + h/2 (qd - qd*); a joint at rest before and after has not moved

Where a slider keeps moving in its direction, (3) changes nothing: sliding keeps the integrator's accuracy, and rest is
rest exactly. Static friction: the bounds of a slider that is at rest before the step are `breakaway` times as wide.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.friction_torque import Shaft, has_load_friction
from torquec.expr.math import absolute, maximum, minimum, select
from torquec.robot.configuration import joint_slices, position_rates
from torquec.simulation.bristles import sliders
from torquec.simulation.integrators import State, rk4_step
from torquec.simulation.plant import Dynamics, dry_level
from torquec.simulation.tuning import TUNING
from torquec.spatial import Scalar


def stick_slip_step(dynamics: Dynamics, y: Sequence[Scalar], tau: Sequence[Scalar], h: Scalar) -> State:
    """The state y of `Dynamics.motion_rate` after a step h under held drive torques tau (n,), (2)-(5)."""
    plant = dynamics.plant
    places = sliders(plant.robot)
    speeds = [slider.speed(plant.speed(y)) for slider in places]
    signs = [_direction(speed) for speed in speeds]
    free = rk4_step(lambda state: dynamics.motion_rate(state, tau, signs), y, h)
    q, qd = plant.position(free), plant.speed(free)
    loads: list[Scalar] = [0.0] * len(places)
    if has_load_friction(plant.robot):
        rigid = dynamics.balance(y, dynamics.torque_of(dynamics.currents(y), tau), signs).rigid
        loads = [slider.load(rigid) for slider in places]
    levels = [
        (dry_level(slider, forwards=True, speed=s, load=w), dry_level(slider, forwards=False, speed=s, load=w))
        for slider, s, w in zip(places, speeds, loads, strict=True)
    ]
    held = _after_friction(dynamics, levels, signs, [q, qd], h)
    rest = [
        minimum(TUNING.rest_speed - absolute(a), TUNING.rest_speed - absolute(b))
        for a, b in zip(plant.speed(y), held, strict=True)
    ]
    changed = [new - old for new, old in zip(held, qd, strict=True)]
    moved = [x + (0.5 * h) * rate for x, rate in zip(q, position_rates(plant.robot, q, changed), strict=True)]
    settled = list(moved)
    for joint, at, rates in joint_slices(plant.robot):
        if joint.kind.nv == 1:  # a joint with several coordinates has no dry friction
            settled[at.start] = select(rest[rates.start], y[at.start], moved[at.start])
    return [*settled, *held, *free[len(q) + plant.n :]]


def _direction(speed: Scalar) -> Scalar:
    """1, -1, or 0 at rest."""
    return select(speed - TUNING.rest_speed, 1.0, select(-TUNING.rest_speed - speed, -1.0, 0.0))


def _after_friction(
    dynamics: Dynamics,
    levels: Sequence[tuple[Scalar, Scalar]],
    signs: Sequence[Scalar],
    free: Sequence[Sequence[Scalar]],
    h: Scalar,
) -> list[Scalar]:
    """(3), with c+ and c- of every slider and q*, qd* of (2)."""
    places, (q, qd) = sliders(dynamics.plant.robot), free
    bodies = dynamics.damped_bodies(q, qd, h)
    answers = [bodies.solve(list(slider.row)) for slider in places]
    yields = [1.0 / slider.speed(answer) for slider, answer in zip(places, answers, strict=True)]
    scales = [dynamics.slider_scale(slider) for slider in places]
    low, high, impulse = [], [], []
    for (forward, backward), sign, scale in zip(levels, signs, scales, strict=True):
        wide = h * (scale * select(-absolute(sign), dynamics.plant.breakaway, 1.0))
        low.append(-(forward * wide))
        high.append(backward * wide)
        spent = maximum(0.0, -sign) * backward - maximum(0.0, sign) * forward
        impulse.append((h * scale) * spent)
    speed = list(qd)
    for _ in range(TUNING.stick_sweeps):
        for k, (slider, answer) in enumerate(zip(places, answers, strict=True)):
            wanted = impulse[k] - slider.speed(speed) * yields[k]
            new = minimum(high[k], maximum(low[k], wanted))
            change = new - impulse[k]
            impulse[k] = new
            speed = [v + change * a for v, a in zip(speed, answer, strict=True)]
    return _settled(places, speed, [minimum(b - p, p - a) for a, p, b in zip(low, impulse, high, strict=True)])


def _settled(places: Sequence[Shaft], speed: list[Scalar], reserve: Sequence[Scalar]) -> list[Scalar]:
    """(4): a joint whose friction is within its bounds has speed zero, exactly, not the residual of the sweeps."""
    for slider, left in zip(places, reserve, strict=True):
        moved = [k for k, way in enumerate(slider.row) if way]
        if len(moved) == 1:
            speed[moved[0]] = select(-left, speed[moved[0]], 0.0)
    return speed
