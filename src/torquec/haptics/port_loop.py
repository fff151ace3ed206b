"""One-axis model of a haptic rendering loop: arm, force sensor, filter, virtual object, feedback.

One axis of the tool, as a linear sampled loop. Forces in N, positions in m; about an axis, N m and rad. f is the hand's
force on the arm, u the drive's, held over the period T.

(1)  arm:       m (1 + delta) xdd + b xd = u + f              |delta| <= `model_error` of the port; nominal mass m
(2)  sensor:    f_n = y(n T - `force_delay`),   y = f through a second-order low pass (Butterworth, `force_cutoff`)
(3)  object:    M ar + B vr + K xr = f_n, exactly integrated with f_n held                 Clover IV (1), Figure IV 1
(4)  arm law:   u_n = m ar + `damping_feedforward` b vr - `force_feedforward` f_n + k (xr - x_n) + c (vr - v_n)
(5)  v_n:       the difference (x_n - x_(n-1))/T, through a second-order low pass where `velocity_cutoff` is given
(6)  k, c:      m p and m s of the pair of poles, `control.poles` (1)
(7)  impedance rendering instead of (3), (4), for arms without a force sensor:  u_n = -K x_n - B v_n

u_n is applied `computation_delay` periods after its sample. In the frequency domain, with z = exp(j w T):

(8)  u(z) = Cf(z) f_n(z) - Cx(z) x_n(z)
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from torquec.control.poles import PolePair, error_feedback, joint_poles, zero_order_hold
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, ComplexArray
from torquec.foundation.choice import chosen
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.haptic_port import HapticPort, check_number
from torquec.proof.passivity.hand_discs import SampledPort

CLOVER_POLES = PolePair(-45 + 45j, -45 - 45j)
"""10 Hz, damping ratio 0.7: the faster of the two pairs in Clover's chapter III."""


@dataclass(frozen=True)
class RenderedImpedance:
    """Impedance to render along the axis: mass [kg], damping [N s/m], stiffness [N/m] to a fixed position."""

    mass: float
    damping: float = 0.0
    stiffness: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mass", "damping", "stiffness"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(
                    f"the rendered {name} is {value}", remedy="give a finite number that is not negative"
                )


@dataclass(frozen=True)
class Grip:
    """Grip between the handle and the rest of the hand: spring [N/m] and damper [N s/m] in parallel.

    Every passive hand acts on the handle through the grip, whose damper always dissipates energy.
    """

    stiffness: float
    damping: float

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ArgumentError(
                    f"the {name} of a grip is {value}",
                    remedy="give a positive number; a hand that is bolted to the handle has no grip at all",
                )


@dataclass(frozen=True)
class PortLoop:
    """One axis of a haptic arm, in the terms of (1)-(7); times in s, cut-offs in Hz.

    `grip`: the compliance between handle and hand, None for rigid contact. Raises `ArgumentError` for an invalid loop.
    """

    port: HapticPort
    _: KW_ONLY
    period: float = 0.002
    poles: PolePair = CLOVER_POLES
    rendering: RenderingKind = RenderingKind.ADMITTANCE
    force_cutoff: float = 100.0
    force_delay: float = 0.0
    velocity_cutoff: float | None = None
    computation_delay: int = 0
    force_feedforward: float = 1.0
    damping_feedforward: float = 1.0
    grip: Grip | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rendering", chosen(RenderingKind, self.rendering, "rendering"))
        for name, unit in {"period": "s", "force_cutoff": "Hz"}.items():
            check_number(name, getattr(self, name), unit, above=0.0)
        check_number("force_delay", self.force_delay, "s", least=0.0)
        for name in ("force_feedforward", "damping_feedforward"):
            check_number(name, getattr(self, name), "", least=0.0, most=1.0)
        if self.computation_delay < 0 or self.computation_delay != int(self.computation_delay):
            raise ArgumentError(
                f"a computation delay of {self.computation_delay} periods", remedy="give a whole number, 0 or more"
            )
        if self.velocity_cutoff is not None and not 0.0 < self.velocity_cutoff < 0.5 / self.period:
            raise ArgumentError(
                f"the velocity filter's cut-off of {self.velocity_cutoff:g} Hz is not between 0 and half the sampling "
                f"rate, {0.5 / self.period:g} Hz",
                remedy="lower it, or leave the filter out",
            )
        if self.port.damping == 0.0 and self.grip is None:
            raise ArgumentError(
                "without damping in the arm and without a grip, no sampled loop is passive",
                remedy="give the arm's damping, or the grip through which it is held",
            )
        if self.rendering is RenderingKind.ADMITTANCE:
            error_feedback(joint_poles(("port",), [(self.poles.first, self.poles.second)]), period=self.period)

    @property
    def stiffness_gain(self) -> float:
        """k of (6) [N/m]."""
        return self.port.mass * self.poles.product

    @property
    def damping_gain(self) -> float:
        """c of (6) [N s/m]."""
        return -self.port.mass * self.poles.sum

    @property
    def nyquist(self) -> float:
        """Half the sampling rate [rad/s]."""
        return math.pi / self.period

    @property
    def sampled_port(self) -> SampledPort:
        """Arm, sampler, sensor and grip without the object, for the passivity proof."""
        grip = None if self.grip is None else (self.grip.stiffness, self.grip.damping)
        return SampledPort(self.port.mass, self.port.damping, self.period, self.force_cutoff, self.force_delay, grip)

    def gains_on_position(self, rendered: RenderedImpedance) -> tuple[float, float]:
        """Gains -du_n/dx_n and -du_n/dv_n: k and c of (4), or K and B of (7)."""
        if self.rendering is RenderingKind.IMPEDANCE:
            return rendered.stiffness, rendered.damping
        return self.stiffness_gain, self.damping_gain

    def check_rendered(self, rendered: RenderedImpedance) -> None:
        """Raise `ArgumentError` for an object that this kind of rendering cannot display."""
        if self.rendering is RenderingKind.ADMITTANCE and rendered.mass == 0.0:
            raise ArgumentError("an admittance needs an object with mass", remedy="give a positive mass")
        if self.rendering is RenderingKind.IMPEDANCE and rendered.mass != 0.0:
            raise ArgumentError(
                "rendering by impedance has springs and dampers only, the mass is the arm's own",
                remedy="give a mass of 0, or render by admittance",
            )


@dataclass(frozen=True, eq=False)
class ObjectSteps:
    """The object of (3) between samples: Ad (2, 2) and Bd (2,) of (xr, vr); ar is `acceleration` . (xr, vr, f)."""

    Ad: Array
    Bd: Array
    acceleration: Array


def object_steps(rendered: RenderedImpedance, period: float) -> ObjectSteps:
    """(3), exactly.

    >>> object_steps(RenderedImpedance(2.0), 0.1).Bd.round(12).tolist()
    [0.0025, 0.05]
    """
    M, B, K = rendered.mass, rendered.damping, rendered.stiffness
    Ad, Bd = zero_order_hold([[0.0, 1.0], [-K / M, -B / M]], [[0.0], [1.0 / M]], period)
    return ObjectSteps(Ad, Bd[:, 0], np.array([-K / M, -B / M, 1.0 / M]))


def velocity_filter(loop: PortLoop) -> tuple[Array, Array]:
    """(5): numerator and denominator (3,) in powers of 1/z, bilinear with prewarping at the cut-off; 1 without one."""
    if loop.velocity_cutoff is None:
        return np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])
    w = math.tan(math.pi * loop.velocity_cutoff * loop.period)
    scale = 1.0 + math.sqrt(2.0) * w + w * w
    numerator = np.array([w * w, 2.0 * w * w, w * w]) / scale
    return numerator, np.array([1.0, 2.0 * (w * w - 1.0) / scale, (1.0 - math.sqrt(2.0) * w + w * w) / scale])


def position_feedback(loop: PortLoop, rendered: RenderedImpedance, z: ComplexArray) -> ComplexArray:
    """Cx of (8) at the points z (N,)."""
    k, c = loop.gains_on_position(rendered)
    numerator, denominator = velocity_filter(loop)
    back = 1.0 / z
    low_pass = np.polyval(numerator[::-1], back) / np.polyval(denominator[::-1], back)
    found: ComplexArray = (k + c * (1.0 - back) / loop.period * low_pass) * back**loop.computation_delay
    return found


def force_feedback(loop: PortLoop, rendered: RenderedImpedance, z: ComplexArray) -> ComplexArray:
    """Cf of (8) at the points z (N,)."""
    if loop.rendering is RenderingKind.IMPEDANCE:
        return np.zeros_like(z)
    steps = object_steps(rendered, loop.period)
    (a, b), (c, d) = steps.Ad
    determinant = (z - a) * (z - d) - b * c
    xr = ((z - d) * steps.Bd[0] + b * steps.Bd[1]) / determinant
    vr = ((z - a) * steps.Bd[1] + c * steps.Bd[0]) / determinant
    ar = steps.acceleration[0] * xr + steps.acceleration[1] * vr + steps.acceleration[2]
    follow = loop.stiffness_gain * xr + (loop.damping_gain + loop.damping_feedforward * loop.port.damping) * vr
    found: ComplexArray = (loop.port.mass * ar + follow - loop.force_feedforward) / z**loop.computation_delay
    return found
