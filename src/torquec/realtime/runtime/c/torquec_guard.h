/* Guards: checks and limits between a control law and the drives. Written by torquec.
 *
 * torquec_guard_step depends only on its state, its input and the given time: it reads no clock, does no input or output,
 * allocates nothing, and behaves the same on a virtual clock as on a robot.
 *
 *     RUN --a fault, or the end--> HOLD --hold_cycles--> RAMP --ramp_cycles--> STOPPED, torque zero, drives off
 *
 * Two kinds of limits:
 *   clamps   torque, torque rate: sent torques never exceed them, in any mode; clamping is counted, and is no fault
 *   trips    everything else: one cycle beyond a limit begins the stop; after it only a new start helps
 *
 * HOLD sends the last torque. RAMP decreases it linearly to zero and adds -damping qd while the state is valid. Both count
 * cycles, not seconds: they come to their end even if the clock fails.
 */
#ifndef TORQUEC_GUARD_H_INCLUDED
#define TORQUEC_GUARD_H_INCLUDED

#include <stdint.h>

#define TORQUEC_MOST_JOINTS 64

enum {
    TORQUEC_RUN = 0,
    TORQUEC_HOLD = 1,
    TORQUEC_RAMP = 2,
    TORQUEC_STOPPED = 3
};

/* Reasons for a stop; several can come together. */
enum {
    TORQUEC_STATE_MISSING = 1 << 0,      /* no sample from the driver for longer than longest_blind */
    TORQUEC_STATE_NOT_FINITE = 1 << 1,   /* a sample with a number that is not finite */
    TORQUEC_STATE_STALE = 1 << 2,        /* a sample that is too old, from the future, or older than the one before */
    TORQUEC_STATE_JUMP = 1 << 3,         /* a change of position that no allowed speed explains */
    TORQUEC_STATE_INCONSISTENT = 1 << 4, /* positions that do not follow the speeds */
    TORQUEC_POSITION_LIMIT = 1 << 5,
    TORQUEC_SPEED_LIMIT = 1 << 6,
    TORQUEC_LAW_NOT_FINITE = 1 << 7, /* the control law gave a torque that is not finite */
    TORQUEC_POWER_LIMIT = 1 << 8,    /* the drives together would give the robot more power than allowed */
    TORQUEC_COEFFICIENTS = 1 << 9,   /* the last valid coefficients of the background are too old, or there are none */
    TORQUEC_OVERRUN = 1 << 10,       /* longer than longest_gap between two torques: cycles were missed */
    TORQUEC_CLOCK = 1 << 11,         /* a clock that stands still or goes back, or cycles that come far too often */
    TORQUEC_DRIVER = 1 << 12,        /* the driver refused a torque or reported a fault of its own */
    TORQUEC_WATCHDOG = 1 << 13,      /* the loop did not finish a cycle in time */
    TORQUEC_REQUESTED = 1 << 14,     /* the end of the run, or a requested stop: no fault */
    TORQUEC_STATE_FROZEN = 1 << 15   /* a position that does not change at all, although speed or reference says it moves */
};

/* Times in nanoseconds, positions in rad or m, torques in N m or N; a limit that does not apply is infinite. */
typedef struct {
    int32_t joints;
    int32_t hold_cycles;
    int32_t ramp_cycles; /* at least 1 */
    int32_t reserved;
    int64_t period;
    int64_t longest_gap;   /* between two torques */
    int64_t longest_blind; /* without a sample */
    int64_t oldest_sample;
    double power; /* [W], sum of tau qd over the joints where it is positive */
    double torque[TORQUEC_MOST_JOINTS];
    double rate[TORQUEC_MOST_JOINTS]; /* of torque, per second */
    double lower[TORQUEC_MOST_JOINTS];
    double upper[TORQUEC_MOST_JOINTS];
    double speed[TORQUEC_MOST_JOINTS];
    double slack[TORQUEC_MOST_JOINTS]; /* allowed change of position beyond what speeds explain */
    double resolution[TORQUEC_MOST_JOINTS]; /* largest integrated speed while the position stays the same number */
    double unmoved[TORQUEC_MOST_JOINTS];    /* largest motion of the reference while the position stays the same number */
    double damping[TORQUEC_MOST_JOINTS];
} torquec_limits;

typedef struct {
    int64_t time; /* of measurement, by the driver's clock */
    double q[TORQUEC_MOST_JOINTS];
    double qd[TORQUEC_MOST_JOINTS];
} torquec_sample;

typedef struct {
    int64_t now;
    const torquec_sample *sample; /* NULL: no sample in this cycle */
    const double *wanted;         /* torques of the law; NULL: it was not called */
    const double *reference;      /* desired joint positions; NULL: the reference has none */
    uint32_t faults;              /* found by the caller */
    uint32_t reserved;
} torquec_guard_input;

typedef struct {
    int32_t mode;
    int32_t cycles; /* in this mode */
    uint32_t faults;
    uint32_t first_faults; /* those that began the stop */
    int32_t started;
    int32_t has_sample;
    int32_t has_reference;
    int32_t reserved;
    int64_t last;   /* time of the last step */
    int64_t heard;  /* time of the last step that had a sample */
    int64_t sample; /* time of the last valid sample */
    int64_t lead;   /* how far cycles have run ahead of the clock */
    double q[TORQUEC_MOST_JOINTS]; /* of the last valid sample */
    double qd[TORQUEC_MOST_JOINTS];
    double drift[TORQUEC_MOST_JOINTS]; /* of positions from integrated speeds */
    double carried[TORQUEC_MOST_JOINTS]; /* the speed, integrated since the position last changed */
    double anchor[TORQUEC_MOST_JOINTS];  /* the reference when the position last changed */
    double tau[TORQUEC_MOST_JOINTS];     /* what was sent last */
    double held[TORQUEC_MOST_JOINTS];
    uint64_t steps, missed, blind, clamped_torque, clamped_rate;
} torquec_guard;

/* Call this before the first step: torque zero, no sample yet. */
void torquec_guard_start(torquec_guard *guard, int64_t now);

/* The faults of a sample, 0 if it is valid. The first sample is tested, too: a robot outside its limits is not started. */
uint32_t torquec_sample_faults(const torquec_limits *limits, const torquec_guard *guard, const torquec_sample *sample,
    int64_t now);

/* One cycle: the torques to send. Whatever the input, they are finite, within the torque limits, and no farther from the
 * last ones than the rate limits allow. */
void torquec_guard_step(const torquec_limits *limits, torquec_guard *guard, const torquec_guard_input *input, double *tau);

/* 1 if the stop is complete: the torques are zero, and the drives can be switched off. */
int torquec_guard_is_off(const torquec_limits *limits, const torquec_guard *guard);

/* The limiter of one torque: the value nearest to `wanted` between -limit and limit and at most `step` from `before`;
 * `before` itself if `wanted` is not finite. */
double torquec_limited(double wanted, double before, double limit, double step);

/* 1 if every number is finite; tests the bits, so that no compiler option can remove the test. */
int torquec_all_finite(const double *numbers, int count);

/* The watchdog: notices when the beat counter of a loop stops. */
typedef struct {
    uint64_t beat;
    int64_t since;
} torquec_watchdog;

/* 1 if the beat has not changed for longer than `patience` nanoseconds. */
int torquec_watchdog_step(torquec_watchdog *watchdog, uint64_t beat, int64_t now, int64_t patience);

#endif /* TORQUEC_GUARD_H_INCLUDED */
