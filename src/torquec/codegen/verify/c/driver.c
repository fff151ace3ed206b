#include "@PREFIX@.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef STATES
#define STATES @STATES@
#endif

typedef @REAL@ real;
typedef @BITS@ bits;

static void show(const char *function, int state, const real *values, int n)
{
    int k;
    (void)printf("%s %d", function, state);
    for (k = 0; k < n; ++k) {
        bits word;
        (void)memcpy(&word, &values[k], sizeof word);
        (void)printf(@FORMAT@, @PRINTED@);
    }
    (void)printf("\n");
}

#ifdef COUNT
#define TIMER ((volatile uint32_t *)0xE000E010u)
static void count(const char *function, uint32_t before, uint32_t after)
{
    (void)printf("count %s %lu\n", function, (unsigned long)((before - after) & 0xFFFFFFu));
}
#endif
