"""`torquec bench`: who takes part, agreement before timing, the keys of the document. No times are judged."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import LINK

from torquec.foundation.stopwatch import race
from torquec.project import peers
from torquec.robot import JointType, Mimic, classics


def test_json(torquec, arm):
    document = torquec("bench", arm, "--rounds", "1", "--json").document
    assert {"rows", "cpu", "versions"} <= set(document)
    ours = [row for row in document["rows"] if row["contestant"] == "torquec"]
    assert {row["function"] for row in ours} >= {"inverse_dynamics", "mass_matrix", "forward_dynamics"}
    assert all(row["ratio"] == 1.0 and row["ns"] > 0 for row in ours)
    assert document["disagreements"] == []


def test_installed_peers_take_part(torquec, arm):
    pytest.importorskip("pinocchio")
    document = torquec("bench", arm, "--rounds", "1", "--json").document
    rows = {(row["function"], row["contestant"]): row for row in document["rows"]}
    row = rows["inverse_dynamics", "pinocchio"]
    assert row["ratio"] == pytest.approx(row["ns"] / rows["inverse_dynamics", "torquec"]["ns"])
    assert document["versions"]["pinocchio"]


def test_a_peer_that_disagrees_is_not_timed_and_the_check_fails(torquec, arm, monkeypatch):
    def wrong(robot, _path):
        return peers.Peer("wrong", "1", {"inverse_dynamics": lambda q, qd, qdd: q + 1.0}, np.arange(robot.n))

    monkeypatch.setattr(peers, "_PEERS", (("wrong", "json", wrong),))
    outcome = torquec("bench", arm, "--rounds", "1")
    assert outcome.status == 1
    assert "CHECK FAILED: wrong differs in inverse_dynamics" in outcome.out


def test_a_peer_that_cannot_load_the_robot_says_why(monkeypatch):
    def refusing(_robot, _path):
        raise ValueError("I only know hexapods")

    monkeypatch.setattr(peers, "_PEERS", (("refusing", "json", refusing), ("gone", "no_such_module", refusing)))
    assert peers.find_peers(classics.planar2r()) == [
        peers.Absent("refusing", "I only know hexapods"),
        peers.Absent("gone", "not installed"),
    ]


def test_peers_get_no_motors_friction_or_turning_without_end():
    robot = peers.comparable(classics.puma560())
    assert robot.drives.motors == ()
    continuous = dataclasses.replace(robot.bodies[0].joint, type=JointType.CONTINUOUS)
    changed = dataclasses.replace(robot, bodies=(dataclasses.replace(robot.bodies[0], joint=continuous),))
    assert peers.comparable(changed).bodies[0].joint.type is JointType.REVOLUTE


def test_of_mimic_joints_only_what_a_peer_does_exactly_is_compared():
    pytest.importorskip("pinocchio")
    robot = classics.planar2r()
    follower = dataclasses.replace(robot.bodies[1].joint, mimic=Mimic(robot.bodies[0].joint.name, 0.5))
    coupled = dataclasses.replace(robot, bodies=(robot.bodies[0], dataclasses.replace(robot.bodies[1], joint=follower)))
    found = {peer.name: peer for peer in peers.find_peers(peers.comparable(coupled))}
    assert set(found["pinocchio"].calls) == {"inverse_dynamics", "mass_matrix", "gravity_torque"}
    assert isinstance(found["mujoco"], peers.Absent)


def test_a_race_times_every_contestant():
    timings = race({"a": lambda: None, "b": lambda: sum(range(100))}, rounds=2)
    assert set(timings) == {"a", "b"}
    assert all(0 < timing.minimum <= timing.median for timing in timings.values())


def test_peers_agree_on_a_floating_base(torquec, arm):
    pytest.importorskip("pinocchio")
    arm.write_text(arm.read_text().replace('<link name="base"/>', LINK.format(name="base")))
    document = torquec("bench", arm, "--base", "floating", "--rounds", "1", "--json").document
    assert document["disagreements"] == []
    timed = {(row["function"], row["contestant"]) for row in document["rows"]}
    assert ("inverse_dynamics_derivatives", "pinocchio") in timed
    if "mujoco" not in document["absent"]:
        assert {("inverse_dynamics", "mujoco"), ("forward_dynamics", "mujoco")} <= timed


def test_closed_loops_are_timed_and_peers_say_why_not(torquec):
    mechanism = Path(__file__).parents[2] / "examples" / "closed_loops" / "four_bar.urdf"
    document = torquec("bench", mechanism, "--rounds", "1", "--json").document
    assert {row["contestant"] for row in document["rows"]} == {"torquec"}
    assert set(document["absent"].values()) == {"gets the robot as a URDF, which has no loops"}


@pytest.mark.slow
def test_self_test_of_a_floating_base(torquec, arm):
    arm.write_text(arm.read_text().replace('<link name="base"/>', '<link name="world"/>' + LINK.format(name="base")))
    free = '<joint name="float" type="floating"><parent link="world"/><child link="base"/></joint></robot>'
    arm.write_text(arm.read_text().replace("</robot>", free))
    outcome = torquec("selftest", arm)
    assert outcome.status == 0
    assert "everything agrees" in outcome.out
