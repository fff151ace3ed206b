"""The README's Python and its shell commands do what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

import torquec as tq
from torquec.cli.app import app
from torquec.page.build_bundle import is_up_to_date

ROOT = Path(__file__).resolve().parents[1]
README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def test_python_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tq.write_urdf(tq.classics.puma560(), tmp_path / "panda.urdf")
    (block,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names = {name: np.full(6, 0.1) for name in ("q", "qd", "qdd")}
    exec(compile(block, "README.md", "exec"), names)
    np.testing.assert_allclose(names["qdd"], np.full(6, 0.1), atol=1e-9)
    assert (tmp_path / "panda.tq.json").exists()
    assert (tmp_path / "out").is_dir()


def test_shell_commands_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tq.write_urdf(tq.classics.planar2r(), tmp_path / "panda.urdf")  # small: each command is tested on large ones, too
    lines = re.findall(r"^    (torquec .*?)   ", README, flags=re.MULTILINE)
    tq.write_urdf(tq.classics.planar2r(), tmp_path / "robot.urdf")
    assert len(lines) == 14
    for line in lines:
        if line.startswith("torquec run"):
            continue  # minutes; tests/cli/test_run.py and the slow test of the demo
        if line.startswith("torquec view") and not is_up_to_date():
            continue  # pages need their script, which the installation makes where it can
        line = line.replace("examples/", f"{ROOT}/examples/")
        words = shlex.split(line.replace("0,-45,0,-135,0,90,45", "0,-45"))[1:]
        more = ["--rounds", "1"] if words[0] == "bench" else []
        result = CliRunner().invoke(app, [*words, *more])
        assert result.exit_code == 0, f"{line}\n{result.output}\n{result.exception!r}"


def test_every_quantity_is_listed():
    from torquec.model.quantities import QUANTITIES

    for name in QUANTITIES:
        assert f"`{name}(" in README, name
