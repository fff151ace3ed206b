"""Proving a certificate again, with nothing of the code that made it.

(1)  The program is a polynomial (:mod:`torquec.proof.checker.check_program`), so its values at points determine it.
     The error d = exact - program is evaluated on a grid of 2 d + 1 angles (d + 1 displacements) per variable, and
     taken apart by unit speeds and accelerations; a discrete Fourier transform gives its harmonics.  Random motions
     of all joints confirm that these harmonics are d.
(2)  Each tree must cut its root box completely; root boxes must cover the ranges.
(3)  On a leaf, the error that the harmonics allow must not exceed the bound
     (:mod:`torquec.proof.checker.check_boxes`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import CheckError
from torquec.expr import Function, evaluate
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.proof.certificate import Certificate
from torquec.proof.checker.check_boxes import REMEDY, LeafChecker, basis_values, root_pieces, tree_leaves
from torquec.proof.checker.check_coefficients import check_coefficients
from torquec.proof.checker.check_program import check_program
from torquec.proof.coefficient_certificate import CoefficientCertificate
from torquec.robot.robot import Robot

_MOTIONS = 300
_HIGHEST_DEGREE = 3
_IDENTITY = 1e-9
"""The harmonics must reproduce the error to this part of the largest torque."""


def check_certificate(
    robot: Robot, certificate: Certificate, *, work: Work | None = None, executor: Executor | None = None
) -> None:
    """Raise `CheckError` unless every bound of the certificate is proven for this robot.

    Nothing of it is taken from kept results: it is proven each time.
    """
    work = as_work(work, executor=executor)
    if certificate.robot_hash != robot.content_hash:
        raise CheckError("the certificate is about another robot, or the robot has changed since", remedy=REMEDY)
    if certificate.coefficients is not None:
        _check_inner(robot, certificate, certificate.coefficients, work)
        if not certificate.joints:
            return
    if tuple(certificate.joints) != robot.joint_names:
        raise CheckError("the certificate does not name the robot's joints in order", remedy=REMEDY)
    box = certificate.motions
    sides = (box.lower, box.upper, box.velocity, box.acceleration)
    if any(len(side) != robot.n or not np.all(np.isfinite(side)) for side in sides):
        raise CheckError("the box of motions does not fit the robot", remedy=REMEDY)
    if not all(low <= high for low, high in zip(box.lower, box.upper, strict=True)):
        raise CheckError("a range of the box is empty", remedy=REMEDY)
    if min(*box.velocity, *box.acceleration) < 0.0:
        raise CheckError("a largest speed or acceleration is negative", remedy=REMEDY)
    for name, proof in certificate.joints.items():
        if not (math.isfinite(proof.bound) and proof.bound >= 0.0):
            raise CheckError(f"joint '{name}': its bound is {proof.bound}", remedy=REMEDY)
    check_program(robot, certificate.program)
    tasks = [(robot, certificate, joint) for joint in range(robot.n)]
    for _ in work.map(
        "proving the torque errors again",
        _check_joint,
        tasks,
        kept=False,
        metered=True,
        note=lambda task, _: robot.joint_names[task[2]],
    ):
        pass


def _check_inner(robot: Robot, certificate: Certificate, coefficients: CoefficientCertificate, work: Work) -> None:
    """The certificate of coefficients within one of torques: about the same positions."""
    box = coefficients.box
    if (box.lower, box.upper) != (certificate.motions.lower, certificate.motions.upper):
        raise CheckError("torques and coefficients are certified over different positions", remedy=REMEDY)
    check_coefficients(robot, coefficients, work=work)


def _check_joint(task: tuple[Robot, Certificate, int], *, meter: Meter = silent) -> None:
    robot, certificate, joint = task
    name = robot.joint_names[joint]
    proof = certificate.joints[name]
    variables, degrees, box = proof.variables, proof.degrees, certificate.motions
    if len(set(variables)) != len(variables) or not all(0 <= v < robot.n for v in variables):
        raise CheckError(f"joint '{name}': no such variables {variables}", remedy=REMEDY)
    if len(degrees) != len(variables) or not all(1 <= degree <= _HIGHEST_DEGREE for degree in degrees):
        raise CheckError(f"joint '{name}': the degrees of its error are given as {degrees}", remedy=REMEDY)
    sliding = [robot.joints[v].type.is_prismatic for v in variables]
    pieces = [root_pieces(box.lower[v], box.upper[v], slides) for v, slides in zip(variables, sliding, strict=True)]
    roots = list(itertools.product(*pieces))
    if len(roots) != len(proof.trees):
        raise CheckError(f"joint '{name}': {len(proof.trees)} trees for {len(roots)} root boxes", remedy=REMEDY)
    # The trees are gone through before anything is computed: a proof with a hole is refused at once.
    leaves = [tree_leaves(tree, len(variables), f"joint '{name}'") for tree in proof.trees]
    rows = _harmonics(robot, certificate.program, joint, variables, sliding, degrees)
    _check_identity(robot, certificate, joint, sliding, rows)
    pairs = [box.velocity[j] * box.velocity[k] for j in range(robot.n) for k in range(j, robot.n)]
    rows = rows * np.array([*box.acceleration, *pairs, 1.0]).reshape(-1, *([1] * len(variables)))
    checker = LeafChecker(robot.n, f"joint '{name}'", proof.bound, rows, sliding, degrees)
    for k, (root, parts) in enumerate(zip(roots, leaves, strict=True)):
        meter(k, len(roots))
        checker.check(root, parts)


# --- the error and its harmonics ------------------------------------------------------------------------------------


def _error(robot: Robot, program: Function, joint: int, q: Array, qd: Array, qdd: Array) -> Array:
    """Torque of the robot minus torque of the program at one joint, for motions (N, n)."""
    torque = inverse_dynamics(robot, list(q.T), list(qd.T), list(qdd.T))[joint]
    whole = np.broadcast_to(np.asarray(torque, dtype=np.float64), (len(q),))
    error: Array = whole - evaluate(program, {"q": q, "qd": qd, "qdd": qdd})["tau"][:, joint]
    return error


def _harmonics(
    robot: Robot,
    program: Function,
    joint: int,
    variables: Sequence[int],
    sliding: Sequence[bool],
    degrees: Sequence[int],
) -> Array:
    """Rows dM_j, dc_jk (doubled for j < k), dg as coefficients of the functions of `_basis`, variable by variable."""
    n = robot.n
    nodes = [_nodes(slides, degree) for slides, degree in zip(sliding, degrees, strict=True)]
    q = np.zeros((math.prod(len(node) for node in nodes), n))
    if variables:
        q[:, list(variables)] = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(len(q), -1)

    def at(speed: Array, acceleration: Array) -> Array:
        shape = (len(q), n)
        return _error(robot, program, joint, q, np.broadcast_to(speed, shape), np.broadcast_to(acceleration, shape))

    zero, unit = np.zeros(n), np.eye(n)
    rest = at(zero, zero)
    rows = [at(zero, unit[j]) - rest for j in range(n)]
    # Polarisation: c(u + v) - c(u - v) = 4 b(u, v), which differs from how the search takes the form apart.
    for j in range(n):
        rows.append(at(unit[j], zero) - rest)
        rows += [0.5 * (at(unit[j] + unit[k], zero) - at(unit[j] - unit[k], zero)) for k in range(j + 1, n)]
    rows.append(rest)
    values = np.array(rows).reshape(len(rows), *(len(node) for node in nodes))
    for axis, (slides, node) in enumerate(zip(sliding, nodes, strict=True), start=1):
        basis = basis_values(node, slides, degrees[axis - 1])
        if slides:
            transform = np.linalg.inv(basis)
        else:  # the discrete Fourier transform: sampled harmonics are orthogonal
            transform = basis.T * (np.where(np.arange(len(node)) == 0, 1.0, 2.0) / len(node))[:, None]
        values = np.moveaxis(np.tensordot(transform, values, axes=(1, axis)), 0, axis)
    return np.ascontiguousarray(values)


def _nodes(slides: bool, degree: int) -> Array:
    count = 2 * degree + 1
    nodes: Array = np.linspace(-1.0, 1.0, degree + 1) if slides else 2.0 * np.pi * np.arange(count) / count
    return nodes


def _check_identity(robot: Robot, certificate: Certificate, joint: int, sliding: Sequence[bool], rows: Array) -> None:
    """The harmonics are the error, at random motions of all joints (1)."""
    rng = np.random.default_rng(2718)
    n = robot.n
    proof = certificate.joints[robot.joint_names[joint]]
    variables = proof.variables
    q, qd, qdd = rng.uniform(-np.pi, np.pi, (3, _MOTIONS, n))
    value = np.repeat(rows[..., None], _MOTIONS, axis=-1) if not variables else rows
    for k, (v, slides, degree) in enumerate(reversed(list(zip(variables, sliding, proof.degrees, strict=True)))):
        basis = basis_values(q[:, v], slides, degree)
        # The first product makes the axis of motions, the others keep it.
        value = np.tensordot(value, basis, axes=(-1, 1)) if k == 0 else np.einsum("...bn,nb->...n", value, basis)
    pairs = [qd[:, j] * qd[:, k] for j in range(n) for k in range(j, n)]
    predicted = (value * np.array([*qdd.T, *pairs, np.ones(_MOTIONS)])).sum(axis=0)
    actual = _error(robot, certificate.program, joint, q, qd, qdd)
    torque = np.asarray(inverse_dynamics(robot, list(q.T), list(qd.T), list(qdd.T))[joint])
    scale = max(1.0, float(np.abs(torque).max()))
    # Written so that a NaN is refused.
    if not float(np.abs(predicted - actual).max()) <= _IDENTITY * scale:
        raise CheckError(
            f"joint '{robot.joint_names[joint]}': its error depends on more than the certificate says", remedy=REMEDY
        )
