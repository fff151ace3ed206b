/* Two rates without an operating system. Written by torquec: an example to start from; write the functions marked
 * "Yours".
 *
 * A timer interrupt runs the synchronous task; the loop in main runs the background tasks. example_wait must return at
 * least once per background period (PREFIX_tasks.h). Interrupt and loop share only triple buffers, so the interrupt may
 * come between any two instructions. Give the interrupt the name that your vector table has for the timer
 * (SysTick_Handler on a Cortex-M).
 */
#include "PREFIX_tasks.h"

#include <string.h>

typedef struct {
    PREFIX_real q[PREFIX_JOINTS], qd[PREFIX_JOINTS], qdd[PREFIX_JOINTS];
} motion;

static PREFIX_tasks tasks;
static torquec_triple_buffer seen;
static motion seen_slots[3];

/* Yours: read the encoders, and compute the acceleration that your control law demands; return 0 if that failed. */
int example_read_motion(PREFIX_real q[PREFIX_JOINTS], PREFIX_real qd[PREFIX_JOINTS], PREFIX_real qdd[PREFIX_JOINTS]);
/* Yours: send the torques to the drives; make the robot safe when there are none to send. */
void example_write_torque(const PREFIX_real tau[PREFIX_JOINTS]);
void example_stop(void);
/* Yours: start the timer; sleep until the next event, and return 0 to end the program. */
void example_start_timer(void);
int example_wait(void);

void SysTick_Handler(void);

/* The tasks for the hold order of this package. */
#if PREFIX_FIRST_ORDER
static int refresh(const motion *newest)
{
    return PREFIX_first_order_task(&tasks, newest->q, newest->qd, newest->qdd);
}

static int torques(const motion *now, PREFIX_real tau[PREFIX_JOINTS])
{
    return PREFIX_first_order_synchronous_task(&tasks, now->q, now->qd, now->qdd, tau);
}
#else
static int refresh(const motion *newest)
{
    return PREFIX_inertia_task(&tasks, newest->q) && PREFIX_velocity_task(&tasks, newest->q, newest->qd, newest->qdd);
}

static int torques(const motion *now, PREFIX_real tau[PREFIX_JOINTS])
{
    return PREFIX_synchronous_task(&tasks, now->qd, now->qdd, tau);
}
#endif

void SysTick_Handler(void)
{
    motion now;
    PREFIX_real tau[PREFIX_JOINTS];
    if (!example_read_motion(now.q, now.qd, now.qdd)) {
        example_stop();
        return;
    }
    if (torques(&now, tau)) {
        example_write_torque(tau);
    } else {
        example_stop();
    }
    seen_slots[seen.writer] = now;
    torquec_triple_publish(&seen);
}

int main(void)
{
    motion now;
    PREFIX_start(&tasks);
    torquec_triple_start(&seen);
    if (!example_read_motion(now.q, now.qd, now.qdd) || !refresh(&now)) {
        example_stop();
        return 1;
    }
    example_start_timer();
    while (example_wait()) {
        if (torquec_triple_take(&seen)) {
            (void)refresh(&seen_slots[seen.reader]);
        }
    }
    example_stop();
    return 0;
}
