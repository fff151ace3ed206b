/* Variables: time, q, qd, their derivatives, tau, and the longest step of the integrator. */
enum { JOINTS = STATES/2, RATES = 1 + STATES, TORQUES = 1 + 2*STATES, LONGEST_STEP = TORQUES + JOINTS };

static void refresh(content *now)
{
    @RATE@(&now->values[1], &now->values[TORQUES], &now->values[RATES]);
}

/* Fourth-order Runge-Kutta steps with constant torques; returns the message of a problem, or NULL. */
static const char *step(content *now, double size)
{
    const double longest = now->values[LONGEST_STEP];
    double *const y = &now->values[1];
    const double *const tau = &now->values[TORQUES];
    double count, h;
    long k;
    if (!(size > 0.0) || !(longest > 0.0)) {
        return "a step is positive";
    }
    count = ceil(size/longest - 1e-9);
    if (!(count <= 1e9)) {
        return "a step has too many steps of the integrator";
    }
    h = size/(count < 1.0 ? 1.0 : count);
    for (k = 0; k < (long)(count < 1.0 ? 1.0 : count); ++k) {
        double rates[4][STATES], at[STATES];
        int i;
        @RATE@(y, tau, rates[0]);
        for (i = 0; i < STATES; ++i) {
            at[i] = y[i] + 0.5*h*rates[0][i];
        }
        @RATE@(at, tau, rates[1]);
        for (i = 0; i < STATES; ++i) {
            at[i] = y[i] + 0.5*h*rates[1][i];
        }
        @RATE@(at, tau, rates[2]);
        for (i = 0; i < STATES; ++i) {
            at[i] = y[i] + h*rates[2][i];
        }
        @RATE@(at, tau, rates[3]);
        for (i = 0; i < STATES; ++i) {
            y[i] += h/6.0*((rates[0][i] + rates[3][i]) + 2.0*(rates[1][i] + rates[2][i]));
        }
    }
    return NULL;
}

