"""Certificates: close bounds, independent check, every kind of sabotage refused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs

from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError, CheckError, RobotError, TimeLimitError
from torquec.expr import evaluate
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.check_certificate import check_certificate
from torquec.proof.enclosure.branch_and_bound import show_boxes
from torquec.proof.torque.certificate import Certificate, load_certificate, save_certificate
from torquec.proof.torque.certify import certify, smallest_bounds
from torquec.proof.torque.torque_bounds import worst_motions


@pytest.fixture(scope="module", params=["planar3r", "scara"])
def case(request):
    robot = arm(request.param)
    exact, simplified = programs(robot, 1, 0.8)
    return robot, exact, certify(robot, exact, simplified, motions(robot))


def test_bounds_are_close_and_hold(case):
    robot, exact, certificate = case
    rng = np.random.default_rng(0)
    box = certificate.motions
    q = rng.uniform(box.lower, box.upper, (50_000, robot.n))
    qd = rng.choice([-1.0, 1.0], q.shape) * box.velocity
    qdd = rng.choice([-1.0, 1.0], q.shape) * box.acceleration
    state = {"q": q, "qd": qd, "qdd": qdd}
    error = np.abs(evaluate(exact, state)["tau"] - evaluate(certificate.program, state)["tau"]).max(axis=0)
    for value, proof in zip(error, certificate.joints.values(), strict=True):
        assert value <= proof.bound
        assert proof.bound <= max(1.2 * proof.found, 1e-7)


def test_the_independent_check_accepts(case):
    robot, _, certificate = case
    check_certificate(robot, certificate)


def test_file_round_trip(case, tmp_path):
    _, _, certificate = case
    save_certificate(certificate, tmp_path / "proof.json")
    assert load_certificate(tmp_path / "proof.json") == certificate


def _that_errs_more(certificate: Certificate):
    """The program with its first constant halved that torques feel: those of sums that cancel are not felt."""
    program, n = certificate.program, len(certificate.joints)
    state = dict.fromkeys(("q", "qd", "qdd"), np.random.default_rng(1).uniform(0.3, 0.9, (50, n)))
    torques = evaluate(program, state)["tau"]
    for k, step in enumerate(program.operations):
        if step.op == "const":
            halved = replace(step, value=0.5 * step.value)
            other = replace(program, operations=(*program.operations[:k], halved, *program.operations[k + 1 :]))
            if np.abs(evaluate(other, state)["tau"] - torques).max() > 1.0:
                return other
    raise AssertionError("no constant matters")


def _sabotaged(certificate: Certificate, kind: str, joint: str) -> Certificate:
    proof = certificate.joints[joint]
    if kind == "bound":
        changed = replace(proof, bound=0.99 * proof.found, found=0.0)
    elif kind == "range":
        box = certificate.motions
        wider = replace(box, velocity=tuple(1.3 * v for v in box.velocity))
        return replace(certificate, motions=wider)
    else:
        return replace(certificate, program=_that_errs_more(certificate))
    return replace(certificate, joints={**certificate.joints, joint: changed})


@pytest.mark.parametrize("kind", ["bound", "range", "program"])
def test_sabotage_is_refused(case, kind):
    robot, _, certificate = case
    joint = max(certificate.joints, key=lambda name: certificate.joints[name].found)
    with pytest.raises(CheckError):
        check_certificate(robot, _sabotaged(certificate, kind, joint))


def test_another_robot_is_refused(case):
    robot, _, certificate = case
    with pytest.raises(CheckError, match="another robot"):
        check_certificate(replace(robot, gravity=(0.0, 0.0, -9.8)), certificate)


def test_a_limit_below_the_error_is_an_error(case):
    robot, exact, certificate = case
    limits = [0.5 * max(proof.found, 1e-6) for proof in certificate.joints.values()]
    with pytest.raises(RobotError, match="could not be proven"):
        certify(robot, exact, certificate.program, certificate.motions, limits=limits)


def test_a_bound_within_the_limit_is_enough_where_no_closer_one_is_asked_for(case):
    robot, exact, certificate = case
    limits = [4.0 * max(proof.found, 1e-6) for proof in certificate.joints.values()]
    quick = certify(robot, exact, certificate.program, certificate.motions, limits=limits, closer=False)
    for loose, tight, limit in zip(quick.joints.values(), certificate.joints.values(), limits, strict=True):
        assert tight.found <= loose.bound <= limit
    check_certificate(robot, quick)


def test_in_limited_time_all_joints_are_proven_before_any_bound_is_made_closer(case, monkeypatch):
    robot, exact, certificate = case
    limits = [1.05 * max(proof.bound, 1e-6) for proof in certificate.joints.values()]
    given = (robot, exact, certificate.program, certificate.motions)
    steps, work = [], Work(report=lambda report: steps.append(report.step))
    with work.within(Budget.after(3600.0)):
        close = certify(*given, limits=limits, work=work)
    assert list(dict.fromkeys(steps)) == ["proving the torque errors", "tightening the bounds"]
    for ours, theirs in zip(close.joints.values(), certificate.joints.values(), strict=True):
        assert ours.bound <= 1.01 * max(theirs.bound, 1e-6)
    late = iter([False] * robot.n)

    def out_of_time(*arguments, **options):
        if next(late, True):
            raise TimeLimitError("the time limit is reached")
        return show_boxes(*arguments, **options)

    monkeypatch.setattr("torquec.proof.torque.torque_bound.show_boxes", out_of_time)
    monkeypatch.setattr("torquec.proof.torque.torque_bound.sum_of_amplitudes", lambda *_: None)
    work = Work()
    with work.within(Budget.after(3600.0)):
        loose = certify(*given, limits=limits, work=work)
    for proof, limit in zip(loose.joints.values(), limits, strict=True):
        assert proof.bound <= limit
    check_certificate(robot, loose)


def test_snapping_and_floats_are_added_to_every_bound_and_come_off_every_limit(monkeypatch):
    robot = arm("planar2r")
    given = (robot, *programs(robot, 1, 0.8), motions(robot))
    monkeypatch.setattr("torquec.proof.torque.certify.worst_motions", partial(worst_motions, samples=2000))
    certificate = certify(*given)
    snap, floats, none = np.linspace(0.5, 1.0, robot.n), np.linspace(0.3, 0.1, robot.n), (0.0,) * robot.n
    monkeypatch.setattr("torquec.proof.torque.certify.snap_bound", lambda *_: tuple(snap))
    monkeypatch.setattr(
        "torquec.proof.torque.certify.rounding_of",
        lambda _program, _motions, precision: none if precision is Precision.DOUBLE else tuple(floats),
    )
    limits = [3.0 * proof.found + 2.0 for proof in certificate.joints.values()]
    for precision, added in ((Precision.DOUBLE, snap), (Precision.SINGLE, snap + floats)):
        more = certify(*given, precision=precision)
        for proof, plain, part in zip(more.joints.values(), certificate.joints.values(), added, strict=True):
            assert proof.bound - plain.bound == pytest.approx(part, rel=1e-7)
            assert proof.bound >= plain.bound + part - 1e-12
        assert (more.rounding is None) is (precision is Precision.DOUBLE)
        limited = certify(*given, limits=limits, closer=False, precision=precision)
        for proof, limit in zip(limited.joints.values(), limits, strict=True):
            assert proof.bound <= limit * (1.0 + 1e-9)
            assert proof.tolerance == limit
    assert tuple(more.rounding.joints.values()) == tuple(floats)
    assert tuple(more.rounding.joints) == robot.joint_names


def test_what_is_no_certificate_is_refused(tmp_path):
    (tmp_path / "x.json").write_text('{"format": "something else"}')
    with pytest.raises(ArgumentError, match="not a certificate"):
        load_certificate(tmp_path / "x.json")


def test_torques_are_bounded_by_amplitudes_when_time_is_over():
    robot = arm("planar3r")
    exact, simplified = programs(robot, 1, 0.8)
    work = Work()
    with work.within(Budget(1.0, start=0.0)):
        certificate = certify(robot, exact, simplified, motions(robot), work=work)
    for proof in certificate.joints.values():
        assert proof.found < proof.bound
    check_certificate(robot, certificate)


@pytest.mark.parametrize("precision", Precision)
def test_the_smallest_bounds_are_those_of_a_program_against_itself(case, precision):
    robot, exact, certificate = case
    whole = certify(robot, exact, exact, certificate.motions, precision=precision)
    smallest = smallest_bounds(robot, exact, certificate.motions, precision=precision)
    assert smallest == tuple(proof.bound for proof in whole.joints.values())


def test_a_known_certificate_is_the_start(case):
    """Its bounds stay where nothing tighter is proven, to the last bit; all others are as tight as without it."""
    robot, exact, certificate = case
    limits = [3.0 * proof.bound for proof in certificate.joints.values()]
    given = robot, exact, certificate.program, certificate.motions
    loose = certify(*given, limits=limits, closer=False)
    with (work := Work()).within(Budget.after(3600.0)):
        close = certify(*given, limits=limits, known=loose, work=work)
        assert close == certify(*given, limits=limits, work=work)
        assert certify(*given, limits=limits, known=close, work=work).joints == close.joints
    with (work := Work()).within(Budget(1.0, start=0.0)):
        assert certify(*given, limits=limits, known=loose, work=work).joints == loose.joints
