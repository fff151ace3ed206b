import numpy as np
import pytest

from torquec.errors import RobotError
from torquec.haptics.haptic_posture import default_posture, follows, unrendered
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot import classics

ANGLES = np.linspace(0.0, 2.0 * np.pi, 60)


def circle(radius):
    rows = np.zeros((60, 7))
    rows[:, 0], rows[:, 1], rows[:, 3] = radius * (np.cos(ANGLES) - 1.0), radius * np.sin(ANGLES), 1.0
    return rows


@pytest.mark.parametrize("name", ["puma560", "scara", "stanford"])
def test_a_posture_that_follows_the_path(name):
    ik = inverse_kinematics(getattr(classics, name)())
    q = default_posture(ik, circle(0.05), duration=2.0)
    assert follows(ik, q, circle(0.05), duration=2.0)
    assert all(joint.limits.lower < x < joint.limits.upper for joint, x in zip(ik.robot.joints, q, strict=True))


def test_a_path_that_no_arm_has_is_refused():
    ik = inverse_kinematics(classics.puma560())
    with pytest.raises(RobotError, match="no posture of robot 'puma560'"):
        default_posture(ik, circle(1.0), duration=2.0)


def test_a_path_faster_than_the_joints_is_refused():
    ik = inverse_kinematics(classics.puma560())
    q = np.array([-1.3, 0.0, 0.3, 0.35, -0.5, -1.6])
    assert follows(ik, q, circle(0.05), duration=2.0)
    assert not follows(ik, q, circle(0.05), duration=0.05)


def test_what_an_arm_cannot_do_is_said():
    assert unrendered(inverse_kinematics(classics.puma560()), np.array([0.3, -0.9, 3.0, 0.4, -0.9, 0.2])) == []
    scara = inverse_kinematics(classics.scara())
    q = default_posture(scara, circle(0.05), duration=2.0)
    assert unrendered(scara, q) == ["turning about x", "turning about y"]
    # A straight wrist and a straight elbow: directions that are lost there only.
    straight = unrendered(inverse_kinematics(classics.puma560()), np.array([0.3, -0.9, 3.0, 0.4, 0.0, 0.2]))
    assert straight
