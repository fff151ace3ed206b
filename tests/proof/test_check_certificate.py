"""The independent checker on certificates of the search: progress, time limits, older formats and their robots."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import CheckError, TimeLimitError
from torquec.expr import Op
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.model.quantities import trace_quantity
from torquec.proof.check_certificate import CheckTime, check_certificate, check_parts, is_same_torque
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import certify
from torquec_check.certificate import certificate_of
from torquec_check.document import RefusedError


@pytest.fixture(scope="module")
def case():
    robot = arm("planar2r")
    return robot, certify(robot, *programs(robot, 1, 0.9), motions(robot))


def test_slacks_are_what_rounding_takes(case):
    robot, certificate = case
    slacks = check_certificate(robot, certificate)
    assert set(slacks) == set(robot.joint_names)
    assert all(0.0 < slack < 1e-10 for slack in slacks.values())


def test_the_certificate_carries_its_robot(case):
    robot, certificate = case
    document = certificate.to_dict()
    assert certificate_of(document).robot.joints == robot.joint_names
    assert Certificate.from_dict(document) == certificate


def test_an_older_certificate_needs_its_robot(case):
    robot, certificate = case
    bare = replace(certificate, robot_document=None)
    with pytest.raises(RefusedError, match="does not hold its robot"):
        certificate_of(bare.to_dict())
    check_certificate(robot, bare)


def test_another_robot_in_the_certificate_is_refused(case):
    robot, certificate = case
    heavier = replace(robot, gravity=(0.0, 0.0, -9.9))
    with pytest.raises(CheckError, match="another robot"):
        check_certificate(robot, replace(certificate, robot_document=heavier))


def test_time_is_looked_at(case):
    robot, certificate = case
    work = Work()
    with work.within(Budget(1.0, start=0.0)), pytest.raises(TimeLimitError):
        check_certificate(robot, certificate, work=work)


PARTS = ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")


@pytest.mark.parametrize("name", ["planar2r", "scara"])
def test_honest_parts_are_accepted(name):
    robot = arm(name)
    program = trace_quantity(robot, "inverse_dynamics")
    check_parts(robot, program, {part: trace_quantity(robot, part) for part in PARTS}, motions(robot))


@pytest.mark.parametrize("part", PARTS)
def test_a_changed_part_is_refused(part):
    robot = arm("planar2r")
    program, own = trace_quantity(robot, "inverse_dynamics"), trace_quantity(robot, part)
    k = max(k for k, step in enumerate(own.operations) if step.op is Op.CONST and abs(step.value) > 0.1)
    changed = replace(own.operations[k], value=own.operations[k].value * (1.0 + 1e-6))
    false = replace(own, operations=(*own.operations[:k], changed, *own.operations[k + 1 :]))
    with pytest.raises(CheckError, match=part):
        check_parts(robot, program, {part: false}, motions(robot))


def test_the_same_torque_in_another_order():
    robot = arm("planar2r")
    program = trace_quantity(robot, "inverse_dynamics")
    heavier = replace(robot, gravity=tuple(1.001 * g for g in robot.gravity))
    assert is_same_torque(robot, program, program, motions(robot))
    assert not is_same_torque(robot, program, trace_quantity(heavier, "inverse_dynamics"), motions(robot))


@pytest.fixture(scope="module")
def foreseen():
    robot = arm("planar2r")
    return CheckTime(robot, motions(robot))


def test_degrees_are_those_of_the_robot_or_more(foreseen):
    robot = arm("planar2r")
    assert foreseen.degrees == (2, 2)
    assert all(d >= 2 for d in foreseen.degrees_of(programs(robot, 1, 0.9)[0]))
    assert foreseen.points((0, 3)) == 5 * 7


def test_times_grow_with_points(foreseen):
    assert foreseen.of_grid(0) < foreseen.of_grid(1000) < foreseen.of_grid(100_000)
    points = foreseen.points_in(60.0)
    assert foreseen.of_grid(points) == pytest.approx(60.0, rel=1e-3)
    assert foreseen.points_in(0.0) == 0


def test_a_certificate_takes_at_least_its_grid(foreseen):
    robot = arm("planar2r")
    certificate = certify(robot, *programs(robot, 1, 0.9), motions(robot))
    assert foreseen.of(certificate) >= foreseen.of_grid(25)


def test_joints_that_no_torque_depends_on_add_no_points():
    """The first joint of an upright arm: five times the points would be reserved for it."""
    robot = arm("puma560")
    assert CheckTime(robot, motions(robot)).degrees == (0, 2, 2, 2, 2, 2)
