"""`<transmission>`: reductions in all the places where the generations of ROS put them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.robot.arm import ARM

from torquec.errors import RobotFileError
from torquec.robot.robot import Motor
from torquec.robot.urdf import parse_urdf, read_urdf

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
LINE = ARM.count("\n")


def parse(inner, kind="transmission_interface/SimpleTransmission", arm=ARM):
    block = f'<transmission name="t"><type>{kind}</type>{inner}</transmission>\n</robot>'
    return parse_urdf(arm.replace("</robot>", block).encode(), "arm.urdf")


@pytest.mark.parametrize(
    "inner",
    [
        '<joint name="elbow"/><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator>',
        '<joint name="elbow"><mechanical_reduction>50</mechanical_reduction></joint><actuator name="m"/>',
        '<joint name="elbow"/><actuator name="m"/><mechanicalReduction> 50 </mechanicalReduction>',
    ],
)
def test_a_simple_transmission(inner):
    drives = parse(inner).drives
    assert drives.motors == (Motor("m"),)
    assert drives.transmission == ((0.0, 50.0),)


def test_the_reduction_is_one_where_none_is_given():
    assert parse('<joint name="shoulder"/><actuator name="m"/>').drives.transmission == ((1.0, 0.0),)


def test_a_differential_turns_both_motors_with_both_joints():
    inner = (
        '<actuator name="a"><role>actuator1</role><mechanicalReduction>2</mechanicalReduction></actuator>'
        '<actuator name="b"><role>actuator2</role><mechanicalReduction>3</mechanicalReduction></actuator>'
        '<joint name="elbow"><role>joint2</role><mechanicalReduction>5</mechanicalReduction></joint>'
        '<joint name="shoulder"><role>joint1</role><mechanicalReduction>7</mechanicalReduction></joint>'
    )
    drives = parse(inner, "transmission_interface/DifferentialTransmission").drives
    assert [motor.name for motor in drives.motors] == ["a", "b"]
    assert drives.transmission == ((14.0, 10.0), (21.0, -15.0))


def test_a_motor_on_a_mimic_joint_turns_with_the_joint_that_leads():
    arm = ARM.replace('<axis xyz="1 0 0"/>', '<mimic joint="shoulder" multiplier="-2"/>')
    inner = '<joint name="elbow"/><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator>'
    assert parse(inner, arm=arm).drives.transmission == ((-100.0,),)


@pytest.mark.parametrize(
    ("inner", "kind", "text"),
    [
        ('<joint name="elbow"/><actuator name="m"/>', "FourBarLinkageTransmission", "FourBarLinkageTransmission"),
        ('<joint name="elbow"/>', "SimpleTransmission", "SimpleTransmission"),
        ('<joint name="grip"/><actuator name="m"/>', "SimpleTransmission", "drives a fixed joint"),
        ('<joint name="wrist"/><actuator name="m"/>', "SimpleTransmission", "a joint that is not there, 'wrist'"),
        (
            '<joint name="elbow"/><actuator name="m"><mechanicalReduction>reduction</mechanicalReduction></actuator>',
            "SimpleTransmission",
            "the word 'reduction'",
        ),
    ],
)
def test_what_is_not_read_is_reported(inner, kind, text):
    robot = parse(inner, kind)
    assert robot.drives.motors == ()
    (warning,) = robot.warnings
    assert warning.where == f"arm.urdf:{LINE}"
    assert text in warning.text


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        ('<joint name="elbow"/><actuator/>', "<actuator> has no attribute 'name'"),
        ('<joint name="elbow"/><actuator name="m"><mechanicalReduction>0</mechanicalReduction></actuator>', "is 0"),
        ('<joint name="elbow"/><actuator name="m"><mechanicalReduction>1:50</mechanicalReduction></actuator>', "1:50"),
        (
            (
                '<joint name="elbow"/><actuator name="m"/></transmission>'
                '<transmission><joint name="shoulder"/><actuator name="m"/>'
            ),
            "two actuators are called 'm'",
        ),
    ],
)
def test_bad_transmissions_are_refused(inner, message):
    with pytest.raises(RobotFileError, match=message) as caught:
        parse(inner)
    assert caught.value.where == f"arm.urdf:{LINE}"


@pytest.mark.skipif(not MODELS.exists(), reason="the published models are not here")
def test_published_transmissions():
    talos = read_urdf(MODELS / "talos_reduced.urdf")
    assert len(talos.drives.motors) == 30
    assert sum("HalfDifferential" in warning.text for warning in talos.warnings) == 1
    wx250s = read_urdf(MODELS / "wx250s_mimic.urdf")
    right, left = (wx250s.drives.transmission[k][wx250s.joint_index("left_finger")] for k in (-1, -2))
    assert {abs(right), abs(left)} == {1.0}
