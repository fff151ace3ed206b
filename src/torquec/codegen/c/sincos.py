"""The C text of the inline sine and cosine, from the constants and equations of :mod:`torquec.codegen.sincos`."""

from __future__ import annotations

from torquec.codegen.c.names import DOUBLE, CScalar, Names
from torquec.codegen.sincos import DOUBLE_SINCOS, SINGLE_SINCOS
from torquec.foundation.template import filled_template

GROUP = 4
"""Angles of one call in double precision: gcc and clang vectorize it."""

MULTIPLICATIONS, ADDITIONS = 21, 19
"""Operations of one sine and cosine in single precision, the same for every angle up to the largest."""


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
        # Method 1 computes floats as doubles, method 2 both in a longer type; a negative method is unknown.
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
