"""Arrays as calls take them: of one pose or of N, finite, of the right shape; single ones repeated beside a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array


def call_array(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """The array of one, or of N; raises `ArgumentError`."""
    try:
        array = np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is no array of numbers", remedy=f"give shape {shape}") from error
    if array.shape[-len(shape) :] != shape or array.ndim > len(shape) + 1:
        raise ArgumentError(
            f"{name} has the shape {array.shape}", remedy=f"give {shape}, or (N, {', '.join(map(str, shape))})"
        )
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} holds numbers that are not finite", remedy="give finite numbers")
    return array


def batch_together(*arrays: tuple[Array, int]) -> list[Array]:
    """Arrays, each with the axes that a single one has: where one is a batch, single ones are repeated."""
    batches = {array.shape[0] for array, axes in arrays if array.ndim > axes}
    if len(batches) > 1:
        raise ArgumentError(
            f"batches of {' and '.join(map(str, sorted(batches)))} were given", remedy="give as many of each, or one"
        )
    if not batches:
        return [array for array, _ in arrays]
    (size,) = batches
    return [
        array if array.ndim > axes else np.ascontiguousarray(np.broadcast_to(array, (size, *array.shape)))
        for array, axes in arrays
    ]
