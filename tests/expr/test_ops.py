"""What each operation computes, on floats and on arrays, also where floats end."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from torquec.expr import Op
from torquec.expr.ops import SEMANTICS

KNOWN = {
    Op.ADD: ((2.0, 3.0), 5.0),
    Op.SUB: ((2.0, 3.0), -1.0),
    Op.MUL: ((2.0, 3.0), 6.0),
    Op.DIV: ((3.0, 2.0), 1.5),
    Op.NEG: ((2.0,), -2.0),
    Op.SIN: ((0.5,), 0.479425538604203),
    Op.COS: ((0.5,), 0.8775825618903728),
    Op.SQRT: ((2.25,), 1.5),
    Op.EXP: ((-0.5,), 0.6065306597126334),
    Op.ATAN2: ((1.0, -1.0), 3 * math.pi / 4),
    Op.ABS: ((-2.0,), 2.0),
    Op.MIN: ((2.0, -3.0), -3.0),
    Op.MAX: ((2.0, -3.0), 2.0),
    Op.SELECT: ((-1.0, 2.0, 3.0), 3.0),
}
VALUES = (0.0, -0.0, 1.0, -1.0, 0.75, -2.5, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan)


def test_every_operation_has_a_meaning():
    assert set(SEMANTICS) == set(Op) - {Op.CONST, Op.INPUT}


@pytest.mark.parametrize("op", SEMANTICS)
def test_known_values(op):
    args, expected = KNOWN[op]
    assert SEMANTICS[op].on_floats(*args) == pytest.approx(expected, rel=2e-16)
    assert SEMANTICS[op].on_arrays(*map(np.array, args)) == pytest.approx(expected, rel=2e-16)


@pytest.mark.parametrize("op", SEMANTICS)
def test_floats_and_arrays_agree_everywhere(op):
    for args in itertools.product(VALUES, repeat=SEMANTICS[op].arity):
        with np.errstate(all="ignore"):
            on_arrays = float(SEMANTICS[op].on_arrays(*map(np.float64, args)))
        assert SEMANTICS[op].on_floats(*args) == pytest.approx(on_arrays, rel=4e-16, abs=0.0, nan_ok=True), args


@pytest.mark.parametrize("op", [op for op in SEMANTICS if op is not Op.SELECT])
def test_what_is_no_number_is_passed_on(op):
    arity = SEMANTICS[op].arity
    for k in range(arity):
        assert math.isnan(SEMANTICS[op].on_floats(*(math.nan if k == i else 1.0 for i in range(arity))))


def test_select_takes_the_positive_branch_at_zero_and_the_other_at_nan():
    select = SEMANTICS[Op.SELECT].on_floats
    assert [select(a, 1.0, 2.0) for a in (0.0, -0.0, math.inf, -5e-324, math.nan)] == [1.0, 1.0, 1.0, 2.0, 2.0]


@pytest.mark.parametrize("op", [op for op in SEMANTICS if SEMANTICS[op].commutes])
def test_what_commutes_does(op):
    for a, b in itertools.product(VALUES, repeat=2):
        one, other = SEMANTICS[op].on_floats(a, b), SEMANTICS[op].on_floats(b, a)
        assert one == other or (math.isnan(one) and math.isnan(other))
