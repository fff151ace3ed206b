"""The log: what one thread writes another takes out, in order, and what there is no room for is counted."""

from __future__ import annotations

import csv
import ctypes

import numpy as np
import pytest
from tests.codegen.c.compiler import needs_compiler
from tests.realtime.runtime.test_perfetto_trace import some_log

import torquec as tq
from torquec.realtime.runtime.cycle_log import HEAD, CycleLog, LogReader, write_cycle_log
from torquec.realtime.runtime.library import LogStruct, SampleStruct, runtime_library


def put(library, log, cycle, *, sample=True):
    words = (ctypes.c_int64 * HEAD)(cycle, 10 * cycle, 10 * cycle + 3, 1, 2, 3, 0, 0, 7)
    seen = SampleStruct()
    seen.q[:2], seen.qd[:2] = (1.5, 2.5), (3.5, 4.5)
    numbers = (ctypes.c_double * 2)(5.5, cycle)
    at = ctypes.byref(seen) if sample else None
    library.torquec_log_put(ctypes.byref(log), words, 2, at, numbers if sample else None, numbers)


@needs_compiler
def test_entries_come_out_in_order_and_late_readers_lose_the_newest():
    library, log = runtime_library(), LogStruct()
    reader = LogReader(library, log, 2, 8)
    for cycle in range(5):
        put(library, log, cycle)
    assert reader.take()[:, 0].tolist() == [0, 1, 2, 3, 4]
    for cycle in range(5, 20):
        put(library, log, cycle)
    assert reader.take()[:, 0].tolist() == list(range(5, 13))
    assert log.dropped == 7
    assert len(reader.take()) == 0


@needs_compiler
def test_what_an_entry_holds():
    library, log = runtime_library(), LogStruct()
    reader = LogReader(library, log, 2, 8)
    put(library, log, 4)
    put(library, log, 6, sample=False)
    found = CycleLog(("a", "b"), reader.take())
    assert found.q[0].tolist() == [1.5, 2.5]
    assert found.qd[0].tolist() == [3.5, 4.5]
    assert found.tau.tolist() == [[5.5, 4.0], [5.5, 6.0]]
    assert np.isnan(found.q[1]).all()
    assert np.isnan(found.wanted[1]).all()
    assert np.allclose(found.latency, 3e-9, rtol=1e-9, atol=0.0)
    assert np.allclose(found.t, [0.0, 20e-9], rtol=1e-9, atol=0.0)
    assert np.allclose(found.coefficient_age, 7e-9, rtol=1e-9, atol=0.0)


def test_every_number_comes_back(tmp_path):
    log = some_log()
    path = write_cycle_log(log, tmp_path / "log.csv")
    with path.open() as stream:
        header, *rows = csv.reader(stream)
    table = dict(zip(header, np.array(rows, dtype=float).T, strict=True))
    assert np.array_equal(table["tau_elbow"], log.tau[:, 1])
    assert np.array_equal(table["q_shoulder"], log.q[:, 0])
    assert np.array_equal(table["t"], log.t)
    assert np.isnan(table["coefficient_age"]).all()
    with pytest.raises(tq.ArgumentError, match="exists already"):
        write_cycle_log(log, path)
