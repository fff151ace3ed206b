"""Counterexample to passivity: a passive hand that makes a haptic loop unstable.

Where (3) of :mod:`torquec.proof.passivity.hand_discs` fails at a frequency w, the disc of all time-invariant hands
contains the value at which the loop is singular. The impedance that reaches it follows from the discs:

(1)  g_k = centre_k + r radius_k e_k,   r <= 1,   e_k turned so that every W_k q_k g_k points against L of (3)
(2)  Z_k = 1/g_k - D_k, and behind the grip  1/Z'_k = 1/Z_k - s_k/(kg + cg s_k)

Where the aliases add little, Z' is matched at w only, by a damper and a mass or a spring:  Z' = R + j X,  m = X/w or
k = -X w. Otherwise each alias has a resonance of its own, so narrow that it hardly affects the others:

(3)  c s/(s^2 + d s + o^2)  with  d = c Re 1/Z'_k,   o^2 = w_k^2 - c w_k Im 1/Z'_k,   c = e w_k |Z'_k|

Where (3) of `hand_discs` holds and (5) of `hand_discs` does not, the hand must switch in step with the samples. One
lossless resonance is enough, a' = j o a + g v', f' = Re{conj(g) a}. Its lever g has the period of the samples,
conj(g) = sum_k phi_k exp(2 pi j k t/T). With Y of the port, (4) of `hand_discs`, the resonance then grows as

(4)  a' = (j o - phi* Y phi/2) a,     phi the eigenvector of the least eigenvalue of Y + Y*,   o = w + Im{phi* Y phi}/2

`period_pieces` constant levers make up a period. A hand is accepted only if the sampled loop with it has an unstable
eigenvalue.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError, CheckError
from torquec.foundation.arrays import ComplexArray
from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.coupled_passivity import PassivityTest, WorstFrequency
from torquec.haptics.passive_hand import PassiveHands, SwitchedHands, no_hands
from torquec.haptics.port_loop import PortLoop, RenderedImpedance, force_feedback, position_feedback
from torquec.haptics.tuning import TUNING
from torquec.proof.passivity.hand_discs import HandDiscs, hand_discs


@dataclass(frozen=True, eq=False)
class DestabilizingHand:
    """A destabilizing passive hand (one of `hands`), the growth of the motion per sample, and its frequency [rad/s].

    `mass_error`: that of the unstable arm.
    """

    hands: PassiveHands | SwitchedHands
    growth: float
    frequency: float
    mass_error: float


def destabilizing_hand(loop: PortLoop, rendered: RenderedImpedance) -> DestabilizingHand:
    """Construct a passive hand with which the loop is unstable.

    Raises `ArgumentError` where there is none: the object is inside the renderable region. Raises `CheckError` where
    the object is so close to the region that no hand could be constructed.

    >>> from torquec.haptics.port_loop import Grip
    >>> from torquec.haptics.haptic_port import HapticPort
    >>> loop = PortLoop(HapticPort(8.0, 20.0), grip=Grip(2000.0, 10.0))
    >>> destabilizing_hand(loop, RenderedImpedance(5.0)).growth > 1e-6
    True
    """
    test = PassivityTest(loop)
    if not test.is_stable_alone(rendered):
        return DestabilizingHand(no_hands(1), _growth(loop, rendered, no_hands(1), 0.0), loop.nyquist, 0.0)
    if test.is_passive(rendered):
        raise ArgumentError(
            "no passive hand destabilizes this object: it is inside the renderable region",
            remedy="ask for one outside of it",
        )
    steady, worst = test.worst_steady(rendered), test.worst(rendered)
    best = None
    if steady.margin < 0.0:
        best = _best(loop, rendered, steady, _candidates(loop, rendered, steady))
    if best is None or best.growth < TUNING.least_growth:
        best = _best(loop, rendered, worst, _switched(loop, rendered, worst))
    if best.growth < TUNING.least_growth:
        raise CheckError(
            f"the object is outside of the renderable region by a margin of {worst.margin:.2g} only",
            remedy="ask for one further outside to be shown a hand that destabilizes it",
        )
    return best


def _best(
    loop: PortLoop,
    rendered: RenderedImpedance,
    worst: WorstFrequency,
    candidates: Iterable[PassiveHands | SwitchedHands],
) -> DestabilizingHand:
    """The candidate with the fastest growth."""
    tried = [
        DestabilizingHand(hands, _growth(loop, rendered, hands, worst.mass_error), worst.frequency, worst.mass_error)
        for hands in candidates
    ]
    return max(tried, key=lambda hand: hand.growth)


def _growth(
    loop: PortLoop, rendered: RenderedImpedance, hands: PassiveHands | SwitchedHands, mass_error: float
) -> float:
    found = coupled_loop(loop, rendered, hands, mass_error=mass_error)
    return float(found.radius()[0]) - 1.0


def _candidates(loop: PortLoop, rendered: RenderedImpedance, worst: WorstFrequency) -> Iterator[PassiveHands]:
    """Hands by (1) to (3), simple ones first."""
    frequency = worst.frequency
    if frequency > 0.99 * loop.nyquist:
        frequency = loop.nyquist  # there the aliases come in pairs, and one impedance serves both
    discs = hand_discs(loop.sampled_port, np.array([frequency]), worst.mass_error)
    for reach in TUNING.hand_reaches:
        wanted = _wanted(loop, rendered, discs, reach)
        yield _simple_hand(*wanted[0])
        for width in TUNING.hand_widths:
            yield _resonances(wanted, width)


def _wanted(loop: PortLoop, rendered: RenderedImpedance, discs: HandDiscs, reach: float) -> list[tuple[float, complex]]:
    """(frequency, Z') of every alias that counts (1), (2), the lowest frequency first; frequencies are positive."""
    N, q = discs.forces(force_feedback(loop, rendered, discs.z), position_feedback(loop, rendered, discs.z))
    c: ComplexArray = (discs.hold * q)[:, 0]
    left = complex(N[0] - (discs.weight * discs.hold * q * discs.radius * discs.arm.conj() / discs.arm).sum())
    middle = len(c) // 2
    found: dict[float, complex] = {}
    for k in sorted(
        range(middle - TUNING.hand_aliases, middle + TUNING.hand_aliases + 1), key=lambda i: abs(discs.s[i, 0])
    ):
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
    """(3), one for every alias; each corrects for the others at its frequency."""
    w = np.array([frequency for frequency, _ in wanted])
    Z = np.array([impedance for _, impedance in wanted])
    c = width * w * np.abs(Z)
    d, o2 = np.zeros(len(w)), w * w
    for _ in range(TUNING.hand_sweeps):
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


def _switched(loop: PortLoop, rendered: RenderedImpedance, worst: WorstFrequency) -> Iterator[SwitchedHands]:
    """(4), the longest lever first."""
    w = min(worst.frequency, 0.98 * loop.nyquist)  # at half the rate a resonance and its mirror image would be one
    discs = hand_discs(loop.sampled_port, np.array([w]), worst.mass_error)
    middle = len(discs.s) // 2
    near = slice(middle - TUNING.lever_aliases, middle + TUNING.lever_aliases + 1)
    N, q = discs.forces(force_feedback(loop, rendered, discs.z), position_feedback(loop, rendered, discs.z))
    D, s = discs.arm[near, 0], discs.s[near, 0]
    grip = 0.0 if loop.grip is None else s / (loop.grip.stiffness + loop.grip.damping * s)
    Y = np.diag(1.0 / D + grip) - np.outer(discs.hold[near, 0] / D, q[near, 0] / D) / N[0]
    phi = np.linalg.eigh(Y + Y.conj().T)[1][:, 0]
    answer = complex(phi.conj() @ Y @ phi)
    k = np.arange(-TUNING.lever_aliases, TUNING.lever_aliases + 1)
    middles = (np.arange(TUNING.period_pieces)[:, None] + 0.5) / TUNING.period_pieces
    levers = (phi * np.sinc(k / TUNING.period_pieces) * np.exp(2j * math.pi * k * middles)).sum(
        axis=1
    )  # the mean of each piece
    for share in TUNING.hand_levers:
        size = share * w / (0.5 * abs(answer))
        o = w + 0.5 * size * answer.imag
        F, none = np.array([[[0.0, -o], [o, 0.0]]]), np.zeros(1)
        yield SwitchedHands(
            tuple(
                PassiveHands(none, none, F, math.sqrt(size) * np.array([[lever.real, -lever.imag]])) for lever in levers
            )
        )
