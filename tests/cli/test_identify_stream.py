"""`torquec identify --stream`: the document of a log in pieces, its files, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from tests.identification import simulated_arm

QUICK = ("--cutoff", 10, "--no-rotors", "--friction", "offset", "--strength", 10)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    log = simulated_arm.log()
    target = tmp_path_factory.mktemp("logs") / "run.csv"
    names = ["t", *(f"{word}{k + 1}" for word in ("q", "dq", "tau") for k in range(log.n))]
    table = np.column_stack([log.t, log.q, log.qd, log.tau])
    np.savetxt(target, table, delimiter=",", header=",".join(names), comments="", fmt="%.12g")
    return target


def test_a_stream_gives_the_same_document(torquec, path):
    found, expected = (
        torquec("identify", "planar2r", path, *QUICK, "--validate", path, *extra, "--json").document
        for extra in (["--stream"], [])
    )
    assert found.keys() == expected.keys()
    for ours, theirs in zip(found["parameters"], expected["parameters"], strict=True):
        assert ours["name"] == theirs["name"]
        assert ours["value"] == pytest.approx(theirs["value"], rel=1e-9, abs=1e-9)
    assert found["relative_error"] == pytest.approx(expected["relative_error"], rel=1e-9)
    assert found["validation"][0]["rmse"] == pytest.approx(expected["validation"][0]["rmse"], rel=1e-9)


def test_large_files_stream_of_themselves(torquec, path, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    from torquec.identification import open_logs

    monkeypatch.setattr(open_logs, "MEMORY", 1000)
    outcome = torquec("identify", "planar2r", path, *QUICK, "-o", tmp_path / "out", "--json")
    assert "piece by piece" in outcome.err
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.parametrize(
    ("extra", "word"),
    [(["--eliminate"], "--eliminate"), (["--payload-log", "x.csv"], "--payload-log"), (["--method", "huber"], "huber")],
)
def test_what_needs_the_whole_log_is_refused(torquec, path, extra, word):
    given = [path if one == "x.csv" else one for one in extra]  # a log that is there, for files come first
    outcome = torquec("identify", "planar2r", path, *QUICK, "--stream", *given)
    assert outcome.status == 2
    assert word in outcome.err


def test_simulated_logs_and_unknown_delays_are_refused(torquec, path, tmp_path):
    assert torquec("identify", "planar2r", "simulated", "--stream").status == 2
    late = tmp_path / "map.toml"
    late.write_text("estimate_delay = true\n")
    outcome = torquec("identify", "planar2r", path, "--map", late, "--stream")
    assert outcome.status == 2
    assert "estimate_delay" in outcome.err
