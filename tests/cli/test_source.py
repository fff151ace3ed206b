"""The model that a command is about: what a payload and a lock make of the robot, and what they are refused for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import torquec as tq
from torquec.cli.source import ModelSource, is_model_file, locked, with_payload
from torquec.errors import ArgumentError
from torquec.robot import classics

CENTER = (0.1, 0.2, 0.3)


def test_a_payload_weighs_where_it_is_held():
    """What gravity adds is the slope of the payload's energy, g = dU/dq."""
    arm = classics.puma560()
    bare, held = tq.compile(arm), tq.compile(with_payload(arm, "link4:2,0.1,0.2,0.3"))
    q = np.linspace(-1.0, 1.0, 6)

    def energy(q):
        rotation, origin = (np.asarray(part) for part in bare.frame_pose("link4")(q))
        return -2.0 * np.dot(arm.gravity, rotation @ CENTER + origin)

    step = 1e-6 * np.eye(6)
    slope = [(energy(q + e) - energy(q - e)) / 2e-6 for e in step]
    assert np.abs(slope).max() > 1.0
    assert held.gravity_torque(q) - bare.gravity_torque(q) == pytest.approx(slope, abs=1e-6)


def test_payloads_get_names_that_are_free():
    arm = with_payload(with_payload(classics.puma560(), "link6:1"), "link6:1")
    assert [frame.name for frame in arm.frames[-2:]] == ["payload", "payload2"]


def test_a_locked_joint_is_gone_and_the_others_feel_it():
    arm = classics.planar2r()
    held = locked(arm, ["joint2=90"], degrees=True)
    assert held.joint_names == ("joint1",)
    whole, rest = tq.compile(arm), tq.compile(held)
    assert rest.mass_matrix([0.3])[0, 0] == pytest.approx(whole.mass_matrix([0.3, math.pi / 2])[0, 0])
    assert (
        locked(arm, ["joint2=1"]).content_hash
        == locked(arm, [f"joint2={math.degrees(1.0)!r}"], degrees=True).content_hash
    )


def test_locked_slides_are_in_metres_even_with_degrees():
    arm = classics.scara()
    slide = next(joint.name for joint in arm.joints if joint.type.is_prismatic)
    assert locked(arm, [f"{slide}=-0.1"], degrees=True).content_hash == locked(arm, [f"{slide}=-0.1"]).content_hash


def test_what_is_read_is_changed_in_the_same_way_for_every_argument(tmp_path):
    source = ModelSource("puma560", payload=["link6:2"], lock=["joint5=0.5"])
    one = source.read()
    path = tmp_path / "arm.tq.json"
    tq.save(tq.as_model(classics.puma560()), path)
    with pytest.raises(ArgumentError, match="program for its own bodies only"):
        source.read(str(path))
    assert one.robot.content_hash == source.read("puma560").robot.content_hash
    assert one.robot.mass == pytest.approx(classics.puma560().mass + 2.0)
    assert one.robot.n == 5
    assert is_model_file(str(path))
    plain = ModelSource("puma560").read()
    assert plain.robot.content_hash == classics.puma560().content_hash


@pytest.mark.parametrize("options", [{"strict": True}, {"gravity": "0,0,0"}, {"snap": False}])
def test_a_saved_model_is_taken_as_it_is(tmp_path, options):
    path = tmp_path / "arm.tq.json"
    tq.save(tq.as_model(classics.planar2r()), path)
    with pytest.raises(ArgumentError, match="are for robot files"):
        ModelSource(str(path), **options).read()


@pytest.mark.parametrize(
    "text", ["link6", "link6:", ":2", "link6:x", "link6:1,2", "link6:-1", "link6:nan", "nowhere:1"]
)
def test_payloads_that_are_none(text):
    with pytest.raises(tq.TorquecError):
        with_payload(classics.puma560(), text)


def test_a_negative_mass_is_called_so():
    with pytest.raises(ArgumentError, match="--payload link6:-1: the mass is negative"):
        with_payload(classics.puma560(), "link6:-1")


@pytest.mark.parametrize(("texts", "words"), [
    (["joint1"], "--lock joint1"), (["joint1=a"], "--lock joint1=a"), (["joint1=0,1"], "--lock joint1=0,1"),
    (["joint1=0", "joint1=0"], "twice"), (["elbow=0"], "elbow"),
])  # fmt: skip
def test_locks_that_are_none(texts, words):
    with pytest.raises(tq.TorquecError, match=words):
        locked(classics.planar2r(), texts)
