/* The loop with its threads on a small robot in real time; one word says what goes wrong.
 *
 * usage: loop_test sound|hang|broken|silent|foreign|refuses
 *
 * Prints one JSON document. While the loop runs, `malloc` and its like are counted for its thread, and so is printing.
 */
#include "driver_simulated.h"
#include "torquec_loop.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 2

static _Thread_local int in_loop;
static _Atomic unsigned long allocations;

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *malloc(size_t size) { allocations += (unsigned long)in_loop; return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { allocations += (unsigned long)in_loop; return __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { allocations += (unsigned long)in_loop; return __libc_realloc(old, size); }
#endif

static const char *word;
static torquec_loop loop;
static torquec_channel channel;
static torquec_simulated robot;
static double states[2][2*N], numbers[3][N], coefficients[N], reference[3*N];
static int64_t entries[1024*(TORQUEC_LOG_WORDS + 4*N)], taken[64*(TORQUEC_LOG_WORDS + 4*N)];
static _Atomic int over, stops;
static torquec_driver inner;

static void law(const double *const *in, double *const *out)
{
    int k;
    for (k = 0; k < N; ++k) {
        out[1][k] = 50.0*(in[0][k] - in[3][k]) - 15.0*in[4][k];
        out[0][k] = out[1][k] + in[5][k];
    }
}
static void background(const double *const *in, double *const *out)
{
    int k;
    for (k = 0; k < N; ++k) {
        out[0][k] = 0.5*in[0][k];
    }
}
static void plant(const double *const *in, double *const *out)
{
    int k;
    for (k = 0; k < N; ++k) {
        out[0][N + k] = in[0][N + k] + 1e-3*(in[1][k] - 0.5*in[0][k]);
        out[0][k] = in[0][k] + 1e-3*out[0][N + k];
    }
}

static int reading(void *self, torquec_sample *sample)
{
    static int calls;
    ++calls;
    in_loop = calls > 1; /* the first sample is taken before the threads are made */
    if (calls == 100 && strcmp(word, "hang") == 0) {
        torquec_sleep_until(torquec_monotonic() + 400000000L);
    }
    if (calls >= 100 && strcmp(word, "broken") == 0) {
        return TORQUEC_BROKEN;
    }
    if (calls >= 100 && strcmp(word, "silent") == 0) {
        return TORQUEC_NOTHING_NEW;
    }
    return inner.read(self, sample);
}
static int writing(void *self, const double *tau)
{
    static int calls;
    return ++calls >= 100 && strcmp(word, "refuses") == 0 ? TORQUEC_BROKEN : inner.write(self, tau);
}
static void stopping(void *self)
{
    ++stops;
    inner.stop(self);
}

static void *reader(void *unused)
{
    uint64_t count = 0, k;
    int64_t next = 0;
    (void)unused;
    do {
        const uint64_t got = torquec_log_take(&loop.log, taken, 64);
        for (k = 0; k < got; ++k) {
            if (taken[k*loop.log.words + TORQUEC_LOG_CYCLE] != next++) {
                printf("{\"failed\": \"entries out of order\"}\n");
                exit(1);
            }
        }
        count += got;
        torquec_sleep_until(torquec_monotonic() + 3000000L);
    } while (!over);
    return (void *)(uintptr_t)(count + torquec_log_take(&loop.log, taken, 64));
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *logged;
    int end, k;
    word = argc > 1 ? argv[1] : "sound";
    loop.limits.joints = N;
    loop.limits.hold_cycles = 5;
    loop.limits.ramp_cycles = 20;
    loop.limits.period = 1000000;
    /* A test machine is no real-time system: only what is asked for is a fault here. */
    loop.limits.longest_gap = strcmp(word, "hang") == 0 ? 2000000000L : 300000000L;
    loop.limits.longest_blind = 20000000L;
    loop.limits.oldest_sample = loop.limits.longest_gap;
    loop.limits.power = 1e9;
    for (k = 0; k < N; ++k) {
        loop.limits.torque[k] = 20.0;
        loop.limits.rate[k] = 5000.0;
        loop.limits.lower[k] = -3.0;
        loop.limits.upper[k] = 3.0;
        loop.limits.speed[k] = 50.0;
        loop.limits.slack[k] = 1.0;
        loop.limits.resolution[k] = loop.limits.unmoved[k] = 1.0;
        reference[k] = 0.4;
        robot.state[k] = states[k];
    }
    loop.law.law = law;
    loop.law.background = background;
    loop.law.robot = 7u;
    loop.law.reference_period = 1000000;
    loop.law.rows = 1;
    loop.law.reference = reference;
    loop.law.coefficients = coefficients;
    loop.law.parts = 3;
    loop.law.part_sizes[0] = loop.law.part_sizes[1] = loop.law.part_sizes[2] = N;
    loop.law.coefficients_size = N;
    loop.law.oldest_coefficients = 2000000000L;
    loop.law.channel = &channel;
    for (k = 0; k < 3; ++k) {
        channel.coefficients[k].numbers = numbers[k];
    }
    robot.step = plant;
    robot.joints = strcmp(word, "foreign") == 0 ? N + 1 : N;
    robot.size = 2*N;
    robot.step_time = robot.cycle_time = 1000000;
    robot.most_steps = 500;
    torquec_simulated_driver(&robot, &inner);
    loop.driver = inner;
    loop.driver.read = reading;
    loop.driver.write = writing;
    loop.driver.stop = stopping;
    loop.log.capacity = 1024;
    loop.log.words = TORQUEC_LOG_WORDS + 4*N;
    loop.log.entries = entries;
    loop.duration = 200000000L;
    loop.start_patience = 100000000L;
    loop.background_period = 5000000;
    loop.watchdog = 150000000L;
    (void)pthread_create(&thread, NULL, reader, NULL);
    end = torquec_loop_run(&loop);
    in_loop = 0;
    over = 1;
    (void)pthread_join(thread, &logged);
    printf("{\"end\": %d, \"first_faults\": %u, \"cycles\": %lu, \"missed\": %lu, \"logged\": %lu, \"dropped\": %lu, "
           "\"backgrounds\": %lu, \"allocations\": %lu, \"stops\": %d, \"page_faults\": %lu, \"place\": %.6f}\n",
        end, loop.counters.first_faults, (unsigned long)loop.counters.cycles, (unsigned long)loop.counters.missed,
        (unsigned long)(uintptr_t)logged, (unsigned long)loop.log.dropped, (unsigned long)loop.counters.backgrounds,
        (unsigned long)allocations, stops, (unsigned long)loop.counters.page_faults, states[0][0]);
    return 0;
}
