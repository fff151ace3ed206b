"""Curves of haptic experiments: along the direction of the experiment, thinned without losing an extreme."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.haptics.haptic_experiment import run_experiment
from torquec.haptics.haptic_file import experiment_document
from torquec.haptics.haptic_plan import ExperimentOptions
from torquec.report import haptics
from torquec.report.haptic_region import haptic_text
from torquec.report.haptics import (
    ExperimentCurve,
    ExperimentCurves,
    curve_samples,
    experiment_curves,
    plot_experiment,
)
from torquec.report.stored_values import StoredValue
from torquec.robot import classics

pytest.importorskip("scipy")


def test_a_spike_of_one_sample_and_both_ends_are_kept():
    t = np.linspace(0.0, 1.0, 5000)
    ball, arm = np.zeros(5000), np.sin(t)
    ball[1234] = 9.0
    arm[77] = np.nan
    curve = ExperimentCurve("force", "N", ball, arm)
    kept = curve_samples(ExperimentCurves(np.full(5000, True), t, "time", "s", "along y", (curve,)))["curves"][0]
    assert max(kept["object"]) == 9.0
    assert (kept["t"][0], kept["t"][-1]) == (0.0, 1.0)
    assert len(kept["t"]) == len(kept["object"]) == len(kept["arm"]) < 1200
    assert np.isfinite(kept["arm"]).all()


@pytest.mark.slow
def test_the_velocity_is_the_slope_of_the_position_and_the_quotient_the_mass():
    found = experiment_curves(run_experiment(classics.scara(), "mass-5"))
    position, velocity = found.curves[0], found.curves[1]
    slope = np.gradient(position.rendered, found.t)
    assert np.abs(slope - velocity.rendered).max() < 0.02 * np.abs(velocity.rendered).max()
    assert np.nanmean(found.curves[4].rendered[-500:]) == pytest.approx(5.0, rel=0.1)
    assert found.direction == "along y"


@pytest.mark.slow
def test_at_the_wall_the_object_comes_with_the_speed_of_the_impact():
    found = experiment_curves(run_experiment(classics.scara(), "wall", ExperimentOptions(impact=0.1)))
    velocity, penetration = found.curves[0], found.curves[2]
    assert velocity.rendered[0] == pytest.approx(0.1, rel=0.05)
    # The impact is the first sample inside: at most a period's way, 0.2 mm, behind the wall.
    assert 0.0 < np.interp(0.0, found.t, penetration.rendered) <= 0.21
    assert found.rows.sum() == len(found.t)


pytest.importorskip("scipy")


def drawn(result, monkeypatch):
    """The plots of an experiment's picture, and its title."""
    kept = []
    monkeypatch.setattr(haptics, "write_picture", lambda plots, _, *, title: kept.extend((plots, title)))
    plot_experiment(result, experiment_document(result) | {"curves": curve_samples(experiment_curves(result))}, "p.svg")
    return kept


@pytest.mark.slow
@pytest.mark.parametrize(("name", "panels", "words"), [("mass-5", 6, "Table II"), ("inertia-0.83", 6, "kg m^2")])
def test_felt_masses_are_drawn(name, panels, words, monkeypatch):
    result = run_experiment(classics.scara(), name)
    plots, title = drawn(result, monkeypatch)
    assert len(plots) == panels
    quotient = next(plot for plot in plots if "over acceleration" in plot.title).series[0].y
    assert np.mean(quotient[-200:]) == pytest.approx(result.plan.nominal, rel=0.1)
    assert len(plots[0].series) == 2
    load, inertia = plots[-1].series
    assert np.mean(load.y) == pytest.approx(np.mean(inertia.y), rel=0.2)
    assert "felt" in title
    assert words in haptic_text(experiment_document(result))


@pytest.mark.slow
def test_a_wall_is_drawn(monkeypatch):
    result = run_experiment(classics.scara(), "wall", ExperimentOptions(impact=0.1))
    plots, title = drawn(result, monkeypatch)
    velocity = plots[0].series[1].y
    assert velocity[0] == pytest.approx(0.1, rel=0.05)
    assert abs(velocity[-1]) < 5e-3
    assert title.startswith("scara, wall: ")
    assert [series.name for series in plots[-1].series] == list(result.cycle.joints)
    text = haptic_text(experiment_document(result))
    assert "two-sided" in text
    assert "damping ratio 1" in text
    assert "cannot render turning about x, turning about y" in text


def test_the_region_is_drawn_with_the_object_and_an_arrow_to_the_damping_that_it_needs():
    rows = [[1.25, 0.9, None], [5.0, 1.1, None], [20.0, 1.2, 1.5]]
    standing = {
        "axis": "moving along x",
        "inside": False,
        "mass": 5.0,
        "damping": 0.0,
        "least_damping": 1.1,
        "edge": rows,
    }
    by = haptics.computed("a test")
    plot = haptics._region_plot(StoredValue(standing, "run.json"), by)
    band, dot, arrow = plot.series
    assert (band.x, band.low) == ((1.25, 5.0, 20.0), (0.9, 1.1, 1.2))
    assert band.y == pytest.approx((1.92, 1.92, 1.5))  # the frame ends at 1.6 times the highest edge
    assert (dot.x, dot.y) == ((5.0,), (0.0,))
    assert (arrow.name, arrow.x[:2], arrow.y[:2]) == ("add damping: 1.1 N s/m", (5.0, 5.0), (0.0, 1.1))
    inside = StoredValue(standing | {"inside": True, "damping": 2.0}, "run.json")
    assert len(haptics._region_plot(inside, by).series) == 2
    assert haptics._region_plot(StoredValue(standing | {"edge": []}, "run.json"), by) is None
