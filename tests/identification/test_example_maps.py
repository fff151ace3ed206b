"""The maps in examples/logs say what the tests of recorded logs say."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.identification import real_logs

from torquec.identification.torque.torque_columns import read_columns
from torquec.trajectory.log_map import read_log_map

LOGS = Path(__file__).resolve().parents[2] / "examples" / "logs"


@pytest.mark.parametrize(("name", "expected"), [("kr300", real_logs.KR300), ("tx40", real_logs.TX40)])
def test_maps(name, expected):
    found = read_log_map(LOGS / f"{name}_map.toml")
    for field in dataclasses.fields(expected):
        given = getattr(expected, field.name)
        if isinstance(given, tuple) and not isinstance(given[0], str):
            assert np.allclose(getattr(found, field.name), given, rtol=1e-12, atol=0.0)
        else:
            assert getattr(found, field.name) == given


def test_columns():
    (found,) = read_columns(LOGS / "kr300_columns.toml")
    for field in dataclasses.fields(real_logs.COUNTERBALANCE):
        given = getattr(real_logs.COUNTERBALANCE, field.name)
        assert getattr(found, field.name) == (given if isinstance(given, str) else pytest.approx(given, rel=1e-12))
