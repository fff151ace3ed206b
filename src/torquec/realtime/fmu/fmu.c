/* @MODEL@ as a functional mock-up unit (FMI 3.0). Written by torquec.
 *
 * All variables are scalars of type double; a value reference is an index into `values`. Functions for features that
 * this unit does not have (other types, clocks, serialization, derivatives of variables) return fmi3Error. */

#include "@PREFIX@.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define TOKEN "@TOKEN@"
#define VARIABLES @VARIABLES@ /* time included */
#define STATES @STATES@ /* continuous ones */
#define MEMORY @MEMORY@ /* size of a law's state */

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } status;
typedef uint32_t reference;
typedef void (*log_message)(void *environment, status kind, const char *category, const char *message);

typedef struct {
    double values[VARIABLES];
    double memory[2][MEMORY + 1];
} content;

typedef struct {
    content now;
    log_message log;
    void *environment;
} instance;

static const double START[VARIABLES] = {@START@};
static const bool SETTABLE[VARIABLES] = {@SETTABLE@};

@BODY@
static status fail(instance *unit, const char *message)
{
    if (unit->log != NULL) {
        unit->log(unit->environment, ERROR, "logStatusError", message);
    }
    return ERROR;
}

static bool all_finite(const double *values, size_t count)
{
    size_t k;
    for (k = 0; k < count; ++k) {
        if (!isfinite(values[k])) {
            return false;
        }
    }
    return true;
}

static void restart(instance *unit)
{
    static const double memory[MEMORY + 1] = {@FIRST_MEMORY@};
    (void)memset(&unit->now, 0, sizeof unit->now);
    (void)memcpy(unit->now.values, START, sizeof START);
    (void)memcpy(unit->now.memory[0], memory, sizeof memory);
}

static void *instantiate(const char *token, void *environment, log_message log)
{
    instance *unit;
    if (token == NULL || strcmp(token, TOKEN) != 0) {
        if (log != NULL) {
            log(environment, ERROR, "logStatusError", "the instantiation token is that of another unit");
        }
        return NULL;
    }
    unit = malloc(sizeof *unit);
    if (unit != NULL) {
        unit->log = log;
        unit->environment = environment;
        restart(unit);
    }
    return unit;
}

/* --- life cycle ------------------------------------------------------------------------------------------------ */

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT status fmi3SetDebugLogging(void *unit, bool on, size_t count, const char *const categories[])
{
    (void)unit, (void)on, (void)count, (void)categories;
    return OK;
}

EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *path, bool visible,
    bool logging, void *environment, log_message log)
{
    (void)name, (void)path, (void)visible, (void)logging;
    return STATES > 0 ? instantiate(token, environment, log) : NULL;
}

EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *path, bool visible,
    bool logging, bool events, bool early, const reference required[], size_t count, void *environment,
    log_message log, void *update)
{
    (void)name, (void)path, (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)count;
    (void)update;
    return instantiate(token, environment, log);
}

EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *path, bool visible,
    bool logging, void *environment, log_message log, void *clock, void *lock, void *unlock)
{
    (void)name, (void)token, (void)path, (void)visible, (void)logging, (void)environment, (void)log, (void)clock;
    (void)lock, (void)unlock;
    return NULL;
}

EXPORT void fmi3FreeInstance(void *unit) { free(unit); }

EXPORT status fmi3EnterInitializationMode(void *unit, bool has_tolerance, double tolerance, double start,
    bool has_stop, double stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((instance *)unit)->now.values[0] = start;
    return OK;
}

#define DONE(name)                                                                                                    \
    EXPORT status name(void *unit)                                                                                    \
    {                                                                                                                 \
        (void)unit;                                                                                                   \
        return OK;                                                                                                    \
    }

DONE(fmi3ExitInitializationMode)
DONE(fmi3EnterEventMode)
DONE(fmi3EnterContinuousTimeMode)
DONE(fmi3EnterStepMode)
DONE(fmi3Terminate)
DONE(fmi3EvaluateDiscreteStates)

EXPORT status fmi3Reset(void *unit)
{
    restart(unit);
    return OK;
}

/* --- values ---------------------------------------------------------------------------------------------------- */

EXPORT status fmi3GetFloat64(void *unit, const reference vr[], size_t count, double values[], size_t numbers)
{
    instance *own = unit;
    size_t k;
    if (count != numbers) {
        return fail(own, "as many numbers as variables are expected");
    }
    refresh(&own->now);
    for (k = 0; k < count; ++k) {
        if (vr[k] >= VARIABLES) {
            return fail(own, "there is no such variable");
        }
        values[k] = own->now.values[vr[k]];
    }
    return OK;
}

EXPORT status fmi3SetFloat64(void *unit, const reference vr[], size_t count, const double values[], size_t numbers)
{
    instance *own = unit;
    size_t k;
    if (count != numbers) {
        return fail(own, "as many numbers as variables are expected");
    }
    for (k = 0; k < count; ++k) {
        if (vr[k] >= VARIABLES || !SETTABLE[vr[k]]) {
            return fail(own, "this variable cannot be set");
        }
        own->now.values[vr[k]] = values[k];
    }
    return OK;
}

#define ABSENT(name, ...)                                                                                             \
    EXPORT status name(void *unit, __VA_ARGS__) { return fail(unit, #name " is not offered by this unit"); }

#define NO_TYPE(kind, type)                                                                                           \
    ABSENT(fmi3Get##kind, const reference vr[], size_t count, type values[], size_t numbers)                          \
    ABSENT(fmi3Set##kind, const reference vr[], size_t count, const type values[], size_t numbers)

NO_TYPE(Float32, float)
NO_TYPE(Int8, int8_t)
NO_TYPE(UInt8, uint8_t)
NO_TYPE(Int16, int16_t)
NO_TYPE(UInt16, uint16_t)
NO_TYPE(Int32, int32_t)
NO_TYPE(UInt32, uint32_t)
NO_TYPE(Int64, int64_t)
NO_TYPE(UInt64, uint64_t)
NO_TYPE(Boolean, bool)
typedef const char *text;
NO_TYPE(String, text)
ABSENT(fmi3GetBinary, const reference vr[], size_t count, size_t sizes[], const uint8_t *values[], size_t numbers)
ABSENT(fmi3SetBinary, const reference vr[], size_t count, const size_t sizes[], const uint8_t *const values[],
    size_t numbers)
ABSENT(fmi3GetClock, const reference vr[], size_t count, bool values[])
ABSENT(fmi3SetClock, const reference vr[], size_t count, const bool values[])
ABSENT(fmi3GetNumberOfVariableDependencies, reference vr, size_t *count)
ABSENT(fmi3GetVariableDependencies, reference dependent, size_t indices[], reference independents[],
    size_t others[], int kinds[], size_t count)
ABSENT(fmi3SerializedFMUStateSize, void *state, size_t *size)
ABSENT(fmi3SerializeFMUState, void *state, uint8_t bytes[], size_t size)
ABSENT(fmi3DeserializeFMUState, const uint8_t bytes[], size_t size, void **state)
ABSENT(fmi3GetDirectionalDerivative, const reference unknowns[], size_t rows, const reference knowns[],
    size_t columns, const double seed[], size_t seeds, double sensitivity[], size_t numbers)
ABSENT(fmi3GetAdjointDerivative, const reference unknowns[], size_t rows, const reference knowns[], size_t columns,
    const double seed[], size_t seeds, double sensitivity[], size_t numbers)
ABSENT(fmi3GetIntervalDecimal, const reference vr[], size_t count, double intervals[], int qualifiers[])
ABSENT(fmi3GetIntervalFraction, const reference vr[], size_t count, uint64_t counters[], uint64_t resolutions[],
    int qualifiers[])
ABSENT(fmi3GetShiftDecimal, const reference vr[], size_t count, double shifts[])
ABSENT(fmi3GetShiftFraction, const reference vr[], size_t count, uint64_t counters[], uint64_t resolutions[])
ABSENT(fmi3SetIntervalDecimal, const reference vr[], size_t count, const double intervals[])
ABSENT(fmi3SetIntervalFraction, const reference vr[], size_t count, const uint64_t counters[],
    const uint64_t resolutions[])
ABSENT(fmi3SetShiftDecimal, const reference vr[], size_t count, const double shifts[])
ABSENT(fmi3SetShiftFraction, const reference vr[], size_t count, const uint64_t counters[],
    const uint64_t resolutions[])
ABSENT(fmi3GetOutputDerivatives, const reference vr[], size_t count, const int32_t orders[], double values[],
    size_t numbers)
ABSENT(fmi3ActivateModelPartition, reference clock, double time)
DONE(fmi3EnterConfigurationMode)
DONE(fmi3ExitConfigurationMode)

EXPORT status fmi3GetFMUState(void *unit, void **state)
{
    if (*state == NULL) {
        *state = malloc(sizeof(content));
    }
    if (*state == NULL) {
        return fail(unit, "there is no memory");
    }
    (void)memcpy(*state, &((instance *)unit)->now, sizeof(content));
    return OK;
}

EXPORT status fmi3SetFMUState(void *unit, void *state)
{
    (void)memcpy(&((instance *)unit)->now, state, sizeof(content));
    return OK;
}

EXPORT status fmi3FreeFMUState(void *unit, void **state)
{
    (void)unit;
    free(*state);
    *state = NULL;
    return OK;
}

/* --- model exchange -------------------------------------------------------------------------------------------- */

EXPORT status fmi3UpdateDiscreteStates(void *unit, bool *more, bool *terminate, bool *nominals, bool *values,
    bool *has_next, double *next)
{
    (void)unit;
    *more = *terminate = *nominals = *values = *has_next = false;
    *next = 0.0;
    return OK;
}

EXPORT status fmi3CompletedIntegratorStep(void *unit, bool no_set, bool *event, bool *terminate)
{
    (void)unit, (void)no_set;
    *event = *terminate = false;
    return OK;
}

EXPORT status fmi3SetTime(void *unit, double time)
{
    ((instance *)unit)->now.values[0] = time;
    return OK;
}

EXPORT status fmi3SetContinuousStates(void *unit, const double states[], size_t count)
{
    if (count != STATES) {
        return fail(unit, "another number of states is expected");
    }
    (void)memcpy(&((instance *)unit)->now.values[1], states, STATES*sizeof(double));
    return OK;
}

EXPORT status fmi3GetContinuousStates(void *unit, double states[], size_t count)
{
    if (count != STATES) {
        return fail(unit, "another number of states is expected");
    }
    (void)memcpy(states, &((instance *)unit)->now.values[1], STATES*sizeof(double));
    return OK;
}

EXPORT status fmi3GetContinuousStateDerivatives(void *unit, double rates[], size_t count)
{
    instance *own = unit;
    if (count != STATES) {
        return fail(own, "another number of states is expected");
    }
    refresh(&own->now);
    (void)memcpy(rates, &own->now.values[1 + STATES], STATES*sizeof(double));
    return all_finite(rates, STATES) ? OK : fail(own, "a derivative is not finite");
}

EXPORT status fmi3GetNominalsOfContinuousStates(void *unit, double nominals[], size_t count)
{
    size_t k;
    (void)unit;
    for (k = 0; k < count; ++k) {
        nominals[k] = 1.0;
    }
    return OK;
}

EXPORT status fmi3GetEventIndicators(void *unit, double indicators[], size_t count)
{
    (void)unit, (void)indicators;
    return count == 0 ? OK : ERROR;
}

EXPORT status fmi3GetNumberOfEventIndicators(void *unit, size_t *count)
{
    (void)unit;
    *count = 0;
    return OK;
}

EXPORT status fmi3GetNumberOfContinuousStates(void *unit, size_t *count)
{
    (void)unit;
    *count = STATES;
    return OK;
}

/* --- co-simulation --------------------------------------------------------------------------------------------- */

EXPORT status fmi3DoStep(void *unit, double time, double size, bool no_set, bool *event, bool *terminate, bool *early,
    double *last)
{
    instance *own = unit;
    const char *problem;
    (void)no_set;
    *event = *terminate = *early = false;
    *last = time;
    own->now.values[0] = time;
    problem = step(&own->now, size);
    if (problem != NULL) {
        return fail(own, problem);
    }
    if (!all_finite(own->now.values, VARIABLES)) {
        return fail(own, "a variable is not finite after the step");
    }
    *last = own->now.values[0] = time + size;
    return OK;
}
