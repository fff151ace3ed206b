"""Sampled haptic loop coupled to a passive hand: state matrix, stability, and energy through the port.

Arm, grip, hand and force filter are one linear system dx/dt = A x + B u with u held; the object, the encoder
difference and the delays are further states. One matrix describes all of it:

(1)  xi_(n+1) = A_d xi_n
(2)  energy out of the hand during a period,  integral of f v' dt = xi' Q xi,   Q(2 h) = Q(h) + Phi(h)' Q(h) Phi(h)

v' is the speed of the hand, behind the grip if there is one; the grip then counts as part of the held device.
Everything is exact for held inputs and any sensor delay: with the delay d T + r, 0 <= r < T, sample n reads the filter
at (n - d) T - r. Hands that switch in step with the samples have several flows within a period. Many hands are
computed in parallel (N, ...).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from torquec.foundation.arrays import Array
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.passive_hand import PassiveHands, SwitchedHands
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance, object_steps, velocity_filter

_SERIES_TERMS = 14
"""Terms of the series of a flow whose exponent is below one half: the truncation error is below rounding error."""


@dataclass(frozen=True, eq=False)
class CoupledLoop:
    """N coupled loops: `step` is A_d of (1), `energy` Q of (2), both (N, S, S).

    `servo` is the part of A_d for the arm with its own feedback. `hand`: indices of the states of the hand behind its
    grip. The hand's energy is half the sum of the squares of these states times `hand_scale` (N, .). `object_force`
    (N, S) is the change of the next state by a further unit force on the object; `outputs` (N, 3, S) are the measured
    force f_n, the object's speed and the last displacement of the arm x_n - x_(n-1).
    """

    step: Array
    energy: Array
    object_force: Array
    outputs: Array
    servo: Array
    hand: tuple[int, ...]
    hand_scale: Array

    def radius(self) -> Array:
        """The largest magnitude of an eigenvalue of (1), (N,): below 1 the loop is stable."""
        found: Array = np.abs(np.linalg.eigvals(self.step)).max(axis=1)
        return found

    def servo_radius(self) -> Array:
        """The largest magnitude of an eigenvalue of the arm alone, without the force of any hand, (N,)."""
        found: Array = np.abs(np.linalg.eigvals(self.servo)).max(axis=1)
        return found


@dataclass(frozen=True, eq=False)
class _Whole:
    """The loop with all states, before redundant ones are eliminated."""

    step: Array
    energy: Array
    object_force: Array
    outputs: Array
    servo: Array
    hand: tuple[int, ...]
    scale: Array

    def loop(self, kept: Sequence[int]) -> CoupledLoop:
        """The loop in the states `kept`."""
        place = {old: new for new, old in enumerate(kept)}
        hand = [i for i in self.hand if i in place]
        return CoupledLoop(
            self.step[:, kept][:, :, kept],
            self.energy[:, kept][:, :, kept],
            self.object_force[:, kept],
            self.outputs[:, :, kept],
            self.servo,
            tuple(place[i] for i in hand),
            self.scale[:, hand],
        )


def _anchored(whole: _Whole, hands: PassiveHands, grip: Grip | None) -> CoupledLoop:
    """A hand with a spring to the ground: the spring's state follows from those of arm and grip, h = sqrt(k0) x'."""
    spring = whole.hand[-hands.G.shape[1]]
    root = hands.G[:, 0]
    carry = np.broadcast_to(np.eye(whole.step.shape[1]), whole.step.shape).copy()
    carry[:, spring, spring] = 0.0
    carry[:, spring, 0] = root
    if grip is not None:
        carry[:, spring, 2] = -root  # the grip's stretch
    kept = [i for i in range(whole.step.shape[1]) if i != spring]
    energy = carry.swapaxes(1, 2) @ whole.energy @ carry
    return replace(whole, step=whole.step @ carry, energy=energy, outputs=whole.outputs @ carry).loop(kept)


def _anywhere(whole: _Whole, xr: int, last: int) -> CoupledLoop:
    """A loop without a spring to the ground: positions relative to the arm, whose own position drops out."""
    to, back = (np.eye(whole.step.shape[1]) for _ in range(2))
    for i in (xr, last):
        to[i, 0], back[i, 0] = -1.0, 1.0
    moved = replace(
        whole,
        step=to @ whole.step @ back,
        energy=back.T @ whole.energy @ back,
        object_force=whole.object_force @ to.T,
        outputs=whole.outputs @ back,
    )
    return moved.loop(range(1, whole.step.shape[1]))


@dataclass(frozen=True, eq=False)
class _Plant:
    """Plant dx/dt = A x + B u, f = force . (x, u), v' = speed . x, for N hands.

    The first states are x and v of the arm; the filtered force is state `filtered`. `scale` (N, .) is the square root
    of twice the energy of a unit of each state.
    """

    A: Array
    B: Array
    force: Array
    speed: Array
    scale: Array
    filtered: int
    hand: tuple[int, ...]


def coupled_loop(
    loop: PortLoop, rendered: RenderedImpedance, hands: PassiveHands | SwitchedHands, *, mass_error: float = 0.0
) -> CoupledLoop:
    """The sampled loop (1), (2) with each of the hands; `mass_error` is delta of the arm.

    Raises `ArgumentError` for an object that the loop cannot render.
    """
    loop.check_rendered(rendered)
    plants = [_plant(loop, piece, loop.port.mass * (1.0 + mass_error)) for piece in hands.pieces]
    plant = plants[0]
    count, size = plant.B.shape
    late = math.floor(loop.force_delay / loop.period + 1e-9)
    rest = max(loop.force_delay - late * loop.period, 0.0)
    Phi, Q = _flow(plants, loop.period, loop.period)
    Phi_sensor, _ = (Phi, Q) if rest == 0.0 else _flow(plants, loop.period, loop.period - rest)

    # States: the plant, delayed sensor samples, the object (xr, vr), last x, two of the speed filter, delayed u.
    sensor, waiting = size, loop.computation_delay
    xr = sensor + late + 1
    last, w1, w2, queue = xr + 2, xr + 3, xr + 4, xr + 5
    total = queue + waiting
    f_n = sensor + late

    command = np.zeros(total)
    (b0, b1, b2), (_, a1, a2) = velocity_filter(loop)
    speed, difference = np.zeros(total), np.zeros(total)
    difference[0], difference[last] = 1.0 / loop.period, -1.0 / loop.period
    speed += b0 * difference
    speed[w1] += 1.0
    k, c = loop.gains_on_position(rendered)
    command[0] -= k
    command -= c * speed
    step = np.zeros((count, total, total))
    if loop.rendering is RenderingKind.ADMITTANCE:
        steps = object_steps(rendered, loop.period)
        command[[xr, xr + 1, f_n]] += loop.port.mass * steps.acceleration
        command[xr] += loop.stiffness_gain
        command[xr + 1] += loop.damping_gain + loop.damping_feedforward * loop.port.damping
        command[f_n] -= loop.force_feedforward
        step[:, xr : xr + 2, xr : xr + 2] = steps.Ad
        step[:, xr : xr + 2, f_n] = steps.Bd
    applied = command if waiting == 0 else np.eye(total)[total - 1]
    pushed = np.zeros((count, total))
    if loop.rendering is RenderingKind.ADMITTANCE:
        pushed[:, xr : xr + 2] = steps.Bd
    push = loop.port.mass / rendered.mass if loop.rendering is RenderingKind.ADMITTANCE else 1.0
    if waiting:
        pushed[:, queue] = push
    else:
        pushed[:, :size] = push * Phi[:, :size, size]
        pushed[:, sensor] = push * Phi_sensor[:, plant.filtered, size]

    step[:, :size, :size] = Phi[:, :size, :size]
    step[:, :size] += Phi[:, :size, size, None] * applied
    step[:, sensor, :size] = Phi_sensor[:, plant.filtered, :size]
    step[:, sensor] += Phi_sensor[:, plant.filtered, size, None] * applied
    for i in range(late):
        step[:, sensor + 1 + i, sensor + i] = 1.0
    step[:, last, 0] = 1.0
    step[:, w1] += b1 * difference - a1 * speed
    step[:, w1, w2] += 1.0
    step[:, w2] += b2 * difference - a2 * speed
    if waiting:
        step[:, queue] = command
        for i in range(waiting - 1):
            step[:, queue + 1 + i, queue + i] = 1.0

    held = np.zeros((total, size + 1))
    held[:size, :size] = np.eye(size)
    held[:, size] = applied
    outputs = np.zeros((count, 3, total))
    outputs[:, 0, f_n], outputs[:, 1, xr + 1], outputs[:, 2] = 1.0, 1.0, loop.period * difference
    arm = (0, 1, last, w1, w2, *range(queue, total))
    servo = step[:, arm][:, :, arm]
    whole = _Whole(step, held @ Q @ held.T, pushed, outputs, servo, plant.hand, plant.scale)
    if isinstance(hands, PassiveHands) and hands.is_grounded:
        return _anchored(whole, hands, loop.grip)
    if loop.rendering is RenderingKind.ADMITTANCE and rendered.stiffness == 0.0:
        return _anywhere(whole, xr, last)
    return whole.loop(range(total))


def _plant(loop: PortLoop, hands: PassiveHands, mass: float) -> _Plant:
    """Arm (x, v), grip (its stretch), hand (v' where it has a mass, h) and force filter."""
    count, order = hands.G.shape
    grip, has_mass = loop.grip, bool((hands.mass > 0.0).any())
    stretch = 2 if grip is not None else None
    inner = (3 if has_mass else None) if grip is not None else 1
    first = 2 + (0 if grip is None else 1 + has_mass)
    filtered = first + order
    size = filtered + 2
    A, B, force = np.zeros((count, size, size)), np.zeros((count, size)), np.zeros((count, size + 1))

    # Reaction force of the hand: D v' + G' h, as a row over the states.
    h = slice(first, first + order)
    rows = np.zeros((count, size))
    rows[:, h] = hands.G
    v = np.zeros(size)
    v[1] = 1.0
    scale = np.ones((count, size))
    scale[:, 0], scale[:, 1] = math.sqrt(mass) / loop.period, math.sqrt(mass)
    A[:, 0, 1] = 1.0
    if grip is None:
        moved = mass + hands.mass
        push = rows + hands.D[:, None] * v
        A[:, 1] = -(push + loop.port.damping * v) / moved[:, None]
        B[:, 1] = 1.0 / moved
        force[:, :size] = -(hands.mass[:, None] * A[:, 1] + push)
        force[:, size] = -hands.mass / moved
        speed = np.broadcast_to(v, (count, size))
    else:
        assert stretch is not None
        pulled = np.zeros((count, size))
        pulled[:, stretch] = grip.stiffness
        scale[:, stretch] = math.sqrt(grip.stiffness)
        if has_mass:
            assert inner is not None
            speed = np.zeros((count, size))
            speed[:, inner] = 1.0
            scale[:, inner] = np.sqrt(hands.mass)
            grasp = pulled + grip.damping * (v - speed)
            A[:, inner] = (grasp - rows - hands.D[:, None] * speed) / hands.mass[:, None]
        else:  # without a mass the two sides of the grip balance: kg d + cg (v - v') = D v' + G' h
            speed = (pulled + grip.damping * v - rows) / (grip.damping + hands.D)[:, None]
            grasp = pulled + grip.damping * (v - speed)
        A[:, stretch] = v - speed
        force[:, :size] = -grasp
        A[:, 1] = (force[:, :size] - loop.port.damping * v) / mass
        B[:, 1] = 1.0 / mass
    A[:, h] += hands.G[:, :, None] * speed[:, None, :]
    A[:, h, h] += hands.F
    w = 2.0 * math.pi * loop.force_cutoff
    A[:, filtered, filtered + 1] = w
    A[:, filtered + 1] = w * force[:, :size]
    A[:, filtered + 1, filtered] -= w
    A[:, filtered + 1, filtered + 1] -= math.sqrt(2.0) * w
    B[:, filtered + 1] = w * force[:, size]

    return _Plant(A, B, force, speed, scale, filtered, tuple(range(2 if grip is None else 3, filtered)))


def _flow(plants: Sequence[_Plant], period: float, duration: float) -> tuple[Array, Array]:
    """Phi and Q of (2) over the first `duration` of a period, which the plants share equally; u is the last state."""
    found: tuple[Array, Array] | None = None
    for i, plant in enumerate(plants):
        held = min(period / len(plants), duration - i * period / len(plants))
        if held <= 1e-12 * period:
            break
        count, size = plant.B.shape
        rates, power = np.zeros((count, size + 1, size + 1)), np.zeros((count, size + 1, size + 1))
        rates[:, :size, :size], rates[:, :size, size] = plant.A, plant.B
        power[:, :size] = plant.speed[:, :, None] * plant.force[:, None, :]
        power = 0.5 * (power + power.swapaxes(1, 2))
        scale = np.concatenate([plant.scale, np.ones((count, 1))], axis=1)
        Phi, Q = _held_flow(rates, power, scale, held)
        found = (Phi, Q) if found is None else (Phi @ found[0], found[1] + found[0].swapaxes(1, 2) @ Q @ found[0])
    assert found is not None
    return found


def _held_flow(flow: Array, power: Array, scale: Array, duration: float) -> tuple[Array, Array]:
    """exp(flow t) and the integral of exp(flow s)' power exp(flow s) over s = 0 .. t, each (N, S, S), (2).

    `scale` (N, S) balances the states in the computation.
    """
    A = flow * (scale[:, :, None] / scale[:, None, :])
    S = power / (scale[:, :, None] * scale[:, None, :])
    norm = float(np.abs(A).sum(axis=2).max(initial=0.0)) * duration
    halvings = max(0, math.ceil(math.log2(norm)) + 1) if norm > 0.0 else 0
    h = duration / 2.0**halvings
    Phi = term = np.broadcast_to(np.eye(A.shape[1]), A.shape)
    derivative = S
    Q, factor = h * S, h
    for k in range(1, _SERIES_TERMS):
        term = term @ A * (h / k)
        Phi = Phi + term
        half = derivative @ A
        derivative = half + half.swapaxes(1, 2)
        factor *= h / (k + 1)
        Q = Q + factor * derivative
    for _ in range(halvings):
        Q = Q + Phi.swapaxes(1, 2) @ Q @ Phi
        Phi = Phi @ Phi
    return Phi / (scale[:, :, None] / scale[:, None, :]), Q * (scale[:, :, None] * scale[:, None, :])
