"""What `torquec identify` writes: everything or nothing, never over what is there."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.cli.identify_logs import QUICK, write_arm
from tests.identification import simulated_arm
from tests.identification.test_open_logs import written
from tests.patience import HANGS
from tests.report.result_folders import check_page, visible_text
from typer.testing import CliRunner

import torquec as tq
from torquec.cli.app import app
from torquec.errors import ArgumentError
from torquec.foundation.work import as_work
from torquec.identification import open_logs
from torquec.identification.file_fits import CODE, MJCF, URDF_ALONE
from torquec.identification.identify_options import Reading
from torquec.identification.logs.check_log import check_log_pieces
from torquec.project.identify_files import logs_to_fit, shown_logs
from torquec.project.model_steps import identify_step
from torquec.trajectory.log import Log

GRAVITY = ("--gravity", "0,-9.81,0")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_arm(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="module")
def results(files, tmp_path_factory):
    """The directory of one run, and its document."""
    arm, bare, other, loaded = files
    out = tmp_path_factory.mktemp("results") / "new" / "out"
    options = ("--validate", other, "--payload-log", loaded, "--frame", "hand", *GRAVITY, *QUICK)
    arguments = ("identify", arm, bare, *options, "-o", out, "--json")
    run = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert run.exit_code == 0
    return out, json.loads(run.stdout)


def inside(out):
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


NAMES = [
    "c/CMakeLists.txt",
    "c/planar2r.c",
    "c/planar2r.h",
    "c/planar2r.package.json",
    "c/planar2r_measured.c",
    "c/selftest.c",
    "identification.json",
    "planar2r.drives.toml",
    "planar2r.tq.json",
    "planar2r.urdf",
    "planar2r_loaded.drives.toml",
    "planar2r_loaded.urdf",
    "planar2r_mujoco.xml",
    "report.html",
    "report.json",
]


def test_a_directory_with_everything(results):
    out, document = results
    assert inside(out) == NAMES
    assert sorted(document["files"]) == sorted(str(out / name) for name in NAMES)
    kept = json.loads((out / "identification.json").read_text())
    assert sorted(kept.pop("files")) == NAMES
    samples = kept.pop("samples")
    assert kept == {key: value for key, value in document.items() if key != "files"}
    assert [log["fitted"] for log in samples] == [True, False]
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_the_page_shows_the_parameters_with_their_uncertainty(results):
    out, document = results
    page = (out / "report.html").read_text("utf-8")
    check_page(page)
    twin = json.loads((out / "report.json").read_text())
    section = next(section for section in twin["sections"] if section["name"] == "parameters")
    table = next(b for b in section["blocks"] if b.get("caption") == "Parameters and their uncertainty")
    shown = {row[0]: (row[1]["value"], row[1]["obtained"]) for row in table["rows"]}
    assert shown == {p["name"]: (p["value"], "measured") for p in document["parameters"]}
    galleries = [block for block in section["blocks"] if block["block"] == "gallery"]
    assert len(galleries) == 2
    names = [series["name"] for series in galleries[0]["plots"][0]["series"]]
    assert names == ["measured", "predicted", "difference"]
    assert "Payload" in visible_text(page)


def test_the_urdf_has_the_base_parameters(results):
    out, document = results
    values = tq.base_parameters(tq.load(out / "planar2r.urdf", gravity=(0.0, -9.81, 0.0)), motors=False).values
    found = [parameter["value"] for parameter in document["parameters"]]
    assert values == pytest.approx(found[: len(values)], abs=1e-9)
    loaded = tq.load(out / "planar2r_loaded.urdf", gravity=(0.0, -9.81, 0.0))
    assert loaded.bodies[1].inertia.m - tq.load(out / "planar2r.urdf").bodies[1].inertia.m == pytest.approx(
        2.0, rel=0.02
    )


def test_every_file_says_what_it_is_worth(results):
    """On the same log, each in its own words; with the side file as good as the report."""
    out, document = results
    errors = document["file_errors"]
    assert list(errors) == ["report", CODE, URDF_ALONE, MJCF]
    assert errors["report"] == pytest.approx(document["relative_error"], rel=1e-9)
    assert errors[CODE] <= 1.1 * errors["report"]
    assert errors[MJCF] <= 1.1 * errors["report"] + 1e-3  # MuJoCo reads it: its friction turns over within 4 ms
    assert list(document["readers"]) == [CODE, URDF_ALONE, MJCF]
    text = (out / "planar2r.urdf").read_text()
    assert f"{errors[CODE]:.2%}" in text[:600]
    assert f"{errors[URDF_ALONE]:.2%}" in text[:600]
    assert f"{errors[MJCF]:.2%}" in (out / "planar2r_mujoco.xml").read_text()[:600]
    assert "Errors of the written files" in (out / "report.html").read_text("utf-8")
    assert tq.load_model(out / "planar2r.tq.json").parameters.fit.relative_error == pytest.approx(
        errors[CODE], rel=1e-6
    )


@pytest.mark.skipif(COMPILER is None, reason="no C compiler here")
@pytest.mark.parametrize("test", ["selftest.c", "planar2r_measured.c"])
def test_both_self_tests_run(results, tmp_path, test):
    code = results[0] / "c"
    program = tmp_path / "program"
    sources = [str(code / "planar2r.c"), str(code / test)]
    subprocess.run([COMPILER, "-std=c99", "-O1", *sources, "-lm", "-o", str(program)], check=True, timeout=HANGS)
    outcome = subprocess.run([str(program)], capture_output=True, text=True, timeout=HANGS, check=False)
    assert outcome.returncode == 0, outcome.stdout
    assert "FAILED" not in outcome.stdout


def test_nothing_is_overwritten_without_force(torquec, files, results, tmp_path):
    arm, bare, *_ = files
    out = shutil.copytree(results[0], tmp_path / "out")  # other tests read the folder itself
    before = (out / "report.html").stat().st_mtime_ns
    again = torquec("identify", arm, bare, *GRAVITY, *QUICK, "-o", out)
    assert again.status == 2
    assert "--force" in again.err
    assert (out / "report.html").stat().st_mtime_ns == before
    (out / "mine.txt").write_text("mine")
    assert torquec("identify", arm, bare, *GRAVITY, *QUICK, "-o", out, "--force").status == 0
    # What is not ours stays; the second log's picture and the loaded robot, which are no more, go.
    gone = {"planar2r_loaded.urdf", "planar2r_loaded.drives.toml"}
    assert inside(out) == sorted({*NAMES, "mine.txt"} - gone)


def test_a_failure_leaves_nothing(torquec, files, tmp_path, monkeypatch):
    arm, bare, *_ = files

    def broken(*_arguments, **_options):
        raise tq.ArgumentError("no ink", remedy="buy some")

    monkeypatch.setattr("torquec.identification.result.measured_test.measured_test", broken)
    out = tmp_path / "out"
    outcome = torquec("identify", arm, bare, *GRAVITY, *QUICK, "-o", out, "--urdf", tmp_path / "arm.urdf")
    assert outcome.status == 2
    assert "no ink" in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_file_is_no_directory(torquec, tmp_path):
    (tmp_path / "out").write_text("mine")
    outcome = torquec("identify", "planar2r", "simulated", "-o", tmp_path / "out", "--force")
    assert outcome.status == 2
    assert "this is a file" in outcome.err


def test_no_urdf_of_what_cannot_be_built(torquec, files, tmp_path, monkeypatch):
    from torquec.identification.result import estimate
    from torquec.identification.result.realization import Realization, realize

    arm, bare, *_ = files
    monkeypatch.setattr(estimate, "realize", lambda model, x: Realization(realize(model, x).standard, False))
    options = (*GRAVITY, *QUICK, "--method", "weighted")
    refused = torquec("identify", arm, bare, *options, "--urdf", tmp_path / "arm.urdf")
    assert refused.status == 2
    assert "--method consistent" in refused.err
    assert not list(tmp_path.iterdir())
    partly = torquec("identify", arm, bare, *options, "-o", tmp_path / "out")
    assert partly.status == 0
    assert "no URDF" in partly.out
    assert not list((tmp_path / "out").glob("*.urdf"))
    assert (tmp_path / "out" / "report.html").exists()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return written(tmp_path_factory.mktemp("logs") / "run.csv", simulated_arm.log())


def test_small_logs_are_read_and_large_ones_stay_files(path, monkeypatch):
    (small,) = logs_to_fit(simulated_arm.arm(), [path], None, simulated_arm.QUICK, print)
    assert isinstance(small, Log)
    monkeypatch.setattr(open_logs, "MEMORY", 1000)
    large, simulated = logs_to_fit(simulated_arm.arm(), [path, Path("simulated")], None, simulated_arm.QUICK, print)
    assert large == path
    assert isinstance(simulated, Log)
    (beginning,) = shown_logs(simulated_arm.arm(), [large], None)
    assert len(beginning) == len(small)


def test_a_simulated_log_in_pieces_is_refused(path):
    options = dataclasses.replace(simulated_arm.QUICK, reading=Reading.PIECES)
    with pytest.raises(ArgumentError, match="'simulated' is not a file that can be streamed"):
        logs_to_fit(simulated_arm.arm(), [path, Path("simulated")], None, options, print)


def test_a_project_reads_a_log_that_exceeds_the_memory_in_pieces(path, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    opened = []

    def counted(robot, pieces):
        opened.append(path)
        return check_log_pieces(robot, pieces)

    monkeypatch.setattr(open_logs, "MEMORY", 1000)
    monkeypatch.setattr(open_logs, "check_log_pieces", counted)
    part = SimpleNamespace(logs=(path,), validate=(), log_map=None, options=simulated_arm.QUICK)
    context = SimpleNamespace(
        project=SimpleNamespace(robot=simulated_arm.arm(), identify=part),
        folder=tmp_path / "identify",
        work=as_work(None),
    )
    said = identify_step(context)
    assert opened
    assert "1 log, read in pieces" in said
    assert (tmp_path / "identify" / "identification.json").exists()
