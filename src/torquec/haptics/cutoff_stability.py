"""Stability of a haptic loop against the cut-off frequency of its force and velocity filters.

Users of the loop in Clover, chapter IV, felt the lag of simple second-order filters, and as it grew the loop became
unstable. Here the lag and the eigenvalues of the loop with a hand are computed:

(1)  lag at low frequency = sqrt(2)/(2 pi cut-off), of the force or of the measured speed, besides other delays
(2)  growth = ln(largest magnitude of an eigenvalue)/T  [1/s]: negative where the loop is stable
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.foundation.choice import chosen
from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.coupled_passivity import PassivityTest
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.passive_hand import PassiveHands
from torquec.haptics.port_loop import PortLoop, RenderedImpedance
from torquec.haptics.tuning import TUNING


class FilterPlace(StrEnum):
    """The filter of the force sensor, or that of the differenced positions."""

    FORCE = "force"
    VELOCITY = "velocity"


@dataclass(frozen=True, eq=False)
class CutoffStability:
    """A loop with one hand over the cut-offs (N,) [Hz] of a filter.

    `lag` (N,) [s] and `growth` (N,) [1/s] are (1) and (2); `is_passive` (N,) is true where the loop is stable with
    every passive hand. `stable_from` is the cut-off above which the loop with this hand is stable: 0 if it is stable at
    all cut-offs, None if it is unstable even at the highest.
    """

    place: FilterPlace
    cutoff: Array
    lag: Array
    growth: Array
    is_passive: Mask
    stable_from: float | None


def cutoff_stability(
    loop: PortLoop,
    rendered: RenderedImpedance,
    hand: PassiveHands,
    cutoffs: npt.ArrayLike,
    *,
    place: FilterPlace | str = FilterPlace.FORCE,
    passivity: bool = True,
) -> CutoffStability:
    """Stability of the loop with one hand at each of the cut-offs, ascending; `is_passive` is computed on demand.

    Raises `ArgumentError` for cut-offs that do not ascend or that a filter cannot have, and for several hands.
    """
    where = chosen(FilterPlace, place, "filter")
    given = np.atleast_1d(np.asarray(cutoffs, dtype=np.float64))
    if given.ndim != 1 or not len(given) or not (np.diff(given) > 0.0).all() or not (given > 0.0).all():
        raise ArgumentError(
            "the cut-offs of a filter are not ascending", remedy="give positive numbers, the smallest first"
        )
    if len(hand) != 1:
        raise ArgumentError(f"stability against a cut-off is for one hand, not {len(hand)}", remedy="give one of them")
    if where is FilterPlace.FORCE and loop.rendering is RenderingKind.IMPEDANCE:
        raise ArgumentError("rendering by impedance has no force filter", remedy="ask for the velocity filter")

    def at(cutoff: float) -> PortLoop:
        if where is FilterPlace.FORCE:
            return replace(loop, force_cutoff=cutoff)
        return replace(loop, velocity_cutoff=cutoff)

    def growth(cutoff: float) -> float:
        radius = float(coupled_loop(at(cutoff), rendered, hand).radius()[0])
        return math.log(radius) / loop.period

    rates = np.array([growth(value) for value in given])
    passive = np.array([passivity and PassivityTest(at(value)).is_passive(rendered) for value in given])
    unstable = np.flatnonzero(rates >= 0.0)
    if not len(unstable):
        edge: float | None = 0.0
    elif unstable[-1] == len(given) - 1:
        edge = None
    else:
        low, high = given[unstable[-1]], given[unstable[-1] + 1]
        for _ in range(TUNING.cutoff_bisections):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if growth(middle) >= 0.0 else (low, middle)
        edge = float(high)
    return CutoffStability(where, given, math.sqrt(2.0) / (2.0 * math.pi * given), rates, passive, edge)
