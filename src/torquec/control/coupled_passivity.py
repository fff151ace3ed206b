"""Whether any passive hand can make a haptic loop unstable: Colgate's condition, with a force sensor in the loop.

A sampler mixes the frequencies s_k = j (w + 2 pi k/T) of all its aliases. With the arm D_k = m s_k + b, the hold
W_k = (1 - 1/z)/(s_k T), the sensor A_k and a hand f = -Z v, the coupled loop of `port_loop` (8) is singular where

(1)  1 + Cf S + sum_k c_k g_k = 0,    S = sum_k W_k A_k,    c_k = W_k (Cx/s_k - Cf A_k D_k),    g_k = 1/(D_k + Z_k)

A passive hand has any Z_k with Re Z_k >= 0, at every alias another one. Behind a grip kg + cg s it has Re 1/Z_k >= r_k,
r_k = Re s_k/(kg + cg s_k), and r_k = 0 without a grip. Then g_k fills the disc

(2)  centre  (r_k conj(D_k) + 1/2)/(r_k |D_k|^2 + b),     radius  (1/2)/(r_k |D_k|^2 + b)

and the sum in (1) fills the disc of the summed centres and radii. The loop is stable with every such hand exactly where
it is stable with none, and at every frequency

(3)  |1 + Cf S + sum_k c_k centre_k|  >  sum_k |c_k| radius_k

Without force feedback (Cf = 0) and without a grip, (3) is  b > T/2 Re{(1 - 1/z) Cx}/(1 - cos w T), which is the
condition of Colgate and Schenkel (1997); for a spring K and a damper B it says  b > K T/2 + B.

Impedances are linear and do not change with time; what a hand could do that changes its own parameters in step with the
samples is not in (3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.control.coupled_loop import coupled_loop
from torquec.control.passive_hand import no_hands
from torquec.control.port_loop import PortLoop, RenderedImpedance, force_feedback, force_filter, position_feedback
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, ComplexArray

_LOWEST = 2.0 * math.pi * 0.005
"""The lowest frequency that is tested [rad/s]: below it a hand would have to swing for minutes."""

_FREQUENCIES = 240  # some fifty a decade; the least margin is refined between them
_REFINED = 8  # of the samples that are lower than their neighbours: there are hardly ever more

_LEAST_ALIASES = 24  # on either side: Colgate's edge is then met to 1e-5
_ALIASES_BEHIND_GRIP = 6
"""Behind a grip, which swallows what is fast, terms fall with k^4."""

_MOST_CUTOFF = 20.0
"""Cut-offs above so many times the sampling rate are refused: such a sensor has no filter."""


@dataclass(frozen=True)
class WorstFrequency:
    """Where (3) is tightest: `margin` is left over right side less 1, positive where all hands are stable.

    `frequency` in rad/s; `mass_error` is delta of the arm there.
    """

    margin: float
    frequency: float
    mass_error: float


@dataclass(frozen=True, eq=False)
class HandDiscs:
    """Everything in (1) to (3) that does not depend on the object: at frequencies (N,), aliases (2 K + 1, N)."""

    frequency: Array
    z: ComplexArray
    s: ComplexArray
    weight: Array
    hold: ComplexArray
    arm: ComplexArray
    sensor: ComplexArray
    centre: ComplexArray
    radius: Array

    def sides(self, Cf: ComplexArray, Cx: ComplexArray) -> tuple[ComplexArray, Array]:
        """Both sides of (3), the left one before its magnitude is taken."""
        c = self.hold * (Cx / self.s - Cf * self.sensor * self.arm)
        left = 1.0 + Cf * (self.hold * self.sensor).sum(axis=0) + (self.weight * c * self.centre).sum(axis=0)
        return left, (self.weight * np.abs(c) * self.radius).sum(axis=0)


def hand_discs(loop: PortLoop, frequency: Array, mass_error: float = 0.0) -> HandDiscs:
    """The discs (2) at frequencies (N,) [rad/s], for the arm's true mass."""
    least = _LEAST_ALIASES if loop.grip is None else _ALIASES_BEHIND_GRIP
    aliases = max(least, math.ceil(4.0 * loop.force_cutoff * loop.period))
    k = np.arange(-aliases, aliases + 1)[:, None]
    # Terms fall with k^2 at least: the last one on either side stands for itself and for all that are left out.
    weight = np.ones(k.shape)
    weight[0] = weight[-1] = 1.0 + aliases**2 / (aliases + 0.5)
    z = np.exp(1j * frequency * loop.period)
    s = 1j * (frequency + 2.0 * math.pi / loop.period * k)
    arm = loop.port.mass * (1.0 + mass_error) * s + loop.port.damping
    loss = np.zeros(s.shape) if loop.grip is None else (s / (loop.grip.stiffness + loop.grip.damping * s)).real
    below = loss * np.abs(arm) ** 2 + loop.port.damping
    return HandDiscs(
        frequency,
        z,
        s,
        weight,
        (1.0 - 1.0 / z) / (s * loop.period),
        arm,
        force_filter(loop, s),
        (loss * arm.conj() + 0.5) / below,
        0.5 / below,
    )


class PassivityTest:
    """Condition (3) for one loop and any object: discs are made once.

    >>> from torquec.control.haptic_port import HapticPort
    >>> loop = PortLoop(HapticPort(1.0, 2.0), rendering="impedance")
    >>> test = PassivityTest(loop)
    >>> test.is_passive(RenderedImpedance(0.0, stiffness=1990.0)), test.is_passive(RenderedImpedance(0.0, 0.1, 1990.0))
    (True, False)
    """

    def __init__(self, loop: PortLoop) -> None:
        if loop.force_cutoff * loop.period > _MOST_CUTOFF:
            raise ArgumentError(
                f"the force filter's cut-off of {loop.force_cutoff:g} Hz is far above the sampling rate of "
                f"{1.0 / loop.period:g} Hz: a force sensor that aliases without a filter is never passive",
                remedy=f"give a cut-off below {_MOST_CUTOFF / loop.period:g} Hz",
            )
        self.loop = loop
        frequency = np.geomspace(_LOWEST, loop.nyquist, _FREQUENCIES)
        self._discs = {delta: hand_discs(loop, frequency, delta) for delta in _mass_errors(loop)}
        self._servo: dict[tuple[float, float], bool] = {}

    def is_passive(self, rendered: RenderedImpedance) -> bool:
        """Whether no hand of the class can destabilize the loop, whatever the mass within the model's error."""
        return self.is_stable_alone(rendered) and self.worst(rendered).margin > 0.0

    def is_stable_alone(self, rendered: RenderedImpedance) -> bool:
        """Whether the arm under its own feedback is stable while nobody holds it."""
        gains = self.loop.gains_on_position(rendered)
        if gains not in self._servo:
            radii = [
                float(coupled_loop(self.loop, rendered, no_hands(1), mass_error=delta).servo_radius()[0])
                for delta in self._discs
            ]
            # Without a spring the arm stays wherever it is: an eigenvalue of 1 that no hand feels.
            self._servo[gains] = max(radii) < (1.0 if gains[0] > 0.0 else 1.0 + 1e-9)
        return self._servo[gains]

    def worst(self, rendered: RenderedImpedance) -> WorstFrequency:
        """The tightest frequency and mass, refined between the samples. Raises `ArgumentError` for a bad object."""
        margins, frequency = self._sampled(rendered)
        deltas = list(self._discs)
        which, i = np.unravel_index(int(np.argmin(margins)), margins.shape)
        best = WorstFrequency(float(margins[which, i]), float(frequency[i]), deltas[which])
        for row, delta in enumerate(deltas):
            found = self._refined(rendered, delta, frequency, margins[row])
            best = min(best, found, key=lambda point: point.margin)
        return best

    def sampled_margin(self, rendered: RenderedImpedance) -> float:
        """The least margin at the sampled frequencies alone, for pictures of many objects; -1 where the arm by itself
        is unstable.
        """
        return float(self._sampled(rendered)[0].min()) if self.is_stable_alone(rendered) else -1.0

    def _sampled(self, rendered: RenderedImpedance) -> tuple[Array, Array]:
        """(margins (masses, N), frequencies (N,)), with more of them about the object's own frequency."""
        self.loop.check_rendered(rendered)
        near = self._resonance(rendered)
        frequency = next(iter(self._discs.values())).frequency
        order = np.argsort(frequency if near is None else np.concatenate([frequency, near]))
        frequency = (frequency if near is None else np.concatenate([frequency, near]))[order]
        margins = []
        for delta, discs in self._discs.items():
            margin = self._margins(discs, rendered)
            if near is not None:
                margin = np.concatenate([margin, self._margins(hand_discs(self.loop, near, delta), rendered)])
            margins.append(margin[order])
        return np.array(margins), frequency

    def _margins(self, discs: HandDiscs, rendered: RenderedImpedance) -> Array:
        Cf = force_feedback(self.loop, rendered, discs.z)
        Cx = position_feedback(self.loop, rendered, discs.z)
        left, right = discs.sides(Cf, Cx)
        with np.errstate(divide="ignore"):
            found: Array = np.abs(left) / right - 1.0
        return found

    def _resonance(self, rendered: RenderedImpedance) -> Array | None:
        """Frequencies around the object's own, which can be narrower than the grid."""
        if rendered.mass == 0.0 or rendered.stiffness == 0.0:
            return None
        own = math.sqrt(rendered.stiffness / rendered.mass)
        if not _LOWEST < own < self.loop.nyquist:
            return None
        width = min(0.3, rendered.damping / (2.0 * rendered.mass * own) + 1e-6)
        steps = np.geomspace(0.01 * width, 0.5, 16)
        apart = np.concatenate([-steps, np.linspace(-0.12, 0.12, 24), steps])
        found: Array = np.clip(own * np.exp(apart), _LOWEST, self.loop.nyquist)
        return found

    def _refined(self, rendered: RenderedImpedance, delta: float, frequency: Array, margin: Array) -> WorstFrequency:
        """The smallest margin between the neighbours of every sample that is lower than both of them."""
        padded = np.concatenate([[math.inf], margin, [math.inf]])
        lows = np.flatnonzero((margin <= padded[:-2]) & (margin <= padded[2:]))
        lows = lows[np.argsort(margin[lows])][:_REFINED]
        low, high = frequency[np.maximum(lows - 1, 0)], frequency[np.minimum(lows + 1, len(frequency) - 1)]
        share = np.linspace(0.0, 1.0, 9)[:, None]
        best = WorstFrequency(math.inf, 0.0, delta)
        for _ in range(3):
            grid = low + share * (high - low)
            values = self._margins(hand_discs(self.loop, grid.ravel(), delta), rendered).reshape(grid.shape)
            j, column = np.argmin(values, axis=0), np.arange(grid.shape[1])
            k = int(np.argmin(values[j, column]))
            if values[j[k], k] < best.margin:
                best = WorstFrequency(float(values[j[k], k]), float(grid[j[k], k]), delta)
            low, high = grid[np.maximum(j - 1, 0), column], grid[np.minimum(j + 1, 8), column]
        return best


def passivity_margin(loop: PortLoop, rendered: RenderedImpedance) -> WorstFrequency:
    """How far an object is from what some passive hand could make unstable; (3) at its tightest.

    >>> from torquec.control.port_loop import Grip
    >>> from torquec.control.haptic_port import HapticPort
    >>> loop = PortLoop(HapticPort(8.0, 20.0), grip=Grip(2000.0, 10.0))
    >>> passivity_margin(loop, RenderedImpedance(5.0)).margin < 0.0 < passivity_margin(
    ...     loop, RenderedImpedance(5.0, damping=20.0)
    ... ).margin
    True
    """
    return PassivityTest(loop).worst(rendered)


def _mass_errors(loop: PortLoop) -> list[float]:
    if loop.port.model_error == 0.0:
        return [0.0]
    return [share * loop.port.model_error for share in (-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0)]
