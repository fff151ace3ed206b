"""Tracking witnesses: honest ones are proven, forged ones are refused, simulations keep the bound."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from tests.torquec_check.documents import robot_document
from tests.torquec_check.witnesses import loop, signed, witness

import torquec as tq
from torquec.simulation.worst_plant import worst_plant
from torquec_check.__main__ import check
from torquec_check.claim import Standing
from torquec_check.document import RefusedError
from torquec_check.tracking import check_tracking, next_radii, problem_of

RADII = ("position", "speed", "acceleration", "feedback")


def _refused(document, words="", *, claim=True):
    with pytest.raises(RefusedError) as error:
        check_tracking(signed(document, claim=claim))
    assert words in str(error.value)


def _array(document):
    return np.array([document["radii"][name] for name in RADII])


def _with_radii(document, radii):
    document["radii"] = {name: rows.tolist() for name, rows in zip(RADII, radii, strict=True)}
    return document


@pytest.mark.parametrize("uncertain", [False, True])
def test_honest_witnesses_are_proven_and_say_everything(uncertain):
    document = witness(uncertain=uncertain)
    claim = check_tracking(json.loads(json.dumps(document)))
    assert claim.standing is Standing.PROVEN
    largest = _array(document).max(axis=1)
    assert [each.bound for each in claim.bounds] == [*largest[0], *largest[1]]
    words = [
        "proven for planar2r",
        "held for 0.002 s",
        "computed torque at the measured state",
        "of 0.2 s, from 0 to 0.025",
    ]
    if uncertain:
        words += [
            "friction known to 30 %", "residual of 0.02 N m", "encoders of 1e-05 rad", "encoder offsets of 1e-05 rad",
            "masses known to 1 %", "unknown payload of 0 to 0.1 kg", "within 0.02 m", "0.05 kg of it in the document",
            "1 sampling interval(s) late", "by difference, filtered by 0.7", "smoothed over 0.05", "drives within",
            "drives that can give joint1 90 N m, joint2 30 N m",
        ]  # fmt: skip
    else:
        words += [
            "without friction",
            "exact sensors",
            "no delay",
            "drives that give the torque asked for",
            "no payload that",
        ]
    assert [each for each in words if each not in claim.sentence] == []


@pytest.mark.parametrize("name", RADII)
@pytest.mark.parametrize("uncertain", [False, True])
def test_radii_one_percent_too_small_are_refused(name, uncertain):
    document = witness(uncertain=uncertain)
    document["radii"][name] = [[0.99 * x for x in row] for row in document["radii"][name]]
    _refused(document, f"the {name} of joint")


def test_trimmed_radii_are_refused_when_they_are_a_millionth_smaller():
    document = witness()
    for joint in range(2):
        changed = copy.deepcopy(document)
        for row in changed["radii"]["position"]:
            row[joint] *= 1.0 - 1e-6
        _refused(changed, "the position of joint")


def test_one_radius_of_one_cell_counts():
    document = witness()
    document["radii"]["speed"][3][1] *= 0.99
    _refused(document, "in cell 3")


def test_a_missing_cell_of_time_is_refused():
    document = witness()
    shorter = copy.deepcopy(document)
    del shorter["cells"][4]
    _refused(shorter, "a list of", claim=False)
    del shorter["cells"][-1]
    for cell in (4, 20, -2):
        shorter = copy.deepcopy(document)
        del shorter["cells"][cell]
        for rows in shorter["radii"].values():
            del rows[cell]
        _refused(shorter, claim=cell == -2)


def _set(document, path, value):
    *where, last = path
    place = document
    for key in where:
        place = place[key]
    place[last] = value
    return document


WORSE = {
    "gains": (("loop", "stiffness", 0), 1000.0),
    "damping": (("loop", "damping", 1), 60.0),
    "sampling": (("loop", "period"), 0.004),
    "delay": (("loop", "delay"), 2),
    "filter": (("loop", "speed_filter"), [0.3, 0.3]),
    "friction part": (("sets", "friction_part", 0), 0.4),
    "residual": (("sets", "friction_residual", 1), 0.08),
    "drives": (("sets", "drive_error", 0), 0.2),
    "encoder": (("sets", "position", 1), 3e-5),
    "offset": (("sets", "position_bias", 0), 3e-5),
    "bodies": (("sets", "bodies", "mass_part"), 0.05),
    "inertias": (("sets", "bodies", "inertia_part"), 0.2),
    "payload": (("sets", "payload", "mass"), [0.0, 0.2]),
    "centre": (("sets", "payload", "centre_within"), 0.2),
    "model": (("model_errors", 1), 0.05),
    "start": (("start", "position", 0), 1e-3),
    "friction of the robot": (("robot_document", "bodies", 1, "joint", "friction", "coulomb_positive"), 1.2),
    "inertia": (("robot_document", "bodies", 1, "inertia", "zz"), 0.001),
    "gravity": (("robot_document", "gravity"), [0.0, -30.0, 0.0]),
    "smoothing": (("sets", "friction", "smoothing"), 0.0),
    "limits": (("efforts", 0), 1.0),
}


@pytest.mark.parametrize("name", WORSE)
def test_the_radii_of_easier_conditions_prove_nothing_about_harder_ones(name):
    _refused(_set(witness(), *WORSE[name]))


def test_a_faster_reference_is_refused():
    document = witness()
    rows = document["reference"]["coefficients"]
    document["reference"]["coefficients"] = (1.3 * np.array(rows)).tolist()
    _refused(document)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("sets", "friction_part", 0), 0.1),
        (("sets", "payload", "mass"), [0.0, 0.08]),
        (("sets", "position", 0), 0.0),
        (("loop", "delay"), 0),
        (("efforts", 0), None),
        (("robot_document", "name"), "another"),
    ],
)
def test_what_the_claim_says_is_what_is_proven(path, value):
    """Sets and robot are those of the sentence: a narrower one needs a claim that says so."""
    document = witness()
    changed = _set(copy.deepcopy(document), path, value)
    _refused(changed, "another claim", claim=False)
    wider = copy.deepcopy(document)
    wider["claim"] = wider["claim"].replace("friction known to 30 %", "friction known to 90 %")
    _refused(wider, "another claim", claim=False)


def test_omitted_friction_is_no_set():
    document = witness()
    document["sets"]["friction"] = None
    _refused(document, "friction is left out", claim=False)
    for name in ("friction_part", "friction_residual"):
        document["sets"][name] = [0.0, 0.0]
    assert "without friction" in check_tracking(signed(document)).sentence


def test_a_robot_of_other_units_is_another_robot():
    """Lengths in millimetres: the same numbers prove nothing."""
    document = witness()
    for body in document["robot_document"]["bodies"]:
        body["joint"]["placement"]["origin"] = [1000.0 * x for x in body["joint"]["placement"]["origin"]]
    _refused(document)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("sets", "friction_part", 0), -0.1, "negative"),
        (("model_errors", 0), float("nan"), "finite"),
        (("loop", "delay"), 21, "at most 20"),
        (("loop", "delay"), 1.5, "whole number"),
        (("loop", "period"), 0.0, "positive"),
        (("cells",), [], "one at least"),
        (("reference", "breaks"), [0.4, 0.0], "rise"),
        (("sets", "friction", "compensated"), "measured", "compensated at the reference"),
        (("sets", "payload", "frame"), "nowhere", "no frame"),
        (("sets", "payload", "nominal_mass"), 0.03, "no such nominal mass"),
        (("sets", "unknown"), 1.0, "not known"),
        (("start", "speed", 0), 0.1, "at rest"),
        (("robot_document", "bodies", 0, "joint", "spring"), {"stiffness": 1.0}, "has a spring"),
        (("robot_document", "frames", 2, "pose", "rotation"), [[0.0] * 3] * 3, "no rotation"),
        (
            ("robot_document", "frames", 2, "pose", "rotation"),
            [[1e-9, 0, 0], [0, 1e-9, 0], [0, 0, 1e-9]],
            "no rotation",
        ),
        (("robot_document", "frames", 2, "pose", "rotation"), [[1, 0, 0], [0, 1, 0]], "a list of 3"),
        (("robot_document", "attached", 0, "inertia", 1), [0.0, 5.0, 0.0], "no such nominal mass"),
        (("robot_document", "attached", 0, "center", 2), 0.1, "no such nominal mass"),
        (("robot_document", "bodies", 0, "joint", "friction", "further"), [["load", 0.1]], "beyond Coulomb"),
    ],
)
def test_malformed_witnesses_are_refused(path, value, words):
    with pytest.raises(RefusedError, match=words):
        problem_of(_set(witness(), path, value))


@pytest.mark.parametrize("text", ["x), exact, (", "\x1b[2J", "A" * 64, "0" * 63, "0" * 65])
def test_the_certificate_of_a_claim_is_a_hash(text):
    """Twelve letters of it stand in the claim."""
    document = witness()
    assert (
        "by the certificate 0123456789ab"
        in check_tracking(signed(document | {"certificate": "0123456789abcdef" * 4})).sentence
    )
    _refused(document | {"certificate": text}, "the SHA-256 of a certificate", claim=False)


def test_a_changed_witness_has_another_checksum():
    document = witness()
    document["radii"]["position"][0][0] *= 2.0
    with pytest.raises(RefusedError, match="checksum"):
        check_tracking(document)


def test_the_command_proves_a_witness_and_refuses_another_robot(tmp_path):
    file, other = tmp_path / "tracking_witness.json", tmp_path / "robot.json"
    file.write_text(json.dumps(witness(uncertain=False)), encoding="ascii")
    other.write_text(json.dumps(robot_document("scara")), encoding="ascii")
    found = check(file)
    assert found["ok"]
    assert found["kind"] == "witness"
    assert found["claim"]["standing"] == "proven"
    assert not check(file, other)["ok"]


def test_no_robot_in_the_sets_leaves_the_tube():
    robot, tracked = loop(uncertain=True)
    radii = _array(witness()).max(axis=1)[0]
    law = tq.computed_torque(robot, -40.0, period=tracked.period, friction=tracked.friction)
    guarantee = tracked.guarantee(robot)
    attack = worst_plant(robot, law, tracked.trajectory, guarantee, tracked.uncertainty, runs=12, seed=3)
    errors = (
        attack.ratio * np.array([bound.position for bound in guarantee.joints])[robot.joint_names.index(attack.joint)]
    )
    assert 0.1 < errors / radii[robot.joint_names.index(attack.joint)] < 1.0


def test_a_wider_tube_gives_larger_errors():
    """F is monotone: what holds in a tube holds in narrower ones."""
    document = witness()
    problem, radii = problem_of(document), _array(document)
    narrow, torque = next_radii(problem, 0.5 * radii)
    wide, more = next_radii(problem, 1.5 * radii)
    assert np.all(narrow <= wide)
    assert np.all(torque <= more)
