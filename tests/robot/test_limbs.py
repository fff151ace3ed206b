"""Limbs of a robot with a free base are robots whose torques add up to those of the whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.proof.walkers import RATES, box_of, states, walker

from torquec import classics
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import RobotError
from torquec.robot.joints import JointType
from torquec.robot.limbs import carried_limbs, limb_joints
from torquec.robot.robot import BASE, Mimic
from torquec.spatial import Inertia, Pose, unit_quaternion_rotation


@pytest.mark.parametrize("seed", range(4))
def test_torques_of_limbs_add_up_to_those_of_the_whole(seed):
    robot = walker(seed, (1, 3, 2))
    shares = [Inertia(m=3.0, mx=0.2, xx=0.1), Inertia(), Inertia(m=-1.0)]
    taken = (shares[0] + shares[2]).parameters
    shares[1] = Inertia(*(a - b for a, b in zip(robot.bodies[0].inertia.parameters, taken, strict=True)))
    for q, qd, qdd in zip(*states(robot, box_of(robot), 5), strict=True):
        turn = np.array(unit_quaternion_rotation(q[3:7].tolist()))
        felt = qdd[:3] + np.cross(qd[3:6], qd[:3]) - turn.T @ np.array(robot.gravity)
        total = np.zeros(robot.nv)
        for limb, joints in zip(carried_limbs(robot, shares), limb_joints(robot), strict=True):
            own = list(joints)
            motion = ([7.0] * RATES, q[[k + 1 for k in own]]), ([7.0] * 3, qd[3:6], qd[own]), (felt, qdd[3:6], qdd[own])
            tau = np.array(inverse_dynamics(limb, *(np.concatenate(each).tolist() for each in motion)))
            total[:RATES] += tau[:RATES]
            total[own] = tau[RATES:]
        assert total == pytest.approx(
            inverse_dynamics(robot, q.tolist(), qd.tolist(), qdd.tolist()), rel=1e-11, abs=1e-11
        )


def test_joints_of_limbs_whose_bodies_take_turns():
    assert limb_joints(walker(0, (2, 1, 3))) == ((6, 9), (7,), (8, 10, 11))


def test_the_first_limb_has_the_base_by_default():
    robot = walker(0, (1, 1))
    first, second = carried_limbs(robot)
    assert first.bodies[0].inertia == robot.bodies[0].inertia
    assert second.bodies[0].inertia == Inertia()
    assert first.nq == first.nv == 7


def _changed(robot, number, **changes):
    body = robot.bodies[number]
    joint = replace(body.joint, **{key: value for key, value in changes.items() if key != "parent"})
    bodies = list(robot.bodies)
    bodies[number] = replace(body, joint=joint, parent=changes.get("parent", body.parent))
    return replace(robot, bodies=tuple(bodies))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ((0, {"placement": Pose(origin=(0.0, 0.0, 1.0))}), "not placed in the axes of the world"),
        ((2, {"parent": BASE}), "not on one free joint"),
        ((2, {"type": JointType.BALL}), "has several coordinates"),
        ((2, {"mimic": Mimic("joint00")}), "follows a joint of another limb"),
    ],
)
def test_other_robots_are_refused_with_the_reason(changes, reason):
    robot = replace(walker(0, (1, 1), mimic=False), drives=type(walker(0).drives)())
    with pytest.raises(RobotError, match=reason):
        limb_joints(_changed(robot, changes[0], **changes[1]))


def test_a_fixed_base_and_a_motor_of_two_limbs_are_refused():
    with pytest.raises(RobotError, match="not on one free joint"):
        carried_limbs(classics.puma560())
    robot = walker(0, (1, 1))
    row = robot.drives.transmission[0]
    coupled = replace(robot.drives, transmission=((*row[:-1], 2.0), robot.drives.transmission[1]))
    with pytest.raises(RobotError, match="turns joints of two limbs"):
        carried_limbs(replace(robot, drives=coupled))
