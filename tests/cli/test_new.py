"""`torquec new`: a project file beside one's robot that can be run as it is."""

from __future__ import annotations

from torquec.project.read_project import read_project


def test_the_file_names_the_robot_as_seen_from_itself(torquec, arm, tmp_path):
    (tmp_path / "projects").mkdir()
    path = tmp_path / "projects" / "mine.toml"
    outcome = torquec("new", arm, "-o", path, "--payload", "lower:0.5", "--lock", "elbow=0.25", "--json")
    assert outcome.document["joints"] == ["shoulder"]
    assert 'robot = "../arm.urdf"' in path.read_text()
    project = read_project(path)
    assert project.robot.joint_names == ("shoulder",)
    assert project.robot.locked[0].position == 0.25


def test_it_stands_in_the_working_folder_unless_told_otherwise(torquec, arm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = torquec("new", "arm.urdf", "--no-snap")
    assert outcome.out.strip() == "torquec run arm.project.toml -o arm_run"
    assert "snap = false" in (tmp_path / "arm.project.toml").read_text()
    assert torquec("new", "arm.urdf").status == 2  # it is there already
    assert torquec("new", "arm.urdf", "--force").status == 0


def test_logs_are_named_and_must_be_there(torquec, arm, tmp_path):
    outcome = torquec("new", arm, "-o", tmp_path / "mine.toml", "--log", tmp_path / "none.csv")
    assert outcome.status == 2
    assert "there is no file 'none.csv'" in outcome.err
    assert not (tmp_path / "mine.toml").exists()
