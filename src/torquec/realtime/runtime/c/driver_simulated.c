/* Driver for a simulated robot; see driver_simulated.h. Written by torquec. */
#include "driver_simulated.h"

#include "torquec_loop.h"

#include <stddef.h>
#include <string.h>

static int64_t simulated_clock(void *self)
{
    const torquec_simulated *robot = self;
    return robot->is_virtual ? robot->now : torquec_monotonic();
}

static void simulated_sleep(void *self, int64_t time)
{
    torquec_simulated *robot = self;
    if (!robot->is_virtual) {
        torquec_sleep_until(time);
    } else if (time > robot->now) {
        robot->now = time;
    }
}

/* The robot's cycles lie on a grid of its simulated time. */
static int simulated_await(void *self, int64_t latest)
{
    const torquec_simulated *robot = self;
    const int64_t now = simulated_clock(self);
    const int64_t next = now + robot->cycle_time - (now - robot->time)%robot->cycle_time;
    const int in_time = next <= latest;
    simulated_sleep(self, in_time ? next : latest);
    return in_time ? TORQUEC_OK : TORQUEC_NOTHING_NEW;
}

/* Simulate up to the present with the torques that were written last. */
static int simulated_read(void *self, torquec_sample *sample)
{
    torquec_simulated *robot = self;
    int64_t due = (simulated_clock(self) - robot->time)/robot->step_time;
    const double *state;
    if (due > robot->most_steps) {
        robot->slipped += (uint64_t)(due - robot->most_steps);
        robot->time += (due - robot->most_steps)*robot->step_time;
        due = robot->most_steps;
    }
    if (!robot->released || atomic_load_explicit(&robot->stopped, memory_order_relaxed)) {
        robot->time += due*robot->step_time;
        due = 0;
    }
    for (; due > 0; --due) {
        const double *inputs[2];
        double *outputs[1];
        inputs[0] = robot->state[robot->current];
        inputs[1] = robot->tau;
        outputs[0] = robot->state[1 - robot->current];
        robot->step(inputs, outputs);
        robot->current = 1 - robot->current;
        robot->time += robot->step_time;
    }
    state = robot->state[robot->current];
    sample->time = robot->time;
    (void)memcpy(sample->q, state, (size_t)robot->joints*sizeof(double));
    (void)memcpy(sample->qd, state + robot->joints, (size_t)robot->joints*sizeof(double));
    return TORQUEC_OK;
}

static int simulated_write(void *self, const double *tau)
{
    torquec_simulated *robot = self;
    if (atomic_load_explicit(&robot->stopped, memory_order_relaxed)) {
        (void)memset(robot->tau, 0, sizeof robot->tau);
        return TORQUEC_BROKEN;
    }
    (void)memcpy(robot->tau, tau, (size_t)robot->joints*sizeof(double));
    robot->released = 1;
    return TORQUEC_OK;
}

static void simulated_stop(void *self)
{
    torquec_simulated *robot = self;
    atomic_store(&robot->stopped, 1u);
}

void torquec_simulated_driver(torquec_simulated *robot, torquec_driver *driver)
{
    atomic_store(&robot->stopped, 0u);
    robot->now = 0;
    robot->time = simulated_clock(robot);
    robot->slipped = 0u;
    robot->released = 0;
    (void)memset(robot->tau, 0, sizeof robot->tau);
    driver->self = robot;
    driver->joints = robot->joints;
    driver->read = simulated_read;
    driver->write = simulated_write;
    driver->clock = simulated_clock;
    driver->await = simulated_await;
    driver->sleep_until = simulated_sleep;
    driver->stop = simulated_stop;
}
