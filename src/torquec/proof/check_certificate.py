"""Check a certificate with the independent checker, :mod:`torquec_check`, from its document and the robot's.

The checker shares nothing with the search: it has its own dynamics, arithmetic and subdivision (docs/trusted-base.md).
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from torquec.errors import CheckError
from torquec.expr import count_operations
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.proof.torque.certificate import Certificate
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_to_dict
from torquec_check.certificate import certificate_of
from torquec_check.certificate import check_certificate as prove
from torquec_check.document import RefusedError
from torquec_check.specification import check_specification

_REMEDY = "make it again with torquec simplify"

_REPORTED_EVERY = 0.2
"""Seconds between reports of progress."""


def check_certificate(robot: Robot, certificate: Certificate, *, work: Work | None = None) -> Mapping[str, float]:
    """Raise `CheckError` unless every bound of the certificate is proven for this robot, and its specification is met.

    Returns the slack of every joint, the part of its bound that is rounding. No cached results are used: the proof is
    repeated at every call.
    """
    work = as_work(work)
    if certificate.robot_hash != robot.content_hash:
        raise CheckError(
            "the certificate is about another robot, or the robot has changed since",
            remedy=_REMEDY,
        )
    if certificate.counts is not None and certificate.counts.operations_after != count_operations(certificate.program):
        raise CheckError("the certificate counts other operations than its program has", remedy=_REMEDY)
    reported = 0.0
    with work.step("proving the torque errors again") as step, one_thread():

        def progress(_step: str, part: float) -> None:
            nonlocal reported
            work.budget.check()
            if time.monotonic() - reported > _REPORTED_EVERY:
                reported = time.monotonic()
                step.meter(part, 1.0, _step)

        try:
            claims = certificate_of(certificate.to_dict(), robot_to_dict(robot))
            check_specification(claims)
            slacks = prove(claims, progress)
        except RefusedError as error:
            raise CheckError(error.found, where=error.where, remedy=error.remedy) from None
        except ValueError as error:  # a number that JSON cannot express
            raise CheckError(f"the certificate cannot be written: {error}", remedy=_REMEDY) from None
    return slacks
