/* Variables: time, all inputs of the law in order, and its torques, which are held for a sampling period. */
#define PERIOD @PERIOD@ /* [s] */

static void refresh(content *now)
{
    (void)now;
}

/* Evaluate the law at the beginning of each sampling period in the step, with the inputs at the beginning of the step;
 * returns the message of a problem, or NULL. */
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

