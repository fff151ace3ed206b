"""Functions to compile in the tests: random programs over every operation, and a few that can be checked by hand."""

import itertools
import math

import numpy as np

from torquec.expr import Function, Op, Operation, Port, trace
from torquec.expr.math import absolute, atan2, exp, maximum, minimum, select, sincos, sqrt
from torquec.expr.ops import SEMANTICS

EXACT_OPS = (Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.ABS, Op.MIN, Op.MAX, Op.SELECT)
"""On small integers these round nowhere, contracted or not."""


def program(steps, *, sizes=(3, 2), outputs=((0,),), name="program"):
    """A function from (op, args...) rows; values are the inputs, the constants 2 and -3, the rows."""
    ports = tuple(Port(f"x{i}", (size,)) for i, size in enumerate(sizes))
    operations = [Operation(Op.INPUT, port=port.name, element=k) for port in ports for k in range(port.size)]
    operations += [Operation(Op.CONST, value=2.0), Operation(Op.CONST, value=-3.0)]
    operations += [Operation(op, tuple(args)) for op, *args in steps]
    results = tuple(tuple(v % len(operations) for v in row) for row in outputs)
    out_ports = tuple(Port(f"y{i}", (len(row),)) for i, row in enumerate(results))
    return Function(name, ports, out_ports, tuple(operations), results)


def random_program(seed, *, ops=tuple(SEMANTICS), steps=40, sizes=(3, 2)):
    """A random program; about a third of its values are outputs, constants and inputs among them."""
    rng = np.random.default_rng(seed)
    known = sum(sizes) + 2
    rows = []
    for _ in range(steps):
        op = ops[rng.integers(len(ops))]
        # Mostly recent values, so that programs get deep.
        args = [int(max(0, known - 1 - rng.geometric(0.12))) for _ in range(SEMANTICS[op].arity)]
        rows.append((op, *args))
        known += 1
    chosen = [int(v) for v in rng.permutation(known)[: known // 3]]
    cut = len(chosen) // 2
    return program(rows, sizes=sizes, outputs=(tuple(chosen[:cut]), tuple(chosen[cut:])), name=f"random{seed}")


def every_op():
    """A function that uses every operation, with two inputs and two outputs (a matrix among them)."""

    def algorithm(a, b):
        s, c = sincos(a[0])
        s2, _ = sincos(a[1] * b[0])  # an angle that is computed
        s3, c3 = sincos(s + c)  # an angle that needs other angles
        first = [s * a[1] + c * a[2], sqrt(absolute(a[2])) / (b[0] * b[0] + 1.0), -(s2 - c3)]
        second = [
            minimum(a[0], b[1]),
            maximum(s3, b[1]),
            select(a[0], s, c2 := c * c),
            atan2(a[1], b[1]) + c2 * exp(-absolute(b[1])),
        ]
        return {"u": first, "V": [second[:2], second[2:]]}

    return trace("every_op", algorithm, {"a": (3,), "b": (2,)})


def passthrough(size):
    """Outputs that are inputs in reverse and a constant: only the reading and the writing of rows is at work."""
    return trace("passthrough", lambda x: {"y": list(reversed(x)), "z": [4.0, x[0]]}, {"x": (size,)})


def arm(n=5):
    """Sines, cosines, products and sums in the proportions of a robot's dynamics."""

    def algorithm(q, qd):
        total, tau = 0.3, []
        for k, (angle, speed) in enumerate(zip(q, qd, strict=True)):
            s, c = sincos(angle)
            total = total * c + speed * s * 0.7 - 0.1 * k
            tau.append(total * speed - s * c)
        return {"tau": tau}

    return trace("arm", algorithm, {"q": (n,), "qd": (n,)})


def inputs_of(function, rng, *rows, scale=2.0):
    """Random inputs, one state or a batch."""
    return [scale * rng.standard_normal((*rows, *port.shape)) for port in function.inputs]


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def same_bits(a, b):
    """Equal bit by bit, where any two NaN are equal."""
    return all(
        x.shape == y.shape and bool(((x == y) & (np.signbit(x) == np.signbit(y)) | (np.isnan(x) & np.isnan(y))).all())
        for x, y in itertools.zip_longest(as_tuple(a), as_tuple(b))
    )


def ulp_error(got, exact):
    """Error in units of the last place of the exact value (an array of extended precision)."""
    got, exact = np.asarray(got), np.asarray(exact)
    unit = np.spacing(np.abs(exact.astype(np.float64)))
    return np.abs(got - exact).astype(np.float64) / np.maximum(unit, math.ulp(0.0))
