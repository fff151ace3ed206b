"""Operation counts of programs that can be counted by hand."""

from __future__ import annotations

import pytest

from torquec.expr import OperationCount, count_operations, trace
from torquec.expr.math import absolute, atan2, maximum, select, sincos, sqrt


def count(algorithm, n=4) -> OperationCount:
    return count_operations(trace("f", lambda x: {"y": algorithm(x)}, {"x": (n,)}))


def planar_torque(x):
    """Gravity of a planar two-link arm."""
    (_, c1), (_, c12) = sincos(x[0]), sincos(x[0] + x[1])
    outer = 3.0 * c12
    return [2.0 * c1 + outer, outer]


KNOWN = {
    "nothing": (lambda x: [x[0], 2.0], OperationCount(0, 0, 0, 0, 0)),
    "product": (lambda x: x[0] * x[1], OperationCount(1, 0, 0, 0, 0)),
    "difference counts as addition": (lambda x: x[0] - x[1] + x[2], OperationCount(0, 2, 0, 0, 0)),
    "sign counts as addition": (lambda x: -x[0], OperationCount(0, 1, 0, 0, 0)),
    "division": (lambda x: x[0] / x[1], OperationCount(0, 0, 1, 0, 0)),
    "division by a number is a product": (lambda x: x[0] / 4.0, OperationCount(1, 0, 0, 0, 0)),
    "sine and cosine are a pair": (lambda x: sincos(x[0]), OperationCount(0, 0, 0, 1, 0)),
    "pairs are counted by angle": (lambda x: [sincos(x[0])[0], sincos(x[1])[1]], OperationCount(0, 0, 0, 2, 0)),
    "others": (
        lambda x: [sqrt(x[0]), atan2(x[0], x[1]), absolute(x[0]), maximum(x[0], x[1]), select(x[0], x[1], x[2])],
        OperationCount(0, 0, 0, 0, 5),
    ),
    "an equal value costs once": (
        lambda x: [x[0] * x[1], x[1] * x[0], 2.0 * (x[0] * x[1])],
        OperationCount(2, 0, 0, 0, 0),
    ),
    "planar arm": (planar_torque, OperationCount(2, 2, 0, 2, 0)),
}


@pytest.mark.parametrize(("algorithm", "expected"), KNOWN.values(), ids=KNOWN)
def test_known_counts(algorithm, expected):
    assert count(algorithm) == expected


def test_text_leaves_out_what_is_not_there():
    assert str(OperationCount(0, 0, 0, 0, 0)) == "0 mul, 0 add"
    assert str(OperationCount(3, 2, 0, 1, 0)) == "3 mul, 2 add, 1 sincos"
    assert str(OperationCount(3, 2, 1, 0, 4)) == "3 mul, 2 add, 1 div, 4 other"
