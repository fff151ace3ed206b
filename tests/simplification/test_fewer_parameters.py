"""Fewer parameters: cheaper programs whose worst error, found on the exact residual, stays within the tolerance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from torquec.dynamics.mechanism import mechanism
from torquec.errors import RobotError, TimeLimitError
from torquec.expr import count_operations
from torquec.proof.torque.certify import certify
from torquec.robot.classics import load_classic
from torquec.robot.robot import Drives
from torquec.simplification.fewer_parameters import fewer_parameters
from torquec.simplification.moment_costs import torque_program
from torquec.trajectory.motion_box import MotionBox


def test_stanford_wrist_is_left_out():
    robot = replace(load_classic("stanford"), drives=Drives())
    box = MotionBox((-1.0, -1.0, 0.2, -1.0, -1.0, -1.0), (1.0, 1.0, 0.8, 1.0, 1.0, 1.0), (0.5,) * 6, (1.0,) * 6)
    tolerance = (1.0, 3.0, 3.0, 0.4, 0.4, 0.4)
    fewer = fewer_parameters(robot, box, tolerance)
    exact = torque_program(mechanism(robot))
    assert fewer.operations.mul + fewer.operations.add < 0.8 * (
        count_operations(exact).mul + count_operations(exact).add
    )
    assert len(fewer.kept) < fewer.all_parameters
    assert np.all(np.array(fewer.found) <= tolerance)
    certificate = certify(robot, exact, fewer.function, box, limits=tolerance)
    assert all(proof.bound <= limit for proof, limit in zip(certificate.joints.values(), tolerance, strict=True))


def test_nothing_can_be_left_out_of_a_tight_tolerance():
    robot = replace(load_classic("planar2r"), drives=Drives())
    box = MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (1.0,) * 2)
    fewer = fewer_parameters(robot, box, (1e-6, 1e-6))
    assert fewer.operations == count_operations(torque_program(mechanism(robot)))


def test_a_tolerance_of_zero_is_refused():
    robot = replace(load_classic("planar2r"), drives=Drives())
    box = MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (1.0,) * 2)
    with pytest.raises(RobotError, match="tolerance"):
        fewer_parameters(robot, box, (0.0, 1.0))


def test_a_search_that_is_stopped_among_exchanges_gives_what_was_good_enough_before(monkeypatch):
    robot = replace(load_classic("scara"), drives=Drives())
    box = MotionBox((-1.0, -1.0, 0.0, -1.0), (1.0, 1.0, 0.2, 1.0), (1.0,) * 4, (3.0,) * 4)

    def late(*_):
        raise TimeLimitError("the time limit is reached")

    monkeypatch.setattr("torquec.simplification.moment_search.MomentSearch._swapped", late)
    tolerance = (0.5, 0.5, 2.0, 0.05)
    stopped = fewer_parameters(robot, box, tolerance)
    assert len(stopped.kept) < stopped.all_parameters
    assert np.all(np.array(stopped.found) <= tolerance)


def test_a_search_that_is_stopped_at_once_has_one_fit():
    def late(*_):
        raise TimeLimitError("the time limit is reached")

    robot = replace(load_classic("planar2r"), drives=Drives())
    box = MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (1.0,) * 2)
    assert np.all(np.array(fewer_parameters(robot, box, (0.5, 0.5), meter=late).found) <= 0.5)
