"""Certificates of coefficients: close bounds, independent check, every kind of sabotage refused."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from tests.proof.arms import arm
from tests.proof.coefficient_models import exact_program, narrow_box, shortened
from tests.proof.tampering import with_term

from torquec.closedform import closed_form
from torquec.errors import ArgumentError, CheckError, RobotError, SpecificationError, TimeLimitError
from torquec.expr import evaluate
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work
from torquec.proof.checker import check_coefficients as module
from torquec.proof.checker.allowances import UNNAMED
from torquec.proof.checker.check_boxes import leaf_boxes
from torquec.proof.checker.check_coefficients import _place, _slacks, _Task, check_coefficients
from torquec.proof.checker.grid_samples import SampledRows, grid_samples
from torquec.proof.checker.harmonic_table import HarmonicTable
from torquec.proof.checker.residual_grid import ResidualGrid
from torquec.proof.torque.certify_coefficients import certify_coefficients, prove_coefficients
from torquec.proof.torque.coefficient_certificate import CoefficientCertificate, CoefficientProof
from torquec.proof.torque.coefficient_tolerance import CoefficientTolerance, ErrorKind, Family
from torquec.robot.robot import Mimic, Robot
from torquec.simplification.coefficient_model import exact_coefficients
from torquec.trajectory.motion_box import MotionBox


def certificate_of(robot: Robot, least: float) -> CoefficientCertificate:
    tolerances = [
        CoefficientTolerance(Family.M, (0, 0), 0.9, ErrorKind.RELATIVE, robot.joint_names[0]),
    ]
    program = shortened(robot, least).torque()
    return certify_coefficients(robot, exact_program(robot), program, narrow_box(robot), tolerances=tolerances)


ARMS = [("planar3r", 6.0), ("scara", 0.4), pytest.param(("stanford", 0.2), marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=ARMS)
def case(request):
    robot = arm(request.param[0])
    return robot, certificate_of(robot, request.param[1])


def largest_errors(robot, certificate, count=10_000):
    """The largest error of every certified coefficient at random positions, by plain evaluation."""
    rng = np.random.default_rng(1)
    box = certificate.box
    q = rng.uniform(box.lower, box.upper, (count, robot.n))
    exact = exact_program(robot)
    unit, zero = np.eye(robot.n), np.zeros(robot.n)

    def both(qd, qdd, joint):
        return [evaluate(f, {"q": q, "qd": qd, "qdd": qdd})["tau"][:, joint] for f in (exact, certificate.program)]

    found = {}
    for name, proof in certificate.coefficients.items():
        i, *rest = proof.index
        rest_exact, rest_small = both(zero, zero, i)
        if proof.family is Family.G:
            p, s = rest_exact, rest_small
        elif proof.family is Family.M:
            a, b = both(zero, unit[rest[0]], i)
            p, s = a - rest_exact, b - rest_small
        else:
            j, k = rest
            a, b = both(unit[j] + unit[k], zero, i)
            c, d = both(unit[j] - unit[k], zero, i)
            p, s = 0.25 * (a - c), 0.25 * (b - d)
            if j == k:
                p, s = 0.25 * (a - rest_exact), 0.25 * (b - rest_small)
        error = np.abs(p - s)
        found[name] = float((error / np.abs(p) if proof.kind is ErrorKind.RELATIVE else error).max())
    return found


def test_bounds_are_close_and_hold(case):
    robot, certificate = case
    assert certificate.coefficients
    seen = largest_errors(robot, certificate)
    for name, proof in certificate.coefficients.items():
        assert seen[name] <= proof.bound
        assert proof.found <= proof.bound <= 1.05 * proof.found
        assert proof.found >= seen[name] * (1.0 - 1e-9)


def test_the_independent_check_accepts(case):
    check_coefficients(*case)


def test_an_executor_changes_nothing():
    robot = arm("planar3r")
    exact, program, box = exact_program(robot), shortened(robot, 6.0).torque(), narrow_box(robot)
    with ThreadPoolExecutor(2) as pool:
        spread = certify_coefficients(robot, exact, program, box, work=Work(executor=pool))
        check_coefficients(robot, spread, executor=pool)
    assert spread == certify_coefficients(robot, exact, program, box)


def test_round_trip_as_json(case):
    _, certificate = case
    again = CoefficientCertificate.from_dict(json.loads(json.dumps(certificate.to_dict())))
    assert again == certificate


def sabotaged(certificate: CoefficientCertificate, kind: str, name: str) -> CoefficientCertificate:
    proof = certificate.coefficients[name]
    if kind == "bound":
        changed = replace(proof, bound=0.99 * proof.found, found=0.0)
    elif kind == "box":
        k = max(range(len(proof.trees)), key=lambda k: len(proof.trees[k]))
        trees = list(proof.trees)
        trees[k] = trees[k][:-1]
        changed = replace(proof, trees=tuple(trees))
    elif kind == "root":
        changed = replace(proof, trees=proof.trees[:-1])
    elif kind == "variable":
        changed = replace(proof, variables=proof.variables[:-1], degrees=proof.degrees[:-1])
    elif kind == "tolerance":
        changed = replace(proof, tolerance=0.5 * proof.bound)
    elif kind == "left out":
        rest = {key: value for key, value in certificate.coefficients.items() if key != name}
        return replace(certificate, coefficients=rest)
    elif kind == "renamed":
        rest = {key: value for key, value in certificate.coefficients.items() if key != name}
        return replace(certificate, coefficients={**rest, "g[9]": proof})
    elif kind == "range":
        box = certificate.box
        wider = MotionBox(tuple(x - 1.2 for x in box.lower), tuple(x + 1.2 for x in box.upper))
        return replace(certificate, box=wider)
    else:
        steps = list(certificate.program.operations)
        k = max((k for k, step in enumerate(steps) if step.op == "const"), key=lambda k: abs(steps[k].value))
        steps[k] = replace(steps[k], value=steps[k].value * 1.2)
        return replace(certificate, program=replace(certificate.program, operations=tuple(steps)))
    return replace(certificate, coefficients={**certificate.coefficients, name: changed})


KINDS = ("bound", "box", "root", "variable", "tolerance", "left out", "renamed", "range", "program")


@pytest.mark.parametrize("kind", KINDS)
def test_sabotage_is_refused(case, kind):
    robot, certificate = case
    proofs = certificate.coefficients
    name = max(proofs, key=lambda name: len(proofs[name].trees) * proofs[name].found)
    with pytest.raises(CheckError):
        check_coefficients(robot, sabotaged(certificate, kind, name))


def test_every_bound_one_percent_below_its_error_is_refused(case):
    robot, certificate = case
    proofs = certificate.coefficients
    for name in sorted(proofs, key=lambda name: -proofs[name].found)[:12]:
        with pytest.raises(CheckError, match="a box of the proof allows"):
            check_coefficients(robot, sabotaged(certificate, "bound", name))


def test_another_robot_is_refused(case):
    robot, certificate = case
    with pytest.raises(CheckError, match="another robot"):
        check_coefficients(replace(robot, gravity=(0.0, 0.0, -9.0)), certificate)


def test_a_tolerance_below_the_error_names_coefficient_joint_and_what_is_proven():
    robot = arm("planar3r")
    tolerance = CoefficientTolerance(Family.M, (0, 0), 1e-4, ErrorKind.ABSOLUTE, robot.joint_names[0])
    program = shortened(robot, 6.0).torque()
    with pytest.raises(SpecificationError, match=r"error of M\[1,1\].*0\.0001 of joint 'joint1'; what is proven is"):
        certify_coefficients(robot, exact_program(robot), program, narrow_box(robot), tolerances=[tolerance])


def test_what_is_not_proven_is_named_and_the_other_proofs_hold_for_a_program_without_it():
    robot = arm("planar3r")
    exact, box, model = exact_program(robot), narrow_box(robot), shortened(robot, 6.0)
    tolerance = CoefficientTolerance(Family.M, (0, 0), 1e-4, ErrorKind.ABSOLUTE, robot.joint_names[0])
    found = prove_coefficients(robot, exact, model.torque(), box, tolerances=[tolerance])
    assert found.unproven == {"M[1,1]"}
    whole = exact_coefficients(closed_form(robot)).coefficients[Family.M, (0, 0)]
    restored = replace(model, coefficients={**model.coefficients, (Family.M, (0, 0)): whole}).torque()
    kept = certify_coefficients(robot, exact, restored, box, tolerances=[tolerance], known=found.proofs)
    assert kept.coefficients == found.proofs
    check_coefficients(robot, kept)
    with pytest.raises(CheckError, match=r"M\[1,1\]"):
        check_coefficients(robot, replace(kept, program=model.torque()))


def test_a_tolerance_that_is_not_proven_in_time_is_told():
    robot, work = arm("planar3r"), Work()
    tolerance = CoefficientTolerance(Family.M, (0, 0), 0.9, ErrorKind.RELATIVE, robot.joint_names[0])
    program = shortened(robot, 6.0).torque()
    with work.within(Budget(1.0, start=0.0)):
        asked = (robot, exact_program(robot), program, narrow_box(robot))
        assert prove_coefficients(*asked, tolerances=[tolerance], work=work).unproven == {"M[1,1]"}
        with pytest.raises(TimeLimitError, match=r"error of M\[1,1\] was not proven in time"):
            certify_coefficients(*asked, tolerances=[tolerance], work=work)


def test_mimic_joints_are_refused(mimic_arm):
    program = shortened(arm("planar2r"), 0.1).torque()
    with pytest.raises(RobotError, match="follows another one"):
        certify_coefficients(mimic_arm, program, program, MotionBox((-1.0,), (1.0,)))


@pytest.fixture
def mimic_arm():
    robot = arm("planar2r")
    first, second = robot.bodies
    follower = replace(second, joint=replace(second.joint, mimic=Mimic(first.joint.name)))
    return replace(robot, bodies=(first, follower))


def test_what_is_no_certificate_is_refused():
    with pytest.raises(ArgumentError, match="not a certificate"):
        CoefficientCertificate.from_dict({"format": "something else"})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"index": (0, 99)}, "no coefficient"),
        ({"index": (0, -1)}, "no coefficient"),
        ({"index": (0,)}, "no coefficient"),
        ({"index": (1, 0)}, "wrong side of the diagonal"),
        ({"kind": ErrorKind.RELATIVE, "bound": 1.5}, "a relative error of 1.5 is no bound"),
        ({"found": 9.0, "bound": 8.0}, "the largest error found 9.0"),
        ({"tolerance": 1e-9}, "exceeds its tolerance"),
        ({"variables": (((0, 1), (1, 2)),), "degrees": (1,)}, "no such variable"),
        ({"variables": (((0, 1), (0, 1)),), "degrees": (1,)}, "no such variable"),
        ({"variables": (((0, 1), (9, 1)),), "degrees": (1,)}, "no such variable"),
        ({"variables": ((),), "degrees": (1,)}, "no such variable"),
        ({"variables": (((0, 1),), ((0, -1),)), "degrees": (1, 1)}, "depend on each other"),
        ({"variables": (((0, 1),), ((1, 1),)), "degrees": (1, 4)}, "the degrees of its error"),
        ({"variables": (((0, 1),), ((1, 1),)), "degrees": (0, 1)}, "the degrees of its error"),
        ({"variables": (((0, 1),),), "degrees": (1, 1)}, "the degrees of its error"),
    ],
)
def test_statements_that_make_no_sense_are_refused(changes, message):
    """Each with one part wrong beside parts that are right."""
    robot = arm("planar2r")
    proof = CoefficientProof(Family.M, (0, 1), ErrorKind.ABSOLUTE, None, 5.0, 0.0, (), (), ((-1,),))
    exact = exact_program(robot)
    false = replace(proof, **changes)
    certificate = CoefficientCertificate(robot.name, robot.content_hash, exact, narrow_box(robot), {proof.name: proof})
    check_coefficients(robot, certificate)
    with pytest.raises(CheckError, match=message):
        check_coefficients(robot, replace(certificate, coefficients={false.name: false}))


def test_displacements_are_not_added_up():
    robot = arm("scara")
    slides = next(k for k, joint in enumerate(robot.joints) if joint.type.is_prismatic)
    proof = CoefficientProof(
        Family.M, (0, 1), ErrorKind.ABSOLUTE, None, 5.0, 0.0, (((0, 1), (slides, 1)),), (1,), ((-1,),)
    )
    certificate = CoefficientCertificate(
        robot.name, robot.content_hash, exact_program(robot), narrow_box(robot), {proof.name: proof}
    )
    with pytest.raises(CheckError, match="displacements are not added up"):
        check_coefficients(robot, certificate)


def test_tables_that_fill_the_memory_are_refused(case, monkeypatch):
    robot, certificate = case
    sizes = {
        name: math.prod(
            degree + 1 if robot.joints[variable[0][0]].type.is_prismatic else 2 * degree + 1
            for variable, degree in zip(proof.variables, proof.degrees, strict=True)
        )
        * (2 if proof.kind is ErrorKind.RELATIVE else 1)
        for name, proof in certificate.coefficients.items()
    }
    monkeypatch.setattr("torquec.proof.checker.harmonic_table._MOST_VALUES", sum(sizes.values()))
    check_coefficients(robot, certificate)
    monkeypatch.setattr("torquec.proof.checker.harmonic_table._MOST_VALUES", sum(sizes.values()) - 1)
    with pytest.raises(CheckError, match="too many variables"):
        check_coefficients(robot, certificate)


def test_errors_are_bounded_by_amplitudes_when_time_is_over():
    robot = arm("planar3r")
    program, work = shortened(robot, 6.0).torque(), Work()
    with work.within(Budget(1.0, start=0.0)):
        certificate = certify_coefficients(robot, exact_program(robot), program, narrow_box(robot), work=work)
    assert len(certificate.coefficients) > 5
    assert all(proof.variables == () for proof in certificate.coefficients.values())
    check_coefficients(robot, certificate)
    for name, proof in list(certificate.coefficients.items())[::4]:
        lower = {**certificate.coefficients, name: replace(proof, bound=0.999 * proof.bound, found=0.0)}
        with pytest.raises(CheckError):
            check_coefficients(robot, replace(certificate, coefficients=lower))


# --- the parts of the check, by themselves --------------------------------------------------------------------------


def proof_of(family: Family, index: tuple[int, ...], kind: ErrorKind = ErrorKind.ABSOLUTE, bound: float = 1.0):
    return CoefficientProof(family, index, kind, None, bound, 0.0, (), (), ((-1,),))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_rows_of_coefficients(n):
    """M of a joint, then products of speeds, 2 c_jk for j < k, then gravity."""
    names = [(Family.M, (n - 1, j), 1.0) for j in range(n)]
    names += [(Family.H, (n - 1, j, k), 1.0 if j == k else 0.5) for j in range(n) for k in range(j, n)]
    names += [(Family.G, (n - 1,), 1.0)]
    for row, (family, index, part) in enumerate(names):
        assert _place(n, family, index) == (row, part)
        assert module._name(n, row, n - 1) == proof_of(family, index).name.replace("G", "g")


def is_proven(rows, slack, kind, bound, *, angle=False):
    """Whether functions, constants or multiples of 1 + sin q on a narrow box, are within the bound."""
    variables, sliding, degrees = ((((0, 1),),), (False,), (1,)) if angle else ((), (), ())
    table = np.array([[row, 0.0, row] for row in rows] if angle else rows)
    boxes = leaf_boxes([[(0.5 * math.pi - 1e-4, 0.5 * math.pi + 1e-4)]] if angle else [], [(-1,)], "a")
    task = _Task(proof_of(Family.G, (0,), kind, bound), HarmonicTable(variables, sliding, degrees, table), boxes, slack)
    try:
        module._check_proof(task)
    except CheckError:
        return False
    return True


@pytest.mark.parametrize("angle", [False, True])
def test_errors_and_their_slacks_count_in_full(angle):
    """|e| + s <= b, and of what is relative |e| + s <= b (p - s'); (1 + sin q) is two where it is looked at."""
    size = 2.0 if angle else 1.0
    for sign in (1.0, -1.0):
        for bound, holds in ((2.2501, True), (2.2499, False)):
            assert is_proven([sign * 2.0 / size], (0.25, 99.0), ErrorKind.ABSOLUTE, bound, angle=angle) is holds
        for bound, holds in ((0.11 / 1.8 + 1e-6, True), (0.11 / 1.8 - 1e-6, False)):
            rows = [sign * 0.1 / size, 2.0 / size]
            assert is_proven(rows, (0.01, 0.2), ErrorKind.RELATIVE, bound, angle=angle) is holds
    # A row that is nothing, or nothing but rounding beside the other one.
    for none in (0.0, 1e-15):
        assert is_proven([none, 2.0 / size], (0.01, 0.2), ErrorKind.RELATIVE, 0.0056, angle=angle)
        assert not is_proven([none, 2.0 / size], (0.01, 0.2), ErrorKind.RELATIVE, 0.0055, angle=angle)
        assert not is_proven([0.1 / size, none], (0.01, 0.2), ErrorKind.RELATIVE, 1.0, angle=angle)
    # A coefficient that is negative is no part of a bound.
    assert not is_proven([0.1 / size, -2.0 / size], (0.0, 0.0), ErrorKind.RELATIVE, 1.0, angle=angle)


def test_slacks_are_sums_of_all_that_is_not_known(monkeypatch):
    """Of the coefficient's part of its row: reach, radii, snapping; and what tables have above the degrees."""
    robot = arm("planar2r")
    box = narrow_box(robot)
    samples = grid_samples(ResidualGrid(robot, exact_program(robot), box.lower, box.upper), robot=True)
    monkeypatch.setattr(module, "_require_exact", lambda *_: None)
    snapped = 1e-2 * np.arange(1.0, 13.0).reshape(6, 2)
    error, whole = (
        SampledRows(each.value, size * np.arange(1.0, 13.0).reshape(2, 6))
        for each, size in ((samples.error, 1e-3), (samples.robot, 1e-4))
    )
    samples = replace(samples, error=error, robot=whole)
    lebesgue = samples.grid.lebesgue
    proofs = [
        proof_of(Family.M, (0, 1)), proof_of(Family.H, (1, 0, 1)), proof_of(Family.H, (0, 1, 1)),
        proof_of(Family.M, (1, 1), ErrorKind.RELATIVE),
    ]  # fmt: skip
    places = [(0, 1, 1.0), (1, 3, 0.5), (0, 4, 1.0), (1, 1, 1.0)]
    rng = np.random.default_rng(2)
    tables = [HarmonicTable((((1, 1),),), (False,), (4,), rng.normal(size=(1 + (k == 3), 9))) for k in range(4)]
    found = _slacks(samples, proofs, tables, snapped)
    for table, slack, (joint, row, part) in zip(tables, found, places, strict=True):
        known = table.at(samples.grid.positions).value
        above = table.excess(samples.grid.degrees, box.lower, box.upper)
        for k, (sampled, size) in enumerate([(error, 1e-3), (whole, 1e-4)][: len(table.table)]):
            expected = samples.reach(part * sampled.value[joint, row] - known[k], 0.0)
            expected += lebesgue * part * size * (6 * joint + row + 1)
            expected += part * 1e-2 * (2 * row + joint + 1) + (1.0 + lebesgue) * above[k]
            assert slack[k] == pytest.approx(expected, rel=1e-8)
        assert slack[1] > 0.0 or len(table.table) == 1


def unnamed(robot, program, **proofs):
    check_coefficients(robot, CoefficientCertificate(
        robot.name, robot.content_hash, program, narrow_box(robot), {p.name: p for p in proofs.values()}
    ))  # fmt: skip


@pytest.mark.parametrize("joint", [0, 1])
def test_coefficients_that_are_not_named_are_the_robot_s(joint):
    """To a billionth of its largest coefficient, which is some twenty of this arm."""
    robot, box = arm("planar2r"), narrow_box(arm("planar2r"))
    exact = exact_program(robot)
    limit = UNNAMED * ResidualGrid(robot, exact, box.lower, box.upper).largest_coefficient()
    assert limit > 10.0 * UNNAMED
    for term in (
        lambda q, qd, qdd, size: size + 0.0 * qd[0],
        lambda q, qd, qdd, size: size * qd[0] * qd[1],
        lambda q, qd, qdd, size: size * qdd[1 - joint],
    ):
        unnamed(robot, with_term(exact, joint, lambda q, qd, qdd, term=term: term(q, qd, qdd, 0.9 * limit)))
        with pytest.raises(CheckError, match="the certificate does not name it"):
            unnamed(robot, with_term(exact, joint, lambda q, qd, qdd, term=term: term(q, qd, qdd, 1.1 * limit)))


@pytest.mark.parametrize("joint", [0, 1])
def test_inertias_are_symmetric(joint):
    """M[2,1] goes with M[1,2], which is named: it must be the same."""
    robot, box = arm("planar2r"), narrow_box(arm("planar2r"))
    exact, proof = exact_program(robot), proof_of(Family.M, (0, 1))
    limit = UNNAMED * ResidualGrid(robot, exact, box.lower, box.upper).largest_coefficient()
    unnamed(robot, with_term(exact, joint, lambda q, qd, qdd: 0.9 * limit * qdd[1 - joint]), proof=proof)
    with pytest.raises(CheckError, match="not symmetric"):
        unnamed(robot, with_term(exact, joint, lambda q, qd, qdd: 1.1 * limit * qdd[1 - joint]), proof=proof)
    both = with_term(with_term(exact, 0, lambda q, qd, qdd: 0.5 * qdd[1]), 1, lambda q, qd, qdd: 0.5 * qdd[0])
    unnamed(robot, both, proof=proof)
    with pytest.raises(CheckError, match="a box of the proof allows"):
        unnamed(robot, both, proof=replace(proof, bound=0.4999))
