"""The table of a cycle: its tasks are the right functions, its counts are theirs, robots without a task say why."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.codegen.llvm import compile_function
from torquec.errors import ArgumentError, RobotError
from torquec.expr import count_operations
from torquec.papers import cycle_table as module
from torquec.papers.cycle_table import cycle_table, cycle_tasks, minimum_jerk_function, table_rows

PRINTED = {"trajectory": 188, "inverse kinematics": 154, "inverse dynamics": 244, "Jacobian": 88, "gains": 166,
           "two-cube collision": 418, "input and output": 120, "other": 76}  # fmt: skip


def test_the_table_of_clover_and_a_row_for_each(monkeypatch):
    monkeypatch.setattr(module, "_instructions", lambda *_: ({}, ("valgrind",)))
    robot = tq.classics.puma560()
    found = cycle_table(robot, rounds=1)
    assert {row.task: round(row.printed * 1e6) for row in found.rows} == PRINTED
    measured = [row for row in found.rows if row.seconds is not None]
    assert len(measured) == 6
    assert all(0.0 < row.seconds < 1e-2 for row in measured)
    assert found.printed == pytest.approx(1.258e-3)
    assert found.seconds == sum(row.seconds for row in measured)
    dynamics = next(row for row in found.rows if row.task == "inverse dynamics")
    assert dynamics.operations == count_operations(tq.compile(robot).function("inverse_dynamics"))
    assert found.without == ("valgrind",)
    assert [row["task"] for row in table_rows(found)] == list(PRINTED)


def test_a_motion_begins_and_ends_at_rest_and_its_derivatives_are_those():
    point = compile_function(minimum_jerk_function(2))
    start, end = np.array([0.3, -1.0]), np.array([1.0, 2.0])
    for t, position in ((0.0, start), (2.0, end)):
        q, qd, qdd = point(t, 2.0, start, end)
        np.testing.assert_allclose(q, position, atol=1e-14)
        np.testing.assert_allclose([qd, qdd], 0.0, atol=1e-14)
    h = 1e-5
    before, here, after = (point(0.7 + k * h, 2.0, start, end) for k in (-1, 0, 1))
    np.testing.assert_allclose(here[1], (after[0] - before[0]) / (2 * h), rtol=1e-8)
    np.testing.assert_allclose(here[2], (after[1] - before[1]) / (2 * h), rtol=1e-8)


def test_a_task_that_a_robot_does_not_have_says_why():
    model = tq.compile(tq.classics.planar2r())
    tasks = {task.name: task for task in cycle_tasks(model, model.robot.frames[-1].name)}
    missing = tasks["inverse kinematics"]
    assert missing.function is not None or missing.missing
    assert tasks["input and output"].missing == "hardware, not a model"


def test_an_unknown_frame():
    with pytest.raises((ArgumentError, RobotError), match="nowhere"):
        cycle_table(tq.classics.planar2r(), frame="nowhere")
