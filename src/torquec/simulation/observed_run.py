"""Momentum observer or recursive estimator run on the recorded samples of a simulation.

Neither acts on the loop, so that both can run afterwards on the measurements and commanded torques: the results are
those of an observer or estimator inside the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.control.observer import Observer
from torquec.control.recursive_estimator import RecursiveEstimator
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.simulation.simulation_result import SimulationResult


@dataclass(frozen=True, eq=False)
class ObservedRun:
    """Observer results per sample `t` (S,): `external` torque, `threshold` [Nm or N], `alarm` (0 or 1), (S, n) each.

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
    """Run the observer on a simulation that recorded every sample.

    Raises `ArgumentError` for other joints, and for samples that are not the observer's period apart.
    """
    found = observe(observer, *_recorded(result, observer))
    return ObservedRun(result.joints, result.t[: len(result.tau)], *(part[:, 0] for part in found))


def _recorded(result: SimulationResult, watching: Observer | RecursiveEstimator) -> tuple[Array, Array, Array]:
    """Measured positions and speeds, and drive torques (S, 1, n), checked against the observer or estimator."""
    name = watching.KIND
    if watching.joints != result.joints:
        raise ArgumentError(f"the {name} is for {', '.join(watching.joints)}", remedy="make it for the run's robot")
    steps = np.diff(result.t[: len(result.tau)])
    if watching.period is not None and len(steps) and np.abs(steps - watching.period).max() > 1e-9:
        raise ArgumentError(
            f"samples every {steps.max():g} s for an {name} of {watching.period:g} s",
            remedy=f"record every sample, and make the {name} for the period of the loop",
        )
    limits = np.array(result.efforts)
    return result.measured[:, None], result.measured_speed[:, None], np.clip(result.tau, -limits, limits)[:, None]


@dataclass(frozen=True, eq=False)
class EstimatedRun:
    """Estimates per sample `t` (S,): payload and friction.

    Payload `mass` (S,) [kg], its 95 % `interval` (S, 2), first `moment` (S, 3) [kg m]; corrections of `coulomb` and
    `viscous` friction (S, n).
    """

    joints: tuple[str, ...]
    t: Array
    mass: Array
    interval: Array
    moment: Array
    coulomb: Array
    viscous: Array

    def to_document(self, estimator: RecursiveEstimator) -> dict[str, Any]:
        """As JSON values, at the end of the run."""
        friction = {key: dict(zip(self.joints, getattr(self, key)[-1].tolist(), strict=True)) for key in _FRICTION}
        return {
            "frame": estimator.frame,
            "mass": float(self.mass[-1]),
            "interval": self.interval[-1].tolist(),
            "moment": self.moment[-1].tolist(),
            **friction,
            "window": estimator.window,
            "memory": estimator.memory,
        }


_FRICTION = ("coulomb", "viscous")


def estimated_run(result: SimulationResult, estimator: RecursiveEstimator) -> EstimatedRun:
    """Run the estimator on a simulation that recorded every sample; raises as `observed_run` does."""
    mass, *rest = (part[:, 0] for part in estimate(estimator, *_recorded(result, estimator)))
    return EstimatedRun(result.joints, result.t[: len(result.tau)], mass[:, 0], *rest)


def estimate(estimator: RecursiveEstimator, q: Array, qd: Array, tau: Array) -> list[Array]:
    """The outputs of an estimator (S, runs, ..) in order from measured motions and held torques (S, runs, n)."""
    runs = q.shape[1]
    state, held = np.tile(estimator.initial_state, (runs, 1)), np.zeros_like(tau[0])
    rows: list[list[Array]] = []
    for k in range(len(q)):
        *found, state = estimator.native.call(*(np.ascontiguousarray(part) for part in (q[k], qd[k], held, state)))
        rows.append(found)
        held = tau[k]
    return [np.stack(part) for part in zip(*rows, strict=True)]


def observe(observer: Observer, q: Array, qd: Array, tau: Array) -> tuple[Array, Array, Array]:
    """External torques, thresholds and alarms (S, runs, n) from measured motions and held torques (S, runs, n).

    `tau` at a sample is held from then on.
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
