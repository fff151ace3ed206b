"""The wheel alone in a clean environment does what the core promises; needs a package index."""

from __future__ import annotations

import subprocess

import pytest
from release.build import build
from release.installed_wheel import MISSING, Environment, install, problems

from torquec.page.build_bundle import is_up_to_date


@pytest.mark.slow
@pytest.mark.skipif(not is_up_to_date(), reason="the script of the pages was not made")
def test_the_wheel_alone(tmp_path):
    pytest.importorskip("hatchling")
    (wheel,) = (path for path in build(tmp_path / "dist") if path.suffix == ".whl")
    try:
        environment = install(wheel, tmp_path / "environment")
    except subprocess.CalledProcessError:
        pytest.skip("no package index can be reached")
    (tmp_path / "work").mkdir()
    assert problems(environment, tmp_path / "work") == []


def test_what_does_not_hold_is_said(tmp_path, monkeypatch):
    from release import installed_wheel

    answers = iter(
        [subprocess.CompletedProcess([], 1, "", "broken")] * 100,
    )
    monkeypatch.setattr(installed_wheel, "_run", lambda *_: next(answers))
    found = problems(Environment(tmp_path / "python", 331.0), tmp_path)
    assert found[0] == "the installation weighs 331 MB, more than 330"
    assert found[1] == "'a compiled model' fails: broken"
    assert found[-1] == f"'torquec {MISSING[-1][0]}' does not name the extra {MISSING[-1][1]}: broken"
