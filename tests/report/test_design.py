"""The text of `torquec design`, limits near a perfect model, values of root loci, and its pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.control.guaranteed_models import claimed

from torquec.control.robustness import ErrorFactor
from torquec.control.stability_interval import StabilityInterval
from torquec.control.tracking_claim import computed_reason, tracking_claim
from torquec.control.tracking_guarantee import tracking_guarantee
from torquec.report.design import design_text, guarantee_text, locus_values, narrow_limits, plot_design, statistics_text
from torquec.robot.classics import load_classic
from torquec.trajectory import minimum_jerk
from torquec_check.claim import rounded_down, rounded_up

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
PNG = b"\x89PNG"


def test_poles_and_gains_by_joint():
    text = design_text("arm", DESIGN)
    assert text.splitlines()[0] == (
        "computed-torque for arm, called every 0.002 s: 40 mul, 30 add, 2 sincos; "
        "the model is evaluated at the measured state"
    )
    rows = [line.split() for line in text.splitlines()]
    assert ["joint", "poles", "[1/s]", "kp", "kd"] in rows
    assert ["j1", "-20,", "-20", "400", "40"] in rows
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


def test_a_guarantee_along_a_reference_and_in_a_box():
    robot = load_classic("scara")
    model = claimed(robot, [0.05, 0.02, 0.1, 0.004], lower=(-1.0, -1.0, -0.2, -1.0), upper=(1.0, 1.0, 0.0, 1.0))
    motion = minimum_jerk([0.0, 0.5, -0.1, 0.0], [0.4, 0.9, -0.05, 0.5], 1.0, joints=robot.joint_names)
    along = tracking_guarantee(model, -20, motion, period=0.001)
    text = guarantee_text(along.to_document())
    claim = tracking_claim(along.to_document())
    assert text.startswith("Errors at every instant, under the conditions below, at most (computed)\n")
    words = " ".join(text.split())
    assert all(condition in words for condition in (*claim.robot.setting, *claim.conditions))
    assert text.endswith(f"C{computed_reason(along.to_document())[1:]}.")
    assert rounded_up(along.joints[1].position, 4) in text
    assert "for every reference that keeps" not in text
    box = tracking_guarantee(model, -20)
    text = guarantee_text(box.to_document())
    assert "for every reference that keeps" in text
    assert rounded_down(box.references[0].acceleration, 4) in text


def test_no_guarantee_says_why():
    none = tracking_guarantee(load_classic("planar2r"), -20)
    assert guarantee_text(none.to_document()) == f"No guarantee: {none.reason}"


def test_statistics_are_named_so():
    payload = {"lower": -1.0, "upper": 12.5, "unit": "kg", "frame": "tool"}
    stable = (
        "Statistics: linear stability, which is not accuracy, with up to 12.5 kg at 'tool' that the model does not know"
    )
    assert statistics_text(payload, {}) == stable
    assert "any payload" in statistics_text({**payload, "upper": None}, {})
    both = statistics_text(payload, {"level": 0.95, "stable": False, "scale": 0.5})
    assert "NOT stable for the parameters that 95 % of identifications give; the limit is 0.5 times" in both
    assert statistics_text({}, {}) == ""
    assert "unstable" in statistics_text({"reason": "the loop is unstable"}, {"reason": "unknown parameters"})


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.95, 1.5), ["5 % less inertia"]),
        ((0.5, 1.05), ["5 % more inertia"]),
        ((0.99, 1.01), ["1 % less inertia", "1 % more inertia"]),
        ((0.85, 1.15), []),
        ((None, None), []),
    ],
)
def test_limits_within_a_tenth_are_told(ends, words):
    said = narrow_limits({"gamma": ends})
    assert len(said) == len(words)
    assert all(word in text for word, text in zip(words, said, strict=True))


@pytest.mark.parametrize(
    ("factor", "lower", "upper"),
    [
        (ErrorFactor.ALPHA, -129.8, 158.1),
        (ErrorFactor.BETA, -math.inf, 38.9),
        (ErrorFactor.GAMMA, 0.0, math.inf),
        (ErrorFactor.ALPHA, -math.inf, math.inf),
    ],
)
def test_values_hold_one_and_pass_the_limits(factor, lower, upper):
    values = locus_values(StabilityInterval(factor, lower, upper))
    assert 1.0 in values
    assert np.isfinite(values).all()
    assert values == sorted(set(values))
    if math.isfinite(upper):
        assert max(values) > upper
    if math.isfinite(lower) and factor is not ErrorFactor.GAMMA:
        assert min(values) < lower
    assert factor is not ErrorFactor.GAMMA or min(values) == 0.0


def test_pictures_are_written(tmp_path):
    pytest.importorskip("matplotlib")
    document = {
        "controller": "pole-placement",
        "period": 0.01,
        "sampled": True,
        "eigenvalues": [[-1.0, 1.0], [-1.0, -1.0]],
        "open_loop": [[0.0, 1.0], [0.0, -1.0]],
        "root_loci": [
            {"factor": "gamma", "time": None, "values": [0.5, 1.0], "real": [-1.0, -2.0], "imaginary": [1.0, 2.0]}
        ],
    }
    files = plot_design(document, {"gamma": (0.0, math.inf)}, tmp_path / "new", robot="arm")
    assert [path.name for path in files] == ["eigenvalues.png", "root_locus_gamma.png"]
    assert all(path.read_bytes().startswith(PNG) for path in files)
