"""The stack that a function of a C package needs: a bound for compilers that keep each value in one place at most.

(1)  a place for every statement, for every input that is read (a compiler may read them all at once), and three groups
     of four for the sines and cosines of up to four angles
(2)  what it calls: the sine and cosine of four angles, smaller and larger
(3)  a frame: return address, saved registers, alignment

What <math.h> takes is not in it: that depends on the library.
"""

from __future__ import annotations

from torquec.codegen.c.names import Names
from torquec.codegen.c.sincos import GROUP
from torquec.codegen.c.source import written_program
from torquec.codegen.statements import Angles
from torquec.expr import Function, Op

_FRAME = 256  # bytes of (3): 16 saved registers of 16 bytes, the most that common machines have
_NUMBERS_OF_SINCOS = 112  # places for (2), which three functions share; gcc needs 94 without optimization


def stack_bytes(function: Function, names: Names) -> int:
    """A bound of the stack in bytes, (1)-(3)."""
    statements = written_program(function, names).statements
    angles = sum(isinstance(statement, Angles) for statement in statements)
    read = sum(step.op is Op.INPUT for step in function.operations)
    count = len(statements) - angles + 3 * GROUP * angles + read
    if angles:
        count += _NUMBERS_OF_SINCOS
    return names.scalar.size * count + _FRAME * (3 if angles else 1)
