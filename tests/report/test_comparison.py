"""What `compare` shows of two models: differences, closed loops, eigenvalues, operations, a log."""

from __future__ import annotations

from torquec.report.comparison import comparison_text

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
