"""What `simulate` says of a run: errors with units, what saturated, and what it was that moved."""

from __future__ import annotations

from torquec.report.simulation_text import simulation_text

UNITS = {"slide": "m", "turn": "rad"}
RUN = {
    "controller": "computed-torque",
    "period": 0.001,
    "joints": ["slide", "turn"],
    "rmse": {"slide": 1.5e-4, "turn": 2.5e-3},
    "max_error": {"slide": 3.0e-4, "turn": 5.0e-3},
    "saturated": [],
    "steps": 2000,
    "steps_per_second": 1234567.0,
}


def test_every_joint_with_its_unit():
    lines = simulation_text("arm", UNITS, RUN).splitlines()
    assert lines[0] == "computed-torque on arm, a sample every 0.001 s"
    rows = [line.split() for line in lines if line.startswith("  ")]
    assert rows == [
        ["joint", "rmse", "max", "error", "unit"],
        ["slide", "0.00015", "0.0003", "m"],
        ["turn", "0.0025", "0.005", "rad"],
    ]
    assert lines[-1] == "2000 steps, 1,234,567 per second"


def test_a_plant_that_is_a_model_is_named():
    text = simulation_text("arm", UNITS, {**RUN, "plant": "certified"})
    assert "what moves is the certified model itself" in text
    assert "what moves" not in simulation_text("arm", UNITS, {**RUN, "plant": "exact"})


def test_saturated_drives_say_when_and_what_to_do():
    text = simulation_text("arm", UNITS, {**RUN, "saturated": ["turn"], "first_saturation": {"turn": 0.25}})
    assert "turn asked for more than its drive can give, first at t = 0.25 s: make the motion slower" in text
    many = simulation_text("arm", UNITS, {**RUN, "saturated": ["turn"]})  # of many runs no one instant is the first
    assert "turn asked for more than its drive can give: make the motion slower" in many


def test_limits_that_were_passed():
    passed = {"joint": "slide", "quantity": "position", "time": 0.25, "value": 1.5, "limit": 1.25}
    text = simulation_text("arm", UNITS, {**RUN, "passed_limits": [passed]})
    assert "slide left its range at t = 0.25 s and came to 1.5 m; the limit is 1.25 m." in text


def test_many_runs_and_the_tool():
    tip = {"frame": "tool", "rmse": 1e-3, "max": 2.5e-3}
    text = simulation_text("arm", UNITS, {**RUN, "runs": 200, "diverged": 3, "tip": tip})
    assert "200 runs, 3 of them diverged; the errors are over the others." in text
    assert "tool: rmse 1 mm, max 2.5 mm" in text
