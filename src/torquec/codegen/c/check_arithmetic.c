/* Detects -funsafe-math-optimizations and similar options by their effects on volatile values. */
static int check_arithmetic(void)
{
    static volatile @REAL@ given[7] = {
        @GIVEN@
    };
    volatile @REAL@ together[4];
    volatile @REAL@ alone[4];
    const @REAL@ divisor = given[4];
    const @REAL@ zero = given[5];
    const @REAL@ none = given[6] - given[6]; /* infinity minus infinity is NaN */
    @REAL@ sum;
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
    sum = zero + @ZERO@;
    if (!(@COPYSIGN@(@ONE@, sum) > @ZERO@)) {
        changed = 1; /* -0 + 0 is 0 */
    }
    if (none == none) {
        changed = 1; /* NaN does not equal itself */
    }
    sum = (given[3] + given[0]) - given[3];
    if (sum != @ZERO@) {
        changed = 1; /* rounding loses the small summand */
    }
    if (changed != 0) {
        (void)printf("FAILED arithmetic: compile without -ffast-math and its parts\n"
                     "       (-funsafe-math-optimizations, -freciprocal-math, -fno-signed-zeros,\n"
                     "       -fno-honor-nans)\n");
    }
    return changed;
}
