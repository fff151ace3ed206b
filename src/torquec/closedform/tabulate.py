"""Exact coefficient tables by sampling on a grid, and their change of variables to the fewest terms.

A function of degree two in each variable is determined by its values on a grid:

(1)  angle:         five equally spaced values determine {1, C, S, S^2, C S}
(2)  displacement:  three values determine {1, q, q^2}
     (three and two for functions of degree one, such as the potential energy)
     quaternion:    a rotation enters squared, so its components have degree four (two for functions of degree one). The
                    coefficients are unique with w^2 = 1 - x^2 - y^2 - z^2, and determined by the 60 rotations of an
                    icosahedron (the 12 of a tetrahedron)
(3)  the table is the grid of values, transformed along each axis in turn; coefficients below `NOISE` times the entry's
     largest are rounding error and set to zero

For a group of parallel joints, the table is changed to those sums of angles that give the fewest terms:

(4)  Sums of consecutive angles of a group of k joints are the edges of a graph on k + 1 points; k of them that form
     a tree determine the rest. Every coefficient has degree at most two in each edge of any tree, so any tree is a
     valid choice.
(5)  Changing the choice is one linear map on the coefficients of the group's axes.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from torquec.closedform.polynomial import Monomial, TrigPolynomial, Variable
from torquec.foundation.arrays import Array
from torquec.robot.joints import PositionBasis
from torquec.robot.joints.ball import quaternion_product

NOISE = 3e-14

LARGEST_GRID = 5**9
"""More grid points than this are refused: tables of ten joints do not fit in memory, let alone on paper."""

Degree: TypeAlias = int | Sequence[int]
"""One degree for all variables, or one for each."""


@dataclass(frozen=True)
class Rotation:
    """A unit quaternion as one axis of a table: its components w, x, y, z, variables of their own."""

    components: tuple[Variable, Variable, Variable, Variable]


Axis: TypeAlias = Variable | Rotation
"""The variable or rotation of one axis of a table."""

_DISTINCT = 1e-6  # 1 - |cosine of half the angle| between two different rotations is larger than this

_LARGEST_SEARCH = 3  # all trees up to this many joints (16 of them); beyond, cumulative and plain angles only


def degrees(variables: Sequence[Axis], degree: Degree) -> Sequence[int]:
    """The degree of each variable."""
    return [degree] * len(variables) if isinstance(degree, int) else degree


def grid_size(variables: Sequence[Axis], degree: Degree = 2) -> int:
    """Number of grid points."""
    return math.prod(len(_points(v, d)) for v, d in zip(variables, degrees(variables, degree), strict=True))


def grid(variables: Sequence[Axis], n: int, degree: Degree = 2) -> Array:
    """Joint positions (N, n) on the grid of the variables; joints that no variable has are at zero.

    Each variable, in order, adds one joint that those before it do not have.
    """
    points = [_points(v, d) for v, d in zip(variables, degrees(variables, degree), strict=True)]
    size = math.prod(len(each) for each in points)
    places = np.indices([len(each) for each in points]).reshape(len(points), size)
    q = np.zeros((size, n))
    known: set[int] = set()
    for variable, own, place in zip(variables, points, places, strict=True):
        if isinstance(variable, Rotation):
            q[:, [component.joints[0][0] for component in variable.components]] = own[place]
            continue
        ((index, sign),) = (joint for joint in variable.joints if joint[0] not in known)
        before = sum((s * q[:, i] for i, s in variable.joints if i in known), np.zeros(len(q)))
        q[:, index] = sign * (own[place] - before)
        known.add(index)
    return q


def coefficient_table(variables: Sequence[Axis], samples: Array, degree: Degree = 2) -> Array:
    """Coefficients on the product basis, one axis per variable; further axes of `samples` (N, ...) are kept last."""
    each = degrees(variables, degree)
    shape = tuple(len(_points(v, d)) for v, d in zip(variables, each, strict=True))
    table = samples.reshape((*shape, *samples.shape[1:]))
    for axis, variable in enumerate(variables):
        if isinstance(variable, Rotation):
            inverse = _rotation_inverse(each[axis])
        else:
            inverse = _inverse(variable.basis, each[axis])
        table = np.moveaxis(np.tensordot(inverse, table, axes=(1, axis)), 0, axis)
    return table


def _points(variable: Axis, degree: int) -> Array:
    """Sample values of an axis: of a variable (K,), of a rotation (K, 4)."""
    return _rotations(degree) if isinstance(variable, Rotation) else _samples(variable.basis, degree)


def polynomial_from_table(
    variables: Sequence[Axis], table: Array, degree: int = 2, *, noise: float = NOISE
) -> TrigPolynomial:
    """The terms of one entry's table; coefficients below `noise` times the largest are rounding error (3)."""
    terms: dict[Monomial, float] = {}
    size = float(np.abs(table).max(initial=0.0))
    for position in np.argwhere(np.abs(table) > noise * size).tolist():
        terms[monomial_at(variables, position, degree)] = float(table[tuple(position)])
    return TrigPolynomial(terms)


def monomial_at(variables: Sequence[Axis], position: Sequence[int], degree: int = 2) -> Monomial:
    """The monomial of a place in a coefficient table."""
    factors = []
    for variable, k in zip(variables, position, strict=True):
        if isinstance(variable, Rotation):
            powers = zip(variable.components, _rotation_powers(degree)[k], strict=True)
            factors += [(component, 0, power) for component, power in powers if power]
            continue
        a, b = basis_powers(variable, degree)[k]
        if a or b:
            factors.append((variable, a, b))
    return tuple(sorted(factors))


def basis_powers(variable: Variable, degree: int = 2) -> tuple[tuple[int, int], ...]:
    """The basis of one variable in the order of its axis in a table: (a, b) for C^a S^b, or q^b.

    >>> basis_powers(Variable(((0, 1),)), 3)
    ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (0, 3), (1, 2))
    """
    return _powers(variable.basis, degree)


@functools.cache
def _powers(basis: PositionBasis, degree: int) -> tuple[tuple[int, int], ...]:
    if not basis.is_periodic:
        return tuple((0, b) for b in range(degree + 1))
    higher = ((a, b - a) for b in range(2, degree + 1) for a in (0, 1))
    return ((0, 0), (1, 0), (0, 1), *higher) if degree else ((0, 0),)


def _samples(basis: PositionBasis, degree: int) -> Array:
    """Sample values of a variable (1), (2); angles start off the axes, where sines and cosines vanish."""
    count = basis.size(degree)
    if not basis.is_periodic:
        return np.linspace(-1.0, 1.0, count) if degree > 1 else np.array([-0.5, 0.5])
    angles: Array = 2.0 * math.pi * np.arange(count) / count + 0.3
    return angles


@functools.cache
def _inverse(basis: PositionBasis, degree: int) -> Array:
    """From values to coefficients along one axis."""
    samples, powers = _samples(basis, degree), _powers(basis, degree)
    if basis.is_periodic:
        matrix = np.array([[math.cos(x) ** a * math.sin(x) ** b for a, b in powers] for x in samples])
    else:
        matrix = np.array([[x**b for _, b in powers] for x in samples])
    result: Array = np.linalg.inv(matrix)
    return result


@functools.cache
def _rotation_powers(degree: int) -> tuple[tuple[int, ...], ...]:
    """Exponents of w, x, y, z: of even degree up to twice `degree`, w at most linear."""
    powers = itertools.product((0, 1), *(range(2 * degree + 1) for _ in "xyz"))
    return tuple(each for each in powers if sum(each) % 2 == 0 and sum(each) <= 2 * degree)


@functools.cache
def _rotations(degree: int) -> Array:
    """Unit quaternions (K, 4) of the rotations of an icosahedron, or for degree one of a tetrahedron.

    As points of the sphere, with their opposites, they integrate polynomials up to degree 11 (tetrahedron: 5) exactly;
    products of two basis functions have degree 8 (4).
    """
    golden = 0.5 + math.sqrt(1.25)
    generators = [(0.5, 0.5, 0.5, 0.5), (0.0, 1.0, 0.0, 0.0)]
    if degree > 1:
        generators.append((0.5 * golden, 0.5, 0.5 / golden, 0.0))
    found = [(1.0, 0.0, 0.0, 0.0)]
    for known in found:  # grows while it is read
        for generator in generators:
            new = np.array(quaternion_product(known, generator))
            if all(abs(float(new @ other)) < 1.0 - _DISTINCT for other in np.array(found)):
                found.append(tuple(new.tolist()))
    return np.array(found)


@functools.cache
def _rotation_inverse(degree: int) -> Array:
    """From values at `_rotations` to coefficients."""
    inverse: Array = np.linalg.pinv(
        np.prod(_rotations(degree)[:, None, :] ** np.array(_rotation_powers(degree)), axis=2)
    )
    return inverse


def fewest_terms(
    variables: Sequence[Axis], groups: Sequence[Sequence[int]], table: Array, threshold: float
) -> tuple[list[Axis], Array]:
    """Variables and table with the fewest terms above the threshold; `groups` are the axes of each parallel group."""
    chosen = list(variables)
    for axes in groups:
        if len(axes) < 2 or not np.any(np.abs(table) > threshold):
            continue
        old = tuple(each for axis in axes if isinstance(each := chosen[axis], Variable))
        best = (int(np.count_nonzero(np.abs(table) > threshold)), table, old)
        for new in _choices(old):
            if new == old:
                continue
            changed = _changed(table, axes, basis_change(old, new))
            count = int(np.count_nonzero(np.abs(changed) > threshold))
            if count < best[0]:
                best = (count, changed, new)
        table = best[1]
        for axis, variable in zip(axes, best[2], strict=True):
            chosen[axis] = variable
    return chosen, table


def changed_variables(
    variables: Sequence[Variable], axes: Sequence[int], joints: tuple[tuple[int, int], ...], table: Array
) -> Iterator[tuple[tuple[Variable, ...], Array]]:
    """A table (rows, basis, ..) in every choice of sums (4) of some parallel joints; `axes` are their axes in it.

    `joints` are those joints, with the sense of each relative to the first. The result is wrong for a degree above two
    in a sum: the caller must check it.
    """
    old = tuple(variables[axis] for axis in axes)
    cumulative = tuple(_edge(joints, 0, k + 1) for k in range(len(joints)))
    for new in _choices(cumulative):
        changed = list(variables)
        for axis, variable in zip(axes, new, strict=True):
            changed[axis] = variable
        yield tuple(changed), _changed(table, [axis + 1 for axis in axes], basis_change(old, new))


def _choices(cumulative: tuple[Variable, ...]) -> list[tuple[Variable, ...]]:
    """Sets of variables (4) for the joints of a group, given as its cumulative angles."""
    joints = cumulative[-1].joints
    k = len(joints)
    edges = [(i, j) for i in range(k) for j in range(i + 1, k + 1)]
    if k > _LARGEST_SEARCH:
        return [cumulative, tuple(_edge(joints, i, i + 1) for i in range(k))]
    found = []
    for tree in itertools.combinations(edges, k):
        ordered = _grown(tree, k)
        if ordered:
            found.append(tuple(_edge(joints, i, j) for i, j in ordered))
    return found


def _grown(tree: Sequence[tuple[int, int]], k: int) -> list[tuple[int, int]] | None:
    """The edges in an order in which each adds one joint to those before it, or None if they are no tree."""
    parent = list(range(k + 1))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for i, j in tree:
        if root(i) == root(j):
            return None
        parent[root(i)] = root(j)
    left, covered, ordered = sorted(tree), set[int](), list[tuple[int, int]]()
    while left:
        edge = next((e for e in left if len(set(range(*e)) - covered) == 1), None)
        if edge is None:
            return None
        left.remove(edge)
        covered.update(range(*edge))
        ordered.append(edge)
    return ordered


def _edge(joints: tuple[tuple[int, int], ...], i: int, j: int) -> Variable:
    """The sum of joints i .. j-1 of a group, the first one positive."""
    sense = joints[i][1]
    return Variable(tuple((index, sign * sense) for index, sign in joints[i:j]))


@functools.lru_cache(maxsize=512)
def basis_change(old: tuple[Variable, ...], new: tuple[Variable, ...]) -> Array:
    """The matrix (5) from coefficients in `old` to those in `new`, flattened in axis order."""
    n = 1 + max(index for variable in old for index, _ in variable.joints)
    points = grid(new, n)
    values = np.ones((len(points), 1))
    for variable in old:
        angle = variable.value(points.T)
        c, s = np.cos(angle), np.sin(angle)
        basis = np.stack([np.ones_like(c), c, s, s * s, c * s], axis=1)
        values = (values[:, :, None] * basis[:, None, :]).reshape(len(points), -1)
    table = coefficient_table(new, values)
    flat = table.reshape(-1, values.shape[1])
    flat[np.abs(flat) < 1e-14] = 0.0
    return flat


def _changed(table: Array, axes: Sequence[int], change: Array) -> Array:
    front = np.moveaxis(table, axes, range(len(axes)))
    flat = change @ front.reshape(change.shape[0], -1)
    return np.moveaxis(flat.reshape(front.shape), range(len(axes)), axes)
