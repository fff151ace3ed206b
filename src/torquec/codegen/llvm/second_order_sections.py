"""Zero-phase Butterworth filter of order four over the columns of an array, natively.

(1)  section:  y = b0 x + z0,   z0 := b1 x - a1 y + z1,   z1 := b2 x - a2 y
(2)  Two sections are passed forward in time, then backward. Before that, both ends are continued by odd reflection, and
     the state z of a pass starts at its steady state for the first value.
(3)  These are the operations of `scipy.signal.sosfiltfilt`, in the same order, so that bits agree where SciPy was
     compiled without fused multiply-adds. SciPy filters one column after the other, and every step waits for the one
     before; here sixteen columns share the lanes of vectors.
"""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.llvm.module import object_code
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices
from torquec.foundation.template import package_text

_COLUMNS = 16  # of a vector in second_order_sections.ll
_TOGETHER = 4 * _COLUMNS  # columns in one pass: a work array that stays in the cache
_REFLECTED = 15  # values before and after the columns (2): SciPy's three per coefficient of both sections
_PROTOTYPE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)


def zero_phase(sections: Array, steady: Array, values: Array, kept: Indices | None = None) -> Array:
    """Columns (N, k) filtered forward and backward (2), N above 15; only the rows `kept` are returned, if given.

    `sections` (2, 6) are b0, b1, b2, 1, a1, a2 of (1), `steady` (2, 2) their states for a constant input of one.
    Raises `ArgumentError` for fewer rows.
    """
    rows, columns = values.shape
    if rows <= _REFLECTED:
        raise ArgumentError(f"{rows} rows are too few to filter", remedy=f"give more than {_REFLECTED}")
    coefficients = np.ascontiguousarray(sections[:, [0, 1, 2, 4, 5]], dtype=np.float64)
    run = _PROTOTYPE(_loop().address("two_sections"))
    work = np.zeros((rows + 2 * _REFLECTED, min(_TOGETHER, -(-columns // _COLUMNS) * _COLUMNS)))
    groups = work.shape[1] // _COLUMNS
    found = np.empty((rows if kept is None else len(kept), columns))
    for first in range(0, columns, _TOGETHER):
        part = values[:, first : first + _TOGETHER]
        inside = work[_REFLECTED:-_REFLECTED, : part.shape[1]]
        inside[:] = part
        work[:_REFLECTED, : part.shape[1]] = 2.0 * part[0] - part[_REFLECTED:0:-1]
        work[-_REFLECTED:, : part.shape[1]] = 2.0 * part[-1] - part[-2 : -_REFLECTED - 2 : -1]
        for end, step in ((0, work.strides[0]), (-1, -work.strides[0])):
            state = np.ascontiguousarray(steady.reshape(1, 4, 1) * work[end].reshape(groups, 1, _COLUMNS))
            run(work[end].ctypes.data, len(work), groups, step, coefficients.ctypes.data, state.ctypes.data)
        found[:, first : first + _TOGETHER] = inside if kept is None else inside[kept]
    return found


@cache
def _loop() -> LoadedObject:
    cpu = host_cpu()
    return LoadedObject(object_code(package_text("codegen/llvm", "second_order_sections.ll"), cpu), cpu, {})
