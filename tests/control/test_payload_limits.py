"""The largest mass in the hand: textbook answers, agreement with loaded robots, and what limits it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import torquec as tq
from torquec.control.payload_limits import payload_limits
from torquec.control.payload_torque import LimitStanding
from torquec.control.uncertainty import JointUncertainty, Uncertainty
from torquec.dynamics import total_torque
from torquec.errors import ArgumentError
from torquec.robot.classics import load_classic
from torquec.robot.friction import Friction
from torquec.robot.payload import attach_payload


def arm(efforts=(60.0, 20.0), **friction):
    """The planar arm with other drives and friction."""
    robot = load_classic("planar2r")
    bodies = []
    for body, effort in zip(robot.bodies, efforts, strict=True):
        limits = dataclasses.replace(body.joint.limits, effort=effort)
        joint = dataclasses.replace(body.joint, limits=limits, friction=Friction.of(friction))
        bodies.append(dataclasses.replace(body, joint=joint))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def stretched(robot):
    """Torques (n,) of the arm that is held out horizontally, and those of one kilogram more at its hand."""
    frame = tq.compile(robot).robot.frames[-1].name
    q = np.linspace(-np.pi, np.pi, 721)
    grid = np.stack([part.ravel() for part in np.meshgrid(q, q)], axis=1)
    empty = tq.compile(robot).gravity_torque(grid)
    loaded = tq.compile(attach_payload(robot, frame, mass=1.0, name="one")).gravity_torque(grid)
    return frame, np.abs(empty).max(axis=0), np.abs(loaded - empty).max(axis=0)


def test_an_arm_that_is_held_out_horizontally():
    robot = arm()
    frame, empty, unit = stretched(robot)
    found = payload_limits(robot, frame=frame)
    expected = ((np.array([60.0, 20.0]) - empty) / unit).min()
    assert found.standing is LimitStanding.PROVEN
    assert found.torque.joint == robot.joint_names[int(np.argmin((np.array([60.0, 20.0]) - empty) / unit))]
    assert 0.998 * expected < found.torque.kg <= expected * (1.0 + 1e-9)
    assert (found.kg, found.by) == (found.torque.kg, "torque")
    assert found.guarantee.kg is None


@pytest.mark.parametrize("uncertain", [False, True])
def test_friction_and_weak_drives_count(uncertain):
    robot = arm(coulomb=2.0)
    frame, empty, unit = stretched(robot)
    sets = (
        Uncertainty(JointUncertainty(friction_part=0.5, friction_residual=0.3, torque_part=0.1)) if uncertain else None
    )
    friction, residual, share = (3.0, 0.3, 0.9) if uncertain else (2.0, 0.0, 1.0)
    expected = ((share * np.array([60.0, 20.0]) - residual - friction - empty) / unit).min()
    found = payload_limits(robot, frame=frame, uncertainty=sets).torque.kg
    assert 0.998 * expected < found <= expected * (1.0 + 1e-9)


@pytest.mark.parametrize("name", ["planar2r", pytest.param("puma560", marks=pytest.mark.slow)])
def test_a_mass_along_a_motion_is_where_a_drive_reaches_its_limit(name):
    robot = arm((200.0, 100.0)) if name == "planar2r" else load_classic(name)
    goal = [0.5, -0.4, 0.8, 0.3, 0.5, 0.2][: robot.n]
    motion = tq.minimum_jerk([0.0] * robot.n, goal, 0.8, joints=robot.joint_names, period=0.002)
    found = payload_limits(robot, motion, period=0.002)
    efforts = np.array([joint.limits.effort for joint in robot.joints])

    def part(mass):
        loaded = attach_payload(robot, found.frame, mass=mass, name="load")
        rows = zip(motion.q[1:-1], motion.qd[1:-1], motion.qdd[1:-1], strict=True)
        return max(np.abs(total_torque(loaded, *row) / efforts).max() for row in rows)

    assert found.standing is LimitStanding.MOTION
    assert part(0.999 * found.torque.kg) < 1.0 < part(1.001 * found.torque.kg)
    assert found.torque.kg < found.stability.kg
    assert found.by == "guarantee"
    assert 0.0 < found.kg < found.torque.kg
    for mass, valid in ((found.kg, True), (1.1 * found.kg, False)):
        sets = Uncertainty(payload=tq.PayloadUncertainty(found.frame, (0.0, mass)))
        assert tq.tracking_guarantee(robot, -20.0, motion, period=0.002, uncertainty=sets).valid is valid


def test_a_stated_error_makes_the_mass_smaller():
    robot = arm((400.0, 200.0))
    motion = tq.minimum_jerk([0.0, 0.0], [0.5, -0.4], 1.0, joints=robot.joint_names, period=0.002)
    free = payload_limits(robot, motion, period=0.002)
    close = payload_limits(robot, motion, period=0.002, largest_error=0.02)
    assert 0.0 < close.guarantee.kg < free.guarantee.kg
    assert "more than 0.02" in close.guarantee.reason
    assert close.guarantee.joint in robot.joint_names


def test_no_limit_and_no_room():
    free = payload_limits(arm((np.inf, np.inf)))
    assert free.torque.kg is None
    assert "no torque limit" in free.torque.reason
    weak = payload_limits(arm((5.0, 20.0)))
    assert (weak.kg, weak.by, weak.torque.joint) == (0.0, "torque", "joint1")
    assert "without a payload already" in weak.torque.reason
    document = weak.to_document()
    assert document["answer"] == {"kg": 0.0, "by": "torque"}
    assert set(document["limits"]) == {"torque", "guarantee", "stability"}


def test_a_model_has_the_limits_of_its_robot():
    robot = arm()
    model = tq.compile(robot)
    assert payload_limits(model).torque == payload_limits(robot).torque


def test_closed_loops_have_no_guarantee():
    arm = tq.load(Path(__file__).parents[2] / "examples" / "closed_loops" / "four_bar.urdf")
    motion = tq.minimum_jerk([0.0], [0.1], 1.0, joints=arm.joint_names)
    found = payload_limits(arm, motion, efforts=[500.0])
    assert found.guarantee.kg is None
    assert "closure of loops" in found.guarantee.reason
    assert (found.by, found.torque.kg) == ("torque", pytest.approx(found.kg))
    assert not tq.tracking_guarantee(arm, -20.0, motion).valid


def test_misuse():
    with pytest.raises(ArgumentError, match="largest error"):
        payload_limits(arm(), largest_error=0.0)
    with pytest.raises(ArgumentError, match="efforts"):
        payload_limits(arm(), efforts=[1.0])
    with pytest.raises(Exception, match="nowhere"):
        payload_limits(arm(), frame="nowhere")
