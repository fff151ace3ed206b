"""The log as CSV: every number comes back."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from tests.realtime.runtime.test_perfetto_trace import some_log

import torquec as tq
from torquec.realtime.runtime.log_file import write_cycle_log


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
