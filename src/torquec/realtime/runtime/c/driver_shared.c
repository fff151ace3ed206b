/* Driver for a robot in another process, through shared memory; see driver_shared.h. Written by torquec. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "driver_shared.h"

#include "torquec_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLLS_PER_WAIT 50 /* polls during one wait, if the robot clocks the loop */
#define SHORTEST_POLL 5000 /* [ns] */

static torquec_shared *mapped(int file)
{
    void *memory = mmap(NULL, sizeof(torquec_shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int problem = errno;
    (void)close(file);
    errno = problem;
    return memory == MAP_FAILED ? NULL : (torquec_shared *)memory;
}

torquec_shared *torquec_shared_make(const char *name, int64_t joints)
{
    torquec_shared *shared;
    const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (file < 0) {
        return NULL;
    }
    if (ftruncate(file, (off_t)sizeof(torquec_shared)) != 0) {
        const int problem = errno;
        (void)close(file);
        (void)shm_unlink(name);
        errno = problem;
        return NULL;
    }
    shared = mapped(file);
    if (shared == NULL) {
        (void)shm_unlink(name);
        return NULL;
    }
    (void)memset(shared, 0, sizeof *shared); /* touches all pages before the loop begins */
    shared->version = TORQUEC_SHARED_VERSION;
    shared->joints = joints;
    torquec_triple_start(&shared->sample_buffer);
    torquec_triple_start(&shared->torque_buffer);
    atomic_store(&shared->magic, TORQUEC_SHARED_MAGIC);
    return shared;
}

void torquec_shared_remove(torquec_shared *shared, const char *name)
{
    (void)munmap(shared, sizeof *shared);
    (void)shm_unlink(name);
}

torquec_shared *torquec_shared_open(const char *name, int64_t joints)
{
    torquec_shared *shared;
    struct stat status;
    const int file = shm_open(name, O_RDWR, 0);
    if (file < 0) {
        return NULL;
    }
    if (fstat(file, &status) != 0 || status.st_size < (off_t)sizeof(torquec_shared)) {
        (void)close(file);
        errno = EPROTO;
        return NULL;
    }
    shared = mapped(file);
    if (shared != NULL
        && (atomic_load(&shared->magic) != TORQUEC_SHARED_MAGIC || shared->version != TORQUEC_SHARED_VERSION
            || shared->joints != joints || joints < 1 || joints > TORQUEC_MOST_JOINTS)) {
        (void)munmap(shared, sizeof *shared);
        errno = EPROTO;
        return NULL;
    }
    return shared;
}

void torquec_shared_close(torquec_shared *shared)
{
    (void)munmap(shared, sizeof *shared);
}

int64_t torquec_shared_clock(void)
{
    return torquec_monotonic();
}

void torquec_shared_publish(torquec_shared *shared, const torquec_sample *sample)
{
    shared->samples[shared->sample_buffer.writer & TORQUEC_TRIPLE_SLOT] = *sample;
    torquec_triple_publish(&shared->sample_buffer);
}

int torquec_shared_take(torquec_shared *shared, double *tau, int64_t *time)
{
    const torquec_shared_torque *newest;
    if (!torquec_triple_take(&shared->torque_buffer)) {
        return 0;
    }
    newest = &shared->torques[shared->torque_buffer.reader & TORQUEC_TRIPLE_SLOT];
    (void)memcpy(tau, newest->tau, (size_t)shared->joints*sizeof(double));
    *time = newest->time;
    return 1;
}

int torquec_shared_is_stopped(const torquec_shared *shared)
{
    return atomic_load(&shared->stopped) != 0u;
}

/* --- the driver ---------------------------------------------------------------------------------------------------- */

static int shared_read(void *self, torquec_sample *sample)
{
    torquec_shared *shared = self;
    if (!torquec_triple_take(&shared->sample_buffer)) {
        return TORQUEC_NOTHING_NEW;
    }
    *sample = shared->samples[shared->sample_buffer.reader & TORQUEC_TRIPLE_SLOT];
    return TORQUEC_OK;
}

static int shared_write(void *self, const double *tau)
{
    torquec_shared *shared = self;
    torquec_shared_torque *next = &shared->torques[shared->torque_buffer.writer & TORQUEC_TRIPLE_SLOT];
    next->time = torquec_monotonic();
    (void)memset(next->tau, 0, sizeof next->tau);
    (void)memcpy(next->tau, tau, (size_t)shared->joints*sizeof(double));
    torquec_triple_publish(&shared->torque_buffer);
    return TORQUEC_OK;
}

static int64_t shared_clock(void *self)
{
    (void)self;
    return torquec_monotonic();
}

/* A new sample begins the robot's cycle. It is polled for: a process that died would never wake the loop. */
static int shared_await(void *self, int64_t latest)
{
    torquec_shared *shared = self;
    int64_t now = torquec_monotonic();
    int64_t poll = (latest - now)/POLLS_PER_WAIT;
    poll = poll > SHORTEST_POLL ? poll : SHORTEST_POLL;
    while ((atomic_load_explicit(&shared->sample_buffer.between, memory_order_relaxed) & TORQUEC_TRIPLE_FRESH) == 0u) {
        if (now >= latest) {
            return TORQUEC_NOTHING_NEW;
        }
        torquec_sleep_until(now + poll < latest ? now + poll : latest);
        now = torquec_monotonic();
    }
    return TORQUEC_OK;
}

static void shared_stop(void *self)
{
    torquec_shared *shared = self;
    atomic_store(&shared->stopped, 1u);
}

void torquec_shared_driver(torquec_shared *shared, torquec_driver *driver)
{
    driver->self = shared;
    driver->joints = shared->joints;
    driver->read = shared_read;
    driver->write = shared_write;
    driver->clock = shared_clock;
    driver->await = shared_await;
    driver->sleep_until = NULL;
    driver->stop = shared_stop;
}
