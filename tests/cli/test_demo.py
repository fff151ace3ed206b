"""`torquec demo`: one whole run on the PUMA 560 that needs no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from torquec.cli import demo
from torquec.simplification.time_plan import SHARES


@pytest.mark.slow
def test_it_ends_with_where_to_look(torquec, tmp_path):
    outcome = torquec("demo", "-o", tmp_path / "out")
    assert outcome.status == 0
    for part in ("published", "simplify", "proven", "torquec new"):
        assert part in outcome.out
    assert Path(outcome.out.splitlines()[-1]).exists()
    assert torquec("demo", "-o", tmp_path / "out", "--json").document["done"] == ["check"]


def test_a_wrong_torque_fails_the_check_before_the_work(torquec, monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "_PUBLISHED", demo._PUBLISHED | {"tau": (0.0,) * 6})
    outcome = torquec("demo", "-o", tmp_path / "out")
    assert outcome.status == 1
    assert "differ from the published ones" in outcome.err
    assert not (tmp_path / "out").exists()


def test_its_project_limits_simplification_to_twenty_seconds(torquec, monkeypatch, tmp_path):
    seen = []

    def instead(project, output, **more):
        seen.append((project, output))
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "run_with_progress", instead)
    with pytest.raises(KeyboardInterrupt):
        demo.demo(options=demo.DemoOptions(output=tmp_path / "out"))
    ((project, output),) = seen
    assert project.robot.name == "puma560"
    assert SHARES.model * project.simplify.seconds <= 20.0  # the rest is for the check
    assert output == tmp_path / "out"
