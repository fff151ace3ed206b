"""Reading the C of a package: the straight-line subset that Torquec emits, compared with the programs.

The C is read, not generated again. A file NAME.c is accepted where it is, in this order and with nothing else in it:

(1)  fixed texts, known by SHA-256 with the package's name put in (`known_texts.json`): the heading, the includes of
     "NAME.h" and <math.h>, the refusal of -ffast-math and, where programs need them, the kernels of sine and cosine
     and of the smaller and the larger number. The kernels branch on macros and on the size of the angle, so that they
     are no straight-line code: their accuracy is an assumption, measured by the tests of Torquec
(2)  a function for each program, in the order of the programs, whose prototype has the ports of the program in their
     order, with their names and sizes, inputs `const`; its statements are

         const double v12 = EXPRESSION;                                                          each name once
         const double x0[4] = {..}; double s0[4]; double c0[4]; NAME_sincos4(x0, s0, c0);        sines and cosines
         float s0[1]; float c0[1]; NAME_sincos1(EXPRESSION, &s0[0], &c0[0]);                     of floats
         (void)port;        port[3] = EXPRESSION;                  every output once; no input is read after the first

(3)  every operation of an expression is an operation of the program on the same values, every literal is a constant of
     the program to the last bit, and every output is the value that the program has there. C's precedence decides what
     an operation is, not the layout of the text

People trust comments: each one must be the expected one, word by word.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence

from torquec_check.c_text import CNames, CReader, after_fixed_text
from torquec_check.program import Port, Program

_ODD = re.compile(r"[^A-Za-z0-9_]|_(?=x[0-9a-f])", re.ASCII)
_NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]\d+)?", re.ASCII)
_OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


def check_c_source(source: str, programs: Sequence[Program], names: CNames, title: str, where: str) -> list[list[str]]:
    """Raise `RefusedError` unless `source`, which `title` begins, is the C of the programs; gives their prototypes."""
    used = {step.op for program in programs for step in program.operations}
    kernels = [("sincos", {"sin", "cos"}), ("smaller", {"min"}), ("larger", {"max"})]
    place = source.find("*/") + 2
    words = f"{title}: written by torquec. How to use it stands in {names.prefix}.h."
    CReader(source[:place], 0, where).comment(words)
    for piece in ("includes", *(f"{name} {names.real}" for name, ops in kernels if used & ops)):
        place = after_fixed_text(source, place, piece, {"PREFIX": names.prefix}, where)
    reader = CReader(source, place, where)
    prototypes = [_Body(reader, program, names).read() for program in programs]
    if reader.ahead:
        reader.refuse("the model has no such function")
    return prototypes


class _Body:
    """One function (2), read into values of its program (3): equal operations on equal values have one number."""

    def __init__(self, reader: CReader, program: Program, names: CNames) -> None:
        self._reader, self._program, self._names = reader, program, names
        self._numbers: dict[tuple[object, ...], int] = {}
        self._of_step: list[int] = []
        for step in program.operations:
            args = (self._of_step[k] for k in step.args)
            key = _key(step.op, *args, value=step.value, element=(step.port, step.element))
            self._of_step.append(self._numbers.setdefault(key, len(self._numbers)))
        self._locals: dict[str, int] = {}
        self._sines: dict[str, list[tuple[str, int]]] = {}
        self._inputs: dict[str, Port] = {}
        self._outputs: dict[str, Port] = {}
        self._written: dict[tuple[str, int], int] = {}

    def read(self) -> list[str]:
        """Raise `RefusedError` unless the text computes the program; gives the tokens of the prototype."""
        reader, program = self._reader, self._program
        reader.comment(f"{program.name}: #")
        prototype = self._prototype()
        reader.take("{")
        while reader.ahead != "}":
            self._statement()
        reader.take("}")
        for (name, port), values in zip(self._outputs.items(), program.results, strict=True):
            for k, value in enumerate(values):
                if self._written.get((name, k)) != self._of_step[value]:
                    reader.refuse(f"{port.name}[{k}] of '{program.name}' is not the value that the program has there")
        return prototype

    def _prototype(self) -> list[str]:
        reader, real = self._reader, self._names.real
        tokens = ["void", f"{self._names.prefix}_{spelled(self._program.name)}", "("]
        reader.take(*tokens)
        ports = [(port, self._inputs, ["const", real]) for port in self._program.inputs]
        ports += [(port, self._outputs, [real]) for port in self._program.outputs]
        for k, (port, known, words) in enumerate(ports):
            begin = [*([","] if k else []), *words, *([] if port.size else ["*"])]
            reader.take(*begin)
            name, ends = reader.next(), ["[", str(port.size), "]"] if port.size else []
            if not re.fullmatch(f"{spelled(port.name)}(_x0_)?_*", name) or name in self._inputs | self._outputs:
                reader.refuse(f"the parameter '{name}' stands where '{port.name}' is expected")
            reader.take(*ends)
            tokens += [*begin, name, *ends]
            known[name] = port
        end = [")"] if ports else ["void", ")"]
        reader.take(*end)
        return [*tokens, *end]

    def _statement(self) -> None:
        reader, real = self._reader, self._names.real
        first = reader.next()
        if first == "const":
            reader.take(real)
            name = reader.next()
            if re.fullmatch(r"x\d+", name):
                self._four_angles(name)
            elif re.fullmatch(r"v\d+", name) and name not in self._locals:
                reader.take("=")
                self._locals[name] = self._right_side()
                reader.take(";")
            else:
                reader.refuse(f"'{name}' is no new value")
        elif first == real:
            self._single_angles()
        elif first == "(":
            reader.take("void", ")")
            name = reader.next()
            if name not in self._inputs and name not in self._outputs:
                reader.refuse(f"'{name}' is no parameter")
            reader.take(";")
        elif first in self._outputs:
            reader.take("[")
            place = (first, reader.integer())
            if place in self._written:
                reader.refuse(f"{first}[{place[1]}] is written twice")
            reader.take("]", "=")
            self._written[place] = -1  # from here on no input is read, this line included
            self._written[place] = self._right_side()
            reader.take(";")
        else:
            reader.refuse(f"{first!r} begins no statement that Torquec writes")

    def _four_angles(self, name: str) -> None:
        """Doubles: one call for an array of angles, the last one repeated where there are fewer than four."""
        reader, real, s, c = self._reader, self._names.real, f"s{name[1:]}", f"c{name[1:]}"
        reader.take("[", "4", "]", "=", "{")
        angles = [self._sum()]
        while len(angles) < 4:
            reader.take(",")
            angles.append(self._sum())
        reader.take("}", ";", real, s, "[", "4", "]", ";", real, c, "[", "4", "]", ";")
        reader.take(f"{self._names.prefix}_sincos4", "(", name, ",", s, ",", c, ")", ";")
        self._keep(s, c, angles)

    def _single_angles(self) -> None:
        """Floats: arrays, and a call for every angle."""
        reader, s = self._reader, self._reader.next()
        c = f"c{s[1:]}"
        reader.take("[")
        angles, count = list[int](), reader.integer()
        reader.take("]", ";", self._names.real, c, "[", str(count), "]", ";")
        for k in range(count):
            reader.take(f"{self._names.prefix}_sincos1", "(")
            angles.append(self._sum())
            reader.take(",", "&", s, "[", str(k), "]", ",", "&", c, "[", str(k), "]", ")", ";")
        self._keep(s, c, angles)

    def _keep(self, s: str, c: str, angles: list[int]) -> None:
        if not re.fullmatch(r"s\d+", s) or s in self._sines:
            self._reader.refuse(f"'{s}' is no new array of sines")
        self._sines |= {s: [("sin", angle) for angle in angles], c: [("cos", angle) for angle in angles]}

    # Expressions: each method gives the number of a value.

    def _right_side(self) -> int:
        """A sum, or `(SUM >= 0.0) ? SUM : SUM`, in which <= has the sign of the first one changed."""
        reader = self._reader
        if not reader.holds("?"):
            return self._sum()
        reader.take("(")
        condition = self._sum()
        order = reader.next()
        if order == "<=":
            condition = self._operation("neg", condition)
        elif order != ">=":
            reader.refuse(f"{order!r} is no comparison that Torquec writes")
        reader.take(f"0.0{self._names.suffix}", ")", "?")
        first = self._sum()
        reader.take(":")
        return self._operation("select", condition, first, self._sum())

    def _sum(self) -> int:
        return self._chain("+-", self._product)

    def _product(self) -> int:
        return self._chain("*/", self._unary)

    def _chain(self, marks: str, operand: Callable[[], int]) -> int:
        """Operands with operators of one precedence between them, from left to right."""
        value = operand()
        while self._reader.ahead in tuple(marks):
            op = _OPERATORS[self._reader.next()]
            value = self._operation(op, value, operand())
        return value

    def _unary(self) -> int:
        if self._reader.ahead != "-":
            return self._atom()
        self._reader.next()
        if self._reader.ahead[:1].isdigit():
            return self._number(-1.0)
        return self._operation("neg", self._unary())

    def _number(self, sign: float) -> int:
        """A literal as Python writes its double, so that it is read back to the last bit."""
        token = self._reader.next()
        text = token[: len(token) - len(self._names.suffix)]
        if not _NUMBER.fullmatch(text) or repr(float(text)) + self._names.suffix != token:
            self._reader.refuse(f"{token!r} is not how Torquec writes a number")
        value = sign * float(text)
        return self._look_up(_key("const", value=value), f"the number {value!r}")

    def _atom(self) -> int:
        reader = self._reader
        if reader.ahead[:1].isdigit():
            return self._number(1.0)
        name = reader.next()
        if name == "(":
            value = self._sum()
            reader.take(")")
            return value
        if name in self._locals:
            return self._locals[name]
        if name in self._names.calls:
            op, count = self._names.calls[name]
            reader.take("(")
            arguments = [self._sum()]
            for _ in range(count - 1):
                reader.take(",")
                arguments.append(self._sum())
            reader.take(")")
            return self._operation(op, *arguments)
        if name not in self._inputs and name not in self._sines:
            reader.refuse(f"{name!r} is no value that is known here")
        reader.take("[")
        element = reader.integer()
        reader.take("]")
        if name in self._sines:
            if element >= len(self._sines[name]):
                reader.refuse(f"{name}[{element}] was not computed")
            return self._operation(*self._sines[name][element])
        if self._written:
            reader.refuse(f"{name}[{element}] is read after an output was written, which may be the same array")
        port = self._inputs[name]
        return self._look_up(_key("input", element=(port.name, element)), f"{name}[{element}]")

    def _operation(self, op: str, *values: int) -> int:
        return self._look_up(_key(op, *values), f"this '{op}'")

    def _look_up(self, key: tuple[object, ...], words: str) -> int:
        number = self._numbers.get(key)
        if number is None:
            self._reader.refuse(f"the program '{self._program.name}' does not have {words}")
        return number


def _key(op: str, *values: int, value: float = 0.0, element: tuple[str, int] = ("", 0)) -> tuple[object, ...]:
    """What decides a value; constants by their bits, so that -0.0 is not 0.0."""
    return (op, *values, struct.pack("<d", value) if op == "const" else b"", element if op == "input" else ("", 0))


def spelled(name: str) -> str:
    """A name as an identifier of C: characters that no identifier has by their code points."""
    text = _ODD.sub(lambda match: f"_x{ord(match.group()):x}_", name)
    return text if re.match(r"[A-Za-z]", text) else f"x_x0_{text}"
