"""Step sizes, windows and thresholds of simulations and of the evaluation of their results.

Ratios without a unit are relative to the quantity that the text names; equation numbers are those of the module that is
named above the fields.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SimulationTuning:
    """Tuning values of simulations by module, each with its unit and the reason for its size."""

    # comparison_of_controllers
    standing_speed: float = 1e-4  # speed below which a joint stands [rad/s or m/s]
    stuck_error: float = 1e-3  # position error above which a standing joint may be stuck [rad or m]
    stuck_time: float = 0.1  # least duration of (1) [s]: long against the reversal of a motion
    chatter_rate: float = 50.0  # (2): sign changes a second; 25 Hz, above the bandwidth of usual poles
    average_time: float = 0.1  # (2) [s]: longer than two periods of the slowest chatter
    chatter_window: float = 0.25  # (2) [s]: long enough for twelve sign changes
    chatter_size: float = 0.02  # (2), of the joint's largest torque: above rounding noise
    # comparison_of_models
    response_displacement: float = 1e-3  # (2) [rad or m] of every joint: small enough for a linear model
    response_time: float = 0.5  # (2) [s], as in Clover
    response_instants: int = 251  # instants of a response (2)
    # monte_carlo
    least_factor: float = 0.1  # a factor near zero or below would make an invalid robot
    runs_per_call: int = 64  # runs in one call: fills vector registers and threads, and memory stays small
    calls_per_task: int = 32  # calls in one task: a task has some 20 ms of overhead, about the time of one group
    fewest_tasks: int = 16  # below this number tasks become smaller instead of fewer: load balancing
    # plant
    load_sweeps: int = 12  # of (6) where shafts couple joints: each multiplies the error by G, some per cent
    # native_run
    first_step: float = 1e-4  # [s], initial step of the step size control
    # simulation_result
    rate_interval: float = 1e-6  # of (5) [s]: ten digits are left after rounding; short against every motion
    # stick
    stick_sweeps: int = 8  # of impulses over sliders that the mass matrix couples
    rest_speed: float = 1e-12  # a slider slower than this [rad/s or m/s] is at rest: rounding error of zero
    # stiffness
    stable_rate: float = 2.5  # largest rate times step; below (4), since M is evaluated at one configuration
    accurate_rate: float = 0.5  # rate times step of (5)
    most_substeps: int = 1000  # largest number of substeps chosen automatically
    # verify_specification
    sine_transient: float = 8.0  # in time constants: the response must have decayed to rounding error
    step_transient: float = 32.0  # the same of a step
    run_over_transient: float = 1.25  # duration over transient: errors are taken over the last fifth of a run
    step_size: float = 0.05  # [rad or m], small enough for the linear loop that the specification is about
    # attacked_loop, worst_plant
    pulse_instants: int = 4  # instants of pulses (1): the inertia changes along a motion
    changed_choices: float = 0.2  # fraction of the choices that a local search step changes (2)
    aimed_instants: int = 12  # instants of aligned runs along a motion
    rest_part: float = 0.25  # rest after a motion, relative to its duration: errors of the stop appear in it


TUNING = SimulationTuning()
