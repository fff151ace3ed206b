"""Minimal basis of a coefficient within a tolerance: a heuristic search that scales to hundreds of terms.

(1)  begin with the largest terms of the target. Where there are few candidates, also grow from nothing: add the term
     that the lower bound's weights u are least orthogonal to, the largest |sum_k u_k B_i(q_k)|, until the tolerance is
     kept; and fit sparsely, min sum w_i |a_i| within the tolerance, reweighted with w_i = 1 / (|a_i| + delta)
(2)  prune: leave out the term whose absence costs least, as long as the tolerance is kept
(3)  swap: exchange one term for another where that lowers the level, then prune again
(4)  where few candidates remain, a mixed-integer program asks whether any smaller set exists

All of it works on points; every set that is accepted is then fitted on the whole box, and points at which it exceeds
the tolerance send the search back (:mod:`torquec.simplification.fitting.fit_problem`). Coefficients of hundreds of
terms, as seven joints have them, are left to :mod:`torquec.simplification.fitting.largest_terms`.

Candidate terms are those of Chang & Lee, section II:

(6)  inertia and velocity coefficients: products over the variables of one of {1, C, S, S^2, C S} or {1, q, q^2} each
(7)  gravity coefficients: one of {1, C, S} or {1, q} each
(8)  own terms: those of the exact coefficient, and each of them without some of its factors; their number depends on
     the coefficient alone, not on the number of products
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.polynomial import Factor, Monomial, TrigPolynomial, Variable
from torquec.errors import ArgumentError, SpecificationError
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.simplification.fitting.chebyshev_program import rough_fit, sparse_fit
from torquec.simplification.fitting.fit_problem import FitProblem, MinimaxFit, to_minimax_fit
from torquec.simplification.fitting.largest_terms import largest_terms, smallest_subset
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox

_ANGLE = {1: ((0, 0), (1, 0), (0, 1)), 2: ((0, 0), (1, 0), (0, 1), (0, 2), (1, 1))}
_DISPLACEMENT = {1: ((0, 0), (0, 1)), 2: ((0, 0), (0, 1), (0, 2))}
"""Powers (a, b) of C^a S^b and of q^b, by degree (6), (7)."""


@dataclass(frozen=True)
class SearchOptions:
    """Search effort. `swaps`: rounds of (3); `integer_nodes`: node limit of (4), 0 for none.

    (4) is tried for up to `integer_terms` terms, among `integer_candidates`. There is no limit of time: results do not
    depend on the machine.
    """

    swaps: int = 4
    integer_terms: int = 6
    integer_candidates: int = 30
    integer_nodes: int = 100


@dataclass(frozen=True)
class MinimalBasis:
    """The basis that was found, fitted, and how many candidates it was chosen from.

    `by_layers`: it is one of MIN_BASIS_GEN (:mod:`torquec.simplification.fitting.survivor_search`).
    """

    fit: MinimaxFit
    candidates: int
    by_layers: bool = False

    @property
    def polynomial(self) -> TrigPolynomial:
        """The simplified coefficient."""
        return self.fit.polynomial


def minimal_basis(
    target: TrigPolynomial,
    box: MotionBox,
    tolerance: float,
    *,
    kind: ErrorKind = ErrorKind.ABSOLUTE,
    candidates: Sequence[Monomial] | None = None,
    options: SearchOptions | None = None,
) -> MinimalBasis:
    """The smallest set of candidate terms that fits `target` within `tolerance` over `box`, with its best fit.

    `candidates` are by default the coefficient's own terms and parts of them. Raises `SpecificationError` with the
    smallest achievable error when all of them together do not keep the tolerance.
    """
    if not tolerance >= 0.0:
        raise ArgumentError(f"the tolerance is {tolerance}", remedy="give a number that is not negative")
    if candidates is None and len(target) > TUNING.rough_fit_terms:
        return MinimalBasis(largest_terms(target, box, tolerance, kind=kind), len(target))
    offered = tuple(candidates) if candidates is not None else own_terms(target)
    problem = FitProblem(target, offered, box, kind=kind)
    columns = _Search(problem, tolerance, options or SearchOptions()).run()
    return MinimalBasis(to_minimax_fit(problem, columns, problem.fit(columns)), len(offered))


class _Search:
    """State of one search: the problem with its points, the tolerance and the options."""

    def __init__(self, problem: FitProblem, tolerance: float, options: SearchOptions) -> None:
        self.problem = problem
        self.options = options
        # A fit that is exact up to rounding keeps every tolerance.
        self.tolerance = max(tolerance, 1e-11 * problem.size)
        self.level_wanted = self.tolerance * (1.0 - 1e-7)

    def run(self) -> list[int]:
        """The columns of the cheapest set found."""
        if self._holds([]):
            return []
        starts = [self._grown(self._largest_terms())]
        if len(self.problem.candidates) <= TUNING.sparse_fit_candidates:
            starts += [self._grown(), *self._sparse()]
        best = min((self._reduced(start) for start in starts), key=self._rank)
        return self._polished(best)

    # --- on the box -------------------------------------------------------------------------------------------------

    def _holds(self, columns: Sequence[int]) -> bool:
        """Whether these columns keep the tolerance on the box; otherwise the violating points join the pool."""
        fit = self.problem.fit(columns, accept=self.level_wanted, reject=self.tolerance)
        return fit.level <= self.tolerance

    def _reduced(self, start: list[int]) -> list[int]:
        """(2) and (3) from a set that is feasible on the box; the result is feasible, too."""
        best = start
        columns = self._cut(start)
        for _ in range(TUNING.basis_attempts):
            holds = self._holds(columns)
            if not holds:
                # The pool now contains the points where this set fails: add missing terms, and try again.
                columns = self._grown(columns)
            if len(columns) < len(best):
                best = columns
            if holds:
                break
            columns = self._cut(columns)
        return best

    def _cut(self, columns: list[int]) -> list[int]:
        """(2) and (3) on points."""
        columns = self._pruned(columns)
        for _ in range(self.options.swaps if len(columns) <= TUNING.swapped_terms else 0):
            swapped = self._swapped(columns)
            if swapped is None:
                break
            columns = swapped
        return columns

    # --- on points --------------------------------------------------------------------------------------------------

    def _level(self, columns: Sequence[int], *, near: Sequence[int] | None = None) -> float:
        """The level on points; infinite where the tolerance is not kept."""
        return self.problem.fit_on_pool(columns, near=near, reject=self.tolerance).level

    def _rank(self, columns: Sequence[int], *, near: Sequence[int] | None = None) -> tuple[int, float]:
        return len(columns), self._level(columns, near=near)

    def _largest_terms(self) -> list[int]:
        """As many of the target's own terms, the largest first, as keep the tolerance on points, roughly fitted."""
        problem = self.problem
        heights = np.abs(problem.rows).max(axis=0)
        terms = problem.target.terms
        size = [abs(terms.get(m, 0.0)) * height for m, height in zip(problem.candidates, heights, strict=True)]
        order = [int(i) for i in np.argsort(-np.array(size), kind="stable") if size[i] > 0.0]
        few, many = 0, len(order)
        while few < many:
            middle = (few + many) // 2
            if rough_fit(problem.rows[:, order[:middle]], problem.right)[1] <= self.level_wanted:
                many = middle
            else:
                few = middle + 1
        return order[:many]

    def _grown(self, start: Sequence[int] = ()) -> list[int]:
        """(1), greedy, until the tolerance is kept on the box."""
        problem = self.problem
        columns = list(start)
        heights = np.maximum(np.abs(problem.rows).max(axis=0), 1e-300)
        while True:
            fit = problem.fit_on_pool(columns, near=columns[:-1])
            if fit.level <= self.level_wanted:
                if self._holds(columns):
                    return columns
                fit = problem.fit_on_pool(columns)
            if len(columns) == len(problem.candidates):
                self._refuse(problem.fit(columns).level)
            gain = np.abs(fit.weights @ problem.rows) / heights
            gain[columns] = -1.0
            columns = [*columns, int(np.argmax(gain))]

    def _sparse(self) -> list[list[int]]:
        """(1), sparse fit with reweighting; nothing where rounding makes it infeasible."""
        problem = self.problem
        heights = np.maximum(np.abs(problem.rows).max(axis=0), 1e-300)
        weights = np.ones(len(problem.candidates))
        for _ in range(4):
            found = sparse_fit(problem.rows, problem.right, self.level_wanted, weights)
            if found is None:
                return []
            size = np.abs(found) * heights
            weights = (0.1 * size.max()) / (size + 1e-3 * size.max())
        columns = [int(i) for i in np.flatnonzero(size > 1e-9 * size.max())]
        for _ in range(TUNING.basis_attempts):
            if self._holds(columns):
                return [columns]
            rest = sparse_fit(problem.rows, problem.right, self.level_wanted, weights)
            if rest is None:
                return []
            size = np.abs(rest) * heights
            columns = sorted({*columns, *(int(i) for i in np.flatnonzero(size > 1e-9 * size.max()))})
        return []

    def _pruned(self, start: Sequence[int]) -> list[int]:
        """(2) on points."""
        columns = list(start)
        if len(columns) > TUNING.exhaustive_terms:
            columns = self._pruned_in_order(columns)
        while columns:
            options = []
            for i in columns:
                rest = [c for c in columns if c != i]
                level = self._level(rest, near=columns)
                if level <= self.level_wanted:
                    options.append((level, rest))
            if not options:
                break
            columns = min(options)[1]
        return columns

    def _pruned_in_order(self, columns: list[int]) -> list[int]:
        """Leave out terms by rising size, each once."""
        fit = self.problem.fit_on_pool(columns)
        heights = np.abs(self.problem.rows[:, columns]).max(axis=0)
        order = np.argsort(np.abs(fit.coefficients) * heights)
        for i in [columns[k] for k in order]:
            if len(columns) <= TUNING.exhaustive_terms // 2:
                break
            rest = [c for c in columns if c != i]
            if self._level(rest, near=columns) <= self.level_wanted:
                columns = rest
        return columns

    def _swapped(self, columns: list[int]) -> list[int] | None:
        """(3): a smaller set, or one of the same price with a lower level; None where there is neither."""
        problem = self.problem
        heights = np.maximum(np.abs(problem.rows).max(axis=0), 1e-300)
        best = self._rank(columns)
        found: list[int] | None = None
        for i in columns:
            rest = [c for c in columns if c != i]
            fit = problem.fit_on_pool(rest, near=columns)
            gain = np.abs(fit.weights @ problem.rows) / heights
            gain[columns] = -1.0
            for j in np.argsort(-gain)[: TUNING.swaps_per_term]:
                if gain[j] <= 0.0:
                    break
                trial = [*rest, int(j)]
                rank = self._rank(trial, near=rest)
                if rank[1] > self.level_wanted or rank >= best:
                    continue
                best, found = rank, trial
        return self._pruned(found) if found is not None else None

    def _polished(self, columns: list[int]) -> list[int]:
        """(4), among the columns at hand and the candidates that come next."""
        options = self.options
        if not options.integer_nodes or not 2 <= len(columns) <= options.integer_terms:
            return columns
        offered = self._shortlist(columns, options.integer_candidates)
        for _ in range(TUNING.integer_attempts):
            smaller = smallest_subset(
                self.problem.rows[:, offered],
                self.problem.right,
                self.level_wanted,
                below=len(columns),
                nodes=options.integer_nodes,
            )
            if smaller is None:
                return columns
            chosen = [offered[k] for k in smaller]
            if len(chosen) >= len(columns):
                return columns
            if self._holds(chosen):
                columns = self._pruned(chosen)
        return columns

    def _shortlist(self, columns: list[int], most: int) -> list[int]:
        """The columns, then candidates that would help when one of them is missing."""
        problem = self.problem
        heights = np.maximum(np.abs(problem.rows).max(axis=0), 1e-300)
        gain = np.zeros(len(problem.candidates))
        for i in columns:
            fit = problem.fit_on_pool([c for c in columns if c != i], near=columns)
            gain = np.maximum(gain, np.abs(fit.weights @ problem.rows) / heights)
        gain[columns] = np.inf
        return [int(i) for i in np.argsort(-gain, kind="stable")[:most]]

    def _refuse(self, level: float) -> None:
        raise SpecificationError(
            f"no combination of the {len(self.problem.candidates)} candidate terms keeps the tolerance of "
            f"{self.tolerance:.6g}: the smallest {self.problem.kind} error that they reach is {level:.6g}",
            remedy=f"allow at least {level:.6g}, or offer more candidates",
        )


def product_basis(variables: Sequence[Variable], *, degree: int = 2) -> tuple[Monomial, ...]:
    """All products (6), or (7) for a degree of one, over the variables given.

    >>> from torquec.robot.joints import PositionBasis
    >>> len(product_basis([Variable(((0, 1),)), Variable(((1, 1),), PositionBasis.POLYNOMIAL)], degree=1))
    6
    """
    if degree not in _ANGLE:
        raise ArgumentError(f"candidates of degree {degree}", remedy="give 1 for gravity and 2 for all others")
    return _products(variables, [(_ANGLE if v.is_angle else _DISPLACEMENT)[degree] for v in variables])


def set_product(left: Sequence[Monomial], right: Sequence[Monomial]) -> tuple[Monomial, ...]:
    """All products of a term of one set and a term of the other (definition 5); they share no variable."""
    return tuple(dict.fromkeys(tuple(sorted((*a, *b))) for a in left for b in right))


def _products(variables: Sequence[Variable], powers: Sequence[Sequence[tuple[int, int]]]) -> tuple[Monomial, ...]:
    count = math.prod(len(p) for p in powers)
    if count > TUNING.candidate_products:
        raise ArgumentError(
            f"{count} products of {len(variables)} variables are too many candidates",
            remedy="use the coefficient's own terms",
        )
    ordered = sorted(zip(variables, powers, strict=True))
    found = []
    for chosen in itertools.product(*(p for _, p in ordered)):
        factors = ((v, a, b) for (v, _), (a, b) in zip(ordered, chosen, strict=True))
        found.append(tuple(factor for factor in factors if factor[1] or factor[2]))
    return tuple(found)


def own_terms(target: TrigPolynomial) -> tuple[Monomial, ...]:
    """(8): the terms, then what is left of them without some factors, fewest factors missing first."""
    found: dict[Monomial, None] = dict.fromkeys(target.terms)
    most = max((len(monomial) for monomial in target.terms), default=0)
    for missing in range(1, most + 1):
        for monomial in target.terms:
            for kept in itertools.combinations(monomial, len(monomial) - missing) if missing <= len(monomial) else ():
                part: tuple[Factor, ...] = kept
                found.setdefault(part, None)
    return tuple(found)
