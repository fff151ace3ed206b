"""Two hundred random trees against Pinocchio and MuJoCo, quantity by quantity.

Errors are relative to the largest torque (or the largest entry, for what is no torque) over the states of a robot.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.dynamics.laws import at_frame, times, violation
from tests.dynamics.peers import Mujoco, Pinocchio
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.scalars import QUANTITIES, on_batch

from torquec import dynamics

ROBOTS = 200
TOLERANCE = 1e-10


@cache
def case(seed):
    """Robot and states of a seed."""
    robot = random_robot(seed)
    return robot, random_state(robot, seed)


@cache
def pinocchio_of(seed):
    pytest.importorskip("pinocchio")
    return Pinocchio(case(seed)[0])


@cache
def mujoco_of(seed):
    pytest.importorskip("mujoco")
    return Mujoco(case(seed)[0])


def ours(seed, name):
    robot, state = case(seed)
    algorithm, parts = QUANTITIES[name]
    return on_batch(algorithm, robot, *(getattr(state, part) for part in parts))


def theirs(method, seed, *parts):
    """A peer's method, state by state: (N, ...), or a list of them where it has several results."""
    _, state = case(seed)
    rows = [method(*values) for values in zip(*(getattr(state, part) for part in parts), strict=True)]
    if isinstance(rows[0], tuple):
        return [np.array(column) for column in zip(*rows, strict=True)]
    return np.array(rows)


@cache
def torques(seed):
    return theirs(pinocchio_of(seed).inverse_dynamics, seed, "q", "qd", "qdd")


def everywhere(difference):
    """The worst difference over all robots, and where it is."""
    worst = max((difference(seed), seed) for seed in range(ROBOTS))
    assert worst[0] < TOLERANCE, f"{worst[0]:.1e} on random_robot({worst[1]})"


# --- Pinocchio ------------------------------------------------------------------------------------------------------


def test_inverse_dynamics():
    everywhere(lambda seed: violation(ours(seed, "inverse_dynamics"), torques(seed)))


def test_mass_matrix():
    everywhere(lambda seed: violation(ours(seed, "mass_matrix"), theirs(pinocchio_of(seed).mass_matrix, seed, "q")))


def test_gravity_torque():
    def difference(seed):
        return violation(
            ours(seed, "gravity_torque"), theirs(pinocchio_of(seed).gravity_torque, seed, "q"), torques(seed)
        )

    everywhere(difference)


def test_velocity_torque():
    def difference(seed):
        peer = pinocchio_of(seed)
        expected = theirs(peer.bias, seed, "q", "qd") - theirs(peer.gravity_torque, seed, "q")
        return violation(ours(seed, "velocity_torque"), expected, torques(seed))

    everywhere(difference)


def test_coriolis_matrix_times_speed():
    def difference(seed):
        found = times(ours(seed, "coriolis_matrix"), case(seed)[1].qd)
        return violation(found, theirs(pinocchio_of(seed).coriolis_torque, seed, "q", "qd"), torques(seed))

    everywhere(difference)


def test_forward_dynamics():
    """Accelerations compared as the torques that they stand for, whatever the condition of M."""

    def difference(seed):
        peer = pinocchio_of(seed)
        error = ours(seed, "forward_dynamics") - theirs(peer.forward_dynamics, seed, "q", "qd", "tau")
        missing = times(theirs(peer.mass_matrix, seed, "q"), error)
        return violation(missing, 0.0 * missing, torques(seed), theirs(peer.bias, seed, "q", "qd"))

    everywhere(difference)


def test_inverse_dynamics_derivatives():
    def difference(seed):
        by_q, by_qd = theirs(pinocchio_of(seed).inverse_dynamics_derivatives, seed, "q", "qd", "qdd")
        scale = (by_q, by_qd, torques(seed))
        return max(violation(ours(seed, "dtau_dq"), *scale), violation(ours(seed, "dtau_dqd"), by_qd, *scale))

    everywhere(difference)


def test_forward_dynamics_derivatives():
    def difference(seed):
        peer = pinocchio_of(seed)
        mass = theirs(peer.mass_matrix, seed, "q")
        by_q, by_qd, by_tau = theirs(peer.forward_dynamics_derivatives, seed, "q", "qd", "tau")
        scale = (mass @ by_q, mass @ by_qd, torques(seed))
        return max(
            violation(mass @ ours(seed, "dqdd_dq"), mass @ by_q, *scale),
            violation(mass @ ours(seed, "dqdd_dqd"), mass @ by_qd, *scale),
            violation(mass @ ours(seed, "dqdd_dtau"), mass @ by_tau),
        )

    everywhere(difference)


def test_energies():
    def difference(seed):
        robot, state = case(seed)
        kinetic, potential = theirs(pinocchio_of(seed).energies, seed, "q", "qd")
        unsprung = type(robot)(robot.name, tuple(map(_without_spring, robot.bodies)), gravity=robot.gravity, snap=False)
        return max(
            violation(ours(seed, "kinetic_energy"), kinetic),
            violation(on_batch(dynamics.potential_energy, unsprung, state.q), potential, 1.0),
        )

    everywhere(difference)


def test_frames_jacobians_and_their_derivatives():
    def difference(seed):
        robot, state = case(seed)
        worst = 0.0
        for name in (robot.frames[0].name, robot.frames[-1].name, robot.frames[len(robot.frames) // 2].name):
            expected = theirs(lambda q, qd, name=name: pinocchio_of(seed).frame(name, q, qd), seed, "q", "qd")
            found = (
                on_batch(lambda r, q, name=name: dynamics.frame_pose(r, name, q).rotation, robot, state.q),
                on_batch(lambda r, q, name=name: dynamics.frame_pose(r, name, q).origin, robot, state.q),
                on_batch(at_frame(dynamics.jacobian, name), robot, state.q),
                on_batch(at_frame(dynamics.jacobian_derivative, name), robot, state.q, state.qd),
            )
            worst = max(worst, *(violation(a, b, 1.0) for a, b in zip(found, expected, strict=True)))
        return worst

    everywhere(difference)


def test_regressor():
    def difference(seed):
        expected = theirs(pinocchio_of(seed).regressor, seed, "q", "qd", "qdd")
        found = ours(seed, "regressor")
        own = np.array(dynamics.parameter_values(case(seed)[0]))
        return max(violation(found[:, :, : expected.shape[2]], expected), violation(found @ own, torques(seed)))

    everywhere(difference)


def _without_spring(body):
    joint = body.joint
    bare = type(joint)(joint.name, joint.type, joint.placement, joint.axis, mimic=joint.mimic)
    return type(body)(body.name, body.parent, bare, body.inertia)


# --- MuJoCo ---------------------------------------------------------------------------------------------------------


def test_inverse_dynamics_of_mujoco():
    def difference(seed):
        expected = theirs(mujoco_of(seed).inverse_dynamics, seed, "q", "qd", "qdd")
        return violation(ours(seed, "inverse_dynamics"), expected)

    everywhere(difference)


def test_bias_of_mujoco():
    def difference(seed):
        found = ours(seed, "velocity_torque") + ours(seed, "gravity_torque")
        return violation(found, theirs(mujoco_of(seed).bias, seed, "q", "qd"), ours(seed, "inverse_dynamics"))

    everywhere(difference)


def test_mass_matrix_of_mujoco():
    everywhere(lambda seed: violation(ours(seed, "mass_matrix"), theirs(mujoco_of(seed).mass_matrix, seed, "q")))


def test_frames_and_jacobians_of_mujoco():
    def difference(seed):
        name = case(seed)[0].frames[-1].name
        expected = theirs(lambda q, qd: mujoco_of(seed).frame(name, q, qd), seed, "q", "qd")
        found = (ours(seed, "frame_rotation"), ours(seed, "frame_origin"), ours(seed, "jacobian"))
        return max(violation(a, b, 1.0) for a, b in zip(found, expected, strict=True))

    everywhere(difference)
