"""Runs as CSV: every recorded sample, all digits; the file is whole or not there."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tests.simulation.arms import clock, constant, free, rotor

import torquec
from torquec.errors import ArgumentError
from torquec.robot.robot import Limits
from torquec.simulation.closed_loop import simulate
from torquec.simulation.simulation_result import (
    LimitedQuantity,
    PassedLimit,
    left_ranges,
    passed_limits,
    tip_error,
    write_result,
)

ROBOT = torquec.classics.planar2r()


def still():
    run = simulate(ROBOT, free(ROBOT), clock(ROBOT, 0.2, 0.1))
    return dataclasses.replace(run, q=np.array([[0.1, 0.0]] * 3), q_ref=np.zeros((3, 2)))


def test_a_turn_at_the_base_moves_the_elbow_along_its_circle():
    frame = ROBOT.frames[-1].name
    _, origin = torquec.compile(ROBOT).frame_pose(frame)(np.zeros(2))
    radius = float(np.linalg.norm(origin))
    assert tip_error(ROBOT, frame, still()) == pytest.approx([2.0 * radius * math.sin(0.05)] * 3)


def test_a_frame_that_is_not_there():
    with pytest.raises(ArgumentError, match="no frame 'hand'"):
        tip_error(ROBOT, "hand", still())


T = np.array([0.0, 0.1, 0.2, 0.3])
STILL = np.zeros((4, 2))


def arm(**limits):
    """Only the second joint has limits."""
    robot = torquec.classics.planar2r()
    first, second = robot.bodies
    free = dataclasses.replace(first, joint=dataclasses.replace(first.joint, limits=Limits()))
    bound = dataclasses.replace(second, joint=dataclasses.replace(second.joint, limits=Limits(**limits)))
    return dataclasses.replace(robot, bodies=(free, bound))


def column(*values):
    return np.column_stack([100.0 * np.array(values), values])


def test_the_first_moment_and_the_farthest_value():
    robot = arm(lower=-1.83, upper=2.09, velocity=4.54)
    q, qd = column(0.0, -2.0, -4.27, -3.0), column(1.0, -5.0, -15.85, 5.0)
    name = robot.joint_names[1]
    assert passed_limits(robot, T, q, qd) == (
        PassedLimit(name, LimitedQuantity.POSITION, 0.1, -4.27, -1.83),
        PassedLimit(name, LimitedQuantity.SPEED, 0.1, -15.85, -4.54),
    )


def test_a_joint_without_limits_passes_none():
    assert passed_limits(arm(), T, column(0.0, 9.0, -9.0, 99.0), column(0.0, 9.0, -9.0, 99.0)) == ()


def test_a_motion_that_ends_on_its_limit_is_inside():
    robot = arm(lower=-0.5, upper=0.3, velocity=1.0)
    q = column(0.0, -0.5, 0.1 + 0.2, 0.0)
    assert passed_limits(robot, T, q, column(0.0, 1.0, -1.0, 0.0)) == ()
    (left,) = passed_limits(robot, T, q + 1e-6, STILL)
    assert (left.time, left.limit) == (0.2, 0.3)


def test_the_end_that_is_passed_farther_is_named():
    (left,) = passed_limits(arm(lower=-1.0, upper=1.0), T, column(1.5, 0.0, -3.0, 0.0), STILL)
    assert (left.time, left.value, left.limit) == (0.2, -3.0, -1.0)


def test_of_many_runs_the_band_counts():
    robot = arm(lower=-1.0, upper=1.0)
    (left,) = left_ranges(robot, T, STILL - 0.5, column(0.0, 0.9, 1.25, 0.0))
    assert left.value == pytest.approx(1.25)
    assert left_ranges(robot, T, np.full((4, 2), math.nan), np.full((4, 2), math.nan)) == ()


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
