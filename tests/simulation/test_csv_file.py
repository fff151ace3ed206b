"""Runs as CSV: every recorded sample, all digits; the file is whole or not there."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.arms import clock, constant, rotor

from torquec.errors import ArgumentError
from torquec.simulation.closed_loop import simulate
from torquec.simulation.csv_file import write_result


def result():
    robot = rotor(inertia=2.0)
    return simulate(robot, constant(robot, 3.0), clock(robot, 0.3, 0.1))


def test_a_run_reads_back(tmp_path):
    run = result()
    path = write_result(run, tmp_path / "run.csv")
    lines = path.read_text().splitlines()
    assert lines[0] == "t,q_wheel,qd_wheel,qdd_wheel,q_ref_wheel,qd_ref_wheel,qdd_ref_wheel,tau_wheel"
    table = np.loadtxt(lines[1:], delimiter=",")
    assert np.array_equal(table[:, 0], run.t)
    assert np.array_equal(table[:, 1], run.q[:, 0])
    assert table[:, 3].tolist() == [1.5] * 4  # 3 Nm on 2 kg m^2
    assert table[:, 7].tolist() == [3.0] * 4
    assert [item.name for item in tmp_path.iterdir()] == ["run.csv"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ArgumentError, match="cannot be written") as caught:
        write_result(result(), tmp_path / "no" / "run.csv")
    assert caught.value.where.endswith("run.csv")
