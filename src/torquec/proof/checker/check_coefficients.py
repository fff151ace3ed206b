"""Proving a certificate of coefficients again, with nothing of the code that made it.

(1)  The coefficients of robot and program are taken apart by unit speeds and accelerations at positions of a grid,
       M_ij = tau_i(0, e_j) - tau_i(0, 0),  c_ijk = (tau_i(e_j + e_k, 0) - tau_i(e_j - e_k, 0)) / 4,  g_i = tau_i(0, 0)
     and a discrete Fourier transform gives the harmonics of their difference, and of the exact coefficient where the
     error is relative. Random positions of all joints confirm the harmonics.
(2)  Each tree must cut its root box completely; root boxes must cover the ranges. A sum of angles ranges over the sum
     of their ranges, whatever the proof may have known better.
(3)  On a leaf, control values of the harmonics must not allow more than the bound
     (:mod:`torquec.proof.checker.check_boxes`):   |error| <= bound,   relative:  |error| - bound * exact <= 0.
(4)  Coefficients that the certificate does not name must be those of the robot, at the random positions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import CheckError
from torquec.expr import Function, evaluate
from torquec.foundation.arrays import Array
from torquec.foundation.work import Work, as_work
from torquec.proof.checker.check_boxes import REMEDY, LeafChecker, basis_values, root_pieces, tree_leaves
from torquec.proof.checker.check_program import check_program
from torquec.proof.coefficient_certificate import CoefficientCertificate, CoefficientProof
from torquec.proof.coefficient_tolerance import Family
from torquec.proof.error_peaks import ErrorKind
from torquec.robot.robot import Robot
from torquec.trajectory.box import Box

Torque = Callable[[Array, Array, Array], Array]

_POSITIONS = 200
_HIGHEST_DEGREE = 3
_IDENTITY = 1e-10
"""Harmonics must give the error, and unnamed coefficients be exact, to this part of the largest torque."""

_SIZES = {Family.M: 2, Family.H: 3, Family.G: 1}


def check_coefficients(
    robot: Robot, certificate: CoefficientCertificate, *, work: Work | None = None, executor: Executor | None = None
) -> None:
    """Raise `CheckError` unless every bound of the certificate is proven for this robot.

    Nothing of it is taken from kept results: it is proven each time.
    """
    if certificate.robot_hash != robot.content_hash:
        raise CheckError("the certificate is about another robot, or the robot has changed since", remedy=REMEDY)
    if len(certificate.box) != robot.n:
        raise CheckError(f"the box has {len(certificate.box)} ranges for {robot.n} joints", remedy=REMEDY)
    check_program(robot, certificate.program)
    for name, proof in certificate.coefficients.items():
        if proof.name != name:
            raise CheckError(f"the proof of {proof.name} is filed under {name}", remedy=REMEDY)
        _check_statement(robot, proof)
    named = {(proof.family, proof.index) for proof in certificate.coefficients.values()}
    _Coefficients(robot, certificate.program).require_exact(named)
    tasks = [_Task(robot, certificate.program, certificate.box, proof) for proof in certificate.coefficients.values()]
    for _ in as_work(work, executor=executor).map(
        "proving the coefficients again", _check_proof, tasks, kept=False, note=lambda task, _: task.proof.name
    ):
        pass


@dataclass(frozen=True)
class _Task:
    """What a process needs to prove one coefficient again."""

    robot: Robot
    program: Function
    box: Box
    proof: CoefficientProof


def _check_statement(robot: Robot, proof: CoefficientProof) -> None:
    """What the proof says of itself makes sense."""
    index = proof.index
    if len(index) != _SIZES.get(proof.family) or not all(0 <= i < robot.n for i in index):
        raise CheckError(f"the robot has no coefficient {proof.name}", remedy=REMEDY)
    if list(index[-2:]) != sorted(index[-2:]):
        raise CheckError(f"{proof.name} stands on the wrong side of the diagonal", remedy=REMEDY)
    if not (math.isfinite(proof.bound) and proof.bound >= 0.0):
        raise CheckError(f"{proof.name}: its bound is {proof.bound}", remedy=REMEDY)
    if proof.kind is ErrorKind.RELATIVE and proof.bound > 1.0:
        raise CheckError(f"{proof.name}: a relative error of {proof.bound:.6g} is no bound", remedy=REMEDY)
    if proof.tolerance is not None and not proof.bound <= proof.tolerance * (1.0 + 1e-6) + 1e-9:
        raise CheckError(
            f"{proof.name}: its bound {proof.bound:.6g} exceeds its tolerance {proof.tolerance:.6g}", remedy=REMEDY
        )
    for variable in proof.variables:
        joints = [j for j, _ in variable]
        known = joints and len(set(joints)) == len(joints) and all(0 <= j < robot.n for j in joints)
        if not known or not all(sign in (1, -1) for _, sign in variable):
            raise CheckError(f"{proof.name}: no such variable {variable}", remedy=REMEDY)
        if len(joints) > 1 and any(robot.joints[j].type.is_prismatic for j in joints):
            raise CheckError(f"{proof.name}: displacements are not added up", remedy=REMEDY)
    if proof.variables and np.linalg.matrix_rank(_sums(robot.n, proof)) < len(proof.variables):
        raise CheckError(f"{proof.name}: its variables depend on each other", remedy=REMEDY)
    degrees = proof.degrees
    if len(degrees) != len(proof.variables) or not all(1 <= degree <= _HIGHEST_DEGREE for degree in degrees):
        raise CheckError(f"{proof.name}: the degrees of its error are given as {degrees}", remedy=REMEDY)


def _check_proof(task: _Task) -> None:
    """The trees and leaves of one coefficient, (2) and (3)."""
    robot, proof, box = task.robot, task.proof, task.box
    name = proof.name
    sliding = [robot.joints[variable[0][0]].type.is_prismatic for variable in proof.variables]
    pieces = []
    for variable, slides in zip(proof.variables, sliding, strict=True):
        ends = [(sign * box.lower[j], sign * box.upper[j]) for j, sign in variable]
        pieces.append(root_pieces(sum(map(min, ends)), sum(map(max, ends)), slides))
    roots = list(itertools.product(*pieces))
    if len(roots) != len(proof.trees):
        raise CheckError(f"{name}: {len(proof.trees)} trees for {len(roots)} root boxes", remedy=REMEDY)
    leaves = [tree_leaves(tree, len(proof.variables), name) for tree in proof.trees]
    rows = _harmonics(_Coefficients(robot, task.program), proof, sliding)
    checker = _CoefficientLeaves(proof, rows, sliding)
    try:
        for root, parts in zip(roots, leaves, strict=True):
            checker.check(root, parts)
    except CheckError as error:
        if proof.kind is ErrorKind.ABSOLUTE:
            raise
        raise CheckError(
            f"{name}: a box of the proof allows more than the relative error of {proof.bound:.6g}", remedy=REMEDY
        ) from error


class _CoefficientLeaves(LeafChecker):
    """(3); rows are the error and, where it is relative, the exact coefficient."""

    def __init__(self, proof: CoefficientProof, rows: Array, sliding: list[bool]) -> None:
        absolute = proof.kind is ErrorKind.ABSOLUTE
        super().__init__(1, proof.name, proof.bound if absolute else 0.0, rows, sliding, proof.degrees)
        self._part = 0.0 if absolute else proof.bound * (1.0 + 1e-9)

    def _largest(self, control: Array) -> Array:
        table = np.concatenate([control, np.zeros((1, control.shape[1]))])  # a row that was left out is the last one
        result: Array = np.abs(table[self._place(0)]) - self._part * table[self._place(1)]
        return result


# --- coefficients and their harmonics -------------------------------------------------------------------------------


class _Coefficients:
    """The coefficients of robot and program side by side."""

    def __init__(self, robot: Robot, program: Function) -> None:
        self.robot, self.program, self.n = robot, program, robot.n
        self.positions = np.random.default_rng(31415).uniform(-3.0, 3.0, (_POSITIONS, robot.n))

    def exact(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques (N, n) of the robot."""
        torques = inverse_dynamics(self.robot, list(q.T), list(qd.T), list(qdd.T))
        return np.stack([np.broadcast_to(np.asarray(t, dtype=np.float64), (len(q),)) for t in torques], axis=1)

    def simplified(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques (N, n) of the program."""
        found: Array = evaluate(self.program, {"q": q, "qd": qd, "qdd": qdd})["tau"]
        return found

    @cached_property
    def scale(self) -> float:
        """The largest torque that the random positions show at unit speeds and accelerations."""
        one = np.ones_like(self.positions)
        return max(1.0, float(np.abs(self.exact(self.positions, one, one)).max()))

    def at(self, q: Array, family: Family, index: tuple[int, ...]) -> tuple[Array, Array]:
        """The error of a coefficient and the coefficient of the robot, (N,) each (1)."""
        exact, simplified = (_taken_apart(f, q, family, index[1:])[:, index[0]] for f in (self.exact, self.simplified))
        return exact - simplified, exact

    def require_exact(self, named: set[tuple[Family, tuple[int, ...]]]) -> None:
        """(4), and the program's inertia is symmetric."""
        n = self.n
        rates: list[tuple[Family, tuple[int, ...]]] = [(Family.M, (j,)) for j in range(n)] + [(Family.G, ())]
        rates += [(Family.H, (j, k)) for j in range(n) for k in range(j, n)]
        inertia = np.zeros((_POSITIONS, n, n))
        for family, rest in rates:
            exact, simplified = (_taken_apart(f, self.positions, family, rest) for f in (self.exact, self.simplified))
            if family is Family.M:
                inertia[:, :, rest[0]] = simplified
            for i in range(n):
                index = (i, *rest)
                stored = tuple(sorted(index)) if family is Family.M else index
                error = float(np.abs(exact[:, i] - simplified[:, i]).max())
                if (family, stored) not in named and not error <= _IDENTITY * self.scale:
                    name = f"{family}[{','.join(str(i + 1) for i in index)}]"
                    raise CheckError(
                        f"{name} differs from the robot's by {error:.6g}, and the certificate does not name it",
                        remedy=REMEDY,
                    )
        if not float(np.abs(inertia - inertia.swapaxes(1, 2)).max()) <= _IDENTITY * self.scale:
            raise CheckError("the inertia of the program is not symmetric", remedy=REMEDY)


def _taken_apart(torque: Torque, q: Array, family: Family, rest: tuple[int, ...]) -> Array:
    """A column of coefficients (N, n) at positions (1); `rest` are its indices after the joint."""
    zero, unit = np.zeros_like(q), np.eye(q.shape[1])
    if family is Family.G:
        return torque(q, zero, zero)
    if family is Family.M:
        return torque(q, zero, zero + unit[rest[0]]) - torque(q, zero, zero)
    j, k = rest
    if j == k:
        return torque(q, zero + unit[j], zero) - torque(q, zero, zero)
    return 0.25 * (torque(q, zero + unit[j] + unit[k], zero) - torque(q, zero + unit[j] - unit[k], zero))


def _sums(n: int, proof: CoefficientProof) -> Array:
    """The matrix (variables, n) from joint positions to the proof's variables."""
    matrix = np.zeros((len(proof.variables), n))
    for row, variable in enumerate(proof.variables):
        for joint, sign in variable:
            matrix[row, joint] = sign
    return matrix


def _harmonics(coefficients: _Coefficients, proof: CoefficientProof, sliding: list[bool]) -> Array:
    """The error, and where it is relative the exact coefficient, on the functions of `basis_values` (1)."""
    sums = _sums(coefficients.n, proof)
    nodes: list[Array] = []
    for slides, degree in zip(sliding, proof.degrees, strict=True):
        count = degree + 1 if slides else 2 * degree + 1
        nodes.append(np.linspace(-1.0, 1.0, count) if slides else 2.0 * np.pi * np.arange(count) / count)
    q = np.zeros((1, coefficients.n))
    if nodes:
        grid = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(-1, len(nodes))
        q = grid @ np.linalg.pinv(sums).T  # any position with these sums
    wanted = 1 if proof.kind is ErrorKind.ABSOLUTE else 2
    rows = coefficients.at(q, proof.family, proof.index)[:wanted]
    values: Array = np.array(rows).reshape(wanted, *(len(node) for node in nodes))
    for axis, (node, slides, degree) in enumerate(zip(nodes, sliding, proof.degrees, strict=True), start=1):
        transform = np.linalg.inv(basis_values(node, slides, degree))
        values = np.moveaxis(np.tensordot(transform, values, axes=(1, axis)), 0, axis)
    predicted = np.repeat(values[..., None], _POSITIONS, axis=-1)
    arguments = list(zip(sums @ coefficients.positions.T, sliding, proof.degrees, strict=True))
    for x, slides, degree in reversed(arguments):
        predicted = np.einsum("...bn,nb->...n", predicted, basis_values(x, slides, degree))
    actual = np.array(coefficients.at(coefficients.positions, proof.family, proof.index)[:wanted])
    if not float(np.abs(predicted - actual).max()) <= _IDENTITY * coefficients.scale:
        raise CheckError(f"{proof.name}: its error depends on more than the certificate says", remedy=REMEDY)
    return np.ascontiguousarray(values)
