"""`torquec excite`: documents, its file as trajectory and as log, pictures, rules, exit status, nothing overwritten."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from tests.posted_executor import PostedExecutor

from torquec.robot import classics
from torquec.trajectory import read_trajectory
from torquec.trajectory.read_log import read_log

QUICK = ("--evaluations", 120)


def test_the_document_and_the_file(torquec, tmp_path):
    target = tmp_path / "motion.csv"
    outcome = torquec("excite", "planar2r", "-o", target, *QUICK, "--json")
    document = outcome.document
    assert set(document) >= {"condition", "duration", "limits_kept", "file", "unit_condition", "limits", "parameters"}
    assert document["limits_kept"] is True
    assert document["file"] == str(target)
    assert max(document["limits"].values()) <= 1.0
    assert "searching" in outcome.err
    robot = classics.planar2r()
    motion, log = read_trajectory(target, joints=robot.joint_names), read_log(target, robot)
    assert np.array_equal(motion.q, log.q)
    assert motion.duration == pytest.approx(document["duration"])
    assert torquec("simulate", "planar2r", "--trajectory", target, "--json").status == 0


@pytest.mark.parametrize("option", ["-o", "--plot"])
def test_nothing_is_overwritten_without_force(torquec, tmp_path, option):
    old, new = tmp_path / "old", tmp_path / "new.csv"
    old.write_text("mine")
    others = () if option == "-o" else ("-o", new)
    outcome = torquec("excite", "planar2r", *others, option, old, *QUICK)
    assert outcome.status == 2
    assert "--force" in outcome.err
    assert old.read_text() == "mine"
    assert not new.exists()
    if option == "-o":
        assert torquec("excite", "planar2r", "-o", old, *QUICK, "--force").status == 0


def test_splines_friction_pictures(torquec, tmp_path):
    pytest.importorskip("matplotlib")
    options = ("--shape", "spline", "--waypoints", 8, "--friction", "viscous", "--criterion", "determinant")
    picture = tmp_path / "motion.png"
    document = torquec(
        "excite", "planar2r", "-o", tmp_path / "m.csv", *QUICK, *options, "--plot", picture, "--json"
    ).document
    assert document["plot"] == str(picture)
    assert document["shape"] == "spline"
    assert "viscous_joint2" in document["parameters"]
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_the_floor_and_the_effort(torquec, tmp_path):
    """By default no frame goes below the base, and torques keep a fifth; both can be told otherwise."""
    words = ("excite", "puma560", "-o", tmp_path / "m.csv", "--evaluations", 40, "--force", "--json")
    found = torquec(*words).document
    assert (found["effort"], found["uncertainty"], found["floor"]) == (0.8, 0.2, 0.0)
    assert any(name.startswith("plane below") for name in found["limits"])
    assert sum("masses and friction 20% off" in name for name in found["limits"]) == 6
    free = torquec(*words, "--no-floor", "--effort", 1, "--uncertainty", 0).document
    assert free["floor"] is None
    assert not any("plane" in name or "off" in name for name in free["limits"])
    assert "give the one or the other" in torquec(*words, "--no-floor", "--floor", 0).err
    assert "an effort of 2" in torquec(*words, "--effort", 2).err


def test_a_cell_from_a_file_and_a_floor(torquec, tmp_path):
    cell = tmp_path / "cell.toml"
    cell.write_text('[[outside]]\nlower = [-0.1, -0.1, -0.1]\nupper = [0.1, 0.1, 0.1]\nframes = ["tool"]\n')
    target = tmp_path / "m.csv"
    document = torquec(
        "excite", "puma560", "-o", target, *QUICK, "--floor", -0.5, "--json",
    ).document  # fmt: skip
    assert "plane below frame 'link6'" in document["limits"]
    document = torquec("excite", "planar2r", "-o", tmp_path / "p.csv", *QUICK, "--workspace", cell, "--json").document
    assert "box beside frame 'tool'" in document["limits"]


def test_impossible_limits_are_named_and_nothing_is_written(torquec, tmp_path):
    target = tmp_path / "m.csv"
    outcome = torquec("excite", "puma560", "-o", target, *QUICK, "--floor", 3)
    assert outcome.status == 2
    assert "plane below frame 'link6'" in outcome.err
    assert not target.exists()


def test_how_well_a_log_excites(torquec, tmp_path):
    document = torquec("excite", "planar2r", "--log", "simulated", "--json").document
    first = document["parameters"][0]
    assert {"name", "value", "std", "relative_std", "independence", "contribution", "rating"} <= set(first)
    text = torquec("excite", "planar2r", "--log", "simulated", "--friction", "none").out
    assert "not excited" in text
    assert "viscous" not in text


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ((), "there is no file to write"),
        (("-o", "gone/m.csv"), "no such folder"),
        (("-o", "m.csv", "--shape", "zigzag"), "zigzag"),
        (("-o", "m.csv", "--criterion", "beauty"), "beauty"),
        (("-o", "m.csv", "--friction", "glue"), "glue"),
        (("-o", "m.csv", "--harmonics", 1), "harmonics"),
        (("-o", "m.csv", "--workspace", "gone.toml"), "gone.toml"),
        (("--log", "gone.csv"), "gone.csv"),
    ],
)
def test_misuse_has_status_two(torquec, tmp_path, monkeypatch, options, word):
    monkeypatch.chdir(tmp_path)
    outcome = torquec("excite", "planar2r", *options)
    assert outcome.status == 2
    assert word in outcome.err
    assert not list(tmp_path.iterdir())


def test_processes_give_the_same_motion(torquec, tmp_path, monkeypatch):
    posted, asked = PostedExecutor(), []

    @contextlib.contextmanager
    def pool(jobs):
        asked.append(jobs)
        yield posted if jobs > 1 else None

    monkeypatch.setattr("torquec.cli.worker_pool.worker_pool", pool)
    alone, spread = tmp_path / "alone.csv", tmp_path / "spread.csv"
    assert torquec("excite", "planar2r", "-o", alone, "--evaluations", 400).status == 0
    assert torquec("excite", "planar2r", "-o", spread, "--evaluations", 400, "--jobs", 3).status == 0
    assert asked == [1, 3]
    assert "improve_motion" in posted.done
    assert spread.read_bytes() == alone.read_bytes()
