/* Interface of a robot driver: read the state, write torques, give the time, stop. Written by torquec.
 *
 * Only the loop calls `read`, `write` and `await`; they must not allocate, print, or wait for a lock. The loop calls
 * `stop` at its end. The watchdog calls it from another thread at any time, also while the loop hangs in one of the other
 * functions. `stop` must make the robot safe (torque off, brakes on) in each case, and may be called repeatedly.
 */
#ifndef TORQUEC_DRIVER_H_INCLUDED
#define TORQUEC_DRIVER_H_INCLUDED

#include "torquec_guard.h"

enum {
    TORQUEC_OK = 0,
    TORQUEC_NOTHING_NEW = 1, /* read: no new sample; await: no cycle until `latest` */
    TORQUEC_BROKEN = 2       /* a fault of the robot or of the connection to it */
};

typedef struct {
    void *self;
    int64_t joints;
    int (*read)(void *self, torquec_sample *sample);
    int (*write)(void *self, const double *tau);
    int64_t (*clock)(void *self);                    /* nanoseconds; it never goes back */
    int (*await)(void *self, int64_t latest);        /* for the robot's next cycle; NULL: it cannot clock a loop */
    void (*sleep_until)(void *self, int64_t time);   /* NULL: its clock is CLOCK_MONOTONIC */
    void (*stop)(void *self);
} torquec_driver;

#endif /* TORQUEC_DRIVER_H_INCLUDED */
