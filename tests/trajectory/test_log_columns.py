"""Headers in many styles mean the same; units at the end of a name are understood."""

from __future__ import annotations

import pytest

from torquec.errors import ArgumentError
from torquec.robot import classics
from torquec.trajectory.log import Pathology
from torquec.trajectory.log_columns import guessed_map, units_finding

ROBOT = classics.planar2r()
A, B = ROBOT.joint_names


@pytest.mark.parametrize(
    "style",
    [
        ("t", "q1", "q2", "dq1", "dq2", "tau1", "tau2"),
        ("time", "q_1", "q_2", "qd_1", "qd_2", "torque_1", "torque_2"),
        ("timestamp", "q[0]", "q[1]", "dq[0]", "dq[1]", "tau_J[0]", "tau_J[1]"),
        ("stamp", "position[0]", "position[1]", "velocity[0]", "velocity[1]", "effort[0]", "effort[1]"),
        ("Time", "Position1", "Position2", "Velocity1", "Velocity2", "Torque1", "Torque2"),
        ("t", "actual_q_0", "actual_q_1", "actual_qd_0", "actual_qd_1", "torque_0", "torque_1"),
        ("t", "joint1_pos", "joint2_pos", "joint1_vel", "joint2_vel", "joint1_trq", "joint2_trq"),
        ("t", "q_j1", "q_j2", "qd_j1", "qd_j2", "tau_j1", "tau_j2"),
        ("seconds", f"q_{A}", f"q_{B}", f"qd_{A}", f"qd_{B}", f"tau_{A}", f"tau_{B}"),
        ("t", A, B, f"velocity_{A}", f"velocity_{B}", f"effort_{A}", f"effort_{B}"),
        ("t", f"{A}_position", f"{B}_position", f"{A}_velocity", f"{B}_velocity", f"{A}_effort", f"{B}_effort"),
        ("t", f"position.{A}", f"position.{B}", f"vel.{A}", f"vel.{B}", f"tau.{A}", f"tau.{B}"),
        ("t", f"{A}/pos", f"{B}/pos", f"{A}/speed", f"{B}/speed", f"{A}/torque", f"{B}/torque"),
        ("time [s]", "q1 [rad]", "q2 [rad]", "dq1 [rad/s]", "dq2 [rad/s]", "tau1 [Nm]", "tau2 [Nm]"),
        ("time_s", "q1_rad", "q2_rad", "dq1_radps", "dq2_radps", "tau1_nm", "tau2_nm"),
    ],
)
def test_styles_of_headers(style):
    found, _ = guessed_map((*style, "q_ref1", "mode"), ROBOT, "log.csv")
    assert (found.time, *found.position, *found.velocity, *found.torque) == style
    assert found.joints == (A, B)
    assert (found.angle_unit or "rad", found.torque_unit or "Nm", found.time_unit or "s") == ("rad", "Nm", "s")


def test_stated_units():
    found, _ = guessed_map(("t [ms]", "q1_deg", "q2_deg", "dq1", "dq2", "tau1 (mNm)", "tau2 (mNm)"), ROBOT, "log.csv")
    assert (found.time_unit, found.angle_unit, found.torque_unit) == ("ms", "deg", "mNm")
    told = units_finding(found, found)
    assert told.kind is Pathology.UNITS
    assert "positions in deg (as the header says)" in told.text
    assert "speeds in deg/s (assumed)" in told.text


def test_numbers_are_reported_as_order_and_names_are_not():
    _, by_number = guessed_map(("t", "q1", "q2", "tau1", "tau2"), ROBOT, "log.csv")
    _, by_name = guessed_map(("t", A, B, f"tau_{A}", f"tau_{B}"), ROBOT, "log.csv")
    assert f"q1 = {A}, q2 = {B}" in by_number[0].text
    assert by_name == []


def test_speeds_of_some_joints_are_not_used():
    found, _ = guessed_map(("t", "q1", "q2", "dq1", "tau1", "tau2"), ROBOT, "log.csv")
    assert found.velocity is None


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("t", "q1", "q2", "tau1"), r"torque of joint 2"),
        (("t", "q1", "q2", "current1", "current2"), r"'current1' is a current"),
        (("q1", "q2", "tau1", "tau2"), "column of times"),
        (("t", "tau1", "tau2"), "position of joint 1"),
        (("t", "q1", "q2", "q3", "tau1", "tau2", "tau3"), "'q3' is joint 3"),
        (("t", "q1", "position_1", "tau1"), "'q1' and 'position_1' both"),
        (("t", "q1_deg", "q2_rad", "tau1", "tau2"), "'q2_rad' is in rad, other columns are in deg"),
    ],
)
def test_what_cannot_be_understood_is_refused(columns, said):
    with pytest.raises(ArgumentError) as caught:
        guessed_map(columns, ROBOT, "log.csv")
    import re

    assert re.search(said, str(caught.value))
