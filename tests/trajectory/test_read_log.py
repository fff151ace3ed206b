"""Logs from files: names understood without a map, maps, npz, cut and headless files."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.robot import classics, load
from torquec.trajectory.log import Pathology, Severity
from torquec.trajectory.log_map import LogMap, read_log_map
from torquec.trajectory.read_log import looks_like_degrees, read_log

ROBOT_units = classics.puma560()
T = 0.01 * np.arange(300)
Q = np.stack([(0.4 + 0.1 * j) * np.sin((1.0 + 0.2 * j) * T) for j in range(6)], axis=1)
QD = np.gradient(Q, T, axis=0)


def written_units(tmp_path, t=T, q=Q, qd=QD, time="t"):
    np.savez(tmp_path / "log.npz", **{time: t}, q=q, dq=qd, tau=np.ones_like(Q))
    return tmp_path / "log.npz"


def guesses(log):
    return [f for f in log.findings if f.kind is Pathology.UNITS and f.severity is Severity.WARNING]


def test_si_units_are_not_questioned(tmp_path):
    log = read_log(written_units(tmp_path), ROBOT_units)
    assert guesses(log) == []
    assert np.array_equal(log.q, Q)
    assert any("positions in rad (assumed)" in finding.text for finding in log.findings)


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "ms"), (1e6, "us"), (1e9, "ns")])
def test_stamps_in_a_smaller_unit(tmp_path, factor, unit):
    log = read_log(written_units(tmp_path, t=1.7e9 * factor + T * factor), ROBOT_units)
    assert np.allclose(log.t - log.t[0], T, atol=1e-5)
    assert f'time_unit = "{unit}"' in guesses(log)[0].remedy
    assert guesses(log)[0].column == "t"


@pytest.mark.parametrize("speeds", ["deg", "rad"])
def test_degrees_and_the_unit_of_their_speeds(tmp_path, speeds):
    log = read_log(written_units(tmp_path, q=np.degrees(Q), qd=np.degrees(QD) if speeds == "deg" else QD), ROBOT_units)
    assert np.allclose(log.q, Q)
    assert np.allclose(log.qd, QD)
    assert f"{speeds}/s" in guesses(log)[0].text


def test_what_a_map_or_a_header_states_is_not_guessed(tmp_path):
    log = read_log(written_units(tmp_path, q=np.degrees(Q)), ROBOT_units, log_map=LogMap(angle_unit="rad"))
    assert guesses(log) == []
    log = read_log(written_units(tmp_path, t=1e3 * T, time="time_ms"), ROBOT_units)
    assert guesses(log) == []
    assert np.allclose(log.t, T)


def test_positions_of_motors_are_not_taken_for_degrees(tmp_path):
    log = read_log(written_units(tmp_path, q=100.0 * Q), ROBOT_units, log_map=LogMap(gear_ratios=(100.0,) * 6))
    assert guesses(log) == []
    assert np.allclose(log.q, Q)


def test_a_turn_too_many_is_not_a_degree():
    q = Q.copy()
    q[:, 0] += 2.0 * np.pi + 2.0
    assert looks_like_degrees(ROBOT_units, ROBOT_units.joint_names, q)[1] is None


ROBOT = classics.planar2r()
A, B = ROBOT.joint_names
ROWS = [[0.0, 0.1, 0.2, 1.0, 2.0, 5.0, 6.0], [0.1, 0.3, 0.4, 1.5, 2.5, 7.0, 8.0], [0.2, 0.5, 0.6, 1.6, 2.6, 7.5, 8.5]]


def written(path, header, rows=ROWS, end="\n"):
    lines = ([header] if header else []) + [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join(lines) + end)
    return path


@pytest.mark.parametrize(
    "header",
    [
        "t,q1,q2,dq1,dq2,tau1,tau2",
        "time,q_1,q_2,qd1,qd2,torque1,torque2",
        f"t,q_{A},q_{B},dq_{A},dq_{B},tau_{A},tau_{B}",
        f"t,{A},{B},velocity_{A},velocity_{B},effort_{A},effort_{B}",
    ],
)
def test_names_are_understood_without_a_map(tmp_path, header):
    log = read_log(written(tmp_path / "log.csv", header), ROBOT)
    assert log.joints == (A, B)
    assert log.q[1].tolist() == [0.3, 0.4]
    assert log.qd[1].tolist() == [1.5, 2.5]
    assert log.tau[1].tolist() == [7.0, 8.0]
    by_order = any(finding.kind is Pathology.MATCHED_BY_ORDER for finding in log.findings)
    assert by_order == (A not in header)


def test_columns_that_name_joints_come_in_any_order(tmp_path):
    rows = [[t, q2, q1, b, a] for t, q1, q2, _, _, a, b in ROWS]
    log = read_log(written(tmp_path / "log.csv", f"t,q_{B},q_{A},tau_{B},tau_{A}", rows), ROBOT)
    assert log.q[1].tolist() == [0.3, 0.4]
    assert log.tau[1].tolist() == [7.0, 8.0]
    assert log.qd is None


def test_a_map_turns_motor_columns_into_joint_ones(tmp_path):
    (tmp_path / "map.toml").write_text(
        'position = "p{}"\ntorque = "i{}"\nangle = "deg"\ntime_unit = "ms"\ngains = [2, 2]\n'
        "transmission = [[10, 0], [4, 5]]\noffset = [0, 90]\n"
    )
    path = written(tmp_path / "log.csv", "t,p1,p2,x,y,i1,i2")
    log = read_log(path, ROBOT, log_map=read_log_map(tmp_path / "map.toml"))
    gears = np.array([[10.0, 0.0], [4.0, 5.0]])
    assert np.allclose(np.degrees(log.q[1] - [0.0, np.pi / 2]) @ gears.T, [0.3, 0.4])
    assert np.allclose(log.tau[1], gears.T @ [14.0, 16.0])
    assert np.allclose(log.t, [0.0, 1e-4, 2e-4])
    assert set(log.others) == {"x", "y"}


@pytest.mark.parametrize(
    ("header", "given"),
    [
        ("t,a1,a2,dq1,dq2,tau1,tau2", LogMap(position="a{}")),
        ("t,q1,q2,dq1,dq2,i1,i2", LogMap(torque="i{}")),
        ("clock,q1,q2,dq1,dq2,tau1,tau2", LogMap(time="clock")),
        ("t,a1,a2,b1,b2,tau1,tau2", LogMap(position="a{}", velocity="b{}")),
        (f"t,a1,a2,dq1,dq2,tau_{A},tau_{B}", LogMap(position="a{}")),
        (f"t,q_{A},q_{B},dq1,dq2,i1,i2", LogMap(torque=("i1", "i2"))),
        ("clock,a1,a2,dq1,dq2,i1,i2", LogMap(time="clock", position="a{}", torque="i{}")),
    ],
)
def test_a_map_may_leave_out_what_the_header_says(tmp_path, header, given):
    log = read_log(written(tmp_path / "log.csv", header), ROBOT, log_map=given)
    table = np.array(ROWS)
    assert (log.t == table[:, 0]).all()
    assert (log.q == table[:, 1:3]).all()
    assert (log.tau == table[:, 5:]).all()
    # Speeds of the header belong to positions of the header.
    if given.velocity or (given.position is None and "t,q1" in header):
        assert (log.qd == table[:, 3:5]).all()


def test_units_of_the_header_are_those_of_its_own_columns(tmp_path):
    path = written(tmp_path / "log.csv", "t,a1,a2,dq1,dq2,tau1_mNm,tau2_mNm")
    log = read_log(path, ROBOT, log_map=LogMap(position="a{}", angle_unit="deg"))
    assert np.allclose(log.tau, 1e-3 * np.array(ROWS)[:, 5:])
    assert np.allclose(np.degrees(log.q), np.array(ROWS)[:, 1:3])
    path = written(tmp_path / "log.csv", "t,q1_deg,q2_deg,dq1,dq2,tau1_mNm,tau2_mNm")
    log = read_log(path, ROBOT, log_map=LogMap(torque=("tau1_mNm", "tau2_mNm"), gains=(1.0, 1.0)))
    assert np.allclose(log.tau, np.array(ROWS)[:, 5:])
    assert np.allclose(np.degrees(log.q), np.array(ROWS)[:, 1:3])


@pytest.mark.parametrize(
    ("header", "given", "said"),
    [
        ("t,a1,a2,x,y,b1,b2", LogMap(position="a{}"), "torque of joint 1"),
        ("t,a1,a2,x,y,b1,b2", LogMap(torque="b{}"), "position of joint 1"),
        (
            "t,a1,a2,x,y,tau1,z",
            LogMap(position="a{}"),
            r"(?s)torque of joint 2 .*the columns are t, a1, a2, x, y, tau1, z",
        ),
    ],
)
def test_what_neither_map_nor_header_says_is_refused(tmp_path, header, given, said):
    with pytest.raises(ArgumentError, match=said):
        read_log(written(tmp_path / "log.csv", header), ROBOT, log_map=given)


def test_npz_with_arrays(tmp_path):
    table = np.array(ROWS)
    np.savez(tmp_path / "log.npz", t=table[:, 0], q=table[:, 1:3], dq=table[:, 3:5], tau=table[:, 5:])
    log = read_log(tmp_path / "log.npz", ROBOT)
    assert log.qd[2].tolist() == [1.6, 2.6]


def test_a_cut_last_line_is_left_out_and_told(tmp_path):
    path = written(tmp_path / "log.csv", "t,q1,q2,dq1,dq2,tau1,tau2", end="\n0.3,0.1,0.")
    log = read_log(path, ROBOT)
    assert len(log) == 3
    assert [f.kind for f in log.findings if f.kind is Pathology.CUT_LINE] == [Pathology.CUT_LINE]


def test_a_missing_header_is_told(tmp_path):
    log = read_log(written(tmp_path / "log.csv", ""), ROBOT)
    assert len(log) == 3
    assert Pathology.MISSING_HEADER in {finding.kind for finding in log.findings}


def test_a_missing_header_of_a_log_about_the_first_joints(tmp_path):
    log = read_log(written(tmp_path / "log.csv", "", [row[:5] for row in ROWS]), classics.puma560())
    assert log.joints == classics.puma560().joint_names[:2]


def test_joints_that_the_log_lacks_are_named(tmp_path):
    rows = [[t, q, tau] for t, q, _, _, _, tau, _ in ROWS]
    log = read_log(written(tmp_path / "log.csv", f"t,q_{A},tau_{A}", rows), ROBOT)
    assert log.joints == (A,)
    (found,) = (f for f in log.findings if f.kind is Pathology.LOCKED)
    assert B in found.text
    assert f"--lock {B}=POSITION" in found.remedy
    assert found.severity is Severity.WARNING


def test_the_fingers_of_a_gripper_may_be_missing(tmp_path):
    """They weigh next to nothing: a note."""
    heavy, light = '<mass value="5"/>', '<mass value="0.01"/>'
    link = '<link name="{}"><inertial>{}<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    links = "".join(
        link.format(name, mass) for name, mass in (("arm", heavy), ("palm", heavy), ("left", light), ("right", light))
    )
    joints = "".join(
        f'<joint name="j_{child}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in (("base", "arm"), ("arm", "palm"), ("palm", "left"), ("palm", "right"))
    )
    (tmp_path / "hand.urdf").write_text(f'<robot name="hand"><link name="base"/>{links}{joints}</robot>')
    path = written(tmp_path / "log.csv", "t,q1,q2,dq1,dq2,tau1,tau2")
    (found,) = (f for f in read_log(path, load(tmp_path / "hand.urdf")).findings if f.kind is Pathology.LOCKED)
    assert found.severity is Severity.NOTE
    assert "j_left, j_right" in found.text


def test_a_missing_column_of_speeds_is_told(tmp_path):
    rows = [[*row[:4], *row[5:]] for row in ROWS]
    log = read_log(written(tmp_path / "log.csv", "t,q1,q2,dq1,tau1,tau2", rows), ROBOT)
    assert log.qd is None
    (found,) = (f for f in log.findings if f.kind is Pathology.LEFT_OUT)
    assert found.severity is Severity.WARNING
    assert f"no column holds the speed of {B}; not used: dq1" in found.text
    rows = [[*row[:3], *row[5:]] for row in ROWS]
    without = read_log(written(tmp_path / "no_speeds.csv", "t,q1,q2,tau1,tau2", rows), ROBOT)
    assert Pathology.LEFT_OUT not in {f.kind for f in without.findings}


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("t,q1,q2,dq1,dq2,a,b", "torque of joint 1"),
        ("x,q1,q2,dq1,dq2,tau1,tau2", "times"),
        ("t,q1,q1,dq1,dq2,tau1,tau2", "twice"),
    ],
)
def test_bad_headers_are_refused(tmp_path, header, said):
    with pytest.raises(ArgumentError, match=said):
        read_log(written(tmp_path / "log.csv", header), ROBOT)


def test_words_in_the_middle_are_refused_with_their_line(tmp_path):
    rows = [ROWS[0], ["0.1", "abc", *ROWS[1][2:]], ROWS[2]]
    with pytest.raises(ArgumentError, match=r"log\.csv:3"):
        read_log(written(tmp_path / "log.csv", "t,q1,q2,dq1,dq2,tau1,tau2", rows), ROBOT)
