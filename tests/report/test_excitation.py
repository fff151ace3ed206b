"""What `excite` shows: a motion with its tightest limits, or how well logs excite each parameter."""

from __future__ import annotations

import math
import sys

import pytest
from tests.identification import simulated_arm

from torquec.errors import ArgumentError, MissingExtraError
from torquec.identification.excitation.excitation import excitation
from torquec.identification.excitation.excitation_options import Criterion, ExcitationOptions
from torquec.identification.excitation.log_excitation import log_excitation
from torquec.report.excitation import excitation_text, log_excitation_text, plot_excitation
from torquec.robot import classics

MOTION = {
    "file": "motion.csv",
    "duration": 10.0,
    "parameters": ["a", "b"],
    "condition": 12.3456,
    "unit_condition": 3.2,
    "limits_kept": True,
    "limits": {f"limit {k}": k / 10.0 for k in range(10)},
    "assumed": [],
}


def test_the_limits_that_are_used_most_stand_first():
    lines = excitation_text(MOTION).splitlines()
    assert lines[0] == (
        "motion.csv: 10 s, 2 parameters, condition number 12.35 (3.2 with unit columns), every limit is kept, "
        "proved for every instant"
    )
    assert [line.split()[-1] for line in lines[3:]] == ["90.0%", "80.0%", "70.0%", "60.0%", "50.0%", "40.0%"]


def test_limits_that_are_broken_or_assumed_are_said():
    text = excitation_text({**MOTION, "limits_kept": False, "assumed": ["speed of j1"]})
    assert "limits are VIOLATED" in text
    assert "assumed, where the robot's file has no limits: speed of j1" in text


def test_every_parameter_of_a_log_is_rated_and_counted():
    found = log_excitation(simulated_arm.arm(), [simulated_arm.log()])
    text = log_excitation_text(found)
    rows = [line.split() for line in text.splitlines()]
    for parameter in found.parameters:
        row = next(row for row in rows if row[:1] == [parameter.name])
        assert row[-1] == str(parameter.rating)
        share = parameter.relative_deviation
        assert row[2] == (f"{share:.1%}" if share <= 1.0 else ">100%")
        assert row[-2] == (f"{parameter.uncertainty:.2%}" if math.isfinite(parameter.uncertainty) else "-")
    counts = [int(word) for word in text.splitlines()[-1].replace(",", "").split() if word.isdigit()]
    good = sum(p.rating == "good" for p in found.parameters)
    assert counts[0] == good > 0
    assert f"{found.samples} samples, cut-off" in text
    assert pytest.approx(found.condition, rel=1e-3) == float(text.split("condition number ")[1].split()[0])


@pytest.mark.parametrize("criterion", list(Criterion))
def test_a_picture_is_drawn(tmp_path, criterion):
    pytest.importorskip("matplotlib")
    robot = classics.scara()
    found = excitation(robot, options=ExcitationOptions(evaluations=20, criterion=criterion))
    target = plot_excitation(robot, found, tmp_path / "motion.png", criterion=criterion)
    assert target.read_bytes()[:4] == b"\x89PNG"


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    robot = classics.planar2r()
    found = excitation(robot, options=ExcitationOptions(evaluations=5))
    with pytest.raises(MissingExtraError, match=r"torquec\[plot\]"):
        plot_excitation(robot, found, tmp_path / "motion.png")


def test_a_file_that_cannot_be_drawn_is_not_begun(tmp_path):
    pytest.importorskip("matplotlib")
    robot = classics.planar2r()
    found = excitation(robot, options=ExcitationOptions(evaluations=5))
    with pytest.raises(ArgumentError, match="cannot draw there"):
        plot_excitation(robot, found, tmp_path / "motion.xyz")
    assert not list(tmp_path.iterdir())
