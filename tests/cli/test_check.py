"""`torquec check`: JSON keys, the text, and the exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

import torquec as tq

SPECIFICATION = Path(__file__).resolve().parents[2] / "examples" / "specifications" / "planar2r.toml"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("check") / "package"
    model = tq.simplify(tq.classics.planar2r(), SPECIFICATION)
    tq.generate(model, folder)
    tq.save_certificate(model.record, folder / "planar2r.certificate.json")
    return folder


def test_json_keys(torquec, package):
    outcome = torquec("check", package, "--json")
    assert set(outcome.document) == {
        *("format", "command", "ok", "kind", "claims", "box", "specification", "precision"),
        *("slacks", "seconds", "refused"),
    }
    assert outcome.document["ok"] is True
    assert outcome.document["kind"] == "package"
    assert set(outcome.document["claims"][0]) == {"quantity", "joint", "bound", "unit", "rounding"}
    assert "proving the torque errors again" in outcome.err  # progress


def test_the_text_says_proven_only_where_it_is(torquec, package, tmp_path):
    assert "proven again" in torquec("check", package / "planar2r.tq.json").out
    tq.save(tq.compile(tq.classics.planar2r()), tmp_path / "exact.tq.json")
    text = torquec("check", tmp_path / "exact.tq.json").out
    assert "proven again" not in text
    assert "no error is claimed" in text


def test_a_refused_claim_has_exit_status_one(torquec, package, tmp_path):
    path = tmp_path / "false.tq.json"
    path.write_text((package / "planar2r.tq.json").read_text().replace('"bound": 1.', '"bound": 0.'))
    outcome = torquec("check", path)
    assert outcome.status == 1
    assert "REFUSED" in outcome.out
    assert "proven again" not in outcome.out


def test_a_certificate_needs_its_robot(torquec, package):
    certificate = package / "planar2r.certificate.json"
    alone = torquec("check", certificate)
    assert alone.status == 2
    assert "--robot" in alone.err
    assert "proven again" in torquec("check", certificate, "--robot", "planar2r").out
    assert "proven again" in torquec("check", certificate, "--robot", package / "planar2r.tq.json").out
    other = torquec("check", certificate, "--robot", "planar3r")
    assert other.status == 1
    assert "another robot" in other.out


def test_generate_tells_the_claim(torquec, package, tmp_path):
    document = torquec("generate", package / "planar2r.tq.json", "-o", tmp_path / "out", "--json").document
    assert [claim["joint"] for claim in document["claim"]] == ["joint1", "joint2"]
    assert torquec("generate", "planar2r", "-o", tmp_path / "exact", "--json").document["claim"] == []
