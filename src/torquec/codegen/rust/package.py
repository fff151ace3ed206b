"""The Rust crate: functions without the standard library, and a test that compares them with recorded results.

Straight-line code without loops, allocation or state. Rust never contracts a product with a sum, so that results have
the bits of the C package compiled with -ffp-contract=off. Square roots, exponentials, angles of points and sines of
large angles are those of the C math library (`sqrt`, `exp`, `atan2`, `sin`, `cos`), which the C package calls too; a
crate whose functions use none of them links to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.codegen.identifiers import c_identifier, check_names, prefix_identifier
from torquec.codegen.precision import Precision
from torquec.codegen.recorded import RECORDED_SEED, STATES, record_states
from torquec.codegen.sincos import DOUBLE_SINCOS, SINGLE_SINCOS, SincosTable
from torquec.codegen.statements import Angles, Dialect, check_rounding, to_program
from torquec.expr import Function, Op, Port, check_function, count_operations
from torquec.foundation.arrays import Array
from torquec.foundation.template import filled_template

_ROOM = "codegen/rust"
_USE = """\
Every function is straight-line code: no loops, no allocation, no state, no standard library. Units are SI and radians \
unless a function says otherwise. Arguments are arrays of {real}: inputs first, outputs last, matrices row by row.

Results are to the last bit those of the C package compiled with -ffp-contract=off. Self-test: cargo test

The operation counts below (subtractions and sign changes are additions; a sincos is one sine and cosine of one angle) \
are those of one call."""

_RESERVED_TEXT = """
    as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod move
    mut pub ref return self Self static struct super trait true type union unsafe use where while abstract become box
    do final macro override priv try typeof unsized virtual yield
    sincos sincos_of_one smaller larger sin cos sqrt exp atan2 sinf cosf sqrtf expf atan2f
"""
_RESERVED = frozenset(_RESERVED_TEXT.split())

_LIBRARY = {Op.SQRT: ("sqrt", 1), Op.EXP: ("exp", 1), Op.ATAN2: ("atan2", 2), Op.SIN: ("sin", 1), Op.COS: ("cos", 1)}

_CHOSEN = """\
/// The {word} one; NaN when either is.
#[inline(always)]
fn {word}(a: {real}, b: {real}) -> {real} {{
    if a {sign} b || a.is_nan() {{ a }} else {{ b }}
}}
"""


@dataclass(frozen=True)
class _Real:
    """The type of the numbers of a crate."""

    name: str
    suffix: str
    epsilon: float
    sincos: SincosTable
    bits: int

    def number(self, value: float) -> str:
        if math.isnan(value):
            return f"{self.name}::NAN"
        if math.isinf(value):
            return f"{self.name}::INFINITY" if value > 0.0 else f"(-{self.name}::INFINITY)"
        return repr(float(value))


_REALS = {
    Precision.DOUBLE: _Real("f64", "", 2.0**-52, DOUBLE_SINCOS, 52),
    Precision.SINGLE: _Real("f32", "f", 2.0**-23, SINGLE_SINCOS, 23),
}


def rust_package(
    functions: Sequence[Function],
    *,
    prefix: str,
    description: str = "",
    notes: Mapping[str, str] | None = None,
    precision: Precision = Precision.DOUBLE,
) -> dict[str, str]:
    """The texts of `Cargo.toml`, `src/lib.rs` and `tests/recorded.rs` by file name.

    Names that Rust does not allow are escaped. `description` goes to the top of the crate, `notes[name]` to a
    function's comment. Raises `ArgumentError` when two functions have the same name.
    """
    check_names(functions)
    for function in functions:
        check_function(function)
        check_rounding(function, precision)
    real, crate = _REALS[precision], prefix_identifier(prefix).lower()
    opening = f"{prefix}: written by torquec.\n{description}".rstrip() + f"\n\n{_USE.format(real=real.name)}"
    rng = np.random.default_rng(RECORDED_SEED)
    words = {
        "HEADING": _comment(opening, "//!"),
        "LIBRARY": _library(functions, real),
        "HELPERS": "".join(_helpers(functions, real)),
        "FUNCTIONS": "\n".join(_definition(one, real, (notes or {}).get(one.name, "")) for one in functions).rstrip(),
    }
    tests = "".join(_test(function, real, rng) for function in functions).rstrip("\n")
    return {
        "Cargo.toml": filled_template(_ROOM, "Cargo.toml", PREFIX=crate),
        "src/lib.rs": filled_template(_ROOM, "lib.rs", **words),
        "tests/recorded.rs": filled_template(_ROOM, "recorded.rs", PREFIX=crate, REAL=real.name, TESTS=tests),
    }


def rust_identifier(name: str) -> str:
    """The Rust identifier of a name: its C identifier, changed where it is a Rust keyword or a name of the crate.

    >>> rust_identifier("mass_matrix"), rust_identifier("fn"), rust_identifier("joint-1")
    ('mass_matrix', 'fn_x0_', 'joint_x2d_1')
    """
    return c_identifier(name, reserved=_RESERVED)


def _used(functions: Sequence[Function]) -> set[Op]:
    return {step.op for function in functions for step in function.operations}


def _library(functions: Sequence[Function], real: _Real) -> str:
    """The declarations of the functions of the math library that are called."""
    used = _used(functions)
    used |= {Op.SIN, Op.COS} if used & {Op.SIN, Op.COS} else set()
    lines = []
    for op, (name, count) in _LIBRARY.items():
        if op in used:
            parameters = ", ".join(f"{letter}: {real.name}" for letter in "yx"[2 - count :])
            lines.append(f"    fn {name}{real.suffix}({parameters}) -> {real.name};\n")
    return f'#[cfg_attr(unix, link(name = "m"))]\nextern "C" {{\n{"".join(lines)}}}\n\n' if lines else ""


def _helpers(functions: Sequence[Function], real: _Real) -> Iterable[str]:
    used, table = _used(functions), real.sincos
    if used & {Op.SIN, Op.COS}:
        constants = {"TWO_OVER_PI": table.two_over_pi, "ROUND": table.round, "LARGEST": table.largest_angle}
        constants |= dict(zip(("P1", "P2", "P3"), table.half_pi_parts, strict=True))
        yield (
            filled_template(
                _ROOM,
                "sincos.rs",
                REAL=real.name,
                BITS=real.bits,
                SIN=f"sin{real.suffix}",
                COS=f"cos{real.suffix}",
                S_OF_Z=_polynomial(table.sine, real),
                C_OF_Z=_polynomial(table.cosine, real),
                **{key: real.number(value) for key, value in constants.items()},
            )
            + "\n"
        )
    for op, word, sign in ((Op.MIN, "smaller", "<"), (Op.MAX, "larger", ">")):
        if op in used:
            yield _CHOSEN.format(word=word, real=real.name, sign=sign) + "\n"


def _polynomial(coefficients: tuple[float, ...], real: _Real) -> str:
    """c0 + c1 z + ... in pairs, rounded as :mod:`torquec.codegen.sincos` does."""
    numbers = [f"({real.number(value)})" if value < 0.0 else real.number(value) for value in coefficients]
    parts = [
        f"({numbers[k]} + ({numbers[k + 1]} * z))" if k + 1 < len(numbers) else numbers[k]
        for k in range(0, len(numbers), 2)
    ]
    text = parts[-1]
    for part in reversed(parts[:-1]):
        text = f"({part} + (zz * {text}))"
    return text


def _ports(function: Function) -> dict[str, str]:
    """Parameter names by port, unlike each other and the names of statements."""
    names: dict[str, str] = {}
    for port in (*function.inputs, *function.outputs):
        name = rust_identifier(port.name)
        name = f"{name}_" if name[0] in "vsc" and name[1:].isdigit() else name
        while name in names.values():
            name += "_"
        names[port.name] = name
    return names


def _definition(function: Function, real: _Real, note: str) -> str:
    ports = _ports(function)

    def called(name: str, count: int) -> str:
        return f"unsafe {{{{ {name}{real.suffix}({', '.join(['{}'] * count)}) }}}}"

    dialect = Dialect(
        number=real.number,
        element=lambda port, element: f"{ports[port]}[{element}]",
        calls={
            **{op: f"({called(*_LIBRARY[op])})" for op in (Op.SQRT, Op.EXP, Op.ATAN2)},
            Op.ABS: "({}).abs()",
            Op.MIN: "smaller({}, {})",
            Op.MAX: "larger({}, {})",
            Op.SELECT: "if {} {order} 0.0 {{ {} }} else {{ {} }}",
        },
        gathers_angles=True,
        encloses_products=True,
    )
    program = to_program(function, dialect)
    text = [f"{function.name}: {count_operations(function)}", *([note] if note else []), ""]
    text += [f"in   {ports[port.name]}: {_shape(port)}" for port in function.inputs]
    text += [f"out  {ports[port.name]}: {_shape(port)}" for port in function.outputs]
    parameters = [f"{ports[port.name]}: &[{real.name}; {port.size}]" for port in function.inputs]
    parameters += [f"{ports[port.name]}: &mut [{real.name}; {port.size}]" for port in function.outputs]
    lines = [_comment("\n".join(text), "///"), f"pub fn {rust_identifier(function.name)}("]
    lines += [f"    {parameter}," for parameter in parameters]
    lines.append(") {")
    for statement in program.statements:
        if isinstance(statement, Angles):
            k = statement.number
            lines.append(f"    let (s{k}, c{k}) = sincos([{', '.join(statement.texts)}]);")
        else:
            lines.append(f"    let {statement.name}: {real.name} = {statement.text};")
    for port, texts in zip(function.outputs, program.results, strict=True):
        lines += [f"    {ports[port.name]}[{k}] = {text};" for k, text in enumerate(texts)]
    return "\n".join([*lines, "}", ""])


def _test(function: Function, real: _Real, rng: np.random.Generator) -> str:
    states = record_states(function, rng, epsilon=real.epsilon)
    ports = _ports(function)
    name = rust_identifier(function.name)
    lines = ["", "#[test]", f"fn {name}_agrees() {{"]
    for port, values in (*zip(function.inputs, states.inputs.values(), strict=True),
                         *zip(function.outputs, states.outputs.values(), strict=True)):  # fmt: skip
        lines += _table(f"recorded_{ports[port.name]}", values.reshape(STATES, -1), port.size, real)
    lines.append(f"    for k in 0..{STATES} {{")
    lines += [f"        let mut found_{ports[port.name]} = [0.0; {port.size}];" for port in function.outputs]
    arguments = [f"&recorded_{ports[port.name]}[k]" for port in function.inputs]
    arguments += [f"&mut found_{ports[port.name]}" for port in function.outputs]
    lines.append(f"        {name}({', '.join(arguments)});")
    for port in function.outputs:
        own = ports[port.name]
        lines.append(f"        let error = difference(&found_{own}, &recorded_{own}[k]);")
        lines.append(f'        assert!(error <= {real.number(states.tolerance)}, "{own}: error {{error}}");')
    return "\n".join([*lines, "    }", "}", ""])


def _table(name: str, rows: Array, size: int, real: _Real) -> list[str]:
    lines = [f"    let {name}: [[{real.name}; {size}]; {STATES}] = ["]
    lines += [f"        [{', '.join(real.number(float(value)) for value in row)}]," for row in rows]
    return [*lines, "    ];"]


def _shape(port: Port) -> str:
    if len(port.shape) < 2:
        return "one number" if port.size == 1 else f"{port.size} numbers"
    return " x ".join(map(str, port.shape)) + ", row by row"


def _comment(text: str, mark: str) -> str:
    """Any text as line comments: printable ASCII."""
    plain = text.encode("ascii", "backslashreplace").decode()
    lines = ("".join(c if c.isprintable() else " " for c in line) for line in plain.split("\n"))
    return "\n".join(f"{mark} {line}".rstrip() for line in lines)
