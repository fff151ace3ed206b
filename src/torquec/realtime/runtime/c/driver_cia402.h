/* Drives of the profile CiA 402 in cyclic synchronous torque mode, as a driver: an example to start from. Written by torquec.
 *
 * Which bus carries the process data is not its business: a master fills the inputs and sends the outputs, once a cycle
 * (torquec_cia402_bus; with EtherCAT that is SOEM's or IgH's send and receive). Map these objects:
 *
 *     from the drive   6041h statusword       to the drive   6040h controlword
 *                      6061h mode display                    6060h mode of operation, 10
 *                      6064h position, counts                6071h target torque, per mille of 6076h
 *                      606Ch velocity, counts/s
 *
 * Units. The motor turns `gear` times while the joint turns once (a screw: radians of the motor per metre), its encoder has
 * `counts_per_turn` counts, and 6076h is its rated torque in mNm:
 *
 *     q   = direction 2 pi (counts - zero)/(counts_per_turn gear)
 *     qd  = direction 2 pi (counts/s)/(counts_per_turn gear)
 *     per mille = direction 1000 (tau/gear)/(rated/1000)
 *
 * Positions are 32 bits that run over: they are followed from cycle to cycle. Torques are rounded towards zero, so that no
 * limit is passed by rounding, and cut at `most_per_mille` (6072h). What is lost by rounding is at most one per mille.
 *
 * Torque is sent only to drives that report "operation enabled" and mode 10; all of them must, before a run begins.
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

/* The bus: `exchange` sends the outputs and fills the inputs of all drives; 0 when every drive answered. `await` waits for
 * the bus's next cycle (distributed clocks); NULL where the machine's timer gives the cycles. */
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
    int64_t counts[TORQUEC_MOST_JOINTS]; /* positions that do not run over */
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

/* The controlword that leads one step on towards "operation enabled". */
uint16_t torquec_cia402_towards_enabled(uint16_t statusword, uint16_t controlword);

/* Units. */
double torquec_cia402_position(const torquec_cia402_axis *axis, int64_t counts);
double torquec_cia402_speed(const torquec_cia402_axis *axis, int32_t counts_per_second);
int16_t torquec_cia402_torque(const torquec_cia402_axis *axis, double tau);

/* Follow a position of 32 bits: the nearest one to `before` with these lowest bits. */
int64_t torquec_cia402_unwrapped(int64_t before, int32_t position);

/* Before a run: exchange until all drives are enabled with torque zero, at most `cycles` times, `wait` after each; 1 when
 * they are. A drive with a fault is reset once. */
int torquec_cia402_enable(torquec_cia402 *drives, int cycles, void (*wait)(void));

/* After a run: torque zero and voltage off, sent until no drive is enabled any more; 1 when none is. */
int torquec_cia402_disable(torquec_cia402 *drives, int cycles, void (*wait)(void));

/* The driver. */
void torquec_cia402_driver(torquec_cia402 *drives, torquec_driver *driver);

#endif /* TORQUEC_DRIVER_CIA402_H_INCLUDED */
