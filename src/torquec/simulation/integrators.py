"""One step of an integrator, over any scalar: fixed (Runge-Kutta 4) or adaptive (Dormand-Prince 5(4)).

For y' = f(y), with the torques held constant over the step:

(1)  RK4:    k1 = f(y),  k2 = f(y + h/2 k1),  k3 = f(y + h/2 k2),  k4 = f(y + h k3)
             y+ = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
(2)  DP5(4): seven stages a_ij, b5 for the solution, b5 - b4 for its error (Dormand & Prince 1980)
(3)  error:  e^2 = mean over i of (error_i / (absolute + relative max(|y_i|, |y+_i|)))^2
(4)  control: the step is accepted where e <= 1 or h <= h_min;  h+ = h clip(0.9 e^-1/4, 0.2, 5)

A traced step has no branches, so (4) is arithmetic: a rejected attempt returns y, with a smaller h. The exponent is
1/4 instead of 1/5, which is conservative and needs only two square roots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torquec.errors import ArgumentError
from torquec.expr.math import absolute, maximum, minimum, select, sqrt
from torquec.spatial import Scalar

State = list[Scalar]
Derivative = Callable[[Sequence[Scalar]], State]


@dataclass(frozen=True)
class RungeKutta4:
    """Fixed-step RK4: `substeps` of (1) in every control interval."""

    substeps: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.substeps, bool) or not isinstance(self.substeps, int) or self.substeps < 1:
            raise ArgumentError(f"{self.substeps!r} integration steps per interval", remedy="give a positive integer")


@dataclass(frozen=True)
class DormandPrince:
    """Adaptive DP5(4) steps (2)-(4): `smallest` [s] is always accepted, an interval gets at most `most` attempts."""

    relative: float = 1e-9
    absolute: float = 1e-11
    smallest: float = 1e-9
    most: int = 100_000

    def __post_init__(self) -> None:
        if not (0.0 < self.relative < 1.0 and self.absolute > 0.0 and self.smallest > 0.0 and self.most >= 1):
            raise ArgumentError(
                f"tolerances {self.relative!r} and {self.absolute!r}, smallest step {self.smallest!r}",
                remedy="give positive numbers, the relative tolerance below one",
            )


Integrator = RungeKutta4 | DormandPrince


def rk4_step(f: Derivative, y: Sequence[Scalar], h: Scalar) -> State:
    """y after a time h (1).

    >>> rk4_step(lambda y: [-y[0]], [1.0], 0.1)[0] - 0.9048374180359595 < 1e-7
    True
    """
    half = 0.5 * h
    k1 = f(y)
    k2 = f(_moved(y, half, k1))
    k3 = f(_moved(y, half, k2))
    k4 = f(_moved(y, h, k3))
    sixth = h / 6.0
    return [a + sixth * ((p + s) + 2.0 * (q + r)) for a, p, q, r, s in zip(y, k1, k2, k3, k4, strict=True)]


_A: tuple[tuple[float, ...], ...] = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""b5 - b4; the last stage is f of the new state."""


@dataclass(frozen=True)
class Attempt:
    """Result of an attempt: the state, the remaining time of the interval, the next step to try."""

    y: State
    left: Scalar
    h: Scalar


def dormand_prince_attempt(
    f: Derivative, y: Sequence[Scalar], left: Scalar, h: Scalar, *, options: DormandPrince
) -> Attempt:
    """One attempt (2)-(4) from y with the step h; `left` is the remaining time of the interval [s].

    With no time left, y does not change.
    """
    step = minimum(h, left)
    stages = [f(y)]
    point: State = list(y)
    for row in _A:
        point = list(y)
        for weight, stage in zip(row, stages, strict=True):
            if weight:
                point = _moved(point, weight * step, stage)
        stages.append(f(point))
    square: Scalar = 0.0
    for i, (old, new) in enumerate(zip(y, point, strict=True)):
        wrong: Scalar = 0.0
        for weight, stage in zip(_ERROR, stages, strict=True):
            if weight:
                wrong = wrong + weight * stage[i]
        share = step * wrong / (options.absolute + options.relative * maximum(absolute(old), absolute(new)))
        square = square + share * share
    error = sqrt(square / float(len(point)))
    growth = minimum(5.0, maximum(0.2, 0.9 / sqrt(sqrt(error + 1e-12))))
    accepted = maximum(1.0 - error, options.smallest - step)
    kept = [select(accepted, new, old) for old, new in zip(y, point, strict=True)]
    # A step shortened by the end of the interval does not reduce the step to try next.
    meant = select(accepted, maximum(h, step * growth), step * growth)
    return Attempt(
        kept, select(accepted, left - step, left), maximum(options.smallest, select(h - left, meant, step * growth))
    )


def _moved(y: Sequence[Scalar], h: Scalar, slope: Sequence[Scalar]) -> State:
    return [a + h * b for a, b in zip(y, slope, strict=True)]
