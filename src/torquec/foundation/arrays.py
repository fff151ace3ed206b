"""Type aliases of NumPy arrays in signatures, one per kind of number, and numbers given by joint."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError

Array: TypeAlias = npt.NDArray[np.float64]
"""Real numbers."""

RealArray: TypeAlias = npt.NDArray[np.floating[Any]]
"""Real numbers of any precision, for computations beyond double precision."""

ComplexArray: TypeAlias = npt.NDArray[np.complex128]
"""Complex numbers."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""True where something holds."""

Indices: TypeAlias = npt.NDArray[np.signedinteger[Any]]
"""Positions in another array, or counts."""

AnyArray: TypeAlias = npt.NDArray[Any]
"""A caller's array of any type, before it is checked and converted."""


def by_joint(name: str, values: npt.ArrayLike, n: int) -> Array:
    """Numbers (n,) that are not negative, from one for all joints or one for each; `name` stands in messages."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape == ():
        array = np.full(n, float(array))
    if array.shape != (n,) or not np.all(array >= 0.0):
        raise ArgumentError(
            f"'{name}' is {array.tolist()}", remedy=f"give one number, or one per joint, not negative ({n})"
        )
    return array
