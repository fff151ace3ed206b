"""Witnesses of tracking guarantees: what is delivered is what the checker proves; other loops are refused by name."""

from __future__ import annotations

import contextlib
import functools
import json
from dataclasses import replace

import numpy as np
import pytest
from tests.control.guaranteed_models import claimed
from tests.torquec_check.witnesses import TIME, loop, sets, witness
from typer.testing import CliRunner

import torquec as tq
from torquec.cli.app import app
from torquec.control import tracking_witness as tracking_module
from torquec.control.controller import make_controller
from torquec.control.controller_file import write_controller
from torquec.control.model_terms import FrictionCompensation, added, rigid_torque
from torquec.control.tracking_claim import guarantee_sentence, tracking_claim
from torquec.control.tracking_witness import FILE_NAME, check_witnessed_law, tracking_witness, witnessed
from torquec.errors import CheckError
from torquec.expr.math import absolute, maximum, minimum, select
from torquec.model.model import as_model
from torquec.realtime.check_file import COMPARED, COMPUTED, IN_FLOATS, check_file
from torquec.robot import classics
from torquec.robot.robot import Spring
from torquec.simulation.worst_plant import worst_plant
from torquec_check.tracking import check_tracking

MOTION = "t,joint1,joint2\n0,0,0\n0.5,0.05,-0.05\n"


@pytest.mark.parametrize("uncertain", [False, True])
def test_the_claim_of_the_guarantee_is_that_of_the_checker(uncertain):
    robot, tracked = loop(uncertain=uncertain)
    guarantee = tracked.guarantee(robot).to_document()
    found, document = witnessed(robot, tracked, guarantee)
    claim = check_tracking(json.loads(json.dumps(document)))
    assert tracking_claim(found) == claim
    assert guarantee_sentence(found).startswith("proven for planar2r")
    assert guarantee_sentence(guarantee).startswith("computed for planar2r")
    for joint, row in found["bounds"].items():
        bare = guarantee["bounds"][joint]
        assert 0.7 < row["value"] / bare["value"] < 1.5
        assert row["torque"] + row["torque_margin"] == pytest.approx(bare["torque"] + bare["torque_margin"])


def test_a_motion_of_samples_has_one_too():
    robot, tracked = loop(uncertain=False)
    t = np.linspace(0.0, TIME, 21)
    state = tracked.trajectory.at(t)
    sampled = tq.Trajectory(robot.joint_names, t, state.q, state.qd, state.qdd)
    found, same = (tracking_witness(robot, replace(tracked, trajectory=each)) for each in (sampled, tracked.trajectory))
    assert found.bounds["joint1"]["value"] == pytest.approx(same.bounds["joint1"]["value"], rel=0.1)


def test_a_certified_model_states_its_errors_and_keeps_its_box():
    robot, tracked = loop(uncertain=False)
    model = claimed(robot, [0.06, 0.012], velocity=3.0, acceleration=15.0)
    found = tracking_witness(model, tracked)
    assert found.claim is not None, found.reason
    assert f"(by the certificate {model.record.content_hash})" in found.claim.sentence
    exact = tracking_witness(robot, tracked)
    assert found.bounds["joint2"]["value"] > 2.0 * exact.bounds["joint2"]["value"]
    guarantee = tracked.guarantee(model).to_document()
    tight = claimed(robot, [0.05, 0.01], velocity=0.9 * float(np.abs(tracked.trajectory.qd).max()), acceleration=15.0)
    assert "certify a larger" in tracking_witness(tight, tracked, guarantee=guarantee).reason


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"period": None, "uncertainty": None}, "continuous controller"),
        ({"evaluation": "reference"}, "evaluated at the reference"),
        ({"friction": "measured"}, "friction that is not compensated at the reference"),
        ({"uncertainty": replace(sets(), timing=tq.TimingUncertainty(1, 1e-5))}, "jitter"),
    ],
)
def test_what_has_no_witness_is_computed_and_says_why(changes, words):
    robot, tracked = loop(uncertain=True)
    guarantee = {**tracked.guarantee(robot).to_document()}
    found, document = witnessed(robot, replace(tracked, **changes), guarantee)
    assert document is None
    assert words in found["witness"]["reason"]
    assert found["bounds"] == guarantee["bounds"]
    assert guarantee_sentence(found).startswith("computed for")


def test_torques_above_the_limits_have_no_witness():
    robot, tracked = loop(uncertain=True)
    guarantee = tracked.guarantee(robot).to_document()
    found = tracking_witness(robot, replace(tracked, efforts=(20.0, 10.0)), guarantee=guarantee)
    assert found.document is None
    assert "the torque of 'joint1'" in found.reason
    assert found.reason.endswith("move more slowly, or state smaller sets")


def test_without_a_tube_the_joint_its_largest_cause_and_a_remedy_are_named(monkeypatch):
    robot, tracked = loop(uncertain=True)
    guarantee = tracked.guarantee(robot).to_document()
    monkeypatch.setattr(tracking_module, "next_radii", diverging)
    reason = tracking_witness(robot, tracked, guarantee=guarantee).reason
    cause = max(guarantee["budget"]["joint2"], key=guarantee["budget"]["joint2"].get)
    assert "find no tube: they diverge at joint 'joint2'" in reason
    assert f"due to '{cause}'; state smaller sets, choose faster poles, or move more slowly" in reason


def diverging(_problem, radii):
    """A map under which the radii of the second joint grow most."""
    return radii * np.array([10.0, 100.0]), np.ones(2)


def test_springs_have_no_witness():
    robot = classics.planar2r()
    (first, *others) = robot.bodies
    sprung = replace(first, joint=replace(first.joint, spring=Spring(5.0, 0.0)))
    robot = replace(robot, bodies=(sprung, *others))
    _, tracked = loop(uncertain=False)
    assert "has a spring" in tracking_witness(robot, tracked).reason


def test_no_guarantee_has_no_witness():
    robot, tracked = loop(uncertain=False)
    found = tracking_witness(robot, replace(tracked, efforts=(1.0, 1.0)))
    assert found.document is None
    assert "may reach" in found.reason


def test_design_writes_it_and_check_proves_it(tmp_path):
    (tmp_path / "motion.csv").write_text(MOTION, encoding="ascii")
    words = ["design", "planar2r", "--rate", "500", "--trajectory", "motion.csv", "-o", "law"]
    with contextlib.chdir(tmp_path):
        assert CliRunner().invoke(app, words).exit_code == 0
    found = check_file(tmp_path / "law")
    assert found.ok
    assert found.claim is not None
    assert found.claim.standing == "proven"
    assert COMPARED in found.assumptions
    assert COMPUTED not in found.assumptions
    alone = check_file(tmp_path / "law" / FILE_NAME)
    assert alone.claim == found.claim
    document = json.loads((tmp_path / "law" / FILE_NAME).read_text())
    document["radii"]["position"][0][0] *= 0.5
    (tmp_path / "law" / FILE_NAME).write_text(json.dumps(document), encoding="ascii")
    assert "checksum" in check_file(tmp_path / "law").refused[0]
    assert "checksum" in check_file(tmp_path / "law" / FILE_NAME).refused[0]
    assert "another robot" in check_file(tmp_path / "law" / FILE_NAME, robot=classics.scara()).refused[0]


@pytest.mark.parametrize(
    ("source", "poles", "options", "words"),
    [
        ("robot", -20.0, {}, ""),
        ("robot", -2.0, {}, "not those of the law"),
        ("loaded", -20.0, {}, "not those of the law"),
        ("robot", -20.0, {"evaluation": "reference"}, "not those of the law"),
        ("robot", -20.0, {"period": 0.004}, "another kind, rate"),
    ],
)
def test_a_package_with_another_law_than_that_of_its_witness_is_refused(tmp_path, source, poles, options, words):
    """Its code fits its program, and its claim fits its witness: without a comparison of both it would pass."""
    robot = classics.planar2r()
    path = tq.minimum_jerk([0.0, 0.0], [0.05, -0.05], 0.5, joints=robot.joint_names)
    tracked = tq.TrackedLoop(-20.0, path, period=0.002, friction=FrictionCompensation("reference"))
    guarantee, document = witnessed(robot, tracked, tracked.guarantee(robot).to_document())
    honest = tq.computed_torque(robot, -20.0, period=0.002)
    other = tq.attach_payload(robot, "tool", mass=1.0) if source == "loaded" else robot
    law = tq.computed_torque(other, poles, **{"period": 0.002, **options})
    law = replace(law, design=honest.design, origin=honest.origin)
    write_controller(law, tmp_path / "law", prefix="arm", guarantee=guarantee)
    (tmp_path / "law" / FILE_NAME).write_text(json.dumps(document), encoding="ascii")
    (manifest,) = (tmp_path / "law").glob("*.package.json")
    stated = json.loads(manifest.read_text()) | {"documents": [FILE_NAME]}
    manifest.write_text(json.dumps(stated), encoding="ascii")
    found = check_file(tmp_path / "law")
    assert found.ok == (not words), found.refused
    assert words in " ".join(found.refused)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_bounds_of_code_in_floats_are_said_to_be_without_its_rounding(tmp_path, precision):
    """Near 3 rad, 5.3e-9 rad were proven of a slow motion; the compiled floats are 2.4e-8 rad off."""
    robot, tracked = loop(uncertain=False)
    guarantee, document = witnessed(robot, tracked, tracked.guarantee(robot).to_document())
    law = tq.computed_torque(robot, -30.0, period=tracked.period)
    write_controller(law, tmp_path / "law", prefix="arm", guarantee=guarantee, precision=precision)
    (tmp_path / "law" / FILE_NAME).write_text(json.dumps(document), encoding="ascii")
    (manifest,) = (tmp_path / "law").glob("*.package.json")
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"documents": [FILE_NAME]}), encoding="ascii")
    found = check_file(tmp_path / "law")
    assert found.ok, found.refused
    assert (IN_FLOATS in found.assumptions) == (precision == "single")


def _forged(feedback, counts=None):
    """The law of the uncertain arm with another feedback of speed errors, and -5 N m where `counts` is negative."""
    robot, tracked = loop(uncertain=True)
    honest = tq.computed_torque(robot, -40.0, period=tracked.period, friction=tracked.friction)
    gains, model = witness()["loop"], as_model(robot)

    def law(**s):
        rows = zip(s["qdd_ref"], s["q_ref"], s["q"], s["qd_ref"], s["qd"], *(gains[x] for x in _GAINS), strict=True)
        v = [a + p * (x - y) + k * feedback(xd - yd) for a, x, y, xd, yd, p, k in rows]
        tau = added(rigid_torque(model, s["q"], s["qd"], v), tracked.friction.torque(model, s))
        return {"tau": tau if counts is None else [select(counts(s), x, -5.0) for x in tau]}

    made = make_controller("computed_torque", robot.joint_names, law, period=tracked.period)
    return replace(made, design=honest.design, origin=honest.origin)


_GAINS = ("stiffness", "damping")


def _clipped(error):
    return maximum(minimum(error, 0.0101), -0.0101)


@pytest.mark.parametrize(
    ("feedback", "honest"), [(lambda x: x, True), (_clipped, False), (lambda x: 2.0 * _clipped(x) - x, False)]
)
def test_a_law_is_compared_at_errors_as_large_as_those_of_the_tube(feedback, honest):
    """Without damping above 0.01 rad/s the arm leaves its tube of 7.1 mrad by 1.2 mrad, with the reverse one by 225."""
    law = _forged(feedback)
    with contextlib.nullcontext() if honest else pytest.raises(CheckError, match="not those of the law"):
        check_witnessed_law(law, witness())


def test_no_law_knows_the_states_at_which_it_is_compared(monkeypatch):
    """The states were those of one seed: a law that was honest near these, and nowhere else, was 177 mrad off."""
    honest, seen = _forged(lambda x: x), []
    torque = type(honest).torque
    monkeypatch.setattr(type(honest), "torque", lambda law, *row: (seen.append(row[3][0]), torque(law, *row))[1])
    check_witnessed_law(honest, witness())

    def counts(s):
        return functools.reduce(maximum, (1e-9 - absolute(s["q"][0] - float(x)) for x in seen))

    law = _forged(lambda x: x, counts)
    assert len(seen) == 100
    with pytest.raises(CheckError, match="not those of the law"):
        check_witnessed_law(law, witness())


def test_no_robot_in_the_sets_leaves_the_tube():
    robot, tracked = loop(uncertain=True)
    radii = np.array(witness()["radii"]["position"]).max(axis=0)
    law = tq.computed_torque(robot, -40.0, period=tracked.period, friction=tracked.friction)
    guarantee = tracked.guarantee(robot)
    attack = worst_plant(robot, law, tracked.trajectory, guarantee, tracked.uncertainty, runs=8, seed=3)
    errors = (
        attack.ratio * np.array([bound.position for bound in guarantee.joints])[robot.joint_names.index(attack.joint)]
    )
    assert 0.1 < errors / radii[robot.joint_names.index(attack.joint)] < 1.0
