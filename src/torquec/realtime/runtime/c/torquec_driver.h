/* What a robot must offer: read its state, take torques, tell the time. Written by torquec.
 *
 * `read`, `write` and `await` are called by the loop alone; they must not allocate, print, or wait for a lock. `stop` is
 * called by the loop at its end, and by the watchdog at any time from another thread, then while the loop may hang in one
 * of the others: it makes the robot safe (torque off, brakes on) whatever they do, and may be called again.
 */
#ifndef TORQUEC_DRIVER_H_INCLUDED
#define TORQUEC_DRIVER_H_INCLUDED

#include "torquec_guard.h"

enum {
    TORQUEC_OK = 0,
    TORQUEC_NOTHING_NEW = 1, /* no sample in this cycle; no cycle until the time was over */
    TORQUEC_BROKEN = 2       /* a fault of the robot or of the way to it */
};

typedef struct {
    void *self;
    int64_t joints;
    int (*read)(void *self, torquec_sample *sample);
    int (*write)(void *self, const double *tau);
    int64_t (*clock)(void *self);                    /* nanoseconds; it never goes back */
    int (*await)(void *self, int64_t latest);        /* until the robot's next cycle; NULL: it cannot clock a loop */
    void (*sleep_until)(void *self, int64_t time);   /* NULL: its clock is CLOCK_MONOTONIC */
    void (*stop)(void *self);
} torquec_driver;

#endif /* TORQUEC_DRIVER_H_INCLUDED */
