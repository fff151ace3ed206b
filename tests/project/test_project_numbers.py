"""Numbers of new projects: a load that the loop bears without knowing of it, for the reason that is told."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import torquec as tq
from torquec.control.laws import USUAL_POLES
from torquec.project.project_numbers import PART, example_load, torque_errors
from torquec.robot.robot import Drives, Motor


def arm(*, effort=1e4, shrink=1.0):
    """A planar arm whose last link has a part of its mass and inertia, and no rotors."""
    robot = tq.classics.planar2r()
    first, last = robot.bodies
    inertia = dataclasses.replace(
        last.inertia, **{f.name: shrink * getattr(last.inertia, f.name) for f in dataclasses.fields(last.inertia)}
    )
    bodies = (first, dataclasses.replace(last, inertia=inertia))
    limited = [
        dataclasses.replace(
            b, joint=dataclasses.replace(b.joint, limits=dataclasses.replace(b.joint.limits, effort=effort))
        )
        for b in bodies
    ]
    # The load lies at the tip: the last body's own frame is in its joint.
    robot = dataclasses.replace(robot, bodies=tuple(limited), drives=Drives())
    return robot, robot.frames[-1].name


def test_a_part_of_the_mass_where_nothing_else_is_less():
    robot, tip = arm()
    heavy = Drives((Motor("m1", 1e3), Motor("m2", 1e3)), ((1.0, 0.0), (0.0, 1.0)))
    robot = dataclasses.replace(robot, drives=heavy)
    assert example_load(robot, tip).mass == pytest.approx(0.05 * robot.moving_mass, rel=0.05)


def test_weak_drives_carry_less():
    robot, tip = arm(effort=0.5)
    load = example_load(robot, tip)
    assert "holds it with 10 % of its torque limit" in load.rule
    at = np.zeros((1, robot.n))
    more = tq.compile(tq.attach_payload(robot, tip, mass=load.mass)).gravity_torque(at)
    assert np.all(np.abs(more - tq.compile(robot).gravity_torque(at)) <= 0.11 * 0.5)


def test_links_without_rotors_are_not_turned_over():
    """What an RX160 without rotors had: 6.6 kg on a wrist that the feedback holds 0.58 kg with."""
    robot, tip = arm(shrink=0.3)
    load = example_load(robot, tip)
    assert "against poles at -20 its weight moves joint2 by 1 mrad" in load.rule
    own = tq.compile(robot).mass_matrix([0.0, 0.0])[1, 1]
    lever = np.linalg.norm(tq.compile(robot).jacobian(tip)([0.0, 0.0])[:3, 1])
    assert load.mass * 9.81 * lever / (USUAL_POLES**2 * own) == pytest.approx(1e-3, rel=0.1)


def test_smaller_errors_name_their_joints():
    found = torque_errors(arm(effort=30.0, shrink=1e-2)[0])
    assert found.smaller == ("joint2",)
    assert found.values[0] == pytest.approx(PART * 30.0)
    assert found.values[1] < 0.1 * PART * 30.0
    assert found.why.endswith("too far: at joint2.")
