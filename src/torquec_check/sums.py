"""Sums of angles in which polynomials have few waves, as those of arms with parallel axes: a choice.

Steps (i, j, s) put p_j = q_j + s q_i in place of q_j, and k_i - s k_j in place of k_i (`boxes`, 7). No proof rests on
the choice: `boxes` bounds the polynomial in any sums. Of all steps with s = +-1, the one is taken that most lowers

(1)  the product over j of (2 d_j + 1) (1 + w_j sqrt(sum over k of a_k k_j^2)): control values of a box, d_j the largest
     |k_j|, times halvings; a_k are the parts of the amplitudes, w_j is the part of a turn that the angle has
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from torquec_check.rows import Array

TURN, _LEAST, _FEW = 6.28, 0.99, 20_000
"""A range [rad] that counts as a whole turn; a step that leaves more of (1) is none; control values of a box to which
steps may lead: to more only where a box without sums has as many."""
Vectors: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Range: TypeAlias = tuple[float, float]
Steps: TypeAlias = list[tuple[int, int, int]]
Sums = Callable[[Vectors, Array, Sequence[Range]], Steps]
"""From vectors k (N, joints), their amplitudes (N,) and the ranges of the angles to steps."""


def whole(vectors: Vectors, sizes: Array, ranges: Sequence[Range], least: float = TURN) -> Steps:
    """Steps between angles of whole turns: sums of these have every value, too, so that no bound gets larger."""
    allowed = [high - low >= least for low, high in ranges]
    orders, parts, steps = [*vectors.T], sizes / sizes.sum(), list[tuple[int, int, int]]()
    turns = [min((high - low) / TURN, 1.0) for low, high in ranges]
    pairs = [*itertools.permutations((j for j, order in enumerate(orders) if order.any() and allowed[j]), 2)]
    most = max(_FEW, math.prod(map(_values, orders)))
    while True:
        prices = [_price(order, turn, parts) for order, turn in zip(orders, turns, strict=True)]
        found, room = [(_LEAST, 0, 0, 0)], most / math.prod(map(_values, orders))
        for (i, j), s in itertools.product(pairs, (1, -1)):
            order = orders[i] - s * orders[j]
            if _values(order) <= room * _values(orders[i]):
                price = _price(order, turns[i], parts) * _price(orders[j], 1.0, parts)
                found.append((price / (prices[i] * prices[j]), i, j, s))
        _, i, j, s = min(found)
        if not s:
            return steps
        orders[i], turns[j] = orders[i] - s * orders[j], 1.0
        steps.append((i, j, s))


wider = functools.partial(whole, least=0.0)
"""Steps between any angles: sums, as angles of whole turns, may have values that those of the angles have not."""


def _price(order: Any, turn: float, parts: Array) -> float:
    """The factor of one angle in (1)."""
    return _values(order) * (1.0 + turn * math.sqrt(parts @ order**2))


def _values(order: Any) -> int:
    """Control values of a box along one angle."""
    return 2 * int(np.abs(order).max()) + 1
