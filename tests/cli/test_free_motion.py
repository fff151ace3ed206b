"""`torquec simulate` of a robot with a floating base."""

from __future__ import annotations

import pytest
from tests.cli.conftest import ARM

RATES = "0.1,0,0,0.3,-0.2,0.1,0.2,0"


@pytest.fixture
def floating(tmp_path):
    """The two-link arm on a floating base."""
    path = tmp_path / "arm.urdf"
    tensor = '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/>'
    heavy = f'<link name="base"><inertial><mass value="5"/>{tensor}</inertial></link>'
    path.write_text(ARM.replace('<link name="base"/>', heavy))
    return path


def test_a_passive_robot_keeps_its_momentum(torquec, floating, tmp_path):
    csv = tmp_path / "run.csv"
    free = ("--base", "floating", "--gravity", "0,0,0", "--friction", "none")
    outcome = torquec("simulate", floating, *free, "--qd", RATES, "--duration", "1", "--csv", csv, "--json")
    document = outcome.document
    assert document["momentum"][1] == pytest.approx(document["momentum"][0], abs=1e-10)
    assert document["energy_range"] < 1e-10
    assert document["positions"][:4] == ["floating_base_x", "floating_base_y", "floating_base_z", "floating_base_qw"]
    assert len(document["q"][0]) == 9
    assert document["files"] == [str(csv)]
    assert len(csv.read_text().splitlines()) == 1002
    text = torquec("simulate", floating, *free, "--qd", RATES, "--duration", "1").out
    assert "passive" in text
    assert "angular momentum" in text


def test_servoed_joints_reach_their_goal(torquec, floating):
    motion = ("--to", "0.3,-0.2", "--duration", "1", "--poles", "30", "--friction", "none")
    document = torquec("simulate", floating, "--base", "floating", *motion, "--json").document
    assert document["controller"] == "servo"
    assert document["q"][1][-2:] == pytest.approx([0.3, -0.2], abs=1e-3)
    assert max(document["max_error"].values()) < 2e-3
    text = torquec("simulate", floating, "--base", "floating", *motion, "--deg").out
    assert "poles at -30 1/s" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--noise", "0.1"), "--noise is for robots on a fixed base"),
        (("--controller", "pd"), "--controller is for robots on a fixed base"),
        (("--to", "1"), "give one for each of shoulder, elbow"),
        (("--to", "1,2", "--trajectory", "x.csv"), "both --to and --trajectory"),
        (("--poles", "1,2"), "give one number for all joints"),
        (("--qd", "1,2"), "8 rates"),
        (("--from", "1,2"), "position of 2 numbers"),
    ],
)
def test_misuse(torquec, floating, words, message):
    outcome = torquec("simulate", floating, "--base", "floating", *words)
    assert outcome.status == 2
    assert message in " ".join(outcome.err.split())


def test_rates_at_the_start_are_for_floating_robots(torquec, arm):
    outcome = torquec("simulate", arm, "--to", "0.1,0.1", "--qd", "1,1")
    assert outcome.status == 2
    assert "--qd is the start of a floating robot" in outcome.err
