"""Which arms have a closed-form inverse: the reason is that of the entry point, and accepted arms are solved so."""

from __future__ import annotations

import pytest
from tests.dynamics.random_robots import random_robot

from torquec.errors import RobotError, refusal
from torquec.kinematics.accepts import accepts
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.kinematics.iterative_kinematics import IterativeKinematics
from torquec.robot import classics


@pytest.mark.parametrize("name", ["puma560", "puma260", "stanford", "scara"])
def test_classic_arms_are_accepted_and_solved_in_closed_form(name):
    robot = getattr(classics, name)()
    assert accepts(robot) is None
    assert not isinstance(inverse_kinematics(robot), IterativeKinematics)


def test_a_planar_arm_has_no_closed_form_here():
    robot = classics.planar2r()
    reason = accepts(robot)
    assert reason is not None
    assert reason.startswith("no closed form is known for")
    with pytest.raises(RobotError) as raised:
        inverse_kinematics(robot, free=robot.joint_names[0])
    assert raised.value.found.split(":")[0] == reason.split(":")[0]
    assert reason.endswith("; poses are solved numerically instead")
    assert reason.count("does not have six joints") == 1


@pytest.mark.parametrize("seed", range(6))
def test_refused_frames_have_the_reason_of_the_entry_point(seed):
    robot = random_robot(seed)
    frame = robot.frames[-1].name
    reason = accepts(robot, frame)
    raised = refusal(lambda: inverse_kinematics(robot, frame))
    if raised is None:
        solver = inverse_kinematics(robot, frame)
        assert (reason is None) is (not isinstance(solver, IterativeKinematics))
    else:
        assert reason == raised
