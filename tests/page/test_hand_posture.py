"""Where the joints of a page start: within limits, and where the hand is free to move."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from torquec.expr import evaluate
from torquec.model.model import Model
from torquec.page.hand_posture import bent_posture, free_posture
from torquec.page.view_functions import view_hands
from torquec.robot import classics


@pytest.mark.parametrize("name", ["planar3r", "puma560", "stanford", "scara"])
def test_the_hand_is_free_where_a_page_starts(name):
    robot = getattr(classics, name)()
    hands = view_hands(Model(robot))
    q = np.array(bent_posture(robot, hands))
    for joint, value in zip(robot.joints, q, strict=True):
        assert joint.limits.lower <= value <= joint.limits.upper
    jacobian = np.asarray(evaluate(hands[0].jacobian, {"q": q})["J"])[:3]
    values = np.linalg.svd(jacobian, compute_uv=False)
    assert values[hands[0].rank - 1] > 0.05 * values[0]


def test_a_robot_with_several_hands_stands_as_its_file_has_it():
    robot = classics.puma560()
    hands = view_hands(Model(robot))
    limits = dataclasses.replace(robot.bodies[0].joint.limits, lower=0.2, upper=2.0)
    body = dataclasses.replace(robot.bodies[0], joint=dataclasses.replace(robot.bodies[0].joint, limits=limits))
    q = bent_posture(dataclasses.replace(robot, bodies=(body, *robot.bodies[1:])), hands * 2)
    assert q == [0.2, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_free_posture_is_away_from_limits_and_singularities():
    robot = classics.puma560()
    (hand,) = view_hands(Model(robot))
    q = np.array(free_posture(robot, hand))
    room = [min(v - j.limits.lower, j.limits.upper - v) for j, v in zip(robot.joints, q, strict=True)]
    assert min(room) > 0.3
    jacobian = np.asarray(evaluate(hand.jacobian, {"q": q})["J"])
    assert np.linalg.svd(jacobian, compute_uv=False)[-1] > 0.1
