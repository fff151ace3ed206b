"""An adversary who knows the source: no false certificate is accepted."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs
from tests.proof.coefficient_models import exact_program, narrow_box, shortened
from tests.proof.tampering import power, refuses, seeds, tampered, with_term

from torquec.errors import CheckError
from torquec.expr import count_operations
from torquec.expr.math import sincos
from torquec.proof.branch_and_bound import LEAF
from torquec.proof.certificate import Certificate, Counts, JointProof
from torquec.proof.certify import certify
from torquec.proof.certify_coefficients import certify_coefficients
from torquec.proof.checker.check_certificate import check_certificate
from torquec.proof.checker.check_coefficients import check_coefficients


def honest(name):
    robot = arm(name)
    exact, simplified = programs(robot, robot.n - 1, 0.9)
    certificate = certify(robot, exact, simplified, motions(robot))
    counts = Counts(None, None, count_operations(exact), count_operations(simplified))
    return robot, replace(certificate, counts=counts)


@pytest.fixture(scope="module")
def case():
    return honest("planar2r")


def test_tampered_certificates_are_refused(case):
    robot, certificate = case
    check_certificate(robot, certificate)
    for rng in seeds(120):
        what, false = tampered(robot, certificate, rng)
        assert refuses(check_certificate, robot, false), what


@pytest.mark.slow
def test_ten_thousand_tamperings():
    cases = [honest(name) for name in ("planar2r", "planar3r", "scara")]
    accepted = []
    for k, rng in enumerate(seeds(10_000, start=1)):
        robot, certificate = cases[k % len(cases)]
        what, false = tampered(robot, certificate, rng)
        if not refuses(check_certificate, robot, false):
            accepted.append((k, what))
    sys.stdout.write(f"\naccepted {len(accepted)} of 10000\n")
    assert not accepted


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (lambda q, qd, qdd: power(qdd[0], 24), "24 accelerations|accelerations"),
        (lambda q, qd, qdd: 1000.0 * qd[0] * qd[1] * qd[0], "3 speeds"),
        (lambda q, qd, qdd: qdd[0] * qdd[1], "2 accelerations"),
        (lambda q, qd, qdd: qdd[0] * qdd[0] - qdd[0], "2 accelerations"),
        (lambda q, qd, qdd: 5.0 * qd[1], "first degree in a speed"),
        (lambda q, qd, qdd: 40.0 * sincos(5.0 * q[1])[0], "a degree above"),
    ],
)
def test_terms_that_no_torque_has(case, term, message):
    robot, certificate = case
    false = replace(certificate, program=with_term(certificate.program, 0, term), counts=None)
    with pytest.raises(CheckError, match=message):
        check_certificate(robot, false)


def test_a_polynomial_that_vanishes_where_random_points_used_to_be():
    """The points of fixed seeds can be looked up; a polynomial through all of them was accepted."""
    robot, certificate = honest("planar2r")
    q = np.random.default_rng(2718).uniform(-np.pi, np.pi, (3, 300, 2))[0]
    factors = [math.cos(x) for x in q[:9, 1]]
    term = lambda q, qd, qdd: 1e3 * math.prod([sincos(q[1])[1] - c for c in factors])  # noqa: E731
    assert refuses(check_certificate, robot, replace(certificate, program=with_term(certificate.program, 0, term)))


def constant_error(robot, size, bound):
    """A program whose only error is a constant, with a bound for it that needs no subdivision."""
    exact, _ = programs(robot, 0, 1.0)
    program = with_term(exact, 0, lambda q, qd, qdd: size + 0.0 * qd[0])
    trees = {name: JointProof(bound, 0.0, (), (), ((LEAF,),)) for name in robot.joint_names}
    return Certificate(robot.name, robot.content_hash, program, motions(robot), trees)


def test_a_bound_just_below_an_attained_error_is_refused():
    robot = arm("planar2r")
    check_certificate(robot, constant_error(robot, 1.0, 1.0 + 1e-8))
    for part in (1e-3, 5e-10, 1e-13):
        assert refuses(check_certificate, robot, constant_error(robot, 1.0, 1.0 - part)), part


def test_false_counts_are_refused(case):
    robot, certificate = case
    less = replace(certificate.counts.operations_after, mul=1)
    assert refuses(
        check_certificate, robot, replace(certificate, counts=replace(certificate.counts, operations_after=less))
    )


@pytest.fixture(scope="module")
def coefficients():
    robot = arm("planar3r")
    program = shortened(robot, 6.0).torque()
    return robot, certify_coefficients(robot, exact_program(robot), program, narrow_box(robot))


@pytest.mark.parametrize(
    "term",
    [
        lambda q, qd, qdd: 1000.0 * qd[0] * qd[1] * qd[2],
        lambda q, qd, qdd: qdd[0] * qdd[1],
        lambda q, qd, qdd: qdd[0] * qdd[0] - qdd[0],
        lambda q, qd, qdd: 0.1 * qd[0] * qd[0] - 0.1 * qd[0],
        lambda q, qd, qdd: 1e-3 * (1.0 - sincos(5.0 * q[1])[1]),
        lambda q, qd, qdd: 1e2 * sincos(q[2])[0] * qdd[1],
    ],
)
def test_terms_in_coefficient_models_are_refused(coefficients, term):
    robot, certificate = coefficients
    check_coefficients(robot, certificate)
    assert refuses(check_coefficients, robot, replace(certificate, program=with_term(certificate.program, 1, term)))


def test_an_outer_program_is_never_taken_on_trust(coefficients):
    robot, inner = coefficients
    box = motions(robot)
    outer = replace(box, lower=inner.box.lower, upper=inner.box.upper, velocity=(), acceleration=())
    check_certificate(robot, Certificate(robot.name, robot.content_hash, inner.program, outer, {}, inner))
    other = with_term(inner.program, 0, lambda q, qd, qdd: 5.0 * qdd[0])
    assert refuses(check_certificate, robot, Certificate(robot.name, robot.content_hash, other, outer, {}, inner))


def test_a_box_where_doubles_are_coarse_is_refused(case):
    """Far from zero, angles that are added up and halved are no longer the ones that are meant."""
    robot, certificate = case
    box = certificate.motions
    for turns in (1e6, 1e12, 1e15):
        away = 2.0 * math.pi * turns
        moved = replace(box, lower=tuple(x + away for x in box.lower), upper=tuple(x + away for x in box.upper))
        tight = {
            name: replace(proof, bound=proof.found * (1.0 + 1e-9) + 1e-12) for name, proof in certificate.joints.items()
        }
        assert refuses(check_certificate, robot, replace(certificate, motions=moved, joints=tight))


def test_numbers_that_are_none_are_refused(case):
    robot, certificate = case
    steps = list(certificate.program.operations)
    k = next(k for k, step in enumerate(steps) if step.op.value == "const")
    for value in (math.nan, math.inf):
        steps[k] = replace(steps[k], value=value)
        program = replace(certificate.program, operations=tuple(steps))
        assert refuses(check_certificate, robot, replace(certificate, program=program, counts=None))
