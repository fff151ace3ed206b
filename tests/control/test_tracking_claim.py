"""The claim of a tracking guarantee names every condition, and rounds bounds up and limits inwards."""

from __future__ import annotations

import re

import pytest
from tests.control.guaranteed_models import claimed

import torquec as tq
from torquec.control.tracking_claim import computed_reason, guarantee_sentence, tracking_claim
from torquec.control.tracking_guarantee import StartError, tracking_guarantee
from torquec.robot import classics
from torquec.trajectory import minimum_jerk

CONDITIONS = ("without friction", "exact sensors", "no delay", "torque asked for", "no payload that the model does not")


@pytest.fixture(scope="module")
def certified_arm():
    """A planar arm with certified torque errors, and a motion of it."""
    robot = classics.planar2r()
    motion = minimum_jerk([0.0, 0.0], [0.3, 0.3], 1.0, joints=robot.joint_names, period=0.01)
    return claimed(robot, [0.05, 0.02]), motion


def stated(sentence, joint, unit):
    """The bound of a joint that stands at the end of a sentence."""
    bounds = sentence.rpartition("at most")[2]
    return float(re.search(rf"{joint} (\S+) {unit}", bounds)[1])


def test_along_a_motion_every_condition_is_named_and_bounds_are_rounded_up(certified_arm):
    model, motion = certified_arm
    for period in (0.001, 0.0013, 0.0017, 0.002, 0.0023):
        given = tracking_guarantee(model, -20, motion, period=period)
        sentence = guarantee_sentence(given.to_document())
        assert all(words in sentence for words in CONDITIONS)
        assert "along the motion that the controller was designed for; starting on the reference:" in sentence
        for bound in given.joints:
            assert bound.position <= stated(sentence, bound.joint, bound.unit) < 1.1 * bound.position


def test_without_a_motion_the_references_are_limited_and_rounded_inwards(certified_arm):
    given = tracking_guarantee(certified_arm[0], -20, period=0.001, efforts=200.0)
    sentence = guarantee_sentence(given.to_document())
    assert len(given.references) == 2
    for limits in given.references:
        found = re.search(
            rf"{limits.joint} from (\S+) to (\S+) rad with at most (\S+) rad/s and (\S+) rad/s\^2 and (\S+) rad/s\^3",
            sentence,
        )
        lower, upper, velocity, acceleration, jerk = map(float, found.groups())
        assert limits.lower <= lower < upper <= limits.upper
        assert 0.99 * limits.velocity < velocity <= limits.velocity
        assert 0.99 * limits.acceleration < acceleration <= limits.acceleration
        assert 0.99 * limits.jerk < jerk <= limits.jerk


def test_a_start_beside_the_reference_is_named(certified_arm):
    given = tracking_guarantee(
        certified_arm[0], -20, certified_arm[1], period=0.001, start=StartError(0.001, (0.0, 0.01))
    )
    sentence = guarantee_sentence(given.to_document())
    assert "or no farther from it than joint1 0.001 rad and 0 rad/s, joint2 0.001 rad and 0.01 rad/s:" in sentence


def test_a_reference_that_ends_in_motion_says_until_when(certified_arm):
    document = tracking_guarantee(certified_arm[0], -20, certified_arm[1], period=0.001).to_document()
    assert "designed for until t = 0.999 s, where it ends;" in guarantee_sentence(document | {"end": 0.9999})


def test_documents_of_older_versions_have_a_sentence_too(certified_arm):
    document = tracking_guarantee(certified_arm[0], -20, certified_arm[1], period=0.001).to_document()
    del document["start_error"]
    assert "starting on the reference" in guarantee_sentence(document)


def test_robot_sampling_and_standing_are_part_of_the_claim(certified_arm):
    model, motion = certified_arm
    held = tracking_claim(tracking_guarantee(model, -20, motion, period=0.001).to_document())
    assert held.sentence.startswith(
        f"computed for planar2r (sha256 {held.robot.sha256[:12]}); gravity (0.0, -9.81, 0.0)"
    )
    assert "torques held for 0.001 s" in held.sentence
    assert "a continuous controller" in guarantee_sentence(tracking_guarantee(model, -20, motion).to_document())
    loaded = claimed(tq.attach_payload(classics.planar2r(), "link2", mass=0.5), [0.05, 0.02])
    assert "payload 0.5 kg" in guarantee_sentence(tracking_guarantee(loaded, -20, motion).to_document())


def test_a_document_without_its_robot_is_still_stated(certified_arm):
    document = tracking_guarantee(certified_arm[0], -20, certified_arm[1]).to_document()
    del document["robot"], document["period"]
    assert guarantee_sentence(document).startswith("computed for the robot without friction")


def test_a_computed_bound_states_why_it_is_not_proven_and_what_to_do(certified_arm):
    model, motion = certified_arm
    alone = tracking_guarantee(model, -20, period=0.001, efforts=200.0).to_document()
    assert computed_reason(alone).endswith("along one motion there may be one: give a trajectory")
    along = tracking_guarantee(model, -20, motion, period=0.001).to_document()
    assert "no witness was searched for" in computed_reason(along)
    assert computed_reason(along | {"witness": {"reason": "jitter"}}) == "computed, not proven: jitter"
    assert computed_reason(along | {"witness": {"conditions": []}}) == ""
    assert computed_reason({"valid": False, "reason": "it diverges"}) == ""
