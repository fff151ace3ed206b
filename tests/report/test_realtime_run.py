"""What a run shows: a view of constant height, a summary with what matters, bars that show rare late cycles."""

from __future__ import annotations

import numpy as np
from tests.codegen.c.compiler import needs_compiler

import torquec as tq
from torquec.realtime.runtime.library import BINS
from torquec.realtime.runtime.run_result import TimeHistogram
from torquec.report.realtime_run import histogram_rows, run_text, run_view


def short_run(**options):
    robot = tq.classics.planar2r()
    law = tq.computed_torque(robot, -20.0, period=0.001)
    motion = tq.minimum_jerk([0.0, 0.0], [0.1, 0.1], 0.1, joints=robot.joint_names, period=0.001)
    seen = []
    result = tq.realtime.run(
        robot, law, motion, robot=tq.SimulatedRobot(clock="virtual"), report=seen.append, **options
    )
    return result, seen


@needs_compiler
def test_view_and_summary():
    result, seen = short_run(options=tq.RunOptions(background=0.01))
    views = [run_view(status, duration=0.1) for status in seen]
    assert len({view.count("\n") for view in views}) == 1
    assert views[-1].startswith("stopped, ")
    text = run_text(result)
    assert text.startswith("ended: ")
    assert "faults: none" in text
    assert "compute: law and guards" in text
    assert "coefficients: " in text
    assert "joint2" in text


@needs_compiler
def test_a_fault_is_named():
    result, seen = short_run(guards=tq.Guards(speed=0.1, torque=[3.0, 1.0]))
    assert "faults: speed-limit" in run_text(result)
    assert "faults: speed-limit" in run_view(seen[-1], duration=0.1)
    assert "cut" in run_text(result)


def test_one_late_cycle_among_thousands_has_a_bar():
    counts = np.zeros(BINS, dtype=np.int64)
    counts[150], counts[250] = 100_000, 1
    rows = histogram_rows(TimeHistogram(counts, 1e-3))
    assert rows[0].count("#") == 30
    assert rows[-1].count("#") >= 1
    assert rows[-1].endswith("  1")
    assert sum(int(row.split()[-1]) for row in rows) == 100_001
    everything = np.ones(BINS, dtype=np.int64)
    rows = histogram_rows(TimeHistogram(everything, 1.0))
    assert len(rows) == 12
    assert sum(int(row.split()[-1]) for row in rows) == BINS
    assert histogram_rows(TimeHistogram(np.zeros(BINS, dtype=np.int64), 0.0)) == ["  nothing yet"]
