/* One control cycle: reference, coefficients, control law, guards. It reads no clock and does no input or output. Written
 * by torquec.
 *
 * The law is a function of pointers to its inputs and outputs. torquec compiles and generates laws in this form:
 *
 *     inputs   the parts of the reference, q, qd [, gains] [, state] [, coefficients]
 *     outputs  tau [, next state] [, qdd]
 *
 * With a background, coefficients come in records that state the robot's number, the time of the state that they were
 * computed at, and their count. A record is used if all of these are valid and every number is finite. Otherwise it is
 * refused and counted, and the last valid one stays in use until it is too old.
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

/* Motions to the background, and coefficients from it; the caller allocates all memory. */
typedef struct {
    torquec_triple_buffer motion_buffer;
    torquec_motion motion[3];
    torquec_triple_buffer coefficient_buffer;
    torquec_coefficients coefficients[3];
} torquec_channel;

typedef struct {
    torquec_function law;
    torquec_function background; /* (q, qd, qdd) -> coefficients; NULL: the law needs none */
    uint64_t robot;              /* number of the robot: coefficients with another one are refused */
    int64_t reference_period;
    int64_t rows; /* of the reference and of the gains; after the last row, it is held */
    const double *reference;
    const double *gains; /* NULL: none */
    double *memory[2];   /* the state of the law: current and next */
    double *coefficients;
    int64_t part_sizes[TORQUEC_MOST_PARTS];
    int64_t parts;
    int64_t gains_size;
    int64_t memory_size;
    int64_t coefficients_size;
    int64_t oldest_coefficients;
    int64_t joint_positions;  /* 1: the first part of the reference is the desired joint positions */
    torquec_channel *channel; /* NULL without a background */
} torquec_law;

typedef struct {
    torquec_guard guard;
    int64_t start;
    int64_t coefficients_time;
    int32_t has_coefficients;
    int32_t memory_now;
    int32_t asked; /* 1: the law was called in this cycle, and `wanted` is its torque */
    int32_t reserved;
    uint64_t accepted, refused; /* records of coefficients */
    double wanted[TORQUEC_MOST_JOINTS];
} torquec_cycle;

/* Call these before the first cycle. */
void torquec_channel_start(torquec_channel *channel);
void torquec_cycle_start(torquec_cycle *cycle, int64_t now);

/* One cycle at the time `now`: `sample` is NULL if the driver gave none; `faults` are those that the loop found. */
void torquec_cycle_step(const torquec_limits *limits, const torquec_law *law, torquec_cycle *cycle,
    const torquec_sample *sample, int64_t now, uint32_t faults, double *tau);

/* One run of the background at the newest motion: returns 1 if it published coefficients, 0 if there was no new motion or
 * a number was not finite. */
int torquec_background_step(const torquec_law *law);

/* The same at a given motion; call it before the first cycle. */
int torquec_background_at(const torquec_law *law, const torquec_motion *motion);

#endif /* TORQUEC_CYCLE_H_INCLUDED */
