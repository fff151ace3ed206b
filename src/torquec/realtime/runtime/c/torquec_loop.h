/* The loop on POSIX: cycles at absolute times or clocked by the robot, a background thread, a watchdog. Written by
 * torquec.
 *
 * The loop does not allocate, print or lock. Missed cycles are skipped, and not made up for. Results are in counters,
 * which any thread may read at any time, and in the log of torquec_record.h.
 */
#ifndef TORQUEC_LOOP_H_INCLUDED
#define TORQUEC_LOOP_H_INCLUDED

#include "torquec_cycle.h"
#include "torquec_driver.h"
#include "torquec_record.h"

/* How a loop ended. */
enum {
    TORQUEC_ENDED = 0,      /* as requested */
    TORQUEC_FAULT = 1,      /* stopped by the faults in `first_faults` */
    TORQUEC_NOT_STARTED = 2,/* no valid first sample or coefficients: `first_faults` */
    TORQUEC_NO_THREAD = 3,  /* the system gave no thread */
    TORQUEC_OTHER_JOINTS = 4/* the driver has another number of joints than the limits */
};

typedef struct {
    _Atomic uint64_t cycles, missed, late, blind, clamped_torque, clamped_rate;
    _Atomic uint64_t accepted, refused, backgrounds;
    _Atomic uint64_t page_faults; /* of the loop's thread, during its cycles */
    _Atomic int64_t started, last; /* [ns], driver's clock: one period before the first cycle; begin of the last */
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
    int64_t duration;            /* [ns] until the stop begins; 0: until it is requested */
    int64_t start_patience;      /* [ns] to wait for a first sample */
    int64_t background_period;   /* [ns] */
    int64_t watchdog;            /* [ns] without a cycle after which it stops the robot; 0: none */
    int32_t clocked_by_driver;
    int32_t background_inline;   /* the background runs in the loop's thread, after a cycle: for virtual clocks */
    int32_t priority;            /* of SCHED_FIFO; 0: ordinary */
    int32_t lock_memory;
    int32_t scheduling_error;    /* errno of a refused request; 0: granted or not requested */
    int32_t memory_error;
    _Atomic uint32_t stop_asked;
    _Atomic uint32_t watchdog_fired;
} torquec_loop;

/* Run the loop in the caller's thread until the stop is complete; returns how it ended. */
int torquec_loop_run(torquec_loop *loop);

/* Begin the stop; may be called from any thread. */
void torquec_loop_stop(torquec_loop *loop);

int64_t torquec_monotonic(void);
void torquec_sleep_until(int64_t time);

#endif /* TORQUEC_LOOP_H_INCLUDED */
