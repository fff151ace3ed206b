"""The side file: a coupled wrist with published numbers, every key, what it replaces, every refusal with its line."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from tests.robot import reference
from tests.robot.arm import ARM

from torquec.errors import RobotFileError
from torquec.robot.drives import drives_text, read_drives, side_file
from torquec.robot.friction import Friction
from torquec.robot.load import load
from torquec.robot.robot import Counterbalance, Motor, Spring
from torquec.robot.urdf import parse_urdf

ROOT = Path(__file__).resolve().parents[2]
TX40 = ROOT.parent / "shared" / "data" / "staubli_tx40" / "tx40_mdh_modified.urdf"
GEARED = ARM.replace(
    "</robot>",
    '<transmission name="t"><joint name="elbow"/><actuator name="file_motor">'
    "<mechanicalReduction>50</mechanicalReduction></actuator></transmission></robot>",
)


def read(tmp_path, text, arm=ARM):
    path = tmp_path / "arm.drives.toml"
    path.write_text(text, encoding="utf-8")
    return read_drives(path, parse_urdf(arm.encode(), "arm.urdf"))


# Published for the arm, joint side: viscous and dry friction, rotor inertia, torque offset; and for the coupling.
FV = (8.05, 5.53, 1.97, 1.11, 1.86, 0.65)
FS = (7.14, 8.26, 6.34, 2.48, 3.03, 0.282)
IA = (0.362, 0.362, 0.0988, 0.0313, 0.0468, 0.0105)
OFFSET = (0.392, 1.37, 0.326, -0.102, -0.0288, 0.127)
RATIO = (32.0, 32.0, 45.0, -48.0, 45.0, 32.0)
IAM6, FVM6, FSM6 = 0.00964, 0.616, 1.95


def tx40_side_file():
    text = ""
    for k in range(6):
        friction = f"friction = {{ viscous = {FV[k]}, coulomb = {FS[k]}, offset = {OFFSET[k]} }}"
        text += f"[joint.joint_{k + 1}]\n{friction}\n"
        if k < 4:
            text += f"motor = {{ rotor_inertia = {IA[k] / RATIO[k] ** 2!r}, gear_ratio = {RATIO[k]} }}\n"
    # Joint 5 feels its own rotor and that of motor 6.
    text += (
        f'[[motor]]\nname = "motor_5"\nrotor_inertia = {(IA[4] - IAM6) / 45**2!r}\ntransmission = {{ joint_5 = 45 }}\n'
    )
    shaft = f"friction = {{ viscous = {FVM6 / 32**2!r}, coulomb = {FSM6 / 32!r} }}"
    text += f'[[motor]]\nname = "motor_6"\nrotor_inertia = {IAM6 / 32**2!r}\n{shaft}\n'
    return text + "transmission = [0, 0, 0, 0, 32, 32]\n"


@pytest.mark.skipif(not TX40.exists(), reason="the published model is not here")
def test_the_coupled_wrist_of_the_staubli_tx40(tmp_path):
    (tmp_path / "tx40.urdf").write_bytes(TX40.read_bytes())
    (tmp_path / "tx40.drives.toml").write_text(tx40_side_file())
    robot = load(tmp_path / "tx40.urdf")
    expected = np.diag(RATIO)
    expected[5, 4] = 32.0
    np.testing.assert_array_equal(robot.drives.transmission, expected)

    reflected = np.diag([*IA[:5], IAM6])
    reflected[4, 5] = reflected[5, 4] = IAM6
    np.testing.assert_allclose(robot.drives.reflected_inertia(6), reflected, rtol=1e-13, atol=1e-18)

    qd = np.array([0.1, -0.2, 0.3, -0.4, 0.5, 0.7])
    joints = np.array(FV) * qd + np.array(FS) * np.sign(qd) + np.array(OFFSET)
    coupled = FVM6 * (qd[4] + qd[5]) + FSM6 * np.sign(qd[4] + qd[5])
    np.testing.assert_allclose(
        reference.friction_torque(robot, qd), joints + coupled * np.array([0, 0, 0, 0, 1, 1]), rtol=1e-13
    )


def test_the_example_of_the_documentation_is_read(tmp_path):
    page = (ROOT / "docs" / "drives.md").read_text(encoding="utf-8")
    example = page.split("```toml")[1].split("```")[0]
    links = "".join(f'<link name="l{k}"/>' for k in range(7))
    joints = "".join(
        f'<joint name="joint_{k + 1}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/></joint>'
        for k in range(6)
    )
    robot = read(tmp_path, example, f'<robot name="tx40">{links}{joints}</robot>')
    assert [motor.name for motor in robot.drives.motors] == ["joint_1", "joint_2", "motor_5", "motor_6"]
    assert robot.bodies[1].joint.spring == Spring(40.0, -1.2)


def test_where_the_side_file_lies():
    assert side_file(Path("a/arm.urdf")) == Path("a/arm.drives.toml")
    assert side_file(Path("a/arm.v2.xml")) == Path("a/arm.v2.drives.toml")


def test_what_is_not_mentioned_stays(tmp_path):
    robot = read(tmp_path, "[joint.elbow]\nfriction = { coulomb = 3 }\n", GEARED)
    assert robot.joints[0].friction == Friction.symmetric(0.5, 0.25)
    assert robot.joints[1].friction == Friction.symmetric(0.0, 3.0)
    assert robot.drives.motors == (Motor("file_motor"),)


def test_friction_replaces_that_of_the_robot_file(tmp_path):
    robot = read(tmp_path, "[joint.shoulder]\nfriction = { coulomb_positive = 1, coulomb_negative = 2, offset = -3 }\n")
    assert robot.joints[0].friction == Friction(0.0, 0.0, 1.0, 2.0, -3.0)


def test_the_reduction_of_the_robot_file_is_used(tmp_path):
    robot = read(tmp_path, "[joint.elbow]\nmotor = { rotor_inertia = 1e-4 }\n", GEARED)
    assert robot.drives.motors == (Motor("elbow", 1e-4),)
    assert robot.drives.transmission == ((0.0, 50.0),)


def test_a_motor_on_several_joints_replaces_that_of_the_robot_file(tmp_path):
    text = '[[motor]]\nname = "m"\nrotor_inertia = 1\ntransmission = { elbow = 2, shoulder = 3 }\n'
    robot = read(tmp_path, text, GEARED)
    assert robot.drives.motors == (Motor("m", 1.0),)
    assert robot.drives.transmission == ((3.0, 2.0),)


def test_a_motor_on_a_mimic_joint_turns_with_the_joint_that_leads(tmp_path):
    arm = ARM.replace('<axis xyz="1 0 0"/>', '<mimic joint="shoulder" multiplier="-2"/>')
    robot = read(tmp_path, "[joint.elbow]\nmotor = { rotor_inertia = 1, gear_ratio = 10 }\n", arm)
    assert robot.drives.transmission == ((-20.0,),)


@pytest.mark.parametrize(
    ("text", "line", "fragments"),
    [
        ("[joint.elbow]\nfriktion = { coulomb = 1 }\n", 2, ("friktion", "friction")),
        ("\n[joint.knee]\nfriction = { coulomb = 1 }\n", 2, ("no joint 'knee'", "shoulder, elbow")),
        ("[joint.grip]\nfriction = { coulomb = 1 }\n", 1, ("no joint 'grip'",)),
        ("[joint.elbow]\nrotor_inertia = 1\n", 2, ("belongs in motor", "motor = { rotor_inertia = ... }")),
        ("[joint.elbow]\ncoulomb = 1\n", 2, ("belongs in friction",)),
        ("[joint.elbow]\nfriction = { coulomb = nan }\n", 2, ("nan",)),
        ("[joint.elbow]\nfriction = { coulomb = -1 }\n", 2, ("negative",)),
        ("[joint.elbow]\nfriction = { coulomb = 1, coulomb_positive = 2 }\n", 2, ("coulomb",)),
        ('[joint.elbow]\nfriction = "much"\n', 2, ("much",)),
        ("[joint.elbow]\nspring = { rest = 1 }\n", 2, ("stiffness",)),
        ("[joint.elbow]\nmotor = { rotor_inertia = 1 }\n", 2, ("gear_ratio",)),
        ("[joint.elbow]\nmotor = { rotor_inertia = -1, gear_ratio = 1 }\n", 2, ("not negative",)),
        ("[joint.elbow]\nmotor = { rotor_inertia = 1, reflected_inertia = 1 }\n", 2, ("reflected_inertia",)),
        ("elbow = 1\n", 1, ("unknown key 'elbow'",)),
        ("[joint]\nelbow = 1\n", 2, ("joint.elbow",)),
        ("[joint.elbow\n", 1, ("not TOML",)),
        ('[[motor]]\nname = "m"\ntransmission = { knee = 1 }\n', 3, ("'knee'", "shoulder, elbow")),
        ('[[motor]]\nname = "m"\ntransmission = [1, 2, 3]\n', 3, ("one number per joint",)),
        ('[[motor]]\nname = "m"\n', 1, ("transmission",)),
        ("[[motor]]\ntransmission = [1, 2]\n", 1, ("name",)),
        (
            '[[motor]]\nname = "m"\ntransmission = [1, 2]\n[[motor]]\nname = "m"\ntransmission = [1, 2]\n',
            4,
            ("two motors are called 'm'",),
        ),
    ],
)
def test_bad_side_files_are_refused_with_the_line(tmp_path, text, line, fragments):
    with pytest.raises(RobotFileError) as caught:
        read(tmp_path, text)
    assert caught.value.where.endswith(f"arm.drives.toml:{line}")
    assert caught.value.remedy
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_a_folder_in_its_place_is_refused(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "arm.drives.toml").mkdir()
    with pytest.raises(RobotFileError, match=r"arm.drives.toml: this is a directory"):
        load(tmp_path / "arm.urdf")


RICH = """
[joint.elbow.friction]
viscous = 1.0
coulomb = 2.0
stribeck = 0.5
stribeck_speed = 0.1
load = 0.05
curved = -0.2
turnover_speed = 0.02
turnover_distance = 0.01

[joint.elbow.counterbalance]
base = 0.8
lever = 0.2
angle_deg = 90.0
area = 0.002
pressure_volume = 9000.0
volume = 0.001
"""


def test_every_word_for_friction_and_counterbalances(tmp_path):
    robot = read(tmp_path, RICH)
    joint = next(body.joint for body in robot.bodies if body.joint.name == "elbow")
    assert joint.friction.values == {
        "viscous_positive": 1.0,
        "viscous_negative": 1.0,
        "coulomb_positive": 2.0,
        "coulomb_negative": 2.0,
        "offset": 0.0,
        "curved": -0.2,
        "load": 0.05,
        "stribeck_negative": 0.5,
        "stribeck_positive": 0.5,
        "stribeck_speed": 0.1,
        "turnover_distance": 0.01,
        "turnover_speed": 0.02,
    }
    assert joint.counterbalances == (
        Counterbalance(0.8, 0.2, np.pi / 2, area=0.002, pressure_volume=9000.0, volume=0.001),
    )


def test_what_is_written_is_read_back(tmp_path):
    robot = read(tmp_path, RICH)
    elbow = next(b for b, body in enumerate(robot.bodies) if body.joint.name == "elbow")
    bodies = list(robot.bodies)
    twice = dataclasses.replace(bodies[elbow].joint, counterbalances=bodies[elbow].joint.counterbalances * 2)
    bodies[elbow] = dataclasses.replace(bodies[elbow], joint=twice)
    robot = dataclasses.replace(robot, bodies=tuple(bodies))
    assert read(tmp_path, drives_text(robot)).bodies == robot.bodies


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("friction = { stribeck = 1.0 }", "'stribeck' without 'stribeck_speed'"),
        ("friction = { stribeck = 1.0, stribeck_speed = 0.0 }", "'stribeck_speed' is 0"),
        ("friction = { load = -0.1 }", "the load friction -0.1 is negative"),
        ("friction = { stribek = 1.0 }", "unknown key 'joint.elbow.friction.stribek'"),
        ("counterbalance = { base = 0.8 }", "lever' is missing"),
        ("counterbalance = { base = 0.8, lever = 0.0 }", "counterbalance with lever"),
        ("counterbalance = [{ base = 0.8, lever = 0.1, volume = 1.0 }]", "counterbalance with area"),
    ],
)
def test_words_that_do_not_fit_are_refused_with_the_line(tmp_path, entry, message):
    with pytest.raises(RobotFileError, match=re.escape(message)) as caught:
        read(tmp_path, f"[joint.elbow]\n{entry}\n")
    assert "arm.drives.toml:2" in str(caught.value)
