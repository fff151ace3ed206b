"""Sets of witnesses: friction of every sign, payloads in their ball."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.torquec_check.witnesses import arm, witness

import torquec as tq
from torquec.control.model_terms import FrictionCompensation
from torquec_check.document import RefusedError
from torquec_check.robot import robot_of
from torquec_check.tracking_sets import check_plain, listed, sets_of


def _sets():
    document = witness()
    return sets_of(document["sets"], document["robot_document"], robot_of(document["robot_document"]))


@pytest.mark.parametrize("smoothing", [0.0, 0.05])
def test_friction_errors_hold_every_friction_of_the_set(smoothing):
    document, robot, rng = witness(), arm(), np.random.default_rng(2)
    document["sets"]["friction"]["smoothing"] = smoothing
    sets = sets_of(document["sets"], document["robot_document"], robot_of(document["robot_document"]))
    law = FrictionCompensation("reference", smoothing)
    model, nearest = tq.as_model(robot), 0.0
    for _ in range(300):
        centre, wide, ref = rng.normal(size=2) * 0.3, np.abs(rng.normal(size=2)) * 0.2, rng.normal(size=2) * 0.3
        spread = np.abs(rng.normal(size=2)) * 0.02
        bound = sets.friction_error((centre - wide, centre + wide), (ref - spread, ref + spread))
        v, r = centre + wide * rng.uniform(-1, 1, 2), ref + spread * rng.uniform(-1, 1, 2)
        given = np.array(law.torque(model, {"qd_ref": r.tolist(), "qd": v.tolist()}), dtype=float)
        b, c = np.where(v > 0, 0.2, 0.1), np.where(v > 0, 0.2, 0.3)
        for part in (0.7, 1.3):
            true = part * (b * v + c * np.sign(v)) + 0.02 * np.sign(part - 1.0)
            assert np.all(np.abs(given - true) <= bound + 1e-12)
            nearest = max(nearest, float((np.abs(given - true) / bound).max()))
    assert nearest > 0.9


def test_at_rest_friction_may_be_anything_of_either_sign():
    sets, zero = _sets(), np.zeros(2)
    bound = sets.friction_error((zero, zero), (zero, zero))
    np.testing.assert_allclose(bound, 1.3 * 0.3 + 0.02, atol=0.01)


def test_payload_parameters_are_in_their_ranges():
    payload, rng = _sets().payload, np.random.default_rng(0)
    middle, half = np.array(payload.parameters()).T
    for _ in range(300):
        m, c = rng.uniform(payload.low, payload.high), rng.normal(size=3)
        c *= payload.radius * rng.random() ** 0.1 / np.linalg.norm(c)
        own = m * payload.radius**2 * rng.random() * np.diag([1.0, 0.5, 0.5])
        J = own + m * (c @ c * np.eye(3) - np.outer(c, c))
        found = np.array([J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2], *(m * c), m - payload.nominal])
        assert np.all(np.abs(found - middle) <= half)
        assert np.linalg.norm(m * c) <= half[6]


def test_joints_with_one_word_share_it():
    assert listed(["a", "b"], ["1 N", "1 N"]) == "1 N"
    assert listed(["a", "b"], ["1 N", "2 N"]) == "a 1 N, b 2 N"


def _read(document):
    return sets_of(document["sets"], document["robot_document"], robot_of(document["robot_document"]))


JOINT_SETS = ("friction_part", "friction_residual", "drive_error", "position", "position_bias", "speed_noise")


@pytest.mark.parametrize("name", JOINT_SETS)
@pytest.mark.parametrize("joint", [0, 1])
def test_a_negative_size_of_a_joint_is_refused(name, joint):
    document = witness()
    document["sets"][name][joint] = -1e-9
    with pytest.raises(RefusedError, match="an entry is negative"):
        _read(document)


@pytest.mark.parametrize("name", ["mass_part", "first_moment_part", "inertia_part"])
def test_a_negative_part_of_bodies_is_refused(name):
    document = witness()
    document["sets"]["bodies"][name] = -1e-9
    with pytest.raises(RefusedError, match="an entry is negative"):
        _read(document)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mass": [0.2, 0.1]}, "masses rise"),
        ({"mass": [-0.1, 0.1]}, "masses rise"),
        ({"mass": [0.1]}, "a list of 2"),
        ({"centre_within": -0.1}, "nothing is negative"),
        ({"inertia_part": -0.1}, "nothing is negative"),
        ({"nominal_mass": -0.05}, "nothing is negative"),
        ({"frame": "base"}, "no frame base moves"),
        ({"frame": "tool"}, "no such nominal mass"),
        ({"frame": 1}, "a text was expected"),
    ],
)
def test_payloads_that_are_none_are_refused(changes, words):
    document = witness()
    document["sets"]["payload"] |= changes
    with pytest.raises(RefusedError, match=words):
        _read(document)


def test_payloads_at_the_edge_are_read():
    document = witness()
    load = document["sets"]["payload"]
    load |= {"mass": [0.0, 0.0], "centre_within": 0.0, "inertia_part": 0.0, "nominal_mass": 0.0, "frame": "tool"}
    found = _read(document).payload
    assert (found.low, found.high, found.radius, found.nominal) == (0.0, 0.0, 0.0, 0.0)
    assert found.carrier.parent == 1
    assert found.carrier.origin == (1.0, 0.0, 0.0)
    assert found.carrier.multiplier == found.carrier.offset == 0.0
    load |= {"mass": [0.1, 0.1], "frame": "link1"}
    assert _read(document).payload.carrier.parent == 0
    frames = document["robot_document"]["frames"]
    frames[1]["body"] = 2
    with pytest.raises(RefusedError, match="no frame link1 moves"):
        _read(document)
    frames[1] |= {"body": 0, "name": "link2"}
    load["frame"] = "link2"
    with pytest.raises(RefusedError, match="no frame link2 moves"):
        _read(document)


@pytest.mark.parametrize("name", ["viscous_positive", "viscous_negative", "coulomb_positive", "coulomb_negative"])
def test_friction_that_drives_is_refused(name):
    document = witness()
    document["robot_document"]["bodies"][1]["joint"]["friction"][name] = -1e-9
    with pytest.raises(RefusedError, match="friction that drives"):
        _read(document)


def test_friction_elsewhere_and_a_negative_smoothing_are_refused():
    document = witness()
    document["robot_document"]["bodies"][1]["joint"]["friction"]["offset"] = -0.5
    assert _read(document).friction[4].tolist() == [0.0, -0.5]
    document["sets"]["friction"]["smoothing"] = 0.0
    assert _read(document).smoothing == 0.0
    document["sets"]["friction"]["smoothing"] = -1e-9
    with pytest.raises(RefusedError, match="smoothing speed is negative"):
        _read(document)
    moving = witness()
    moving["robot_document"]["drives"]["motors"][1]["friction"]["offset"] = 0.1
    with pytest.raises(RefusedError, match="friction of the motor two"):
        _read(moving)
    moving["sets"] |= {"friction": None, "friction_part": [0.0, 0.0]}
    with pytest.raises(RefusedError, match="friction is left out"):
        _read(moving)
    moving["sets"] |= {"friction_residual": [0.0, 0.0]}
    assert not _read(moving).has_friction
    following = witness()
    joint = following["robot_document"]["bodies"][1]["joint"]
    joint["mimic"] = {"joint": "joint1", "multiplier": 1.0, "offset": 0.0}
    robot = robot_of(witness()["robot_document"])
    with pytest.raises(RefusedError, match="mimic joint joint2"):
        sets_of(following["sets"], following["robot_document"], robot)


def test_robots_with_springs_or_counterbalances_are_refused():
    for change in ({"spring": {"stiffness": 1.0, "rest": 0.0}}, {"counterbalances": [{"lever": 0.1}]}):
        document = witness()["robot_document"]
        check_plain(document)
        document["bodies"][1]["joint"] |= change
        with pytest.raises(RefusedError, match="joint2 has a spring"):
            check_plain(document)


def test_sizes_follow_from_the_sets():
    document = witness()
    document["sets"] |= {"position": [4e-3, 6e-3], "position_bias": [1e-3, 2e-3]}
    sets = _read(document)
    np.testing.assert_allclose(sets.noise, [2e-3, 3e-3], rtol=1e-15)
    np.testing.assert_allclose(sets.offset, [3e-3, 5e-3], rtol=1e-8)
    assert np.all(sets.offset > [3e-3, 5e-3])
    assert sets.body_parts == (0.01, 0.01, 0.01)
    document["sets"]["bodies"] |= {"mass_part": 0.1, "first_moment_part": 0.2, "inertia_part": 0.3}
    assert _read(document).body_parts == (0.1, 0.2, 0.3)


def test_parameters_of_a_payload_keep_their_numbers():
    payload = replace(_sets().payload, low=0.5, high=2.0, radius=0.3, inertia_part=0.4, nominal=0.25)
    middle, half = np.array(payload.parameters()).T
    up = 1.0 + 1e-9
    moment = 0.5 * 1.4 * 2.0 * 0.09 * up**2
    np.testing.assert_allclose(middle, [moment, 0, 0, moment, 0, moment, 0, 0, 0, 1.0], rtol=1e-14)
    rest = [0.6 * up, 0.6 * up, 0.6 * up, (0.75 + 1e-15 * 2.25) * up]
    np.testing.assert_allclose(half, [*[moment * up] * 6, *rest], rtol=1e-14)
    assert half[9] == (0.75 + 1e-15 * 2.25) * up
    exact = replace(payload, low=2.0, high=2.0, nominal=2.0)
    np.testing.assert_allclose(exact.parameters()[9], (0.0, 4e-15), rtol=1e-8)


def test_friction_errors_keep_their_numbers():
    """Terms of either direction, offset, parts, residual and rounding, one by one."""
    document = witness()
    for body, values in zip(
        document["robot_document"]["bodies"], ((2.0, 3.0, 5.0, 7.0), (1.0, 0.5, 0.25, 0.125)), strict=True
    ):
        names = ("viscous_positive", "viscous_negative", "coulomb_positive", "coulomb_negative")
        body["joint"]["friction"] |= {**dict(zip(names, values, strict=True)), "offset": -11.0}
    document["sets"] |= {"friction_part": [0.0, 0.0], "friction_residual": [0.0, 0.0]}
    document["sets"]["friction"]["smoothing"] = 0.0
    sharp = _read(document)
    one = np.ones(2)
    at = sharp.friction_error((one, one), (one, one))
    np.testing.assert_allclose(at, 1e-14 * 4.0 * np.array([7.0, 1.25]), rtol=1e-8)
    across = sharp.friction_error((-2.0 * one, -one), (one, 3.0 * one))
    np.testing.assert_allclose(across, [2 * 3 + 5 + 3 * 2 + 7, 3 * 1 + 0.25 + 2 * 0.5 + 0.125], rtol=1e-8)
    back = sharp.friction_error((one, 3.0 * one), (-2.0 * one, -one))
    np.testing.assert_allclose(back, [2 * 3 + 5 + 3 * 2 + 7, 3 * 1 + 0.25 + 2 * 0.5 + 0.125], rtol=1e-8)
    resting = sharp.friction_error((0.0 * one, 0.0 * one), (0.0 * one, 0.0 * one))
    np.testing.assert_allclose(resting, [12.0, 0.375], rtol=1e-8)
    np.testing.assert_allclose(sharp.largest_compensation((-2.0 * one, one)), [13.0 + 11.0, 1.25 + 11.0], rtol=1e-8)
    np.testing.assert_allclose(sharp.largest_compensation((one, 2.0 * one)), [9.0 + 11.0, 2.25 + 11.0], rtol=1e-8)
    document["sets"]["friction"]["smoothing"] = 0.75
    smooth = _read(document)
    w = 1.0 / 1.25
    found = smooth.friction_error((one, one), (-one, one))
    np.testing.assert_allclose(found, [7 + 3 + 7 * w, 1.25 + 0.5 + 0.125 * w], rtol=1e-8)
    document["sets"] |= {"friction_part": [0.1, 0.2], "friction_residual": [0.3, 0.4]}
    more = _read(document).friction_error((-2.0 * one, one), (one, one))
    rest = smooth.friction_error((-2.0 * one, one), (one, one))
    sizes = np.array([0.1 * (3 * 2 + 7 + 11) + 0.3, 0.2 * (1 * 2 + 0.25 + 11) + 0.4])
    np.testing.assert_allclose(more - rest, sizes, rtol=1e-7)
    document["sets"] |= {"friction": None, "friction_part": [0.0, 0.0], "friction_residual": [0.0, 0.0]}
    none = _read(document)
    assert not none.friction_error((-one, one), (-one, one)).any()
    assert none.smoothing == 0.0


LOAD = (
    "an unknown payload of 0 to 0.1 kg at frame link2, its centre within 0.02 m, its own inertia up to 1 m r^2, "
    "0.05 kg of it in the document"
)


def test_the_sets_in_words():
    document = witness()
    joints, units = ["joint1", "joint2"], ["rad", "m"]
    assert _read(document).words(joints, units) == [
        "friction known to 30 % while moving, any Coulomb torque standing",
        "a friction residual of joint1 0.02 N m, joint2 0.02 N",
        "drives within joint1 0.09 N m, joint2 0.03 N of the torque asked for",
        "encoders of joint1 1e-05 rad, joint2 1e-05 m",
        "encoder offsets of joint1 1e-05 rad, joint2 1e-05 m",
        "masses known to 1 %, first moments known to 1 %, moments of inertia about body frames known to 1 %",
        LOAD,
    ]
    zeros = {name: [0.0, 0.0] for name in JOINT_SETS}
    document["sets"] |= {**zeros, "bodies": dict.fromkeys(document["sets"]["bodies"], 0.0), "payload": None}
    assert _read(document).words(joints, units) == [
        "friction as in the model while moving, any Coulomb torque standing",
        "drives that give the torque asked for",
        "exact sensors",
        "bodies as in the document",
        "no payload that the document does not have",
    ]
    document["sets"] |= {"friction": None, "speed_noise": [0.1, 0.1]}
    assert _read(document).words(joints, units)[:4] == [
        "the robot without friction, if the law compensates none, or with just what it cancels",
        "speeds measured within joint1 0.1 rad/s, joint2 0.1 m/s",
        "drives that give the torque asked for",
        "exact positions",
    ]
    document["sets"] |= {"position_bias": [0.0, 1e-3], "speed_noise": [0.0, 0.0]}
    assert _read(document).words(joints, units)[1:3] == [
        "encoder offsets of joint1 0 rad, joint2 0.001 m",
        "drives that give the torque asked for",
    ]
    load = witness()["sets"]["payload"] | {"nominal_mass": 0.0, "mass": [0.25, 0.5]}
    document["sets"]["payload"] = load
    assert _read(document).words(joints, units)[-1].endswith("its own inertia up to 1 m r^2")


@pytest.mark.parametrize("errors", [[0.0, 0.03], [0.03, 0.0]])
def test_one_drive_with_an_error_is_enough(errors):
    document = witness()
    document["sets"]["drive_error"] = errors
    found = _read(document).words(["joint1", "joint2"], ["rad", "rad"])
    assert f"drives within joint1 {errors[0]:g} N m, joint2 {errors[1]:g} N m of the torque asked for" in found
    assert "drives that give the torque asked for" not in found
