"""A function goes to JSON and back without losing a bit, has one hash, and refuses what is no function."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import os
import struct
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.expr.programs import INPUTS, exact_folding, programs

from torquec.errors import ExpressionError
from torquec.expr import (
    Function,
    Op,
    Operation,
    OperationCount,
    Port,
    check_function,
    count_operations,
    function_from_dict,
    function_to_dict,
    trace,
)
from torquec.expr.math import absolute, atan2, maximum, select, sincos, sqrt

STEPS = (
    Operation(Op.CONST, value=0.1),
    Operation(Op.INPUT, port="x", element=1),
    Operation(Op.MUL, (0, 1)),
    Operation(Op.SELECT, (1, 2, 0)),
)
KNOWN = Function("f", (Port("x", (2,)), Port("p")), (Port("y", (1, 2)), Port("z")), STEPS, ((3, 2), (0,)))
DOCUMENT = {
    "name": "f",
    "inputs": [{"name": "x", "shape": [2]}, {"name": "p", "shape": []}],
    "outputs": [{"name": "y", "shape": [1, 2], "values": [3, 2]}, {"name": "z", "shape": [], "values": [0]}],
    "operations": [["const", 0.1], ["input", "x", 1], ["mul", 0, 1], ["select", 1, 2, 0]],
}


def through_json(function: Function) -> Function:
    return function_from_dict(json.loads(json.dumps(function_to_dict(function), allow_nan=False)))


def test_known_document():
    assert function_to_dict(KNOWN) == DOCUMENT
    assert function_from_dict(DOCUMENT) == KNOWN


def test_ports_have_sizes_and_are_found_by_name():
    assert [Port("a", shape).size for shape in ((), (3,), (2, 3), (0, 3))] == [1, 3, 6, 0]
    assert KNOWN.input("p") == Port("p")
    assert KNOWN.output("y") == Port("y", (1, 2))


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(program=programs())
def test_document_gives_the_function_back(program):
    with exact_folding():
        function = trace("f", program.algorithm, {"x": (INPUTS,)})
    again = through_json(function)
    assert again == function
    assert again.content_hash == function.content_hash


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(value=st.floats())
def test_constants_keep_every_bit(value):
    function = Function("f", (), (Port("y"),), (Operation(Op.CONST, value=value),), ((0,),))
    found = through_json(function).operations[0].value
    if math.isnan(value):
        assert math.isnan(found)
    else:
        assert struct.pack("d", found) == struct.pack("d", value)


def test_hash_sees_every_part():
    variants = [
        KNOWN,
        dataclasses.replace(KNOWN, name="g"),
        dataclasses.replace(KNOWN, inputs=(Port("x", (3,)), Port("p"))),
        dataclasses.replace(KNOWN, outputs=(Port("y", (2, 1)), Port("z"))),
        dataclasses.replace(KNOWN, results=((2, 3), (0,))),
        dataclasses.replace(KNOWN, operations=(Operation(Op.CONST, value=math.nextafter(0.1, 1.0)), *STEPS[1:])),
        dataclasses.replace(KNOWN, operations=(*STEPS[:2], Operation(Op.ADD, (0, 1)), STEPS[3])),
    ]
    assert len({function.content_hash for function in variants}) == len(variants)


def test_hash_is_the_same_whatever_the_hash_seed():
    code = (
        "from torquec.expr import trace\n"
        "from torquec.expr.math import sincos\n"
        "def f(x):\n"
        "    s, c = zip(*map(sincos, x))\n"
        "    total = sum(a * b for a in s for b in c) - s[0] * c[1] * x[0]\n"
        "    return {'y': total, 'z': [total - s[1], s[1] * c[0] + s[1] * c[2]]}\n"
        "print(trace('f', f, {'x': (3,)}).content_hash)\n"
    )
    hashes = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        hashes.add(run.stdout.strip())
    assert len(hashes) == 1
    assert len(hashes.pop()) == 64


def test_what_is_not_there_is_named():
    with pytest.raises(ExpressionError, match=r"no input 'q'\n  remedy: choose one of: x, p"):
        KNOWN.input("q")
    with pytest.raises(ExpressionError, match=r"no output 'q'\n  remedy: choose one of: y, z"):
        KNOWN.output("q")


def set_in(path, value):
    def change(document):
        *way, last = path
        for key in way:
            document = document[key]
        document[last] = value

    return change


MALFORMED = {
    "no name": lambda document: document.pop("name"),
    "no operations": lambda document: document.pop("operations"),
    "name is a number": set_in(["name"], 3),
    "inputs are a number": set_in(["inputs"], 3),
    "input is a text": set_in(["inputs", 0], "x"),
    "shape is a number": set_in(["inputs", 0, "shape"], 2),
    "shape is a text": set_in(["inputs", 0, "shape"], "2"),
    "shape is no integer": set_in(["inputs", 0, "shape"], [2.0]),
    "shape is true": set_in(["inputs", 1, "shape"], [True]),
    "negative shape": set_in(["inputs", 1, "shape"], [-1]),
    "shape does not fit": set_in(["outputs", 0, "shape"], [3]),
    "values are missing": lambda document: document["outputs"][0].pop("values"),
    "value is infinite": set_in(["outputs", 1, "values"], [math.inf]),
    "value is not there": set_in(["outputs", 1, "values"], [4]),
    "value is negative": set_in(["outputs", 1, "values"], [-1]),
    "operation is unknown": set_in(["operations", 2], ["power", 0, 1]),
    "operation is a list": set_in(["operations", 2], [["mul"], 0, 1]),
    "operation is empty": set_in(["operations", 2], []),
    "operation is null": set_in(["operations", 2], None),
    "operation is an object": set_in(["operations", 2], {"op": "mul"}),
    "argument is a text": set_in(["operations", 2], ["mul", "0", 1]),
    "argument is a fraction": set_in(["operations", 2], ["mul", 0.5, 1]),
    "argument comes later": set_in(["operations", 2], ["mul", 0, 3]),
    "argument is negative": set_in(["operations", 2], ["mul", 0, -1]),
    "argument is missing": set_in(["operations", 2], ["mul", 0]),
    "argument too many": set_in(["operations", 2], ["mul", 0, 1, 1]),
    "constant is missing": set_in(["operations", 0], ["const"]),
    "constant too many": set_in(["operations", 0], ["const", 1.0, 2.0]),
    "constant is a text": set_in(["operations", 0], ["const", "0.1"]),
    "constant is true": set_in(["operations", 0], ["const", True]),
    "constant is null": set_in(["operations", 0], ["const", None]),
    "constant is too large": set_in(["operations", 0], ["const", 10**400]),
    "element is missing": set_in(["operations", 1], ["input", "x"]),
    "element is not there": set_in(["operations", 1], ["input", "x", 2]),
    "input is not there": set_in(["operations", 1], ["input", "w", 0]),
    "name occurs twice": set_in(["inputs", 1, "name"], "x"),
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED)
def test_malformed_documents_are_refused(change):
    document = copy.deepcopy(DOCUMENT)
    change(document)
    with pytest.raises(ExpressionError, match=r"function.*\n  remedy: "):
        function_from_dict(document)


@pytest.mark.parametrize("document", [None, [], "function", 3, {}])
def test_what_is_no_document_is_refused(document):
    with pytest.raises(ExpressionError, match="not a function"):
        function_from_dict(document)


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


def count(algorithm, n=4) -> OperationCount:
    return count_operations(trace("f", lambda x: {"y": algorithm(x)}, {"x": (n,)}))


def planar_torque(x):
    """Gravity of a planar two-link arm."""
    (_, c1), (_, c12) = sincos(x[0]), sincos(x[0] + x[1])
    outer = 3.0 * c12
    return [2.0 * c1 + outer, outer]


KNOWN_COUNT = {
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


@pytest.mark.parametrize(("algorithm", "expected"), KNOWN_COUNT.values(), ids=KNOWN_COUNT)
def test_known_counts(algorithm, expected):
    assert count(algorithm) == expected


def test_text_leaves_out_what_is_not_there():
    assert str(OperationCount(0, 0, 0, 0, 0)) == "0 mul, 0 add"
    assert str(OperationCount(3, 2, 0, 1, 0)) == "3 mul, 2 add, 1 sincos"
    assert str(OperationCount(3, 2, 1, 0, 4)) == "3 mul, 2 add, 1 div, 4 other"
