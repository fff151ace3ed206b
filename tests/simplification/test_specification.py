from __future__ import annotations

import math
from pathlib import Path

import pytest

import torquec as tq
from torquec.errors import SpecificationError
from torquec.simplification.specification import load_specification, parse_specification

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "specifications"
EVERY = "[every_joint]\nvelocity = 1.0\nacceleration = 2.0\n"


def parse(text, robot=None):
    return parse_specification(text, robot or tq.classics.puma560(), source="spec.toml")


def test_examples_load():
    puma, stanford = tq.classics.puma560(), tq.classics.stanford()
    torque = load_specification(EXAMPLES / "puma560_torque.toml", puma)
    assert [joint.torque_error for joint in torque.joints] == pytest.approx([0.976, 1.864, 0.894, 0.242, 0.201, 0.213])
    threshold = load_specification(EXAMPLES / "puma560_threshold.toml", puma)
    assert threshold.coefficients is not None
    assert (threshold.coefficients.threshold, threshold.coefficients.digits) == (0.01, 4)
    control = load_specification(EXAMPLES / "stanford_control.toml", stanford)
    assert control.joints[0].motor.resonance == pytest.approx(8.0 * math.pi)
    assert control.joints[0].control.step_error == 0.002
    # A joint's own table goes before [every_joint], key by key.
    assert control.joints[3].control.step_error == 0.005
    assert control.joints[3].control.damping_error == 0.05
    assert control.box.lower[2] == 0.15


def test_speed_comes_from_the_limits_and_ranges_from_either():
    spec = parse(
        '[every_joint]\nacceleration = 5\ntorque_error = 1\n[[joint]]\nname = "joint2"\nrange_deg = [-90, 45]\n'
    )
    assert spec.joints[0].velocity == tq.classics.puma560().joints[0].limits.velocity
    assert (spec.box.lower[1], spec.box.upper[1]) == pytest.approx((-math.pi / 2, math.pi / 4))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('robot = "ur5"', r"spec\.toml:1: the specification is for robot 'ur5', not for 'puma560'"),
        (EVERY, r"spec\.toml:1: nothing is required of joint 'joint1'"),
        ('precision = "half"\n' + EVERY + "torque_error = 1", r"spec\.toml:1: .*'half'"),
        (
            'precision = "single"\n[coefficients]\nthreshold = 0.01',
            r"single precision is proven for torque errors only",
        ),
        (EVERY + "torque_eror = 1", r"spec\.toml:4: unknown key 'every_joint\.torque_eror'"),
        (EVERY + "torque_error = -1", r"spec\.toml:4: 'torque_error' is -1"),
        (EVERY + "torque_error_part = 3", r"spec\.toml:4: 'torque_error_part' is 3\n.*between 0 and 1.*3 % is 0\.03"),
        (EVERY + "torque_error_part = 1.0", r"spec\.toml:4: 'torque_error_part' is 1\n"),
        (EVERY + "torque_error_part = -0.1", r"spec\.toml:4: 'torque_error_part' is -0\.1\n"),
        (EVERY + "torque_error_part = 0", r"spec\.toml:4: 'torque_error_part' is 0\n"),
        (EVERY + "torque_error_part = nan", r"spec\.toml:4: .*'every_joint\.torque_error_part' is nan"),
        (EVERY + "torque_error_part = inf", r"spec\.toml:4: .*'every_joint\.torque_error_part' is inf"),
        (EVERY + 'torque_error = "1,5"', r"spec\.toml:4: .*'1,5'"),
        (EVERY + "torque_error = 1\ntorque_error_part = 0.1", r"spec\.toml:5: the torque error is given twice"),
        (EVERY + 'torque_error = 1\n[[joint]]\nname = "elbow"', r"spec\.toml:6: .*no independent joint 'elbow'"),
        (EVERY + 'torque_error = 1\n[[joint]]\nname = "joint1"\n[[joint]]\nname = "joint1"', r":8: .*given twice"),
        (EVERY + "torque_error = 1\n[coefficients]\nthreshold = 0.01", r"and requirements for joints"),
        ("[coefficients]\nthreshold = 0.01\ndigits = 0", r"spec\.toml:3: 'coefficients\.digits' is 0"),
        ("[coefficients]\ndigits = 4", r"'coefficients\.threshold' is missing"),
        ("[every_joint]\nvelocity = 1\ntorque_error = 1", r"joint 'joint1' has no acceleration"),
        (EVERY + "torque_error = 1\nrange = [1, 0]", r"spec\.toml:5: 'range' is \[1\.0, 0\.0\]"),
        (EVERY + "control = { damping_error = 0.1 }", r"no steady-state error is required"),
        (EVERY + "control = { damping_error = 0.6, step_error = 1 }", r"'damping_error' is 0\.6"),
        (EVERY + "torque_error = 1\ncontrol = { step_error = 0.1 }", r"a torque error and a control requirement"),
        ("robot =", r"spec\.toml:1: not TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text, message):
    with pytest.raises(SpecificationError, match=message) as caught:
        parse(text)
    assert caught.value.remedy


def test_missing_motor_data_names_what_is_missing_and_what_needs_none():
    with pytest.raises(SpecificationError) as caught:
        parse(EVERY + "control = { step_error = 0.01 }\nmotor = { torque_constant = 0.1, inertia = 2 }")
    text = str(caught.value)
    assert "joint 'joint1'" in text
    for missing in ("armature_resistance", "back_emf_constant", "gear_ratio", "resonance"):
        assert f"motor.{missing}" in text
    assert "motor.torque_constant" not in text
    for alternative in ("torque_error ", "torque_error_part", "[coefficients] threshold"):
        assert alternative in text


def test_a_part_of_a_limit_needs_the_limit():
    with pytest.raises(SpecificationError, match="joint 'joint1' has no effort limit in its file") as caught:
        parse(EVERY + "torque_error_part = 0.01", tq.classics.stanford())
    assert "torque_error" in caught.value.remedy


def test_the_file_is_named(tmp_path):
    with pytest.raises(SpecificationError, match=r"missing\.toml"):
        load_specification(tmp_path / "missing.toml", tq.classics.puma560())
