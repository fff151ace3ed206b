/* Guards; see torquec_guard.h. Written by torquec. */
#include "torquec_guard.h"

#include <stddef.h>
#include <string.h>

#define NANOSECOND 1e-9
#define DRIFT_KEPT 0.98 /* share of the drift that each cycle keeps: a memory of about fifty cycles */
#define STILL_TIME 0.1  /* [s] in which integrated speeds fade while a position stays the same */
#define LEAD_PERIODS 8  /* cycles that may come early, beyond those after a late one */
#define SPEED_MARGIN 1.5 /* multiple of the speed limit above which a change of position is a jump */

static int is_finite(double value)
{
    uint64_t bits;
    (void)memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
}

static double size_of(double value)
{
    return value < 0.0 ? -value : value;
}

static int differs(double a, double b)
{
    return a < b || a > b;
}

/* a - b without overflow, even for impossible times from a faulty clock. */
static int64_t elapsed(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

int torquec_all_finite(const double *numbers, int count)
{
    int k, all = 1;
    for (k = 0; k < count; ++k) {
        all &= is_finite(numbers[k]);
    }
    return all;
}

double torquec_limited(double wanted, double before, double limit, double step)
{
    double low = before - step, high = before + step;
    if (!is_finite(wanted)) {
        return before;
    }
    if (low < -limit) {
        low = -limit;
    }
    if (high > limit) {
        high = limit;
    }
    if (wanted > high) {
        return high;
    }
    return wanted < low ? low : wanted;
}

int torquec_watchdog_step(torquec_watchdog *watchdog, uint64_t beat, int64_t now, int64_t patience)
{
    if (beat != watchdog->beat) {
        watchdog->beat = beat;
        watchdog->since = now;
        return 0;
    }
    return elapsed(now, watchdog->since) > patience;
}

void torquec_guard_start(torquec_guard *guard, int64_t now)
{
    (void)memset(guard, 0, sizeof *guard);
    guard->last = now;
    guard->heard = now;
}

/* The speed, integrated since the position last changed. A working encoder changes before this exceeds its step. Older
 * speeds fade, so that a small speed offset at standstill does not add up. */
static double carried_by(const torquec_guard *guard, const torquec_sample *sample, int k, double dt)
{
    const double kept = dt < STILL_TIME ? 1.0 - dt/STILL_TIME : 0.0;
    if (differs(sample->q[k], guard->q[k])) {
        return 0.0;
    }
    return kept*guard->carried[k] + 0.5*(sample->qd[k] + guard->qd[k])*dt;
}

/* Faults of positions, compared with the last ones and with the speeds. */
static uint32_t motion_faults(const torquec_limits *limits, const torquec_guard *guard, const torquec_sample *sample)
{
    const double dt = (double)elapsed(sample->time, guard->sample)*NANOSECOND;
    uint32_t found = 0u;
    int k;
    for (k = 0; k < limits->joints; ++k) {
        const double moved = sample->q[k] - guard->q[k];
        const double drift = DRIFT_KEPT*guard->drift[k] + (moved - 0.5*(sample->qd[k] + guard->qd[k])*dt);
        if (size_of(moved) > SPEED_MARGIN*limits->speed[k]*dt + limits->slack[k]) {
            found |= TORQUEC_STATE_JUMP;
        }
        if (size_of(drift) > limits->slack[k]) {
            found |= TORQUEC_STATE_INCONSISTENT;
        }
        if (size_of(carried_by(guard, sample, k, dt)) > limits->resolution[k]) {
            found |= TORQUEC_STATE_FROZEN;
        }
    }
    return found;
}

uint32_t torquec_sample_faults(const torquec_limits *limits, const torquec_guard *guard, const torquec_sample *sample,
    int64_t now)
{
    uint32_t found = 0u;
    int k;
    if (!torquec_all_finite(sample->q, limits->joints) || !torquec_all_finite(sample->qd, limits->joints)) {
        return TORQUEC_STATE_NOT_FINITE;
    }
    if (elapsed(now, sample->time) > limits->oldest_sample || sample->time > now
        || (guard->has_sample && sample->time < guard->sample)) {
        found |= TORQUEC_STATE_STALE;
    } else if (guard->has_sample) {
        found |= motion_faults(limits, guard, sample);
    }
    for (k = 0; k < limits->joints; ++k) {
        if (sample->q[k] < limits->lower[k] || sample->q[k] > limits->upper[k]) {
            found |= TORQUEC_POSITION_LIMIT;
        }
        if (size_of(sample->qd[k]) > limits->speed[k]) {
            found |= TORQUEC_SPEED_LIMIT;
        }
    }
    return found;
}

/* Only valid samples are kept: a jump is measured from the last valid one. */
static void keep_sample(const torquec_limits *limits, torquec_guard *guard, const torquec_sample *sample)
{
    const double dt = guard->has_sample ? (double)elapsed(sample->time, guard->sample)*NANOSECOND : 0.0;
    int k;
    for (k = 0; k < limits->joints; ++k) {
        const double moved = guard->has_sample ? sample->q[k] - guard->q[k] : 0.0;
        guard->drift[k] = DRIFT_KEPT*guard->drift[k] + (moved - 0.5*(sample->qd[k] + guard->qd[k])*dt);
        guard->carried[k] = guard->has_sample ? carried_by(guard, sample, k, dt) : 0.0;
        guard->q[k] = sample->q[k];
        guard->qd[k] = sample->qd[k];
    }
    guard->sample = sample->time;
    guard->has_sample = 1;
}

/* Faults of positions, compared with the reference: speeds that are differences of positions freeze with the positions.
 * Only new samples count; call this before keep_sample. */
static uint32_t reference_faults(const torquec_limits *limits, torquec_guard *guard, const torquec_guard_input *input)
{
    uint32_t found = 0u;
    int k;
    if (guard->has_reference && guard->has_sample && input->sample->time == guard->sample) {
        return 0u;
    }
    for (k = 0; k < limits->joints; ++k) {
        if (!guard->has_reference || !guard->has_sample || differs(input->sample->q[k], guard->q[k])) {
            guard->anchor[k] = input->reference[k];
        } else if (size_of(input->reference[k] - guard->anchor[k]) > limits->unmoved[k]) {
            found |= TORQUEC_STATE_FROZEN;
        }
    }
    guard->has_reference = 1;
    return found;
}

/* Faults of clock and loop, from the time since the last cycle. */
static uint32_t time_faults(const torquec_limits *limits, torquec_guard *guard, int64_t gap)
{
    uint32_t found = 0u;
    if (gap <= 0) {
        return TORQUEC_CLOCK;
    }
    if (gap > limits->period + limits->period/2) {
        guard->missed += (uint64_t)((gap - limits->period/2)/limits->period);
    }
    if (gap > limits->longest_gap) {
        found |= TORQUEC_OVERRUN;
    }
    /* Early cycles may follow a late one, but a driver must not call too fast for long. */
    guard->lead += limits->period - gap;
    if (guard->lead < 0) {
        guard->lead = 0;
    }
    if (guard->lead > limits->longest_gap + LEAD_PERIODS*limits->period) {
        found |= TORQUEC_CLOCK;
    }
    return found;
}

/* Clamp the torques of the law; returns faults of law and power. */
static uint32_t law_faults(const torquec_limits *limits, torquec_guard *guard, const torquec_guard_input *input, double dt,
    double *tau)
{
    double power = 0.0;
    int k, torque = 0, rate = 0;
    if (!torquec_all_finite(input->wanted, limits->joints)) {
        return TORQUEC_LAW_NOT_FINITE;
    }
    for (k = 0; k < limits->joints; ++k) {
        const double wanted = input->wanted[k], step = limits->rate[k]*dt;
        tau[k] = torquec_limited(wanted, guard->tau[k], limits->torque[k], step);
        torque |= size_of(wanted) > limits->torque[k];
        rate |= size_of(wanted - guard->tau[k]) > step;
        if (tau[k]*input->sample->qd[k] > 0.0) {
            power += tau[k]*input->sample->qd[k];
        }
    }
    guard->clamped_torque += (uint64_t)torque;
    guard->clamped_rate += (uint64_t)rate;
    return power > limits->power ? TORQUEC_POWER_LIMIT : 0u;
}

/* The torques of a stop: held, then decreasing linearly to zero. */
static void stop_torque(const torquec_limits *limits, torquec_guard *guard, const double *qd, double dt, double *tau)
{
    double share = 0.0;
    int k;
    ++guard->cycles;
    if (guard->mode == TORQUEC_HOLD && guard->cycles > limits->hold_cycles) {
        guard->mode = TORQUEC_RAMP;
        guard->cycles = 1;
    }
    if (guard->mode == TORQUEC_RAMP && guard->cycles > limits->ramp_cycles) {
        guard->mode = TORQUEC_STOPPED;
        guard->cycles = 1;
    }
    if (guard->mode == TORQUEC_HOLD) {
        share = 1.0;
    } else if (guard->mode == TORQUEC_RAMP) {
        share = 1.0 - (double)guard->cycles/(double)limits->ramp_cycles;
    }
    for (k = 0; k < limits->joints; ++k) {
        double wanted = share*guard->held[k];
        if (guard->mode == TORQUEC_RAMP && qd != NULL) {
            wanted -= limits->damping[k]*qd[k];
        }
        tau[k] = torquec_limited(wanted, guard->tau[k], limits->torque[k], limits->rate[k]*dt);
    }
}

void torquec_guard_step(const torquec_limits *limits, torquec_guard *guard, const torquec_guard_input *input, double *tau)
{
    const int64_t gap = elapsed(input->now, guard->last);
    /* An early cycle may change the torque less; a late one, or one without a usable clock, counts as one period. */
    const double dt = (double)(gap > 0 && gap < limits->period ? gap : limits->period)*NANOSECOND;
    uint32_t found = input->faults, sample_found = 0u;
    const double *qd = NULL;

    if (guard->started) {
        found |= time_faults(limits, guard, gap);
    }
    if (input->sample != NULL) {
        sample_found = torquec_sample_faults(limits, guard, input->sample, input->now);
        guard->heard = input->now;
        if ((sample_found & ~(uint32_t)(TORQUEC_POSITION_LIMIT | TORQUEC_SPEED_LIMIT)) == 0u) {
            if (guard->mode == TORQUEC_RUN && input->reference != NULL) {
                found |= reference_faults(limits, guard, input);
            }
            keep_sample(limits, guard, input->sample);
            qd = guard->qd;
        }
        found |= sample_found;
    } else {
        ++guard->blind;
        if (elapsed(input->now, guard->heard) > limits->longest_blind) {
            found |= TORQUEC_STATE_MISSING;
        }
    }
    if (guard->mode == TORQUEC_RUN && found == 0u) {
        if (input->sample != NULL && input->wanted != NULL) {
            found |= law_faults(limits, guard, input, dt, tau);
        } else {
            (void)memcpy(tau, guard->tau, (size_t)limits->joints*sizeof *tau);
        }
    }
    if (guard->mode == TORQUEC_RUN && found != 0u) {
        guard->mode = TORQUEC_HOLD;
        guard->cycles = 0;
        guard->first_faults = found;
        (void)memcpy(guard->held, guard->tau, sizeof guard->held);
    }
    guard->faults |= found;
    if (guard->mode != TORQUEC_RUN) {
        stop_torque(limits, guard, qd, dt, tau);
    }
    (void)memcpy(guard->tau, tau, (size_t)limits->joints*sizeof *tau);
    guard->last = input->now;
    guard->started = 1;
    ++guard->steps;
}

int torquec_guard_is_off(const torquec_limits *limits, const torquec_guard *guard)
{
    int k;
    if (guard->mode != TORQUEC_STOPPED) {
        return 0;
    }
    for (k = 0; k < limits->joints; ++k) {
        if (guard->tau[k] < 0.0 || guard->tau[k] > 0.0) {
            return 0;
        }
    }
    return 1;
}
