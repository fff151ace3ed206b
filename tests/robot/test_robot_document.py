"""A robot as JSON values and back."""

from __future__ import annotations

import copy
import dataclasses
import json

import pytest

from torquec.errors import ModelFileError
from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.robot.robot import (
    Body,
    Drives,
    FileWarning,
    Frame,
    Inertia,
    Joint,
    JointType,
    Limits,
    Mimic,
    Motor,
    Robot,
    Spring,
)
from torquec.robot.robot_document import robot_from_dict, robot_to_dict
from torquec.spatial import Pose


def gripper() -> Robot:
    """A robot that uses every field."""
    slide = Joint(
        "slide",
        JointType.PRISMATIC,
        Pose(origin=(0.1, 0.0, 1 / 3)),
        (1.0, 0.0, 0.0),
        Limits(upper=0.04),
        Friction(1.0, 2.0, 3.0, 4.0, 5.0),
        Spring(7.0, 0.01),
    )
    follower = dataclasses.replace(slide, name="follower", mimic=Mimic("slide", -1.0, 0.5), spring=None)
    bodies = (
        Body("left", -1, slide, Inertia(1.0, 0.0, 0.0, 1.0, 0.0, 1.0, m=2.0), ("pad",)),
        Body("right", 0, follower, Inertia(m=0.1 + 0.2)),
    )
    drives = Drives((Motor("m", 1e-5, Friction.symmetric(1e-4)),), ((100.0,),))
    return Robot(
        "grîpper", bodies, (Frame("tip", 1, Pose(origin=(0.0, 0.0, 0.1))),), Inertia(m=1.0), drives=drives, snap=False
    )


@pytest.mark.parametrize("name", classics.names())
def test_classics_come_back_equal(name):
    robot = classics.load_classic(name)
    text = json.dumps(robot_to_dict(robot), allow_nan=False)
    assert robot_from_dict(json.loads(text)) == robot


def test_every_field_comes_back():
    robot = gripper()
    back = robot_from_dict(json.loads(json.dumps(robot_to_dict(robot))))
    assert back == robot
    assert back.content_hash == robot.content_hash
    assert back.bodies[0].joint.type is JointType.PRISMATIC


def test_what_the_file_said_is_not_saved():
    robot = dataclasses.replace(gripper(), warnings=(FileWarning("a:1", "odd"),), source="a.urdf")
    assert robot_to_dict(robot) == robot_to_dict(gripper())


def _at(document, path, value):
    changed = copy.deepcopy(document)
    place = changed
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("name",), 3, r"robot\.name: str was expected, not 3"),
        (("gravity",), [0, 0], r"robot\.gravity: 3 elements were expected, there are 2"),
        (("gravity", 2), "9", r"robot\.gravity\[2\]: a finite number was expected"),
        (("gravity", 2), None, r"robot\.gravity\[2\]: a finite number"),
        (("gravity", 2), True, r"robot\.gravity\[2\]: a finite number"),
        (("bodies",), {}, r"robot\.bodies: a list was expected"),
        (("bodies", 0), [], r"robot\.bodies\[0\]: an object was expected"),
        (("bodies", 0, "parent"), 0, r"bodies\[0\]\.parent: 0 is not an earlier body"),
        (("bodies", 0, "parent"), 0.5, r"bodies\[0\]\.parent: int was expected"),
        (("bodies", 0, "joint", "type"), "spherical", r"joint\.type: 'spherical' is none of revolute"),
        (("bodies", 0, "joint", "axis"), ..., r"joint: 'axis' is missing"),
        (("bodies", 0, "joint", "colour"), "red", r"joint: 'colour' is not known"),
        (("bodies", 0, "joint", "friction", "offset"), None, r"friction\.offset: a finite number"),
        (("bodies", 1, "joint", "mimic", "joint"), "gone", r"mimic: there is no joint 'gone'"),
        (("frames", 0, "body"), 2, r"frames\[0\]\.body: there is no body 2"),
        (("drives", "transmission"), [[1.0, 2.0]], r"drives\.transmission: it needs one row per motor"),
        (("drives", "transmission"), [], r"drives\.transmission: it needs one row per motor"),
    ],
)
def test_a_wrong_field_is_named(path, value, message):
    document = json.loads(json.dumps(robot_to_dict(gripper())))
    with pytest.raises(ModelFileError, match=message) as caught:
        robot_from_dict(_at(document, path, value), where="arm.tq.json")
    assert str(caught.value).startswith("arm.tq.json: ")
