/* Times kernels over a ring of states; built by benchmarks/peer.py. One call of a timer function is one round.
   No division finds the place in the ring: a processor would wait for it before every call. */
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

typedef void (*k11)(const double *, double *);
typedef void (*k21)(const double *, const double *, double *);
typedef void (*k31)(const double *, const double *, const double *, double *);
typedef void (*k32)(const double *, const double *, const double *, double *, double *);
typedef void (*k33)(const double *, const double *, const double *, double *, double *, double *);

/* Torquec's convention: inputs first, outputs last. Inputs are rings of `ring` states: m numbers of a, n of b and c. */
double time_kernel(void *f, int inputs, int outputs, const double *a, const double *b, const double *c, double *x,
                   double *y, double *z, long m, long n, long ring, long calls) {
    const double start = now();
    for (long i = 0, j = 0, k = 0; i < calls; ++i, j = k + n < ring * n ? j + m : 0, k = k + n < ring * n ? k + n : 0) {
        if (inputs == 1) ((k11)f)(a + j, x);
        else if (inputs == 2) ((k21)f)(a + j, b + k, x);
        else if (outputs == 1) ((k31)f)(a + j, b + k, c + k, x);
        else if (outputs == 2) ((k32)f)(a + j, b + k, c + k, x, y);
        else ((k33)f)(a + j, b + k, c + k, x, y, z);
    }
    return (now() - start) / (double)calls;
}

/* CasADi's convention. */
typedef int (*casadi)(const double **, double **, long long *, double *, int);

double time_casadi(void *f, const double *a, const double *b, const double *c, double *x, double *y, double *z, long m,
                   long n, long ring, long calls) {
    static long long iw[4096];
    static double w[65536];
    const double *arg[16] = {0};
    double *res[16] = {x, y, z};
    const double start = now();
    for (long i = 0, j = 0, k = 0; i < calls; ++i, j = k + n < ring * n ? j + m : 0, k = k + n < ring * n ? k + n : 0) {
        arg[0] = a + j;
        arg[1] = b + k;
        arg[2] = c + k;
        ((casadi)f)(arg, res, iw, w, 0);
    }
    return (now() - start) / (double)calls;
}
