"""The C text that keeps compilers from changing the arithmetic of a package: what they may not be told.

Options such as -ffast-math allow a compiler to reorder sums and to take for granted that nothing is a NaN. The sine
then loses its range reduction, and torques are wrong by any amount. Where an option leaves a macro behind, the file
does not compile. clang leaves none for reordering alone (-funsafe-math-optimizations, -fassociative-math): there a
pragma takes the permission back for this file, and the results are those of a build without the option, bit by bit.
"""

from __future__ import annotations

GUARD = """\
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#error "this file needs its sums in their order: compile it without -ffast-math and its parts"
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
#endif
"""
"""Preprocessor lines for the top of a source file, after its includes."""
