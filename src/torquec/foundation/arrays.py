"""Type aliases of NumPy arrays in signatures, one per kind of number; docstrings state the shapes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

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
