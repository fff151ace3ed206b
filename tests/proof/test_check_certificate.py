"""The independent checker on certificates of the search: progress, time limits, older formats and their robots."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.proof.arms import arm, motions, programs

from torquec.errors import CheckError, TimeLimitError
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.check_certificate import check_certificate
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
