"""Pictures of haptic experiments: every panel has its curves, and they are those of the run."""

import numpy as np
import pytest

from torquec.haptics.haptic_experiment import ExperimentOptions, run_experiment
from torquec.haptics.haptic_file import experiment_document
from torquec.report.haptic_plots import experiment_figure
from torquec.report.haptics import haptic_text
from torquec.robot import classics

pytest.importorskip("matplotlib")
pytest.importorskip("scipy")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "panels", "words"), [("mass-5", 6, "Table II"), ("inertia-0.83", 6, "kg m^2")])
def test_felt_masses_are_drawn(name, panels, words):
    result = run_experiment(classics.scara(), name)
    figure = experiment_figure(result)
    axes = [axis for axis in figure.axes if axis.get_title()]
    assert len(axes) == panels
    quotient = axes[5].lines[0].get_ydata()
    assert np.nanmean(quotient[-500:]) == pytest.approx(result.plan.nominal, rel=0.1)
    assert len(axes[0].lines) == 2
    assert words in haptic_text(experiment_document(result))


@pytest.mark.slow
def test_a_wall_is_drawn():
    result = run_experiment(classics.scara(), "wall", ExperimentOptions(impact=0.1))
    figure = experiment_figure(result)
    velocity = figure.axes[0].lines[1].get_ydata()
    assert velocity[0] == pytest.approx(0.1, rel=0.05)
    assert abs(velocity[-1]) < 5e-3
    assert "Scara".lower() in figure._suptitle.get_text()
    text = haptic_text(experiment_document(result))
    assert "two-sided" in text
    assert "cannot render turning about x, turning about y" in text
