"""The C text of the inline sine and cosine, from the constants and equations of :mod:`torquec.codegen.sincos`."""

from __future__ import annotations

from torquec.codegen import sincos
from torquec.codegen.c.names import Names
from torquec.codegen.c.scalar import DOUBLE

GROUP = 4
"""Angles that one call takes: gcc and clang make vector code of it."""

_TEMPLATE = """\
/* Sine and cosine together, without a branch, an integer or a table, so that compilers can evaluate
 * several angles in one vector. At most 1.5 units in the last place wrong for |x| <= {largest}.
 *
 * (1) t = x (2/pi), rounded to a whole number by adding and taking away 1.5 * 2^52
 * (2) r = x - t (pi/2), |r| <= pi/4; pi/2 is split in three, so that the first products are exact
 * (3) minimax polynomials in z = r^2 give sin r and cos r
 * (4) h = t mod 4, one of -2 .. 2, are the quarter turns left; a and b their cosine and sine
 */
typedef struct {{
    double sine;
    double cosine;
}} {pair};

static inline {pair} {one}(double x)
{{
    {pair} y;
#if defined(__FLT_EVAL_METHOD__) && ((__FLT_EVAL_METHOD__ < 0) || (__FLT_EVAL_METHOD__ == 2))
    /* The compiler keeps more digits than a double has: (1) would not round. */
    y.sine = sin(x);
    y.cosine = cos(x);
#else
    const double t = ((x*{two_over_pi}) + {round}) - {round};
    const double r = ((x - (t*{p1})) - (t*{p2}))
        - (t*{p3});
    const double z = r*r;
    const double zz = z*z;
    const double s01 = {s0} + ({s1}*z);
    const double s23 = {s2} + ({s3}*z);
    const double s45 = {s4} + ({s5}*z);
    const double c01 = {c0} + ({c1}*z);
    const double c23 = {c2} + ({c3}*z);
    const double c45 = {c4} + ({c5}*z);
    const double sine = r + ((r*z)*(s01 + (zz*(s23 + (zz*s45)))));
    const double cosine = 1.0 + (z*(-0.5 + (z*(c01 + (zz*(c23 + (zz*c45)))))));
    const double h = t - (4.0*(((t*0.25) + {round}) - {round}));
    const double a = 1.0 - fabs(h);
    const double b = h*(2.0 - fabs(h));
    y.sine = (a*sine) + (b*cosine);
    y.cosine = (a*cosine) - (b*sine);
#endif
    return y;
}}

/* Angles beyond {largest}, infinities and NaN go through math.h. */
static void {far}(double x, double *s, double *c)
{{
    if (!(fabs(x) <= {largest})) {{
        *s = sin(x);
        *c = cos(x);
    }}
}}

/* Sines s and cosines c of four angles x. */
static void {four}(const double x[4], double s[4], double c[4])
{{
    const {pair} y0 = {one}(x[0]);
    const {pair} y1 = {one}(x[1]);
    const {pair} y2 = {one}(x[2]);
    const {pair} y3 = {one}(x[3]);
    /* As long as the sum is near, each of them is. */
    const double most = (fabs(x[0]) + fabs(x[1])) + (fabs(x[2]) + fabs(x[3]));
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


_PLAIN = """\
/* Sines s and cosines c of four angles x. */
static void {four}(const {real} x[4], {real} s[4], {real} c[4])
{{
    int k;
    for (k = 0; k < 4; ++k) {{
        s[k] = {sin}(x[k]);
        c[k] = {cos}(x[k]);
    }}
}}
"""


def sincos_source(names: Names) -> str:
    """The static functions that evaluate four angles; those of math.h for other types than double."""
    scalar = names.scalar
    if scalar != DOUBLE:
        four, sin, cos = names.helper("sincos4"), scalar.function("sin"), scalar.function("cos")
        return _PLAIN.format(four=four, real=scalar.type, sin=sin, cos=cos)
    constants = {f"s{k}": value for k, value in enumerate(sincos.SIN_COEFFICIENTS)}
    constants |= {f"c{k}": value for k, value in enumerate(sincos.COS_COEFFICIENTS)}
    constants |= {f"p{k + 1}": value for k, value in enumerate(sincos.HALF_PI_PARTS)}
    constants |= {"two_over_pi": sincos.TWO_OVER_PI, "round": sincos.ROUND, "largest": sincos.LARGEST_ANGLE}
    return _TEMPLATE.format(
        pair=names.helper("angle"),
        one=names.helper("sincos"),
        four=names.helper("sincos4"),
        far=names.helper("far_sincos"),
        **{key: repr(value) for key, value in constants.items()},
    )
