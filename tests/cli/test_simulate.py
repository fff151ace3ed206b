"""`torquec simulate`: the keys of its document, files, what it says about trouble."""

from __future__ import annotations

import json

import numpy as np
import pytest

import torquec as tq


def test_the_document_has_the_agreed_keys(torquec):
    outcome = torquec("simulate", "puma560", "--resolution", "1e-4", "--frame", "link6", "--json")
    assert outcome.status == 0
    document = outcome.document
    joints = [f"joint{k}" for k in range(1, 7)]
    assert list(document["rmse"]) == list(document["max_error"]) == joints
    assert document["saturated"] == []
    assert document["steps"] == 750
    assert document["steps_per_second"] > 0.0
    assert 0.0 < document["tip"]["rmse"] <= document["tip"]["max"] < 3e-4


@pytest.mark.parametrize("law", ["pole-placement", "diagonal", "pd", "pid", "lqr", "open-loop", "open-loop-gravity"])
def test_every_law_runs(torquec, law):
    outcome = torquec("simulate", "puma560", "--controller", law, "--json")
    assert outcome.status == 0
    assert max(outcome.document["max_error"].values()) < 0.5


def test_a_motion_by_its_ends_and_files(torquec, arm, tmp_path):
    run = tmp_path / "run.csv"
    outcome = torquec(
        "simulate", arm, "--from", "-0.5,0.5", "--to", "0.5,-0.5", "--duration", "3", "--csv", run, "--deg"
    )
    assert outcome.status == 0
    assert f"wrote {run}" in outcome.err
    table = np.loadtxt(run.read_text().splitlines()[1:], delimiter=",")
    assert table[-1, 0] == pytest.approx(3.0)
    assert table[-1, 1] == pytest.approx(np.radians(0.5), abs=1e-4)


def test_limits_that_are_passed_are_told_of_one_run_and_of_many(torquec, arm, tmp_path):
    motion = ("--from", "0,0", "--to", "0,2.5", "--duration", "6", "--no-limits")
    one = torquec("simulate", arm, *motion)
    assert "elbow left its range at t = " in one.out
    many = torquec("simulate", arm, *motion, "--runs", "2", "-o", tmp_path / "many", "--json").document
    (left,) = many["passed_limits"]
    assert (left["joint"], left["quantity"], left["limit"]) == ("elbow", "position", 2.0)
    assert left["value"] == pytest.approx(2.5, abs=0.05)
    assert many["conditions"]["motion"]["to"] == [0.0, 2.5]


def test_a_payload_makes_larger_errors(torquec):
    plain = torquec("simulate", "puma560", "--json").document
    loaded = torquec("simulate", "puma560", "--plant-payload", "link6:2.5", "--json").document
    assert loaded["rmse"]["joint3"] > 10.0 * plain["rmse"]["joint3"]


def test_an_identified_model_can_be_the_plant_with_a_load_and_scattered(torquec, tmp_path):
    model = tq.Model(tq.classics.planar2r(), kind=tq.ModelKind.IDENTIFIED)
    tq.save(model, tmp_path / "arm.tq.json")
    motion = ("--to", "0.3,0.2", "--duration", "1", "--json")
    plain, loaded = (
        torquec("simulate", "planar2r", "--plant", tmp_path / "arm.tq.json", *motion, *more).document["rmse"]["joint2"]
        for more in ((), ("--plant-payload", "link2:0.5"))
    )
    assert loaded > 10.0 * plain
    many = torquec("simulate", tmp_path / "arm.tq.json", *motion, "--runs", "3", "--plant-payload", "link2:0.5")
    assert many.document["runs"] == 3
    moved = torquec("simulate", tmp_path / "arm.tq.json", "--plant", "planar2r", *motion).document
    assert moved["plant"] == "exact"  # what moves, not what the controller believes in


def test_many_runs_are_drawn_as_a_band(torquec, tmp_path):
    picture = tmp_path / "band.png"
    outcome = torquec("simulate", "puma560", "--runs", "8", "--plot", picture, "--json")
    assert outcome.document["files"] == [str(picture)]
    assert picture.stat().st_size > 10_000


def test_many_runs(torquec):
    outcome = torquec("simulate", "puma560", "--runs", "8", "--spread", "0.05", "--json")
    assert outcome.status == 0
    assert (outcome.document["runs"], outcome.document["diverged"], outcome.document["steps"]) == (8, 0, 6000)


def test_a_saturated_drive_is_named_with_its_time(torquec, arm):
    outcome = torquec(
        "simulate", arm, "--from", "-1.5,0", "--to", "1.5,0", "--duration", "0.4", "--no-limits", "--poles", "-10+10j"
    )
    assert outcome.status == 0
    assert "shoulder needed more torque than its drive has, first at t =" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scara"], "there is no motion"),
        (["puma560", "--rate", "0"], "--rate 0"),
        (["puma560", "--poles", "3+1j"], "unstable"),
        (["puma560", "--poles", "-12+45j", "--rate", "30"], "too fast"),
        (["puma560", "--plant-payload", "link6"], "--plant-payload link6"),
        (["puma560", "--plant-payload", "hand:1"], "no frame 'hand'"),
        (["puma560", "--delay", "-1"], "delay"),
        (["puma560", "--adaptive"], "sticking friction"),
        (["puma560", "--to", "9,0,0,0,0,0"], "upper position limit"),
        (["puma560", "--plant", "planar2r"], "joints of the controller"),
        (["puma560", "--runs", "0"], "--runs 0"),
        (["puma560", "--runs", "5", "--csv", "run.csv"], "--csv is about one run"),
    ],
)
def test_bad_input_is_refused_plainly(torquec, arguments, message):
    outcome = torquec("simulate", *arguments)
    assert outcome.status == 2
    assert message in outcome.err
    assert "remedy" in outcome.err
    assert outcome.out == ""


def test_a_loop_that_diverges_is_a_failed_check(torquec):
    late = ["--delay", "10", "--rate", "100", "--poles", "-20+20j"]
    outcome = torquec("simulate", "planar2r", "--to", "0.5,0.5", "--duration", "9", *late)
    assert outcome.status == 1
    assert "the simulation diverged: the error of joint" in outcome.err
    assert "remedy: use slower poles" in outcome.err
    assert outcome.out == ""


def test_a_folder_with_the_run_and_its_page(torquec, tmp_path):
    words = ("simulate", "planar2r", "--to", "0.3,0.2", "--duration", 0.5)
    for many, files in (((), {"run.csv"}), (("--runs", 2), set())):
        folder = tmp_path / f"out{len(many)}"
        outcome = torquec(*words, *many, "-o", folder, "--json")
        assert outcome.status == 0
        named = {path.name for path in folder.iterdir()}
        assert named == {"simulation.json", "report.html", "report.json"} | files
        assert {str(folder / name) for name in named} == set(outcome.document["files"])
        kept = json.loads((folder / "simulation.json").read_text())
        assert kept["rmse"] == outcome.document["rmse"]
        assert set(kept["samples"]["joints"]) == {"joint1", "joint2"}
    assert torquec(*words, "-o", tmp_path / "out0").status == 2


def test_an_attack_on_a_guarantee(torquec, tmp_path):
    sets = tmp_path / "sets.toml"
    sets.write_text("[every_joint]\nfriction_part = 0.2\n[bodies]\nmass_part = 0.01\n", encoding="utf-8")
    given = ["simulate", "planar2r", "--evaluation", "measured", "--rate", "1000", "--poles", "-20", "--to", "0.3,-0.2"]
    shown = torquec(*given, "--uncertainty", sets, "--worst", "2", "--seed", "3", "--json")
    assert shown.status == 0, shown.err
    attack = json.loads(shown.out)["attack"]
    assert 0.0 < attack["ratio"] <= 1.0
    assert (attack["runs"], attack["seed"]) == (2, 3)
    assert attack["guarantee"]["valid"]
    assert "Attack: of 2 robots in the stated sets" in torquec(*given, "--uncertainty", sets, "--worst", "2").out
    assert "--worst and --uncertainty go together" in torquec(*given, "--worst", "2").err
    assert "--uncertainty is for --worst or --observe" in torquec(*given, "--uncertainty", str(sets)).err


def test_an_observer_finds_a_push_and_is_silent_without_one(torquec, tmp_path):
    sets = tmp_path / "sets.toml"
    sets.write_text("[every_joint]\nfriction_part = 0.2\n[bodies]\nmass_part = 0.01\n", encoding="utf-8")
    given = ["simulate", "planar2r", "--evaluation", "measured", "--rate", "1000", "--poles", "-20", "--to", "0.3,-0.2"]
    words = (*given, "--uncertainty", sets, "--observe", "50")
    quiet = torquec(*words, "--json").document["observer"]
    assert quiet["alarms"] == {}
    assert all(0.0 <= row["largest"] < row["threshold"] for row in quiet["joints"].values())
    assert quiet["joints"]["joint1"]["smallest_torque"] == 2.0 * quiet["joints"]["joint1"]["threshold"]
    pushed = torquec(*words, "--push", "link2:0,60,0@0.5", "--json").document["observer"]
    assert 0.5 <= pushed["alarms"]["joint1"] < 0.5 + pushed["detection_time"] + 0.005
    shown = torquec(*given, "--observe", "50").out
    assert "No thresholds, so no alarms: give --uncertainty." in shown
    assert "Alarms: joint" in torquec(*words, "--push", "link2:0,60,0@0.5").out
    for wrong in ("link2:1,2", "1,2,3", "link2:1,2,3@a"):
        assert torquec(*given, "--push", wrong).status == 2
    assert "--observe is about one run" in torquec(*given, "--observe", "50", "--runs", "3").err
