"""What `compare` shows of two models: differences, closed loops, eigenvalues, operations, a log."""

from __future__ import annotations

import dataclasses

import pytest

from torquec.report import comparison
from torquec.report.comparison import comparison_text, plot_comparison
from torquec.robot import attach_payload, classics
from torquec.simulation.comparison_of_models import compare
from torquec.trajectory import minimum_jerk

ERROR = {"max": 1.5, "mean": 0.5, "std": 0.25, "rms": 0.75, "bias": -0.125}
TRACKED = {"rmse": {"j1": 0.001}, "max_error": {"j1": 0.002}, "acceleration_rmse": {"j1": 0.3}}
DOCUMENT = {
    "kinds": {"a": "exact", "b": "certified"},
    "samples": 501,
    "torque": {"j1": ERROR},
    "tracking": {"a": TRACKED, "b": {**TRACKED, "rmse": {"j1": 0.004}}},
    "at": 0.25,
    "eigenvalues": {"a": [[-2.0, 0.0], [0.0, 3.5]], "b": [[-1.0, 0.0], [0.0, 3.25]]},
    "operations": {"a": {"total_torque": {"mul": 20, "add": 10}}, "b": {"gravity_torque": {"mul": 3, "add": 1}}},
    "ns": {"a": {"total_torque": 151.2}, "b": {"gravity_torque": 90.4}},
}


def rows_of(document):
    return [line.split() for line in comparison_text(("one.urdf", "two.tq.json"), document).splitlines()]


def test_differences_loops_and_eigenvalues():
    rows = rows_of(DOCUMENT)
    assert rows[:2] == [["a:", "one.urdf", "(exact)"], ["b:", "two.tq.json", "(certified)"]]
    assert ["j1", "1.5", "0.5", "0.25", "0.75", "-0.125"] in rows
    assert ["j1", "0.001", "0.004", "0.002", "0.002", "0.3", "0.3"] in rows
    assert ["-2", "-1"] in rows
    assert ["0", "+3.5j", "0", "+3.25j"] in rows


def test_a_quantity_that_one_model_lacks_has_dashes():
    rows = rows_of(DOCUMENT)
    assert ["total_torque", "20/10", "151", "-", "-"] in rows
    assert ["gravity_torque", "-", "-", "3/1", "90"] in rows


def test_random_states_only_where_they_were_asked_for():
    assert "random states" not in comparison_text(("a", "b"), DOCUMENT)
    assert "random states" in comparison_text(("a", "b"), {**DOCUMENT, "random": {"j1": ERROR}})


def test_a_loop_that_cannot_be_closed_says_why():
    refused = {**DOCUMENT, "tracking": {"a": TRACKED, "b": {"refused": "M is not served"}}}
    text = comparison_text(("a", "b"), refused)
    assert "Computed torque from b cannot be simulated: M is not served" in text
    assert "rmse a" not in text


def test_along_a_log_each_side_or_a_dash():
    log = {"file": "run.csv", "joints": ["j1"], "a": {"torque_rms": {"j1": 0.5}}, "b": None}
    text = comparison_text(("a", "b"), {**DOCUMENT, "log": log})
    assert "Along run.csv:" in text
    assert text.splitlines()[-1].split() == ["j1", "0.5", "-"]


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
    """What is drawn: a minus b is the difference of the curves of the first picture."""
    drawn = {}

    def spy(plots, path, *, title):
        drawn[title] = [[(series.name, series.y) for series in plot.series] for plot in plots]
        return path

    monkeypatch.setattr(comparison, "write_picture", spy)
    plot_comparison(found, tmp_path, ("one", "two"))
    for joint in range(2):
        curves = dict(drawn["Torques along the motion"][joint])
        assert curves["a: one"] == pytest.approx(found.a.torques[:, joint])
        assert curves["b: two"] == pytest.approx(found.b.torques[:, joint])
        difference = dict(drawn["Torques, a - b"][joint])["a - b"]
        assert difference == pytest.approx(found.a.torques[:, joint] - found.b.torques[:, joint])
        accelerations = dict(drawn["Acceleration errors of computed torque from each model"][joint])
        assert accelerations["b: two"] == pytest.approx((found.b.loop.qdd_ref - found.b.loop.qdd)[:, joint])
