"""`torquec demo`."""

from __future__ import annotations

from torquec.cli import demo


def test_text_tells_the_whole_story(torquec, tmp_path):
    outcome = torquec("demo", "-o", tmp_path / "out")
    assert outcome.status == 0
    for part in ("puma560", "published", "inverse_dynamics", "mass_matrix", "void puma560_", "torquec info"):
        assert part in outcome.out
    assert (tmp_path / "out" / "puma560.c").exists()


def test_json(torquec):
    document = torquec("demo", "--json").document
    assert document["difference"] < 1e-9
    assert document["functions"]["inverse_dynamics"]["mul"] > 0
    assert document["files"] == []


def test_a_wrong_torque_fails_the_check(torquec, monkeypatch):
    monkeypatch.setattr(demo, "_PUBLISHED", demo._PUBLISHED | {"tau": (0.0,) * 6})
    outcome = torquec("demo", "--json")
    assert outcome.status == 1
    assert "differ from the published ones" in outcome.err
