"""Torque errors on a free base are proven limb by limb, and false claims about them are refused.

The robot has two limbs, of one joint each, rotors, and gravity in any direction.
"""

from __future__ import annotations

import copy
import functools
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.proof.walkers import RATES, box_of, exact_program, states, torques, walker

from torquec.dynamics.mechanism import mechanism
from torquec.expr import evaluate
from torquec.proof.torque.certificate import Certificate, JointProof, LimbProof
from torquec.robot.limbs import carried_limbs, limb_joints
from torquec.simplification.free_base import shared_base, whole_program
from torquec.simplification.moment_costs import torque_program
from torquec_check import free_base
from torquec_check.certificate import certificate_of, check_certificate
from torquec_check.claim import certificate_claim
from torquec_check.document import RefusedError, canonical_hash
from torquec_check.free_base import limb_box, posed
from torquec_check.robot import Box

ROBOT = walker(5, (1, 1), mimic=False)
BOX = box_of(ROBOT)


def _errors(program, motions):
    """Errors (count, n) at motions."""
    given = dict(zip(("q", "qd", "qdd"), motions, strict=True))
    exact, found = (evaluate(each, given)["tau"] for each in (exact_program(ROBOT), program))
    return np.abs(np.asarray(exact) - np.asarray(found))


def _limb_motions(rates):
    """Motions of a limb in the corners of its box."""
    whole = Box(BOX.lower, BOX.upper, BOX.velocity, BOX.acceleration)
    box, rng = limb_box(rates, whole, ROBOT.gravity), np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, 2000, len(rates)))
    lower, upper = np.array(box.lower), np.array(box.upper)
    q = 0.5 * (lower + upper) + 0.5 * (upper - lower) * q
    return {"q": q, "qd": np.sign(qd) * box.velocity, "qdd": np.sign(qdd) * box.acceleration}


@pytest.fixture(scope="module")
def whole():
    """The document of a certificate whose bounds are a third above the errors that were found."""
    shares, proofs, programs = shared_base(ROBOT), [], []
    bounds = np.zeros(ROBOT.nv)
    for limb, joints, share in zip(carried_limbs(ROBOT, shares), limb_joints(ROBOT), shares, strict=True):
        m, rates = mechanism(limb), (*range(RATES), *joints)
        less = replace(m, moments=(*m.moments[:-1], replace(m.moments[-1], xy=0.0, x=0.9 * m.moments[-1].x)))
        exact, program = torque_program(m), torque_program(less)
        motions = _limb_motions(rates)
        error = np.abs(np.asarray(evaluate(exact, motions)["tau"]) - np.asarray(evaluate(program, motions)["tau"]))
        own = 1.35 * error.max(axis=0) + 1e-9
        bounds[list(rates)] += own * (1.0 + 1e-6) + 1e-9
        programs.append(program)
        proofs.append(LimbProof(tuple(map(float, share.parameters)), program, tuple(map(float, own))))
    program = whole_program(ROBOT, programs)
    joints = {name: JointProof(float(b), 0.0) for name, b in zip(ROBOT.coordinate_names, bounds, strict=True)}
    made = Certificate(ROBOT.name, ROBOT.content_hash, program, BOX, joints, robot_document=ROBOT, limbs=tuple(proofs))
    return json.loads(json.dumps(made.to_dict())), program


@pytest.fixture(scope="module", autouse=True)
def _same_programs_are_read_once():
    """Most false certificates have the programs of the true one: their polynomials on a grid are computed once."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("program_degrees", "motion_torques"):
            patch.setattr(free_base, name, functools.cache(getattr(free_base, name)))
        yield


def _proven(document):
    document = {**document, "sha256": canonical_hash({k: v for k, v in document.items() if k != "sha256"})}
    return check_certificate(certificate_of(document), lambda _step, _part: None)


def test_the_certificate_is_proven_and_no_motion_exceeds_its_bounds(whole):
    document, program = whole
    slacks = _proven(document)
    bounds = np.array([proof["bound"] for proof in document["joints"].values()])
    assert list(slacks) == list(ROBOT.coordinate_names)
    for length in (1.0, 1.0 + 9.9e-7, 1.0 - 9.9e-7):
        error = _errors(program, states(ROBOT, BOX, 4_000, length=length)).max(axis=0)
        assert np.all(error <= bounds)
        assert np.all(error >= 0.2 * bounds)


def test_the_claim_says_any_pose_and_units_of_the_base(whole):
    claim = certificate_claim(whole[0], whole[0]["robot_document"])
    assert [each.unit for each in claim.bounds[:RATES]] == ["N"] * 3 + ["N m"] * 3
    assert str(claim.box[0]).startswith("floating_base_vx: any position, speed up to 0.8 m/s")
    assert "in the world frame" in claim.sentence
    assert "quaternion of length 1 -+ 1e-6" in claim.sentence


def test_the_claim_says_what_the_length_of_a_quaternion_adds(whole):
    """A bound of 1.1e-9 N stood for all such quaternions, beside 3.6e-5 N from gravity in axes of unit length."""
    (found,) = re.findall(
        r"changes gravity by up to (\S+) of it, which the bounds do not contain",
        certificate_claim(whole[0], whole[0]["robot_document"]).sentence,
    )
    poses, *rates = states(ROBOT, BOX, 4_000, length=1.0 + 9.9e-7)
    unit = np.concatenate([poses[:, :3], poses[:, 3:7] / (1.0 + 9.9e-7), poses[:, 7:]], axis=1)
    off = np.abs(np.subtract(*(torques(exact_program(ROBOT), (each, *rates)) for each in (poses, unit))))[:, :3]
    mass = sum(body.inertia.m for body in ROBOT.bodies)
    largest = float(found) * mass * np.linalg.norm(ROBOT.gravity)
    assert 0.8 * largest <= np.linalg.norm(off, axis=1).max() <= largest


@pytest.mark.parametrize("name", ["floating_base", "floating_base_vx", "floating_base_wz", "joint10"])
def test_no_rate_of_the_base_is_locked(whole, name):
    """`locked joints floating_base_vx at 0.0` stood in the claim of a base that moves along x."""
    document = copy.deepcopy(whole[0]["robot_document"])
    document["locked"] = [{"name": name, "position": 0.0}]
    with pytest.raises(RefusedError, match="is locked, and moves"):
        certificate_claim(whole[0], document)


def test_positions_of_the_box_have_the_pose_of_the_base():
    box = posed(Box(BOX.lower, BOX.upper, BOX.velocity, BOX.acceleration))
    assert len(box.lower) == ROBOT.nq
    assert box.upper[3] == 1.0 + 1e-6


def _scaled(values, key, factor):
    values[key] = factor * values[key]


def _bodies(document):
    return document["robot_document"]["bodies"]


def _root(document):
    return _bodies(document)[0]["joint"]


def _first_constant(program):
    return next(row for row in program["operations"] if row[0] == "const" and abs(row[1]) > 0.05)


LIES = {
    "a joint": lambda d: _scaled(d["joints"]["joint10"], "bound", 0.6),
    "a rate of the base": lambda d: _scaled(d["joints"]["floating_base_wx"], "bound", 0.97),
    "a limb's joint": lambda d: _scaled(d["limbs"][1]["bounds"], RATES, 0.6),
    "a limb's share of the base's errors": lambda d: _scaled(d["limbs"][0]["bounds"], 2, 0.6),
    "a negative share": lambda d: _scaled(d["limbs"][0]["bounds"], 2, -1.0),
    "another share of the base": lambda d: d["limbs"][1]["base"].__setitem__(9, 5.0),
    "another inertia of the base": lambda d: _scaled(d["robot_document"]["bodies"][0]["inertia"], "m", 1.05),
    "another inertia of a limb": lambda d: _scaled(d["robot_document"]["bodies"][2]["inertia"], "m", 1.4),
    "another rotor": lambda d: _scaled(d["robot_document"]["drives"]["motors"][1], "rotor_inertia", 3.0),
    "another gravity": lambda d: _scaled(d["robot_document"]["gravity"], 1, -1.0),
    "no gravity": lambda d: d["robot_document"].update(gravity=[0.0, 0.0, 0.0]),
    "another constant of the program": lambda d: _scaled(_first_constant(d["program"]), 1, 1.0 + 1e-12),
    "another constant of a limb": lambda d: _scaled(_first_constant(d["limbs"][1]["program"]), 1, 1.0 + 1e-12),
    "a faster base": lambda d: _scaled(d["motions"]["velocity"], 4, 3.0),
    "a faster base along z": lambda d: _scaled(d["motions"]["velocity"], 2, 100.0),
    "a base that accelerates more": lambda d: _scaled(d["motions"]["acceleration"], 1, 40.0),
    "faster joints": lambda d: _scaled(d["motions"]["velocity"], 7, 10.0),
    "a wider range": lambda d: _scaled(d["motions"]["upper"], 7, 30.0),
    "exchanged limbs": lambda d: d["limbs"].reverse(),
    "a limb less": lambda d: d["limbs"].pop(),
    "no limbs": lambda d: d["limbs"].clear(),
    "nothing but the base": lambda d: (d["limbs"].clear(), d["robot_document"].update(bodies=[_bodies(d)[0]])),
    "a fixed base": lambda d: _root(d).update(type="revolute"),
    "a limb more": lambda d: d["limbs"].append(d["limbs"][0]),
    "a base beside the origin": lambda d: _root(d)["placement"].update(origin=[0.1, 0.0, 0.0]),
    "a ball joint as base": lambda d: _root(d).update(type="ball"),
    "a base with another field": lambda d: _root(d).update(clamped=True),
    "a body beside the base": lambda d: d["robot_document"]["bodies"][2].update(parent=-1),
    "a coupling rotor": lambda d: d["robot_document"]["drives"]["transmission"][0].__setitem__(RATES + 1, 2.0),
    "a rotor that the base turns": lambda d: d["robot_document"]["drives"]["transmission"][0].__setitem__(4, 2.0),
    "a diagonal below M": lambda d: d.update(least_inertia=[1e-3] * ROBOT.nv),
    "joints in another order": lambda d: d.update(joints=dict(reversed(d["joints"].items()))),
    "floats": lambda d: d.update(rounding={"precision": "single", "joints": dict.fromkeys(d["joints"], 0.0)}),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_false_certificates_are_refused(whole, lie):
    document = copy.deepcopy(whole[0])
    lie(document)
    with pytest.raises(RefusedError):
        _proven(document)


def test_a_base_with_thousands_of_limbs_is_refused(whole):
    """Their bodies were gone through once for every limb."""
    document = copy.deepcopy(whole[0])
    document["robot_document"]["bodies"] += [_bodies(document)[1]] * 998
    with pytest.raises(RefusedError, match="too much moves on it"):
        _proven(document)


def test_no_joint_follows_the_base(whole):
    """Such a robot does not exist; bounds that are large enough were proven of one whose rates the base drives."""
    document = copy.deepcopy(whole[0])
    _bodies(document)[2]["joint"]["mimic"] = {"joint": "floating_base_wx", "multiplier": 1.0, "offset": 0.0}
    with pytest.raises(RefusedError, match="or follows it"):
        _proven(document)


@pytest.mark.parametrize(("port", "element"), [("q", 3), ("qd", 0)])
def test_programs_of_limbs_that_use_the_pose_or_the_velocity_of_the_base_are_refused(whole, port, element):
    document = copy.deepcopy(whole[0])
    operations = document["limbs"][0]["program"]["operations"]
    operations.append(["input", port, element])
    with pytest.raises(RefusedError, match="pose of the base"):
        _proven(document)
