"""Passivity test of a haptic loop with any passive operator: Colgate's condition, with a force sensor in the loop.

The condition is (5) of :mod:`torquec.proof.passivity.hand_discs`, whose equation numbers are used here, at all
frequencies and all masses within the model's error. The difference of its two sides is (6). Divided by radius_0, (6)
is a smooth function of w^2 and of the mass, and its only poles are the known ones of the object. Cells are chosen by
these poles, and `positive_function` tests whether the function is positive everywhere, not only at samples. Towards
w = 0 the function goes to a constant with a rendered spring and as 1/w^2 without one; the first cell begins at 0.

Reports use (5). (3) is weaker and holds for time-invariant hands.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, ComplexArray
from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.passive_hand import no_hands
from torquec.haptics.port_loop import PortLoop, RenderedImpedance, force_feedback, position_feedback
from torquec.haptics.tuning import TUNING
from torquec.proof.enclosure.positive_function import Cells, is_positive
from torquec.proof.passivity.hand_discs import HandDiscs, hand_discs


@dataclass(frozen=True)
class WorstFrequency:
    """The frequency of the smallest margin: left over right side of the condition, less 1; positive where (5) holds.

    `frequency` in rad/s; `mass_error` is delta of the arm there.
    """

    margin: float
    frequency: float
    mass_error: float


class PassivityTest:
    """Passivity test (5) of one loop for any object: the discs are computed once.

    >>> from torquec.haptics.haptic_port import HapticPort
    >>> loop = PortLoop(HapticPort(1.0, 2.0), rendering="impedance")
    >>> test = PassivityTest(loop)
    >>> test.is_passive(RenderedImpedance(0.0, stiffness=1990.0)), test.is_passive(RenderedImpedance(0.0, 0.1, 1990.0))
    (True, False)
    """

    def __init__(self, loop: PortLoop) -> None:
        if loop.force_cutoff * loop.period > TUNING.largest_cutoff:
            raise ArgumentError(
                f"the force filter's cut-off of {loop.force_cutoff:g} Hz is far above the sampling rate of "
                f"{1.0 / loop.period:g} Hz: a force sensor that aliases without a filter is never passive",
                remedy=f"give a cut-off below {TUNING.largest_cutoff / loop.period:g} Hz",
            )
        self.loop = loop
        self._masses = _mass_count(loop.port.model_error)
        lowest = TUNING.lowest_cell * min(_slow_poles(loop))
        cells = max(1, math.ceil(math.log(loop.nyquist / lowest) / math.log(TUNING.cell_ratio)))
        self._ends = np.concatenate([[0.0], np.geomspace(lowest, loop.nyquist, cells + 1)])
        self._cells = self._between(self._ends)
        self._discs = self._at(self._cells)
        self._servo: dict[tuple[float, float], bool] = {}

    def is_passive(self, rendered: RenderedImpedance) -> bool:
        """Whether no passive hand can extract energy from the loop, for every arm mass within the model error."""
        if not self.is_stable_alone(rendered):
            return False
        samples = self._samples(rendered)

        def surplus(x: Array, y: Array) -> Array:
            return self._surplus(hand_discs(self.loop.sampled_port, np.sqrt(x), y), rendered)

        known = [self._surplus(discs, rendered) for _, discs in samples]
        if not all((values > 0.0).all() for values in known):
            return False
        return all(
            is_positive(surplus, cells, values.reshape(len(cells), TUNING.cell_points, self._masses))
            for (cells, _), values in zip(samples, known, strict=True)
        )

    def is_stable_alone(self, rendered: RenderedImpedance) -> bool:
        """Whether the arm under its own feedback is stable without a hand.

        Tested at the nominal mass: where (5) holds for all masses, N of (1) has no zero, and no pole becomes unstable.
        """
        gains = self.loop.gains_on_position(rendered)
        if gains not in self._servo:
            radius = float(coupled_loop(self.loop, rendered, no_hands(1)).servo_radius()[0])
            # Without a spring the arm's position is free: an eigenvalue of 1 that exerts no force.
            self._servo[gains] = radius < (1.0 if gains[0] > 0.0 else 1.0 + 1e-9)
        return self._servo[gains]

    def worst(self, rendered: RenderedImpedance) -> WorstFrequency:
        """The smallest margin of (5) over frequency and mass. Raises `ArgumentError` for an invalid object."""
        return self._worst(rendered, HandDiscs.margin)

    def worst_steady(self, rendered: RenderedImpedance) -> WorstFrequency:
        """The smallest margin of (3): for time-invariant hands."""
        return self._worst(rendered, HandDiscs.steady_margin)

    def sampled_margin(self, rendered: RenderedImpedance) -> float:
        """The smallest margin at the sampled frequencies only, for plots of many objects.

        It is -1 where the arm alone is unstable.
        """
        if not self.is_stable_alone(rendered):
            return -1.0
        return min(float(discs.margin(*self._feedback(discs, rendered)).min()) for _, discs in self._samples(rendered))

    def _samples(self, rendered: RenderedImpedance) -> list[tuple[Cells, HandDiscs]]:
        """All frequencies and masses in cells: those of the loop, and narrower ones where the object has poles."""
        self.loop.check_rendered(rendered)
        added = _object_ends(self.loop, rendered, float(self._ends[1]))
        if not len(added):
            return [(self._cells, self._discs)]
        kept = np.ones(len(self._cells), dtype=bool)
        kept[np.searchsorted(self._ends, added) - 1] = False
        ends = np.union1d(self._ends, added)
        new = self._between(ends)
        new = new.some(~kept[np.searchsorted(self._ends, np.sqrt(new.x1) * (1.0 - 1e-12)) - 1])
        points = np.repeat(kept, TUNING.cell_points * self._masses)
        return [(self._cells.some(kept), self._discs.some(points)), (new, self._at(new))]

    def _between(self, ends: Array) -> Cells:
        """Cells in the square of the frequency, all masses in each."""
        error, count = self.loop.port.model_error, len(ends) - 1
        return Cells(ends[:-1] ** 2, ends[1:] ** 2, np.full(count, -error), np.full(count, error))

    def _at(self, cells: Cells) -> HandDiscs:
        x, y = cells.points(TUNING.cell_points, self._masses)
        return hand_discs(self.loop.sampled_port, np.sqrt(x.ravel()), y.ravel())

    def _feedback(self, discs: HandDiscs, rendered: RenderedImpedance) -> tuple[ComplexArray, ComplexArray]:
        return force_feedback(self.loop, rendered, discs.z), position_feedback(self.loop, rendered, discs.z)

    def _surplus(self, discs: HandDiscs, rendered: RenderedImpedance) -> Array:
        """(6) over radius_0, scaled to be finite and nonzero at w = 0."""
        free = self.loop.rendering is RenderingKind.ADMITTANCE and rendered.stiffness == 0.0
        scale = discs.frequency**2 if free else np.ones(len(discs.frequency))
        found: Array = discs.surplus(*self._feedback(discs, rendered))[0] * scale / discs.radius[len(discs.radius) // 2]
        return found

    def _worst(
        self, rendered: RenderedImpedance, margin: Callable[[HandDiscs, ComplexArray, ComplexArray], Array]
    ) -> WorstFrequency:
        """The smallest margin: at the samples, then on refined grids about the lowest of them."""
        error = self.loop.port.model_error
        lowest = []
        for cells, discs in self._samples(rendered):
            x, y = (part.reshape(len(cells), -1) for part in cells.points(TUNING.cell_points, self._masses))
            values = margin(discs, *self._feedback(discs, rendered)).reshape(x.shape)
            values = np.where(np.sqrt(x) >= TUNING.lowest_frequency, values, math.inf)
            i, j = np.arange(len(cells)), values.argmin(axis=1)
            lowest.append(np.stack([values[i, j], np.sqrt(x[i, j]), y[i, j], np.sqrt(cells.x0), np.sqrt(cells.x1)]))
        value, w, delta, w0, w1 = np.concatenate(lowest, axis=1)
        order = np.argsort(value)[: TUNING.refined_cells]
        best = WorstFrequency(float(value[order[0]]), float(w[order[0]]), float(delta[order[0]]))
        w, delta, width, spread = w[order], delta[order], 0.5 * (w1 - w0)[order], np.full(len(order), error)
        share = np.linspace(-1.0, 1.0, 9)
        tilts = np.linspace(-1.0, 1.0, 5) if error > 0.0 else np.zeros(1)
        for _ in range(6):
            ws = np.clip(w + width * share[:, None], TUNING.lowest_frequency, self.loop.nyquist)
            deltas = np.clip(delta + spread * tilts[:, None], -error, error)
            ws, deltas = np.broadcast_arrays(ws[:, None, :], deltas[None, :, :])
            discs = hand_discs(self.loop.sampled_port, ws.ravel(), deltas.ravel())
            values = margin(discs, *self._feedback(discs, rendered)).reshape(-1, len(order))
            at, column = values.argmin(axis=0), np.arange(len(order))
            w, delta = ws.reshape(values.shape)[at, column], deltas.reshape(values.shape)[at, column]
            k = int(np.argmin(values[at, column]))
            if values[at[k], k] < best.margin:
                best = WorstFrequency(float(values[at[k], k]), float(w[k]), float(delta[k]))
            width, spread = 0.25 * width, 0.5 * spread
        return best


def passivity_margin(loop: PortLoop, rendered: RenderedImpedance) -> WorstFrequency:
    """Passivity margin of an object: the smallest margin of (5).

    >>> from torquec.haptics.port_loop import Grip
    >>> from torquec.haptics.haptic_port import HapticPort
    >>> loop = PortLoop(HapticPort(8.0, 20.0), grip=Grip(2000.0, 10.0))
    >>> passivity_margin(loop, RenderedImpedance(5.0)).margin < 0.0 < passivity_margin(
    ...     loop, RenderedImpedance(5.0, damping=20.0)
    ... ).margin
    True
    """
    return PassivityTest(loop).worst(rendered)


def _mass_count(error: float) -> int:
    """Number of masses: (6) has its poles where 1 + delta is imaginary, which sets the polynomial's convergence."""
    if error == 0.0:
        return 1
    return 1 + math.ceil(-math.log(TUNING.mass_fit_error) / math.acosh(1.0 / error))


def _slow_poles(loop: PortLoop) -> list[float]:
    """Magnitudes [rad/s] of the slow poles of a loop without its object."""
    heaviest = loop.port.mass * (1.0 + loop.port.model_error)
    found = [loop.nyquist, 2.0 * math.pi * loop.force_cutoff]
    if loop.port.damping > 0.0:
        found.append(loop.port.damping / heaviest)
    if loop.grip is not None:
        found += [loop.grip.stiffness / loop.grip.damping, math.sqrt(loop.grip.stiffness / heaviest)]
    if loop.velocity_cutoff is not None:
        found.append(2.0 * math.pi * loop.velocity_cutoff)
    return found


def _object_ends(loop: PortLoop, rendered: RenderedImpedance, lowest: float) -> Array:
    """Ends of further cells [rad/s]: towards the object's own frequency, and down to its slowest pole."""
    if loop.rendering is RenderingKind.IMPEDANCE:
        return np.zeros(0)
    rate, square = 0.5 * rendered.damping / rendered.mass, rendered.stiffness / rendered.mass
    root = cmath.sqrt(rate * rate - square)
    poles = [-rate + root, -rate - root] if rate * rate < square else [complex(-rate - root.real)]
    if len(poles) == 1 and square > 0.0:
        poles.append(complex(square / poles[0].real))
    found = [np.zeros(0)]
    slowest = TUNING.lowest_cell * min((abs(pole) for pole in poles if pole != 0.0), default=math.inf)
    if slowest < lowest:
        found.append(
            np.geomspace(slowest, lowest, math.ceil(math.log(lowest / slowest) / math.log(TUNING.cell_ratio)) + 1)
        )
    # Aliasing: sampling folds frequencies above half its rate back.
    own = abs(cmath.phase(cmath.exp(poles[0] * loop.period))) / loop.period
    if poles[0].imag != 0.0:
        apart = max(rate, 1e-9 * own) * 2.0 ** np.arange(-1.0, 60.0)
        apart = apart[apart < 0.5 * own]
        found += [own - apart, np.array([own]), own + apart]
    ends = np.unique(np.concatenate(found))
    return ends[(ends > 0.0) & (ends < loop.nyquist)]
