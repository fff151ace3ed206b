"""Where joints start: at zero where that is a place to be, else within the limits."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

import torquec as tq
from torquec.errors import ArgumentError, TorquecError
from torquec.robot import classics
from torquec.robot.robot import JointType
from torquec.robot.start_posture import start_posture

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"


def with_first(robot, lower, upper, **changes):
    """The robot with other limits of its first joint."""
    joint = robot.bodies[0].joint
    limits = dataclasses.replace(joint.limits, lower=lower, upper=upper)
    body = dataclasses.replace(robot.bodies[0], joint=dataclasses.replace(joint, limits=limits, **changes))
    return dataclasses.replace(robot, bodies=(body, *robot.bodies[1:]))


@pytest.mark.parametrize(
    ("lower", "upper", "place"),
    [
        (-1.0, 2.0, 0.0),
        (1.0, 2.0, 1.5),  # zero is no place of this joint
        (0.0, 2.0, 1.0),  # zero is its limit
        (-0.1, 2.0, 0.95),  # zero is next to it
        (-math.inf, math.inf, 0.0),
        (0.5, math.inf, 0.5),
        (-math.inf, -0.5, -0.5),
    ],
)
def test_a_joint_starts_at_zero_or_between_its_limits(lower, upper, place):
    np.testing.assert_allclose(start_posture(with_first(classics.planar2r(), lower, upper)), [place, 0.0])


def test_a_joint_that_turns_around_has_no_limits():
    robot = with_first(classics.planar2r(), 1.0, 2.0, type=JointType.CONTINUOUS)
    assert start_posture(robot) == [0.0, 0.0]


def test_a_posture_that_is_given():
    robot = classics.planar2r()
    assert start_posture(robot, [0.25, -1.0]) == [0.25, -1.0]
    for wrong in ([0.0], [0.0, math.nan]):
        with pytest.raises(ArgumentError, match="2 finite positions"):
            start_posture(robot, wrong)


@pytest.mark.skipif(not MODELS.is_dir(), reason="there are no collected robots")
def test_collected_robots_start_within_their_limits():
    outside = 0
    for path in sorted(MODELS.glob("*.*")):
        try:
            robot = tq.load(path)
        except TorquecError:
            continue  # files that are wrong, or are no robots
        limits = [joint.limits for joint in robot.joints]
        outside += any(not limit.lower <= 0.0 <= limit.upper for limit in limits)
        for limit, place in zip(limits, start_posture(robot), strict=True):
            assert limit.lower <= place <= limit.upper, path.name
    assert outside >= 5  # of them cannot be at zero
