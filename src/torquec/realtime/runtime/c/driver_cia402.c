/* Driver for drives with the CiA 402 profile; see driver_cia402.h. Written by torquec. */
#include "driver_cia402.h"

#include "torquec_loop.h"

#include <stddef.h>
#include <string.h>

#define TURN 6.283185307179586
#define PER_MILLE 1000.0

/* Controlwords. */
#define DISABLE_VOLTAGE 0x0000u
#define SHUTDOWN 0x0006u
#define SWITCH_ON 0x0007u
#define ENABLE_OPERATION 0x000fu
#define FAULT_RESET 0x0080u /* acts on its rising edge */

int torquec_cia402_state(uint16_t statusword)
{
    switch (statusword & 0x4fu) {
    case 0x40u:
        return TORQUEC_CIA402_SWITCH_ON_DISABLED;
    case 0x0fu:
        return TORQUEC_CIA402_FAULT_REACTION;
    case 0x08u:
        return TORQUEC_CIA402_FAULTED;
    default:
        break;
    }
    switch (statusword & 0x6fu) {
    case 0x21u:
        return TORQUEC_CIA402_READY_TO_SWITCH_ON;
    case 0x23u:
        return TORQUEC_CIA402_SWITCHED_ON;
    case 0x27u:
        return TORQUEC_CIA402_OPERATION_ENABLED;
    case 0x07u:
        return TORQUEC_CIA402_QUICK_STOP;
    default:
        return TORQUEC_CIA402_NOT_READY;
    }
}

uint16_t torquec_cia402_towards_enabled(uint16_t statusword, uint16_t controlword)
{
    switch (torquec_cia402_state(statusword)) {
    case TORQUEC_CIA402_SWITCH_ON_DISABLED:
        return SHUTDOWN;
    case TORQUEC_CIA402_READY_TO_SWITCH_ON:
        return SWITCH_ON;
    case TORQUEC_CIA402_SWITCHED_ON:
    case TORQUEC_CIA402_OPERATION_ENABLED:
        return ENABLE_OPERATION;
    case TORQUEC_CIA402_FAULTED:
        return controlword == FAULT_RESET ? DISABLE_VOLTAGE : FAULT_RESET;
    default:
        return DISABLE_VOLTAGE;
    }
}

double torquec_cia402_position(const torquec_cia402_axis *axis, int64_t counts)
{
    return (double)axis->direction*TURN*(double)(counts - axis->zero)/(axis->counts_per_turn*axis->gear);
}

double torquec_cia402_speed(const torquec_cia402_axis *axis, int32_t counts_per_second)
{
    return (double)axis->direction*TURN*(double)counts_per_second/(axis->counts_per_turn*axis->gear);
}

int16_t torquec_cia402_torque(const torquec_cia402_axis *axis, double tau)
{
    const double most = axis->most_per_mille < 32767.0 ? axis->most_per_mille : 32767.0;
    double wanted = (double)axis->direction*PER_MILLE*(tau/axis->gear)/axis->rated_torque;
    if (!(wanted == wanted)) {
        return 0; /* NaN: the guards never send it; a driver without guards must not send it either */
    }
    wanted = wanted > most ? most : wanted;
    wanted = wanted < -most ? -most : wanted;
    return (int16_t)wanted; /* rounds towards zero */
}

int64_t torquec_cia402_unwrapped(int64_t before, int32_t position)
{
    const uint32_t moved = (uint32_t)position - (uint32_t)(uint64_t)before;
    return before + (moved < 0x80000000u ? (int64_t)moved : (int64_t)moved - 0x100000000);
}

static int exchange(torquec_cia402 *drives)
{
    int64_t k;
    if (drives->bus.exchange(drives->bus.self, drives->outputs, drives->inputs, drives->joints) != 0) {
        return 0;
    }
    for (k = 0; k < drives->joints; ++k) {
        const int32_t now = drives->inputs[k].position;
        drives->counts[k] = drives->has_counts ? torquec_cia402_unwrapped(drives->counts[k], now) : now;
    }
    drives->has_counts = 1;
    return 1;
}

static int all_enabled(const torquec_cia402 *drives)
{
    int64_t k;
    for (k = 0; k < drives->joints; ++k) {
        if (torquec_cia402_state(drives->inputs[k].statusword) != TORQUEC_CIA402_OPERATION_ENABLED
            || drives->inputs[k].mode != TORQUEC_CIA402_CST) {
            return 0;
        }
    }
    return 1;
}

int torquec_cia402_enable(torquec_cia402 *drives, int cycles, void (*wait)(void))
{
    int cycle;
    int64_t k;
    (void)memset(drives->outputs, 0, sizeof drives->outputs);
    drives->has_counts = 0;
    atomic_store(&drives->stopped, 0u);
    for (cycle = 0; cycle < cycles; ++cycle) {
        if (!exchange(drives)) {
            return 0;
        }
        if (all_enabled(drives)) {
            return 1;
        }
        for (k = 0; k < drives->joints; ++k) {
            torquec_cia402_outputs *output = &drives->outputs[k];
            output->mode = TORQUEC_CIA402_CST;
            output->torque = 0;
            output->controlword =
                torquec_cia402_towards_enabled(drives->inputs[k].statusword, output->controlword);
        }
        if (wait != NULL) {
            wait();
        }
    }
    return 0;
}

int torquec_cia402_disable(torquec_cia402 *drives, int cycles, void (*wait)(void))
{
    int cycle;
    int64_t k;
    for (cycle = 0; cycle < cycles; ++cycle) {
        int enabled = 0;
        for (k = 0; k < drives->joints; ++k) {
            drives->outputs[k].torque = 0;
            drives->outputs[k].controlword = DISABLE_VOLTAGE;
        }
        if (!exchange(drives)) {
            return 0;
        }
        for (k = 0; k < drives->joints; ++k) {
            enabled |= torquec_cia402_state(drives->inputs[k].statusword) == TORQUEC_CIA402_OPERATION_ENABLED;
        }
        if (!enabled) {
            return 1;
        }
        if (wait != NULL) {
            wait();
        }
    }
    return 0;
}

/* --- the driver ---------------------------------------------------------------------------------------------------- */

/* Use the states from the last exchange: there is one exchange per cycle, when torques are written. */
static int cia402_read(void *self, torquec_sample *sample)
{
    torquec_cia402 *drives = self;
    int64_t k;
    if (!drives->has_counts) {
        return TORQUEC_NOTHING_NEW;
    }
    if (!all_enabled(drives) || atomic_load(&drives->stopped)) {
        return TORQUEC_BROKEN;
    }
    sample->time = torquec_monotonic();
    for (k = 0; k < drives->joints; ++k) {
        sample->q[k] = torquec_cia402_position(&drives->axes[k], drives->counts[k]);
        sample->qd[k] = torquec_cia402_speed(&drives->axes[k], drives->inputs[k].velocity);
    }
    return TORQUEC_OK;
}

static int cia402_write(void *self, const double *tau)
{
    torquec_cia402 *drives = self;
    int64_t k;
    for (k = 0; k < drives->joints; ++k) {
        const int stopped = atomic_load(&drives->stopped) != 0u;
        drives->outputs[k].mode = TORQUEC_CIA402_CST;
        drives->outputs[k].controlword = stopped ? DISABLE_VOLTAGE : ENABLE_OPERATION;
        drives->outputs[k].torque = stopped ? 0 : torquec_cia402_torque(&drives->axes[k], tau[k]);
    }
    return exchange(drives) ? TORQUEC_OK : TORQUEC_BROKEN;
}

static int64_t cia402_clock(void *self)
{
    (void)self;
    return torquec_monotonic();
}

static int cia402_await(void *self, int64_t latest)
{
    torquec_cia402 *drives = self;
    return drives->bus.await(drives->bus.self, latest);
}

/* Only sets a flag: the next write of torques then disables the drives' voltage instead, and so does
 * torquec_cia402_disable. Two threads must not use the bus, so no other thread can help when the master hangs: the
 * process-data watchdog of the drives must detect that. */
static void cia402_stop(void *self)
{
    torquec_cia402 *drives = self;
    atomic_store(&drives->stopped, 1u);
}

void torquec_cia402_driver(torquec_cia402 *drives, torquec_driver *driver)
{
    driver->self = drives;
    driver->joints = drives->joints;
    driver->read = cia402_read;
    driver->write = cia402_write;
    driver->clock = cia402_clock;
    driver->await = drives->bus.await == NULL ? NULL : cia402_await;
    driver->sleep_until = NULL;
    driver->stop = cia402_stop;
}
