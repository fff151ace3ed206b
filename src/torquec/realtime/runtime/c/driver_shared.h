/* Driver for a robot in another process, through shared memory. Written by torquec.
 *
 * The loop makes a shared memory with a name; the robot's process opens it, publishes samples and takes the torques:
 *
 *     torquec_shared *shared = torquec_shared_open("/arm", 7);       the loop calls torquec_shared_make
 *     while (...) {
 *         sample.time = torquec_shared_clock();                      CLOCK_MONOTONIC of this machine, nanoseconds
 *         ... q, qd ...
 *         torquec_shared_publish(shared, &sample);
 *         if (torquec_shared_take(shared, tau, &time)) { ... }       1: new torques; `time` says when they were written
 *         if (torquec_shared_is_stopped(shared)) { ... brakes ... }
 *     }
 *
 * Neither side waits for the other. Whatever the other process writes, this code accesses nothing outside the shared
 * memory. A loop that was killed cannot report it: do not use torques older than a few cycles; `time` gives their age.
 */
#ifndef TORQUEC_DRIVER_SHARED_H_INCLUDED
#define TORQUEC_DRIVER_SHARED_H_INCLUDED

#include "torquec_driver.h"
#include "triple_buffer.h"

#include <stdatomic.h>

#define TORQUEC_SHARED_MAGIC 0x74717368u
#define TORQUEC_SHARED_VERSION 1u

typedef struct {
    int64_t time;
    double tau[TORQUEC_MOST_JOINTS];
} torquec_shared_torque;

typedef struct {
    _Atomic uint32_t magic; /* written last, when everything else is ready */
    uint32_t version;
    int64_t joints;
    _Atomic uint32_t stopped;
    uint32_t reserved;
    torquec_triple_buffer sample_buffer;
    torquec_triple_buffer torque_buffer;
    torquec_sample samples[4]; /* three are used; a corrupt index of the other side reaches the fourth at most */
    torquec_shared_torque torques[4];
} torquec_shared;

/* For the loop. torquec_shared_make returns NULL, with errno, if the name is taken or the system refuses. */
torquec_shared *torquec_shared_make(const char *name, int64_t joints);
void torquec_shared_remove(torquec_shared *shared, const char *name);
void torquec_shared_driver(torquec_shared *shared, torquec_driver *driver);

/* For the robot. torquec_shared_open returns NULL, with errno: EPROTO if the memory has another format or number of
 * joints. */
torquec_shared *torquec_shared_open(const char *name, int64_t joints);
void torquec_shared_close(torquec_shared *shared);
int64_t torquec_shared_clock(void);
void torquec_shared_publish(torquec_shared *shared, const torquec_sample *sample);
int torquec_shared_take(torquec_shared *shared, double *tau, int64_t *time);
int torquec_shared_is_stopped(const torquec_shared *shared);

#endif /* TORQUEC_DRIVER_SHARED_H_INCLUDED */
