"""The check of a whole certificate: statements that make no sense, and every slack in full."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.proof.arms import arm, motions, programs
from tests.proof.tampering import with_term

from torquec.codegen.precision import Precision
from torquec.errors import CheckError
from torquec.expr import count_operations
from torquec.proof.checker import check_certificate as module
from torquec.proof.checker.allowances import ROUNDED_UP
from torquec.proof.checker.check_certificate import _slacks, check_certificate
from torquec.proof.checker.grid_samples import GridSamples, SampledRows, grid_samples
from torquec.proof.checker.harmonic_table import HarmonicTable
from torquec.proof.checker.residual_grid import ResidualGrid, row_weights
from torquec.proof.checker.rounded_evaluation import RoundedArray
from torquec.proof.torque.certificate import Certificate, Counts, JointProof, RoundingProof
from torquec.proof.torque.certify import certify
from torquec.proof.torque.coefficient_certificate import CoefficientCertificate

ROBOT = arm("planar2r")
EXACT = programs(ROBOT, 0, 1.0)[0]
FIRST, SECOND = ROBOT.joint_names


def constant(size: float, bound: float, **changes) -> Certificate:
    """A program that errs by a constant at the first joint, and bounds that need no boxes."""
    program = with_term(EXACT, 0, lambda q, qd, qdd: size + 0.0 * qd[0])
    proofs = {name: JointProof(bound, 0.0, (), (), ((-1,),)) for name in ROBOT.joint_names}
    return replace(
        Certificate(ROBOT.name, ROBOT.content_hash, program, motions(ROBOT), proofs, rounding=None), **changes
    )


HONEST = constant(0.5, 1.0)


def stating(**changes) -> Certificate:
    """The honest one with something else said of the second joint."""
    return replace(HONEST, joints={**HONEST.joints, SECOND: replace(HONEST.joints[SECOND], **changes)})


def over(**sides) -> Certificate:
    """The honest one over a box that no box can be: a file could still say so."""
    box = copy.copy(HONEST.motions)
    for name, side in sides.items():
        object.__setattr__(box, name, side)
    return replace(HONEST, motions=box)


def rounded(*parts: float, precision: Precision = Precision.SINGLE) -> Certificate:
    return replace(HONEST, rounding=RoundingProof(precision, dict(zip(ROBOT.joint_names, parts, strict=False))))


def counting(change: int) -> Certificate:
    counts = count_operations(HONEST.program)
    return replace(HONEST, counts=Counts(None, None, counts, replace(counts, mul=counts.mul + change)))


def test_an_honest_one_passes():
    assert set(check_certificate(ROBOT, HONEST)) == set(ROBOT.joint_names)
    check_certificate(ROBOT, counting(0))
    check_certificate(ROBOT, over(velocity=(0.0, 0.0), acceleration=(0.0, 0.0)))
    check_certificate(ROBOT, stating(bound=1.0, found=1.0, tolerance=1.0))
    # Variables that the error does not depend on, of the highest degree, in two root intervals.
    check_certificate(ROBOT, stating(variables=(1,), degrees=(3,), trees=((-1,), (-1,))))


@pytest.mark.parametrize(
    ("false", "message"),
    [
        (replace(HONEST, robot_hash="0"), "another robot"),
        (replace(HONEST, robot="other"), "names the robot 'other'"),
        (counting(1), "counts other operations"),
        (replace(HONEST, joints=dict(reversed(HONEST.joints.items()))), "joints in order"),
        (replace(HONEST, joints={}), "joints in order"),
        (over(velocity=(1.0,)), "does not fit"),
        (over(acceleration=()), "does not fit"),
        (over(lower=(-1.0, -np.inf)), "does not fit"),
        (over(upper=(np.nan, 1.0)), "does not fit"),
        (over(velocity=(1.0, np.inf)), "does not fit"),
        (over(lower=(-1.0, 2.5)), "a range of the box is empty"),
        (over(velocity=(1.0, -1e-9)), "is negative"),
        (over(acceleration=(-1.0, 1.0)), "is negative"),
        (stating(bound=np.nan), "its bound is nan"),
        (stating(bound=np.inf), "its bound is inf"),
        (stating(found=1.5), "the largest error found 1.5"),
        (stating(found=-0.5), "the largest error found -0.5"),
        (stating(tolerance=0.9), "exceeds its tolerance 0.9"),
        (stating(tolerance=np.nan), "exceeds its tolerance"),
        (stating(variables=(0, 0), degrees=(1, 1)), "no such variables"),
        (stating(variables=(2,), degrees=(1,)), "no such variables"),
        (stating(variables=(-1,), degrees=(1,)), "no such variables"),
        (stating(variables=(0,), degrees=(0,)), "the degrees"),
        (stating(variables=(0,), degrees=(4,)), "the degrees"),
        (stating(variables=(0,), degrees=(1, 1)), "the degrees"),
        (stating(trees=((-1,), (-1,))), "2 trees for 1 root boxes"),
        (rounded(1e-3, 1e-3, precision=Precision.DOUBLE), "nothing is known of rounding in double"),
        (rounded(1e-3), "the rounding of other joints"),
        (rounded(1e-3, -1e-3), "joint 'joint2': its rounding is stated as -0.001"),
        (rounded(1e-3, np.nan), "its rounding is stated as nan"),
        (rounded(1e-3, 1.1), "its rounding is stated as 1.1"),
        (rounded(1e-3, 0.0), "single precision may change torque 2"),
    ],
)
def test_statements_that_make_no_sense_are_refused(false, message):
    with pytest.raises(CheckError, match=message):
        check_certificate(ROBOT, false)


def test_torques_and_coefficients_are_about_the_same_positions_and_program():
    box = HONEST.motions
    inner = CoefficientCertificate(ROBOT.name, ROBOT.content_hash, EXACT, box.positions, {})
    # Beside bounds of torques, the coefficients may be those of another program.
    assert inner.program.content_hash != HONEST.program.content_hash
    check_certificate(ROBOT, replace(HONEST, coefficients=inner))
    with pytest.raises(CheckError, match="is not the one whose coefficients are proven"):
        check_certificate(ROBOT, replace(HONEST, coefficients=inner, joints={}))
    check_certificate(ROBOT, replace(HONEST, program=EXACT, coefficients=inner, joints={}))
    for side in ("lower", "upper"):
        other = replace(inner, box=replace(inner.box, **{side: tuple(0.9 * x for x in getattr(box, side))}))
        with pytest.raises(CheckError, match="over different positions"):
            check_certificate(ROBOT, replace(HONEST, coefficients=other))


def test_rounding_to_floats_counts_in_full():
    """An error of 1 and a rounding of 0.001 need a bound of 1.001."""
    parts = dict.fromkeys(ROBOT.joint_names, 1e-3)
    claimed = constant(1.0, 1.0011, rounding=RoundingProof(Precision.SINGLE, parts))
    with_floats = check_certificate(ROBOT, claimed)
    without = check_certificate(ROBOT, constant(1.0, 1.0011))
    for name in ROBOT.joint_names:
        assert with_floats[name] - without[name] == pytest.approx(1e-3, rel=1e-9)
    with pytest.raises(CheckError, match="a box of the proof allows"):
        check_certificate(ROBOT, constant(1.0, 1.0009, rounding=claimed.rounding))


def test_snapped_angles_count_in_full(monkeypatch):
    """What snapping changes of the rows, times the limits: here 0.001 of the second row of the first joint."""
    changed = np.zeros((6, 2))
    changed[1, 0] = 1e-3
    plain = check_certificate(ROBOT, constant(1.0, 1.01))
    monkeypatch.setattr(module, "snap_differences", lambda *_, **__: changed)
    snapped = check_certificate(ROBOT, constant(1.0, 1.01))
    assert snapped[FIRST] - plain[FIRST] == pytest.approx(1e-3 * HONEST.motions.acceleration[1], rel=1e-6)
    assert snapped[SECOND] == pytest.approx(plain[SECOND], rel=1e-12, abs=0.0)
    with pytest.raises(CheckError, match="a box of the proof allows"):
        check_certificate(ROBOT, constant(1.0, 1.0 + 0.9e-3 * HONEST.motions.acceleration[1]))


@dataclass(frozen=True)
class Coarse(GridSamples):
    """Samples with tables that are known badly, row by row."""

    def on_grid(self, table):
        found = super().on_grid(table)
        radius = np.zeros(found.value.shape)
        radius[:, 3] = 1e-3 * np.arange(1.0, 1.0 + len(radius))
        return RoundedArray(found.value, radius)


def test_slacks_are_sums_of_all_that_is_not_known():
    """The reach of what the table leaves out, both radii, and what the table has above the program's degrees."""
    program = programs(ROBOT, 1, 0.8)[1]
    box = motions(ROBOT)
    plain = grid_samples(ResidualGrid(ROBOT, program, box.lower, box.upper))
    n, rows, count = plain.error.value.shape
    assert (n, rows) == (2, 6)
    radii = 0.01 * np.arange(1.0, 13.0).reshape(2, 6)
    samples = Coarse(plain.grid, SampledRows(plain.error.value, radii), plain.robot)
    tables = [
        HarmonicTable((((1, 1),),), (False,), (4,), np.random.default_rng(k).normal(size=(rows, 9))) for k in range(n)
    ]
    found = _slacks(samples, tables)
    lebesgue = plain.grid.lebesgue
    assert (found.shape, plain.grid.degrees[1] < 4) == ((rows, n), True)
    for joint, table in enumerate(tables):
        values = table.at(plain.grid.positions).value
        assert values.shape == (rows, count)
        above = table.excess(plain.grid.degrees, box.lower, box.upper)
        assert np.all(above > 0.1)
        for row in range(rows):
            left = samples.reach(plain.error.value[joint, row] - values[row], 0.0)
            radius = radii[joint, row] + 1e-3 * (row + 1)
            expected = left + lebesgue * radius + (1.0 + lebesgue) * above[row]
            assert found[row, joint] == pytest.approx(expected, rel=1e-8)


@pytest.fixture(scope="module")
def proven():
    return certify(ROBOT, *programs(ROBOT, 1, 0.9), motions(ROBOT))


def test_slacks_of_a_proof_are_its_rows_times_the_limits(proven):
    found = check_certificate(ROBOT, proven)
    box = proven.motions
    samples = grid_samples(ResidualGrid(ROBOT, proven.program, box.lower, box.upper))
    tables = [module._table(samples, k, proof) for k, proof in enumerate(proven.joints.values())]
    slacks = row_weights(box.velocity, box.acceleration) @ _slacks(samples, tables) * ROUNDED_UP
    np.testing.assert_allclose(list(found.values()), slacks, rtol=1e-6)
    assert all(0.0 < slack < 1e-9 for slack in found.values())


def test_boxes_of_a_proof_are_gone_through(proven):
    """Bounds a little below what is attained, trees with a box less, limits that are larger."""
    for name, proof in proven.joints.items():
        assert proof.variables
        for false in (
            replace(proof, bound=0.999 * proof.found, found=0.0),
            replace(proof, trees=(*proof.trees[:-1], proof.trees[-1][:-1])),
            replace(proof, trees=proof.trees[:-1]),
        ):
            with pytest.raises(CheckError, match=f"joint '{name}'"):
                check_certificate(ROBOT, replace(proven, joints={**proven.joints, name: false}))
    for side in ("velocity", "acceleration"):
        wider = replace(proven.motions, **{side: tuple(1.2 * x for x in getattr(proven.motions, side))})
        with pytest.raises(CheckError, match="a box of the proof allows"):
            check_certificate(ROBOT, replace(proven, motions=wider))


def test_a_displacement_that_stands_still_has_tables_too():
    """On its grid all nodes are the same, so that tables are made at positions of their own."""
    robot = arm("scara")
    slides = [joint.type.is_prismatic for joint in robot.joints].index(True)
    exact = programs(robot, 0, 1.0)[0]
    program = with_term(exact, 0, lambda q, qd, qdd: 0.5 * q[slides] * q[slides])
    box = motions(robot)
    still = replace(box, lower=(*box.lower[:slides], 0.6, *box.lower[slides + 1 :]))
    proofs = {name: JointProof(0.2, 0.0, (), (), ((-1,),)) for name in robot.joint_names}
    proofs[robot.joint_names[0]] = JointProof(0.19, 0.0, (slides,), (2,), ((-1,),))
    claimed = Certificate(robot.name, robot.content_hash, program, still, proofs)
    check_certificate(robot, claimed)
    proofs[robot.joint_names[0]] = JointProof(0.17, 0.0, (slides,), (2,), ((-1,),))
    with pytest.raises(CheckError, match=r"a box of the proof allows an error of 0\.18"):
        check_certificate(robot, replace(claimed, joints=proofs))


def test_speeds_whose_products_are_lost_are_refused():
    """10^-170 squared is zero in doubles: an error of 10^300 times it would be proven to be none."""
    robot = replace(ROBOT, gravity=(0.0, 0.0, 0.0))
    program = with_term(programs(robot, 0, 1.0)[0], 0, lambda q, qd, qdd: 1e300 * qd[0] * qd[0])
    n = robot.n
    box = replace(motions(robot), velocity=(1e-170,) * n, acceleration=(0.0,) * n)
    proofs = dict.fromkeys(robot.joint_names, JointProof(1e-60, 0.0, (), (), ((-1,),)))
    with pytest.raises(CheckError, match="below 1e-100, and not zero"):
        check_certificate(robot, Certificate(robot.name, robot.content_hash, program, box, proofs))


def test_single_precision_is_not_claimed_of_coefficients_alone(proven):
    """Nothing counts what rounding to floats does to them."""
    box = replace(proven.motions, velocity=(), acceleration=())
    inner = CoefficientCertificate(ROBOT.name, ROBOT.content_hash, proven.program, box.positions, {})
    claimed = Certificate(ROBOT.name, ROBOT.content_hash, proven.program, box, {}, inner)
    floats = replace(claimed, rounding=RoundingProof(Precision.SINGLE, {}))
    with pytest.raises(CheckError, match="no torque errors that it is a part of"):
        check_certificate(ROBOT, floats)
