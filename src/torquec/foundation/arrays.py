"""The names of NumPy's arrays in signatures: one for each kind of number; docstrings say the shapes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
"""Real numbers."""

RealArray: TypeAlias = npt.NDArray[np.floating[Any]]
"""Real numbers of any precision, for what computes with more digits than `Array` has."""

ComplexArray: TypeAlias = npt.NDArray[np.complex128]
"""Complex numbers."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""True where something holds."""

Indices: TypeAlias = npt.NDArray[np.signedinteger[Any]]
"""Positions in another array, or counts."""

AnyArray: TypeAlias = npt.NDArray[Any]
"""Whatever a caller hands in, before it is checked and converted."""
