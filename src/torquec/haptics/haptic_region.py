"""Passivity region (Z-width) of a haptic loop: the masses, stiffnesses and dampings that it can render passively.

Along each of mass, damping and stiffness, the others fixed, the region is an interval of objects from which no passive
hand can extract energy (`coupled_passivity`). Its ends are bisected to a millionth, and lie inside.

Encoder quantisation is not part of the linear loop. A position error of half a count causes a drive force error of

(1)  e = (step/2) sum_n |c_n|,   c_n the response of u to one count: k + c/T and c/T without a filter

as long as the loop runs. Dry friction of at least e dissipates its energy (Diolaiti and others, 2006); otherwise the
arm can generate up to  (e - friction)  joules per metre, which the hand feels as roughness.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from torquec.foundation.arrays import Array
from torquec.haptics.coupled_passivity import PassivityTest, WorstFrequency
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.port_loop import PortLoop, RenderedImpedance, velocity_filter
from torquec.haptics.tuning import TUNING


class RenderedQuantity(StrEnum):
    """The quantities of an object that have an interval."""

    MASS = "mass"
    DAMPING = "damping"
    STIFFNESS = "stiffness"


@dataclass(frozen=True)
class RenderableInterval:
    """Passively renderable values of one quantity; `upper` is infinite beyond the searched range."""

    lower: float
    upper: float

    def holds(self, value: float) -> bool:
        """Whether a value lies inside."""
        return self.lower <= value <= self.upper


@dataclass(frozen=True)
class HapticRegion:
    """The passivity region of a loop around an object.

    `intervals` has None where no value of the quantity is renderable with the others as they are. `worst`: the
    frequency of the object's smallest passivity margin. `encoder_force` is e of (1) [N], `encoder_leak` its excess over
    dry friction [N, joules per metre].
    """

    loop: PortLoop
    rendered: RenderedImpedance
    is_inside: bool
    worst: WorstFrequency
    intervals: Mapping[RenderedQuantity, RenderableInterval | None]
    encoder_force: float
    encoder_leak: float


def haptic_region(loop: PortLoop, rendered: RenderedImpedance) -> HapticRegion:
    """The region around an object, along each of its quantities. Raises `ArgumentError` for an invalid object.

    >>> from torquec.haptics.haptic_port import HapticPort
    >>> loop = PortLoop(HapticPort(1.0, 2.0), rendering="impedance")
    >>> found = haptic_region(loop, RenderedImpedance(0.0, 1.0, 100.0))
    >>> round(found.intervals[RenderedQuantity.STIFFNESS].upper)  # 2 (b - B)/T
    1000
    """
    loop.check_rendered(rendered)
    test = PassivityTest(loop)
    quantities = list(RenderedQuantity)
    if loop.rendering is RenderingKind.IMPEDANCE:
        quantities.remove(RenderedQuantity.MASS)
    force = encoder_force(loop, rendered)
    return HapticRegion(
        loop,
        rendered,
        test.is_passive(rendered),
        test.worst(rendered),
        {quantity: renderable_interval(test, rendered, quantity) for quantity in quantities},
        force,
        max(0.0, force - loop.port.friction),
    )


def renderable_interval(
    test: PassivityTest, rendered: RenderedImpedance, quantity: RenderedQuantity
) -> RenderableInterval | None:
    """The interval of one quantity that holds the object, or else the one nearest to it; None where there is none."""

    def passive(value: float) -> bool:
        return test.is_passive(replace(rendered, **{quantity.value: value}))

    own = float(getattr(rendered, quantity.value))
    grid = _grid(test.loop, quantity, own)
    inside = np.array([passive(value) for value in grid])
    if not inside.any():
        return None
    spacing = np.abs(np.log(np.maximum(grid, grid[1])) - math.log(max(own, grid[1])))
    spacing[~inside] = math.inf
    low = high = int(np.argmin(spacing))
    while low > 0 and inside[low - 1]:
        low -= 1
    while high < len(grid) - 1 and inside[high + 1]:
        high += 1
    lower = grid[low] if low == 0 else _edge(passive, grid[low], grid[low - 1])
    upper = math.inf if high == len(grid) - 1 else _edge(passive, grid[high], grid[high + 1])
    return RenderableInterval(float(lower), float(upper)) if lower <= upper else None


@dataclass(frozen=True, eq=False)
class RegionPlane:
    """Objects in the plane of two quantities: `across` (X,) and `up` (Y,), and the margin of each (Y, X).

    Where the arm's own feedback is unstable the margin is -1.
    """

    across: RenderedQuantity
    up: RenderedQuantity
    x: Array
    y: Array
    margin: Array


def region_planes(loop: PortLoop, rendered: RenderedImpedance, *, points: int = 31) -> tuple[RegionPlane, ...]:
    """Planes through an object, five decades wide: mass and stiffness against damping, for a plot.

    The third quantity is fixed. Rendering by impedance has no mass, and one plane.
    """
    loop.check_rendered(rendered)
    test, up = PassivityTest(loop), RenderedQuantity.DAMPING
    found = []
    for across in (RenderedQuantity.MASS, RenderedQuantity.STIFFNESS):
        if loop.rendering is RenderingKind.IMPEDANCE and across is RenderedQuantity.MASS:
            continue
        x, y = (_around(loop, rendered, name, points) for name in (across, up))
        objects = [[replace(rendered, **{across.value: a, up.value: b}) for a in x] for b in y]
        margins = [[test.sampled_margin(one) for one in row] for row in objects]
        found.append(RegionPlane(across, up, x, y, np.array(margins)))
    return tuple(found)


def _around(loop: PortLoop, rendered: RenderedImpedance, quantity: RenderedQuantity, points: int) -> Array:
    """Values around those of the object and of the arm."""
    mass, rate = loop.port.mass, 1.0 / loop.period
    typical = {
        RenderedQuantity.MASS: mass,
        RenderedQuantity.DAMPING: 1e-2 * mass * rate,
        RenderedQuantity.STIFFNESS: 1e-2 * mass * rate**2,
    }[quantity]
    asked = float(getattr(rendered, quantity.value))
    middle = math.sqrt(typical * asked) if asked > 0.0 else typical
    return np.geomspace(middle * 10**-2.5, middle * 10**2.5, points)


def encoder_force(loop: PortLoop, rendered: RenderedImpedance) -> float:
    """e of (1) [N]."""
    k, c = loop.gains_on_position(rendered)
    numerator, denominator = velocity_filter(loop)
    difference = np.convolve(numerator, [1.0, -1.0]) * c / loop.period
    last, before, total = 0.0, 0.0, 0.0
    for n in range(_responses(loop)):
        value = (difference[n] if n < len(difference) else 0.0) - denominator[1] * last - denominator[2] * before
        last, before = value, last
        total += abs(value + (k if n == 0 else 0.0))
    return 0.5 * loop.port.encoder_step * float(total)


def _responses(loop: PortLoop) -> int:
    """Number of samples of the response: the filter has decayed after them."""
    return 4 if loop.velocity_cutoff is None else 8 + math.ceil(8.0 / (loop.velocity_cutoff * loop.period))


def _grid(loop: PortLoop, quantity: RenderedQuantity, own: float) -> Array:
    """Grid of values, including the object's own; damping and stiffness start at zero."""
    mass, rate = loop.port.mass, 1.0 / loop.period
    low, high = {
        RenderedQuantity.MASS: (1e-3 * mass, 1e4 * mass),
        RenderedQuantity.DAMPING: (1e-6 * mass * rate, 1e1 * mass * rate),
        RenderedQuantity.STIFFNESS: (1e-7 * mass * rate**2, 1e1 * mass * rate**2),
    }[quantity]
    low, high = (min(low, 0.1 * own), max(high, 10.0 * own)) if own > 0.0 else (low, high)
    count = math.ceil(TUNING.grid_per_decade * math.log10(high / low))
    start = [] if quantity is RenderedQuantity.MASS else [0.0]
    return np.unique([*start, *np.geomspace(low, high, count), own])


def _edge(passive: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last value that is passive between one that is and one that is not."""
    for _ in range(TUNING.interval_bisections):
        middle = math.sqrt(inside * outside) if min(inside, outside) > 0.0 else 0.5 * (inside + outside)
        if passive(middle):
            inside = middle
        else:
            outside = middle
    return inside
