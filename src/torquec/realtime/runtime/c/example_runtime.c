/* The law of this package on a robot in another process. Written by torquec: an example to start from.
 *
 *     ./example_runtime /arm [SECONDS]
 *
 * makes a shared memory of that name, waits for the robot's process (see driver_shared.h), keeps the robot at the
 * reference, and stops it. For drives on a bus, use the driver of driver_cia402.h or your own instead.
 */
#include "PREFIX_runtime.h"

#include "driver_shared.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static PREFIX_runtime runtime;
static double reference[PREFIX_RUNTIME_REFERENCE];
static double gains[PREFIX_RUNTIME_GAINS + 1];

static void stop(int unused)
{
    (void)unused;
    torquec_loop_stop(&runtime.loop); /* an atomic store: allowed in a signal handler */
}

int main(int argc, char **argv)
{
    static const char *const ends[] = {"ended", "fault", "not started", "no thread", "other joints"};
    torquec_loop *loop = &runtime.loop;
    torquec_shared *shared;
    int end;
    if (argc < 2) {
        (void)fprintf(stderr, "usage: %s /NAME [SECONDS]\n", argv[0]);
        return 2;
    }
    shared = torquec_shared_make(argv[1], PREFIX_RUNTIME_JOINTS);
    if (shared == NULL) {
        perror(argv[1]);
        return 2;
    }
    /* Yours: rows of the reference, one per period. Here: one row of zeros, so the robot holds its zero position. */
    PREFIX_runtime_start(&runtime, reference, PREFIX_RUNTIME_GAINS > 0 ? gains : NULL, 1);
    loop->duration = (int64_t)(1e9*(argc > 2 ? atof(argv[2]) : 10.0));
    loop->start_patience = 10000000000;
    loop->watchdog = 500000000;
    loop->priority = 80;
    loop->lock_memory = 1;
    torquec_shared_driver(shared, &loop->driver);
    (void)signal(SIGINT, stop);
    (void)signal(SIGTERM, stop);
    end = torquec_loop_run(loop);
    torquec_shared_remove(shared, argv[1]);
    (void)printf("%s: %lu cycles, %lu missed, faults 0x%x%s%s\n", ends[end], (unsigned long)loop->counters.cycles,
        (unsigned long)loop->counters.missed, loop->counters.first_faults & ~(unsigned)TORQUEC_REQUESTED,
        loop->scheduling_error != 0 ? ", without real-time priority" : "",
        loop->memory_error != 0 ? ", memory not locked" : "");
    return end == TORQUEC_ENDED ? 0 : 1;
}
