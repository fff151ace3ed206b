/* One control cycle; see torquec_cycle.h. Written by torquec. */
#include "torquec_cycle.h"

#include <stddef.h>
#include <string.h>

void torquec_channel_start(torquec_channel *channel)
{
    torquec_triple_start(&channel->motion_buffer);
    torquec_triple_start(&channel->coefficient_buffer);
}

void torquec_cycle_start(torquec_cycle *cycle, int64_t now)
{
    (void)memset(cycle, 0, sizeof *cycle);
    torquec_guard_start(&cycle->guard, now);
    cycle->start = now;
}

/* Take the newest coefficients if they are valid; otherwise count a refusal. */
static void take_coefficients(const torquec_law *law, torquec_cycle *cycle, int64_t now)
{
    const torquec_coefficients *newest;
    if (!torquec_triple_take(&law->channel->coefficient_buffer)) {
        return;
    }
    newest = &law->channel->coefficients[law->channel->coefficient_buffer.reader];
    if (newest->robot != law->robot || newest->size != law->coefficients_size || newest->time > now
        || (cycle->has_coefficients && newest->time < cycle->coefficients_time)
        || !torquec_all_finite(newest->numbers, (int)law->coefficients_size)) {
        ++cycle->refused;
        return;
    }
    (void)memcpy(law->coefficients, newest->numbers, (size_t)law->coefficients_size*sizeof(double));
    cycle->coefficients_time = newest->time;
    cycle->has_coefficients = 1;
    ++cycle->accepted;
}

/* The row of the reference for the time `now`: rows of missed cycles are skipped. */
static int64_t row_of(const torquec_law *law, const torquec_cycle *cycle, int64_t now)
{
    const int64_t since = (int64_t)((uint64_t)now - (uint64_t)cycle->start);
    const int64_t half = law->reference_period/2;
    const int64_t row = since > half ? (since - half + law->reference_period - 1)/law->reference_period : 0;
    return row < law->rows ? row : law->rows - 1;
}

static const double *reference_at(const torquec_law *law, int64_t row)
{
    int64_t k, size = 0;
    for (k = 0; k < law->parts; ++k) {
        size += law->part_sizes[k];
    }
    return law->reference + row*size;
}

static void call_law(const torquec_law *law, torquec_cycle *cycle, const torquec_sample *sample, int64_t now, double *qdd)
{
    const double *inputs[TORQUEC_MOST_INPUTS];
    double *outputs[3];
    const int64_t row = row_of(law, cycle, now);
    const double *part = reference_at(law, row);
    int64_t k;
    int in = 0, out = 0;
    for (k = 0; k < law->parts; ++k) {
        inputs[in++] = part;
        part += law->part_sizes[k];
    }
    inputs[in++] = sample->q;
    inputs[in++] = sample->qd;
    outputs[out++] = cycle->wanted;
    if (law->gains != NULL) {
        inputs[in++] = law->gains + row*law->gains_size;
    }
    if (law->memory_size > 0) {
        inputs[in++] = law->memory[cycle->memory_now];
        outputs[out++] = law->memory[1 - cycle->memory_now];
    }
    if (law->channel != NULL) {
        inputs[in++] = law->coefficients;
        outputs[out++] = qdd;
    }
    law->law(inputs, outputs);
    /* Discard a next state that is not finite: the law continues from its last finite state. */
    if (law->memory_size > 0 && torquec_all_finite(law->memory[1 - cycle->memory_now], (int)law->memory_size)) {
        cycle->memory_now = 1 - cycle->memory_now;
    }
}

static void tell_background(const torquec_limits *limits, const torquec_law *law, const torquec_sample *sample,
    const double *qdd)
{
    const size_t bytes = (size_t)limits->joints*sizeof(double);
    torquec_motion *motion = &law->channel->motion[law->channel->motion_buffer.writer];
    motion->time = sample->time;
    (void)memcpy(motion->q, sample->q, bytes);
    (void)memcpy(motion->qd, sample->qd, bytes);
    (void)memcpy(motion->qdd, qdd, bytes);
    torquec_triple_publish(&law->channel->motion_buffer);
}

void torquec_cycle_step(const torquec_limits *limits, const torquec_law *law, torquec_cycle *cycle,
    const torquec_sample *sample, int64_t now, uint32_t faults, double *tau)
{
    torquec_guard_input input;
    double qdd[TORQUEC_MOST_JOINTS];
    (void)memset(&input, 0, sizeof input);
    input.now = now;
    input.sample = sample;
    input.faults = faults;
    input.reference = law->joint_positions ? reference_at(law, row_of(law, cycle, now)) : NULL;
    cycle->asked = 0;
    /* During a stop the background gets no motions, so old coefficients are no fault then. */
    if (law->channel != NULL && cycle->guard.mode == TORQUEC_RUN) {
        take_coefficients(law, cycle, now);
        if (!cycle->has_coefficients
            || (int64_t)((uint64_t)now - (uint64_t)cycle->coefficients_time) > law->oldest_coefficients) {
            input.faults |= TORQUEC_COEFFICIENTS;
        }
    }
    /* Call the law only if its torque can be sent, and only with a valid sample. */
    if (cycle->guard.mode == TORQUEC_RUN && input.faults == 0u && sample != NULL
        && torquec_sample_faults(limits, &cycle->guard, sample, now) == 0u) {
        call_law(law, cycle, sample, now, qdd);
        input.wanted = cycle->wanted;
        cycle->asked = 1;
        if (law->channel != NULL && torquec_all_finite(qdd, limits->joints)) {
            tell_background(limits, law, sample, qdd);
        }
    }
    torquec_guard_step(limits, &cycle->guard, &input, tau);
}

int torquec_background_at(const torquec_law *law, const torquec_motion *motion)
{
    torquec_channel *channel = law->channel;
    torquec_coefficients *made = &channel->coefficients[channel->coefficient_buffer.writer];
    const double *inputs[3];
    double *outputs[1];
    inputs[0] = motion->q;
    inputs[1] = motion->qd;
    inputs[2] = motion->qdd;
    outputs[0] = made->numbers;
    law->background(inputs, outputs);
    if (!torquec_all_finite(made->numbers, (int)law->coefficients_size)) {
        return 0;
    }
    made->robot = law->robot;
    made->size = law->coefficients_size;
    made->time = motion->time;
    torquec_triple_publish(&channel->coefficient_buffer);
    return 1;
}

int torquec_background_step(const torquec_law *law)
{
    if (!torquec_triple_take(&law->channel->motion_buffer)) {
        return 0;
    }
    return torquec_background_at(law, &law->channel->motion[law->channel->motion_buffer.reader]);
}
