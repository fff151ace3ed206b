/* Nanoseconds per call of a kernel over n rows of its inputs; outputs are overwritten. */
#include <time.h>

typedef void (*Kernel)(const double *const *inputs, double *const *outputs);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

double time_calls(Kernel kernel, long n, int inputs, const double *const *rows, const long *strides, double *const *out)
{
    const double *at[16];
    const double start = now();
    for (long k = 0; k < n; k++) {
        for (int j = 0; j < inputs; j++) at[j] = rows[j] + k * strides[j];
        kernel(at, out);
    }
    return (now() - start) / (double)n;
}
