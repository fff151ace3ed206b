"""The README's Python and its shell commands do what they say."""

from __future__ import annotations

import re

import numpy as np
from tests.page_blocks import ROOT, blocks, run_line

import torquec as tq
from torquec.page.build_bundle import is_up_to_date

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tq.write_urdf(tq.classics.puma560(), tmp_path / "panda.urdf")
    (block,) = (block.text for block in blocks(README) if block.language == "python")
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
    assert len(lines) == 15
    for line in lines:
        if line.startswith("torquec run"):
            continue  # minutes; tests/cli/test_run.py and the slow test of the demo
        if line.startswith("torquec view") and not is_up_to_date():
            continue  # pages need their script, which the installation makes where it can
        line = line.replace("examples/", f"{ROOT}/examples/").replace("0,-45,0,-135,0,90,45", "0,-45")
        run_line(f"{line} --rounds 1" if line.startswith("torquec bench") else line, tmp_path)


def test_pictures_and_links_are_there():
    for target in re.findall(r"\]\(((?!\w+:)[^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_every_quantity_is_listed():
    from torquec.model.quantities import QUANTITIES

    for name in QUANTITIES:
        assert f"`{name}(" in README, name
