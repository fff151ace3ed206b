"""A well-formed function passes; each way of being malformed has its message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torquec.errors import ExpressionError
from torquec.expr import Function, Op, Operation, Port, check_function, trace

X, TWICE = Operation(Op.INPUT, port="x"), Operation(Op.ADD, (0, 0))
GOOD = Function("f", (Port("x"),), (Port("y"),), (X, TWICE), ((1,),))

BAD = {
    "output named as an input": (replace(GOOD, outputs=(Port("x"),)), "occurs twice: x, x"),
    "two inputs of one name": (replace(GOOD, inputs=(Port("x"), Port("x"))), "occurs twice: x, x, y"),
    "negative shape": (replace(GOOD, inputs=(Port("x"), Port("u", (-2,)))), r"'u' has the negative shape \(-2,\)"),
    "unknown input": (replace(GOOD, operations=(replace(X, port="w"), TWICE)), r"step 0 reads w\[0\]"),
    "element beyond the shape": (replace(GOOD, operations=(replace(X, element=1), TWICE)), r"step 0 reads x\[1\]"),
    "negative element": (replace(GOOD, operations=(replace(X, element=-1), TWICE)), r"step 0 reads x\[-1\]"),
    "too few arguments": (replace(GOOD, operations=(X, Operation(Op.ADD, (0,)))), "add, has 1 arguments instead of 2"),
    "too many arguments": (
        replace(GOOD, operations=(X, Operation(Op.NEG, (0, 0)))),
        "neg, has 2 arguments instead of 1",
    ),
    "constant of arguments": (replace(GOOD, operations=(X, Operation(Op.CONST, (0,)))), "const, has 1 arguments"),
    "input of arguments": (replace(GOOD, operations=(X, replace(X, args=(0,)))), "input, has 1 arguments"),
    "itself as argument": (replace(GOOD, operations=(X, Operation(Op.ADD, (0, 1)))), "step 1, add, uses a value"),
    "negative argument": (replace(GOOD, operations=(X, Operation(Op.ADD, (0, -1)))), "step 1, add, uses a value"),
    "output without values": (replace(GOOD, results=()), "1 outputs have 0 results"),
    "values without output": (replace(GOOD, results=((1,), (0,))), "1 outputs have 2 results"),
    "too few values": (replace(GOOD, outputs=(Port("y", (2,)),)), r"output 'y' of shape \(2,\) has 1 values"),
    "value beyond the end": (replace(GOOD, results=((2,),)), "output 'y' uses a value that is not defined"),
    "negative value": (replace(GOOD, results=((-1,),)), "output 'y' uses a value that is not defined"),
}


def test_good_functions_pass():
    check_function(GOOD)
    check_function(Function("nothing", (), (), (), ()))
    check_function(trace("f", lambda x: {"y": [], "z": x[1][2]}, {"x": (2, 3)}))


@pytest.mark.parametrize(("function", "message"), BAD.values(), ids=BAD)
def test_bad_functions_are_refused(function, message):
    with pytest.raises(ExpressionError, match=f"function 'f': .*{message}") as refused:
        check_function(function)
    assert refused.value.remedy
