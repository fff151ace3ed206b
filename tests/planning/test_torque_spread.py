"""Torque limits kept by every robot of stated sets: random robots of the sets, corners of them, and what is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import torquec as tq
from torquec.control.uncertainty import (
    BodyUncertainty,
    JointUncertainty,
    PayloadUncertainty,
    Uncertainty,
)
from torquec.errors import ArgumentError
from torquec.planning.time_optimal import time_optimal
from torquec.robot import classics
from torquec.spatial import Inertia

WAYPOINTS = [[0, -1.5, 1.5, 0, 0, 0], [1, -1, 1, 0.5, 1, 1], [1.5, -0.5, 1.8, 0, 0.5, 1.5]]
STATED = Uncertainty(
    every_joint=JointUncertainty(friction_part=0.2, friction_residual=0.3, torque_part=0.02),
    bodies=BodyUncertainty(mass_part=0.05, first_moment_part=0.05, inertia_part=0.05),
    payload=PayloadUncertainty("link6", (0.0, 1.0), centre_within=0.05),
)


def robot_of_the_sets(robot, rng, corner):
    """One whose parameters are anywhere in the sets, or at their ends."""

    def part(most):
        return rng.choice([-most, most]) if corner else rng.uniform(-most, most)

    bodies = []
    for body in robot.bodies:
        values = [x * (1.0 + part(0.05)) for x in body.inertia.parameters]
        bodies.append(dataclasses.replace(body, inertia=Inertia(*values)))
    mass = 1.0 if corner else rng.uniform(0.0, 1.0)
    point = rng.normal(size=3)
    point *= 0.05 / np.linalg.norm(point) * (1.0 if corner else rng.uniform())
    (x, y, z), frame = point, robot.frame("link6")
    moved = {"Ixx": y * y + z * z, "Iyy": x * x + z * z, "Izz": x * x + y * y, "Ixy": -x * y, "Ixz": -x * z}
    moved |= {"Iyz": -y * z, "mx": x, "my": y, "mz": z, "m": 1.0}
    load = Inertia(*(mass * moved[name] for name in tq.spatial.PARAMETER_NAMES)).transformed(frame.pose)
    carrier = bodies[frame.body]
    sums = [a + b for a, b in zip(carrier.inertia.parameters, load.parameters, strict=True)]
    bodies[frame.body] = dataclasses.replace(carrier, inertia=Inertia(*sums))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def test_no_robot_of_the_sets_exceeds_a_torque_limit():
    robot = classics.puma560()
    found = time_optimal(robot, WAYPOINTS, points=200, uncertainty=STATED)
    nominal = time_optimal(robot, WAYPOINTS, points=200)
    assert found.proven
    assert found.duration > 1.02 * nominal.duration
    rng = np.random.default_rng(0)
    t = np.sort(rng.uniform(0.0, found.duration, 500))
    state = found.trajectory.motion.at(t)
    rigid = tq.compile(robot).inverse_dynamics(state.q, state.qd, state.qdd)
    rubbing = np.abs(tq.compile(robot).total_torque(state.q, state.qd, state.qdd) - rigid)
    efforts = np.array([joint.limits.effort for joint in robot.joints])
    worst = np.zeros(6)
    for k in range(4):
        other = tq.compile(robot_of_the_sets(robot, rng, corner=k < 3))
        torque = np.abs(other.total_torque(state.q, state.qd, state.qdd)) + 0.2 * rubbing + 0.3
        worst = np.maximum(worst, (torque + 0.02 * efforts).max(axis=0))
    assert (worst <= efforts).all()
    # Corners come near the limit: the sets are used, not a multiple of them.
    assert (worst / efforts).max() > 0.9
    # The motion without sets would exceed limits on these robots.
    state = nominal.trajectory.motion.at(np.linspace(0.0, nominal.duration, 500))
    other = tq.compile(robot_of_the_sets(robot, rng, corner=True))
    assert (np.abs(other.total_torque(state.q, state.qd, state.qdd)) > efforts).any()


def test_exact_sets_change_nothing():
    robot = classics.puma560()
    one, other = (time_optimal(robot, WAYPOINTS[:2], points=100, uncertainty=u) for u in (None, Uncertainty()))
    assert other.proven
    assert abs(other.duration / one.duration - 1.0) < 2e-3


def test_a_load_that_cannot_be_held_on_some_robot_is_named():
    heavy = dataclasses.replace(STATED, payload=PayloadUncertainty("link6", (0.0, 500.0), centre_within=0.05))
    with pytest.raises(ArgumentError, match=r"joint 'joint\d' needs .* on some robot of the sets, allowed"):
        time_optimal(classics.puma560(), WAYPOINTS, points=100, uncertainty=heavy)
