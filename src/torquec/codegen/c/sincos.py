"""The C text of the inline sine and cosine, from the constants and equations of :mod:`torquec.codegen.sincos`."""

from __future__ import annotations

from torquec.codegen.c.names import Names
from torquec.codegen.c.scalar import DOUBLE, CScalar
from torquec.codegen.sincos import DOUBLE_SINCOS, SINGLE_SINCOS

GROUP = 4
"""Angles that one call takes in double precision: gcc and clang make vector code of it."""

_TEMPLATE = """\
/* Sine and cosine together, without a branch, an integer or a table, so that compilers can evaluate
 * several angles in one vector. {accuracy} for |x| <= {largest}.
 *
 * (1) t = x (2/pi), rounded to a whole number by adding and taking away {rounds}
 * (2) r = x - t (pi/2), |r| <= pi/4; pi/2 is split in three, so that the first products are exact
 * (3) minimax polynomials in z = r^2 give sin r and cos r
 * (4) h = t mod 4, one of -2 .. 2, are the quarter turns left; a and b their cosine and sine
 */
typedef struct {{
    {real} sine;
    {real} cosine;
}} {pair};

static inline {pair} {one}({real} x)
{{
    {pair} y;
#if defined(__FLT_EVAL_METHOD__) && {wider}
    /* The compiler keeps more digits than a {real} has: (1) would not round. */
    y.sine = {sin}(x);
    y.cosine = {cos}(x);
#else
    const {real} t = ((x*{two_over_pi}) + {round}) - {round};
    const {real} r = ((x - (t*{p1})) - (t*{p2}))
        - (t*{p3});
    const {real} z = r*r;
    const {real} zz = z*z;
{polynomials}    const {real} sine = r + ((r*z)*{s_of_z});
    const {real} cosine = {unit} + (z*(-{half} + (z*{c_of_z})));
    const {real} h = t - ({four_}*(((t*{quarter}) + {round}) - {round}));
    const {real} a = {unit} - {fabs}(h);
    const {real} b = h*({two} - {fabs}(h));
    y.sine = (a*sine) + (b*cosine);
    y.cosine = (a*cosine) - (b*sine);
#endif
    return y;
}}

/* Angles beyond {largest}, infinities and NaN go through math.h. */
static void {far}({real} x, {real} *s, {real} *c)
{{
    if (!({fabs}(x) <= {largest})) {{
        *s = {sin}(x);
        *c = {cos}(x);
    }}
}}
"""

_FOUR = """\
/* Sines s and cosines c of four angles x. */
static void {four}(const {real} x[4], {real} s[4], {real} c[4])
{{
    const {pair} y0 = {one}(x[0]);
    const {pair} y1 = {one}(x[1]);
    const {pair} y2 = {one}(x[2]);
    const {pair} y3 = {one}(x[3]);
    /* As long as the sum is near, each of them is. */
    const {real} most = ({fabs}(x[0]) + {fabs}(x[1])) + ({fabs}(x[2]) + {fabs}(x[3]));
    s[0] = y0.sine;
    s[1] = y1.sine;
    s[2] = y2.sine;
    s[3] = y3.sine;
    c[0] = y0.cosine;
    c[1] = y1.cosine;
    c[2] = y2.cosine;
    c[3] = y3.cosine;
    if (!(most <= {largest})) {{
        {far}(x[0], &s[0], &c[0]);
        {far}(x[1], &s[1], &c[1]);
        {far}(x[2], &s[2], &c[2]);
        {far}(x[3], &s[3], &c[3]);
    }}
}}
"""

_ONE_BY_ONE = """\
/* Sine s and cosine c of one angle x: single precision is for processors that take one number at a time. */
static void {each}({real} x, {real} *s, {real} *c)
{{
    const {pair} y = {one}(x);
    *s = y.sine;
    *c = y.cosine;
    {far}(x, s, c);
}}
"""

MULTIPLICATIONS, ADDITIONS = 21, 19
"""Of one sine and cosine in single precision, the same for every angle up to its largest."""


def sincos_source(names: Names) -> str:
    """The static functions that evaluate four angles or, in single precision, one."""
    scalar = names.scalar
    double = scalar == DOUBLE
    table = DOUBLE_SINCOS if double else SINGLE_SINCOS
    pairs = [_pairs("s", table.sine, scalar), _pairs("c", table.cosine, scalar)]
    p1, p2, p3 = table.half_pi_parts
    constants = {"p1": p1, "p2": p2, "p3": p3, "two_over_pi": table.two_over_pi, "round": table.round}
    constants |= {"largest": table.largest_angle, "unit": 1.0, "half": 0.5, "two": 2.0, "four_": 4.0, "quarter": 0.25}
    return (_TEMPLATE + "\n" + (_FOUR if double else _ONE_BY_ONE)).format(
        real=scalar.type,
        pair=names.helper("angle"),
        one=names.helper("sincos"),
        four=names.helper("sincos4"),
        each=names.helper("sincos1"),
        far=names.helper("far_sincos"),
        sin=scalar.function("sin"),
        cos=scalar.function("cos"),
        fabs=scalar.function("fabs"),
        rounds="1.5 * 2^52" if double else "1.5 * 2^23",
        accuracy="At most 1.5 units in the last place wrong" if double else "At most 1e-7 wrong",
        # Method 1 computes floats as doubles, method 2 both as something longer; below 0 nobody knows.
        wider="((__FLT_EVAL_METHOD__ < 0) || (__FLT_EVAL_METHOD__ == 2))" if double else "(__FLT_EVAL_METHOD__ != 0)",
        polynomials="".join(line for lines, _ in pairs for line in lines),
        s_of_z=pairs[0][1],
        c_of_z=pairs[1][1],
        **{key: scalar.number(value) for key, value in constants.items()},
    )


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
