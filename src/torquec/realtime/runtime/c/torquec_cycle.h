/* One cycle: reference, coefficients, control law, guards; still without a clock and without input or output. Written by
 * torquec.
 *
 * The law is a function of pointers to its inputs and outputs, as torquec compiles and generates them:
 *
 *     inputs   the parts of the reference, q, qd [, gains] [, state] [, coefficients]
 *     outputs  tau [, next state] [, qdd]
 *
 * With a background, coefficients come in records that carry the number of the robot they are for, the time of the state
 * they were computed at, and how many they are. A record is used when all of that fits and every number is finite; else it
 * is refused and counted, and the last valid one stays in use until it is too old.
 */
#ifndef TORQUEC_CYCLE_H_INCLUDED
#define TORQUEC_CYCLE_H_INCLUDED

#include "torquec_guard.h"
#include "triple_buffer.h"

#define TORQUEC_MOST_PARTS 4  /* of a reference */
#define TORQUEC_MOST_INPUTS 9 /* of a law */

typedef void (*torquec_function)(const double *const *inputs, double *const *outputs);

typedef struct {
    uint64_t robot;
    int64_t time;
    int64_t size;
    double *numbers;
} torquec_coefficients;

typedef struct {
    int64_t time;
    double q[TORQUEC_MOST_JOINTS];
    double qd[TORQUEC_MOST_JOINTS];
    double qdd[TORQUEC_MOST_JOINTS];
} torquec_motion;

/* What is said to the background and what comes back; all memory belongs to the caller. */
typedef struct {
    torquec_triple_buffer motion_buffer;
    torquec_motion motion[3];
    torquec_triple_buffer coefficient_buffer;
    torquec_coefficients coefficients[3];
} torquec_channel;

typedef struct {
    torquec_function law;
    torquec_function background; /* (q, qd, qdd) -> coefficients; NULL: the law needs none */
    uint64_t robot;              /* the number of the robot */
    int64_t reference_period;
    int64_t rows; /* of the reference and of the gains; beyond the last one, the last */
    const double *reference;
    const double *gains; /* NULL: none */
    double *memory[2];   /* the state of the law, twice */
    double *coefficients;
    int64_t part_sizes[TORQUEC_MOST_PARTS];
    int64_t parts;
    int64_t gains_size;
    int64_t memory_size;
    int64_t coefficients_size;
    int64_t oldest_coefficients;
    int64_t joint_positions;  /* 1: the first part of the reference is where the joints are to be */
    torquec_channel *channel; /* NULL without a background */
} torquec_law;

typedef struct {
    torquec_guard guard;
    int64_t start;
    int64_t coefficients_time;
    int32_t has_coefficients;
    int32_t memory_now;
    int32_t asked; /* whether the law was asked in this cycle: `wanted` is its answer */
    int32_t reserved;
    uint64_t accepted, refused; /* records of coefficients */
    double wanted[TORQUEC_MOST_JOINTS];
} torquec_cycle;

/* Before the first cycle. */
void torquec_channel_start(torquec_channel *channel);
void torquec_cycle_start(torquec_cycle *cycle, int64_t now);

/* One cycle at the time `now`: `sample` is NULL where the driver gave none; `faults` is what the loop knows. */
void torquec_cycle_step(const torquec_limits *limits, const torquec_law *law, torquec_cycle *cycle,
    const torquec_sample *sample, int64_t now, uint32_t faults, double *tau);

/* One run of the background, from the newest motion: 1 when it published coefficients, 0 when there was nothing new or a
 * number was not finite. */
int torquec_background_step(const torquec_law *law);

/* The same at a motion that is given: before the first cycle. */
int torquec_background_at(const torquec_law *law, const torquec_motion *motion);

#endif /* TORQUEC_CYCLE_H_INCLUDED */
