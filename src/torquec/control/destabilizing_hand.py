"""A passive hand that makes a haptic loop unstable, built from the frequency at which the loop is not passive.

Where (3) of `coupled_passivity` fails at a frequency w, the disc of all hands holds the value at which the loop is
singular. The impedance that reaches it, and goes beyond, is read off the discs:

(1)  g_k = centre_k + r radius_k e_k,   e_k turned so that every c_k g_k points against the left side of (3),   r <= 1
(2)  Z_k = 1/g_k - D_k, and behind the grip  1/Z'_k = 1/Z_k - s_k/(kg + cg s_k)

Where the aliases add little, Z' at w alone is met, by a damper and a mass or a spring:  Z' = R + j X,  m = X/w or
k = -X w. Otherwise each alias has a resonance of its own, so narrow that the others hardly feel it:

(3)  c s/(s^2 + d s + o^2)  with  d = c Re 1/Z'_k,   o^2 = w_k^2 - c w_k Im 1/Z'_k,   c = e w_k |Z'_k|

The hand counts only when the eigenvalues of the sampled loop with it say so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from torquec.control.coupled_loop import coupled_loop
from torquec.control.coupled_passivity import HandDiscs, PassivityTest, WorstFrequency, hand_discs
from torquec.control.passive_hand import PassiveHands, no_hands
from torquec.control.port_loop import PortLoop, RenderedImpedance, force_feedback, position_feedback
from torquec.errors import ArgumentError, CheckError
from torquec.foundation.arrays import ComplexArray

_REACHES = (1.0, 0.99, 0.97, 0.93, 0.85, 0.7, 0.5)  # r of (1): lossless hands first
_WIDTHS = (0.3, 0.1, 0.03, 0.01, 0.003)  # e of (3): the wider, the faster the growth
_ALIASES = 4  # on either side: at half the sampling rate they hold 96 % of all
_SWEEPS = 30  # the resonances hardly touch each other: far fewer are enough
_GROWTH = 1e-9  # per sample; less is not told from rounding


@dataclass(frozen=True, eq=False)
class DestabilizingHand:
    """A passive hand (one of `hands`), the growth of the loop's motion per sample, and the frequency behind it [rad/s].

    `mass_error` is that of the arm with which it happens.
    """

    hands: PassiveHands
    growth: float
    frequency: float
    mass_error: float


def destabilizing_hand(loop: PortLoop, rendered: RenderedImpedance) -> DestabilizingHand:
    """A passive hand with which the loop is unstable.

    Raises `ArgumentError` where there is none: the object is inside the renderable region. Raises `CheckError` where
    the region is left by so little that none could be built.

    >>> from torquec.control.port_loop import Grip
    >>> from torquec.control.haptic_port import HapticPort
    >>> loop = PortLoop(HapticPort(8.0, 20.0), grip=Grip(2000.0, 10.0))
    >>> destabilizing_hand(loop, RenderedImpedance(5.0)).growth > 1e-6
    True
    """
    test = PassivityTest(loop)
    if not test.is_stable_alone(rendered):
        return DestabilizingHand(no_hands(1), _growth(loop, rendered, no_hands(1), 0.0), loop.nyquist, 0.0)
    worst = test.worst(rendered)
    if worst.margin > 0.0:
        raise ArgumentError(
            "no passive hand destabilizes this object: it is inside the renderable region",
            remedy="ask for one outside of it",
        )
    tried = []
    for hands in _candidates(loop, rendered, worst):
        growth = _growth(loop, rendered, hands, worst.mass_error)
        tried.append(DestabilizingHand(hands, growth, worst.frequency, worst.mass_error))
    best = max(tried, key=lambda hand: hand.growth)
    if best.growth < _GROWTH:
        raise CheckError(
            f"the object is outside of the renderable region by a margin of {worst.margin:.2g} only",
            remedy="ask for one further outside to be shown a hand that destabilizes it",
        )
    return best


def _growth(loop: PortLoop, rendered: RenderedImpedance, hands: PassiveHands, mass_error: float) -> float:
    found = coupled_loop(loop, rendered, hands, mass_error=mass_error)
    return float(found.radius()[0]) - 1.0


def _candidates(loop: PortLoop, rendered: RenderedImpedance, worst: WorstFrequency) -> Iterator[PassiveHands]:
    """Hands by (1) to (3), simple ones first."""
    frequency = worst.frequency
    if frequency > 0.99 * loop.nyquist:
        frequency = loop.nyquist  # there the aliases come in pairs, and one impedance serves both
    discs = hand_discs(loop, np.array([frequency]), worst.mass_error)
    left, _ = discs.sides(force_feedback(loop, rendered, discs.z), position_feedback(loop, rendered, discs.z))
    for reach in _REACHES:
        wanted = _wanted(loop, rendered, discs, complex(left[0]), reach)
        yield _simple_hand(*wanted[0])
        for width in _WIDTHS:
            yield _resonances(wanted, width)


def _wanted(
    loop: PortLoop, rendered: RenderedImpedance, discs: HandDiscs, left: complex, reach: float
) -> list[tuple[float, complex]]:
    """(frequency, Z') of every alias that counts (1), (2), the lowest frequency first; frequencies are positive."""
    Cf, Cx = force_feedback(loop, rendered, discs.z), position_feedback(loop, rendered, discs.z)
    c: ComplexArray = (discs.hold * (Cx / discs.s - Cf * discs.sensor * discs.arm))[:, 0]
    middle = len(c) // 2
    found: dict[float, complex] = {}
    for k in sorted(range(middle - _ALIASES, middle + _ALIASES + 1), key=lambda i: abs(discs.s[i, 0])):
        turn = -left / abs(left) * abs(c[k]) / c[k]
        g = discs.centre[k, 0] + reach * discs.radius[k, 0] * turn
        s = complex(discs.s[k, 0])
        Y = 1.0 / (1.0 / g - discs.arm[k, 0])
        if loop.grip is not None:
            Y -= s / (loop.grip.stiffness + loop.grip.damping * s)
        Z = 1.0 / complex(max(Y.real, 0.0), Y.imag)
        w = abs(s.imag)
        if not any(math.isclose(w, other, rel_tol=1e-3) for other in found):
            found[w] = Z if s.imag > 0.0 else Z.conjugate()
    return list(found.items())


def _simple_hand(w: float, Z: complex) -> PassiveHands:
    """A damper with a mass or a spring that has the impedance Z at w."""
    damper = np.array([max(Z.real, 0.0)])
    if Z.imag >= 0.0:
        return PassiveHands(np.array([Z.imag / w]), damper, np.zeros((1, 0, 0)), np.zeros((1, 0)))
    return PassiveHands(np.zeros(1), damper, np.zeros((1, 1, 1)), np.array([[math.sqrt(-Z.imag * w)]]))


def _resonances(wanted: list[tuple[float, complex]], width: float) -> PassiveHands:
    """(3), one for every alias; each makes up for what the others have at its frequency."""
    w = np.array([frequency for frequency, _ in wanted])
    Z = np.array([impedance for _, impedance in wanted])
    c = width * w * np.abs(Z)
    d, o2 = np.zeros(len(w)), w * w
    for _ in range(_SWEEPS):
        for i in range(len(w)):
            s = 1j * w[i]
            others = np.delete(np.arange(len(w)), i)
            Y = 1.0 / (Z[i] - (c[others] * s / (s * s + d[others] * s + o2[others])).sum())
            d[i], o2[i] = c[i] * max(Y.real, 0.0), max(w[i] ** 2 - c[i] * w[i] * Y.imag, 0.0)
    size = 2 * len(w)
    F, G = np.zeros((1, size, size)), np.zeros((1, size))
    for i, o in enumerate(np.sqrt(o2)):
        F[0, 2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[-d[i], -o], [o, 0.0]]
        G[0, 2 * i] = math.sqrt(c[i])
    return PassiveHands(np.zeros(1), np.zeros(1), F, G)
