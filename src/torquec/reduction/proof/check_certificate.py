"""Proving a certificate again, with nothing of the code that made it.

(1)  The error d = exact - program is evaluated on a grid of 2 d + 1 angles (d + 1 displacements) per variable, and
     taken apart by unit speeds and accelerations; a discrete Fourier transform gives its harmonics.  Random motions
     of all joints confirm that these harmonics are d.
(2)  Each tree must cut its root box completely; root boxes must cover the ranges.
(3)  On a leaf, values at equidistant points of t = tan((q - c)/2) times (1 + t^2)^d determine the Bernstein control
     values; with the denominators' they enclose every harmonic sum, and so the torque error:
       sum_j |dM_j| a_j + max over signs of the speeds |...| + |dg|
     must not exceed the bound. Rounding is allowed for by the sum of all magnitudes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import CheckError
from torquec.expr import Function, evaluate
from torquec.reduction.proof.certificate import Certificate, JointProof
from torquec.robot.robot import Robot

_REMEDY = "make the certificate again with torquec simplify"
_MOTIONS = 300
_IDENTITY = 1e-9
"""The harmonics must reproduce the error to this part of the largest torque."""

_ROUNDING = 1e-12
"""Of the sum of all magnitudes of a leaf's harmonics: far more than the rounding of its control values."""

_LONGEST_INTERVAL = 0.95 * math.pi
Complex = npt.NDArray[np.complex128]
Floats = npt.NDArray[np.float64]


def check_certificate(robot: Robot, certificate: Certificate) -> None:
    """Raise `CheckError` unless every bound of the certificate is proven for this robot."""
    if certificate.robot_hash != robot.content_hash:
        raise CheckError("the certificate is about another robot, or the robot has changed since", remedy=_REMEDY)
    if certificate.degree not in (2, 3):
        raise CheckError(f"the degree of the error is given as {certificate.degree}", remedy=_REMEDY)
    if tuple(certificate.joints) != robot.joint_names:
        raise CheckError("the certificate does not name the robot's joints in order", remedy=_REMEDY)
    box = certificate.motions
    sides = (box.lower, box.upper, box.velocity, box.acceleration)
    if any(len(side) != robot.n or not np.all(np.isfinite(side)) for side in sides):
        raise CheckError("the box of motions does not fit the robot", remedy=_REMEDY)
    if not all(low <= high for low, high in zip(box.lower, box.upper, strict=True)):
        raise CheckError("a range of the box is empty", remedy=_REMEDY)
    if min(*box.velocity, *box.acceleration) < 0.0:
        raise CheckError("a largest speed or acceleration is negative", remedy=_REMEDY)
    for index, (name, proof) in enumerate(certificate.joints.items()):
        if not (math.isfinite(proof.bound) and proof.bound >= 0.0):
            raise CheckError(f"joint '{name}': its bound is {proof.bound}", remedy=_REMEDY)
        _check_joint(robot, certificate, index, proof)


def _check_joint(robot: Robot, certificate: Certificate, joint: int, proof: JointProof) -> None:
    name = robot.joint_names[joint]
    if len(set(proof.variables)) != len(proof.variables) or not all(0 <= v < robot.n for v in proof.variables):
        raise CheckError(f"joint '{name}': no such variables {proof.variables}", remedy=_REMEDY)
    sliding = [robot.joints[v].type.is_prismatic for v in proof.variables]
    degree = certificate.degree
    rows = _harmonics(robot, certificate.program, joint, proof.variables, sliding, degree)
    _check_identity(robot, certificate, joint, proof.variables, sliding, rows)
    n = robot.n
    box = certificate.motions
    weights = [*box.acceleration]
    weights += [box.velocity[j] * box.velocity[k] for j in range(n) for k in range(j, n)]
    rows = rows * np.array([*weights, 1.0]).reshape(-1, *([1] * len(proof.variables)))
    noise = _ROUNDING * float(np.abs(rows).sum())
    pieces = [
        _pieces(box.lower[v], box.upper[v], prismatic) for v, prismatic in zip(proof.variables, sliding, strict=True)
    ]
    roots = list(itertools.product(*pieces))
    if len(roots) != len(proof.trees):
        raise CheckError(f"joint '{name}': {len(proof.trees)} trees for {len(roots)} root boxes", remedy=_REMEDY)
    for root, tree in zip(roots, proof.trees, strict=True):
        for leaf in _leaves(tree, len(root), name):
            boxes = [
                _interval(piece, low, high, prismatic, degree)
                for piece, (low, high), prismatic in zip(root, leaf, sliding, strict=True)
            ]
            worst = _largest(_control(rows, boxes), n) + noise
            if worst > proof.bound * (1.0 + 1e-9) + 1e-300:
                raise CheckError(
                    f"joint '{name}': a box of the proof allows an error of {worst:.6g}, more than {proof.bound:.6g}",
                    remedy=_REMEDY,
                )


# --- the error and its harmonics ------------------------------------------------------------------------------------


def _error(robot: Robot, program: Function, joint: int, q: Floats, qd: Floats, qdd: Floats) -> Floats:
    """Torque of the robot minus torque of the program at one joint, for motions (N, n)."""
    torque = inverse_dynamics(robot, list(q.T), list(qd.T), list(qdd.T))[joint]
    whole = np.broadcast_to(np.asarray(torque, dtype=np.float64), (len(q),))
    state = {"q": q, "qd": qd, "qdd": qdd}
    error: Floats = whole - evaluate(program, state)["tau"][:, joint]
    return error


def _harmonics(
    robot: Robot, program: Function, joint: int, variables: Sequence[int], sliding: Sequence[bool], degree: int
) -> Complex:
    """Rows dM_j, dc_jk (doubled for j < k), dg as coefficients of exp(i k q), or of powers of a displacement."""
    n = robot.n
    count = 2 * degree + 1
    heights = np.linspace(-1.0, 1.0, degree + 1)
    nodes = [heights if slides else 2.0 * np.pi * np.arange(count) / count for slides in sliding]
    q = np.zeros((math.prod(len(node) for node in nodes), n))
    if variables:
        q[:, list(variables)] = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(len(q), -1)

    def at(speed: Floats, acceleration: Floats) -> Floats:
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
    values: Complex = np.array(rows, dtype=np.complex128).reshape(len(rows), *(len(node) for node in nodes))
    for axis, slides in enumerate(sliding, start=1):
        if slides:
            powers = np.linalg.inv(np.vander(heights, increasing=True))
            values = np.moveaxis(np.tensordot(powers, values, axes=(1, axis)), 0, axis)
        else:
            values = np.fft.fft(values, axis=axis) / count
    return values


def _basis(x: Floats, slides: bool, degree: int) -> Complex:
    """exp(i k x) for k = 0, 1, .., -2, -1 (the order of the transform), or powers: (N, harmonics)."""
    if slides:
        return np.vander(x, degree + 1, increasing=True).astype(np.complex128)
    count = 2 * degree + 1
    harmonics: Complex = np.exp(1j * np.outer(x, count * np.fft.fftfreq(count)))
    return harmonics


def _check_identity(
    robot: Robot,
    certificate: Certificate,
    joint: int,
    variables: Sequence[int],
    sliding: Sequence[bool],
    rows: Complex,
) -> None:
    """The harmonics are the error, at random motions of all joints (1)."""
    rng = np.random.default_rng(2718)
    n = robot.n
    q, qd, qdd = rng.uniform(-2.0, 2.0, (3, _MOTIONS, n))
    value: Complex = np.repeat(rows[..., None], _MOTIONS, axis=-1)
    for v, slides in reversed(list(zip(variables, sliding, strict=True))):
        value = np.einsum("...bn,nb->...n", value, _basis(q[:, v], slides, certificate.degree))
    pairs = [qd[:, j] * qd[:, k] for j in range(n) for k in range(j, n)]
    predicted = (value.real * np.array([*qdd.T, *pairs, np.ones(_MOTIONS)])).sum(axis=0)
    actual = _error(robot, certificate.program, joint, q, qd, qdd)
    torque = np.asarray(inverse_dynamics(robot, list(q.T), list(qd.T), list(qdd.T))[joint])
    scale = max(1.0, float(np.abs(torque).max()))
    if float(np.abs(predicted - actual).max()) > _IDENTITY * scale:
        raise CheckError(
            f"joint '{robot.joint_names[joint]}': its error depends on more than the certificate says", remedy=_REMEDY
        )


# --- boxes ----------------------------------------------------------------------------------------------------------


def _pieces(lower: float, upper: float, slides: bool) -> list[tuple[float, float]]:
    """The root intervals of a range: one for a displacement, equal parts of at most 0.9 pi for an angle."""
    if slides:
        return [(lower, upper)]
    if upper - lower >= 2.0 * math.pi:
        lower, upper = -math.pi, math.pi
    count = max(1, math.ceil((upper - lower) / (0.9 * math.pi) - 1e-12))
    edges = [lower + (upper - lower) * k / count for k in range(count)] + [upper]
    pieces = list(itertools.pairwise(edges))
    if any(high - low > _LONGEST_INTERVAL for low, high in pieces):
        raise CheckError("a root interval is too wide", remedy=_REMEDY)
    return pieces


def _leaves(tree: Sequence[int], axes: int, name: str) -> list[list[tuple[float, float]]]:
    """Leaf boxes of a tree, as parts of [0, 1] per axis; the tree must be used up exactly (2)."""
    leaves = []
    stack = [[(0.0, 1.0)] * axes]
    for symbol in tree:
        if not stack:
            raise CheckError(f"joint '{name}': a tree goes on after its last box", remedy=_REMEDY)
        box = stack.pop()
        if symbol == -1:
            leaves.append(box)
            continue
        if not 0 <= symbol < axes:
            raise CheckError(f"joint '{name}': a tree splits axis {symbol}", remedy=_REMEDY)
        low, high = box[symbol]
        middle = 0.5 * (low + high)
        stack.append([*box[:symbol], (middle, high), *box[symbol + 1 :]])
        stack.append([*box[:symbol], (low, middle), *box[symbol + 1 :]])
    if stack:
        raise CheckError(f"joint '{name}': a tree leaves {len(stack)} boxes open", remedy=_REMEDY)
    return leaves


def _interval(piece: tuple[float, float], low: float, high: float, slides: bool, degree: int) -> tuple[Complex, Floats]:
    """For a part of a root interval: the matrix from harmonics to Bernstein numerators, and the denominators (3)."""
    size = degree + 1 if slides else 2 * degree + 1
    u = low + (high - low) * np.linspace(0.0, 1.0, size)
    if slides:
        x, weight = piece[0] + (piece[1] - piece[0]) * u, np.ones(size)
    else:
        half = math.tan(0.25 * (piece[1] - piece[0]))
        t = half * (2.0 * u - 1.0)
        x = 0.5 * (piece[0] + piece[1]) + 2.0 * np.arctan(t)
        weight = (1.0 + t * t) ** degree
    top = size - 1
    s = np.linspace(0.0, 1.0, size)
    bernstein = np.array([[math.comb(top, k) * v**k * (1.0 - v) ** (top - k) for k in range(size)] for v in s])
    matrix = np.linalg.solve(bernstein.astype(np.complex128), _basis(x, slides, degree) * weight[:, None])
    return matrix.astype(np.complex128), np.linalg.solve(bernstein, weight)


def _control(rows: Complex, boxes: Sequence[tuple[Complex, Floats]]) -> Floats:
    """Control values (rows, points) of a leaf."""
    values: npt.NDArray[Any] = rows
    weight = np.ones(())
    for axis, (matrix, denominator) in enumerate(boxes, start=1):
        if np.min(denominator) <= 0.0:
            raise CheckError("a denominator is not positive", remedy=_REMEDY)
        values = np.moveaxis(np.tensordot(matrix, values, axes=(1, axis)), 0, axis)
        weight = np.multiply.outer(weight, denominator)
    control: Floats = values.real / weight
    return control.reshape(len(rows), -1)


def _largest(control: Floats, n: int) -> float:
    """The largest torque error that the control values allow, over signs of all speeds and accelerations."""
    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    inertia = np.abs(control[:n]).sum(axis=0)
    gravity = control[-1]
    most = np.abs(gravity)
    for signs in itertools.product((1.0, -1.0), repeat=n - 1):
        s = (1.0, *signs)
        up, down = gravity.copy(), gravity.copy()
        for row, (j, k) in enumerate(pairs, start=n):
            if j == k:
                up += np.maximum(control[row], 0.0)
                down += np.minimum(control[row], 0.0)
            else:
                up += s[j] * s[k] * control[row]
                down += s[j] * s[k] * control[row]
        most = np.maximum(most, np.maximum(up, -down))
    return float((inertia + most).max())
