"""Tracking errors in one plot per joint, with the guaranteed tube and common scales; pictures of runs."""

from __future__ import annotations

import dataclasses
import json

import pytest
from tests.report.result_folders import made_folder
from tests.simulation.arms import clock, constant, rotor

from torquec.errors import ArgumentError
from torquec.report.blocks import Style
from torquec.report.found_documents import find_documents
from torquec.report.result_document import result_text
from torquec.report.tracking_plots import plot_errors, plot_torques, tracking_overview
from torquec.simulation.closed_loop import simulate


def experiment(name, error):
    curve = {"t": [0.0, 1.0, 2.0], "error": [0.0, error, 0.0]}
    joints = {"q1": curve, "q2": curve | {"error": [0.0, 0.0, 0.001]}, "slide": curve | {"error": [0.0, 0.5, 0.0]}}
    units = {"q1": "rad", "q2": "rad", "slide": "m"}
    return {
        "controller": "pd",
        "experiment": name,
        "joints": list(units),
        "units": units,
        "samples": {"joints": joints},
    }


def test_every_experiment_and_the_tube_stand_in_one_plot_on_the_scale_of_their_unit(tmp_path):
    bounds = {joint: {"value": 0.002} for joint in ("q1", "q2", "slide")}
    (tmp_path / "design.json").write_text(result_text("design", {"guarantee": {"valid": True, "bounds": bounds}}))
    for name, error in (("as designed", 0.001), ("loaded", 0.004)):
        (tmp_path / f"{name}.json").write_text(result_text("simulate", experiment(name, error)))
    (gallery,) = tracking_overview(find_documents(tmp_path))
    first, second, slide = gallery.plots
    assert [series.name for series in first.series] == ["reference", "guaranteed tube", "as designed", "loaded"]
    tube = first.series[1]
    assert (tube.style, set(tube.y), set(tube.low)) == (Style.TUBE, {2.0}, {-2.0})
    assert max(first.series[-1].y) == pytest.approx(4.0)  # mrad
    assert (first.y.low, first.y.high) == (second.y.low, second.y.high) == (-4.0, 4.0)
    # 500 mm, but no more than three times the widest tube is shown: the title says what leaves the frame.
    assert (slide.y.unit, slide.y.high) == ("mm", 6.0)
    assert gallery.caption.endswith("(as designed, loaded: leaves the frame)")


def test_an_attack_stands_in_the_plots_with_its_own_tube(tmp_path):
    bounds = {joint: {"value": 0.6} for joint in ("q1", "q2", "slide")}
    curves = {joint: {"t": [0.0, 1.0], "error": [0.0, 0.0015 * k]} for k, joint in enumerate(bounds, start=1)}
    attack = {"runs": 20, "samples": {"joints": curves}, "guarantee": {"valid": True, "bounds": bounds}}
    (tmp_path / "run.json").write_text(result_text("simulate", experiment("worst", 0.001) | {"attack": attack}))
    (gallery,) = tracking_overview(find_documents(tmp_path))
    first, second, _ = gallery.plots
    for plot, most in ((first, 1.5), (second, 3.0)):
        assert (plot.series[-1].name, plot.series[-1].y) == ("worst of 20 attacks", pytest.approx((0.0, most)))
        assert [series.name for series in plot.series][:3] == ["reference", "guaranteed tube", "worst"]
    assert {series.style for series in first.series} >= {Style.TUBE}
    assert "leaves" not in gallery.caption


def test_real_runs_have_the_tube_of_their_design():
    (gallery,) = tracking_overview(find_documents(made_folder()))
    guarantee = json.loads((made_folder() / "controller" / "design.json").read_text())["guarantee"]
    for plot in gallery.plots:
        tubes = [series.y[0] for series in plot.series if series.style is Style.TUBE]
        expected = [1e3 * guarantee["bounds"][plot.title]["value"]] if guarantee["valid"] else []
        assert tubes == pytest.approx(expected)


def test_without_samples_there_is_nothing_to_draw(tmp_path):
    (tmp_path / "run.json").write_text(result_text("simulate", {"controller": "pd"}))
    assert tracking_overview(find_documents(tmp_path)) == ()


@pytest.fixture(scope="module")
def runs():
    robot = rotor(inertia=2.0, effort=4.0)
    return {
        name: simulate(robot, constant(robot, tau), clock(robot, 0.3, 0.1)) for name, tau in (("a", 3.0), ("b", 5.0))
    }


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_pictures_are_files(runs, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    errors = plot_errors(runs, tmp_path / f"errors.{suffix}", tip={name: [0.0] * 4 for name in runs})
    torques = plot_torques(runs, tmp_path / f"torques.{suffix}")
    assert errors.stat().st_size > 2000
    assert torques.stat().st_size > 2000
    assert len(list(tmp_path.iterdir())) == 2


def test_limits_are_drawn(runs, tmp_path):
    text = plot_torques(runs, tmp_path / "torques.svg").read_text()
    assert text.count('<line class="rule"') >= 2


def test_misuse_of_pictures(runs, tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(ArgumentError, match="cannot draw there"):
        plot_errors(runs, tmp_path / "errors.unknown")
    with pytest.raises(ArgumentError, match="there is no such folder"):
        plot_errors(runs, tmp_path / "no" / "errors.png")
    other = dataclasses.replace(runs["a"], joints=("other",))
    with pytest.raises(ArgumentError, match="different joints"):
        plot_torques({"a": runs["a"], "b": other}, tmp_path / "torques.png")
    assert list(tmp_path.iterdir()) == []
