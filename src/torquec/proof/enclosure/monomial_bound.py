"""The largest value of a sum of monomials, for any coefficients: over variables that are shared, not one by one.

(1)  P(x, y) = sum over groups g of y_g sum_r f_r x^r,   |x| <= 1, |y| <= 1;   over y:  sum_g |sum_r f_r x^r|
(2)  a power that repeats a variable:  x_j^2 s = s/2 + s u/2 with |u| <= 1, so that half of f_r stands before what is
     left of the product, and |f_r|/2 is added
(3)  what is left is linear in each x_j, so that (1) is convex in each of them, and largest where all of them are +-1

Two sums that share no variable, `part` by part, are bounded by themselves. Against sum |f_r|, which has another x for
every monomial, this takes away a third of the error bounds of a seven-joint arm, two fifths at its last joint.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, RealArray

_MOST_SHARED = 9
"""Variables whose signs are tried, 2^8 of them or 2^9; more are bounded one by one."""


@dataclass(frozen=True)
class Monomial:
    """A product of shared variables, each as often as it is named, times y of its group (None: 1)."""

    shared: tuple[int, ...] = ()
    group: tuple[str, int] | None = None
    part: str = ""


class MonomialBound:
    """The bound of a sum of given monomials as a function of their coefficients."""

    def __init__(self, monomials: Sequence[Monomial]) -> None:
        parts: dict[str, list[int]] = {}
        for k, monomial in enumerate(monomials):
            parts.setdefault(monomial.part, []).append(k)
        self._parts = [_Part(monomials, members) for members in parts.values()]

    def __call__(self, values: RealArray) -> RealArray:
        """Upper values (points,) from coefficients (monomials, points)."""
        total: RealArray = sum((part(values) for part in self._parts), np.zeros(values.shape[1], values.dtype))
        return total


class _Part:
    """(1)-(3) for the monomials that share variables."""

    def __init__(self, monomials: Sequence[Monomial], members: Sequence[int]) -> None:
        powers = {k: Counter(monomials[k].shared) for k in members}
        shared = sorted(set().union(*powers.values()))
        self._single = list(members) if len(shared) > _MOST_SHARED else []
        if self._single:
            self._forms: list[tuple[list[int], Array]] = []
            self._repeated: list[int] = []
            return
        self._repeated = [k for k in members if max(powers[k].values(), default=1) > 1]
        groups: dict[tuple[str, int] | None, list[int]] = {}
        for k in members:
            groups.setdefault(monomials[k].group, []).append(k)
        # Where a group is odd or even as a whole, opposite signs give the same.
        halved = bool(shared) and all(
            len({len(monomials[k].shared) % 2 for k in group}) == 1 for group in groups.values()
        )
        free = len(shared) - halved
        signs = np.array([(1.0,) * halved + rest for rest in itertools.product((1.0, -1.0), repeat=free)])
        self._forms = []
        for group in groups.values():
            columns = []
            for k in group:
                odd = [shared.index(j) for j, power in powers[k].items() if power % 2]
                columns.append(signs[:, odd].prod(axis=1) * (0.5 if k in self._repeated else 1.0))
            self._forms.append((group, np.stack(columns, axis=1)))

    def __call__(self, values: RealArray) -> RealArray:
        if self._single:
            single: RealArray = np.abs(values[self._single]).sum(axis=0)
            return single
        total: RealArray | None = None
        for group, signs in self._forms:
            form = signs.astype(values.dtype) @ values[group]
            np.abs(form, out=form)
            total = form if total is None else np.add(total, form, out=total)
        assert total is not None
        found: RealArray = total.max(axis=0) + 0.5 * np.abs(values[self._repeated]).sum(axis=0)
        return found
