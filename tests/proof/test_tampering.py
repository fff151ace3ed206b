"""An adversary who knows the source: no false certificate is accepted."""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.proof import coefficient_tampering
from tests.proof.arms import arm, motions, programs
from tests.proof.coefficient_models import check_coefficients, exact_program, narrow_box, shortened
from tests.proof.tampering import (
    DOUBTFUL,
    FALSE,
    is_exceeded,
    power,
    refuses,
    seeds,
    tampered,
    third_of_an_angle,
    with_term,
)

from torquec.errors import CheckError
from torquec.expr import count_operations
from torquec.expr.math import sincos
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certificate import Certificate, Counts, JointProof
from torquec.proof.torque.certify import certify
from torquec.proof.torque.certify_coefficients import certify_coefficients


def honest(name):
    robot = arm(name)
    exact, simplified = programs(robot, robot.n - 1, 0.9)
    certificate = certify(robot, exact, simplified, motions(robot))
    counts = Counts(None, None, count_operations(exact), count_operations(simplified))
    return robot, replace(certificate, counts=counts)


@pytest.fixture(scope="module")
def case():
    return honest("planar2r")


def accepted_falsely(cases, count, start):
    """Which of `count` tamperings were accepted and are false; and how many of each class were tried."""
    accepted, tried = [], Counter()
    for k, rng in enumerate(seeds(count, start=start)):
        robot, certificate = cases[k % len(cases)]
        what, changed, doubtful = tampered(robot, certificate, rng)
        tried[what] += 1
        if refuses(check_certificate, robot, changed):
            continue
        if not doubtful or is_exceeded(robot, changed, rng):
            accepted.append((k, what))
    return accepted, tried


def test_tampered_certificates_are_refused(case):
    check_certificate(*case)
    accepted, tried = accepted_falsely([case], 120, 0)
    assert not accepted
    assert len(tried) > 15


def test_every_class_of_tampering_once(case):
    robot, certificate = case
    name = robot.joint_names[0]
    for what, change in FALSE.items():
        assert refuses(check_certificate, robot, change(robot, certificate, name, seeds(1)[0])), what
    for what, change in DOUBTFUL.items():
        changed = change(robot, certificate, name, seeds(1)[0])
        assert refuses(check_certificate, robot, changed) or not is_exceeded(robot, changed, seeds(1)[0]), what


@pytest.mark.slow
def test_six_thousand_tampered_certificates():
    """With coefficients, models and packages (`tests/model/test_false_files.py`) these are ten thousand."""
    cases = [honest(name) for name in ("planar2r", "planar2r", "planar3r", "scara")]
    accepted, tried = accepted_falsely(cases, 6000, 1)
    sys.stdout.write(f"\naccepted {len(accepted)} of {tried.total()}: {dict(tried)}\n")
    assert not accepted


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (lambda q, qd, qdd: power(qdd[0], 24), "product of rates"),
        (lambda q, qd, qdd: 1000.0 * qd[0] * qd[1] * qd[0], "product of rates"),
        (lambda q, qd, qdd: qdd[0] * qdd[1], "product of rates"),
        (lambda q, qd, qdd: qdd[0] * qdd[0] - qdd[0], "product of rates"),
        (lambda q, qd, qdd: 5.0 * qd[1], "first degree in a speed"),
        (lambda q, qd, qdd: 40.0 * sincos(5.0 * q[1])[0], "is attained"),
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
    trees = {name: JointProof(bound, 0.0) for name in robot.joint_names}
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
        lambda q, qd, qdd: 1e1 * (1.0 - sincos(5.0 * q[1])[1]),
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


def test_an_angle_that_is_another_one_after_many_turns(case):
    """Three times a third of an angle is rounded to the angle itself on every grid."""
    robot, certificate = case
    program = third_of_an_angle(certificate.program)
    with pytest.raises(CheckError, match="a fraction of one"):
        check_certificate(robot, replace(certificate, program=program, counts=None))


def accepted_coefficients(robot, certificate, count, start):
    """As `accepted_falsely`, of coefficients."""
    accepted, tried = [], Counter()
    for k, rng in enumerate(seeds(count, start=start)):
        what, changed, doubtful = coefficient_tampering.tampered(robot, certificate, rng)
        tried[what] += 1
        if refuses(check_coefficients, robot, changed):
            continue
        if not doubtful or coefficient_tampering.is_exceeded(robot, changed, rng):
            accepted.append((k, what))
    return accepted, tried


@pytest.fixture(scope="module")
def two_joints():
    robot = arm("planar2r")
    program = shortened(robot, 1.5).torque()
    return robot, certify_coefficients(robot, exact_program(robot), program, narrow_box(robot))


def test_tampered_coefficients_are_refused(two_joints):
    robot, certificate = two_joints
    check_coefficients(robot, certificate)
    assert not coefficient_tampering.is_exceeded(robot, certificate, seeds(1)[0])
    accepted, tried = accepted_coefficients(robot, certificate, 60, 0)
    assert not accepted
    assert len(tried) > 9


@pytest.mark.slow
def test_fifteen_hundred_tampered_coefficients(two_joints, coefficients):
    for k, (robot, certificate) in enumerate((two_joints, two_joints, coefficients)):
        accepted, tried = accepted_coefficients(robot, certificate, 500, k + 1)
        sys.stdout.write(f"\naccepted {len(accepted)} of {tried.total()}: {dict(tried)}\n")
        assert not accepted


def test_coefficients_of_a_small_robot_are_as_exact_as_those_of_a_large_one():
    """What is not named may be off by a part of the largest coefficient, not by an absolute amount."""
    grams = arm("planar2r")
    small = [type(b.inertia)(*(1e-6 * value for value in b.inertia.parameters)) for b in grams.bodies]
    bodies = tuple(replace(body, inertia=inertia) for body, inertia in zip(grams.bodies, small, strict=True))
    robot = replace(grams, bodies=bodies)
    exact = exact_program(robot)
    honest_one = certify_coefficients(robot, exact, exact, narrow_box(robot))
    check_coefficients(robot, honest_one)
    off = with_term(exact, 0, lambda q, qd, qdd: 0.9e-9 * qdd[0])
    assert refuses(check_coefficients, robot, replace(honest_one, program=off))
