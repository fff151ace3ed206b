"""Robots of documents: what they are made of, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.torquec_check.documents import robot_document

from torquec_check.document import RefusedError
from torquec_check.robot import robot_of


def test_a_robot_is_read():
    robot = robot_of(robot_document("scara"))
    assert robot.n == 4
    assert robot.turns.count(False) == 1
    assert [body.parent for body in robot.bodies] == [-1, 0, 1, 2]


def test_rotors_are_reflected_exactly():
    document = robot_document()
    document["drives"] = {
        "motors": [{"name": "a", "rotor_inertia": 0.1, "friction": {}}],
        "transmission": [[3.0, 0.1]],
    }
    third = Fraction(0.1)
    assert robot_of(document).reflected == ((9 * third, 3 * third**2), (3 * third**2, third**3))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("parent",), 1, "not an earlier body"),
        (("joint", "type"), "ball", "not checked"),
        (("joint", "axis"), [0.0, 0.0, 1.1], "unit vector"),
        (("joint", "placement", "rotation"), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], "no rotation"),
        (("joint", "mimic"), {"joint": "nobody", "multiplier": 1.0, "offset": 0.0}, "no independent joint"),
        (("joint", "mimic"), {"joint": "joint1", "multiplier": 0.5, "offset": 0.0}, "whole number"),
        (("joint", "name"), "joint1", "names of their own"),
        (("surprise",), 1, "not known"),
    ],
)
def test_wrong_bodies_are_refused(path, value, message):
    document = robot_document()
    place = document["bodies"][1]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(RefusedError, match=message):
        robot_of(document)


def test_a_joint_that_slides_does_not_follow_one_that_turns():
    document = robot_document()
    document["bodies"][1]["joint"] |= {
        "type": "prismatic",
        "mimic": {"joint": "joint1", "multiplier": 1.0, "offset": 0.0},
    }
    with pytest.raises(RefusedError, match="slides"):
        robot_of(document)


def test_rotations_are_told_from_reflections_in_any_direction():
    for seed in range(10):
        rotation, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))
        rotation *= np.linalg.det(rotation)
        document = robot_document()
        document["bodies"][1]["joint"]["placement"]["rotation"] = rotation.tolist()
        robot_of(document)
        document["bodies"][1]["joint"]["placement"]["rotation"] = (-rotation).tolist()
        with pytest.raises(RefusedError, match="no rotation"):
            robot_of(document)


@pytest.mark.parametrize("factors", [(2.0, 2.0, 2.0), (1.0, 1.0, 1.0 + 1e-8), (1.0, 0.5, 2.0)])
def test_stretched_placements_are_no_rotations(factors):
    document = robot_document()
    document["bodies"][1]["joint"]["placement"]["rotation"] = np.diag(factors).tolist()
    with pytest.raises(RefusedError, match="no rotation"):
        robot_of(document)


def test_robots_of_thousands_of_bodies_are_refused():
    """4000 sliding joints took 12 s and 0.9 GB for their motors alone, 20,000 would have taken 25 times as much."""
    document = robot_document()
    body = document["bodies"][1]
    joints = [{**body["joint"], "name": f"joint{k}"} for k in range(1001)]
    document |= {"bodies": [{**body, "parent": -1, "joint": joint} for joint in joints]}
    document["drives"] = {"motors": [], "transmission": []}
    with pytest.raises(RefusedError, match="1000 are the most"):
        robot_of(document)
