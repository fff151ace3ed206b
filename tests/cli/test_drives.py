"""`torquec drives`: what the robot has, what the library offers, and the drives file that it writes."""

from __future__ import annotations

import json

import torquec as tq
from torquec.robot import classics


def test_it_shows_the_drives_of_the_robot(torquec):
    document = json.loads(torquec("drives", "puma560", "--json").out)
    assert document["joints"]["joint1"] == {"reflected_inertia": 1.14, "viscous": 4.94, "coulomb": 8.43}
    assert list(document["library"]) == ["assumed"]
    assert "chosen" not in document


def test_the_written_file_is_read_with_the_robot(torquec, tmp_path):
    robot = tmp_path / "arm.urdf"
    tq.write_urdf(classics.puma560(), robot)
    (tmp_path / "arm.drives.toml").unlink(missing_ok=True)
    drives = tmp_path / "arm.drives.toml"
    assert torquec("drives", str(robot), "-o", str(drives)).status == 0
    limits = [joint.limits.effort for joint in tq.load(robot).joints]
    inertia = tq.load(robot).drives.reflected_inertia(6)
    assert [inertia[k][k] for k in range(6)] == [float(f"{max(0.1, limit / 150):.4g}") for limit in limits]
    again = torquec("drives", str(robot), "-o", str(drives))
    assert again.status == 2
    assert "--force" in again.err


def test_drives_of_another_arm_are_refused(torquec):
    refused = torquec("drives", "puma560", "--library", "panda")
    assert refused.status == 2
    assert "drives 'panda' do not fit this robot" in refused.err


def test_the_text_of_a_choice_is_shown(torquec):
    assert '[joint."joint1"]' in torquec("drives", "puma560", "--library", "assumed").out
