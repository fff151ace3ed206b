/* Faults on a virtual clock: every run is a robot that follows a motion until something goes wrong at a random cycle.
 *
 * usage: fault_injection RUNS [SEED]
 *
 * Looked at in every cycle of every run: torques finite, within their limits, changed by no more than rate x time. Of every
 * fault is known in which cycle it is beyond what is tolerated, if it is at all: until then the guards must let the robot
 * run, and at most one cycle later the stop must have begun; the torque is then held, ramped down, and zero in the end.
 * This file shares nothing with the guards but their interface.
 */
#include "torquec_cycle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 6
#define CYCLES 160
#define NEVER 1000000
#define PERIOD 1000000L
#define BACKGROUND 5 /* cycles */
#define OLDEST 20000000L
#define GAP 3500000L
#define BLIND 2500000L
#define HOLD 5
#define RAMP 40
#define ENCODER_STEP 0.0015
#define RESOLUTION 0.002
#define UNMOVED 0.01
#define SURELY 0.002 /* more than the reference moves in two cycles */

enum {
    NOTHING, LATE_BACKGROUND, KILLED_BACKGROUND, NAN_COEFFICIENTS, OLD_COEFFICIENTS, FOREIGN_COEFFICIENTS, SENSOR_JUMP,
    SENSOR_NAN, FROZEN_SENSOR, LYING_SPEED, OLD_SAMPLES, FUTURE_SAMPLES, NO_SAMPLES, MISSED_CYCLES, CLOCK_BACK, CLOCK_STANDS,
    CLOCK_AHEAD, CLOCK_ABSURD, NAN_REFERENCE, HUGE_REFERENCE, DRIVER_FAULT, TOO_FAST, BEYOND_LIMITS, TOO_MUCH_POWER, STORM,
    FROZEN_STILL, STANDSTILL, COARSE_ENCODER, KINDS
};

static const char *const names[KINDS] = {
    "nothing", "late_background", "killed_background", "nan_coefficients", "old_coefficients", "foreign_coefficients",
    "sensor_jump", "sensor_nan", "frozen_sensor", "lying_speed", "old_samples", "future_samples", "no_samples",
    "missed_cycles", "clock_back", "clock_stands", "clock_ahead", "clock_absurd", "nan_reference", "huge_reference",
    "driver_fault", "too_fast", "beyond_limits", "too_much_power", "storm", "frozen_still", "standstill", "coarse_encoder"
};

/* What the stop must be said to be for. */
static const uint32_t reasons[KINDS] = {
    [LATE_BACKGROUND] = TORQUEC_COEFFICIENTS, [KILLED_BACKGROUND] = TORQUEC_COEFFICIENTS,
    [NAN_COEFFICIENTS] = TORQUEC_COEFFICIENTS, [OLD_COEFFICIENTS] = TORQUEC_COEFFICIENTS,
    [FOREIGN_COEFFICIENTS] = TORQUEC_COEFFICIENTS, [SENSOR_JUMP] = TORQUEC_STATE_JUMP,
    [SENSOR_NAN] = TORQUEC_STATE_NOT_FINITE, [FROZEN_SENSOR] = TORQUEC_STATE_FROZEN, [FROZEN_STILL] = TORQUEC_STATE_FROZEN,
    [LYING_SPEED] = TORQUEC_STATE_INCONSISTENT, [OLD_SAMPLES] = TORQUEC_STATE_STALE, [FUTURE_SAMPLES] = TORQUEC_STATE_STALE,
    [NO_SAMPLES] = TORQUEC_STATE_MISSING, [MISSED_CYCLES] = TORQUEC_OVERRUN, [CLOCK_BACK] = TORQUEC_CLOCK,
    [CLOCK_STANDS] = TORQUEC_CLOCK, [CLOCK_AHEAD] = TORQUEC_OVERRUN, [CLOCK_ABSURD] = TORQUEC_CLOCK | TORQUEC_OVERRUN,
    [HUGE_REFERENCE] = TORQUEC_SPEED_LIMIT | TORQUEC_POSITION_LIMIT | TORQUEC_POWER_LIMIT,
    [NAN_REFERENCE] = TORQUEC_LAW_NOT_FINITE, [DRIVER_FAULT] = TORQUEC_DRIVER, [TOO_FAST] = TORQUEC_SPEED_LIMIT,
    [BEYOND_LIMITS] = TORQUEC_POSITION_LIMIT, [TOO_MUCH_POWER] = TORQUEC_POWER_LIMIT, [STORM] = TORQUEC_CLOCK
};

static unsigned long long seed = 1u;
static double unit(void)
{
    seed = seed*6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed >> 11)/9007199254740992.0;
}
static long whole(long from, long to) { return from + (long)(unit()*(double)(to - from + 1)); }

static double reference[CYCLES + 1][3*N];
static long row_at(int64_t now)
{
    const long row = (long)floor((double)(now - 1000000000L)/PERIOD + 0.5);
    return row < 0 ? 0 : row > CYCLES ? CYCLES : row;
}
static double numbers[3][N], held_numbers[N];
static torquec_channel channel;

static void law_function(const double *const *in, double *const *out)
{
    int k;
    for (k = 0; k < N; ++k) {
        const double qdd = in[2][k] + 100.0*(in[0][k] - in[3][k]) + 20.0*(in[1][k] - in[4][k]);
        out[1][k] = qdd;
        out[0][k] = (2.0 - 0.2*k)*qdd + in[5][k];
    }
}

static void background_function(const double *const *in, double *const *out)
{
    int k;
    for (k = 0; k < N; ++k) {
        out[0][k] = 4.0*sin(in[0][k]) + 0.1*in[1][k];
    }
}

static void fill_limits(torquec_limits *limits)
{
    int k;
    memset(limits, 0, sizeof *limits);
    limits->joints = N;
    limits->hold_cycles = HOLD;
    limits->ramp_cycles = RAMP;
    limits->period = PERIOD;
    limits->longest_gap = GAP;
    limits->longest_blind = BLIND;
    limits->oldest_sample = 2*PERIOD;
    limits->power = 200.0;
    for (k = 0; k < N; ++k) {
        limits->torque[k] = 30.0 - k;
        limits->rate[k] = 2000.0 - 100.0*k;
        limits->lower[k] = -2.0;
        limits->upper[k] = 2.0;
        limits->speed[k] = 3.0;
        limits->slack[k] = 0.02;
        limits->resolution[k] = RESOLUTION;
        limits->unmoved[k] = UNMOVED;
        limits->damping[k] = k%2 == 0 ? 0.0 : 1.0;
    }
}

static int failed(int kind, long run, long cycle, const char *what)
{
    printf("{\"failed\": \"%s\", \"fault\": \"%s\", \"run\": %ld, \"cycle\": %ld}\n", what, names[kind], run, cycle);
    return 0;
}

static int one_run(long run, int kind)
{
    const double bad[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    torquec_limits limits;
    torquec_law law;
    torquec_cycle cycle;
    torquec_sample sample, seen;
    torquec_motion first;
    double tau[N], before[N] = {0}, at_stop[N] = {0};
    const long start = whole(2, 60);
    const int joint = (int)whole(0, N - 1);
    const double size = unit();
    long length = whole(1, 50), k, due = NEVER, stopped = NEVER;
    int64_t truth = 1000000000L, clock_error = 0, frozen_now = 0, last_write, told, valid;
    int j;
    const double amplitude = kind == NOTHING || kind == COARSE_ENCODER ? 0.1 : kind == STANDSTILL ? 0.0 : 0.1*unit();
    double frozen_q = 0.0, frozen_reference = 0.0, away = 0.0;

    fill_limits(&limits);
    memset(&law, 0, sizeof law);
    law.law = law_function;
    law.background = background_function;
    law.robot = 42u;
    law.reference_period = PERIOD;
    law.rows = CYCLES + 1;
    law.reference = &reference[0][0];
    law.coefficients = held_numbers;
    law.parts = 3;
    law.part_sizes[0] = law.part_sizes[1] = law.part_sizes[2] = N;
    law.coefficients_size = N;
    law.oldest_coefficients = OLDEST;
    law.channel = &channel;
    law.joint_positions = 1;
    memset(&channel, 0, sizeof channel);
    torquec_channel_start(&channel);
    for (j = 0; j < 3; ++j) {
        channel.coefficients[j].numbers = numbers[j];
    }
    for (k = 0; k <= CYCLES; ++k) {
        for (j = 0; j < N; ++j) {
            const double w = 4.0 + j, t = 1e-3*(double)k;
            reference[k][j] = amplitude*(1.0 - cos(w*t));
            reference[k][N + j] = amplitude*w*sin(w*t);
            reference[k][2*N + j] = amplitude*w*w*cos(w*t);
        }
    }
    memset(&sample, 0, sizeof sample);
    memset(&first, 0, sizeof first);
    sample.time = first.time = truth;
    torquec_cycle_start(&cycle, truth);
    if (!torquec_background_at(&law, &first)) {
        return failed(kind, run, 0, "no first coefficients");
    }
    last_write = truth - PERIOD;
    told = valid = truth;

    /* What goes wrong, and from which cycle on it is more than is tolerated. */
    switch (kind) {
    case DRIVER_FAULT: case CLOCK_BACK: case CLOCK_STANDS: case CLOCK_ABSURD: case FUTURE_SAMPLES: case SENSOR_NAN:
    case TOO_FAST: case BEYOND_LIMITS: case SENSOR_JUMP:
        due = start;
        break;
    default:
        break;
    }
    if (kind == NAN_REFERENCE) {
        for (k = start; k <= CYCLES; ++k) {
            reference[k][(int)(size*3*N)] = bad[whole(0, 2)];
        }
    }
    if (kind == HUGE_REFERENCE) {
        const double one_way = unit() < 0.5 ? -1.0 : 1.0; /* in half of the runs: torques then come to their limits */
        for (k = start; k <= CYCLES; ++k) {
            reference[k][2*N + joint] += (size < 0.5 ? one_way : unit() < 0.5 ? -1.0 : 1.0)*pow(10.0, 6.0*unit());
        }
    }
    if (kind == TOO_MUCH_POWER) {
        limits.power = 0.5*size;
    }

    for (k = 0; k < CYCLES; ++k) {
        uint32_t faults = 0u;
        int64_t now;
        const torquec_sample *given = &seen;
        double power = 0.0;
        const int active = k >= start && k < start + length;

        if (k > 0) {
            truth += PERIOD + (int64_t)((unit() - 0.5)*0.2*(double)PERIOD);
        }
        if (kind == MISSED_CYCLES && k == start) {
            const long missed = whole(0, 20);
            truth += missed*PERIOD;
            if (truth - last_write > GAP) {
                due = k;
            }
        }
        if (kind == STORM && k >= start) {
            truth = last_write + 1000;
            if ((k - start)*(PERIOD - 1000) > GAP + 9*PERIOD && due == NEVER) {
                due = k + 1;
            }
        }
        if (kind == CLOCK_BACK && k == start) {
            clock_error = -(int64_t)(1.3*(double)PERIOD) - (int64_t)(size*1e12);
        }
        if (kind == CLOCK_AHEAD && k == start) {
            clock_error = (int64_t)(size*1e10);
            if (truth + clock_error - last_write > GAP) {
                due = k;
            }
        }
        if (kind == CLOCK_ABSURD && k >= start) {
            clock_error = unit() < 0.5 ? INT64_MAX - truth : INT64_MIN + 1;
        }
        now = truth + (kind == CLOCK_ABSURD && clock_error < 0 ? 0 : clock_error);
        if (kind == CLOCK_ABSURD && clock_error < 0) {
            now = INT64_MIN + 1;
        }
        if (kind == CLOCK_STANDS && k >= start) {
            now = frozen_now;
        }
        frozen_now = now;

        /* The robot moves with the torque that was sent last. */
        for (j = 0; j < N; ++j) {
            const double dt = 1e-9*(double)(truth - last_write);
            const double qdd = (before[j] - 4.0*sin(sample.q[j]) - 0.1*sample.qd[j])/(2.0 - 0.2*j);
            sample.q[j] += dt*(sample.qd[j] + 0.5*dt*qdd);
            sample.qd[j] += dt*qdd;
        }
        sample.time = now;
        if (kind != FROZEN_SENSOR || k < start) {
            seen = sample;
        }
        seen.time = now;
        switch (k >= start ? kind : NOTHING) {
        case SENSOR_JUMP:
            seen.q[joint] += (size < 0.5 ? -1.0 : 1.0)*(0.05 + size);
            break;
        case SENSOR_NAN:
            (size < 0.5 ? seen.q : seen.qd)[joint] = bad[k%3];
            break;
        case FROZEN_SENSOR:
            seen.qd[joint] = 1.0 + size;
            if (due == NEVER && k - start >= 3) { /* at least 1 rad/s for 3 ms, and no motion */
                due = k;
            }
            break;
        case FROZEN_STILL: /* as where speeds are differences of positions */
            seen.q[joint] = frozen_q;
            seen.qd[joint] = 0.0;
            away = fabs(reference[row_at(now)][joint] - frozen_reference);
            if (due == NEVER && away > UNMOVED + SURELY) {
                due = k;
            }
            break;
        case LYING_SPEED:
            seen.qd[joint] = sample.qd[joint] < 0.0 ? 1.9 : -1.9;
            if (due == NEVER && k - start >= 40) {
                due = k;
            }
            break;
        case OLD_SAMPLES:
            seen.time = now - (k - start)*PERIOD;
            if ((seen.time < now - 2*PERIOD || seen.time < told) && due == NEVER) {
                due = k;
            }
            break;
        case FUTURE_SAMPLES:
            seen.time = now + 1 + (int64_t)(size*1e9);
            break;
        case NO_SAMPLES:
            if (active) {
                given = NULL;
                due = due == NEVER && k - start >= 3 ? k : due; /* cycles jitter by a tenth: three are surely too long */
            }
            break;
        case DRIVER_FAULT:
            faults = TORQUEC_DRIVER;
            break;
        case TOO_FAST:
            seen.qd[joint] = size < 0.5 ? 3.1 : -3.1;
            break;
        case BEYOND_LIMITS:
            seen.q[joint] = size < 0.5 ? 2.1 : -2.1;
            break;
        default:
            break;
        }

        if (kind == STANDSTILL || kind == COARSE_ENCODER) {
            for (j = 0; j < N; ++j) {
                seen.q[j] = ENCODER_STEP*floor(sample.q[j]/ENCODER_STEP + 0.5);
                seen.qd[j] += 0.01 + 0.1*(unit() - 0.5);
            }
        }
        if (kind == FROZEN_STILL && k < start) {
            frozen_q = seen.q[joint];
            frozen_reference = reference[row_at(now)][joint];
        }

        /* The background, and what became of it. */
        if (k%BACKGROUND == 0) {
            torquec_coefficients *made = &channel.coefficients[channel.coefficient_buffer.writer];
            const int wrong = k >= start;
            if (wrong && (kind == LATE_BACKGROUND ? active : kind == KILLED_BACKGROUND)) {
                /* nothing comes */
            } else if (wrong && (kind == NAN_COEFFICIENTS || kind == OLD_COEFFICIENTS || kind == FOREIGN_COEFFICIENTS)) {
                memset(made->numbers, 0, sizeof numbers[0]);
                made->robot = kind == FOREIGN_COEFFICIENTS && size < 0.5 ? 43u : 42u;
                made->size = kind == FOREIGN_COEFFICIENTS && size >= 0.5 ? N + 1 : N;
                made->time = kind == OLD_COEFFICIENTS ? now - OLDEST - 1 - (int64_t)(size*1e9) : now;
                if (kind == NAN_COEFFICIENTS) {
                    made->numbers[joint] = bad[k%3];
                }
                torquec_triple_publish(&channel.coefficient_buffer);
            } else if (torquec_background_step(&law)) {
                valid = told;
            }
        }
        if ((kind == LATE_BACKGROUND || kind == KILLED_BACKGROUND || kind == NAN_COEFFICIENTS || kind == OLD_COEFFICIENTS
             || kind == FOREIGN_COEFFICIENTS) && due == NEVER && now - valid > OLDEST) {
            due = k;
        }

        if (kind == NAN_REFERENCE && due == NEVER && floor((double)(now - 1000000000L)/PERIOD + 0.5 - 1e-3) >= (double)start) {
            due = k;
        }
        torquec_cycle_step(&limits, &law, &cycle, given, now, faults, tau);

        for (j = 0; j < N; ++j) {
            const double dt = 1e-9*(double)(truth - last_write < PERIOD ? truth - last_write : PERIOD);
            if (!(fabs(tau[j]) <= limits.torque[j])) { /* also for what is not a number */
                return failed(kind, run, k, isfinite(tau[j]) ? "torque above its limit" : "a torque that is not finite");
            }
            if (!(fabs(tau[j] - before[j]) <= limits.rate[j]*dt*(1.0 + 1e-9) + 1e-14)) {
                return failed(kind, run, k, "torque rate above its limit");
            }
            power += fmax(0.0, tau[j]*sample.qd[j]);
        }
        if (cycle.guard.mode == TORQUEC_RUN && stopped == NEVER) {
            told = seen.time;
            if (power > limits.power*(1.0 + 1e-12) && kind == TOO_MUCH_POWER) {
                return failed(kind, run, k, "more power than allowed");
            }
            if (due != NEVER && k > due) {
                return failed(kind, run, k, "the stop did not begin within two cycles");
            }
        } else if (stopped == NEVER) {
            stopped = k;
            if ((cycle.guard.first_faults & reasons[kind]) == 0u) {
                return failed(kind, run, k, "stopped for another reason");
            }
            memcpy(at_stop, before, sizeof at_stop);
            if (k < due && kind != HUGE_REFERENCE && kind != TOO_MUCH_POWER && kind != NO_SAMPLES && kind != NAN_REFERENCE
                && kind != STORM
                && kind != FROZEN_SENSOR && kind != LYING_SPEED && (kind != FROZEN_STILL || away < UNMOVED - SURELY)) {
                return failed(kind, run, k, "stopped without a reason");
            }
            /* Rows of the reference are by time, and cycles jitter. */
            if ((kind == NAN_REFERENCE ? row_at(now) : k) < start - 1 && kind != TOO_MUCH_POWER) {
                return failed(kind, run, k, "stopped before anything was wrong");
            }
        } else if (cycle.guard.mode == TORQUEC_RUN) {
            return failed(kind, run, k, "ran on after a stop had begun");
        }
        if (stopped != NEVER && k - stopped < HOLD && memcmp(tau, at_stop, sizeof tau) != 0) {
            return failed(kind, run, k, "torque not held");
        }
        memcpy(before, tau, sizeof before);
        last_write = truth;
    }
    if (due != NEVER && stopped == NEVER) {
        return failed(kind, run, k, "never stopped");
    }
    if ((kind == NOTHING || kind == STANDSTILL || kind == COARSE_ENCODER) && stopped != NEVER) {
        return failed(kind, run, k, "stopped without a reason");
    }
    if (stopped != NEVER && stopped + HOLD + RAMP + 20 < CYCLES && kind != STORM
        && !torquec_guard_is_off(&limits, &cycle.guard)) {
        return failed(kind, run, k, "the stop did not come to its end");
    }
    return 1 + (stopped != NEVER);
}

int main(int argc, char **argv)
{
    const long runs = argc > 1 ? atol(argv[1]) : 1000;
    long run, counts[KINDS] = {0}, stops[KINDS] = {0};
    int kind;
    seed = argc > 2 ? (unsigned long long)atol(argv[2]) : 1u;
    for (run = 0; run < runs; ++run) {
        kind = (int)(run%KINDS);
        switch (one_run(run, kind)) {
        case 0:
            return 1;
        case 2:
            ++stops[kind];
            break;
        default:
            break;
        }
        ++counts[kind];
    }
    printf("{\"runs\": %ld", runs);
    for (kind = 0; kind < KINDS; ++kind) {
        printf(", \"%s\": [%ld, %ld]", names[kind], counts[kind], stops[kind]);
    }
    printf("}\n");
    return 0;
}
