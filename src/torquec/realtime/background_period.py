"""Background period of the two-rate structure, its limits and units, and the choice of the friction task.

A plan chooses the period (:mod:`torquec.realtime.plan`), headers state the hold errors for it, and examples and
runtime of a package use it: `<prefix>_BACKGROUND_PERIOD` [ns] of its tasks is its only definition in C.
"""

from __future__ import annotations

import math
from enum import StrEnum

from torquec.realtime.tuning import TUNING
from torquec_check.claim import rounded_down

_NANOSECONDS = 1e9  # of a second


def background_nanoseconds(period: float) -> int:
    """A background period [s] as C states it [ns], rounded down: the stated errors hold up to this sample age.

    >>> background_nanoseconds(0.02), background_nanoseconds(1.23456789e-4)
    (20000000, 123456)
    """
    return max(1, math.floor(period * _NANOSECONDS * (1.0 + 1e-15)))  # 0.0003 s is 300000 ns minus a rounding error


def oldest_coefficients(period: float) -> float:
    """Default of the largest sample age [s], at which a loop stops the robot.

    >>> oldest_coefficients(0.005), oldest_coefficients(0.02)
    (0.05, 0.08)
    """
    return max(TUNING.age_periods * period, TUNING.least_age)


def shorter_than_cycle(cycle: float) -> str:
    """Message for a background period that is shorter than a cycle [s] of the controller.

    >>> shorter_than_cycle(0.001)
    'shorter than a cycle of 1 ms: compute the whole law in every cycle, two rates have no benefit here'
    """
    ms = f"{1e3 * cycle:.4g} ms"
    return f"shorter than a cycle of {ms}: compute the whole law in every cycle, two rates have no benefit here"


def period_words(period: float) -> str:
    """The period in words, rounded down: errors are proven up to this sample age.

    >>> period_words(0.02), period_words(0.000123456)
    ('background period 20 ms', 'background period 0.1234 ms')
    """
    return f"background period {rounded_down(1e3 * period, 4)} ms"


class FrictionTask(StrEnum):
    """The task that computes friction."""

    BACKGROUND = "background"
    """With the other held terms: no cost in a cycle, but friction changes sign only when they are updated."""
    SYNCHRONOUS = "synchronous"
    """In every cycle, at the current speeds: additional operations of the synchronous task, counted in its header."""
    NONE = "none"
