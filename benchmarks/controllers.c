/* Times a control law and inverse dynamics over a ring of states; built by benchmarks/controllers.py. */
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

typedef void (*three)(const double *, const double *, const double *, double *);
typedef void (*five)(const double *, const double *, const double *, const double *, const double *, double *);

double time_step(void *f, int inputs, const double *a, const double *b, const double *c, const double *d,
                 const double *e, double *x, long n, long ring, long calls) {
    const double start = now();
    for (long i = 0; i < calls; ++i) {
        const long k = (i % ring) * n;
        if (inputs == 3) ((three)f)(a + k, b + k, c + k, x);
        else ((five)f)(a + k, b + k, c + k, d + k, e + k, x);
    }
    return (now() - start) / (double)calls;
}
