"""What the shared options accept, and what they say otherwise."""

from __future__ import annotations

import math

import pytest

from torquec.cli.options import joint_values, numbers, read_robot
from torquec.errors import ArgumentError, RobotFileError
from torquec.robot import classics


def test_numbers_of_a_list():
    assert numbers("-1,2.5, 3e-2", "--q") == (-1.0, 2.5, 0.03)


@pytest.mark.parametrize("text", ["", "1,,2", "1;2", "nan", "inf", "1,5a", "0x10"])
def test_what_is_no_list_is_refused(text):
    with pytest.raises(ArgumentError, match=r"--q: '.*' is not a finite number"):
        numbers(text, "--q")


def test_numbers_between_blanks_are_asked_to_be_separated_by_commas():
    with pytest.raises(ArgumentError, match=r"--q: '0 0' is not a finite number[^$]*separate numbers by commas"):
        numbers("0 0", "--q")


def test_degrees_turn_angles_and_leave_lengths():
    robot = classics.load_classic("stanford")
    values = joint_values(robot, "90,0,0.5,0,0,180", "--q", degrees=True)
    assert values == (math.pi / 2, 0.0, 0.5, 0.0, 0.0, math.pi)


def test_absent_means_zero():
    assert joint_values(classics.planar2r(), None, "--q", degrees=False) == (0.0, 0.0)


def test_wrong_number_of_values_names_the_joints():
    robot = classics.planar2r()
    with pytest.raises(ArgumentError, match="--qd has 3 values, robot 'planar2r' has 2 joints") as caught:
        joint_values(robot, "1,2,3", "--qd", degrees=False)
    assert ", ".join(robot.joint_names) in str(caught.value)
    with pytest.raises(ArgumentError, match="--qd has 1 value, robot"):
        joint_values(robot, "1", "--qd", degrees=False)


def test_a_classic_by_name_with_its_options():
    robot = read_robot("puma560", snap=False, gravity="0,0,-1.62")
    assert robot.gravity == (0.0, 0.0, -1.62)
    assert not robot.snap


def test_neither_file_nor_classic():
    with pytest.raises(ArgumentError, match="'puma561' is neither a file nor a classic") as caught:
        read_robot("puma561")
    assert "puma560" in str(caught.value)


def test_missing_file():
    with pytest.raises(RobotFileError, match=r"nowhere\.urdf"):
        read_robot("nowhere.urdf")


def test_gravity_needs_three_values():
    with pytest.raises(ArgumentError, match="--gravity has 2 values"):
        read_robot("puma560", gravity="0,1")
