"""Words for parameters that change at run time."""

from __future__ import annotations

import dataclasses

import pytest

import torquec as tq
from torquec.realtime.run_time_parameters import friction_words, parameter_groups
from torquec.robot.friction import Friction


def test_groups_and_single_parameters():
    robot = tq.classics.puma560()
    words = ["load", "gravity", "friction", "rotors", "link2", f"m_{robot.bodies[2].name}"]
    groups = {group.word: group for group in parameter_groups(robot, words)}
    assert [p.name for p in groups["gravity"].parameters] == ["gravity_x", "gravity_y", "gravity_z"]
    assert groups["gravity"].values == robot.gravity
    assert len(groups["load"].parameters) == len(groups["link2"].parameters) == 10
    assert groups["load"].values == (0.0,) * 10
    assert groups["link2"].values == tuple(robot.bodies[1].inertia.parameters)
    assert len(groups["rotors"].parameters) == 6
    assert groups[words[-1]].values == (robot.bodies[2].inertia.m,)


def test_friction_is_by_direction_where_it_differs():
    robot = tq.classics.planar2r()
    assert friction_words(robot) == ("viscous", "coulomb", "offset")
    body = robot.bodies[0]
    joint = dataclasses.replace(body.joint, friction=Friction(1.0, 2.0, 0.5, 0.5))
    other = dataclasses.replace(robot, bodies=(dataclasses.replace(body, joint=joint), *robot.bodies[1:]))
    assert friction_words(other) == ("viscous_positive", "viscous_negative", "coulomb", "offset")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wings"], "no changeable 'wings'"),
        (["load:nowhere"], "no frame 'nowhere'"),
        (["friction", "viscous_joint1"], "changeable twice"),
        (["gravity", "gravity"], "changeable twice"),
    ],
)
def test_wrong_words(words, message):
    with pytest.raises(tq.ArgumentError, match=message):
        parameter_groups(tq.classics.puma260(), words)
