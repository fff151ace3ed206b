/* A simulated robot as a driver, in real time or on a virtual clock. Written by torquec. */
#ifndef TORQUEC_DRIVER_SIMULATED_H_INCLUDED
#define TORQUEC_DRIVER_SIMULATED_H_INCLUDED

#include "torquec_cycle.h"
#include "torquec_driver.h"

#include <stdatomic.h>

typedef struct {
    torquec_function step; /* (state, torques) -> state, one step later */
    double *state[2];      /* positions, speeds, and what else the plant has; twice */
    int64_t joints;
    int64_t size;          /* of a state */
    int64_t step_time;     /* [ns] */
    int64_t cycle_time;    /* [ns], where the robot clocks the loop */
    int64_t most_steps;    /* in one read: where more would be due, the robot's time stands still instead */
    int64_t is_virtual;    /* time passes only where the loop waits */
    int64_t now;           /* of the virtual clock */
    int64_t time;          /* of the state */
    int64_t current;       /* which of the two states */
    int64_t released;      /* brakes hold the robot until the first torques come, and again when it is stopped */
    uint64_t slipped;      /* steps for which its time stood still */
    double tau[TORQUEC_MOST_JOINTS];
    _Atomic uint32_t stopped;
    uint32_t reserved;
} torquec_simulated;

/* The driver of a simulated robot, whose time begins now. */
void torquec_simulated_driver(torquec_simulated *robot, torquec_driver *driver);

#endif /* TORQUEC_DRIVER_SIMULATED_H_INCLUDED */
