"""Zero-phase Butterworth filter of order four over the columns of an array, natively.

    section s:  y = b0 x + z0,   z0 := b1 x - a1 y + z1,   z1 := b2 x - a2 y                                       (1)

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
from torquec.foundation.arrays import Array
from torquec.foundation.template import package_text

_COLUMNS = 16  # of a vector in second_order_sections.ll
_REFLECTED = 15  # values before and after the columns (2): SciPy's three per coefficient of both sections
_PROTOTYPE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)


def zero_phase(sections: Array, steady: Array, values: Array) -> Array:
    """Columns (N, k) filtered forward and backward (2), N above 15.

    `sections` (2, 6) are b0, b1, b2, 1, a1, a2 of (1), `steady` (2, 2) their states for a constant input of one.
    Raises `ArgumentError` for fewer rows.
    """
    rows, columns = values.shape
    if rows <= _REFLECTED:
        raise ArgumentError(f"{rows} rows are too few to filter", remedy=f"give more than {_REFLECTED}")
    if columns == 0:
        return np.zeros(values.shape)
    groups = -(-columns // _COLUMNS)
    work = np.zeros((rows + 2 * _REFLECTED, groups * _COLUMNS))
    inside = work[_REFLECTED:-_REFLECTED, :columns]
    inside[:] = values
    work[:_REFLECTED, :columns] = 2.0 * values[0] - values[_REFLECTED:0:-1]
    work[-_REFLECTED:, :columns] = 2.0 * values[-1] - values[-2 : -_REFLECTED - 2 : -1]
    coefficients = np.ascontiguousarray(sections[:, [0, 1, 2, 4, 5]], dtype=np.float64)
    run = _PROTOTYPE(_loop().address("two_sections"))
    for first, step in ((0, work.strides[0]), (-1, -work.strides[0])):
        start = work[first].reshape(groups, 1, _COLUMNS)
        state = np.ascontiguousarray(steady.reshape(1, 4, 1) * start)
        run(work[first].ctypes.data, len(work), groups, step, coefficients.ctypes.data, state.ctypes.data)
    return inside


@cache
def _loop() -> LoadedObject:
    cpu = host_cpu()
    return LoadedObject(object_code(package_text("codegen/llvm", "second_order_sections.ll"), cpu), cpu, {})
