"""Pictures are drawn whole, for one run or several; misuse."""

from __future__ import annotations

import dataclasses

import pytest
from tests.simulation.arms import clock, constant, rotor

from torquec.errors import ArgumentError
from torquec.report.closed_loop_plots import plot_errors, plot_torques
from torquec.simulation.closed_loop import simulate

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def runs():
    robot = rotor(inertia=2.0, effort=4.0)
    return {
        name: simulate(robot, constant(robot, tau), clock(robot, 0.3, 0.1)) for name, tau in (("a", 3.0), ("b", 5.0))
    }


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures_are_files(runs, tmp_path, suffix):
    errors = plot_errors(runs, tmp_path / f"errors.{suffix}", tip={name: [0.0] * 4 for name in runs})
    torques = plot_torques(runs, tmp_path / f"torques.{suffix}")
    assert errors.stat().st_size > 2000
    assert torques.stat().st_size > 2000
    assert len(list(tmp_path.iterdir())) == 2


def test_limits_are_drawn(runs, tmp_path):
    text = plot_torques(runs, tmp_path / "torques.svg").read_text()
    assert text.count("stroke-dasharray") >= 2


def test_misuse(runs, tmp_path):
    with pytest.raises(ArgumentError, match="cannot draw there"):
        plot_errors(runs, tmp_path / "errors.unknown")
    with pytest.raises(ArgumentError, match="there is no such folder"):
        plot_errors(runs, tmp_path / "no" / "errors.png")
    other = dataclasses.replace(runs["a"], joints=("other",))
    with pytest.raises(ArgumentError, match="different joints"):
        plot_torques({"a": runs["a"], "b": other}, tmp_path / "torques.png")
    assert list(tmp_path.iterdir()) == []
