"""Torque errors for a wanted tracking error: they keep it and use it up; the model that follows keeps it, too."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.control.tracking_budget import _assumed, largest_product, without_tracking
from torquec.control.uncertainty import JointUncertainty, PayloadUncertainty, TimingUncertainty
from torquec.errors import SpecificationError
from torquec.robot import classics
from torquec.simplification.specification import parse_specification
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory

ARM = classics.planar2r()
MOTION = minimum_jerk([0.1, 0.4], [0.6, 0.9], 1.0, joints=ARM.joint_names, period=0.001)
SETS = tq.Uncertainty(
    JointUncertainty(friction_residual=0.05, position=1e-5),
    payload=PayloadUncertainty(ARM.frames[-1].name, (0.0, 0.02)),
    timing=TimingUncertainty(1),
)
LOOP = tq.TrackedLoop(-20.0, MOTION, 0.001, uncertainty=SETS)
MOVING = "[every_joint]\nvelocity = 2.0\nacceleration = 4.0\n"


def stated(text):
    return parse_specification(MOVING + text, ARM)


@pytest.fixture(scope="module")
def tracked():
    return tq.simplify_for_tracking(ARM, stated("tracking_error_part = 0.3"), LOOP)


def test_the_largest_product_keeps_its_bounds_and_no_other_is_larger():
    rng = np.random.default_rng(1)
    rows, left, most = rng.uniform(0.1, 1.0, (4, 4)), rng.uniform(0.5, 2.0, 4), np.array([9.0, 9.0, 0.1, 9.0])
    found = largest_product(rows, left, most)
    assert np.all(rows @ found <= left * (1 + 1e-9))
    assert np.all(found <= most)
    assert found[2] == pytest.approx(0.1, rel=1e-6)
    for other in rng.uniform(0.0, 1.0, (2000, 4)) * most:
        other = np.minimum(other * (left / (rows @ other)).min(), most)
        assert np.prod(other) <= np.prod(found) * 1.01


def test_joints_without_a_wanted_error_limit_nothing():
    found = largest_product(np.eye(2), np.array([np.inf, 0.5]), np.array([3.0, 3.0]))
    assert found == pytest.approx([3.0, 0.5])


def test_torque_errors_use_what_the_uncertainty_leaves():
    wanted = stated("tracking_error_part = 0.3")
    budget = tq.tracking_budget(ARM, wanted, LOOP)
    assert budget.wanted == pytest.approx([1.3 * bound.position for bound in budget.exact.joints])
    errors = np.array([joint.torque_error for joint in budget.specification.joints])
    model = tq.compile(ARM)
    kept = LOOP.guarantee(_assumed(model, budget.specification, errors))
    assert budget.met_by(kept)
    assert any(bound.position > 0.95 * most for bound, most in zip(kept.joints, budget.wanted, strict=True))
    assert not budget.met_by(LOOP.guarantee(_assumed(model, budget.specification, 1.3 * errors)))


def test_the_model_keeps_the_wanted_errors(tracked):
    assert tracked.checked
    assert tracked.budget.met_by(tracked.guarantee)
    assert tracked.budget.met_by(LOOP.guarantee(tracked.model))
    for bound, more in zip(tracked.budget.exact.joints, tracked.guarantee.joints, strict=True):
        assert bound.position <= more.position


@pytest.mark.slow
def test_from_a_tracking_error_to_a_small_model_of_the_puma():
    robot = classics.puma560()
    motion = puma560_standard_trajectory(period=0.001)
    sets = tq.Uncertainty(JointUncertainty(friction_part=0.3, position=1e-5), timing=TimingUncertainty(1))
    loop = tq.TrackedLoop(-20.0, motion, 0.001, uncertainty=sets)
    moving = "[every_joint]\nvelocity = 2.5\nacceleration = 10.0\ntracking_error_part = 0.25"
    found = tq.simplify_for_tracking(robot, parse_specification(moving, robot), loop, seconds=60)
    assert found.checked
    assert found.budget.met_by(loop.guarantee(found.model))
    exact, smaller = (m.operation_count("inverse_dynamics") for m in (tq.compile(robot), found.model))
    assert smaller.mul + smaller.add < 0.4 * (exact.mul + exact.add)
    allowed = {joint.name: joint.torque_error for joint in found.budget.specification.joints}
    assert all(proof.bound <= allowed[name] for name, proof in found.model.record.joints.items())


def test_an_absolute_error_gives_the_same_budget(tracked):
    most = max(tracked.budget.wanted)
    budget = tq.tracking_budget(ARM, stated(f"tracking_error = {most!r}"), LOOP)
    assert budget.wanted == (most, most)
    pairs = zip(budget.specification.joints, tracked.budget.specification.joints, strict=True)
    assert all(wider.torque_error >= 0.8 * narrow.torque_error for wider, narrow in pairs)
    assert "torque_errors" in json.loads(json.dumps(budget.to_document()))


def test_errors_leave_the_joints_their_inertia():
    budget = tq.tracking_budget(ARM, stated("tracking_error_part = 50.0\ntorque_error = 0.01"), LOOP)
    least = np.diagonal(tq.compile(ARM).mass_matrix(MOTION.q), axis1=1, axis2=2).min(axis=0)
    for joint, inertia in zip(budget.specification.joints, least, strict=True):
        assert joint.torque_error < 0.13 * inertia * joint.acceleration
    assert not budget.specification.tracks
    assert [joint.torque_error for joint in without_tracking(stated("torque_error = 1.0")).joints] == [1.0, 1.0]


def test_the_box_grows_to_what_the_loop_needs():
    slow = parse_specification("[every_joint]\nvelocity = 0.1\nacceleration = 0.1\ntracking_error_part = 0.3", ARM)
    budget = tq.tracking_budget(ARM, slow, LOOP)
    fastest = np.abs(MOTION.qd).max(axis=0)
    assert all(j.velocity > v for j, v in zip(budget.specification.joints, fastest, strict=True))
    assert all(joint.acceleration > 2.5 for joint in budget.specification.joints)


def test_errors_that_no_model_keeps_are_refused_with_their_costs():
    with pytest.raises(SpecificationError) as refused:
        tq.simplify_for_tracking(ARM, stated("tracking_error = 1e-5"), LOOP)
    assert "the exact model already has" in refused.value.found
    assert "friction" in refused.value.found


def test_tracking_errors_need_their_loop_and_a_loop_needs_them():
    with pytest.raises(SpecificationError, match="depend on the loop"):
        tq.simplify(ARM, stated("tracking_error = 0.01"))
    with pytest.raises(SpecificationError, match="no tracking error is required"):
        tq.tracking_budget(ARM, stated("torque_error = 0.1"), LOOP)


def test_without_an_uncertainty_the_model_may_use_nearly_all():
    budget = tq.tracking_budget(ARM, stated("tracking_error = 0.002"), replace(LOOP, uncertainty=None))
    kept = replace(LOOP, uncertainty=None).guarantee(
        _assumed(tq.compile(ARM), budget.specification, np.array([j.torque_error for j in budget.specification.joints]))
    )
    assert budget.met_by(kept)
