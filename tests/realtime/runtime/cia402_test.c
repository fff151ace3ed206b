/* The CiA 402 driver against a shim of the bus: two drives with their state machines, counts of 32 bits and integer torques.
 *
 * usage: cia402_test units|run|fault
 */
#include "driver_cia402.h"
#include "torquec_loop.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define N 2
#define TURN 6.283185307179586

/* --- the shim: what a master and two drives would do ----------------------------------------------------------------- */

static struct {
    uint16_t status, control_before;
    double q, qd; /* of the joint */
    long cycles;
} drives_at[N];
static torquec_cia402 drives;
static const double inertia[N] = {2.0, 0.5};
static torquec_loop loop;
static long exchanges, resets, largest[N];
static int break_at = -1;

static uint16_t next_status(uint16_t status, uint16_t control, uint16_t before)
{
    if ((status & 0x4fu) == 0x08u) {
        return (control & 0x80u) != 0u && (before & 0x80u) == 0u ? (++resets, 0x40u) : status;
    }
    switch (control & 0x8fu) {
    case 0x06u: return 0x21u;
    case 0x07u: return status == 0x21u || status == 0x27u ? 0x23u : status;
    case 0x0fu: return status == 0x23u || status == 0x27u ? 0x27u : status;
    default: return 0x40u;
    }
}

static int exchange(void *self, const torquec_cia402_outputs *out, torquec_cia402_inputs *in, int64_t count)
{
    int64_t k;
    (void)self;
    ++exchanges;
    if (exchanges == 500) {
        torquec_loop_stop(&loop); /* by cycles, not by time: what the machine does meanwhile does not matter */
    }
    for (k = 0; k < count; ++k) {
        const torquec_cia402_axis *axis = &drives.axes[k];
        const double tau = drives_at[k].status == 0x27u
            ? (double)axis->direction*1e-3*(double)out[k].torque*axis->rated_torque*axis->gear : 0.0;
        const double counts = (double)axis->direction*drives_at[k].q*axis->counts_per_turn*axis->gear/TURN;
        drives_at[k].qd += 1e-3*tau/inertia[k];
        drives_at[k].q += 1e-3*drives_at[k].qd;
        drives_at[k].status = next_status(drives_at[k].status, out[k].controlword, drives_at[k].control_before);
        drives_at[k].control_before = out[k].controlword;
        if (break_at >= 0 && exchanges == break_at && k == 1) {
            drives_at[k].status = 0x08u;
        }
        if (labs((long)out[k].torque) > largest[k]) {
            largest[k] = labs((long)out[k].torque);
        }
        in[k].statusword = drives_at[k].status;
        in[k].mode = out[k].mode;
        in[k].position = (int32_t)(uint32_t)(uint64_t)((int64_t)floor(counts) + axis->zero);
        in[k].velocity = (int32_t)floor((double)axis->direction*drives_at[k].qd*axis->counts_per_turn*axis->gear/TURN);
    }
    return 0;
}

/* --- the test -------------------------------------------------------------------------------------------------------- */

static double reference[3*N] = {0.2, -0.1, 0.0, 0.0, 0.0, 0.0};

static void law(const double *const *in, double *const *out)
{
    int k;
    for (k = 0; k < N; ++k) {
        out[0][k] = inertia[k]*(400.0*(in[0][k] - in[3][k]) - 40.0*in[4][k]);
    }
}

static int units(void)
{
    const torquec_cia402_axis axis = {4096.0, 100.0, 1.27, 3000.0, -1, 1000};
    double tau;
    /* One turn of the joint is 409600 counts; 127 N m at the joint is 1.27 N m at the motor, its rated torque. */
    if (fabs(torquec_cia402_position(&axis, 1000 - 409600) - TURN) > 1e-12
        || fabs(torquec_cia402_speed(&axis, -409600) - TURN) > 1e-12 || torquec_cia402_torque(&axis, 127.0001) != -1000
        || torquec_cia402_torque(&axis, 63.5001) != -500 || torquec_cia402_torque(&axis, 1e9) != -3000
        || torquec_cia402_torque(&axis, (double)NAN) != 0) {
        return 1;
    }
    for (tau = -400.0; tau < 400.0; tau += 0.0137) {
        const double sent = -1e-3*(double)torquec_cia402_torque(&axis, tau)*1.27*100.0;
        if (fabs(sent) > fabs(tau) || (fabs(sent - tau) > 0.127 && fabs(tau) < 380.0)) {
            return 2; /* never more than asked, at most a per mille less */
        }
    }
    if (torquec_cia402_unwrapped(2147483640, -2147483640) != 2147483656
        || torquec_cia402_unwrapped(-2147483640, 2147483640) != -2147483656
        || torquec_cia402_unwrapped(5000000000, (int32_t)(5000000000u & 0xffffffffu) + 7) != 5000000007) {
        return 3;
    }
    return torquec_cia402_state(0x0237u) == TORQUEC_CIA402_OPERATION_ENABLED
            && torquec_cia402_state(0x0208u) == TORQUEC_CIA402_FAULTED
            && torquec_cia402_state(0x0250u) == TORQUEC_CIA402_SWITCH_ON_DISABLED
            && torquec_cia402_state(0x0231u) == TORQUEC_CIA402_READY_TO_SWITCH_ON
            && torquec_cia402_state(0x0233u) == TORQUEC_CIA402_SWITCHED_ON
            && torquec_cia402_state(0x0217u) == TORQUEC_CIA402_QUICK_STOP
        ? 0 : 4;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "run";
    int end, k, off;
    if (strcmp(word, "units") == 0) {
        return units();
    }
    drives.joints = N;
    drives.bus.exchange = exchange;
    for (k = 0; k < N; ++k) {
        torquec_cia402_axis *axis = &drives.axes[k];
        axis->counts_per_turn = 65536.0;
        axis->gear = k == 0 ? 100.0 : 50.0;
        axis->rated_torque = 0.5;
        axis->most_per_mille = 2500.0;
        axis->direction = k == 0 ? 1 : -1;
        axis->zero = 2147483000; /* a motion runs over the end of 32 bits at once */
        drives_at[k].status = 0x08u; /* the drives wake up with a fault */
        loop.limits.torque[k] = 40.0;
        loop.limits.rate[k] = 4000.0;
        loop.limits.lower[k] = -3.0;
        loop.limits.upper[k] = 3.0;
        loop.limits.speed[k] = 20.0;
        loop.limits.slack[k] = 1e6; /* the shim moves by cycles, not by time */
        loop.limits.resolution[k] = loop.limits.unmoved[k] = 1e6;
    }
    if (!torquec_cia402_enable(&drives, 50, NULL)) {
        printf("{\"failed\": \"not enabled\"}\n");
        return 1;
    }
    if (strcmp(word, "fault") == 0) {
        break_at = (int)exchanges + 100;
    }
    loop.limits.joints = N;
    loop.limits.hold_cycles = 5;
    loop.limits.ramp_cycles = 20;
    loop.limits.period = 1000000;
    loop.limits.longest_gap = loop.limits.longest_blind = loop.limits.oldest_sample = 5000000000L;
    loop.limits.power = 1e9;
    loop.law.law = law;
    loop.law.reference_period = 1000000;
    loop.law.rows = 1;
    loop.law.reference = reference;
    loop.law.parts = 3;
    loop.law.part_sizes[0] = loop.law.part_sizes[1] = loop.law.part_sizes[2] = N;
    torquec_cia402_driver(&drives, &loop.driver);
    end = torquec_loop_run(&loop);
    off = torquec_cia402_disable(&drives, 5, NULL);
    printf("{\"end\": %d, \"first_faults\": %u, \"cycles\": %lu, \"resets\": %ld, \"off\": %d, \"q\": [%.6f, %.6f], "
           "\"largest\": [%ld, %ld], \"status\": [%d, %d]}\n",
        end, loop.counters.first_faults, (unsigned long)loop.counters.cycles, resets, off, drives_at[0].q, drives_at[1].q,
        largest[0], largest[1], drives_at[0].status, drives_at[1].status);
    return 0;
}
