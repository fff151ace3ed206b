#ifndef @GUARD@
#define @GUARD@

#include "@P@.h"
#include "@P@_tasks.h"
#include "torquec_loop.h"

#include <math.h>
#include <string.h>

#define @P@_RUNTIME_JOINTS @JOINTS@
#define @P@_RUNTIME_REFERENCE @REFERENCE@ /* numbers of a row: @ROW@ */
#define @P@_RUNTIME_GAINS @GAINS@ /* numbers of a row of scheduled gains */
#define @P@_RUNTIME_MEMORY @MEMORY@ /* size of the law's state */
#define @P@_RUNTIME_COEFFICIENTS @COEFFICIENTS@ /* number of coefficients from the background */
#define @P@_RUNTIME_PERIOD @PERIOD@ /* [ns] */

/* Everything that a loop needs; call @P@_runtime_start first. */
typedef struct {
    torquec_loop loop;
    torquec_channel channel;
    double memory[2][@P@_RUNTIME_MEMORY + 1];
    double coefficients[4][@P@_RUNTIME_COEFFICIENTS + 1];
} @P@_runtime;

static inline void @P@_runtime_law(const double *const *in, double *const *out)
{
    @LAW@
}

static inline void @P@_runtime_background(const double *const *in, double *const *out)
{
    @BACKGROUND@
}

/* Set the robot's limits, and a stop of 20 ms hold and 200 ms ramp; adapt them to your robot. A torque limit of zero is
 * missing in the robot's file: no torque is sent until you set it. */
static inline void @P@_runtime_limits(torquec_limits *limits)
{
@ARRAYS@
    (void)memset(limits, 0, sizeof *limits);
    limits->joints = @P@_RUNTIME_JOINTS;
    limits->hold_cycles = @HOLD@;
    limits->ramp_cycles = @RAMP@;
    limits->period = @P@_RUNTIME_PERIOD;
    limits->longest_gap = @GAP@;
    limits->longest_blind = @GAP@;
    limits->oldest_sample = 2*@P@_RUNTIME_PERIOD;
    limits->power = (double)INFINITY;
@COPIES@
}

/* Set law, limits and memory of a loop that follows `rows` rows of the reference (and of gains, if the law has them).
 * Set the driver, the log and the times of torquec_loop.h yourself. */
static inline void @P@_runtime_start(@P@_runtime *runtime, const double *reference, const double *gains, int64_t rows)
{
    static const double memory[@P@_RUNTIME_MEMORY + 1] = {@INITIAL@};
    static const int64_t parts[] = {@PARTS@};
    torquec_law *law = &runtime->loop.law;
    int k;
    (void)memset(runtime, 0, sizeof *runtime);
    @P@_runtime_limits(&runtime->loop.limits);
    law->law = @P@_runtime_law;
    law->robot = @ROBOT@u;
    law->reference_period = @P@_RUNTIME_PERIOD;
    law->rows = rows;
    law->reference = reference;
    law->gains = gains;
    law->gains_size = @P@_RUNTIME_GAINS;
    law->memory_size = @P@_RUNTIME_MEMORY;
    law->memory[0] = runtime->memory[0];
    law->memory[1] = runtime->memory[1];
    (void)memcpy(runtime->memory[0], memory, sizeof memory);
    law->joint_positions = @JOINT_POSITIONS@;
    law->parts = (int64_t)(sizeof parts/sizeof *parts);
    (void)memcpy(law->part_sizes, parts, sizeof parts);
    if (@P@_RUNTIME_COEFFICIENTS > 0) {
        law->background = @P@_runtime_background;
        law->channel = &runtime->channel;
        law->coefficients = runtime->coefficients[3];
        law->coefficients_size = @P@_RUNTIME_COEFFICIENTS;
        law->oldest_coefficients = @OLDEST@;
        runtime->loop.background_period = @P@_BACKGROUND_PERIOD;
        for (k = 0; k < 3; ++k) {
            runtime->channel.coefficients[k].numbers = runtime->coefficients[k];
        }
    }
}

#endif /* @GUARD@ */
