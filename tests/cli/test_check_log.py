"""`torquec check-log`: document, exit status, picture, delay from the map."""

from __future__ import annotations

import numpy as np
import pytest
from tests.identification.clean_logs import clean_log

from torquec.cli import check_log as command
from torquec.cli.check_log import log_text, log_verdict
from torquec.robot import classics

LOG = {"file": "run.csv", "samples": 1200, "duration": 11.99, "rate": 100.0, "usable": True, "clean": True}


def write_log(path, log, columns="t,q1,q2,dq1,dq2,tau1,tau2"):
    rows = np.column_stack([log.t, log.q, log.qd, log.tau])
    np.savetxt(path, rows, fmt="%.8f", delimiter=",", header=columns, comments="")
    return path


@pytest.fixture
def clean(tmp_path):
    return write_log(tmp_path / "log.csv", clean_log(classics.planar2r()))


def test_a_clean_log_has_status_zero(torquec, clean):
    outcome = torquec("check-log", "planar2r", clean, "--json")
    assert outcome.status == 0
    (document,) = outcome.document["logs"]
    assert document["clean"] is True
    assert document["usable"] is True
    assert document["samples"] == 1200
    assert {finding["severity"] for finding in document["findings"]} == {"note"}
    assert "no problem found" in torquec("check-log", "planar2r", clean).out


def test_a_problem_has_status_one_and_names_lines(torquec, clean):
    lines = clean.read_text().splitlines()
    lines[101] = ",".join([*lines[101].split(",")[:-1], ""])
    clean.write_text("\n".join(lines) + "\n")
    outcome = torquec("check-log", "planar2r", clean, "--json")
    assert outcome.status == 1
    (finding,) = [f for f in outcome.document["logs"][0]["findings"] if f["severity"] != "note"]
    assert finding["kind"] == "rows without numbers"
    assert finding["rows"] == [100, 100]
    assert finding["lines"] == [102, 102]
    assert "tau2" in finding["column"]
    assert finding["remedy"]
    assert outcome.document["logs"][0]["usable"] is True


def test_each_log_has_one_verdict(torquec, clean, tmp_path):
    """Findings on stdout; then what they amount to, once."""
    log = clean_log(classics.planar2r())
    rows = np.column_stack([log.t, log.q, log.qd[:, 0], log.tau])
    partial = tmp_path / "partial.csv"
    np.savetxt(partial, rows, fmt="%.8f", delimiter=",", header="t,q1,q2,dq1,tau1,tau2", comments="")
    outcome = torquec("check-log", "planar2r", partial, clean)
    assert outcome.status == 1
    verdicts = [line for line in (outcome.out + outcome.err).splitlines() if "usable" in line or "problem" in line]
    assert verdicts == ["  no problem found", f"torquec: {partial}: usable with care (1 warning)"]


def test_a_file_that_cannot_be_read_has_status_two(torquec, tmp_path):
    outcome = torquec("check-log", "planar2r", tmp_path / "gone.csv")
    assert outcome.status == 2
    assert "no such file" in outcome.err


def test_a_picture_is_not_overwritten(torquec, clean, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "log.png"
    assert torquec("check-log", "planar2r", clean, "--plot", picture).status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    again = torquec("check-log", "planar2r", clean, "--plot", picture)
    assert again.status == 2
    assert "--force" in again.err
    assert torquec("check-log", "planar2r", clean, "--plot", picture, "--force", "--json").document["plot"]


def test_a_delay_is_told_and_removed_where_the_map_asks(torquec, tmp_path):
    log = write_log(tmp_path / "late.csv", clean_log(classics.planar2r(), late=0.02))
    outcome = torquec("check-log", "planar2r", log, "--json")
    assert "delay" in {finding["kind"] for finding in outcome.document["logs"][0]["findings"]}
    (tmp_path / "map.toml").write_text("estimate_delay = true\n")
    outcome = torquec("check-log", "planar2r", log, "--map", tmp_path / "map.toml", "--json")
    assert outcome.status == 0
    assert "late by 2" in outcome.err or "late by 1" in outcome.err
    assert "delay" not in {finding["kind"] for finding in outcome.document["logs"][0]["findings"]}


def test_a_large_file_is_checked_in_pieces(torquec, clean, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "STREAMED", 10_000)
    outcome = torquec("check-log", "planar2r", clean, "--json")
    assert outcome.status == 0
    assert "piece by piece" in outcome.err
    assert outcome.document["logs"][0]["samples"] == 1200
    assert torquec("check-log", "planar2r", clean, "--plot", tmp_path / "a.png").status == 2


@pytest.mark.parametrize(
    ("severities", "verdict"),
    [
        (["note"], ""),
        (["note", "warning"], "run.csv: usable with care (1 warning)"),
        (
            ["warning", "error", "warning"],
            "run.csv: not usable before its errors are corrected (1 error and 2 warnings)",
        ),
    ],
)
def test_one_verdict_for_each_log(severities, verdict):
    findings = [{"severity": severity} for severity in severities]
    usable, clean = "error" not in severities, {*severities} == {"note"}
    document = {**LOG, "usable": usable, "clean": clean, "findings": findings}
    assert log_verdict(document) == verdict
    lines = log_text(document, ["first finding", "second finding"]).splitlines()
    assert lines[:3] == ["run.csv: 1200 samples, 12 s at 100 Hz", "  first finding", "  second finding"]
    assert lines[3:] == (["  no problem found"] if clean else [])
