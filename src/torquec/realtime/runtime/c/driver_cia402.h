/* Driver for drives with the CiA 402 profile in cyclic synchronous torque mode: an example to start from. Written by
 * torquec.
 *
 * It works with any bus: your master sends the outputs and fills the inputs once per cycle (torquec_cia402_bus; with
 * EtherCAT these are send and receive of SOEM or IgH). Map these objects:
 *
 *     from the drive   6041h statusword       to the drive   6040h controlword
 *                      6061h mode display                    6060h mode of operation, 10
 *                      6064h position, counts                6071h target torque, per mille of 6076h
 *                      606Ch velocity, counts/s
 *
 * Units. The motor turns `gear` times per turn of the joint (with a screw: radians of the motor per metre). Its encoder
 * has `counts_per_turn` counts, and 6076h is its rated torque in mNm:
 *
 *     q   = direction 2 pi (counts - zero)/(counts_per_turn gear)
 *     qd  = direction 2 pi (counts/s)/(counts_per_turn gear)
 *     per mille = direction 1000 (tau/gear)/(rated/1000)
 *
 * Positions of 32 bits overflow: they are unwrapped from cycle to cycle. Torques are clamped to `most_per_mille` (6072h)
 * and rounded towards zero, so rounding exceeds no limit; its error is at most one per mille of the rated torque.
 *
 * A run begins only when all drives report "operation enabled" and mode 10. If one of them no longer does, the loop gets
 * TORQUEC_BROKEN and stops the robot.
 */
#ifndef TORQUEC_DRIVER_CIA402_H_INCLUDED
#define TORQUEC_DRIVER_CIA402_H_INCLUDED

#include "torquec_driver.h"

#include <stdatomic.h>

#define TORQUEC_CIA402_CST 10

typedef struct {
    double counts_per_turn; /* of the encoder on the motor, after quadrature */
    double gear;            /* turns of the motor per turn of the joint; radians of the motor per metre */
    double rated_torque;    /* [N m] of the motor: 6076h is in mNm */
    double most_per_mille;  /* 6072h */
    int32_t direction;      /* 1, or -1 where the motor turns against the joint */
    int32_t zero;           /* counts at q = 0 */
} torquec_cia402_axis;

typedef struct {
    uint16_t statusword;
    int8_t mode;
    int8_t reserved;
    int32_t position;
    int32_t velocity;
} torquec_cia402_inputs;

typedef struct {
    uint16_t controlword;
    int16_t torque;
    int8_t mode;
    int8_t reserved[3];
} torquec_cia402_outputs;

/* The bus: `exchange` sends the outputs and fills the inputs of all drives; it returns 0 if every drive answered. `await`
 * waits for the bus's next cycle (distributed clocks); NULL if the computer's timer clocks the loop. */
typedef struct {
    void *self;
    int (*exchange)(void *self, const torquec_cia402_outputs *outputs, torquec_cia402_inputs *inputs, int64_t drives);
    int (*await)(void *self, int64_t latest);
} torquec_cia402_bus;

typedef struct {
    int64_t joints;
    torquec_cia402_bus bus;
    torquec_cia402_axis axes[TORQUEC_MOST_JOINTS];
    torquec_cia402_inputs inputs[TORQUEC_MOST_JOINTS];
    torquec_cia402_outputs outputs[TORQUEC_MOST_JOINTS];
    int64_t counts[TORQUEC_MOST_JOINTS]; /* unwrapped positions */
    int32_t has_counts;
    _Atomic uint32_t stopped;
} torquec_cia402;

/* States of a drive, from its statusword. */
enum {
    TORQUEC_CIA402_NOT_READY,
    TORQUEC_CIA402_SWITCH_ON_DISABLED,
    TORQUEC_CIA402_READY_TO_SWITCH_ON,
    TORQUEC_CIA402_SWITCHED_ON,
    TORQUEC_CIA402_OPERATION_ENABLED,
    TORQUEC_CIA402_QUICK_STOP,
    TORQUEC_CIA402_FAULT_REACTION,
    TORQUEC_CIA402_FAULTED
};
int torquec_cia402_state(uint16_t statusword);

/* The controlword for the next step towards "operation enabled". */
uint16_t torquec_cia402_towards_enabled(uint16_t statusword, uint16_t controlword);

/* Conversions between joint units and drive units. */
double torquec_cia402_position(const torquec_cia402_axis *axis, int64_t counts);
double torquec_cia402_speed(const torquec_cia402_axis *axis, int32_t counts_per_second);
int16_t torquec_cia402_torque(const torquec_cia402_axis *axis, double tau);

/* Unwrap a 32-bit position: the value nearest to `before` with these lowest 32 bits. */
int64_t torquec_cia402_unwrapped(int64_t before, int32_t position);

/* Before a run: exchange with torque zero until all drives are enabled, at most `cycles` times, with `wait` after each;
 * returns 1 if all are enabled. A drive with a fault gets a fault reset in every second exchange. */
int torquec_cia402_enable(torquec_cia402 *drives, int cycles, void (*wait)(void));

/* After a run: send torque zero and voltage off until no drive is enabled, at most `cycles` times; returns 1 if none
 * is. */
int torquec_cia402_disable(torquec_cia402 *drives, int cycles, void (*wait)(void));

/* Fill in `driver` for these drives. */
void torquec_cia402_driver(torquec_cia402 *drives, torquec_driver *driver);

#endif /* TORQUEC_DRIVER_CIA402_H_INCLUDED */
