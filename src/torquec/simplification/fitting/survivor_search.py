"""Minimal significant bases by the algorithms of Chang & Lee: FIND_MIN_BASIS and, layer by layer, MIN_BASIS_GEN.

FIND_MIN_BASIS   (steps as printed)
  0  SURVIVOR = {all candidates}, DEAD = {}
  1  split: every set with one of its terms left out, of the survivors and of the dead
  2  TEST = children of survivors that are no children of dead sets (theorem 2: a subset of a dead set is dead)
  3  children that keep the tolerance survive, the others are dead
  4  again, until none survives
  5  of the last survivors, the one with the smallest error
MIN_BASIS_GEN
  0  choose q^c, the positions of variables outside of the current candidate set
  1  layer 0 has a set of candidates per variable (24a, b)
  2  reduce every set with FIND_MIN_BASIS to a tolerance eps_0 <= eps, the other variables held at q^c
  3  the set products of neighbours are the candidates of the next layer; where one does not keep eps, eps_0 is lowered
     for the layers before it, and when that does not help another q^c is chosen
  4  the last set is the basis

The search is exponential in the number of candidates; the one to use is
:mod:`torquec.simplification.fitting.minimal_basis`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.polynomial import Monomial, TrigPolynomial, Variable
from torquec.errors import SpecificationError
from torquec.foundation.choice import chosen
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.simplification.fitting.fit_problem import FitProblem, MinimaxFit, to_minimax_fit
from torquec.simplification.fitting.minimal_basis import product_basis, set_product
from torquec.trajectory.motion_box import MotionBox

_Columns = frozenset[int]


@dataclass(frozen=True)
class LayerOptions:
    """Feedback of MIN_BASIS_GEN: `shrink` eps_0 by this factor up to `shrinks` times, then another of `positions` q^c.

    `negligible` is the printed heuristic between steps 0 and 1: terms whose fitted coefficient, at the largest value of
    the term, is below this part of the coefficient's size are filtered out first; 0 for none. FIND_MIN_BASIS gives up
    after `most_sets` sets of terms; their number doubles with every candidate.
    """

    shrink: float = 0.5
    shrinks: int = 6
    positions: int = 8
    negligible: float = 1e-3
    most_sets: int | None = None


def find_min_basis(
    target: TrigPolynomial,
    candidates: Sequence[Monomial],
    box: MotionBox,
    tolerance: float,
    *,
    kind: ErrorKind = ErrorKind.ABSOLUTE,
    negligible: float = 0.0,
    most_sets: int | None = None,
) -> MinimaxFit:
    """FIND_MIN_BASIS: the smallest subset of the candidates that keeps the tolerance, with the smallest error.

    Raises `SpecificationError` when all candidates together do not keep the tolerance, or after `most_sets` sets.
    """
    problem = FitProblem(target, candidates, box, kind=kind)
    whole: _Columns = frozenset(range(len(problem.candidates)))
    if not _keeps(problem, whole, tolerance):
        level = problem.fit(sorted(whole)).level
        raise SpecificationError(
            f"the {len(whole)} candidate terms do not keep the tolerance of {tolerance:.6g}: they reach {level:.6g}",
            remedy=f"allow at least {level:.6g}, or offer more candidates",
        )
    survivors = {_filtered(problem, whole, tolerance, negligible)}
    dead: set[_Columns] = set()
    tried = 0
    while True:
        dead = _split(dead)
        test = _split(survivors) - dead
        tried += len(test)
        if most_sets is not None and tried > most_sets:
            raise SpecificationError(
                f"more than {most_sets} sets of the {len(whole)} candidate terms have to be tried",
                remedy="use minimal_basis, which does not try all of them",
            )
        alive = {columns for columns in sorted(test, key=sorted) if _keeps(problem, columns, tolerance)}
        if not alive:
            break
        dead |= test - alive
        survivors = alive
    fits = [(problem.fit(sorted(columns)), sorted(columns)) for columns in sorted(survivors, key=sorted)]
    fit, best = min(fits, key=lambda pair: pair[0].level)
    return to_minimax_fit(problem, best, fit)


def min_basis_gen(
    target: TrigPolynomial,
    box: MotionBox,
    tolerance: float,
    *,
    degree: int = 2,
    kind: ErrorKind = ErrorKind.ABSOLUTE,
    options: LayerOptions | None = None,
) -> MinimaxFit:
    """MIN_BASIS_GEN: the basis found layer by layer, from the candidates (24a) of the paper, or (24b).

    Raises `SpecificationError` when no q^c that is tried leads to a basis, `ArgumentError` for a kind that is none.
    """
    kind = chosen(ErrorKind, kind, "kind of error")
    options = options or LayerOptions()
    variables = target.variables
    if not variables:
        return find_min_basis(target, [()], box, tolerance, kind=kind)
    layers = _Layers(target=target, box=box, tolerance=tolerance, degree=degree, kind=kind, options=options)
    for held in box.samples(target.depends_on, options.positions, start=3):
        for shrunk in range(options.shrinks + 1):
            eps0 = tolerance * options.shrink**shrunk
            candidates = layers.candidates(held, eps0)
            if candidates is not None:
                return layers.found(target, candidates, tolerance)
    raise SpecificationError(
        f"no basis within {tolerance:.6g} was found from {options.positions} positions of the joints that are held",
        remedy="raise the tolerance, or use minimal_basis, which holds no joints",
    )


@dataclass(frozen=True, kw_only=True)
class _Layers:
    """Data shared by all layers."""

    target: TrigPolynomial
    box: MotionBox
    tolerance: float
    degree: int
    kind: ErrorKind
    options: LayerOptions

    def candidates(self, held: Iterable[float], eps0: float) -> tuple[Monomial, ...] | None:
        """Steps 1 to 3: the candidates of the last layer, or None where a product does not keep the tolerance."""
        target, values = self.target, dict(enumerate(float(x) for x in held))
        layer = [(frozenset({v}), product_basis([v], degree=self.degree)) for v in target.variables]
        while len(layer) > 1:
            reduced = []
            for variables, candidates in layer:
                part = restricted(target, variables, values)
                if self._keep(part, candidates, eps0):
                    basis = self.found(part, candidates, eps0).basis
                    # A part within the tolerance of zero does not depend on its variables: a constant represents it.
                    candidates = basis or ((),)
                reduced.append((variables, candidates))
            if len(reduced) % 2:
                reduced.append((frozenset(), ((),)))
            layer = [(a[0] | b[0], set_product(a[1], b[1])) for a, b in zip(reduced[::2], reduced[1::2], strict=True)]
            for variables, candidates in layer:
                if not self._keep(restricted(target, variables, values), candidates, self.tolerance):
                    return None
        return layer[0][1]

    def found(self, part: TrigPolynomial, candidates: Sequence[Monomial], tolerance: float) -> MinimaxFit:
        """Step 2 with the options of the layers."""
        negligible, most = self.options.negligible, self.options.most_sets
        return find_min_basis(
            part, candidates, self.box, tolerance, kind=self.kind, negligible=negligible, most_sets=most
        )

    def _keep(self, part: TrigPolynomial, candidates: Sequence[Monomial], tolerance: float) -> bool:
        return _keeps(FitProblem(part, candidates, self.box, kind=self.kind), range(len(candidates)), tolerance)


def restricted(target: TrigPolynomial, variables: Iterable[Variable], held: Mapping[int, float]) -> TrigPolynomial:
    """The coefficient of the pseudo-manipulator: all variables but these held at joint positions (joint -> value).

    >>> q1, q2 = Variable(((0, 1),)), Variable(((1, 1),))
    >>> restricted(TrigPolynomial({((q1, 0, 1), (q2, 1, 0)): 3.0}), [q1], {1: 0.0}).terms == {((q1, 0, 1),): 3.0}
    True
    """
    moving = set(variables)
    total: dict[Monomial, float] = {}
    for monomial, coefficient in target:
        kept = []
        value = float(coefficient)
        for factor in monomial:
            variable, a, b = factor
            if variable in moving:
                kept.append(factor)
                continue
            x = variable.value(held)
            value *= float(np.cos(x)) ** a * float(np.sin(x)) ** b if variable.is_angle else x**b
        total[tuple(kept)] = total.get(tuple(kept), 0.0) + value
    return TrigPolynomial({monomial: value for monomial, value in total.items() if value != 0.0})


def _split(sets: Iterable[_Columns]) -> set[_Columns]:
    """SPLIT: every set with one of its terms left out."""
    return {columns - {i} for columns in sets for i in columns}


def _keeps(problem: FitProblem, columns: Iterable[int], tolerance: float) -> bool:
    fit = problem.fit(sorted(columns), accept=tolerance * (1.0 - 1e-9), reject=tolerance)
    return fit.level <= tolerance


def _filtered(problem: FitProblem, columns: _Columns, tolerance: float, negligible: float) -> _Columns:
    """The paper's heuristic: without terms that are negligible in the fit of all, if that keeps the tolerance."""
    if not negligible:
        return columns
    order = sorted(columns)
    fit = problem.fit(order)
    heights = np.abs(problem.rows[:, order]).max(axis=0)
    matters = np.abs(fit.coefficients) * heights >= negligible * problem.size
    kept = frozenset(i for i, m in zip(order, matters, strict=True) if m)
    return kept if _keeps(problem, kept, tolerance) else columns
