/* Variables: time, the inputs of the law one after the other, and its torques, which are held for a sampling period. */
#define PERIOD @PERIOD@ /* [s] */

static void refresh(content *now)
{
    (void)now;
}

/* The law at the beginning of every sampling period of the step, with the inputs of its beginning. */
static const char *step(content *now, double size)
{
    const double count = floor(size/PERIOD + 0.5);
    long k;
    if (!(count >= 1.0) || !(count <= 1e9) || !(fabs(size - count*PERIOD) <= 1e-9*size)) {
        return "a step is a multiple of the sampling period";
    }
    for (k = 0; k < (long)count; ++k) {
        double *const values = now->values;
        (void)values;
        @CALL@
        (void)memcpy(now->memory[0], now->memory[1], sizeof now->memory[0]);
    }
    return NULL;
}

