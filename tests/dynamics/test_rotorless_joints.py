"""Joints without rotors whose torque limits are absurd for what they move are found, and no others."""

from __future__ import annotations

import dataclasses

import pytest

import torquec as tq
from torquec.dynamics.rotorless_joints import rotorless_joints, rotorless_text
from torquec.robot.robot import Drives, Motor


def strong_elbow(effort):
    arm = tq.classics.planar2r()
    first, last = arm.bodies
    limits = dataclasses.replace(last.joint.limits, effort=effort)
    body = dataclasses.replace(last, joint=dataclasses.replace(last.joint, limits=limits))
    return dataclasses.replace(arm, bodies=(first, body), drives=Drives((), ()))


def test_the_limit_is_a_ratio_of_torque_to_inertia():
    arm = strong_elbow(100.0)
    own = tq.compile(arm).mass_matrix([0.3, 0.4])[1, 1]  # of the last joint, the same everywhere
    assert rotorless_joints(strong_elbow(0.9e4 * own)) == ()
    (found,) = rotorless_joints(strong_elbow(1.1e4 * own))
    assert found.name == arm.joint_names[1]
    assert found.inertia == pytest.approx(own)
    text = rotorless_text(strong_elbow(1.1e4 * own))
    assert found.name in text
    assert "docs/drives.md" in text


def test_a_rotor_that_is_known_is_trusted():
    arm = strong_elbow(1e6)
    geared = dataclasses.replace(arm, drives=Drives((Motor("m", rotor_inertia=1e-6),), ((0.0, 50.0),)))
    assert rotorless_joints(arm)
    assert rotorless_joints(geared) == ()


@pytest.mark.parametrize("name", tq.classics.names())
def test_nothing_is_said_of_the_classics(name):
    assert rotorless_text(tq.classics.load_classic(name)) == ""
