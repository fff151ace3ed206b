"""Choices of the two-rate structure: the task that computes friction."""

from __future__ import annotations

from enum import StrEnum


class FrictionTask(StrEnum):
    """Where friction is computed."""

    BACKGROUND = "background"
    """With the other held terms: it costs nothing in a cycle, and turns over as late as they do."""
    SYNCHRONOUS = "synchronous"
    """In every cycle, at its speeds: an extra beyond (3), which its header counts."""
    NONE = "none"
