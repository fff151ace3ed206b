"""Motions of a page: thinned, whole at both ends, of the robot's joints only."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.page.view_document import SimulatedRun, motion_table
from torquec.robot import classics
from torquec.trajectory import Trajectory
from torquec.trajectory.log import Log


def sine(robot, count):
    t = np.linspace(0.0, 4.0, count)
    q = np.sin(t)[:, None] * np.ones(robot.n)
    return t, q, np.cos(t)[:, None] * np.ones(robot.n), -q


def test_a_long_trajectory_is_thinned_and_keeps_its_ends():
    robot = classics.planar2r()
    t, q, qd, qdd = sine(robot, 20_001)
    table = motion_table(robot, Trajectory(robot.joint_names, t, q, qd, qdd))
    assert len(table.t) <= 1500
    assert (table.t[0], table.t[-1]) == (t[0], t[-1])
    values = np.frombuffer(base64.b64decode(table.packed))
    n = len(table.t)
    np.testing.assert_array_equal(values[n : 3 * n].reshape(n, 2), table.q)
    np.testing.assert_array_equal(values[5 * n :].reshape(n, 2), table.qdd)


def test_a_log_keeps_its_torques():
    robot = classics.planar2r()
    t, q, _, qdd = sine(robot, 2001)
    table = motion_table(robot, Log(robot.joint_names, t, q, 3.0 * qdd, source="/somewhere/run.csv"))
    assert (table.title, table.torques) == ("run.csv", "measured")
    inside = slice(100, -100)  # averages at the ends are of half as many rows
    np.testing.assert_allclose(table.tau[inside], -3.0 * table.q[inside], atol=1e-2)
    np.testing.assert_allclose(table.qdd[inside], -table.q[inside], atol=1e-2)


def test_simulated_runs_share_a_page_and_keep_the_torques_of_their_controller():
    robot = classics.planar2r()
    t, q, qd, qdd = sine(robot, 9001)
    run = SimulatedRun("heavy", Trajectory(robot.joint_names, t, q, qd, qdd), 2.0 * q)
    table = motion_table(robot, run, share=3)
    assert (table.title, table.torques, len(table.t)) == ("heavy", "simulated", 500)
    np.testing.assert_array_equal(table.tau, 2.0 * table.q)
    assert motion_table(robot, SimulatedRun("bare", run.trajectory)).torques == ""


def test_other_joints_and_too_few_rows_are_refused():
    robot = classics.planar2r()
    t, q, qd, qdd = sine(robot, 5)
    with pytest.raises(ArgumentError, match="the motion is of a, b"):
        motion_table(robot, Trajectory(("a", "b"), t, q, qd, qdd))
    with pytest.raises(ArgumentError, match="too few whole rows"):
        motion_table(robot, Log(robot.joint_names, t, q, qdd))
