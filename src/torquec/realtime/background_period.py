"""The background of the two-rate structure: its period, from the plan to the running program, and its friction task.

A plan chooses the period (:mod:`torquec.realtime.plan`), headers state their errors for it, and examples and the
runtime of a package wait for it: `<prefix>_BACKGROUND_PERIOD` [ns] of its tasks is the only place that says it in C.
"""

from __future__ import annotations

import math
from enum import StrEnum

from torquec_check.claim import rounded_down

USUAL_PERIOD = 0.02
"""Izaguirre's background, where nothing says which period is short enough [s]."""
LONGEST_PERIOD = 1.0
"""The longest that is recommended [s]: coefficients that hardly change allow any."""

_NANOSECONDS = 1e9
_TOO_OLD = 4.0
"""Background periods after which coefficients are too old, where nothing is said, and at least 50 ms of them."""
_LATE = 0.05  # [s]


def background_nanoseconds(period: float) -> int:
    """A background period [s] as C states it [ns], rounded down: errors are stated for coefficients no older.

    >>> background_nanoseconds(0.02), background_nanoseconds(1.23456789e-4)
    (20000000, 123456)
    """
    return max(1, math.floor(period * _NANOSECONDS * (1.0 + 1e-15)))  # 0.0003 s is 300000 ns less a rounding


def oldest_coefficients(period: float) -> float:
    """The age [s] at which a loop stops the robot, where the user says none.

    >>> oldest_coefficients(0.005), oldest_coefficients(0.02)
    (0.05, 0.08)
    """
    return max(_TOO_OLD * period, _LATE)


def shorter_than_cycle(cycle: float) -> str:
    """What to say of a background period that is shorter than a cycle [s] of the controller.

    >>> shorter_than_cycle(0.001)
    'shorter than a cycle of 1 ms: compute the whole law in every cycle, two rates gain nothing here'
    """
    ms = f"{1e3 * cycle:.4g} ms"
    return f"shorter than a cycle of {ms}: compute the whole law in every cycle, two rates gain nothing here"


def period_words(period: float) -> str:
    """The period in words, rounded down: errors are proven for coefficients no older.

    >>> period_words(0.02), period_words(0.000123456)
    ('background period 20 ms', 'background period 0.1234 ms')
    """
    return f"background period {rounded_down(1e3 * period, 4)} ms"


class FrictionTask(StrEnum):
    """Where friction is computed."""

    BACKGROUND = "background"
    """With the other held terms: it costs nothing in a cycle, and turns over as late as they do."""
    SYNCHRONOUS = "synchronous"
    """In every cycle, at its speeds: further operations of the synchronous task, which its header counts."""
    NONE = "none"
