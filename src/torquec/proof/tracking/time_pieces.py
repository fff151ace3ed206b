"""Pieces of time along a reference, and slots of equal length over them: bounds of one give those of the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.trajectory.motion_enclosure import MotionEnclosure

_GROWING = 1.5  # ratio of lengths of successive pieces after the end of a motion


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of time and the slots of equal length that overlap them: `edges` (N + 1,), the last may be infinite.

    `first`, `last` (S,): the pieces in which a slot begins and ends.
    """

    edges: Array
    first: Indices
    last: Indices

    @classmethod
    def of(cls, edges: Array, length: float, memory: int) -> Pieces:
        """The pieces between the edges, with slots of `length` [s]; about `memory` of them in an infinite last piece.

        >>> Pieces.of(np.array([0.0, 0.004, 0.008]), 0.003, 10).last.tolist()
        [0, 1, 1]
        """
        stop = edges[-1] if np.isfinite(edges[-1]) else edges[-2] + (memory + 3) * length
        times = edges[0] + length * np.arange(int(np.ceil((stop - edges[0]) / length)) + 1)
        room = 1e-9 * length
        first = np.searchsorted(edges, times[:-1] - room, side="right") - 1
        last = np.searchsorted(edges, times[1:] + room, side="left") - 1
        top = len(edges) - 2
        return cls(edges, np.clip(first, 0, top), np.clip(last, 0, top))

    def to_slots(self, values: Array) -> Array:
        """The largest values (.., S, n) of the pieces (.., N, n) that a slot overlaps."""
        found = np.maximum(values[..., self.first, :], values[..., self.last, :])
        for k in range(1, int((self.last - self.first).max(initial=0))):
            found = np.maximum(found, values[..., np.minimum(self.first + k, self.last), :])
        return np.asarray(found)

    def to_pieces(self, values: Array) -> Array:
        """The largest values (.., N, n) of the slots (.., S, n) that overlap a piece."""
        # Slots that overlap a piece follow each other: the largest between two indices.
        count = len(self.edges) - 1
        starts = np.searchsorted(self.last, np.arange(count), side="left")
        stops = np.searchsorted(self.first, np.arange(count), side="right")
        return np.stack([values[..., a:b, :].max(axis=-2) for a, b in zip(starts, stops, strict=True)], axis=-2)

    def held(self, values: Array, age: float) -> Array:
        """The largest values (.., N, n) over a piece and the time `age` before it."""
        start = np.clip(np.searchsorted(self.edges, self.edges[:-1] - age * (1.0 + 1e-9), side="right") - 1, 0, None)
        found, own = values, np.arange(len(start))
        for back in range(1, int((own - start).max()) + 1):
            found = np.maximum(found, values[..., np.maximum(own - back, start), :])
        return np.asarray(found)


def with_rest(reference: MotionEnclosure, length: float, *, rests: bool) -> tuple[MotionEnclosure, Array]:
    """A reference with the edges of its pieces.

    A reference that `rests` at its end gets pieces of growing length until errors of the motion have decayed (memory
    `length` [s]), and a last one of infinite length.
    """
    count = len(reference.t)
    half = (reference.end - reference.t[0]) / (2.0 * count - 1.0)
    edges = np.linspace(reference.t[0] - half, reference.end, count + 1)
    if rests:
        step, after = 2.0 * half, [float(edges[-1])]
        while after[-1] < edges[-1] + 2.0 * length:
            after.append(after[-1] + step)
            step *= _GROWING
        edges = np.concatenate([edges, after[1:], [np.inf]])
        reference = reference.resting(len(after))
    return reference, edges
