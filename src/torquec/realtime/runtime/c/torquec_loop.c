/* The loop on POSIX; see torquec_loop.h. Written by torquec. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MCL_ONFAULT, RUSAGE_THREAD */
#endif

#include "torquec_loop.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define SECOND 1000000000L
#define STACK_TOUCHED 65536
#define BACKGROUND_LOWER 10 /* priority of the loop minus that of the background */

int64_t torquec_monotonic(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec*SECOND + (int64_t)now.tv_nsec;
}

void torquec_sleep_until(int64_t time)
{
    struct timespec at;
    at.tv_sec = (time_t)(time/SECOND);
    at.tv_nsec = (long)(time%SECOND);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
    }
}

/* --- counters, which only the loop writes -------------------------------------------------------------------------- */

#define SET(place, value) atomic_store_explicit(&(place), (value), memory_order_relaxed)
#define GET(place) atomic_load_explicit(&(place), memory_order_relaxed)

static void show_counters(torquec_loop *loop)
{
    const torquec_cycle *cycle = &loop->cycle;
    torquec_counters *counters = &loop->counters;
    SET(counters->missed, cycle->guard.missed);
    SET(counters->blind, cycle->guard.blind);
    SET(counters->clamped_torque, cycle->guard.clamped_torque);
    SET(counters->clamped_rate, cycle->guard.clamped_rate);
    SET(counters->accepted, cycle->accepted);
    SET(counters->refused, cycle->refused);
    SET(counters->mode, (uint32_t)cycle->guard.mode);
    SET(counters->faults, cycle->guard.faults);
    SET(counters->first_faults, cycle->guard.first_faults);
    atomic_store_explicit(&counters->cycles, cycle->guard.steps, memory_order_release);
}

typedef struct {
    int64_t planned, woke, read, compute, write;
} times;

static void log_cycle(torquec_loop *loop, const times *at, const torquec_sample *sample, const double *tau)
{
    const torquec_cycle *cycle = &loop->cycle;
    int64_t words[TORQUEC_LOG_WORDS];
    words[TORQUEC_LOG_CYCLE] = (int64_t)cycle->guard.steps - 1;
    words[TORQUEC_LOG_PLANNED] = at->planned;
    words[TORQUEC_LOG_WOKE] = at->woke;
    words[TORQUEC_LOG_READ] = at->read;
    words[TORQUEC_LOG_COMPUTE] = at->compute;
    words[TORQUEC_LOG_WRITE] = at->write;
    words[TORQUEC_LOG_MODE] = cycle->guard.mode;
    words[TORQUEC_LOG_FAULTS] = cycle->guard.faults;
    words[TORQUEC_LOG_AGE] = loop->law.channel != NULL ? at->woke - cycle->coefficients_time : -1;
    torquec_log_put(&loop->log, words, loop->limits.joints, sample, cycle->asked ? cycle->wanted : NULL, tau);
}

/* --- the other threads --------------------------------------------------------------------------------------------- */

static void *background_thread(void *given)
{
    torquec_loop *loop = given;
    int64_t next = torquec_monotonic();
    while (atomic_load(&loop->counters.running)) {
        int64_t now;
        if (torquec_background_step(&loop->law)) {
            SET(loop->counters.backgrounds, GET(loop->counters.backgrounds) + 1u);
        }
        next += loop->background_period;
        now = torquec_monotonic();
        if (next < now) {
            next = now; /* late: begin again from here */
        }
        torquec_sleep_until(next);
    }
    return NULL;
}

static void *watchdog_thread(void *given)
{
    torquec_loop *loop = given;
    torquec_watchdog watchdog;
    watchdog.beat = atomic_load_explicit(&loop->counters.cycles, memory_order_acquire);
    watchdog.since = torquec_monotonic();
    while (atomic_load(&loop->counters.running)) {
        const uint64_t beat = atomic_load_explicit(&loop->counters.cycles, memory_order_acquire);
        if (torquec_watchdog_step(&watchdog, beat, torquec_monotonic(), loop->watchdog)) {
            atomic_store(&loop->watchdog_fired, 1u);
            loop->driver.stop(loop->driver.self);
        }
        torquec_sleep_until(torquec_monotonic() + loop->watchdog/4 + 1);
    }
    return NULL;
}

void torquec_loop_stop(torquec_loop *loop)
{
    atomic_store(&loop->stop_asked, 1u);
}

/* --- the loop ------------------------------------------------------------------------------------------------------ */

static void touch_stack(void)
{
    volatile char touched[STACK_TOUCHED];
    size_t k;
    for (k = 0; k < sizeof touched; k += 512) {
        touched[k] = 1;
    }
}

static uint64_t page_faults(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/* Ask for real-time scheduling and locked memory; a refusal is recorded in the loop, and is not fatal. */
static void ask_system(torquec_loop *loop)
{
    struct sched_param param;
    if (loop->priority > 0) {
        (void)memset(&param, 0, sizeof param);
        param.sched_priority = loop->priority;
        loop->scheduling_error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
    }
    if (loop->lock_memory && mlockall(MCL_CURRENT | MCL_ONFAULT) != 0) {
        loop->memory_error = errno;
    }
    touch_stack();
}

static int64_t clock_of(const torquec_loop *loop)
{
    return loop->driver.clock(loop->driver.self);
}

static int start_thread(pthread_t *thread, void *(*function)(void *), torquec_loop *loop)
{
    if (pthread_create(thread, NULL, function, loop) != 0) {
        return 0;
    }
    if (loop->priority > BACKGROUND_LOWER && loop->scheduling_error == 0 && function == background_thread) {
        struct sched_param param;
        (void)memset(&param, 0, sizeof param);
        param.sched_priority = loop->priority - BACKGROUND_LOWER;
        (void)pthread_setschedparam(*thread, SCHED_FIFO, &param);
    }
    return 1;
}

static void wait_for_cycle(torquec_loop *loop, int64_t planned)
{
    if (loop->clocked_by_driver) {
        /* Wait at most two periods for a robot that gives no cycle: the guards notice missing samples. */
        (void)loop->driver.await(loop->driver.self, planned + loop->limits.period);
    } else if (loop->driver.sleep_until != NULL) {
        loop->driver.sleep_until(loop->driver.self, planned);
    } else {
        /* If the driver's clock has left CLOCK_MONOTONIC, cycles continue at their period: a stop must come to its end. */
        const int64_t now = torquec_monotonic();
        torquec_sleep_until(planned - now > 2*loop->limits.period ? now + loop->limits.period : planned);
    }
}

/* Wait for the first sample: the robot may begin after the loop. */
static uint32_t first_sample(torquec_loop *loop, torquec_sample *sample)
{
    torquec_driver *driver = &loop->driver;
    const int64_t latest = clock_of(loop) + loop->start_patience;
    int read = driver->read(driver->self, sample);
    while (read == TORQUEC_NOTHING_NEW && clock_of(loop) < latest
           && !atomic_load_explicit(&loop->stop_asked, memory_order_relaxed)) {
        const int64_t next = clock_of(loop) + loop->limits.period;
        if (driver->sleep_until != NULL) {
            driver->sleep_until(driver->self, next);
        } else {
            torquec_sleep_until(next);
        }
        read = driver->read(driver->self, sample);
    }
    if (read != TORQUEC_OK) {
        return read == TORQUEC_NOTHING_NEW ? TORQUEC_STATE_MISSING : TORQUEC_DRIVER;
    }
    return torquec_sample_faults(&loop->limits, &loop->cycle.guard, sample, clock_of(loop));
}

/* Compute the first coefficients at the first sample: the loop does not begin without them. */
static uint32_t first_coefficients(const torquec_loop *loop, const torquec_sample *sample)
{
    torquec_motion motion;
    const size_t bytes = (size_t)loop->limits.joints*sizeof(double);
    if (loop->law.channel == NULL) {
        return 0u;
    }
    (void)memset(&motion, 0, sizeof motion);
    motion.time = sample->time;
    (void)memcpy(motion.q, sample->q, bytes);
    (void)memcpy(motion.qd, sample->qd, bytes);
    return torquec_background_at(&loop->law, &motion) ? 0u : (uint32_t)TORQUEC_COEFFICIENTS;
}

/* A trial cycle, whose torques are not sent: it loads code and data into memory before the first real cycle. */
static void warm_up(torquec_loop *loop, const torquec_sample *sample)
{
    torquec_cycle trial = loop->cycle;
    double tau[TORQUEC_MOST_JOINTS];
    if (loop->log.capacity > 0u) {
        (void)memset(loop->log.entries, 0, (size_t)(loop->log.capacity*loop->log.words)*sizeof *loop->log.entries);
    }
    torquec_cycle_step(&loop->limits, &loop->law, &trial, sample, clock_of(loop), 0u, tau);
    (void)first_coefficients(loop, sample); /* the trial took the first ones */
}

static void cycles(torquec_loop *loop, torquec_sample *sample)
{
    torquec_driver *driver = &loop->driver;
    const int64_t period = loop->limits.period, begin = clock_of(loop);
    int64_t planned = begin + period, woke_before = 0, next_background = begin + loop->background_period;
    uint32_t broken = 0u;
    double tau[TORQUEC_MOST_JOINTS];

    (void)memset(tau, 0, sizeof tau);
    loop->cycle.start = planned;
    SET(loop->counters.started, begin);
    do {
        times at;
        int64_t t0, t1, t2, seen, now;
        int read;
        uint32_t faults = broken;
        wait_for_cycle(loop, planned);
        at.planned = planned;
        at.woke = clock_of(loop);
        t0 = torquec_monotonic();
        read = driver->read(driver->self, sample);
        seen = clock_of(loop); /* after reading, so not before the sample's time */
        t1 = torquec_monotonic();
        if (read != TORQUEC_OK && read != TORQUEC_NOTHING_NEW) {
            faults |= TORQUEC_DRIVER;
        }
        if (atomic_load_explicit(&loop->stop_asked, memory_order_relaxed)
            || (loop->duration > 0 && at.woke - begin > loop->duration)) {
            faults |= TORQUEC_REQUESTED;
        }
        if (atomic_load_explicit(&loop->watchdog_fired, memory_order_relaxed)) {
            faults |= TORQUEC_WATCHDOG;
        }
        torquec_cycle_step(
            &loop->limits, &loop->law, &loop->cycle, read == TORQUEC_OK ? sample : NULL, seen, faults, tau);
        t2 = torquec_monotonic();
        broken = driver->write(driver->self, tau) == TORQUEC_OK ? 0u : (uint32_t)TORQUEC_DRIVER;
        now = torquec_monotonic();
        at.read = t1 - t0;
        at.compute = t2 - t1;
        at.write = now - t2;
        torquec_histogram_count(&loop->counters.latency, at.woke - at.planned);
        torquec_histogram_count(&loop->counters.compute, at.compute);
        if (woke_before != 0) {
            torquec_histogram_count(&loop->counters.cycle, at.woke - woke_before);
        }
        woke_before = at.woke;
        SET(loop->counters.last, at.woke);
        log_cycle(loop, &at, read == TORQUEC_OK ? sample : NULL, tau);
        show_counters(loop);
        if (loop->background_inline && loop->law.channel != NULL && at.woke >= next_background) {
            SET(loop->counters.backgrounds,
                GET(loop->counters.backgrounds) + (uint64_t)torquec_background_step(&loop->law));
            next_background = at.woke + loop->background_period;
        }
        /* The next cycle; cycles whose time has passed are skipped. */
        now = clock_of(loop);
        planned = loop->clocked_by_driver ? at.woke + period : planned + period;
        if (now > planned) {
            SET(loop->counters.late, GET(loop->counters.late) + 1u);
            planned += (now - planned)/period*period + period;
        }
    } while (!torquec_guard_is_off(&loop->limits, &loop->cycle.guard));
}

static int with_threads(torquec_loop *loop, torquec_sample *sample)
{
    pthread_t background, watchdog;
    uint64_t faults_before;
    int has_background = 0, has_watchdog = 0, complete = 1;
    atomic_store(&loop->counters.running, 1u);
    if (loop->law.channel != NULL && !loop->background_inline) {
        has_background = start_thread(&background, background_thread, loop);
        complete = has_background;
    }
    if (complete && loop->watchdog > 0) {
        has_watchdog = start_thread(&watchdog, watchdog_thread, loop);
        complete = has_watchdog;
    }
    if (complete) {
        faults_before = page_faults();
        cycles(loop, sample);
        SET(loop->counters.page_faults, page_faults() - faults_before);
    }
    loop->driver.stop(loop->driver.self);
    atomic_store(&loop->counters.running, 0u);
    if (has_background) {
        (void)pthread_join(background, NULL);
    }
    if (has_watchdog) {
        (void)pthread_join(watchdog, NULL);
    }
    return complete;
}

int torquec_loop_run(torquec_loop *loop)
{
    struct sched_param before;
    torquec_sample sample;
    uint32_t found;
    int policy, end = TORQUEC_NO_THREAD;

    if (loop->driver.joints != (int64_t)loop->limits.joints) {
        return TORQUEC_OTHER_JOINTS;
    }
    (void)pthread_getschedparam(pthread_self(), &policy, &before);
    (void)memset(&sample, 0, sizeof sample);
    if (loop->law.channel != NULL) {
        torquec_channel_start(loop->law.channel);
    }
    ask_system(loop);
    torquec_cycle_start(&loop->cycle, clock_of(loop));
    found = first_sample(loop, &sample);
    if (found == 0u) {
        found = first_coefficients(loop, &sample);
    }
    if (found != 0u) {
        SET(loop->counters.first_faults, found);
        SET(loop->counters.faults, found);
        loop->driver.stop(loop->driver.self);
        end = TORQUEC_NOT_STARTED;
    } else {
        warm_up(loop, &sample);
        if (with_threads(loop, &sample)) {
            end = GET(loop->counters.first_faults) == TORQUEC_REQUESTED ? TORQUEC_ENDED : TORQUEC_FAULT;
        }
    }
    if (loop->priority > 0 && loop->scheduling_error == 0) {
        (void)pthread_setschedparam(pthread_self(), policy, &before);
    }
    if (loop->lock_memory && loop->memory_error == 0) {
        (void)munlockall();
    }
    return end;
}
