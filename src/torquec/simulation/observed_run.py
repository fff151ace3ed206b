"""A momentum observer on the recorded samples of a run: external torques, thresholds and the first alarm of each joint.

The observer changes nothing in the loop, so that it may run afterwards on what the controller measured and on what the
drives were asked for: the samples, and the results, are those of an observer inside the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.control.observer import Observer
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.simulation.simulation_result import SimulationResult


@dataclass(frozen=True, eq=False)
class ObservedRun:
    """Per sample `t` (S,): `external` torques, their `threshold`, and `alarm` (0 or 1), (S, n) each [Nm or N].

    The threshold is infinite where a joint has none.
    """

    joints: tuple[str, ...]
    t: Array
    external: Array
    threshold: Array
    alarm: Array

    @property
    def first_alarms(self) -> dict[str, float]:
        """When each joint gave its first alarm [s]; joints without one are left out."""
        hit = self.alarm > 0.0
        first = {name: int(np.argmax(hit[:, k])) for k, name in enumerate(self.joints) if hit[:, k].any()}
        return {name: float(self.t[sample]) for name, sample in first.items()}

    def to_document(self, observer: Observer) -> dict[str, Any]:
        """As JSON values: {bandwidth, detection_time, joints {name: {..}}, alarms {name: s}}."""
        largest, standing = np.abs(self.external).max(axis=0), dict(zip(self.joints, observer.thresholds, strict=True))
        smallest = dict(zip(self.joints, observer.smallest_torque, strict=True))
        moving = dict(zip(self.joints, observer.moving or [None] * observer.n, strict=True))
        return {
            "bandwidth": observer.bandwidth,
            "detection_time": observer.detection_time,
            "joints": {
                name: {
                    "largest": float(largest[k]),
                    "threshold": standing[name],
                    "threshold_moving": moving[name],
                    "smallest_torque": smallest[name],
                }
                for k, name in enumerate(self.joints)
            },
            "alarms": self.first_alarms,
        }


def observed_run(result: SimulationResult, observer: Observer) -> ObservedRun:
    """What the observer finds along a run that recorded every sample.

    Raises `ArgumentError` for other joints, and for samples that are not the observer's period apart.
    """
    if observer.joints != result.joints:
        raise ArgumentError(f"the observer is for {', '.join(observer.joints)}", remedy="make it for the run's robot")
    t = result.t[: len(result.tau)]
    steps = np.diff(t)
    if observer.period is not None and len(steps) and np.abs(steps - observer.period).max() > 1e-9:
        raise ArgumentError(
            f"samples every {steps.max():g} s for an observer of {observer.period:g} s",
            remedy="record every sample, and make the observer for the period of the loop",
        )
    limits = np.array(result.efforts)
    torques = np.clip(result.tau, -limits, limits)
    found = observe(observer, result.measured[:, None], result.measured_speed[:, None], torques[:, None])
    return ObservedRun(result.joints, t, *(part[:, 0] for part in found))


def observe(observer: Observer, q: Array, qd: Array, tau: Array) -> tuple[Array, Array, Array]:
    """External torques, thresholds and alarms (S, runs, n) from measured motions and held torques (S, runs, n).

    `tau` at a sample is what is held from then on.
    """
    samples, runs, n = q.shape
    state = np.stack([observer.state_at(q[0, k], qd[0, k]) for k in range(runs)])
    external, threshold, alarm = np.empty((3, samples, runs, n))
    limits = np.array([np.inf if limit is None else limit for limit in observer.thresholds])
    held = np.zeros((runs, n))
    for k in range(samples):
        inputs = [np.ascontiguousarray(part) for part in (q[k], qd[k], held, state)]
        external[k], *bound, alarm[k], state = observer.native.call(*inputs)
        threshold[k] = bound[0] if bound else limits
        held = tau[k]
    return external, threshold, alarm
