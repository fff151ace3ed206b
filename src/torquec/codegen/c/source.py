"""The C text of the functions: declarations, comments and bodies.

The inline sine and cosine follow the constants and equations of :mod:`torquec.codegen.sincos`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from torquec.codegen.c.names import DOUBLE, CScalar, Names
from torquec.codegen.identifiers import c_identifier
from torquec.codegen.sincos import DOUBLE_SINCOS, SINGLE_SINCOS
from torquec.codegen.statements import Angles, Dialect, Program, to_program
from torquec.expr import Function, Op, Port, count_operations
from torquec.foundation.template import filled_template, package_text

GROUP = 4
"""Angles per call in double precision: gcc and clang vectorize the call."""

MULTIPLICATIONS, ADDITIONS = 21, 19
"""Operations of one sine and cosine in single precision, the same for every angle up to the largest."""
GUARD = package_text("codegen/c", "guard.h")
"""Preprocessor lines for the top of a source file, after its includes (:mod:`torquec.codegen.c.package`, (1))."""

_WIDTH = 96  # of comments, inside the limit of 100 that C projects often have
_LONGEST_LINE = 99  # of tables, for the same limit
_SMALLER = """\
/* The {adjective} one; NaN when either is. */
static {real} {name}({real} a, {real} b)
{{
    return ((a {sign} b) || (a != a)) ? a : b;
}}
"""


def c_number(value: float, scalar: CScalar = DOUBLE) -> str:
    """A literal that reads back as the same number, rounded to the scalar's type."""
    return scalar.number(value)


def comment(text: str, *, indent: str = "") -> str:
    """A C comment of any text: plain ASCII, wrapped between words, unable to end early."""
    plain = text.encode("ascii", "backslashreplace").decode()
    plain = "".join(c if c == "\n" or c.isprintable() else " " for c in plain)
    plain = re.sub(r"\?(?=\?)", "? ", plain).replace("*/", "* /").replace("/*", "/ *").rstrip("\\")
    lines: list[str] = []
    for paragraph in plain.split("\n"):
        again = " " * (len(paragraph) - len(paragraph.lstrip()))
        width = _WIDTH - len(indent)
        wrapper = textwrap.TextWrapper(width, subsequent_indent=again, break_on_hyphens=False, break_long_words=False)
        lines += wrapper.wrap(paragraph) or [""]
    body = f"\n{indent} * ".join(line.rstrip("\\") for line in lines)
    return "\n".join(line.rstrip() for line in f"{indent}/* {body}".split("\n")) + (
        " */" if len(lines) == 1 else f"\n{indent} */"
    )


def shape_text(port: Port) -> str:
    """A port's shape in words.

    >>> shape_text(Port("M", (7, 7)))
    '7 x 7, row by row'
    """
    if not port.shape:
        return "one number"
    if len(port.shape) == 1:
        return f"{port.size} numbers" if port.size != 1 else "one number"
    return " x ".join(map(str, port.shape)) + ", row by row"


def declaration(function: Function, name: str, ports: Mapping[str, str], scalar: CScalar = DOUBLE) -> str:
    """The prototype without its semicolon; wrapped between parameters."""
    parameters = [_parameter(f"const {scalar.type}", port, ports) for port in function.inputs]
    parameters += [_parameter(scalar.type, port, ports) for port in function.outputs]
    return "\n".join(packed(parameters or ["void"], head=f"void {name}(", tail=")", indent="    "))


def packed(items: Sequence[str], *, head: str, indent: str, tail: str = "") -> list[str]:
    """Items between commas on as few lines as fit, the first one after `head`, the others after `indent`.

    >>> packed(["a", "b"], head="f(", tail=")", indent="    ")
    ['f(a, b)']
    """
    if not items:
        return [head + tail]
    lines = [head]
    for k, item in enumerate(items):
        text = item + (tail if k == len(items) - 1 else ",")
        fresh = lines[-1] in (head, indent)
        if not fresh and len(lines[-1]) + len(text) + 1 > _LONGEST_LINE:
            lines.append(indent)
            fresh = True
        lines[-1] += text if fresh else f" {text}"
    return lines


def source_text(functions: Sequence[Function], names: Names, heading: str, *, self_contained: bool = False) -> str:
    """The whole `.c` file; with `self_contained` it does without its header."""
    used = {step.op for function in functions for step in function.operations}
    real = names.scalar.type
    header = "" if self_contained else f'#include "{names.prefix}.h"\n\n'
    parts = [comment(heading), f"{header}#include <math.h>\n", GUARD]
    if used & {Op.SIN, Op.COS}:
        parts.append(sincos_source(names))
    if Op.MIN in used:
        parts.append(_SMALLER.format(real=real, adjective="smaller", name=names.helper("smaller"), sign="<"))
    if Op.MAX in used:
        parts.append(_SMALLER.format(real=real, adjective="larger", name=names.helper("larger"), sign=">"))
    parts += [_definition(function, name, names) for function, name in zip(functions, names.functions, strict=True)]
    return "\n".join(part if part.endswith("\n") else part + "\n" for part in parts)


def written_program(function: Function, names: Names) -> Program:
    """The statements of a function as they are written."""
    ports, scalar = names.ports(function), names.scalar
    dialect = Dialect(
        number=scalar.number,
        element=lambda port, element: f"{ports[port]}[{element}]",
        calls={
            Op.SQRT: scalar.function("sqrt") + "({})",
            Op.EXP: scalar.function("exp") + "({})",
            Op.ATAN2: scalar.function("atan2") + "({}, {})",
            Op.ABS: scalar.function("fabs") + "({})",
            Op.MIN: names.helper("smaller") + "({}, {})",
            Op.MAX: names.helper("larger") + "({}, {})",
            Op.SELECT: f"({{}} {{order}} {scalar.number(0.0)}) ? {{}} : {{}}",
        },
        gathers_angles=True,
        encloses_products=True,
    )
    return to_program(function, dialect, group=GROUP)


def _definition(function: Function, name: str, names: Names) -> str:
    ports, scalar = names.ports(function), names.scalar
    program = written_program(function, names)
    lines = [
        comment(f"{c_identifier(function.name)}: {count_operations(function)}"),
        declaration(function, name, ports, scalar),
        "{",
    ]
    for statement in program.statements:
        if isinstance(statement, Angles):
            lines += _angles(statement, names)
        else:
            lines.append(f"    const {scalar.type} {statement.name} = {statement.text};")
    read = {step.port for step in function.operations if step.op is Op.INPUT}
    lines += [f"    (void){ports[port.name]};" for port in function.inputs if port.name not in read]
    for port, texts in zip(function.outputs, program.results, strict=True):
        lines += [f"    {ports[port.name]}[{k}] = {text};" for k, text in enumerate(texts)]
        if not texts:
            lines.append(f"    (void){ports[port.name]};")
    return "\n".join([*lines, "}", ""])


def _angles(statement: Angles, names: Names) -> list[str]:
    """The calls for some angles: one for up to four angles in double precision, one for each in single precision.

    Missing angles are copies of the last one, from which gcc builds one vector. Zeros would cost two stores and a load
    that waits for both.
    """
    k, real = statement.number, names.scalar.type
    if names.scalar != DOUBLE:
        count = len(statement.texts)
        one = names.helper("sincos1")
        calls = [f"    {one}({text}, &s{k}[{place}], &c{k}[{place}]);" for place, text in enumerate(statement.texts)]
        return [f"    {real} s{k}[{count}];", f"    {real} c{k}[{count}];", *calls]
    texts = [*statement.texts, *[statement.texts[-1]] * (GROUP - len(statement.texts))]
    return [
        *packed(texts, head=f"    const {real} x{k}[{GROUP}] = {{", tail="};", indent="        "),
        f"    {real} s{k}[{GROUP}];",
        f"    {real} c{k}[{GROUP}];",
        f"    {names.helper('sincos4')}(x{k}, s{k}, c{k});",
    ]


def _parameter(kind: str, port: Port, ports: Mapping[str, str]) -> str:
    # C has no arrays without elements.
    return f"{kind} {ports[port.name]}[{port.size}]" if port.size else f"{kind} *{ports[port.name]}"


_FRAME = 256  # bytes: return address, alignment, and 16 saved registers of 16 bytes, the most of common machines
_NUMBERS_OF_SINCOS = 112  # places for sine and cosine of four angles, in three functions; gcc -O0 needs 94


def stack_bytes(function: Function, names: Names) -> int:
    """An upper bound on the stack [bytes], for compilers that keep each value in one place at most.

    It counts one number for every statement and for every input that is read (a compiler may read them all at once),
    and twelve for each group of up to four angles with their sines and cosines. The called functions and a frame for
    each are added. The stack of <math.h> is left out: it depends on the library.
    """
    statements = written_program(function, names).statements
    angles = sum(isinstance(statement, Angles) for statement in statements)
    read = sum(step.op is Op.INPUT for step in function.operations)
    count = len(statements) - angles + 3 * GROUP * angles + read
    if angles:
        count += _NUMBERS_OF_SINCOS
    return names.scalar.size * count + _FRAME * (3 if angles else 1)


def sincos_source(names: Names) -> str:
    """The static functions that evaluate four angles or, in single precision, one."""
    scalar = names.scalar
    double = scalar == DOUBLE
    table = DOUBLE_SINCOS if double else SINGLE_SINCOS
    pairs = [_pairs("s", table.sine, scalar), _pairs("c", table.cosine, scalar)]
    p1, p2, p3 = table.half_pi_parts
    constants = {"P1": p1, "P2": p2, "P3": p3, "TWO_OVER_PI": table.two_over_pi, "ROUND": table.round}
    constants |= {"LARGEST": table.largest_angle, "UNIT": 1.0, "HALF": 0.5, "TWO": 2.0, "FOUR_": 4.0, "QUARTER": 0.25}
    words = {
        "REAL": scalar.type,
        "PAIR": names.helper("angle"),
        "ONE": names.helper("sincos"),
        "FOUR": names.helper("sincos4"),
        "EACH": names.helper("sincos1"),
        "FAR": names.helper("far_sincos"),
        **{name.upper(): scalar.function(name) for name in ("sin", "cos", "fabs")},
        "ROUNDS": "1.5 * 2^52" if double else "1.5 * 2^23",
        "ACCURACY": "At most 1.5 units in the last place wrong" if double else "At most 1e-7 wrong",
        # Method 1 computes floats as doubles, 2 computes both in a longer type; a negative number is an unknown method.
        "WIDER": "((__FLT_EVAL_METHOD__ < 0) || (__FLT_EVAL_METHOD__ == 2))"
        if double
        else "(__FLT_EVAL_METHOD__ != 0)",
        "POLYNOMIALS": "".join(line for lines, _ in pairs for line in lines),
        "S_OF_Z": pairs[0][1],
        "C_OF_Z": pairs[1][1],
        **{key: scalar.number(value) for key, value in constants.items()},
    }
    files = ("sincos.c", "sincos_of_four.c" if double else "sincos_of_one.c")
    return "\n".join(filled_template("codegen/c", file, **words) for file in files)


def _pairs(letter: str, coefficients: tuple[float, ...], scalar: CScalar) -> tuple[list[str], str]:
    """The declarations of c0 + c1 z, c2 + c3 z, ..., and the polynomial that they make."""
    lines, parts = [], []
    for k in range(0, len(coefficients), 2):
        first = scalar.number(coefficients[k])
        if k + 1 == len(coefficients):
            parts.append(first if coefficients[k] > 0.0 else f"({first})")
            continue
        name = f"{letter}{k}{k + 1}"
        lines.append(f"    const {scalar.type} {name} = {first} + ({scalar.number(coefficients[k + 1])}*z);\n")
        parts.append(name)
    text = parts[-1]
    for part in reversed(parts[:-1]):
        text = f"({part} + (zz*{text}))"
    return lines, text
