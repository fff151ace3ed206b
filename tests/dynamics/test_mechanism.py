"""Mechanism: coordinates, the unit of length, turns, placements."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms

from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Coordinate, Grouping, Turn, coordinates, mechanism, place
from torquec.errors import RobotError
from torquec.robot import classics
from torquec.spatial import Inertia, matmul, matvec, rotation_x, rotation_z, transpose


def test_mimic_joints_follow_their_coordinate():
    assert coordinates(arms.gripper(multiplier=-2.0, offset=0.1)) == (Coordinate(0), Coordinate(0, -2.0, 0.1))
    follower = Coordinate(1, -2.0, 0.1)
    assert follower.position([9.0, 0.3]) == pytest.approx(-0.5)
    assert follower.rate([9.0, 0.3]) == pytest.approx(-0.6)


def test_lengths_are_measured_in_the_first_offset():
    arm = classics.planar3r()
    plain, own = mechanism(arm, Grouping.NONE), mechanism(arm)
    assert plain.length == 1.0
    first = next(abs(e) for link in plain.links[1:] for e in (*link.pre.origin, link.d) if e != 0.0)
    assert own.length == first
    assert own.links[1].pre.origin == (1.0, 0.0, 0.0)
    assert own.gravity == pytest.approx([g / first for g in plain.gravity])


def test_with_a_prismatic_joint_the_metre_stays():
    assert mechanism(classics.stanford()).length == 1.0


def test_turn_is_pre_then_about_z():
    c, s = math.cos(0.4), math.sin(0.4)
    pre = rotation_x(math.cos(1.1), math.sin(1.1))
    turn, v = Turn(pre, c, s), (1.0, -2.0, 3.0)
    whole = matmul(pre, rotation_z(c, s))
    assert turn.out(v) == pytest.approx(matvec(whole, v), abs=1e-15)
    assert turn.back(v) == pytest.approx(matvec(transpose(whole), v), abs=1e-15)
    assert turn.axis == tuple(row[2] for row in pre)


def test_prismatic_link_slides_along_its_axis():
    m = mechanism(arms.slider_on_turntable())
    near, far = (place(m, [0.0, r])[1].origin for r in (0.2, 0.7))
    assert np.linalg.norm(np.subtract(far, near)) == pytest.approx(0.5, abs=1e-15)
    assert place(m, [0.0, 0.2])[1].turn == place(m, [0.0, 0.7])[1].turn


def test_inertias_can_be_given():
    arm = arms.pendulum()
    m = mechanism(arm, Grouping.NONE, inertias=[Inertia(m=3.0)])
    assert m.moments == (MassMoments(m=3.0),)


def test_robot_without_inertias_is_refused():
    arm = arms.pendulum()
    bare = replace(arm, bodies=(replace(arm.bodies[0], inertia=Inertia(), lacking_inertia=("rod",)),))
    with pytest.raises(RobotError, match="these links have no inertia: rod"):
        mechanism(bare)
