"""The native zero-phase filter, beside SciPy's."""

import numpy as np
import pytest

from torquec.codegen.llvm.second_order_sections import zero_phase
from torquec.errors import ArgumentError

signal = pytest.importorskip("scipy.signal")


def sections(share):
    """Butterworth of order four, cut-off as a share of the sampling rate."""
    return signal.butter(4, share, fs=1.0, output="sos")


@pytest.mark.parametrize(("rows", "columns"), [(16, 1), (17, 3), (64, 16), (98, 17), (5000, 37), (163, 401)])
@pytest.mark.parametrize("share", [0.0005, 0.02, 0.3])
def test_columns_are_filtered_as_by_scipy(rows, columns, share):
    """Rows around the 16 of the reflection and the 64 of a pass through memory, columns around the 16 of a vector."""
    values = np.random.default_rng(rows).normal(size=(rows, columns)).cumsum(axis=0)
    own, sos = values.copy(), sections(share)
    filtered = zero_phase(sos, signal.sosfilt_zi(sos), values)
    expected = signal.sosfiltfilt(sos, values, axis=0)
    # SciPy's own rounding on processors where its C is compiled with fused multiply-adds.
    assert np.abs(filtered - expected).max() <= 1e-9 * np.abs(values).max()
    assert np.array_equal(values, own)
    kept = np.arange(1, rows, 7)
    assert np.array_equal(zero_phase(sos, signal.sosfilt_zi(sos), values, kept), filtered[kept])


def test_columns_do_not_touch_each_other():
    values = np.random.default_rng(0).normal(size=(200, 20))
    sos = sections(0.05)
    steady = signal.sosfilt_zi(sos)
    together = zero_phase(sos, steady, values)
    values[:, 3] = np.nan
    values[50:, 17] = np.inf
    others = [k for k in range(20) if k not in (3, 17)]
    with np.errstate(invalid="ignore"):
        assert np.array_equal(zero_phase(sos, steady, values)[:, others], together[:, others])


def test_a_constant_stays_and_no_columns_give_none():
    sos = sections(0.01)
    steady = signal.sosfilt_zi(sos)
    assert np.allclose(zero_phase(sos, steady, np.full((40, 2), 3.0)), 3.0, rtol=1e-12, atol=0.0)
    assert zero_phase(sos, steady, np.zeros((40, 0))).shape == (40, 0)
    with pytest.raises(ArgumentError, match="15 rows are too few"):
        zero_phase(sos, steady, np.zeros((15, 1)))
