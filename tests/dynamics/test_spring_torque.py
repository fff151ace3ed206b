"""Spring torque: stiffness, rest position, mimic joints."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.dynamics import arms

from torquec.dynamics import spring_torque
from torquec.robot.robot import Spring


def with_spring(robot, body, spring):
    bodies = list(robot.bodies)
    bodies[body] = replace(bodies[body], joint=replace(bodies[body].joint, spring=spring))
    return replace(robot, bodies=tuple(bodies))


def test_stiffness_times_stretch():
    assert spring_torque(with_spring(arms.pendulum(), 0, Spring(8.0, 0.1)), [0.6]) == pytest.approx([4.0], abs=1e-15)


def test_none_without_springs():
    assert spring_torque(arms.pendulum(), [0.6]) == [0.0]


def test_spring_on_a_mimic_joint():
    # The follower stands at -2 * 0.3 + 0.5 = -0.1, stretched by -0.3; felt through -2.
    pair = with_spring(arms.gripper(multiplier=-2.0, offset=0.5), 1, Spring(10.0, 0.2))
    assert spring_torque(pair, [0.3]) == pytest.approx([6.0], abs=1e-14)
