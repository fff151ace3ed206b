/* Guards: what stands between a control law and the drives. Written by torquec.
 *
 * torquec_guard_step is a pure function of its state, its input and the time that it is told: it reads no clock, does no
 * input or output, allocates nothing and takes the same path on a virtual clock as on a robot.
 *
 *     RUN --a fault, or the end--> HOLD --hold_cycles--> RAMP --ramp_cycles--> STOPPED, torque zero, drives off
 *
 * Two kinds of limits:
 *   clamps   torque, torque rate: what is sent never passes them, in any mode; more is counted, not refused
 *   trips    everything else: one cycle beyond them begins the stop, and there is no way back but a new start
 *
 * HOLD sends the last torque. RAMP takes it to zero in a straight line and, where the state can be believed, adds
 * -damping qd. Both count cycles, not seconds: they go on when the clock is what failed.
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

/* Why a stop began; several can come together. */
enum {
    TORQUEC_STATE_MISSING = 1 << 0,      /* no sample from the driver for longer than longest_blind */
    TORQUEC_STATE_NOT_FINITE = 1 << 1,   /* a sample with a number that is not finite */
    TORQUEC_STATE_STALE = 1 << 2,        /* a sample that is too old, from the future, or older than the one before */
    TORQUEC_STATE_JUMP = 1 << 3,         /* a position farther from the last one than any allowed speed takes it */
    TORQUEC_STATE_INCONSISTENT = 1 << 4, /* positions that do not move as the speeds say */
    TORQUEC_POSITION_LIMIT = 1 << 5,
    TORQUEC_SPEED_LIMIT = 1 << 6,
    TORQUEC_LAW_NOT_FINITE = 1 << 7, /* the control law gave a torque that is not finite */
    TORQUEC_POWER_LIMIT = 1 << 8,    /* the drives together would give the robot more power than allowed */
    TORQUEC_COEFFICIENTS = 1 << 9,   /* the last valid coefficients of the background are too old, or there are none */
    TORQUEC_OVERRUN = 1 << 10,       /* two torques farther apart than longest_gap: cycles were missed */
    TORQUEC_CLOCK = 1 << 11,         /* a clock that stands still, goes back, or is called far too often */
    TORQUEC_DRIVER = 1 << 12,        /* the driver refused a torque or reported a fault of its own */
    TORQUEC_WATCHDOG = 1 << 13,      /* the loop did not come back in time */
    TORQUEC_REQUESTED = 1 << 14,     /* the end of the run, or somebody asked for it: no fault */
    TORQUEC_STATE_FROZEN = 1 << 15   /* a position that does not change at all, while its speed or its reference does */
};

/* Times in nanoseconds, angles and torques in the units of the joints; a limit that does not bind is infinite. */
typedef struct {
    int32_t joints;
    int32_t hold_cycles;
    int32_t ramp_cycles; /* at least 1 */
    int32_t reserved;
    int64_t period;
    int64_t longest_gap;   /* between two torques */
    int64_t longest_blind; /* without a sample */
    int64_t oldest_sample;
    double power; /* sum of tau qd over the joints that are driven */
    double torque[TORQUEC_MOST_JOINTS];
    double rate[TORQUEC_MOST_JOINTS]; /* of torque, per second */
    double lower[TORQUEC_MOST_JOINTS];
    double upper[TORQUEC_MOST_JOINTS];
    double speed[TORQUEC_MOST_JOINTS];
    double slack[TORQUEC_MOST_JOINTS]; /* of positions: beyond what speeds explain, before a jump is one */
    double resolution[TORQUEC_MOST_JOINTS]; /* what the speed may add up to while the position stays the same number */
    double unmoved[TORQUEC_MOST_JOINTS];    /* what the reference may move by while the position stays the same number */
    double damping[TORQUEC_MOST_JOINTS];
} torquec_limits;

typedef struct {
    int64_t time; /* when it was measured, by the driver's clock */
    double q[TORQUEC_MOST_JOINTS];
    double qd[TORQUEC_MOST_JOINTS];
} torquec_sample;

typedef struct {
    int64_t now;
    const torquec_sample *sample; /* NULL: there is none in this cycle */
    const double *wanted;         /* torques of the law; NULL: it was not asked */
    const double *reference;      /* where the joints are to be; NULL: that is not known by joint */
    uint32_t faults;              /* what the caller knows of */
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
    double drift[TORQUEC_MOST_JOINTS]; /* of positions against speeds */
    double carried[TORQUEC_MOST_JOINTS]; /* by the speed, since the position changed last */
    double anchor[TORQUEC_MOST_JOINTS];  /* the reference when the position changed last */
    double tau[TORQUEC_MOST_JOINTS];     /* what was sent last */
    double held[TORQUEC_MOST_JOINTS];
    uint64_t steps, missed, blind, clamped_torque, clamped_rate;
} torquec_guard;

/* Before the first step: torque zero, nothing seen. */
void torquec_guard_start(torquec_guard *guard, int64_t now);

/* What is wrong with a sample, 0 for nothing. For the first sample, too: a robot that is out of its limits is not started. */
uint32_t torquec_sample_faults(const torquec_limits *limits, const torquec_guard *guard, const torquec_sample *sample,
    int64_t now);

/* One cycle: the torques to send. They are finite, within the torque limits, and as far from the last ones as the rate
 * allows, whatever the input holds. */
void torquec_guard_step(const torquec_limits *limits, torquec_guard *guard, const torquec_guard_input *input, double *tau);

/* 1 when the stop is complete: the torques are zero, and the drives can be switched off. */
int torquec_guard_is_off(const torquec_limits *limits, const torquec_guard *guard);

/* The limiter of one torque: as near to `wanted` as limit and step from `before` allow; `before` itself where `wanted` is
 * not a number. */
double torquec_limited(double wanted, double before, double limit, double step);

/* 1 when every number is finite; by its bits, so that no option of a compiler can take it away. */
int torquec_all_finite(const double *numbers, int count);

/* The watchdog: a loop that beats is alive. */
typedef struct {
    uint64_t beat;
    int64_t since;
} torquec_watchdog;

/* 1 when the beat has not changed for longer than `patience` nanoseconds. */
int torquec_watchdog_step(torquec_watchdog *watchdog, uint64_t beat, int64_t now, int64_t patience);

#endif /* TORQUEC_GUARD_H_INCLUDED */
