"""Passive operator impedances (hands) as port-Hamiltonian systems: they store or dissipate energy.

(1)  f' = mass dv'/dt + D v' + G' h,    dh/dt = F h + G v',    mass >= 0, D >= 0, F + F' <= 0
(2)  Z(s) = mass s + D + G' (s I - F)^-1 G,    stored energy  mass v'^2/2 + h'h/2

Every passive impedance of finite order has this form. f' is the force that moves the hand at speed v'; the opposite
force acts on the arm, through a grip or directly. A hand whose D, F and G change with time, with a constant mass and a
continuous h, is passive, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, ComplexArray
from torquec.haptics.tuning import TUNING


@dataclass(frozen=True, eq=False)
class PassiveHands:
    """N impedances (1): mass (N,), D (N,), F (N, n, n), G (N, n).

    Raises `ArgumentError`, which numbers the hand, for one that is not passive. The masses are all positive or all
    zero.
    """

    mass: Array
    D: Array
    F: Array
    G: Array

    def __post_init__(self) -> None:
        count, order = self.G.shape
        if self.mass.shape != (count,) or self.D.shape != (count,) or self.F.shape != (count, order, order):
            raise ArgumentError(
                f"hands of the shapes {self.mass.shape}, {self.D.shape}, {self.F.shape}, {self.G.shape}",
                remedy="give mass (N,), D (N,), F (N, n, n), G (N, n)",
            )
        if not all(np.isfinite(part).all() for part in (self.mass, self.D, self.F, self.G)):
            raise ArgumentError("a hand has entries that are not finite", remedy="give finite numbers")
        active = (self.mass < 0.0) | (self.D < 0.0)
        if order:
            both = self.F + self.F.swapaxes(1, 2)
            active |= np.linalg.eigvalsh(both)[:, -1] > TUNING.eigenvalue_slack * np.abs(self.F).max(axis=(1, 2))
        if active.any():
            raise ArgumentError(
                f"hand {int(np.argmax(active))} is not passive: it can generate energy",
                remedy="give mass and D that are not negative, and F with F + F' negative semidefinite",
            )
        if (self.mass > 0.0).any() and (self.mass == 0.0).any():
            raise ArgumentError("some hands have a mass and some have none", remedy="take them apart")

    def __len__(self) -> int:
        return len(self.mass)

    @property
    def pieces(self) -> tuple[PassiveHands, ...]:
        """The hands during a period: one piece, time-invariant."""
        return (self,)

    @property
    def is_grounded(self) -> bool:
        """Whether the first state of every hand is a spring to the ground, apart from all others."""
        return self.G.shape[1] > 0 and not (self.F[:, 0].any() or self.F[:, :, 0].any())

    def impedance(self, s: complex) -> ComplexArray:
        """Z(s) of (2), (N,)."""
        size = self.G.shape[1]
        inner = (
            np.linalg.solve(s * np.eye(size) - self.F, self.G[:, :, None])[:, :, 0] if size else np.zeros_like(self.G)
        )
        found: ComplexArray = self.mass * s + self.D + (self.G * inner).sum(axis=1)
        return found


@dataclass(frozen=True, eq=False)
class SwitchedHands:
    """N hands that change in step with the samples: each of the `pieces` for an equal share of every period.

    Raises `ArgumentError` where states or masses differ between pieces.
    """

    pieces: tuple[PassiveHands, ...]
    is_grounded = False

    def __post_init__(self) -> None:
        if not self.pieces:
            raise ArgumentError("hands without a piece", remedy="give one PassiveHands at least")
        first = self.pieces[0]
        if any(one.G.shape != first.G.shape or (one.mass != first.mass).any() for one in self.pieces):
            raise ArgumentError(
                "the pieces of a hand differ in mass or in order",
                remedy="change D, F and G alone: elements that store energy must not change",
            )

    def __len__(self) -> int:
        return len(self.pieces[0])


def no_hands(count: int) -> PassiveHands:
    """`count` hands of zero impedance: nobody holds the arm."""
    return PassiveHands(np.zeros(count), np.zeros(count), np.zeros((count, 0, 0)), np.zeros((count, 0)))


def arm_hand(mass: float, damping: float, stiffness: float) -> PassiveHands:
    """One hand of mass [kg], damping [N s/m] and stiffness [N/m] against the ground: a person who holds still."""
    return PassiveHands(
        np.array([mass]), np.array([damping]), np.zeros((1, 1, 1)), np.array([[math.sqrt(max(stiffness, 0.0))]])
    )


def random_hands(count: int, generator: np.random.Generator, *, mass: float, grounded: bool = True) -> PassiveHands:
    """Random passive hands around an arm of this mass: a mass, a damper, a resonance and, `grounded`, a spring.

    Own frequencies lie between 0.03 and 300 Hz, losses anywhere from none to far beyond critical; three in ten have no
    damper, three in ten a resonance without losses.
    """

    def spread(low: float, high: float) -> Array:
        found: Array = 10.0 ** generator.uniform(low, high, count)
        return found

    body = mass * spread(-4.0, 2.0)
    ground, own = 2.0 * math.pi * spread(-1.5, 2.5), 2.0 * math.pi * spread(-1.5, 2.5)
    D = np.where(generator.random(count) < 0.3, 0.0, mass * spread(-3.0, 3.0))
    G = np.empty((count, 3))
    G[:, 0] = np.sqrt(mass * spread(-2.0, 1.0)) * ground
    G[:, 1:] = (np.sqrt(mass * spread(-2.0, 1.0)) * own)[:, None] * generator.standard_normal((count, 2))
    loss = generator.standard_normal((count, 2, 2)) * np.sqrt(own * spread(-3.0, 1.0))[:, None, None]
    loss[generator.random(count) < 0.3] = 0.0
    F = np.zeros((count, 3, 3))
    F[:, 1:, 1:] = -(loss @ loss.swapaxes(1, 2))
    F[:, 1, 2] += own
    F[:, 2, 1] -= own
    return PassiveHands(body, D, F, G) if grounded else PassiveHands(body, D, F[:, 1:, 1:], G[:, 1:])
