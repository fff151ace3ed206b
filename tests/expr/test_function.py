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

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.expr.programs import INPUTS, exact_folding, programs

from torquec.errors import ExpressionError
from torquec.expr import Function, Op, Operation, Port, function_from_dict, function_to_dict, trace

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
