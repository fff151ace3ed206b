"""Histograms: Python's bins are those of the C sources, and a percentile is never too small."""

from __future__ import annotations

import ctypes

import numpy as np
from tests.codegen.c.compiler import needs_compiler

from torquec.realtime.runtime.library import BINS, HistogramStruct, runtime_library
from torquec.realtime.runtime.run_result import TimeHistogram, bin_starts


@needs_compiler
def test_bins_of_both_languages_agree():
    library = runtime_library()
    library.torquec_bin_start.restype = ctypes.c_uint64
    starts = bin_starts()
    assert [library.torquec_bin_start(k) for k in range(BINS)] == starts[:-1].astype(int).tolist()
    for k in range(BINS - 1):
        assert library.torquec_bin(ctypes.c_uint64(int(starts[k]))) == k
        assert library.torquec_bin(ctypes.c_uint64(int(starts[k + 1]) - 1)) == k
    assert library.torquec_bin(ctypes.c_uint64(2**63)) == BINS - 1


@needs_compiler
def test_percentiles_are_just_above_the_true_ones():
    rng = np.random.default_rng(1)
    times = np.exp(rng.normal(10.0, 2.0, 5000)).astype(np.int64)
    struct = HistogramStruct()
    for value in times.tolist():
        runtime_library().torquec_histogram_count(ctypes.byref(struct), ctypes.c_int64(value))
    found = TimeHistogram.of(struct)
    assert found.count == 5000
    assert found.largest == times.max() * 1e-9
    for share in (50.0, 99.0, 99.9, 100.0):
        true = np.sort(times)[int(np.ceil(share / 100.0 * 5000)) - 1] * 1e-9
        assert true <= found.percentile(share) <= true * 17.0 / 16.0 + 1e-9
    assert found.to_document()["max"] == found.largest


def test_of_nothing():
    empty = TimeHistogram(np.zeros(BINS, dtype=np.int64), 0.0)
    assert empty.percentile(50.0) == 0.0
