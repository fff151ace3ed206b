/* Compares @PREFIX@.c with recorded results; exit status 0 when all agree. Written by torquec. */

#include "@PREFIX@.h"

#include <math.h>
#include <stdio.h>

@GUARD@
/* Largest difference of n results from the recorded ones, relative to the largest of these. */
static @REAL@ difference(const @REAL@ *results, const @REAL@ *recorded, int n)
{
    @REAL@ largest = @ZERO@;
    @REAL@ worst = @ZERO@;
    int k;
    for (k = 0; k < n; ++k) {
        if (@FABS@(recorded[k]) > largest) {
            largest = @FABS@(recorded[k]);
        }
    }
    for (k = 0; k < n; ++k) {
        @REAL@ error = @FABS@(results[k] - recorded[k]);
        if (results[k] == recorded[k]) {
            error = @ZERO@; /* also for equal infinities */
        }
        if ((results[k] != results[k]) && (recorded[k] != recorded[k])) {
            error = @ZERO@; /* both are NaN */
        }
        if (!(error <= worst)) {
            worst = (error == error) ? error : @INFINITY@;
        }
    }
    if ((largest > @ZERO@) && (worst < @INFINITY@)) {
        worst = worst/largest;
    }
    return worst;
}

static int report(const char *function, @REAL@ error, @REAL@ tolerance)
{
    int failures = 0;
    const char *verdict = "ok";
    if (!(error <= tolerance)) {
        failures = 1;
        verdict = "FAILED";
    }
    (void)printf("%-6s %s: error %.3g, tolerance %g\n", verdict, function, @WIDE@error, @WIDE@tolerance);
    return failures;
}
