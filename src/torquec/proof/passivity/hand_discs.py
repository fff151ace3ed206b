"""Passive operator impedances in a sampled loop with a force sensor: their discs at a frequency and all its aliases.

A sampler mixes the frequencies s_k = j (w + 2 pi k/T) of all its aliases. With the arm D_k = m s_k + b, the hold
W_k = (1 - 1/z)/(s_k T), the sensor A_k and a hand f = -Z v, the coupled loop (`port_loop` (8)) is singular where

(1)  N - sum_k W_k q_k (1/D_k - g_k) = 0,   N = 1 + Cx sum_k W_k/(s_k D_k),   q_k = Cx/s_k - Cf A_k D_k,
     g_k = 1/(D_k + Z_k)

Behind a grip kg + cg s, whose losses are r_k = Re s_k/(kg + cg s_k) (0 without a grip), a passive hand has any Z_k with
Re 1/Z_k >= r_k. Then g_k fills the disc

(2)  centre  (r_k conj(D_k) + 1/2)/(r_k |D_k|^2 + b),     radius  (1/2)/(r_k |D_k|^2 + b)

A time-invariant hand has an independent Z_k at every alias. The sum in (1) fills the disc of the summed centres and
radii: the loop is stable with every such hand if and only if it is stable without one, and at every frequency

(3)  |L|  >  sum_k |W_k q_k| radius_k,     L = N - sum_k W_k q_k radius_k conj(D_k)/D_k

Stability is weaker than passivity: a hand that resonates at two aliases at once, or whose parameters vary synchronously
with the samples, couples the aliases; (3) does not cover it. The port takes a force f_k at every alias and gives the
speeds v' = Y f,

(4)  Y_jk = (1/D_j + s_j/(kg + cg s_j)) [j = k] - W_j q_k/(D_j D_k N)

and the port is passive (no energy can be extracted from rest) if and only if Y + Y* is positive at every frequency. As
Y is a diagonal plus a matrix of rank one, that is

(5)  |L|^2  >  sum_k |W_k|^2 radius_k  sum_k |q_k|^2 radius_k

which implies (3), by Cauchy and Schwarz; hands may then also be nonlinear or time-varying, as long as they are
passive. With u_k = W_k sqrt(radius_k) conj(D_k)/D_k, y_k = q_k sqrt(radius_k) and
a = sum_k u_k y_k, both sides differ by

(6)  Re{conj(N) (N - 2 a)}  -  sum_k |u_k|^2  sum_k |y_k - conj(u_k) a/sum |u|^2|^2

where nothing large cancels at low frequencies.

Without force feedback (Cf = 0) and without a grip, (3) and (5) are  b > T/2 Re{(1 - 1/z) Cx}/(1 - cos w T), the
condition of Colgate and Schenkel (1997); for a spring K and a damper B it says  b > K T/2 + B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, ComplexArray, Mask

_LEAST_ALIASES = 24  # on either side: Colgate's edge is then met to 1e-5
_ALIASES_BEHIND_GRIP = 6  # behind a grip, which is a low pass, terms decay with k^4


@dataclass(frozen=True)
class SampledPort:
    """One axis of a haptic arm as numbers: arm D = mass s + damping, sampling period [s], force sensor (a second-order
    low pass with `force_cutoff` [Hz] and `force_delay` [s]), grip stiffness and damping (None for a hand bolted on).
    """

    mass: float
    damping: float
    period: float
    force_cutoff: float
    force_delay: float = 0.0
    grip: tuple[float, float] | None = None

    def sensor(self, s: ComplexArray) -> ComplexArray:
        """A of (1): the force sensor with its filter and delay, at the points s."""
        w = 2.0 * math.pi * self.force_cutoff
        found: ComplexArray = w * w / (s * s + math.sqrt(2.0) * w * s + w * w) * np.exp(-s * self.force_delay)
        return found


@dataclass(frozen=True, eq=False)
class HandDiscs:
    """Terms of (1) to (6) that do not depend on the rendered object, at N frequencies, each with its arm mass:
    `frequency`, `z` (N,), all others (2 K + 1, N), one row per alias.
    """

    frequency: Array
    z: ComplexArray
    s: ComplexArray
    hold: ComplexArray
    arm: ComplexArray
    sensor: ComplexArray
    weight: Array
    centre: ComplexArray
    radius: Array
    u: ComplexArray

    def some(self, which: Mask) -> HandDiscs:
        """The frequencies of a mask (N,)."""
        return HandDiscs(
            self.frequency[which],
            self.z[which],
            self.s[:, which],
            self.hold[:, which],
            self.arm[:, which],
            self.sensor[:, which],
            self.weight,
            self.centre[:, which],
            self.radius[:, which],
            self.u[:, which],
        )

    def forces(self, Cf: ComplexArray, Cx: ComplexArray) -> tuple[ComplexArray, ComplexArray]:
        """N and q of (1): (N,), (2 K + 1, N)."""
        turned = Cx / self.s
        arm = 1.0 + (self.weight * self.hold * turned / self.arm).sum(axis=0)
        return arm, turned - Cf * self.sensor * self.arm

    def steady_margin(self, Cf: ComplexArray, Cx: ComplexArray) -> Array:
        """Stability margin: ratio of left to right side of (3), minus 1, (N,)."""
        arm, q = self.forces(Cf, Cx)
        y = q * np.sqrt(self.weight * self.radius)
        with np.errstate(divide="ignore"):
            found: Array = np.abs(arm - (self.u * y).sum(axis=0)) / np.abs(self.u * y).sum(axis=0) - 1.0
        return found

    def surplus(self, Cf: ComplexArray, Cx: ComplexArray) -> tuple[Array, Array]:
        """(6) and the right side of (5), (N,)."""
        arm, q = self.forces(Cf, Cx)
        y, u = q * np.sqrt(self.weight * self.radius), self.u
        middle = len(u) // 2
        power = np.abs(u) ** 2
        products = u * y
        total, a = power.sum(axis=0), products.sum(axis=0)
        rest = y - u.conj() * (a / total)
        # At low frequencies the middle term dominates y: its deviation, computed from the others, has no cancellation.
        aliases = np.arange(len(u)) != middle
        others = y[middle] * power[aliases].sum(axis=0) - u[middle].conj() * products[aliases].sum(axis=0)
        rest[middle] = others / total
        mixed = total * (np.abs(rest) ** 2).sum(axis=0)
        return (arm.conj() * (arm - 2.0 * a)).real - mixed, total * (np.abs(y) ** 2).sum(axis=0)

    def margin(self, Cf: ComplexArray, Cx: ComplexArray) -> Array:
        """Passivity margin: ratio of left to right side of (5), as magnitudes, minus 1, (N,)."""
        surplus, right = self.surplus(Cf, Cx)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(right > 0.0, surplus / right, math.inf)
        found: Array = share / (np.sqrt(1.0 + np.maximum(share, -1.0)) + 1.0)
        return found


def hand_discs(port: SampledPort, frequency: Array, mass_error: Array | float = 0.0) -> HandDiscs:
    """The discs (2) at frequencies (N,) [rad/s]; `mass_error`: relative error of the arm's mass, one or (N,)."""
    least = _LEAST_ALIASES if port.grip is None else _ALIASES_BEHIND_GRIP
    aliases = max(least, math.ceil(4.0 * port.force_cutoff * port.period))
    k = np.arange(-aliases, aliases + 1)[:, None]
    # Terms decay with k^2 at least: the last one on either side represents itself and all that are left out.
    weight = np.ones(k.shape)
    weight[0] = weight[-1] = 1.0 + aliases**2 / (aliases + 0.5)
    z = np.exp(1j * frequency * port.period)
    s = 1j * (frequency + 2.0 * math.pi / port.period * k)
    hold = -np.expm1(-1j * frequency * port.period) / (s * port.period)
    arm = port.mass * (1.0 + mass_error) * s + port.damping
    loss = np.zeros(s.shape) if port.grip is None else _grip_loss(*port.grip, s.imag)
    below = loss * np.abs(arm) ** 2 + port.damping
    radius = 0.5 / below
    return HandDiscs(
        frequency,
        z,
        s,
        hold,
        arm,
        port.sensor(s),
        weight,
        (loss * arm.conj() + 0.5) / below,
        radius,
        hold * np.sqrt(weight * radius) * arm.conj() / arm,
    )


def _grip_loss(stiffness: float, damping: float, w: Array) -> Array:
    """r_k of (2): Re s/(kg + cg s)."""
    found: Array = damping * w * w / (stiffness**2 + (damping * w) ** 2)
    return found
