"""What `design` shows of a controller: operations, poles and gains, weights, robustness, and what is promised."""

from __future__ import annotations

from torquec.report.design_text import design_text

DESIGN = {
    "controller": "computed-torque",
    "period": 0.002,
    "evaluation": "measured",
    "operations": {"mul": 40, "add": 30, "div": 0, "sincos": 2},
    "joints": ["j1", "j2"],
    "poles": [[[-20.0, 0.0], [-20.0, 0.0]], [[-10.0, 5.0], [-10.0, -5.0]]],
    "gains": {"j1": {"kp": 400.0, "kd": 40.0}, "j2": {"kp": 125.0, "kd": 20.0}},
    "robustness": {},
    "payload": {},
    "covariance": {},
    "guarantee": {"valid": False, "reason": "nothing is certified"},
}


def test_poles_and_gains_by_joint():
    text = design_text("arm", DESIGN)
    assert text.splitlines()[0] == (
        "computed-torque for arm, called every 0.002 s: 40 mul, 30 add, 2 sincos; "
        "the model is evaluated at the measured state"
    )
    rows = [line.split() for line in text.splitlines()]
    assert ["joint", "poles", "[1/s]", "kp", "kd"] in rows
    assert ["j1", "-20+0j,", "-20+0j", "400", "40"] in rows
    assert ["j2", "-10+5j,", "-10-5j", "125", "20"] in rows
    assert text.endswith("No guarantee: nothing is certified")
    assert "Stable while" not in text


def test_weights_where_gains_change_with_time():
    design = {
        **DESIGN,
        "evaluation": None,
        "poles": [],
        "gains": {},
        "weights": {"q": [100.0, 50.0], "tau": [1.0, 2.0]},
    }
    text = design_text("arm", design)
    assert "evaluated" not in text
    assert ["j2", "50", "2"] in [line.split() for line in text.splitlines()]
    assert "gains change with time" in text


def test_factors_of_the_model_that_the_loop_tolerates():
    robust = {**DESIGN, "robustness": {"alpha": [0.25, None], "gamma": [0.5, 2.0]}}
    rows = [line.split() for line in design_text("arm", robust).splitlines()]
    assert ["factor", "above", "below"] in rows
    assert ["alpha", "0.25", "-"] in rows
    timed = {**robust, "robustness_times": {"alpha": [0.1, 0.2], "gamma": [0.3, 0.4]}}
    rows = [line.split() for line in design_text("arm", timed).splitlines()]
    assert ["gamma", "0.5", "2", "0.3", "s", "0.4", "s"] in rows


def test_statistics_stand_before_the_guarantee():
    text = design_text("arm", {**DESIGN, "payload": {"lower": 0.0, "upper": 3.5, "unit": "kg", "frame": "tool"}})
    assert text.index("up to 3.5 kg") < text.index("No guarantee")
