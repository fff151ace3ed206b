"""Tracking witnesses: honest ones are proven, forged ones are refused, simulations keep the bound."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from tests.torquec_check.documents import robot_document
from tests.torquec_check.witnesses import signed, witness

from torquec_check import hold, reference_motion, tracking, tracking_disturbance, tracking_loop
from torquec_check.__main__ import check
from torquec_check.claim import Standing
from torquec_check.document import RefusedError, canonical_hash
from torquec_check.tracking import check_tracking, near_radii, next_radii, problem_of, tracking_claim

RADII = ("position", "speed", "acceleration", "feedback")


@pytest.fixture(scope="module", autouse=True)
def _gains_of_one_loop_are_computed_once():
    """Most forged witnesses have the loop of the honest one."""
    known = {}

    def gains(loop, *given):
        key = loop, tracking_loop.MOST_LAGS, *(each.tobytes() for each in given)
        if key not in known:
            known[key] = tracking_loop.loop_gains(loop, *given)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tracking_disturbance, "loop_gains", gains)
        yield


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
        "of 0.1 s, from 0 to 0.00625",
    ]
    if uncertain:
        words += [
            "friction known to 30 %", "residual of 0.02 N m", "encoders of 1e-05 rad", "encoder offsets of 1e-05 rad",
            "masses known to 1 %", "unknown payload of 0 to 0.1 kg", "within 0.02 m", "0.05 kg of it in the document",
            "1 sampling interval(s) late, until then the torque that the law asks for at the start",
            "by difference, zero at the start, filtered by 0.7", "smoothed over 0.05", "drives within",
            "drives that can give joint1 90 N m, joint2 30 N m",
        ]  # fmt: skip
    else:
        words += [
            "without friction, if the law compensates none,",
            "can give joint1 50 N m, joint2 20 N m beyond friction",
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
    """All of it stands in the claim: two documents with the same twelve letters are found in minutes."""
    document = witness()
    whole = "0123456789abcdef" * 4
    assert f"by the certificate {whole})" in check_tracking(signed(document | {"certificate": whole})).sentence
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


def test_a_wider_tube_gives_larger_errors():
    """F is monotone: what holds in a tube holds in narrower ones."""
    document = witness()
    problem, radii = problem_of(document), _array(document)
    narrow, torque = next_radii(problem, 0.5 * radii)
    wide, more = next_radii(problem, 1.5 * radii)
    assert np.all(narrow <= wide)
    assert np.all(torque <= more)


def _numbers(shape, seed):
    """Weights that differ from entry to entry, the same everywhere."""
    return np.modf(np.arange(1, 1 + np.prod(shape)) * (0.6180339887498949 + 0.1 * seed))[0].reshape(shape) + 0.5


def _measured(document):
    """Exact speeds, different gains, errors at the start, a reference that jumps."""
    document["loop"] |= {"stiffness": [900.0, 1600.0], "damping": [50.0, 90.0], "speed_filter": [0.0, 0.0], "delay": 2}
    document["sets"]["speed_noise"] = [1e-3, 2e-3]
    document["start"] = {"position": [1e-4, 2e-4], "speed": [1e-3, 2e-3]}
    rows = document["reference"]["coefficients"]
    rows[0].append([0.00625, 0.005])
    for row in rows[1:]:
        row.append([0.001, -0.002])
    document["reference"]["breaks"].append(0.17)
    document["cells"] = [3, 5, 40, 90, 7]


def _filtered(document):
    """Equal gains, late torques, another filter, cells of several lengths."""
    document["loop"] |= {"speed_filter": [0.3, 0.3], "delay": 1}
    document["cells"] = [2, 3, 50, 50, 20]


def _plain(document):
    """Rigid bodies, exact sensors."""
    document["cells"] = [7, 30, 70, 3]


def _unlike(document):
    """One joint has a filtered speed, one a measured one; friction is not smoothed."""
    document["loop"] |= {"speed_filter": [0.5, 0.0], "delay": 0, "period": 0.003}
    document["sets"] |= {"speed_noise": [0.0, 1e-3], "bodies": dict.fromkeys(document["sets"]["bodies"], 0.0)}
    document["sets"]["friction"]["smoothing"] = 0.0
    document["cells"] = [4, 60, 10, 1]


PINNED = {
    "_measured": [0.139372081944619, 6.57435943359763, 612.720930003767, 479.987290203298, 376.666926115998],
    "_filtered": [0.0344358565542576, 1.64782341193366, 197.429568666791, 115.914003089294, 116.373627541492],
    "_plain": [0.00412096373126963, 0.106871698877988, 10.050128960405, 6.05761227866794, 55.7937133371186],
    "_unlike": [0.0305855609133156, 1.10414989673793, 134.355442867531, 75.2774638579157, 122.402617670302],
}


@pytest.mark.parametrize("change", [_measured, _filtered, _plain, _unlike])
def test_the_map_from_a_tube_to_the_next_one_keeps_its_numbers(change):
    """Weighted sums of all of its results; other tests say that they are bounds, and not far above."""
    document = witness(uncertain=change is not _plain)
    change(document)
    problem = problem_of(document)
    shape = len(problem.cells), problem.robot.n
    sizes = np.array([1e-3, 2e-2, 1.0, 0.8])[:, None, None]
    found, torque = next_radii(problem, sizes * _numbers((4, *shape), 1))
    weights = _numbers(shape, 2)
    values = [*(found * weights).sum(axis=(1, 2)), torque @ weights[0]]
    np.testing.assert_allclose(values, PINNED[change.__name__], rtol=1e-11)


def test_the_largest_radii_of_the_time_that_a_torque_has_seen():
    document = witness() | {"cells": [1, 2, 3, 1, 1, 100, 200]}
    document["loop"]["delay"] = 2
    problem = problem_of(document)
    radii = _numbers((4, 7, 2), 3)
    found = near_radii(problem, radii)
    for k, (a, _) in enumerate(problem.cells):
        seen = [j for j in range(k + 1) if problem.cells[j][1] > a - 3]
        np.testing.assert_array_equal(found[:, k], radii[:, seen].max(axis=1))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("model_errors", 1), -1e-9, "is negative"),
        (("start", "position", 0), -1e-9, "is negative"),
        (("start", "speed", 1), -1e-9, "is negative"),
        (("loop", "period"), -0.002, "is positive"),
        (("loop", "delay"), -1, "at most 20"),
        (("loop", "speed_filter", 1), 1.001, "a filter at most 1"),
        (("loop", "speed_filter", 1), 0.0009, "a filter at most 1"),
        (("loop", "speed_filter", 1), -0.5, "a filter at most 1"),
        (("cells", 3), 0, "one sampling interval at least"),
        (("cells",), [25, 24, 10], "before the reference does"),
        (("sets", "speed_noise", 1), 1e-3, "measured and differenced"),
        (("reference", "coefficients", 1, 0, 1), 1e-3, "need a start at rest"),
        (("model_errors",), [0.0], "a list of 2"),
        (("efforts",), [None], "a list of 2"),
        (("certificate",), 5, "a text was expected"),
    ],
)
def test_values_beyond_their_limits_are_refused(path, value, words):
    document = _set(witness(), path, value)
    with pytest.raises(RefusedError, match=words):
        tracking_claim(document, problem_of(document), _array(document))


@pytest.mark.parametrize("filters", [[0.5, 0.0], [0.0, 0.5], [0.5, 0.5]])
def test_one_filtered_speed_needs_a_start_at_rest(filters):
    document = witness()
    document["loop"]["speed_filter"] = filters
    problem_of(document)
    document["start"]["speed"] = [0.0, 1e-3]
    with pytest.raises(RefusedError, match="a start at rest"):
        problem_of(document)
    document["start"]["speed"] = [0.0, 0.0]
    document["reference"]["coefficients"][1][0][0] = 1e-3
    with pytest.raises(RefusedError, match="a start at rest"):
        problem_of(document)
    document["loop"]["speed_filter"] = [0.0, 0.0]
    problem_of(document)


def test_values_at_their_limits_are_read(monkeypatch):
    document = witness()
    for path, value in (
        (("model_errors",), [0.0, 0.0]),
        (("loop", "delay"), 20),
        (("loop", "speed_filter"), [1e-3, 1.0]),
        (("cells",), [25, 25, 1]),
        (("efforts",), [None, 5]),
    ):
        problem = problem_of(_set(document, path, value))
    assert problem.loop.delay == 20
    assert problem.loop.speed_filter == (1e-3, 1.0)
    assert problem.cells == ((0, 25), (25, 50), (50, 51))
    assert problem.efforts.tolist() == [np.inf, 5.0]
    monkeypatch.setattr("torquec_check.tracking._MOST_CELLS", 3)
    monkeypatch.setattr("torquec_check.tracking._MOST_LENGTH", 51)
    problem_of(document)
    for cells in ([25, 25, 2], [25, 24, 1, 1]):
        with pytest.raises(RefusedError, match="one at least"):
            problem_of(document | {"cells": cells})


def test_the_limits_of_a_witness():
    assert (tracking._MOST_CELLS, tracking._MOST_LENGTH) == (20_000, 200_000)
    assert (reference_motion.MOST_SAMPLES, reference_motion.MOST_PIECES, reference_motion.AT_REST) == (
        200_000,
        100_000,
        1e-9,
    )
    limits = tracking_loop.MOST_DELAY, tracking_loop.MOST_LAGS, tracking_loop.LEAST_SHARE, tracking_loop._FORGOTTEN
    assert limits == (20, 20_000, 1e-3, 1e-12)
    assert (tracking_disturbance._ARITHMETIC, tracking_disturbance._MEMORY) == (1e-9, 40.0)
    assert tracking_disturbance._WIDER == 1.0 + 1e-8
    assert (hold.MOST_FACTORS, hold.MOST_VALUES, hold._AT_ONCE) == (9, 30_000_000, 500)


def test_a_claim_has_all_conditions_in_its_words():
    document = witness()
    _measured(document)
    document["start"] = {"position": [0.0, 2e-4], "speed": [0.0, 0.0]}
    document["loop"]["speed_filter"] = [0.5, 0.0]
    document["sets"] |= {"speed_noise": [0.0, 0.0]}
    document["certificate"] = "0123456789abcdef" * 4
    document["efforts"] = [None, 30.0]
    document["model_errors"] = [0.25, 0.5]
    problem = problem_of(document)
    radii = _numbers((4, 5, 2), 1)
    claim = tracking_claim(document, problem, radii)
    digest = canonical_hash(document["reference"])
    late = "until then the torque that the law asks for at the start"
    feedback = "joint1 900.0 e + 50.0 de/dt, joint2 1600.0 e + 90.0 de/dt"
    model, path = "joint1 0.25 N m, joint2 0.5 N m", "joint1 from 0 to 0.01125 rad, joint2 from 0 to -0.005 rad"
    assert claim.conditions == (
        *problem.sets.words(problem.robot.joints, ["rad", "rad"]),
        f"computed torque at the measured state with the feedback {feedback}",
        f"a model whose torques are right to {model} in the tube (by the certificate {document['certificate']})",
        "friction compensated at the reference's speed, smoothed over 0.05 rad/s (m/s)",
        "drives that can give joint1 any torque, joint2 30 N m",
        f"torques held for 0.002 s, 2 sampling interval(s) late, {late}",
        "speeds by difference of joint1, zero at the start, filtered by 0.5; exact measured speeds of joint2",
        f"along the reference {digest} of 0.17 s, {path}, and at rest after it",
        "starting on the reference, or no farther from it than joint2 0.0002 rad and 0 rad/s",
    )
    largest = radii.max(axis=1)
    assert [(each.quantity, each.joint, each.bound, each.unit) for each in claim.bounds] == [
        ("tracking_error", "joint1", largest[0, 0], "rad"),
        ("tracking_error", "joint2", largest[0, 1], "rad"),
        ("speed_error", "joint1", largest[1, 0], "rad/s"),
        ("speed_error", "joint2", largest[1, 1], "rad/s"),
    ]
    assert claim.standing is Standing.PROVEN
    assert claim.what == "tracking error"
    assert claim.box == ()
    document["sets"]["friction"]["smoothing"] = 0.0
    document["loop"] |= {"speed_filter": [0.0, 0.0], "delay": 0}
    document["sets"]["speed_noise"] = [1e-3, 0.0]
    document["start"] = {"position": [0.0, 0.0], "speed": [1e-3, 0.0]}
    found = tracking_claim(document, problem_of(document), radii).conditions
    assert "friction compensated at the reference's speed" in found
    assert "torques held for 0.002 s, no delay" in found
    assert "exact measured speeds of joint2" in found
    assert found[-1].endswith("no farther from it than joint1 0 rad and 0.001 rad/s")
    document["sets"] |= {"speed_noise": [1e-3, 1e-3], "friction": None, "friction_part": [0.0] * 2}
    document["sets"]["friction_residual"] = [0.0] * 2
    document["start"] = {"position": [0.0, 0.0], "speed": [0.0, 0.0]}
    found = tracking_claim(document | {"certificate": None}, problem_of(document), radii).conditions
    assert not any("compensated" in each or "exact measured" in each or "certificate" in each for each in found)
    assert found[-1] == "starting on the reference"


def test_a_sliding_joint_has_units_of_length():
    document = witness(uncertain=False)
    document["robot_document"]["bodies"][1]["joint"]["type"] = "prismatic"
    document["start"] = {"position": [1e-3, 2e-3], "speed": [3e-3, 4e-3]}
    claim = tracking_claim(document, problem_of(document), _array(document))
    assert [each.unit for each in claim.bounds] == ["rad", "m", "rad/s", "m/s"]
    for words in (
        "joint2 20 N beyond friction;",
        "joint2 from 0 to 0.00625 m,",
        "joint1 0.001 rad and 0.003 rad/s, joint2 0.002 m and 0.004 m/s",
    ):
        assert words in claim.sentence, words


def test_a_torque_above_its_limit_is_named():
    document = witness()
    _, torque = next_radii(problem_of(document), _array(document))
    document["efforts"] = [float(torque[0]), float(torque[1])]
    check_tracking(signed(document))
    document["efforts"] = [float(torque[0]), float(np.nextafter(torque[1], 0.0))]
    _refused(document, "the torque of joint joint2 may reach")


def test_a_radius_that_is_only_reached_is_refused():
    """Less, not equal: the tube is left at the first instant at which it is reached."""
    document = witness()
    problem, radii = problem_of(document), _array(document)
    found, _ = next_radii(problem, radii)
    late = radii.copy()
    late[0, -1, 1] = found[0, -1, 1]
    again, _ = next_radii(problem, late)
    assert again[0, -1, 1] <= found[0, -1, 1]
    late[0, -1, 1] = again[0, -1, 1]
    fixed, _ = next_radii(problem, late)
    if fixed[0, -1, 1] == late[0, -1, 1]:
        _refused(_with_radii(document, late), "the position of joint joint2")


def test_the_last_cell_has_no_end():
    """Disturbances that grow in it are answered later: as if it were cut into two, the first longer than the memory."""
    document = witness()
    radii = np.repeat(np.array([1e-4, 1e-3, 0.1, 0.1])[:, None, None], 2, axis=2) * np.ones((4, 3, 2))
    radii[:, -1] *= 30.0
    short, torque = next_radii(problem_of(document | {"cells": [25, 25, 1]}), radii)
    longer = np.concatenate([radii, radii[:, -1:]], axis=1)
    found, same = next_radii(problem_of(document | {"cells": [25, 25, 2000, 1]}), longer)
    np.testing.assert_allclose(short[:, -1], found[:, 2:].max(axis=1), rtol=1e-9)
    np.testing.assert_allclose(torque, same, rtol=1e-9)
    first, _ = next_radii(problem_of(document | {"cells": [25, 25, 1, 1]}), longer)
    assert np.all(first[0, 2] < 0.999 * short[0, -1])


def test_cells_of_many_joints_are_limited_by_the_memory_that_they_take(monkeypatch):
    document = witness()
    size = len(document["cells"]) * 2 * 2
    monkeypatch.setattr(tracking, "_MOST_NUMBERS", size)
    problem_of(document)
    monkeypatch.setattr(tracking, "_MOST_NUMBERS", size - 1)
    with pytest.raises(RefusedError, match="too many for the memory"):
        problem_of(document)


def test_the_feedback_of_the_first_sample_counts():
    """An error at the start asks for most at once."""
    document = witness(uncertain=False)
    document["start"]["position"] = [1e-3, 1e-3]
    problem = problem_of(document)
    found, _ = next_radii(problem, np.full((4, len(problem.cells), 2), 1e-9))
    wanted = 1e-3 * np.array(problem.loop.stiffness)
    assert np.all(found[3, 0] >= wanted)
    assert np.all(found[3, 0] <= 1.01 * wanted)


def test_old_errors_have_the_offsets_of_encoders(monkeypatch):
    problem, given = problem_of(witness()), []
    radii = _array(witness())
    forced = tracking.reached
    monkeypatch.setattr(tracking, "reached", lambda *values: given.append(values[4].copy()) or forced(*values))
    next_radii(problem, radii)
    monkeypatch.setattr(tracking, "reached", lambda *values: given.append(len(values[2])) or forced(*values))
    next_radii(problem, radii)
    assert given[-1] == problem.cells[-1][0] + len(problem.gains.level) + problem.loop.delay + 2
    assert np.all(problem.sets.offset > 0.0)
    np.testing.assert_allclose(given[0][0], radii[0].max(axis=0) + problem.sets.offset, rtol=1e-8)
    np.testing.assert_array_equal(given[0][1:], radii[1:].max(axis=1))


def test_torques_of_earlier_times_are_rounded_with_their_sums(monkeypatch):
    document = witness(uncertain=False)
    problem, radii = problem_of(document), _array(document)
    _, torque = next_radii(problem, radii)
    monkeypatch.setattr(tracking, "UNIT", 1e-4)
    _, more = next_radii(problem, radii)
    assert np.all(more > torque + 1e-9)
