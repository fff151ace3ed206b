"""Reading the C of a package: the straight-line subset that Torquec emits, compared with the programs.

The C is read, not generated again. A file NAME.c is accepted where it is, in this order and with nothing else in it:

(1)  fixed texts (`known_texts.json`): the heading, the includes of "NAME.h" and <math.h>, the refusal of -ffast-math
     and, where programs need them, the kernels of sine and cosine and of the smaller and the larger number. These
     kernels branch, so that they are no straight-line code: their accuracy is an assumption, measured by tests
(2)  a function for each program, in the order of the programs, whose prototype has the ports of the program in their
     order, with their names and sizes, inputs `const`; its statements are

         const double v12 = EXPRESSION;                                                          each name once
         const double x0[4] = {..}; double s0[4]; double c0[4]; NAME_sincos4(x0, s0, c0);        sines and cosines
         float s0[1]; float c0[1]; NAME_sincos1(EXPRESSION, &s0[0], &c0[0]);                     of floats
         (void)port;        port[3] = EXPRESSION;                  every output once; no input is read after the first

(3)  every operation of an expression is an operation of the program on the same values, every literal is a constant of
     the program to the last bit, and every output is the value that the program has there

Sums, products, signs, parentheses, calls and indices mean the same in C and in Python, whose parser takes expressions
apart; anything else in them is refused. NAME.h is the claim, the prototypes of NAME.c and no other line. People trust
comments: each one must be the expected one, word by word.
"""

from __future__ import annotations

import ast
import itertools
import re
import struct
from collections.abc import Mapping, Sequence

from torquec_check.c_text import CText, known_text
from torquec_check.program import Port, Program

_INDEX = r"(0|[1-9]\d{0,8})"
_ODD = re.compile(r"[^A-Za-z0-9_]|_(?=x[0-9a-f])", re.ASCII)
_NUMBER = re.compile(r"(?<!\w)\.?\d(?:[eEpP][+-]|[\w.])*", re.ASCII)
_CHOICE = re.compile(r"\((.+) ([<>]=) 0\.0f?\) \? (.+) : (.+)")
_KERNELS = {"sincos": {"sin", "cos"}, "smaller": {"min"}, "larger": {"max"}}
_OPERATORS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


def check_c_source(text: CText, programs: Sequence[Program], name: str, real: str, title: str) -> list[str]:
    """Raise `RefusedError` unless the text, which `title` begins, is the C of the programs; gives their prototypes.

    `name` begins all names of the package; `real` is "double" or "float".
    """
    used = {step.op for program in programs for step in program.operations}
    text.comment(f"{title}: written by torquec. How to use it stands in {name}.h.")
    for piece in ("includes", *(f"{kernel} {real}" for kernel, ops in _KERNELS.items() if used & ops)):
        text.take(known_text(piece, name))
    prototypes = [_Function(text, program, name, real).read() for program in programs]
    if not text.at_end:
        text.refuse("the model has no such function")
    return prototypes


def check_c_header(
    text: CText, opening: str, programs: Mapping[str, Program], prototypes: Sequence[str], name: str, real: str
) -> None:
    """Raise `RefusedError`, with the line, unless the header is `opening` as a comment, then the prototypes.

    The programs by the names of their quantities, in the order of the prototypes.
    """
    guard = f"{name.upper()}_H_INCLUDED"
    text.comment(opening, known_text(f"usage {real}", name))
    text.take(f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n')
    for (quantity, program), prototype in zip(programs.items(), prototypes, strict=True):
        turns = any(step.op in ("sin", "cos") for step in program.operations)
        words = [known_text("cost", name)] if real == "float" and turns else []
        words += [known_text(f"note {quantity.split(':')[0]}", name), *_port_words(program, prototype)]
        text.comment(f"{program.name}:", f"# {' '.join(words)}")
        if in_one_line(text.until(";")) != prototype:
            text.refuse(f"the prototype of '{program.name}' is not that of the source")
    text.take(f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n")
    if not text.at_end:
        text.refuse("nothing may follow")


def _port_words(program: Program, prototype: str) -> list[str]:
    """What a header says of the ports: the name of each in C, and its shape."""
    names = re.findall(r"(\w+)(?:\[\d+\])?[,)]", prototype)
    ports = [("in", port) for port in program.inputs] + [("out", port) for port in program.outputs]
    return [f"{way} {name}: {_shape_text(port)}" for (way, port), name in zip(ports, names, strict=False)]


def _shape_text(port: Port) -> str:
    if port.shape in ((), (1,)):
        return "one number"
    return f"{port.shape[0]} numbers" if len(port.shape) == 1 else f"{' x '.join(map(str, port.shape))}, row by row"


class _Function:
    """One function (2), read into values of its program (3): equal operations on equal values have one number."""

    def __init__(self, text: CText, program: Program, name: str, real: str) -> None:
        self._text, self._program, self._name, self._real = text, program, name, real
        suffix = "f" if real == "float" else ""
        self._suffix, self._calls = suffix, {f"{name}_smaller": "min", f"{name}_larger": "max", f"fabs{suffix}": "abs"}
        self._calls |= {f"{function}{suffix}": function for function in ("sqrt", "exp", "atan2")}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._of_step: list[int] = []
        for step in program.operations:
            args = (self._of_step[k] for k in step.args)
            key = _key(step.op, *args, value=step.value, element=(step.port, step.element))
            self._of_step.append(self._numbers.setdefault(key, len(self._numbers)))
        self._declared: dict[str, int] = {}
        self._ports: dict[str, Port] = {}
        self._outputs: list[str] = []
        self._values: dict[str, int] = {}
        self._written: dict[str, int] = {}

    def read(self) -> str:
        """Raise `RefusedError` unless the text computes the program; gives the prototype."""
        text, program = self._text, self._program
        text.comment(f"{program.name}:", "#")
        prototype = self._prototype(in_one_line(text.until("{")))
        while not text.goes_on_with("}"):
            self._statement(in_one_line(text.until(";")))
        text.take("}")
        for name, results in zip(self._outputs, program.results, strict=True):
            for k, value in enumerate(results):
                if self._written.pop(f"{name}[{k}]", -1) != self._of_step[value]:
                    text.refuse(f"{name}[{k}] of '{program.name}' is not the value that the program has there")
        if self._written:
            text.refuse(f"{min(self._written)} of '{program.name}' is beyond the array")
        return prototype

    def _prototype(self, found: str) -> str:
        ports, wanted = [*self._program.inputs, *self._program.outputs], []
        for k, port in enumerate(ports):
            begin, name = "const " * (k < len(self._program.inputs)), rf"({spelled(port.name)}(?:_x0_)?_*)"
            wanted.append(f"{begin}{self._real} " + (rf"{name}\[{port.size}\]" if port.size else rf"\*{name}"))
        function = rf"void {self._name}_{spelled(self._program.name)}\({', '.join(wanted) or 'void'}\)"
        match = re.fullmatch(function, found)
        if match is None or len({*match.groups()}) != len(ports):
            self._text.refuse(f"{found!r} stands where a function like {function} is expected")
        self._ports = dict(zip(match.groups(), ports, strict=True))
        self._outputs = list(self._ports)[len(self._program.inputs) :]
        for name, port in itertools.islice(self._ports.items(), len(self._program.inputs)):
            for k in range(port.size):
                key = _key("input", element=(port.name, k))
                self._values |= {f"{name}[{k}]": self._numbers[key]} if key in self._numbers else {}
        return found

    def _statement(self, statement: str) -> None:
        """One statement of (2), without its semicolon."""
        real, name = self._real, self._name
        if found := re.fullmatch(rf"const {real} (v\d+) = (.+)", statement):
            self._declare(found[1])
            self._values[found[1]] = self._right_side(found[2])
        elif found := re.fullmatch(rf"const {real} (x\d+)\[4\] = {{(.+), (.+), (.+), (.+)}}", statement):
            self._declare(found[1])
            self._values |= {f"{found[1]}[{k}]": self._value(found[k + 2]) for k in range(4)}
        elif found := re.fullmatch(rf"{real} ([sc]\d+)\[([1-4])\]", statement):
            self._declare(found[1], int(found[2]))
        elif found := re.fullmatch(rf"{name}_sincos4\((x\d+), (s\d+), (c\d+)\)", statement):
            for k in range(4):
                self._sincos(f"{found[1]}[{k}]", found[2], found[3], k)
        elif found := re.fullmatch(rf"{name}_sincos1\((.+), &(s\d+)\[{_INDEX}\], &(c\d+)\[\3\]\)", statement):
            self._sincos(found[1], found[2], found[4], int(found[3]))
        elif found := re.fullmatch(rf"(\w+\[{_INDEX}\]) = (.+)", statement):
            if found[1] in self._written or found[1].split("[")[0] not in self._outputs:
                self._text.refuse(f"{found[1]} is no output, or is written twice")
            # From here on no input is read: it may be the array that is written. This line is included.
            self._values = {key: value for key, value in self._values.items() if key.split("[")[0] not in self._ports}
            self._written[found[1]] = self._right_side(found[3])
        elif not (found := re.fullmatch(r"\(void\)(\w+)", statement)) or found[1] not in self._ports:
            self._text.refuse(f"{statement[:80]!r} is no statement that Torquec writes here")

    def _declare(self, name: str, size: int = 0) -> None:
        if name in self._declared or name in self._ports:
            self._text.refuse(f"'{name}' is no new name")
        self._declared[name] = size

    def _sincos(self, angle: str, s: str, c: str, k: int) -> None:
        """Sine and cosine of an angle into places of arrays that are declared, and empty there."""
        places, room = {f"{s}[{k}]", f"{c}[{k}]"}, min(self._declared.get(s, 0), self._declared.get(c, 0))
        if places & set(self._values) or not k < room:
            self._text.refuse(f"{s}[{k}] and {c}[{k}] are no new places")
        value = self._value(angle)
        for place, op in ((f"{s}[{k}]", "sin"), (f"{c}[{k}]", "cos")):
            key = _key(op, value)
            self._values |= {place: self._numbers[key]} if key in self._numbers else {}

    # Expressions: each method gives the number of a value.

    def _right_side(self, text: str) -> int:
        """An expression, or `(SUM >= 0.0) ? SUM : SUM`, in which <= has the sign of the first one changed."""
        found = _CHOICE.fullmatch(text)
        if found is None:
            return self._value(text)
        condition = self._value(found[1])
        if found[2] == "<=":
            condition = self._look_up("neg", condition)
        return self._look_up("select", condition, self._value(found[3]), self._value(found[4]))

    def _value(self, text: str) -> int:
        """An expression. Other characters, numbers written in another way, and `--`, which writes, are refused."""
        if not re.fullmatch(r"(?!.*--)[\w.+\-*/()\[\], ]+", text, re.ASCII):
            self._text.refuse(f"{text[:60]!r} does not belong to the subset of C that Torquec writes")
        try:
            return self._node(ast.parse(_NUMBER.sub(self._literal, text).strip(" "), mode="eval").body)
        except (SyntaxError, RecursionError, MemoryError):
            self._text.refuse(f"{text[:60]!r} is no expression that Torquec writes")

    def _literal(self, found: re.Match[str]) -> str:
        """An index, or a literal as Python writes its double, so that it is read back to the last bit."""
        token = found.group()
        plain = token.removesuffix("f") if self._suffix else token
        index = re.fullmatch(_INDEX, token)
        if not index and (
            not re.fullmatch(r"\d+(\.\d+)?(e[+-]\d+)?", plain) or f"{float(plain)!r}{self._suffix}" != token
        ):
            self._text.refuse(f"{token!r} is not how Torquec writes a number")
        return plain

    def _node(self, node: ast.expr) -> int:
        match node:
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                return self._look_up(_OPERATORS[type(op)], self._node(left), self._node(right))
            case ast.Constant(float(value)) | ast.UnaryOp(ast.USub(), ast.Constant(float(value))):
                return self._look_up("const", value=value if isinstance(node, ast.Constant) else -value)
            case ast.UnaryOp(ast.USub(), operand):
                return self._look_up("neg", self._node(operand))
            case ast.Call(ast.Name(name), args, []) if name in self._calls:
                return self._look_up(self._calls[name], *map(self._node, args))
            case ast.Name(name) | ast.Subscript(ast.Name(name), ast.Constant(int())):
                place = ast.unparse(node)
                if place not in self._values:
                    late = self._written and name in self._ports
                    self._text.refuse(f"{place} is {'read after an output was written' if late else 'no value here'}")
                return self._values[place]
        return self._text.refuse(f"{ast.unparse(node)[:60]!r} is no expression that Torquec writes")

    def _look_up(self, op: str, *values: int, value: float = 0.0) -> int:
        number = self._numbers.get(_key(op, *values, value=value))
        if number is None:
            words = f"the number {value!r}" if op == "const" else f"this '{op}'"
            self._text.refuse(f"the program '{self._program.name}' does not have {words}")
        return number


def _key(op: str, *values: int, value: float = 0.0, element: tuple[str, int] = ("", 0)) -> tuple[object, ...]:
    """What decides a value; constants by their bits, so that -0.0 is not 0.0."""
    return (op, *values, struct.pack("<d", value) if op == "const" else b"", element if op == "input" else ("", 0))


def in_one_line(text: str) -> str:
    """A text without the line breaks and spaces at which it was wrapped."""
    return re.sub("[ \n]+", " ", text).strip(" ")


def spelled(name: str) -> str:
    """A name as an identifier of C: characters that no identifier has by their code points."""
    text = _ODD.sub(lambda match: f"_x{ord(match.group()):x}_", name)
    return text if re.match(r"[A-Za-z]", text) else f"x_x0_{text}"
