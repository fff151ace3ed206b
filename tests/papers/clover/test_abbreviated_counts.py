"""Operations of Clover's abbreviated PUMA 560: no more than counted so far, gains that are those of pole placement."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.closedform.layouts import CLOVER
from torquec.control.pole_placement import pole_placement_gains
from torquec.expr import evaluate
from torquec.papers.clover.abbreviated_counts import abbreviated_counts, gains_function
from torquec.robot import classics

MOST = {
    "matrices": (38, 35),
    "inverse dynamics with friction": (72, 64),
    "linear model": (89, 83),
    "gains, continuous": (125, 116),
    "gains, sampled": (131, 110),
}
"""What they are now; fewer is better. Plain common subexpressions reach 41/36, 73/65, 99/88, 144/116, 155/125."""


def test_counts():
    found = abbreviated_counts()
    assert found.keys() == MOST.keys()
    for name, (mul, add) in MOST.items():
        assert found[name].mul <= mul, name
        assert found[name].add <= add, name


def test_poles_as_inputs_give_the_gains_of_these_poles():
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 6))
    state = {"q": q, "qd": qd, "qdd": qdd}
    poles = {"decay": np.full(6, 12.0), "frequency": np.full(6, 45.0)}
    expected = evaluate(pole_placement_gains(classics.puma560(), -12 + 45j, rule=CLOVER), state)
    found = evaluate(gains_function(None), state | poles)
    h = 0.002
    sampled = evaluate(gains_function(h), state | {"decay": 12.0 * np.full(6, h), "frequency": 45.0 * np.full(6, h)})
    for name in ("G1", "G2"):
        wanted = np.ravel(expected[name])
        assert np.ravel(found[name]) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        assert np.ravel(sampled[name]) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
