"""The figures of haptic experiments on the pages of the documentation are those that run."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from torquec.haptics.haptic_experiment import run_experiment
from torquec.haptics.haptic_plan import EXPERIMENTS, ExperimentOptions
from torquec.robot import classics

pytest.importorskip("scipy")
DOCS = Path(__file__).parents[2] / "docs"
POLES = {"-12 +- 45j": -12 + 45j, "-45 +- 45j": -45 + 45j}
EFFORTS = {"full": 1.0, "halved": 0.5}


def rows_below(text, title):
    """The cells of the first table after a sentence."""
    lines = text[text.index(title) :].splitlines()
    below = itertools.dropwhile(lambda line: not line.startswith("|"), lines)
    _, _, *table = itertools.takewhile(lambda line: line.startswith("|"), below)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def ends(cell):
    """'5.022 to 5.024 kg' as two numbers."""
    low, high = re.match(r"([\d.]+) to ([\d.]+)", cell).groups()
    return float(low), float(high)


def check(value, cell):
    """A run of another processor may lie outside of eight printed ones, by no more than their spread."""
    low, high = ends(cell)
    assert low - (high - low) <= value <= high + (high - low), cell


HAPTICS = (DOCS / "haptics.md").read_text(encoding="utf-8")
FELT = {
    (poles, row[0]): row
    for poles, title in (("-45 +- 45j", "Simulated PUMA 560"), ("-12 +- 45j", "The same with poles -12 +- 45j"))
    for row in rows_below(HAPTICS, title)
}
WALLS = rows_below(HAPTICS, "Two-sided wall:")


def test_the_page_has_every_experiment():
    assert set(FELT) == {(poles, name) for poles in POLES for name, plan in EXPERIMENTS.items() if plan.printed}
    assert len(WALLS) == 8


@pytest.mark.parametrize(
    ("poles", "name"),
    [
        pytest.param(*key, marks=() if key == ("-45 +- 45j", "mass-5") else pytest.mark.slow, id=" ".join(key))
        for key in FELT
    ],
)
def test_what_is_felt(poles, name):
    _, mean, deviation, unbiased, printed = FELT[poles, name]
    result = run_experiment(classics.puma560(), name, ExperimentOptions(poles=POLES[poles]))
    check(result.felt.mean, mean)
    check(result.felt.deviation, deviation)
    check(result.felt.unbiased, unbiased)
    assert float(printed) == result.plan.printed[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("poles", "effort", "impact", "object_speed", "tip_speed"), WALLS, ids=[" ".join(row[:3]) for row in WALLS]
)
def test_the_wall(poles, effort, impact, object_speed, tip_speed):
    options = ExperimentOptions(poles=POLES[poles], effort=EFFORTS[effort], impact=float(impact.split()[0]))
    wall = run_experiment(classics.puma560(), "wall", options).wall
    check(100.0 * wall.object_speed, object_speed)
    check(100.0 * wall.tip_speed, tip_speed)


def test_the_page_of_the_paper_says_the_same():
    """Table II beside ours: the paper's figures as they are in the plans, ours within those of the other page."""
    rows = rows_below((DOCS / "papers" / "clover.md").read_text(encoding="utf-8"), "| felt (Table II)")
    names = ["mass-5", "mass-150", "inertia-0.83", "inertia-12.5"]
    for name, (_, printed, here) in zip(names, rows, strict=True):
        assert tuple(map(float, printed.split(" ± "))) == EXPERIMENTS[name].printed
        _, mean, deviation, *_ = FELT["-45 +- 45j", name]
        for text, cell in zip(here.split(" ± "), (mean, deviation), strict=True):
            unit = 10.0 ** -len(text.partition(".")[2])
            low, high = ends(cell)
            assert low - 0.5 * unit <= float(text) <= high + 0.5 * unit
