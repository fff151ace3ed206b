/* Driver for a simulated robot, in real time or on a virtual clock. Written by torquec. */
#ifndef TORQUEC_DRIVER_SIMULATED_H_INCLUDED
#define TORQUEC_DRIVER_SIMULATED_H_INCLUDED

#include "torquec_cycle.h"
#include "torquec_driver.h"

#include <stdatomic.h>

typedef struct {
    torquec_function step; /* (state, torques) -> state, one step later */
    double *state[2];      /* positions, speeds and further states of the plant; two buffers */
    int64_t joints;
    int64_t size;          /* of a state */
    int64_t step_time;     /* [ns] */
    int64_t cycle_time;    /* [ns], where the robot clocks the loop */
    int64_t most_steps;    /* most steps in one read: further ones are skipped, and the robot stands still for their time */
    int64_t is_virtual;    /* 1: a virtual clock, which advances only while the loop waits */
    int64_t now;           /* [ns], of the virtual clock */
    int64_t time;          /* [ns], of the state */
    int64_t current;       /* which of the two states */
    int64_t released;      /* 0: brakes hold the robot until the first torques come; `stopped` engages them again */
    uint64_t slipped;      /* steps that were skipped */
    double tau[TORQUEC_MOST_JOINTS];
    _Atomic uint32_t stopped;
    uint32_t reserved;
} torquec_simulated;

/* Fill in `driver` for a simulated robot; the robot's time begins now. */
void torquec_simulated_driver(torquec_simulated *robot, torquec_driver *driver);

#endif /* TORQUEC_DRIVER_SIMULATED_H_INCLUDED */
