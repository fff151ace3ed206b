/* The loop on POSIX: cycles at absolute times or as the robot gives them, a background thread, a watchdog. Written by
 * torquec.
 *
 * In the loop: no allocation, no printing, no lock. Cycles that were missed are left out, never made up for. What happened
 * is in counters, which anybody may read at any time, and in the log of torquec_record.h.
 */
#ifndef TORQUEC_LOOP_H_INCLUDED
#define TORQUEC_LOOP_H_INCLUDED

#include "torquec_cycle.h"
#include "torquec_driver.h"
#include "torquec_record.h"

/* How a loop ended. */
enum {
    TORQUEC_ENDED = 0,      /* as it was asked to */
    TORQUEC_FAULT = 1,      /* by a stop; `first_faults` says why */
    TORQUEC_NOT_STARTED = 2,/* the first sample has `first_faults`, or there is none */
    TORQUEC_NO_THREAD = 3,  /* the system gave no thread */
    TORQUEC_OTHER_JOINTS = 4/* the driver has another number of joints than the limits */
};

typedef struct {
    _Atomic uint64_t cycles, missed, late, blind, clamped_torque, clamped_rate;
    _Atomic uint64_t accepted, refused, backgrounds;
    _Atomic uint64_t page_faults; /* of the thread of the loop, while it looped */
    _Atomic int64_t started, last; /* by the driver's clock: one period before the first cycle, the begin of the last */
    _Atomic uint32_t mode, faults, first_faults, running;
    torquec_histogram latency; /* from the planned time of a cycle to its begin */
    torquec_histogram compute; /* coefficients, law and guards of a cycle */
    torquec_histogram cycle;   /* from begin to begin */
} torquec_counters;

typedef struct {
    torquec_limits limits;
    torquec_law law;
    torquec_driver driver;
    torquec_counters counters;
    torquec_log log;
    torquec_cycle cycle;
    int64_t duration;            /* [ns] until the stop begins; 0: until it is asked for */
    int64_t start_patience;      /* [ns] for which a first sample is waited for */
    int64_t background_period;   /* [ns] */
    int64_t watchdog;            /* [ns] of patience; 0: none */
    int32_t clocked_by_driver;
    int32_t background_inline;   /* the background runs in the loop's thread, after a cycle: for virtual clocks */
    int32_t priority;            /* of SCHED_FIFO; 0: ordinary */
    int32_t lock_memory;
    int32_t scheduling_error;    /* errno of what was asked for and not granted; 0: granted or not asked */
    int32_t memory_error;
    _Atomic uint32_t stop_asked;
    _Atomic uint32_t watchdog_fired;
} torquec_loop;

/* Runs until the stop is complete; gives how it ended. The caller's thread becomes the loop. */
int torquec_loop_run(torquec_loop *loop);

/* From any thread: begin the stop. */
void torquec_loop_stop(torquec_loop *loop);

int64_t torquec_monotonic(void);
void torquec_sleep_until(int64_t time);

#endif /* TORQUEC_LOOP_H_INCLUDED */
