/* One cycle of a robust computed-torque loop with guards, around the law that Torquec generates (-DOURS) or around
   the peer's inverse dynamics with the same law written by hand; friction and guards are the same C. Built by benchmarks/control_cycle.py, which writes
   constants.h: N, PERIOD, SLOW, FAST, AMPLITUDE, LAYER and the arrays coulomb, viscous and limit. */
#include <stdint.h>
#include <stdio.h>
#ifdef SINGLE
typedef float real;
#else
typedef double real;
#endif
#include "constants.h"

typedef struct { real q_ref[N], qd_ref[N], qdd_ref[N], q[N], qd[N]; } signals;

#ifdef OURS
void ours_robust_computed_torque(const real *, const real *, const real *, const real *, const real *, const real *, real *, real *);
#else
int cs_rnea(const real **, real **, long long *, real *, int);
static real w[65536 / sizeof(real)];

static void law(const signals *x, real *state, real *torque)
{
    real v[N];
    const real *in[3] = {x->q, x->qd, v};
    real *out[1] = {torque};
    int j;
    for (j = 0; j < N; ++j) {
        const real e = x->q_ref[j] - x->q[j], ed = x->qd_ref[j] - x->qd[j];
        const real s = ed + 2 * SLOW * e + SLOW * SLOW * state[j];
        const real x1 = s / LAYER, sat = x1 > 1 ? 1 : x1 < -1 ? -1 : x1;
        v[j] = x->qdd_ref[j] + 2 * SLOW * ed + SLOW * SLOW * e + FAST * s + AMPLITUDE * sat;
        if (s <= LAYER && s >= -LAYER) state[j] += PERIOD * e;
    }
    (void)cs_rnea(in, out, 0, w, 0);
}
#endif

/* 0: torques are within limits and valid; 1: cut off; 2: an input is no number, and torques are those of before. */
int cycle(const signals *x, real *state, real *torque)
{
    const real *all = x->q_ref;
    real wanted[N];
    int j, status = 0;
#ifdef OURS
    real next[N];
#endif
    for (j = 0; j < 5 * N; ++j)
        if (!(all[j] - all[j] == 0)) return 2;
#ifdef OURS
    ours_robust_computed_torque(x->q_ref, x->qd_ref, x->qdd_ref, x->q, x->qd, state, wanted, next);
    for (j = 0; j < N; ++j) state[j] = next[j];
#else
    law(x, state, wanted);
#endif
    for (j = 0; j < N; ++j) {
        const real rate = x->qd_ref[j];
        wanted[j] += viscous[j] * rate + coulomb[j] * (real)((rate > 0) - (rate < 0));
        if (wanted[j] > limit[j] || wanted[j] < -limit[j]) status = 1;
        torque[j] = wanted[j] > limit[j] ? limit[j] : wanted[j] < -limit[j] ? -limit[j] : wanted[j];
    }
    return status;
}

#ifdef DRIVER
#define CALLS 100
#ifdef HOST
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
double time_cycle(const signals *ring, long states, long calls, real *state, real *torque)
{
    const double start = now();
    for (long i = 0, k = 0; i < calls; ++i, k = k + 1 < states ? k + 1 : 0) (void)cycle(ring + k, state, torque);
    return (now() - start) / calls;
}
#else
#define TIMER ((volatile uint32_t *)0xE000E010u)
int main(void)
{
    static signals x;
    static real state[N], torque[N];
    real *all = x.q_ref;
    uint32_t before;
    int k, j;
    for (j = 0; j < 5 * N; ++j) all[j] = (real)(((j * 37) % 19) - 9) / 10;
    TIMER[1] = 0xFFFFFFu; TIMER[2] = 0u; TIMER[0] = 5u;
    (void)cycle(&x, state, torque);
    for (j = 0; j < N; ++j) printf("torque %.9g\n", (double)torque[j]);
    before = TIMER[2];
    for (k = 0; k < CALLS; ++k) { x.q[0] += (real)1e-4; (void)cycle(&x, state, torque); }
    printf("count %lu\n", (unsigned long)((before - TIMER[2]) & 0xFFFFFFu));
    return 0;
}
#endif
#endif
