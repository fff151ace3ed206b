"""Thresholds of the log checks: one record, each with its unit and the reason for its size.

Ratios without a unit are relative to the quantity that the text names; symbols are those of the module that is
named above the fields.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LogTuning:
    """Thresholds in the order of the checks."""

    # check_values: rows and single columns
    gap_steps: float = 10.0  # times the usual step is a gap, not jitter
    jitter: float = 0.05  # of the step, where it begins to show in accelerations
    spike_window: int = 21  # samples: their median stays where up to ten of them are wrong
    spike_ranges: float = 3.0  # ranges r: impacts on an industrial robot reach two, for a few samples
    spike_deviations: float = 20.0  # usual deviations: quantized columns have almost no range
    ruinous_ranges: float = 10.0  # ranges r from which a torque spike is an error: it ruins any fit that is not robust
    frozen_seconds: float = 0.25  # [s]: slow joints repeat a value for less
    frozen_rows: int = 20  # samples, likewise
    held_runs: float = 3.0  # times the usual run of equal values, for coarse sensors
    jump_steps: float = 10.0  # times the 99th percentile of the steps
    moving_share: float = 0.01  # of a joint's range: motion from which a constant column counts as frozen or saturated
    # check_log: saturated torques, progress
    progress_by_model: float = 0.2  # progress after the comparison with the model
    progress_by_fit: float = 0.8  # progress after the fit
    saturated_rows: int = 5  # fewest samples in a row of a saturated torque
    extreme_share: float = 0.5  # of samples at an extreme: a torque is then saturated if its joint moves, else it rests
    # check_motion: speeds against positions
    own_correlation: float = 0.8  # of a speed with the derivative of its own position, noise included
    exchange_gain: float = 0.3  # gain in summed correlation from which two columns are reported as exchanged
    rest_speed: float = 0.02  # of the top speed: noise of differentiated encoders is below it
    long_rest: float = 0.1  # of the log: shorter rests do not change the estimate
    shortest_rest: float = 0.2  # [s]; a reversal is shorter
    unit_ratio: float = 5.0  # ratio of sizes that indicates a wrong unit: sensor errors are smaller
    slow_log: float = 0.01  # of the speed limit: a log that never exceeds it is at rest, or has another unit of time
    long_step: float = 0.02  # [s]; robots are recorded faster
    encoder_jump: float = 20.0  # times the neighbouring speeds, and the fastest elsewhere: a jump, not an impact
    beyond_limit: float = 0.02  # of the range of a joint: encoder errors and soft limits exceed a limit by less
    fastest_joint: float = 20.0  # [rad/s], of a joint whose file states none: twice the fastest wrists of arms
    # check_torques: torques against the model of the file
    model_samples: int = 600  # enough for five numbers; the model is evaluated for every change of the log
    explained_floor: float = 0.01  # a joint that is explained to 99 % gains nothing more
    believed_gain: float = 2.0  # sum of logarithms, in check_hypotheses too: errors fall to a seventh
    explained_by_model: float = 0.25  # largest e_j^2 of the joints of an accepted change
    model_fits: float = 0.03  # no search where the model explains every joint this well
    felt_gravity: float = 1e-6  # relative torque of unit gravity along an axis below which it is unobservable
    aligned_share: float = 0.3  # correlation of unexplained torque with the model: random for ten independent samples
    scale_error: float = 0.25  # largest relative error of a scale: half of a reported gain
    fewest_others: int = 2  # joints from which the file's masses are trusted
    scales_agree: float = 1.3  # ratio of the scales of these joints
    reported_gain: float = 1.5  # factor from which a gain is reported: masses of single links are off by less
    large_scale: float = 20.0  # torque scale: inertias in files are wrong by less, units (mNm, kNm) by far more
    small_scale: float = 0.05  # torque scale, likewise
    # check_hypotheses: torques against a fit
    fewest_independent: float = 30.0  # independent samples of a joint: with fewer, any model fits
    fit_fits: float = 0.015  # relative residual of the torques below which nothing is searched
    supported_gain: float = 0.5  # least gain where the robot's own model gives the same finding
    explained_by_fit: float = 0.0625  # largest e_j^2 of an explained joint
    alike_gain: float = 0.8  # share of the best gain from which another reading explains the log as well
    certain_gain: float = 6.0  # a gain that no poor fit reaches: wrong readings reach 3 where all joints swing alike
    most_faults: int = 3  # a log with more mistakes is not diagnosed further
    offset_reach: float = 0.6  # search interval around a grid offset, relative to it: neighbouring intervals meet
    bad_joint: float = 0.01  # smallest e_j^2 of a joint that is tried as exchanged or negated
    still_bad: float = 0.1  # relative residual of the torques below which a corrected log is not searched again
    shown_readings: int = 2  # most alternative readings that are reported
    refined_offsets: int = 2  # the right one need not be the best of the grid
    smallest_offset: float = 2.0  # [degrees]; accuracy of kinematics and sensors
    longest_delay: float = 0.4  # [s]
    delay_step: float = 0.02  # [s]
    shortest_delay: float = 0.01  # [s]; `torque_delay` looks for less
    smallest_factor: float = 1.25  # of torques: motor constants are known to a tenth
    largest_factor: float = 5.0  # of torques
    inside_range: float = 0.98  # of the range: a factor at its end is not a minimum
    smallest_tilt: float = 3.0  # [degrees]; mounting accuracy of robots
    wrong_gravity: float = 30.0  # [degrees]: no base is tilted so far by mistake
    # torque_delay
    delay_steps: int = 20  # of the grid to each side, 2.5 ms each at first: the error is smooth between them
    delay_rows: int = 2000  # samples after decimation: enough for one number
    excited_rank: float = 1e-9  # of the largest singular value: directions below it are not excited
    steady_share: float = 0.3  # of samples away from reversals; with less, rows at reversals are used, too
    sure_deviations: float = 4.0  # standard deviations: false alarm in one of ten thousand logs without a delay
    delay_matters: float = 0.1  # share of the squared error removed from which a delay matters
    delay_alarming: float = 0.25  # the same share from which parameters are wrong without correction


TUNING = LogTuning()
