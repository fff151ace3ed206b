"""Pictures of two models side by side: which are drawn, with which names, and without what was not computed."""

from __future__ import annotations

import dataclasses

import pytest

from torquec.report import comparison_plots
from torquec.report.comparison_plots import plot_comparison
from torquec.robot import attach_payload, classics
from torquec.simulation.comparison_of_models import compare
from torquec.trajectory import minimum_jerk

pytest.importorskip("matplotlib")

ALWAYS = {"torques.png", "torque_differences.png", "eigenvalues.png", "linear_response.png"}
LOOPS = {"tracking_errors.png", "acceleration_errors.png"}


@pytest.fixture(scope="module")
def found():
    arm = classics.planar2r()
    other = attach_payload(arm, arm.frames[-1].name, mass=0.3)
    motion = minimum_jerk([0.0, 0.0], [0.5, 0.4], 0.3, joints=arm.joint_names, period=0.005)
    return compare(arm, other, motion, rounds=1)


def test_every_picture_is_whole_and_no_other_file_is_left(found, tmp_path):
    files = plot_comparison(found, tmp_path / "new" / "folder", ("one", "two"))
    assert {path.name for path in files} == ALWAYS | LOOPS
    assert set((tmp_path / "new" / "folder").iterdir()) == set(files)
    for path in files:
        assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert path.stat().st_size > 5000


def test_loops_that_could_not_be_closed_are_left_out(found, tmp_path):
    a, b = (dataclasses.replace(side, loop=None, refused="no loop") for side in (found.a, found.b))
    files = plot_comparison(dataclasses.replace(found, a=a, b=b), tmp_path, ("one", "two"))
    assert {path.name for path in files} == ALWAYS
    files = plot_comparison(dataclasses.replace(found, b=b), tmp_path, ("one", "two"))
    assert {path.name for path in files} == ALWAYS | LOOPS


def test_curves_are_those_of_the_two_models(found, tmp_path, monkeypatch):
    """What is drawn, taken from the axes: a minus b is the difference of the curves of the first picture."""
    drawn = {}
    real = comparison_plots.panels_done

    def spy(figure, axes, count, title, path):
        drawn[title] = [[(line.get_label(), line.get_ydata()) for line in axis.get_lines()] for axis in axes[:count]]
        return real(figure, axes, count, title, path)

    monkeypatch.setattr(comparison_plots, "panels_done", spy)
    plot_comparison(found, tmp_path, ("one", "two"))
    for joint in range(2):
        curves = dict(drawn["Torques along the motion"][joint])
        assert curves["a: one"] == pytest.approx(found.a.torques[:, joint])
        assert curves["b: two"] == pytest.approx(found.b.torques[:, joint])
        difference = dict(drawn["Torques, a - b"][joint])["a - b"]
        assert difference == pytest.approx(found.a.torques[:, joint] - found.b.torques[:, joint])
        accelerations = dict(drawn["Acceleration errors of computed torque from each model"][joint])
        assert accelerations["b: two"] == pytest.approx((found.b.loop.qdd_ref - found.b.loop.qdd)[:, joint])
