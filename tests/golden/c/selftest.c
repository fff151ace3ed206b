/* Compares small.c with recorded results; exit status 0 when all agree. Written by torquec. */

#include "small.h"

#include <math.h>
#include <stdio.h>

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

/* Largest difference of n results from the recorded ones, relative to the largest of these. */
static double difference(const double *results, const double *recorded, int n)
{
    double largest = 0.0;
    double worst = 0.0;
    int k;
    for (k = 0; k < n; ++k) {
        if (fabs(recorded[k]) > largest) {
            largest = fabs(recorded[k]);
        }
    }
    for (k = 0; k < n; ++k) {
        double error = fabs(results[k] - recorded[k]);
        if (results[k] == recorded[k]) {
            error = 0.0; /* also for equal infinities */
        }
        if ((results[k] != results[k]) && (recorded[k] != recorded[k])) {
            error = 0.0; /* both are NaN */
        }
        if (!(error <= worst)) {
            worst = (error == error) ? error : HUGE_VAL;
        }
    }
    if ((largest > 0.0) && (worst < HUGE_VAL)) {
        worst = worst/largest;
    }
    return worst;
}

static int report(const char *function, double error, double tolerance)
{
    int failures = 0;
    const char *verdict = "ok";
    if (!(error <= tolerance)) {
        failures = 1;
        verdict = "FAILED";
    }
    (void)printf("%-6s %s: error %.3g, tolerance %g\n", verdict, function, error, tolerance);
    return failures;
}

/* Detects -funsafe-math-optimizations and similar options by their effects on volatile values. */
static int check_arithmetic(void)
{
    static volatile double given[7] = {
        5.0, 35.0, 41.0, 1.4411518807585587e+17, 49.0, -0.0, HUGE_VAL
    };
    volatile double together[4];
    volatile double alone[4];
    const double divisor = given[4];
    const double zero = given[5];
    const double none = given[6] - given[6]; /* infinity minus infinity is NaN */
    double sum;
    int changed = 0;
    int k;
    together[0] = given[0]/divisor;
    together[1] = given[1]/divisor;
    together[2] = given[2]/divisor;
    together[3] = given[3]/divisor;
    for (k = 0; k < 4; ++k) {
        alone[k] = given[k];
        alone[k] = alone[k]/given[4]; /* volatile: these divisions cannot share a reciprocal */
        if (together[k] != alone[k]) {
            changed = 1;
        }
    }
    sum = zero + 0.0;
    if (!(copysign(1.0, sum) > 0.0)) {
        changed = 1; /* -0 + 0 is 0 */
    }
    if (none == none) {
        changed = 1; /* NaN does not equal itself */
    }
    sum = (given[3] + given[0]) - given[3];
    if (sum != 0.0) {
        changed = 1; /* rounding loses the small summand */
    }
    if (changed != 0) {
        (void)printf("FAILED arithmetic: compile without -ffast-math and its parts\n"
                     "       (-funsafe-math-optimizations, -freciprocal-math, -fno-signed-zeros,\n"
                     "       -fno-honor-nans)\n");
    }
    return changed;
}

static int check_small_product(void)
{
    static const double given_a[4][2] = {
        {-0.605679, 0.784127},
        {0.844012, -1.063648},
        {1.008556, 1.195087},
        {0.638654, 1.125722},
    };
    static const double given_b[4][2] = {
        {0.773756, -1.314979},
        {1.497528, -0.516756},
        {-0.347851, -1.021959},
        {-0.583628, -0.695254},
    };
    static const double recorded_y[4][2] = {
        {0.796455165741, 0.010371000000000019},
        {-0.436148265072, -2.5611759999999997},
        {-1.030702881204, 1.542938},
        {-0.44402674811600007, 1.70935},
    };
    double found_y[2];
    double worst = 0.0;
    int k;
    for (k = 0; k < 4; ++k) {
        small_product(given_a[k], given_b[k], found_y);
        worst = fmax(worst, difference(found_y, recorded_y[k], 2));
    }
    return report("product", worst, 1e-12);
}

int main(void)
{
    int failures = check_arithmetic();
    failures += check_small_product();
    return (failures > 0) ? 1 : 0;
}
