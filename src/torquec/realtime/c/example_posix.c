/* Two rates on POSIX threads. Written by torquec: an example to start from; the two functions on top are yours.
 *
 * The synchronous task runs at 1 kHz on the main thread, at absolute times; a background thread refreshes the
 * coefficients once per background period (PREFIX_tasks.h). Run it with real-time priority if you are allowed to:
 *     chrt -f 80 ./example_posix
 */
#define _POSIX_C_SOURCE 200809L

#include "PREFIX_tasks.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CYCLES 200
#define PERIOD_NS 1000000L

typedef struct {
    PREFIX_real q[PREFIX_JOINTS], qd[PREFIX_JOINTS], qdd[PREFIX_JOINTS];
} motion;

typedef struct {
    torquec_triple_buffer buffer;
    motion slots[3];
} motion_channel;

static PREFIX_tasks tasks;
static motion_channel to_background;
static atomic_int running = 1;
static long refreshed; /* new coefficients from the background thread so far */

/* Yours: measured positions and speeds, and the acceleration that your control law demands. Here: all joints swing
 * slowly. */
static void read_motion(long cycle, motion *now)
{
    const double t = (double)cycle*1e-9*(double)PERIOD_NS;
    int k;
    for (k = 0; k < PREFIX_JOINTS; ++k) {
        const double w = 1.0 + 0.3*(double)k;
        now->q[k] = (PREFIX_real)(0.3*sin(w*t));
        now->qd[k] = (PREFIX_real)(0.3*w*cos(w*t));
        now->qdd[k] = (PREFIX_real)(-0.3*w*w*sin(w*t));
    }
}

/* Yours: send the torques to the drives. Here: record the largest one. */
static double largest;
static void write_torque(const PREFIX_real tau[PREFIX_JOINTS])
{
    int k;
    for (k = 0; k < PREFIX_JOINTS; ++k) {
        largest = fmax(largest, fabs((double)tau[k]));
    }
}

static void tell(motion_channel *channel, const motion *now)
{
    channel->slots[channel->buffer.writer] = *now;
    torquec_triple_publish(&channel->buffer);
}

/* The tasks for the hold order of this package. */
#if PREFIX_FIRST_ORDER
static int refresh(const motion *seen)
{
    return PREFIX_first_order_task(&tasks, seen->q, seen->qd, seen->qdd);
}

static int torques(const motion *now, PREFIX_real tau[PREFIX_JOINTS])
{
    return PREFIX_first_order_synchronous_task(&tasks, now->q, now->qd, now->qdd, tau);
}
#else
static int refresh(const motion *seen)
{
    return PREFIX_inertia_task(&tasks, seen->q) && PREFIX_velocity_task(&tasks, seen->q, seen->qd, seen->qdd);
}

static int torques(const motion *now, PREFIX_real tau[PREFIX_JOINTS])
{
    return PREFIX_synchronous_task(&tasks, now->qd, now->qdd, tau);
}
#endif

static void wait_until(struct timespec *next, long long ns)
{
    next->tv_sec += (time_t)(ns/1000000000LL);
    next->tv_nsec += (long)(ns%1000000000LL);
    if (next->tv_nsec >= 1000000000L) {
        next->tv_nsec -= 1000000000L;
        next->tv_sec += 1;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) != 0) {
    }
}

static void *background_thread(void *unused)
{
    struct timespec next;
    (void)unused;
    (void)clock_gettime(CLOCK_MONOTONIC, &next);
    while (atomic_load(&running)) {
        if (torquec_triple_take(&to_background.buffer) && refresh(&to_background.slots[to_background.buffer.reader])) {
            ++refreshed;
        }
        wait_until(&next, PREFIX_BACKGROUND_PERIOD);
    }
    return NULL;
}

int main(void)
{
    pthread_t background;
    struct timespec next;
    motion now;
    PREFIX_real tau[PREFIX_JOINTS];
    long cycle, sent = 0;

    PREFIX_start(&tasks);
    torquec_triple_start(&to_background.buffer);

    /* Compute the first coefficients before anything moves: from now on there are always some. */
    read_motion(0, &now);
    if (!refresh(&now) || pthread_create(&background, NULL, background_thread, NULL) != 0) {
        return 1;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &next);
    for (cycle = 0; cycle < CYCLES; ++cycle) {
        read_motion(cycle, &now);
        if (torques(&now, tau)) {
            write_torque(tau);
            ++sent;
        }
        tell(&to_background, &now);
        wait_until(&next, PERIOD_NS);
    }
    atomic_store(&running, 0);
    (void)pthread_join(background, NULL);
    printf("%ld of %d cycles sent torques, the largest one %.6g; %ld new coefficients, background period %g ms\n", sent,
        CYCLES, largest, refreshed, 1e-6*(double)PREFIX_BACKGROUND_PERIOD);
    return sent == CYCLES ? 0 : 1;
}
