"""The scripts in `examples/` run, and each draws its picture; docs/examples.md shows them."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from tests.page_blocks import ROOT
from tests.patience import HANGS

SCRIPTS = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
QUICK = ("inverse_kinematics", "torque_parts", "two_rates")
PICTURES = ROOT / "docs" / "pictures"
SAME_PICTURE = 1.0
"""Mean difference of pixels, of 255: other versions of fonts and lines stay below, other results are above 2."""


def run_script(name, picture):
    """Run a script as a reader would."""
    ended = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}.py", picture],
        capture_output=True, text=True, timeout=HANGS, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, cwd=picture.parent,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def drawn(path):
    """A picture as an array (height, width, 3)."""
    image = pytest.importorskip("PIL.Image", reason="pictures are not looked at: Pillow is not installed")
    numpy = pytest.importorskip("numpy")
    return numpy.asarray(image.open(path).convert("RGB"), dtype=float)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SCRIPTS]
)
def test_a_script_runs_and_draws_its_picture(name, tmp_path):
    pytest.importorskip("matplotlib", reason="nothing is drawn: pip install 'torquec[plot]'")
    assert len(run_script(name, tmp_path / f"{name}.png").splitlines()) > 2
    fresh, kept = drawn(tmp_path / f"{name}.png"), drawn(PICTURES / f"{name}.png")
    assert fresh.std() > 10.0, "an empty picture"
    remedy = f"draw it again: python examples/{name}.py docs/pictures/{name}.png"
    assert fresh.shape == kept.shape, remedy
    assert abs(fresh - kept).mean() < SAME_PICTURE, remedy


def test_every_script_has_its_picture_on_the_page_of_examples():
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"pictures/(\w+)\.png", page)) == SCRIPTS == sorted(p.stem for p in PICTURES.glob("*.png"))
    assert all(f"examples/{name}.py" in page for name in SCRIPTS)
