"""The record of friction parameters, and robot hashes that do not change with optional fields."""

from __future__ import annotations

from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.robot.robot import Joint, JointType

HASH_OF_STANFORD = "d2f387e4"
"""First digits; certificates and cached results name the hash, so it may never change."""


def test_empty_fields_are_left_out():
    assert "further" not in repr(Friction())
    assert "further=(('stribeck_negative', 0.5)," in repr(Friction.of({"stribeck": 0.5, "stribeck_speed": 0.1}))
    assert "counterbalances" not in repr(Joint("a", JointType.CONTINUOUS))


def test_hash_of_a_robot_stays():
    assert classics.stanford().content_hash.startswith(HASH_OF_STANFORD)
