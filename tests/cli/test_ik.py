"""`torquec ik`: what it finds is what `torquec eval` says of the frame there."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.trajectory import read_trajectory

POSE = ("--frame", "link6", "--position", "0.4,0.3,0.5", "--quaternion", "0,1,0,0")


def test_every_branch_brings_the_frame_there(torquec):
    document = torquec("ik", "puma560", *POSE, "--all", "--json").document
    before = {"format", "command", "method", "family", "frame", "joints", "branches", "nearest"}
    assert set(document) == before | {"task", "target", "robot_as_used"}
    assert document["task"] == "pose"
    assert document["target"] == {"position": [0.4, 0.3, 0.5], "quaternion": [0.0, 1.0, 0.0, 0.0]}
    assert (document["method"], document["family"]) == ("analytic", "spherical wrist")
    assert len(document["branches"]) == 8
    for branch in document["branches"]:
        q = ",".join(map(repr, branch["q"]))
        frame = torquec("eval", "puma560", "--q", q, "--frame", "link6", "--json").document["frames"]["link6"]
        np.testing.assert_allclose(frame["origin"], [0.4, 0.3, 0.5], atol=1e-12)
        np.testing.assert_allclose(frame["rotation"], np.diag([1.0, -1.0, -1.0]), atol=1e-12)
        assert (branch["qd"], branch["qdd"]) == (None, None)
    names = [branch["name"] for branch in document["branches"]]
    assert document["nearest"] in names


def test_the_nearest_one_alone_with_its_rates(torquec):
    every = torquec("ik", "puma560", *POSE, "--all", "--json").document["branches"]
    chosen = [branch for branch in every if branch["status"] == ["exact"]][-1]
    near = ",".join(str(np.degrees(value)) for value in chosen["q"])
    motion = ("--velocity", "0.1,0,0,0,0,90", "--acceleration", "0,0.1,0,0,0,0")
    document = torquec("ik", "puma560", *POSE, "--near", near, "--deg", *motion, "--json").document
    (branch,) = document["branches"]
    assert branch["name"] == document["nearest"] == chosen["name"]
    np.testing.assert_allclose(branch["q"], chosen["q"], atol=1e-12)
    state = ",".join(map(repr, branch["q"]))
    frame = torquec("eval", "puma560", "--q", state, "--frame", "link6", "--json").document["frames"]["link6"]
    j = np.array([*frame["influence"]["translation"]["first"], *frame["influence"]["rotation"]["first"]])
    np.testing.assert_allclose(j @ branch["qd"], [0.1, 0, 0, 0, 0, np.pi / 2], atol=1e-12)
    assert branch["manipulability"] == pytest.approx(abs(np.linalg.det(j)))


def test_the_text_says_what_is_missed(torquec):
    shown = torquec("ik", "puma560", "--frame", "link6", "--position", "2,0,0", "--quaternion", "1,0,0,0", "--all").out
    assert "shoulder left, elbow up, wrist no flip" in shown
    assert "out of reach, misses" in shown
    assert shown.count("<- nearest") == 1


def test_out_of_reach_is_a_failed_check_with_a_complete_document(torquec):
    found = torquec("ik", "puma560", "--frame", "link6", "--position", "2,0,0", "--quaternion", "0,1,0,0", "--json")
    assert found.status == 1
    assert "the pose of frame 'link6' is out of reach: the nearest solution misses" in found.err
    (branch,) = found.document["branches"]
    assert "out of reach" in branch["status"]
    assert torquec("ik", "puma560", *POSE).status == 0


def test_an_iteration_from_another_start_may_reach_it(torquec):
    far = torquec("ik", "planar2r", "--position", "9,0,0", "--quaternion", "1,0,0,0")
    assert far.status == 1
    assert "remedy: give other joint positions to start from with --near, or a position nearer to the base" in far.err


def test_a_position_alone_is_met_with_any_rotation(torquec):
    words = ("ik", "puma560", "--frame", "link6", "--position")
    for place, status in (("0.4,0.2,0.3", 0), ("2,0,0", 1)):
        found = torquec(*words, place)
        assert found.status == status
        assert "note: no --quaternion: only the position is reached, with any rotation (--task position)" in found.err
        assert "any rotation" in found.out
        assert ("the position of frame 'link6' is out of reach: the nearest solution misses" in found.err) == bool(
            status
        )
    document = torquec(*words, "0.4,0.2,0.3", "--json").document
    assert (document["task"], document["target"]["quaternion"]) == ("position", None)
    (branch,) = document["branches"]
    assert branch["error"]["position"] < 1e-10
    q = ",".join(map(repr, branch["q"]))
    frame = torquec("eval", "puma560", "--q", q, "--frame", "link6", "--json").document["frames"]["link6"]
    np.testing.assert_allclose(frame["origin"], [0.4, 0.2, 0.3], atol=1e-10)
    assert "note:" not in torquec("ik", "puma560", *POSE).err
    assert "note:" not in torquec(*words, "0.4,0.2,0.3", "--task", "position").err


def test_an_axis_is_met_whatever_the_turn_about_it(torquec):
    document = torquec("ik", "puma560", *POSE, "--task", "axis", "--json").document
    assert document["task"] == "axis"
    (branch,) = document["branches"]
    q = ",".join(map(repr, branch["q"]))
    frame = torquec("eval", "puma560", "--q", q, "--frame", "link6", "--json").document["frames"]["link6"]
    np.testing.assert_allclose(frame["origin"], [0.4, 0.3, 0.5], atol=1e-9)
    np.testing.assert_allclose(np.array(frame["rotation"])[:, 2], [0.0, 0.0, -1.0], atol=1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["puma560"], "ik needs one of --position, --path and --package"),
        (["puma560", "--frame", "hand", "--position", "0,0,0"], "has no frame 'hand'"),
        (["puma560", "--frame", "link6", "--position", "0,0"], "--position has 2 values"),
        (["puma560", *POSE[:4], "--quaternion", "0,0,0,0"], "is not a rotation"),
        (["puma560", *POSE, "--near", "1,2"], "--near has 2 values"),
        (["puma560", *POSE, "--acceleration", "0,0,0,0,0,0"], "--acceleration needs --velocity"),
        (["puma560", "--package", "here", "--quaternion", "1,0,0,0"], "--quaternion needs --position"),
        (["puma560", "--package", "here", "--task", "axis"], "--task goes with --position"),
        (["puma560", *POSE, "--task", "position"], "--task position with --quaternion"),
        (["puma560", *POSE[:4], "--task", "axis"], "--task axis without --quaternion"),
        (["puma560", *POSE, "--task", "axis", "--free", "joint1"], "a free joint with the task 'axis'"),
        (["puma560", *POSE, "--tolerance", "z=-0.1"], "the tolerance of z, -0.1, is negative"),
        (["puma560", *POSE, "--tolerance", "z=0.1", "--all"], "--tolerance is for one solution"),
        (["puma560", *POSE, "--tolerance", "rz=0.1", "--task", "axis"], "leaves rz free"),
        (["puma560", *POSE[:4], "--tolerance", "rx=0.1"], "--tolerance rx with the task 'position'"),
        (["puma560", "--package", "here", "--tolerance", "z=0.1"], "--tolerance goes with --position"),
    ],
)
def test_misuse(torquec, words, message):
    refused = torquec("ik", *words)
    assert refused.status == 2
    assert message in refused.err


def test_a_path_becomes_a_trajectory(torquec, tmp_path):
    """The hand goes along a line at constant speed: joints follow, and their speeds move it so."""
    path, out = tmp_path / "path.csv", tmp_path / "motion.csv"
    rows = [f"{t},{0.4 + 0.1 * t},0.3,0.5,0,1,0,0,0.1,0,0,0,0,0" for t in np.linspace(0.0, 1.0, 21)]
    path.write_text("\n".join(["t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", *rows]) + "\n")
    document = torquec("ik", "puma560", "--frame", "link6", "--path", path, "-o", out, "--json").document
    assert (document["poses"], document["jumps"], document["file"]) == (21, [], str(out))
    assert document["status"] == {"singular": 0, "out of limits": 0, "out of reach": 0}
    motion = read_trajectory(out)
    q = ",".join(map(repr, motion.q[10].tolist()))
    frame = torquec("eval", "puma560", "--q", q, "--frame", "link6", "--json").document["frames"]["link6"]
    np.testing.assert_allclose(frame["origin"], [0.45, 0.3, 0.5], atol=1e-12)
    slope = (motion.q[11] - motion.q[9]) / 0.1
    np.testing.assert_allclose(motion.qd[10], slope, atol=1e-3)
    again = torquec("ik", "puma560", "--frame", "link6", "--path", path, "-o", out)
    assert (again.status, "exists already" in again.err) == (2, True)


def test_a_path_out_of_reach_fails_but_is_written(torquec, tmp_path):
    path, out = tmp_path / "path.csv", tmp_path / "motion.csv"
    path.write_text("t,x,y,z,qw,qx,qy,qz\n0,0.4,0.3,0.5,0,1,0,0\n1,3.0,0.3,0.5,0,1,0,0\n")
    found = torquec("ik", "puma560", "--frame", "link6", "--path", path, "-o", out)
    assert found.status == 1
    assert "1 poses out of reach" in found.err
    assert out.exists()


def test_the_inverse_as_c(torquec, tmp_path):
    found = torquec("ik", "puma560", "--frame", "link6", "--package", tmp_path / "c", "--json")
    assert found.document["method"] == "analytic"
    assert sorted(found.document["files"]) == ["CMakeLists.txt", "puma560_ik.c", "puma560_ik.h", "selftest.c"]
    assert "elbow up" in (tmp_path / "c" / "puma560_ik.h").read_text()
    again = torquec("ik", "puma560", "--frame", "link6", "--position", "0,0,1", "--package", tmp_path)
    assert (again.status, "one of --position, --path and --package" in again.err) == (2, True)


def test_the_best_solution_by_an_objective(torquec):
    words = ("ik", "puma560", "--frame", "link6", "--position", "0.4,0.3,0.5", "--quaternion", "0,1,0,0")
    best = torquec(*words, "--objective", "manipulability", "--json").document
    assert best["objective"]["name"] == "manipulability"
    assert len(best["branches"]) == 1
    every = torquec(*words, "--all", "--velocity", "0,0,0,0,0,0", "--json").document["branches"]
    allowed = [branch["manipulability"] for branch in every if branch["status"] == ["exact"]]
    assert best["objective"]["value"] == pytest.approx(max(allowed), rel=1e-9)
    assert "torque: " in torquec(*words, "--objective", "torque").out
    assert torquec(*words, "--objective", "torque", "--all").status == 2
    assert torquec(*words[:6], "--objective", "torque").status == 2


def test_tolerances_by_axis(torquec):
    """The frame is where the offset says; free axes have no ends; what fails by a search is called one."""
    document = torquec("ik", "puma560", *POSE, "--tolerance", "z=-0.002:0,rz=free,rx=3", "--deg", "--json").document
    assert document["tolerance"]["z"] == [-0.002, 0.0]
    assert document["tolerance"]["rz"] == [None, None]
    assert document["tolerance"]["rx"] == pytest.approx([-np.radians(3), np.radians(3)])
    (branch,) = document["branches"]
    assert branch["status"] == ["exact"]
    q = ",".join(map(repr, branch["q"]))
    frame = torquec("eval", "puma560", "--q", q, "--frame", "link6", "--json").document["frames"]["link6"]
    assert (document["offset"]["x"], document["offset"]["y"], document["decided"]) == (0.0, 0.0, True)
    np.testing.assert_allclose(frame["origin"], [0.4, 0.3, 0.5 - document["offset"]["z"]], atol=1e-9)  # z points down
    assert "offset: z " in torquec("ik", "puma560", *POSE, "--tolerance", "z=0.001").out
    far = ("ik", "puma560", "--frame", "link6", "--position", "2,0,0", "--quaternion", "0,1,0,0", "--tolerance")
    for words, why in (("rz=free", "no pose within the tolerance is reached"), ("z=1,rz=free", "one may exist")):
        failed = torquec(*far, words)
        assert failed.status == 1
        assert why in failed.err
