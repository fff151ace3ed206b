"""What is promised of a controller, as text."""

from __future__ import annotations

from tests.control.guaranteed_models import claimed

from torquec.control.guarantee_sentence import guarantee_sentence
from torquec.control.tracking_guarantee import tracking_guarantee
from torquec.foundation.rounded_bound import rounded_down, rounded_up
from torquec.report.guarantee_text import guarantee_text, statistics_text
from torquec.robot.classics import load_classic
from torquec.trajectory import minimum_jerk


def test_a_guarantee_along_a_reference_and_in_a_box():
    robot = load_classic("scara")
    model = claimed(robot, [0.05, 0.02, 0.1, 0.004], lower=(-1.0, -1.0, -0.2, -1.0), upper=(1.0, 1.0, 0.0, 1.0))
    motion = minimum_jerk([0.0, 0.5, -0.1, 0.0], [0.4, 0.9, -0.05, 0.5], 1.0, joints=robot.joint_names)
    along = tracking_guarantee(model, -20, motion, period=0.001)
    text = guarantee_text(along.to_document())
    sentence = guarantee_sentence(along.to_document())
    assert text.startswith(f"P{sentence[1:]}.\n")
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
