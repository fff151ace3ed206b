"""`torquec time`: document, file, Cartesian waypoints, the path of a motion, pictures, exit status."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.robot import classics
from torquec.trajectory import read_trajectory

JOINTS = "joint1,joint2,joint3,joint4,joint5,joint6\n0,-1.5,1.5,0,0,0\n1,-1,1,0.5,1,1\n1.5,-0.5,2,0,0.5,2\n"
POSES = "x,y,z,qw,qx,qy,qz\n0.4,0.3,0.5,0,1,0,0\n0.5,0.1,0.4,0,1,0,0\n0.4,-0.3,0.5,0,1,0,0\n"


@pytest.fixture
def waypoints(tmp_path):
    file = tmp_path / "waypoints.csv"
    file.write_text(JOINTS)
    return file


def test_the_document_and_the_file(torquec, tmp_path, waypoints):
    target = tmp_path / "fast.csv"
    outcome = torquec("time", "puma560", "--waypoints", waypoints, "-o", target, "--json", "--points", 200)
    document = outcome.document
    assert document["proven"] is True
    assert document["file"] == str(target)
    assert all(margin >= 0.0 for margin in document["torque_margin"].values())
    assert set(document["limiting"][0]) == {"from", "to", "joint", "kind"}
    assert document["limiting"][-1]["to"] == document["duration"]
    robot = classics.puma560()
    motion = read_trajectory(target, joints=robot.joint_names)
    assert motion.duration == document["duration"]
    assert np.allclose(motion.q[-1], [1.5, -0.5, 2.0, 0.0, 0.5, 2.0])
    assert torquec("simulate", "puma560", "--trajectory", target, "--json").status == 0
    assert "is kept, proven" in torquec("time", "puma560", "--waypoints", waypoints, "-o", target, "--force").out


def test_waypoints_of_a_frame(torquec, tmp_path):
    poses = tmp_path / "poses.csv"
    poses.write_text(POSES)
    target = tmp_path / "fast.csv"
    options = ("--frame", "link6", "--tip-speed", 0.5, "--points", 200)
    document = torquec("time", "puma560", "--waypoints", poses, "-o", target, *options, "--json").document
    assert document["proven"] is True
    assert document["limits"]["tip_speed"] == 0.5
    assert "tip speed" in {span["kind"] for span in document["limiting"]}


def test_the_path_of_a_motion_gets_a_new_timing(torquec, tmp_path):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    slow = torquec("time", "puma560", "--path", "standard", "-o", first, "--effort-share", 0.3, "--json").document
    fast = torquec("time", "puma560", "--path", first, "-o", second, "--json").document
    assert fast["duration"] < slow["duration"] < 1.5
    again = torquec("time", "puma560", "--path", "standard", "-o", first, "--force", "--json").document
    assert fast["duration"] == pytest.approx(again["duration"], rel=1e-3)


def test_options_in_degrees(torquec, tmp_path, waypoints):
    common = (
        "time",
        "puma560",
        "--waypoints",
        waypoints,
        "--force",
        "--points",
        100,
        "--json",
        "-o",
        tmp_path / "m.csv",
    )
    radians = torquec(*common, "--acceleration", np.pi).document
    degrees = torquec(*common, "--acceleration", 180, "--deg").document
    assert degrees["duration"] == pytest.approx(radians["duration"], rel=1e-12)


def test_a_picture(torquec, tmp_path, waypoints):
    picture = tmp_path / "fast.svg"
    document = torquec(
        "time",
        "puma560",
        "--waypoints",
        waypoints,
        "-o",
        tmp_path / "m.csv",
        "--plot",
        picture,
        "--points",
        100,
        "--json",
    ).document
    assert document["plot"] == str(picture)
    assert "Which limit is reached" in picture.read_text()


def test_the_section_of_the_report(torquec, tmp_path, waypoints):
    folder = tmp_path / "results"
    folder.mkdir()
    words = ("time", "puma560", "--waypoints", waypoints, "-o", folder / "fast.csv", "--points", 100, "--json")
    (folder / "time.json").write_text(torquec(*words).out)
    page = tmp_path / "report.html"
    outcome = torquec("report", folder, "-o", page)
    assert outcome.status == 0, outcome.err
    text = page.read_text()
    for part in ("Time-optimal motion", "Torques against their limits", "Which limit is reached", "Margins of torque"):
        assert part in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "one of --waypoints and --path"),
        (("--waypoints", "empty.csv"), "the file is empty"),
        (("--waypoints", "odd.csv"), "line|odd.csv:3"),
        (("--waypoints", "missing.csv"), "missing.csv"),
        (("--waypoints", "good.csv", "--effort-share", 0.1), "joint 'joint2' needs"),
        (("--waypoints", "good.csv", "--start-speed", 50), "start speed of 50"),
        (("--waypoints", "good.csv", "--acceleration", "1,2"), "2 values"),
        (("--waypoints", "poses.csv", "--frame", "link6"), "beyond the joints' limits|out of reach"),
    ],
)
def test_misuse(torquec, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "odd.csv").write_text(JOINTS.replace("1,-1,1", "1,x,1"))
    (tmp_path / "good.csv").write_text(JOINTS)
    (tmp_path / "poses.csv").write_text(POSES.replace("0.5,0.1", "1.5,0.1"))
    outcome = torquec("time", "puma560", "-o", "fast.csv", *words)
    assert outcome.status == 2
    assert any(part in outcome.err for part in message.split("|")), outcome.err
    assert not (tmp_path / "fast.csv").exists()
