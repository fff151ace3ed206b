"""`torquec info`, `torquec version` and `torquec drives`."""

from __future__ import annotations

import json

import torquec as tq
from torquec.robot import classics


def test_json_says_what_the_file_says(torquec, arm):
    document = torquec("info", arm, "--json").document
    assert document["name"] == "arm"
    assert document["dof"] == 2
    assert document["joints"][1] == {
        "name": "elbow",
        "type": "revolute",
        "lower": -2.0,
        "upper": 2.0,
        "velocity": 1.0,
        "effort": 20.0,
    }
    assert document["mass"] == 2.0
    assert document["gravity"] == [0.0, 0.0, -9.81]
    assert document["snaps"] == []
    assert document["warnings"] == []


def test_snaps_are_reported_and_can_be_kept(torquec, arm):
    arm.write_text(arm.read_text().replace('<origin xyz="0 0 1"/>', '<origin xyz="0 0 1" rpy="1.5708 0 0"/>'))
    (snap,) = torquec("info", arm, "--json").document["snaps"]
    assert snap["joint"] == "elbow"
    assert snap["found"] == 1.5708
    assert "1.5708" in torquec("info", arm).out
    assert torquec("info", arm, "--json", "--no-snap").document["snaps"] == []


def test_no_limit_is_null(torquec, arm):
    arm.write_text(
        arm.read_text().replace('type="revolute"><parent link="base"', 'type="continuous"><parent link="base"')
    )
    joint = torquec("info", arm, "--json").document["joints"][0]
    assert joint["type"] == "continuous"
    assert joint["lower"] is None
    assert joint["upper"] is None


def test_warnings_name_file_and_line_and_strict_refuses(torquec, arm):
    arm.write_text(arm.read_text().replace('ixx="0.1" ixy', 'ixx="10" ixy', 1))
    (warning,) = torquec("info", arm, "--json").document["warnings"]
    assert "arm.urdf:" in warning
    refused = torquec("info", arm, "--strict")
    assert refused.status == 2
    assert "arm.urdf:" in refused.err


def test_a_heavy_base_is_told_from_what_moves(torquec, arm):
    assert "2 joints, 2 kg, gravity" in torquec("info", arm).out
    heavy = '<link name="base"><inertial><mass value="8"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    arm.write_text(arm.read_text().replace('<link name="base"/>', f"{heavy}</inertial></link>"))
    assert "2 joints, 10 kg, of which 2 kg move, gravity" in torquec("info", arm).out


def test_text_lists_every_joint(torquec):
    shown = torquec("info", "stanford").out
    assert all(f"joint{k}" in shown for k in range(1, 7))
    assert "prismatic" in shown


def test_missing_rotors_are_warned_of_until_a_drives_file_gives_them(torquec, arm):
    arm.write_text(arm.read_text().replace('effort="20"', 'effort="200000"'))
    (warning,) = torquec("info", arm, "--json").document["warnings"]
    assert "elbow" in warning
    assert "docs/drives.md" in warning
    arm.with_name("arm.drives.toml").write_text("[joint.elbow]\nmotor = { reflected_inertia = 30.0 }\n")
    assert torquec("info", arm, "--json").document["warnings"] == []


def test_rooms_that_refuse_the_robot_are_named_with_their_reasons(torquec, arm):
    assert set(torquec("info", "puma560", "--json").document["accepts"].values()) == {None}
    assert "Not available" not in torquec("info", "puma560").out
    still = ("--gravity", "0,0,0")
    found = torquec("info", arm, "--json", *still).document["accepts"]
    assert list(found) == ["closedform", "parameters", "proof", "simplification", "kinematics"]
    assert found["parameters"] == "gravity is zero"
    assert found["proof"] is None
    shown = torquec("info", arm, *still).out
    assert "Not available for this robot:\n  parameters: gravity is zero\n" in shown


def test_rooms_with_one_reason_are_named_together(torquec, arm):
    text = arm.read_text()
    arm.write_text(text.replace(text[text.index("<inertial>") : text.index("</inertial>") + len("</inertial>")], ""))
    shown = torquec("info", arm).out
    assert "  closedform, proof, simplification: robot 'arm' has no dynamics: these links have no inertia" in shown


def test_legs_on_a_fixed_base_are_warned_of(torquec, tmp_path):
    def leg(side, y):
        joints = "".join(
            f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0 {at}"/><axis xyz="0 1 0"/></joint>'
            for name, parent, child, at in (
                (f"{side}_hip", "trunk", f"{side}_thigh", f"{y} 0"),
                (f"{side}_knee", f"{side}_thigh", f"{side}_shank", "0 -0.3"),
            )
        )
        return f'<link name="{side}_thigh"/><link name="{side}_shank"/>{joints}'

    path = tmp_path / "biped.urdf"
    path.write_text(f'<robot name="biped"><link name="trunk"/>{leg("left", 0.1)}{leg("right", -0.1)}</robot>')
    shown = torquec("info", path, "--json")
    assert "warning: " in shown.err
    assert shown.err.count("base 'trunk' is treated as fixed") == 1
    assert sum("base 'trunk' is treated as fixed" in warning for warning in shown.document["warnings"]) == 1
    assert "treated as fixed" in torquec("eval", path, "--q", "0,0,0,0").err


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
    written = torquec("drives", str(robot), "-o", str(drives))
    assert written.status == 0
    assert written.out.startswith("In the robot's files so far:\n")  # the table is not of what was written
    assert written.out.endswith(f"Written: assumed\n{drives.read_text()}")
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
