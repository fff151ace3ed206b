"""Reading the C of a package: the straight-line subset that Torquec emits, compared with the programs.

The C is read, not generated again. A file NAME.c is accepted where it is, in this order and with nothing else in it:

(1)  fixed texts (`known_texts.json`): the heading, the includes of "NAME.h" and <math.h>, the refusal of -ffast-math
     and, where programs need them, the kernels of sine and cosine and of the smaller and the larger number, which
     are no straight-line code: their accuracy is an assumption, measured by tests
(2)  a function for each program, in the order of the programs, whose prototype has the ports of the program in their
     order, with their names and sizes, inputs `const`; its statements are

         const double v12 = EXPRESSION;                                                          each name once
         const double x0[4] = {..}; double s0[4]; double c0[4]; NAME_sincos4(x0, s0, c0);        sines and cosines
         float s0[1]; float c0[1]; NAME_sincos1(EXPRESSION, &s0[0], &c0[0]);                     of floats
         (void)port;        port[3] = EXPRESSION;                  every output once; no input is read after the first

(3)  every operation of an expression is an operation of the program on the same values, every literal is a constant of
     the program to the last bit, and every output is the value that the program has there

Sums, products, signs, parentheses, calls and indices mean the same in C and in Python, whose parser takes expressions
apart; anything else is refused. NAME.h is the claim and the prototypes. Comments are the expected ones, word by word.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import NoReturn

from torquec_check.document import RefusedError
from torquec_check.program import Port, Program

REMEDY = "take the original package, or generate it again"
KNOWN_TEXTS: dict[str, str] = json.loads((resources.files("torquec_check") / "known_texts.json").read_text("ascii"))
"""Texts of every package, with PREFIX for its name. Torquec's tests compare them with the writers of the packages."""
COUNTS = r"(?:\d+ (?:mul|add|div|sincos|other)(?:,(?=\d))?)+"
"""Operation counts in a comment, such as `11 mul, 9 add`, as `squeezed` gives them."""
_INDEX = r"(0|[1-9]\d{0,8})"
_ODD = re.compile(r"[^A-Za-z0-9_]|_(?=x[0-9a-f])", re.ASCII)
_NUMBER = re.compile(r"(?<!\w)\.?\d(?:[eEpP][+-]|[\w.])*", re.ASCII)
_CHOICE = re.compile(r"\(([^?]+) ([<>]=) 0\.0f?\) \? ([^?:]+) : ([^?:]+)")
_KERNELS = {"sincos": {"sin", "cos"}, "smaller": {"min"}, "larger": {"max"}}
_OPERATORS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


def check_c_source(text: CText, programs: Sequence[Program], name: str, real: str, title: str) -> list[str]:
    """The prototypes of the programs, "double" or "float"; raises `RefusedError` unless the text is their C."""
    used = {step.op for program in programs for step in program.operations}
    text.comment(f"{title}: written by torquec. How to use it stands in {name}.h.")
    for piece in ("includes", *(f"{kernel} {real}" for kernel, ops in _KERNELS.items() if used & ops)):
        text.take(known_text(piece, name))
    prototypes = [_Function(text, program, name, real).read() for program in programs]
    text.end("the model has no such function")
    return prototypes


def check_c_header(
    text: CText, opening: str, programs: Mapping[str, Program], prototypes: Sequence[str], name: str, real: str
) -> None:
    """Raise `RefusedError` unless the header is `opening` as a comment, then the prototypes of programs by quantity."""
    guard = f"{name.upper()}_H_INCLUDED"
    text.comment(opening, known_text(f"usage {real}", name))
    text.take(f'#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n')
    for (quantity, program), prototype in zip(programs.items(), prototypes, strict=True):
        turns = any(step.op in ("sin", "cos") for step in program.operations)
        words = [known_text("cost", name)] if real == "float" and turns else []
        words.append(known_text(f"note {quantity.split(':')[0]}", name))
        names = re.findall(r"(\w+)(?:\[\d+\])?[,)]", prototype)
        for k, (port, spelling) in enumerate(zip(program.inputs + program.outputs, names, strict=False)):
            words.append(f"{'in' if k < len(program.inputs) else 'out'} {spelling}: {_shape_text(port)}")
        text.comment(f"{spelled(program.name)}:", f"# {' '.join(words)}")
        if text.until(";") != prototype:
            text.refuse(f"the prototype of '{program.name}' is not that of the source")
    text.take(f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n")
    text.end("nothing may follow")


def _shape_text(port: Port) -> str:
    if port.shape in ((), (1,)):
        return "one number"
    return f"{port.shape[0]} numbers" if len(port.shape) == 1 else f"{' x '.join(map(str, port.shape))}, row by row"


class _Function:
    """One function (2), read into values of its program (3): equal operations on equal values have one number."""

    def __init__(self, text: CText, program: Program, name: str, real: str) -> None:
        self._text, self._program, self._name, self._real = text, program, name, real
        self._suffix = "f" if real == "float" else ""
        self._calls = {f"{function}{self._suffix}": function for function in ("sqrt", "exp", "atan2")}
        self._calls |= {f"{name}_smaller": "min", f"{name}_larger": "max", f"fabs{self._suffix}": "abs"}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._of_step: list[int] = []
        for step in program.operations:
            key: tuple[object, ...] = (step.op, *(self._of_step[k] for k in step.args))
            key += {"const": (repr(step.value),), "input": (step.port, step.element)}.get(step.op, ())
            self._of_step.append(self._numbers.setdefault(key, len(self._numbers)))
        self._ports: dict[str, Port] = {}
        self._declared, self._empty = set[str](), set[str]()  # names; places of arrays that have no value yet
        self._values, self._written = dict[str, int](), dict[str, int]()  # by names and places in C

    def read(self) -> str:
        """Raise `RefusedError` unless the text computes the program; gives the prototype."""
        text, program = self._text, self._program
        text.comment(f"{spelled(program.name)}:", "#")
        prototype = text.until("{")
        self._prototype(prototype)
        while not text.goes_on_with("}"):
            self._statement(text.until(";"))
        text.take("}")
        for name, results in zip(list(self._ports)[len(program.inputs) :], program.results, strict=True):
            for k, value in enumerate(results):
                if self._written.pop(f"{name}[{k}]", -1) != self._of_step[value]:
                    text.refuse(f"{name}[{k}] of '{program.name}' is not the value that the program has there")
        if self._written:
            text.refuse(f"{min(self._written)} of '{program.name}' is no output, or beyond the array")
        return prototype

    def _prototype(self, found: str) -> None:
        ports, wanted = [*self._program.inputs, *self._program.outputs], []
        for k, port in enumerate(ports):
            begin, name = "const " * (k < len(self._program.inputs)), rf"({spelled(port.name)}(?:_x0_)?_*)"
            wanted.append(f"{begin}{self._real} " + (rf"{name}\[{port.size}\]" if port.size else rf"\*{name}"))
        function = rf"void {self._name}_{spelled(self._program.name)}\({', '.join(wanted) or 'void'}\)"
        match = re.fullmatch(function, found)
        if match is None or len({*match.groups()}) != len(ports):
            self._text.refuse(f"{found!r} stands where a function like {function} is expected")
        self._ports = dict(zip(match.groups(), ports, strict=True))
        inputs = {port.name: name for name, port in list(self._ports.items())[: len(self._program.inputs)]}
        read = [key for key in self._numbers if key[0] == "input"]
        self._values = {f"{inputs[str(key[1])]}[{key[2]}]": self._numbers[key] for key in read}

    def _statement(self, statement: str) -> None:
        """One statement of (2), without its semicolon."""
        real, name = self._real, self._name
        if found := re.fullmatch(rf"const {real} (v\d+) = (.+)", statement):
            self._declare(found[1])
            self._values[found[1]] = self._right_side(found[2])
        elif found := re.fullmatch(rf"const {real} (x\d+)\[4\] = {{(.+)}}", statement):
            self._declare(found[1])
            self._values |= {f"{found[1]}[{k}]": value for k, value in enumerate(self._values_of(found[2], 4))}
        elif found := re.fullmatch(rf"{real} ([sc]\d+)\[([1-4])\]", statement):
            self._declare(found[1])
            self._empty |= {f"{found[1]}[{k}]" for k in range(int(found[2]))}
        elif found := re.fullmatch(rf"{name}_sincos4\((x\d+), (s\d+), (c\d+)\)", statement):
            for k in range(4):
                self._sincos(f"{found[1]}[{k}]", f"{found[2]}[{k}]", f"{found[3]}[{k}]")
        elif found := re.fullmatch(rf"{name}_sincos1\((.+), &(s\d+\[{_INDEX}\]), &(c\d+\[\3\])\)", statement):
            self._sincos(found[1], found[2], found[4])
        elif found := re.fullmatch(rf"(\w+)(\[{_INDEX}\]) = (.+)", statement):
            if found[1] + found[2] in self._written or found[1] not in self._ports:
                self._text.refuse(f"{found[1]}{found[2]} is no output, or is written twice")
            if not self._written:  # from here on no input is read, in this line too: outputs may lie there
                self._values = {at: value for at, value in self._values.items() if at.split("[")[0] not in self._ports}
            self._written[found[1] + found[2]] = self._right_side(found[4])
        elif not (found := re.fullmatch(r"\(void\)(\w+)", statement)) or found[1] not in self._ports:
            self._text.refuse(f"{statement[:80]!r} is no statement that Torquec writes here")

    def _declare(self, name: str) -> None:
        if name in self._declared or name in self._ports:
            self._text.refuse(f"'{name}' is no new name")
        self._declared.add(name)

    def _sincos(self, angle: str, sine: str, cosine: str) -> None:
        """Sine and cosine of an angle, into places that are empty."""
        if not {sine, cosine} <= self._empty:
            self._text.refuse(f"{sine} and {cosine} are no new places")
        self._empty -= {sine, cosine}
        (value,) = self._values_of(angle)
        found = {sine: self._numbers.get(("sin", value)), cosine: self._numbers.get(("cos", value))}
        self._values |= {place: number for place, number in found.items() if number is not None}

    def _right_side(self, text: str) -> int:
        """An expression, or `(SUM >= 0.0) ? SUM : SUM`, in which <= has the sign of the first one changed."""
        if not (found := _CHOICE.fullmatch(text)):
            return self._values_of(text)[0]
        condition, *values = (self._values_of(each)[0] for each in found.group(1, 3, 4))
        condition = condition if found[2] == ">=" else self._look_up("neg", condition)
        return self._look_up("select", condition, *values)

    def _values_of(self, text: str, count: int = 1) -> list[int]:
        """Expressions. Other characters, numbers written in another way, and `--`, which writes, are refused."""
        if not re.fullmatch(r"(?!.*--)[\w.+\-*/()\[\], ]+(?<![, ])", text, re.ASCII):
            self._text.refuse(f"{text[:60]!r} does not belong to the subset of C that Torquec writes")
        try:
            nodes = ast.parse(f"[{_NUMBER.sub(self._literal, text)}]", mode="eval").body
            if isinstance(nodes, ast.List) and len(nodes.elts) == count:
                return [self._node(node) for node in nodes.elts]
        except (SyntaxError, RecursionError, MemoryError):
            pass
        return self._text.refuse(f"{text[:60]!r} is no expression that Torquec writes")

    def _literal(self, found: re.Match[str]) -> str:
        """An index, or a literal as Python writes its double, so that it is read back to the last bit."""
        token, plain = found.group(), found.group().removesuffix(self._suffix)
        is_double = re.fullmatch(r"\d+(\.\d+)?(e[+-]\d+)?", plain) and f"{float(plain)!r}{self._suffix}" == token
        if not is_double and not re.fullmatch(_INDEX, token):
            self._text.refuse(f"{token!r} is not how Torquec writes a number")
        return plain

    def _node(self, node: ast.expr) -> int:
        match node:
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                return self._look_up(_OPERATORS[type(op)], self._node(left), self._node(right))
            case ast.Constant(float(value)) | ast.UnaryOp(ast.USub(), ast.Constant(float(value))):
                return self._look_up("const", repr(value if isinstance(node, ast.Constant) else -value))
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

    def _look_up(self, op: str, *values: object) -> int:
        if (op, *values) not in self._numbers:
            words = f"the number {values[0]}" if op == "const" else f"this '{op}'"
            self._text.refuse(f"the program '{self._program.name}' does not have {words}")
        return self._numbers[op, *values]


def spelled(name: str) -> str:
    """A name as an identifier of C: characters that no identifier has by their code points."""
    text = _ODD.sub(lambda match: f"_x{ord(match.group()):x}_", name)
    return text if re.match(r"[A-Za-z]", text) else f"x_x0_{text}"


class CText:
    """A text that is read from its beginning; blanks are spaces and line breaks."""

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where, self._place = text, where, 0
        if found := re.search(r"(\\|\?\?/)\s*[\n\r]|[^\n -~]", text):  # lines that C joins; what screens hide
            self._place = found.start()
            self.refuse(f"{found.group()!r} does not belong to the subset of C that Torquec writes")

    def goes_on_with(self, expected: str) -> bool:
        """Whether this comes next, after blanks."""
        while self._text[self._place : self._place + 1] in ("\n", " "):
            self._place += 1
        return self._text.startswith(expected, self._place)

    def take(self, expected: str) -> None:
        """The text goes on with this."""
        if not self.goes_on_with(expected):
            self.refuse(f"{self._text[self._place :][:40]!r} stands where {expected[:60]!r} is expected")
        self._place += len(expected)

    def end(self, reason: str) -> None:
        """Nothing but blanks is left; refused with a reason where more is."""
        if self.goes_on_with("") and self._place < len(self._text):
            self.refuse(reason)

    def until(self, mark: str) -> str:
        """What comes before the next mark, in one line; the text goes on after the mark."""
        end = self._text.find(mark, self._place)
        if end < 0:
            self.refuse(f"{mark!r} is expected")
        found, self._place = self._text[self._place : end], end + len(mark)
        return re.sub("[ \n]+", " ", found).strip(" ")

    def comment(self, words: str, known: str = "") -> None:
        """A comment of these words, then of known ones, in which # stands for operation counts."""
        self.take("/*")
        begin = self._place
        self.until("*/")
        expected = COUNTS.join(re.escape(squeezed(f"{words} {known}")).rsplit(r"\#", known.count("#")))
        if not re.fullmatch(expected, squeezed(self._text[begin : self._place - 2])):
            self.refuse(f"the comment is not the expected one, which begins: {words[:200]}")

    def refuse(self, reason: str) -> NoReturn:
        """Raise `RefusedError` at the line that was read last."""
        line = 1 + self._text.count("\n", 0, self._place)
        raise RefusedError(reason, where=f"{self._where}, line {line}", remedy=REMEDY)


def squeezed(comment: str) -> str:
    """The words of a comment, without stars that begin lines; blanks count between letters, digits and .+-# only."""
    plain = re.sub(r"^ \*", "", comment, flags=re.MULTILINE).encode("ascii", "backslashreplace").decode()
    return re.sub(r"(?<![\w.+#-]) | (?![\w.+#-])", "", re.sub(r"(?:(?<!\\)\\*(?:[^!-~]|$))+", " ", plain))


def known_text(name: str, prefix: str) -> str:
    """A text of the table, for the package with this name; raises `RefusedError` for another one."""
    if name not in KNOWN_TEXTS:
        raise RefusedError(f"Torquec has no text '{name[:60]}'", remedy=REMEDY)
    return KNOWN_TEXTS[name].replace("PREFIX", prefix)
