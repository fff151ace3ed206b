"""A closed loop looked at between its samples too: torques held, the robot integrated in many small steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import torquec as tq
from torquec.control.poles import error_feedback, joint_poles


@dataclass(frozen=True)
class Worst:
    """The largest errors of a run at any step, (n,): position, speed, acceleration, feedback, torque."""

    position: np.ndarray
    speed: np.ndarray
    acceleration: np.ndarray
    feedback: np.ndarray
    torque: np.ndarray


@dataclass(frozen=True)
class HeldLoop:
    """Computed torque at the measured state on a robot: tau = torque(q, qd, v) + added(t, q), held for a period."""

    robot: object
    torque: Callable
    poles: object
    period: float
    sampled: bool = False
    substeps: int = 8
    added: Callable | None = None

    def run(self, trajectory, *, start=(0.0, 0.0)) -> Worst:
        """The largest errors along a trajectory, from its start displaced by `start`."""
        arm = tq.compile(self.robot)
        names = self.robot.joint_names
        feedback = error_feedback(joint_poles(names, self.poles), period=self.period, sampled=self.sampled)
        p, s = np.array(feedback.stiffness), np.array(feedback.damping)
        h = self.period / self.substeps
        end = trajectory.t[-1] if trajectory.motion is None else min(trajectory.t[-1], trajectory.motion.end)
        steps = int(np.floor((end - trajectory.t[0]) / self.period + 1e-9))
        times = trajectory.t[0] + h * np.arange(steps * self.substeps + 1)
        ref = trajectory.at(times)
        q, qd = ref.q[0] - start[0], ref.qd[0] - start[1]
        seen = [np.zeros(self.robot.n) for _ in range(5)]
        spring = arm.spring_torque

        def slope(q, qd):
            return arm.forward_dynamics(q, qd, tau - spring(q))

        def note(k, values):
            for row, value in zip(k, values, strict=True):
                np.maximum(seen[row], np.abs(value), out=seen[row])

        for i in range(steps * self.substeps):
            e, ed = ref.q[i] - q, ref.qd[i] - qd
            if i % self.substeps == 0:
                asked = p * e + s * ed
                tau = self.torque(q, qd, ref.qdd[i] + asked) + spring(q)
                note((3, 4), (asked, tau))  # what `added` stands for is an error of the model, not part of it
                tau = tau + (0.0 if self.added is None else self.added(times[i], q))
            k1 = slope(q, qd)
            note((0, 1, 2), (e, ed, ref.qdd[i] - k1))
            k2 = slope(q + 0.5 * h * qd, qd + 0.5 * h * k1)
            k3 = slope(q + 0.5 * h * qd + 0.25 * h * h * k1, qd + 0.5 * h * k2)
            k4 = slope(q + h * qd + 0.5 * h * h * k2, qd + h * k3)
            q, qd = q + h * qd + h * h * (k1 + k2 + k3) / 6.0, qd + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
        note((0, 1), (ref.q[-1] - q, ref.qd[-1] - qd))
        return Worst(*seen)


def shares(guarantee, worst: Worst) -> np.ndarray:
    """What part of each bound a run used, (5, n)."""
    rows = [
        [getattr(bound, name) for bound in guarantee.joints]
        for name in ("position", "speed", "acceleration", "feedback", "torque")
    ]
    found = [worst.position, worst.speed, worst.acceleration, worst.feedback, worst.torque]
    return np.array(found) / np.array(rows)
