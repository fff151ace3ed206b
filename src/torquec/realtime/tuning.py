"""Time limits, tolerances and search sizes of the real-time loop and its packages.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RealtimeTuning:
    """Limits, tolerances and sizes by module, each with its unit and the reason for its value."""

    # background_period
    usual_background_period: float = 0.02  # default background period, that of Izaguirre [s]
    longest_background_period: float = 1.0  # [s]: the longest recommended, for coefficients that hardly change
    age_periods: float = 4.0  # default of the largest sample age, in background periods, at least 50 ms
    least_age: float = 0.05  # [s]: least default of the largest sample age
    # fmu_package
    fmu_step: float = 0.001  # [s] of the integrator of Co-Simulation; a parameter of the unit
    # hold_search
    hold_samples: int = 20_000  # random motions for every joint and order: a second of native code for a six-joint arm
    hold_climbers: int = 16  # climbers: slightly fewer than in `proof.worst_motions`
    hold_trials: int = 24  # trials of each climber in a round
    hold_rounds: int = 60  # rounds of climbing
    hold_first_step: float = 0.5  # of parameters within +-1; the last steps are a third of a percent
    hold_step_shrink: float = 0.92  # from round to round
    hold_flip_probability: float = 0.1  # that a trial moves a parameter to an end: the worst motions are at limits
    hold_sweeps: tuple[float, ...] = (0.3, 0.1, 0.03, 0.01)  # final steps of a parameter, both ways and to its ends
    # ros2_package
    example_period: float = 0.001  # s, of the example's parameters
    test_cycles: int = 100_000  # of the law with invalid inputs: a second on a small computer
    # runtime.loop_package
    usual_law_period: float = 0.001  # [s], for a law without a period
    # runtime.drivers
    simulated_timeout: float = 0.1  # [s] between two torques: a non-real-time system pauses for tens of ms
    simulated_catch_up: float = 0.2  # [s] simulated in one read: longer than the guards' gaps, fast to compute
    # runtime.guards
    full_torque_time: float = 0.02  # from zero to the limit [s]: slower than motors, faster than gears need
    position_slack: tuple[float, float] = 0.05, 0.01  # [rad], [m]: noise is less, a lost count is more
    position_resolution: tuple[float, float] = 0.002, 0.0002  # [rad], [m]: above a 12-bit encoder step at the joint
    unmoved_distance: tuple[float, float] = 0.01, 0.002  # [rad], [m]: following this far moves an encoder by a step
    late_cycles: float = 3.5  # default timeout without a new state or torque, in cycles
    # runtime.ros2_robot
    subscriber_queue: int = 10  # queue size of a subscriber: usually two messages wait
    torque_poll: float = 2e-4  # polling interval for new torques [s]: a fifth of the shortest usual period
    message_timeout: float = 0.1  # between two torques or samples [s]: non-real-time middleware pauses for tens of ms
    diagnostics_interval: float = 1.0  # interval of the diagnostics [s], as diagnostic aggregators expect it
    first_message_timeout: float = 5.0  # timeout of the first joint states [s]: discovery takes about one
    # runtime.run
    log_read_interval: float = 0.02  # [s] between two reads of the log: a few hundred entries at the highest rates
    log_length: float = 4.0  # length of the log in the loop's memory [s]: far longer than the reader may be delayed


TUNING = RealtimeTuning()
