"""The same table in other variables: for a group of parallel joints, whichever sums of angles give the fewest terms.

(1)  Sums of consecutive angles of a group of k joints are the edges of a graph on k + 1 points; k of them that form
     a tree determine the rest. Every coefficient has degree at most two in each edge of any tree, so any tree is a
     valid choice.
(2)  Changing the choice is one linear map on the coefficients of the group's axes.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import coefficient_table, grid
from torquec.foundation.arrays import Array

_LARGEST_SEARCH = 3
"""All trees up to this many joints (16 of them); beyond, cumulative and plain angles only."""


def fewest_terms(
    variables: Sequence[Variable], groups: Sequence[Sequence[int]], table: Array, threshold: float
) -> tuple[list[Variable], Array]:
    """Variables and table with the fewest terms above the threshold; `groups` are the axes of each parallel group."""
    chosen = list(variables)
    for axes in groups:
        if len(axes) < 2 or not np.any(np.abs(table) > threshold):
            continue
        old = tuple(chosen[axis] for axis in axes)
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
    variables: Sequence[Variable],
    axes: Sequence[int],
    joints: tuple[tuple[int, int], ...],
    table: Array,
) -> Iterator[tuple[tuple[Variable, ...], Array]]:
    """A table (rows, basis, ..) in every choice of sums (1) of some parallel joints, whose own angles `axes` are.

    `joints` are those joints, with the sense of each relative to the first. A function of more than degree two in a
    sum comes out wrong: the caller compares.
    """
    old = tuple(variables[axis] for axis in axes)
    cumulative = tuple(_edge(joints, 0, k + 1) for k in range(len(joints)))
    for new in _choices(cumulative):
        changed = list(variables)
        for axis, variable in zip(axes, new, strict=True):
            changed[axis] = variable
        yield tuple(changed), _changed(table, [axis + 1 for axis in axes], basis_change(old, new))


def _choices(cumulative: tuple[Variable, ...]) -> list[tuple[Variable, ...]]:
    """Sets of variables (1) for the joints of a group, given as its cumulative angles."""
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
    """The edges so ordered that each brings one more joint to those before it, or None if they are no tree."""
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
    """The matrix (2) from coefficients in `old` to those in `new`, flattened in axis order."""
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
