"""A closed loop in plain Python for tests of controllers: the exact robot, Runge-Kutta, torques held between calls."""

from __future__ import annotations

import numpy as np

import torquec as tq


def run(robot, controller, trajectory, *, substeps=4, q=None, qd=None, external=None, friction=False):
    """Follow a trajectory with even samples; gives positions, speeds and torques (N, n).

    `external` (n,) is a torque that acts on the robot besides.
    """
    arm = tq.compile(robot)
    h = trajectory.period
    step = h / substeps
    pushed = np.zeros(robot.n) if external is None else np.asarray(external, dtype=float)
    x = np.array(trajectory.q[0] if q is None else q, dtype=float)
    v = np.array(trajectory.qd[0] if qd is None else qd, dtype=float)
    state = controller.initial_state

    def acceleration(x, v, tau):
        held = arm.friction_torque(v) if friction else 0.0
        return arm.forward_dynamics(x, v, tau + pushed - held - arm.spring_torque(x))

    rows = []
    for k in range(len(trajectory)):
        inputs = [trajectory.q[k], trajectory.qd[k], trajectory.qdd[k], x, v]
        if controller.schedule is not None:
            inputs.append(controller.schedule.gains[k])
        if controller.slots:
            tau, state = controller.native.call(*inputs, state)
        else:
            tau = controller.native.call(*inputs)
        rows.append((x.copy(), v.copy(), np.array(tau)))
        for _ in range(substeps):
            a1 = acceleration(x, v, tau)
            a2 = acceleration(x + step / 2 * v, v + step / 2 * a1, tau)
            a3 = acceleration(x + step / 2 * v + step**2 / 4 * a1, v + step / 2 * a2, tau)
            a4 = acceleration(x + step * v + step**2 / 2 * a2, v + step * a3, tau)
            x, v = x + step * v + step**2 / 6 * (a1 + a2 + a3), v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return tuple(np.array(column) for column in zip(*rows, strict=True))
