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
