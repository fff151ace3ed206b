"""CSV: what is written is read back to the last digit; anything else is refused with its line."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory import minimum_jerk, quintic_spline, read_trajectory, write_trajectory
from torquec.trajectory.csv_file import read_pose_path, read_positions, read_recorded_motion, read_reference

POSE = "t,x,y,z,qw,qx,qy,qz"
RATES = "vx,vy,vz,wx,wy,wz"


def written(tmp_path, *lines):
    path = tmp_path / "path.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_in_any_order(tmp_path):
    path = read_pose_path(
        written(
            tmp_path, f"qw,qx,qy,qz,t,z,y,x,{RATES}", "0,0,0,2,0,3,2,1,1,2,3,4,5,6", "1,0,0,0,0.5,3,2,1,0,0,0,0,0,0"
        )
    )
    np.testing.assert_array_equal(path.t, [0.0, 0.5])
    np.testing.assert_array_equal(path.position, [[1, 2, 3]] * 2)
    np.testing.assert_array_equal(path.rotation, [np.diag([-1, -1, 1]), np.eye(3)])
    np.testing.assert_array_equal(path.velocity[0], [1, 2, 3, 4, 5, 6])
    assert path.acceleration is None


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "no column 't'"),
        (["t,x,y,z,qw,qx,qy", "0,0,0,0,1,0,0"], "no column 'qz'"),
        ([f"{POSE},speed", "0,0,0,0,1,0,0,0,1"], "the column 'speed'"),
        ([f"{POSE},x", "0,0,0,0,1,0,0,0,1"], "the column 'x'"),
        ([f"{POSE},vx", "0,0,0,0,1,0,0,0,1"], "no column 'vy'"),
        ([f"{POSE},ax,ay,az,alx,aly,alz", "0,0,0,0,1" + ",0" * 9], "no column 'vx'"),
        ([POSE, "0,0,0,0,1,0,0,0", "0,0,0,0,1,0,0,0"], r"path.csv:3.*time does not rise"),
        ([POSE, "0,0,0,0,1,0,0,0", "1,0,0,0,0,0,0,0"], r"path.csv:3.*a quaternion of zeros"),
        ([POSE, "0,0,0,0,1,0,0,0", "1,0,0,0,1,0,0"], "7 values where the header has 8"),
        ([POSE, "0,0,0,0,1,0,0,0"], "1 rows of values"),
    ],
)
def test_what_is_no_path_is_refused(tmp_path, lines, message):
    with pytest.raises(ArgumentError, match=message):
        read_pose_path(written(tmp_path, *lines))


MOTION = minimum_jerk([0.1, -0.2], [1.0, 2.0], 1.0, joints=["base", "elbow"], period=0.1)


def test_round_trip(tmp_path):
    path = write_trajectory(MOTION, tmp_path / "motion.csv")
    assert path.read_text().splitlines()[0] == "t,q_base,q_elbow,qd_base,qd_elbow,qdd_base,qdd_elbow"
    found = read_trajectory(path)
    assert found.joints == MOTION.joints
    for name in ("t", "q", "qd", "qdd"):
        assert np.array_equal(getattr(found, name), getattr(MOTION, name))
    assert [p.name for p in tmp_path.iterdir()] == ["motion.csv"]


def test_columns_follow_the_robots_joints(tmp_path):
    path = write_trajectory(MOTION, tmp_path / "motion.csv")
    found = read_trajectory(path, joints=["elbow", "base"])
    assert np.array_equal(found.q, MOTION.q[:, ::-1])


def test_numbered_columns_follow_joint_order(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("t,q1,q2,dq1,dq2,ddq1,ddq2\n0,1,2,0,0,0,0\n1,3,4,0,0,0,0\n")
    assert read_trajectory(path).joints == ("q1", "q2")
    found = read_trajectory(path, joints=["a", "b"])
    assert found.joints == ("a", "b")
    assert found.q.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_positions_alone_are_waypoints(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("t,a\n0,0\n1,2\n2.5,1\n")
    expected = quintic_spline([0.0, 1.0, 2.5], [[0.0], [2.0], [1.0]])
    assert np.allclose(read_trajectory(path).q, expected.q)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", "", "empty"),
        ("a,b\n0,1\n1,2\n", ":1", "no column 't'"),
        ("t,a,a\n0,1,1\n", ":1", "appears twice"),
        ("t,\n0,1\n", ":1", "no name"),
        ("t,q_a,qd_b\n0,1,1\n1,1,1\n", ":1", "column qd of 'a' is missing"),
        ("t,a\n0,1\n1\n", ":3", "1 values where the header has 2"),
        ("t,a\n0,1\n1,nan\n", ":3", "'nan', which is not a finite number"),
        ('t,a\n0,1\n1,"1,5"\n', ":3", "not a finite number"),
        ("t,a\n0,1\n1,1\n0.5,1\n", ":4", "time goes from 1 s to 0.5 s"),
        ("t,a\n0,1\n", "", "1 rows"),
        ("t\n0\n1\n", ":1", "no positions"),
        ("0,0.1,-2e-3\n1,0.2,0.3\n", ":1", "first line holds numbers"),
    ],
)
def test_what_is_refused(tmp_path, text, line, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ArgumentError, match=message) as caught:
        read_trajectory(path)
    assert caught.value.where.endswith(f"bad.csv{line}")
    assert caught.value.remedy


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ArgumentError, match="there is no such file"):
        read_trajectory(tmp_path / "gone.csv")
    with pytest.raises(ArgumentError, match="cannot be written"):
        write_trajectory(MOTION, tmp_path / "gone" / "motion.csv")


def test_a_joint_of_the_robot_is_missing(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("t,a\n0,0\n1,2\n")
    with pytest.raises(ArgumentError, match="column q of 'b' is missing"):
        read_trajectory(path, joints=["a", "b"])


def test_torques_beside_a_motion_make_it_a_log(tmp_path):
    motion = minimum_jerk([0.0, 1.0], [1.0, 0.0], 1.0, joints=["a", "b"], period=0.1)
    file = write_trajectory(motion, tmp_path / "m.csv", torques=np.ones_like(motion.q))
    assert file.read_text().splitlines()[0].endswith("tau_a,tau_b")
    assert np.array_equal(read_trajectory(file).q, motion.q)
    assert np.array_equal(read_trajectory(file, joints=["a", "b"]).qdd, motion.qdd)
    with pytest.raises(ArgumentError, match="torques of shape"):
        write_trajectory(motion, tmp_path / "n.csv", torques=np.ones(3))
    assert not (tmp_path / "n.csv").exists()


@pytest.mark.parametrize("name", ["time", "Time", "t [s]", "time_s"])
def test_other_names_of_the_time(name, tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text(f"{name},q1,q2\n0,0,0\n1,1,2\n2,0,0\n")
    assert read_trajectory(path, joints=("a", "b")).t[-1] == 2.0


@pytest.mark.parametrize(
    ("header", "missing"),
    [
        ("t,zeta,alpha,qd_zeta", "column qd of 'alpha' is missing"),
        ("t,zeta", "column q of 'alpha' is missing"),
        ("t,alpha", "column q of 'zeta' is missing"),
        ("t,q1", "column q of 'alpha' is missing"),
        ("t,q1,q2,qd2", "column qd of 'zeta' is missing"),
        ("t,q1,q2,q3", "column q of 'zeta' is missing"),
    ],
)
def test_the_joint_whose_column_is_missing_is_named(header, missing, tmp_path):
    path = tmp_path / "motion.csv"
    rows = "\n".join(",".join(str(k) for _ in header.split(",")) for k in range(3))
    path.write_text(f"{header}\n{rows}\n")
    with pytest.raises(ArgumentError, match=missing):
        read_trajectory(path, joints=("zeta", "alpha"))


def test_a_simulated_run_has_torques_and_references_beside_its_motion(tmp_path):
    header = [f"{kind}_{joint}" for kind in ("q", "qd", "qdd", "q_ref", "qd_ref", "qdd_ref", "tau") for joint in "ab"]
    rows = [[0.1 * k, *(10 * k + j for j in range(len(header)))] for k in range(3)]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [["t", *header], *rows]))
    motion, tau = read_recorded_motion(path, joints=("b", "a"))
    assert motion.q.tolist() == [[1.0, 0.0], [11.0, 10.0], [21.0, 20.0]]
    assert tau.tolist() == [[13.0, 12.0], [23.0, 22.0], [33.0, 32.0]]
    assert read_trajectory(path, joints=("a", "b")).qdd.tolist() == [[4.0, 5.0], [14.0, 15.0], [24.0, 25.0]]
    bare = tmp_path / "bare.csv"
    bare.write_text("t,q_a,qd_a,qdd_a\n0,1,2,3\n1,1,2,3\n")
    assert read_recorded_motion(bare, joints=("a",))[1] is None
    named = tmp_path / "named.csv"  # a joint may be called so
    named.write_text("t,q_a,q_ref_a\n0,1,2\n1,2,3\n")
    assert read_trajectory(named, joints=("a", "ref_a")).q[0].tolist() == [1.0, 2.0]


def test_references_of_a_simulated_run_are_read(tmp_path):
    file = tmp_path / "run.csv"
    file.write_text("t,q_a,q_b,q_ref_b,q_ref_a\n0,1,2,3,4\n1,5,6,7,8\n", encoding="ascii")
    assert read_reference(file, joints=("a", "b")).tolist() == [[4.0, 3.0], [8.0, 7.0]]
    assert read_reference(file, joints=("a", "c")) is None


def test_joints_may_be_called_by_numbers_and_waypoints_without_a_header_are_refused(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("t,1,2\n0,0.5,0\n1,0.6,0\n")
    assert read_trajectory(path).joints == ("1", "2")
    assert read_positions(path, joints=["2", "1"]).tolist() == [[0.0, 0.5], [0.0, 0.6]]
    path.write_text("0,0\n0.5,0.6\n")
    with pytest.raises(ArgumentError, match="first line holds numbers") as caught:
        read_positions(path, joints=["a", "b"])
    assert "t,a,b" in caught.value.remedy
