"""Clover's tables for tests: small figures here, whole matrices from the shared folder where it is there."""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path

import numpy as np
import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "oracles" / "clover_tables.json"

# Chapter II, Table VII, which is chapter III, Table I; q2 .. q5 with the digits that the table does not print.
POINT = (
    (2.44, 4.9018356344, 1.059789048, 1.6041631353, 5.8047615171, 4.49),
    (-10.0, -10.0, -10.0, 10.0, 10.0, -10.0),
    (-100.0, -100.0, -100.0, -100.0, 100.0, 100.0),
)

# Chapter III, Table II: eigenvalues under computed torque, for desired poles -p +- pj; upper halves of pairs.
COMPUTED_TORQUE = {
    45.0: (-47.25 + 45.11j, -44.68 + 43.03j, -46.19 + 43.83j, -46.02 + 43.97j, -45.42 + 44.47j, -45.56 + 44.43j),
    15.0: (-17.7 + 15.48j, -14.6 + 12.98j, -15.05 + 14.1j, -16.16 + 13.86j, -16.05 + 13.97j, -15.56 + 14.42j),
    4.5: (-7.7 + 6.63j, -3.25 + 4.22j, -5.63 + 3.75j, -5.58 + 3.19j, -5.06 + 3.86j),
}
REAL_PAIR = (-8.8, -1.0)
"""The last two of the table for p = 4.5."""


def tables():
    """The whole document; skips where there is none."""
    if not SHARED.exists():
        pytest.skip(f"{SHARED.name} is not here")
    return _read()


@functools.cache
def _read():
    return json.loads(SHARED.read_text())


def table_ii(p):
    """All twelve eigenvalues of Table II."""
    upper = COMPUTED_TORQUE[p]
    return [*upper, *(x.conjugate() for x in upper), *(map(complex, REAL_PAIR) if p == 4.5 else ())]


def farthest(ours, printed):
    """The largest distance between two sets of numbers, matched nearest first."""
    left = list(printed)
    assert len(left) == len(ours)
    worst = 0.0
    for value in ours:
        k = min(range(len(left)), key=lambda k: abs(left[k] - value))
        worst = max(worst, abs(left.pop(k) - value))
    return worst


def beside(title, ours, printed):
    """Print ours beside the paper's; shown by `pytest -s`."""
    with np.printoptions(precision=4, suppress=True, linewidth=150):
        sys.stdout.write(f"\n{title}\nours\n{np.asarray(ours)}\nprinted\n{np.asarray(printed)}\n")
