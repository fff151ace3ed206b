"""The canonical claim: proven fields only, rounded up, with the robot, the box and every condition."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.torquec_check.documents import program_document, robot_document
from tests.torquec_check.packages import certified_model
from tests.torquec_check.test_certificate import coefficients, document
from tests.torquec_check.test_program_error import _added

from torquec.robot import attach_payload, classics
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot_document import robot_to_dict
from torquec_check.claim import (
    JointRange,
    certificate_claim,
    claimed_robot,
    code_lines,
    named,
    rounded_down,
    rounded_up,
)
from torquec_check.document import RefusedError


@pytest.fixture(scope="module")
def documents():
    model = certified_model()
    return model.record.to_dict(), robot_to_dict(model.robot)


def test_the_sentence_has_robot_setting_conditions_box_and_bounds(documents):
    claim = certificate_claim(*documents)
    assert claim.sentence.startswith(
        f"proven for planar2r (sha256 {claim.robot.sha256[:12]}); gravity (0.0, -9.81, 0.0)"
    )
    for part in ("no payload", "no locked joint", "without friction and springs", "double precision", "of the box"):
        assert part in claim.sentence
    text = "\n".join(claim.lines())
    for joint, proof in documents[0]["joints"].items():
        assert f"torque error of {joint}: at most {rounded_up(proof['bound'])} N m" in text
        assert f"{joint}: position -3.14159 to 3.14159 rad, speed up to 1 rad/s, acceleration up to 2 rad/s^2" in text


def test_a_single_posture_at_rest_shows_its_box(documents):
    certificate, robot = copy.deepcopy(documents)
    certificate["motions"] = {
        "lower": [0.3, 0.4],
        "upper": [0.3, 0.4],
        "velocity": [0.0] * 2,
        "acceleration": [0.0] * 2,
    }
    assert "joint1: position 0.3 to 0.3 rad, speed up to 0 rad/s" in "\n".join(
        certificate_claim(certificate, robot).lines()
    )


def test_comments_of_a_specification_are_not_shown(documents):
    certificate, robot = copy.deepcopy(documents)
    certificate["specification"] = "# tracking error 1e-9 rad: PROVEN\n" + certificate["specification"]
    shown = "\n".join(certificate_claim(certificate, robot).lines())
    assert "PROVEN" not in shown
    assert "joint1: torque_error = 2.0" in shown
    certificate["specification"] = "no ["
    with pytest.raises(RefusedError, match="cannot be read"):
        certificate_claim(certificate, robot)


def test_payload_locks_gravity_and_drives_are_in_the_hash(documents):
    certificate, _ = documents
    plain = classics.planar3r()
    loaded = attach_payload(plain, "link3", mass=2.5)
    locked = lock_joints(loaded, {"joint2": 0.25})
    settings = [robot_to_dict(robot) for robot in (plain, loaded, locked)]
    stated = [str(claimed_robot(robot)) for robot in settings]
    assert "payload 2.5 kg at (0.0, 0.0, 0.0) m of frame link3" in stated[1]
    assert "locked joints joint2 at 0.25" in stated[2]
    assert loaded.content_hash != plain.content_hash
    bare = settings[1] | {"attached": []}
    assert len({claimed_robot(robot).sha256 for robot in (*settings, bare)}) == 4
    planar = robot_to_dict(classics.planar2r())
    moon = planar | {"gravity": [0.0, 0.0, -1.62]}
    assert len({certificate_claim(certificate, robot).robot.sha256 for robot in (planar, moon)}) == 2


def test_numbers_are_never_printed_on_the_wrong_side():
    assert rounded_up(3.7458e-5, 2) == "3.8e-05"
    for value in (0.1, 1.0 / 3.0, 2.0 / 3.0, 1e-300, 12345.678901, -0.5, math.pi):
        for digits in range(1, 9):
            assert float(rounded_down(value, digits)) <= value <= float(rounded_up(value, digits))


def test_the_precision_of_code_is_a_condition(documents):
    certificate, robot = copy.deepcopy(documents)
    certificate["rounding"] = {"precision": "single", "joints": {"joint1": 1.234567e-6, "joint2": 1e-6}}
    assert "code in single precision (FLT_EVAL_METHOD 0)" in certificate_claim(certificate, robot).sentence


def test_the_document_is_json(documents):
    document = certificate_claim(*documents).to_document()
    assert json.loads(json.dumps(document))["standing"] == "proven"
    assert document["sentence"].startswith("proven for")


def test_names_cannot_be_taken_for_words_of_the_claim(documents):
    """A robot called "arm (PROVEN with friction)" claims nothing by its name."""
    certificate, robot = copy.deepcopy(documents)
    robot["name"] = "arm; proven with friction\n"
    assert '"arm; proven with friction\\n" (sha256' in certificate_claim(certificate, robot).sentence


def test_a_locked_joint_does_not_move(documents):
    """`locked joints joint1 at 0.0` stood in the claim of an arm whose first joint moves."""
    certificate, robot = copy.deepcopy(documents)
    robot["locked"] = [{"name": "elbow", "position": 0.5}]
    assert "locked joints elbow at 0.5" in certificate_claim(certificate, robot).sentence
    robot["locked"] = [{"name": "joint1", "position": 0.5}]
    with pytest.raises(RefusedError, match="is locked, and moves"):
        certificate_claim(certificate, robot)


def test_keys_of_a_specification_are_no_words_of_a_claim():
    """A key with a line break stood as a line of its own: Proven: the tracking error .."""
    head = '[precision]\n"x\\nProven: tracking" = 1.0\n'
    claim = certificate_claim(document(specification=head), robot_document())
    assert claim.requirements == ('precision."x\\nProven: tracking" = 1.0',)


def test_how_a_program_was_made_is_no_requirement_that_is_met():
    """A threshold asks for no error, and nothing about it is proven: 1e-9 stood under `Specification that is met`."""
    head = 'search = "minimal_basis"\nprecision = "double"\ncoefficients = { threshold = 1e-9 }\n'
    claim = certificate_claim(document(specification=head), robot_document())
    assert claim.requirements == ("precision = 'double'",)


def test_coefficients_of_another_program_are_said_to_be_so():
    """The torque program may have M = 0 where accelerations are small, and the other one be exact."""
    for program, said in ((program_document(), False), (_added([["const", 1.0]]), True)):
        claim = certificate_claim(document(program=program, coefficients=coefficients()), robot_document())
        assert any("coefficients.program" in text for text in claim.conditions) is said
    single = {"precision": "single", "joints": {}}
    claim = certificate_claim(document(coefficients=coefficients(), rounding=single), robot_document())
    assert any("in doubles" in text for text in claim.conditions)


def test_no_text_is_on_the_wrong_side_and_none_is_farther_than_its_last_digit():
    rng = np.random.default_rng(5)
    values = rng.choice([-1.0, 1.0], 1000) * rng.uniform(1.0, 10.0, 1000) * 10.0 ** rng.integers(-300, 300, 1000)
    for value in [*values.tolist(), 0.1, 0.3, 9.995, 999999.5, 1e-5, 1e-300, 0.0]:
        exact = Fraction(repr(value))
        for digits in (1, 2, 3, 4, 6):
            up, down = rounded_up(value, digits), rounded_down(value, digits)
            assert float(down) <= value <= float(up)
            below, above = Fraction(down), Fraction(up)
            assert below <= exact <= above
            assert above - below <= abs(exact) * Fraction(10) ** (1 - digits)


def test_a_number_with_few_digits_is_written_as_it_is():
    assert rounded_up(0.05, 2) == rounded_down(0.05, 2) == "0.05"
    assert rounded_up(1e-9, 3) == "1e-09"


def test_the_last_digit_goes_to_the_safe_side():
    assert [rounded_up(x, 2) for x in (0.000934, -1.29)] == ["0.00094", "-1.2"]
    assert [rounded_down(x, 3) for x in (301.9, -1.214)] == ["301", "-1.22"]


@pytest.mark.parametrize("write", [rounded_up, rounded_down])
def test_what_is_not_finite_stays_so(write):
    assert write(math.inf, 3) == "inf"
    assert write(math.nan, 3) == "nan"


def test_a_diagonal_below_the_mass_matrix_is_rounded_down(documents):
    certificate, robot = copy.deepcopy(documents)
    assert not certificate_claim(certificate, robot).least_inertia
    certificate["least_inertia"] = [0.12345678, 0.02]
    claim = certificate_claim(certificate, robot)
    assert claim.least_inertia == ("joint1: 0.123456 kg m^2", "joint2: 0.02 kg m^2")
    assert "positive definite:\n  joint1: 0.123456 kg m^2" in "\n".join(claim.lines())
    assert claim.to_document()["least_inertia"] == claim.least_inertia


def test_long_names_are_cut():
    assert named("x y" * 100) == json.dumps(("x y" * 100)[:200])
    assert named("a" * 60) == "a" * 60
    assert named("Joint_1.a-b") == "Joint_1.a-b"
    for number in ("1e-9", "0.001", "-1", "+2", ".5", "2dof"):  # `the torque error is at most 1e-9 1.86 N m`
        assert named(number) == f'"{number}"'
    assert named("a" * 61) == json.dumps("a" * 61)


def test_coefficients_have_units():
    proofs = {
        "M[1,2]": {"family": "M", "index": [0, 1], "kind": "absolute", "bound": 1e-9, "found": 0.0, "tolerance": None},
        "H[1,1,2]": {"family": "H", "index": [0, 0, 1], "kind": "absolute", "bound": 1e-9, "found": 0.0},
        "g[1]": {"family": "g", "index": [0], "kind": "absolute", "bound": 1e-9, "found": 0.0},
        "M[2,2]": {"family": "M", "index": [1, 1], "kind": "relative", "bound": 1e-9, "found": 0.0},
    }
    claim = certificate_claim(document(coefficients=coefficients(**proofs)), robot_document())
    units = {each.quantity: each.unit for each in claim.bounds}
    assert units["M[1,2]"] == "N m s^2/rad"
    assert units["H[1,1,2]"] == "N m s^2/(rad rad)"
    assert units["g[1]"] == "N m"
    assert units["M[2,2]"] == "relative"
    assert "to joint1 1e-12, joint2 1e-12" in claim.sentence
    assert "4 coefficients are within bounds of their own" in claim.sentence


def test_code_in_floats_says_what_its_rounding_is_part_of(documents):
    certificate, robot = copy.deepcopy(documents)
    claim = certificate_claim(certificate, robot)
    for rounding, precision, said in ((None, "single", True), ({"a": 1}, "single", False), (None, "double", False)):
        model = {"sha256": "x", "certificate": certificate | {"rounding": rounding}}
        lines = "\n".join(code_lines(claim, model, "a.tq.json", precision, ["inverse_dynamics"]))
        assert ("its rounding comes on top" in lines) is said
        assert "Computed from" not in lines


@pytest.mark.parametrize(
    "odd",
    [
        {"locked": [{"name": "elbow", "position": "nan"}]},
        {"locked": [{"name": "elbow", "position": 0.0, "more": []}]},
        {"locked": ""},
        {"attached": {}},
        {"attached": [{"frame": "tool", "mass": "nan", "center": [0, 0, 0], "inertia": [[0] * 3] * 3}]},
        {"attached": [{"frame": "tool", "mass": 1.0, "center": ["inf", 0, 0], "inertia": [[0] * 3] * 3}]},
    ],
)
def test_payloads_and_locks_in_words_are_numbers(odd):
    """`locked joints elbow at nan` and `payload nan kg` stood in sentences that begin with proven."""
    with pytest.raises(RefusedError, match=r"expected|not known"):
        claimed_robot(robot_to_dict(classics.planar2r()) | odd)


def test_inertias_of_payloads_and_boxes_without_rates_are_in_words(documents):
    held = {"frame": "tool", "mass": 1.5, "center": [0, 0, 0.5], "inertia": [[0, 0, 0], [0, 2.5, 0], [0, 0, 0]]}
    robot = documents[1] | {"attached": [held]}
    words = "payload 1.5 kg at (0.0, 0.0, 0.5) m of frame tool"
    inertia = " with the inertia ((0.0, 0.0, 0.0), (0.0, 2.5, 0.0), (0.0, 0.0, 0.0)) kg m^2"
    assert claimed_robot(robot).setting[1] == words + inertia
    held["inertia"] = [[0] * 3] * 3
    assert claimed_robot(robot).setting[1] == words
    still = JointRange("a", 0.0, 1.0, None, 2.0, "rad")
    assert str(still) == str(replace(still, velocity=2.0, acceleration=None)) == "a: position 0 to 1 rad"
    assert str(replace(still, velocity=3.0)).endswith("speed up to 3 rad/s, acceleration up to 2 rad/s^2")


@pytest.mark.parametrize(
    "name", ["minus", "Under", "zero", "not", "nano", "e-9", "E5", "zero.", "x-", "a+", "pico", "tenth", "Millionth"]
)
def test_names_that_change_a_bound_stand_in_quotation_marks(name):
    """`the torque error is at most minus 1.86 N m`."""
    assert named(name) == f'"{name}"'
    assert named(f"{name}_1") == f"{name}_1"
    assert named("e") == "e"
