"""Robots whose angles are nearly right ones: the bound of what snapping changes, beside the file as written.

The file's own torques come from another algorithm on other frames (`file_frames`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.proof.file_frames import nearly_right_robot, torques_on_file_frames

from torquec.expr import evaluate
from torquec.model.quantities import trace_quantity
from torquec.proof.torque.snap_bound import snap_bound
from torquec.trajectory.motion_box import MotionBox


def largest_part_of_the_bound(seed):
    """The largest change of a torque that was found, as a part of what is allowed."""
    rng = np.random.default_rng(seed)
    robot = nearly_right_robot(rng)
    lower = tuple(-0.5 if joint.type.is_prismatic else -2.0 for joint in robot.joints)
    upper = tuple(0.7 if joint.type.is_prismatic else 2.5 for joint in robot.joints)
    q = rng.uniform(lower, upper, (4000, robot.n))
    qd, qdd = rng.choice([-2.0, 2.0], q.shape), rng.choice([-5.0, 5.0], q.shape)
    written = torques_on_file_frames(robot, q, qd, qdd)
    size = np.abs(written).max()

    def off(own):
        return np.abs(
            evaluate(trace_quantity(own, "inverse_dynamics"), {"q": q, "qd": qd, "qdd": qdd})["tau"] - written
        ).max(axis=0)

    assert off(replace(robot, snap=False)).max() < 1e-11 * size
    bound = np.array(snap_bound(robot, MotionBox(lower, upper, (2.0,) * robot.n, (5.0,) * robot.n)))
    return float((off(robot) / (bound + 1e-12 * size)).max())


@pytest.mark.parametrize("seed", range(4))
def test_snapped_torques_are_within_the_bound(seed):
    assert largest_part_of_the_bound(seed) <= 1.0


@pytest.mark.slow
def test_snapped_torques_of_two_hundred_robots_are_within_the_bound():
    parts = [largest_part_of_the_bound(seed) for seed in range(100, 300)]
    assert max(parts) <= 1.0
    assert max(parts) > 0.9  # nothing is given away
