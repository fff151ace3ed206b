"""The C text that keeps compilers from changing the arithmetic of a package: what they may not be told.

Options such as -ffast-math allow a compiler to reorder sums and to take for granted that nothing is a NaN. The sine
then loses its range reduction, and torques are wrong by any amount. Where an option leaves a macro behind, the file
does not compile. clang leaves none for the parts of -ffast-math: there

(1)  a pragma takes back the permission to reorder sums (clang 11), another the one to replace divisions by a
     reciprocal (clang 18): the results are those of a build without the option, bit by bit
(2)  the self-test, which is built with the same options, tries what is left on values that no compiler can know, and
     fails where divisions, the sign of zero, NaN or sums are not those of IEEE 754
"""

from __future__ import annotations

from torquec.codegen.c.scalar import CScalar

GUARD = """\
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#error "this file needs its sums in their order: compile it without -ffast-math and its parts"
#endif
#if defined(__RECIPROCAL_MATH__)
#error "this file needs its divisions: compile it without -freciprocal-math"
#endif
#if defined(__FINITE_MATH_ONLY__)
#if (__FINITE_MATH_ONLY__ > 0)
#error "this file handles NaN and infinities: compile it without -ffinite-math-only"
#endif
#endif
#if defined(__clang__)
#if (__clang_major__ > 10)
#pragma clang fp reassociate(off)
#endif
#if (__clang_major__ > 17)
#pragma clang fp reciprocal(off)
#endif
#endif
"""
"""Preprocessor lines for the top of a source file, after its includes (1)."""

_TRIED = """\
/* What -funsafe-math-optimizations and the like change, tried on values that no compiler knows. */
static int check_arithmetic(void)
{{
    static volatile {real} given[7] = {{
        {given}
    }};
    volatile {real} together[4];
    volatile {real} alone[4];
    const {real} divisor = given[4];
    const {real} zero = given[5];
    const {real} none = given[6] - given[6]; /* of infinities: a NaN */
    {real} sum;
    int changed = 0;
    int k;
    together[0] = given[0]/divisor;
    together[1] = given[1]/divisor;
    together[2] = given[2]/divisor;
    together[3] = given[3]/divisor;
    for (k = 0; k < 4; ++k) {{
        alone[k] = given[k];
        alone[k] = alone[k]/given[4]; /* read anew: no reciprocal serves two of these */
        if (together[k] != alone[k]) {{
            changed = 1;
        }}
    }}
    sum = zero + {zero};
    if (!({copysign}({one}, sum) > {zero})) {{
        changed = 1; /* -0 + 0 is 0 */
    }}
    if (none == none) {{
        changed = 1; /* a NaN is not itself */
    }}
    sum = (given[3] + given[0]) - given[3];
    if (sum != {zero}) {{
        changed = 1; /* the small one is lost */
    }}
    if (changed != 0) {{
        (void)printf("FAILED arithmetic: compile without -ffast-math and its parts\\n"
                     "       (-funsafe-math-optimizations, -freciprocal-math, -fno-signed-zeros,\\n"
                     "       -fno-honor-nans)\\n");
    }}
    return changed;
}}
"""


def tried_arithmetic(scalar: CScalar) -> str:
    """The C text of (2): `check_arithmetic`, which gives 0 where the arithmetic is that of IEEE 754.

    A reciprocal of 49, rounded, gives 5/49, 35/49 and 41/49 wrong in either precision.
    """
    values = (5.0, 35.0, 41.0, 32.0 / scalar.epsilon, 49.0, -0.0, float("inf"))
    return _TRIED.format(
        real=scalar.type,
        given=", ".join(map(scalar.number, values)),
        zero=scalar.number(0.0),
        one=scalar.number(1.0),
        copysign=scalar.function("copysign"),
    )
