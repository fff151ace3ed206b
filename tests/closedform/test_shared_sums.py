"""Shared sums: the same values as the entries themselves, with fewer operations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.closedform import FourierSeries, Harmonic, closed_form
from torquec.closedform.fourier import CLOVER, EXACT, Rule
from torquec.closedform.layouts import Entry, Matrix, Part, entries
from torquec.closedform.shared_sums import SharedSums
from torquec.errors import ArgumentError
from torquec.expr import count_operations, evaluate, trace
from torquec.robot import classics

MATRICES = (Matrix.M, Matrix.DTAU_DQD, Matrix.DTAU_DQ)


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford", "puma560"])
def test_values_are_those_of_the_entries(name):
    arm = classics.load_classic(name)
    rule = Rule(multiple_angles=True, threshold=0.05)
    wanted = {(m, one.index): one for m in MATRICES for one in entries(closed_form(arm), m, rule)}
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, arm.n))
    found = SharedSums(wanted).values(list(q), list(qd), list(qdd))
    for key, one in wanted.items():
        assert found[key] == pytest.approx(float(one.at(q, qd, qdd)), rel=1e-11, abs=1e-11), one.key


def test_sharing_saves_operations():
    arm = classics.puma560()
    form = closed_form(arm)
    wanted = {(m, one.index): one for m in MATRICES for one in entries(form, m, CLOVER)}
    ports = dict.fromkeys(("q", "qd", "qdd"), (6,))
    together = SharedSums(wanted)
    shared = trace("shared", lambda **x: {"y": list(together.values(**x).values())}, ports)
    alone = [SharedSums({0: one}) for one in wanted.values()]
    apart = sum(
        count_operations(trace("one", lambda sums=sums, **x: {"y": list(sums.values(**x).values())}, ports)).add
        for sums in alone
    )
    assert count_operations(shared).add < 0.5 * apart
    values = dict(zip(ports, np.random.default_rng(1).normal(size=(3, 6)), strict=True))
    traced = evaluate(shared, values)["y"]
    plain = list(together.values(*values.values()).values())
    assert np.allclose(traced, np.array(plain, dtype=float))


def test_a_function_within_another_with_the_other_sign():
    # f qd0 + (g - f) qd1 + (h + g - f) qd2 with f = 2 sin q0, g = 3 cos q1, h = 5
    f, g, h = (Harmonic(((0, 1),), True), 2.0), (Harmonic(((1, 1),)), 3.0), (Harmonic(), 5.0)
    minus_f = (f[0], -f[1])
    parts = (
        Part(FourierSeries(dict([f])), (0,)),
        Part(FourierSeries(dict([g, minus_f])), (1,)),
        Part(FourierSeries(dict([h, g, minus_f])), (2,)),
    )
    q, qd = [0.3, 0.4, 0.0], [1.1, 1.2, 1.3]
    found = SharedSums({"x": Entry(Matrix.M, (0, 0), parts)}).values(q, qd, [0.0] * 3)["x"]
    a, b = 2.0 * math.sin(0.3), 3.0 * math.cos(0.4)
    assert found == pytest.approx(a * 1.1 + (b - a) * 1.2 + (5.0 + b - a) * 1.3)


def test_products_are_refused():
    form = closed_form(classics.planar2r())
    with pytest.raises(ArgumentError, match="multiple angles"):
        SharedSums({one.index: one for one in entries(form, Matrix.M, EXACT)})
