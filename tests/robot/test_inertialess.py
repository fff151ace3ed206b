"""Joints with nothing to move: found exactly where the mass matrix has a zero on its diagonal in every posture."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.robot import reference

from torquec.errors import RobotError
from torquec.robot.inertialess import inertialess_joint_names, inertialess_joints, massless_joints
from torquec.robot.robot import BASE, Body, Drives, Joint, JointType, Mimic, Motor, Robot
from torquec.spatial import Inertia, Pose, rpy_rotation

BALL = Inertia(0.1, 0.0, 0.0, 0.1, 0.0, 0.1, m=1.0)
NOTHING = Inertia()
DOT = Inertia(m=1.0)
"""A point mass on the axis of its own joint."""


def arm(*inertias, types=None, mimics=None, drives=None):
    """A chain of z joints, each 0.3 m along and a quarter turn about x from the one before."""
    types = types or [JointType.REVOLUTE] * len(inertias)
    placement = Pose(rpy_rotation(1.5, 0.0, 0.0), (0.3, 0.0, 0.0))
    bodies = [
        Body(f"b{k}", k - 1, Joint(f"j{k}", types[k], placement, mimic=(mimics or {}).get(k)), inertia)
        for k, inertia in enumerate(inertias)
    ]
    return Robot("arm", tuple(bodies), drives=drives or Drives())


def test_a_full_arm_passes():
    robot = arm(BALL, BALL, BALL)
    assert massless_joints(robot) == inertialess_joints(robot) == ()
    robot.check_forward_dynamics()


def test_a_massless_body_before_a_solid_one_passes():
    arm(NOTHING, NOTHING, BALL).check_forward_dynamics()


def test_a_massless_leaf_is_refused_by_name():
    with pytest.raises(RobotError, match=r"singular: there is no inertia at joint 'j2' \(body 'b2'\)"):
        arm(BALL, BALL, NOTHING).check_inertias()


def test_all_joints_below_the_last_mass_are_named():
    assert massless_joints(arm(BALL, NOTHING, NOTHING)) == ("joint 'j1' (body 'b1')", "joint 'j2' (body 'b2')")
    assert inertialess_joint_names(arm(BALL, NOTHING, NOTHING)) == ("j1", "j2")


def test_a_rotor_makes_up_for_a_massless_leaf():
    drives = Drives((Motor("m", 1e-4),), ((0.0, 0.0, 100.0),))
    arm(BALL, BALL, NOTHING, drives=drives).check_forward_dynamics()


def test_a_rotor_on_another_joint_does_not():
    drives = Drives((Motor("m", 1e-4),), ((0.0, 100.0, 0.0),))
    assert massless_joints(arm(BALL, BALL, NOTHING, drives=drives)) == ("joint 'j2' (body 'b2')",)


def test_a_mass_on_the_axis_stops_forward_dynamics_only():
    robot = arm(BALL, BALL, DOT)
    robot.check_inertias()
    with pytest.raises(RobotError, match="joint 'j2'"):
        robot.check_forward_dynamics()


def test_a_mass_that_leaves_the_axis_when_the_next_joint_moves_is_enough():
    turning = Joint("j0", JointType.REVOLUTE, axis=(0.0, 0.0, 1.0))
    tilting = Joint("j1", JointType.REVOLUTE, axis=(1.0, 0.0, 0.0))
    above = Inertia.from_center_of_mass(1.0, (0.0, 0.0, 1.0), ((0.0,) * 3,) * 3)
    Robot("t", (Body("b0", BASE, turning), Body("b1", 0, tilting, above))).check_forward_dynamics()


def test_a_sliding_mass_is_enough():
    types = [JointType.REVOLUTE, JointType.PRISMATIC]
    arm(BALL, DOT, types=types).check_forward_dynamics()
    weightless = dataclasses.replace(DOT, m=0.0, zz=1.0)
    assert inertialess_joints(arm(BALL, weightless, types=types)) == ("joint 'j1' (body 'b1')",)


def test_a_mimic_shares_the_inertia_of_its_leader():
    branch = arm(BALL, BALL, NOTHING, mimics={2: Mimic("j1")})
    branch.check_forward_dynamics()
    assert massless_joints(arm(BALL, NOTHING, NOTHING, mimics={2: Mimic("j1")})) == ("joint 'j1' (body 'b1')",)


def test_a_leader_without_inertia_is_saved_by_what_its_mimic_moves():
    leader = Body("b0", BASE, Joint("j0", JointType.REVOLUTE), NOTHING)
    follower = Body("b1", BASE, Joint("j1", JointType.REVOLUTE, mimic=Mimic("j0", -2.0)), BALL)
    Robot("pair", (leader, follower)).check_forward_dynamics()


def test_links_that_lack_their_inertia_are_named_first():
    bare = dataclasses.replace(arm(BALL, NOTHING).bodies[1], lacking_inertia=("b1", "tool"))
    robot = Robot("arm", (arm(BALL).bodies[0], bare))
    with pytest.raises(RobotError, match="these links have no inertia: b1, tool"):
        robot.check_inertias()


def test_agreement_with_the_diagonal_of_the_mass_matrix():
    rng = np.random.default_rng(3)
    for _ in range(60):
        count = int(rng.integers(1, 6))
        chosen = [(BALL, NOTHING, DOT)[k] for k in rng.integers(0, 3, count)]
        types = [(JointType.REVOLUTE, JointType.PRISMATIC)[k] for k in rng.integers(0, 2, count)]
        robot = arm(*chosen, types=types)
        diagonals = [np.diag(reference.mass_matrix(robot, q)) for q in rng.uniform(0.2, 1.2, (3, count))]
        zero = {f"joint 'j{k}' (body 'b{k}')" for k in range(count) if max(d[k] for d in diagonals) < 1e-12}
        assert set(inertialess_joints(robot)) == zero
