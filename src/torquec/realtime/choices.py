"""What can be chosen of the two-rate structure: where friction is computed, and what is held."""

from __future__ import annotations

from enum import StrEnum


class FrictionTask(StrEnum):
    """Where friction is computed."""

    BACKGROUND = "background"
    """With the other held terms: it costs nothing in a cycle, and turns over as late as they do."""
    SYNCHRONOUS = "synchronous"
    """In every cycle, at its speeds: an extra beyond (3), which its header counts."""
    NONE = "none"


class HoldOrder(StrEnum):
    """What is held between two runs of the background."""

    ZEROTH = "zeroth"
    FIRST = "first"
    """And the functions of zeroth order too, which an application can fall back on."""
