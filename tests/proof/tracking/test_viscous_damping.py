"""Viscous friction in the loop: friction splits exactly, and what a sampled step leaves out is bounded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.proof.tracking.test_coupled_response import motion_over

import torquec as tq
from torquec.dynamics import friction_torque, mass_matrix
from torquec.proof.tracking.viscous_damping import ViscousDamping, step_error
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives

PERIOD = 1e-3


def rubbing(laws):
    """A PUMA 560 with these friction laws at its joints, and none at its motors."""
    robot = tq.classics.puma560()
    bodies = tuple(
        replace(body, joint=replace(body.joint, friction=law)) for body, law in zip(robot.bodies, laws, strict=True)
    )
    return replace(robot, bodies=bodies, drives=Drives())


def test_friction_is_that_of_the_loop_and_the_rest():
    rng = np.random.default_rng(2)
    laws = [Friction.of({"coulomb": 1.0, "viscous_positive": p, "viscous_negative": m, "curved": 0.3})
            for p, m in rng.uniform(0.1, 5.0, (6, 2))]  # fmt: skip
    robot = rubbing(laws)
    found = ViscousDamping.of(robot, rng.uniform(-1.0, 1.0, (5, 6)), PERIOD)
    assert np.all(found.coefficients <= [min(law.viscous_positive, law.viscous_negative) for law in laws])
    assert found.coefficients[0] == min(laws[0].viscous_positive, laws[0].viscous_negative)
    rest = found.left_out_of(robot)
    for speeds in rng.uniform(-2.0, 2.0, (20, 6)):
        whole = np.array(friction_torque(robot, speeds.tolist()))
        other = np.array(friction_torque(rest, speeds.tolist()))
        np.testing.assert_allclose(whole, found.coefficients * speeds + other, rtol=1e-12)


def test_friction_that_is_fast_against_the_sampling_is_reduced():
    robot, q = rubbing([Friction.of({"viscous": 500.0})] * 6), np.zeros((1, 6))
    found = ViscousDamping.of(robot, q, PERIOD)
    rates = PERIOD * np.diagonal(np.linalg.inv(np.array(mass_matrix(robot, q[0].tolist())))) * 500.0
    assert np.all(rates[3:] > 0.2)
    np.testing.assert_allclose(found.coefficients, 500.0 * np.minimum(1.0, 0.2 / rates))


@pytest.mark.parametrize("viscous_negative", [0.0, -1.0])
def test_friction_of_one_direction_stays_out_of_the_loop(viscous_negative):
    law = Friction(viscous_positive=2.0, viscous_negative=viscous_negative)
    assert not ViscousDamping.of(rubbing([law] * 6), np.zeros((1, 6)), PERIOD).coefficients.any()


def test_a_step_differs_from_the_loop_by_less_than_its_error():
    """A sampling interval under random friction, feedback and disturbances, against (1) of `coupled_loop`."""
    rng, n, used = np.random.default_rng(5), 3, 0.0
    for _ in range(40):
        root = rng.normal(size=(n, n))
        A = rng.uniform(0.01, 0.2) * np.linalg.inv(root @ root.T + np.eye(n)) * rng.uniform(0.1, 1.0, n)
        G, u, speed = np.eye(n) + 0.2 * rng.normal(size=(n, n)), *rng.normal(size=(2, n))
        e, z, w = np.zeros(n), PERIOD * speed, 5.0 * rng.normal(size=n)
        own, pushed = motion_over(A / PERIOD, PERIOD)
        state = own @ np.concatenate([e, speed]) + pushed @ (w - G @ u)
        p = PERIOD**2 * (G @ u) + A @ z
        loop = z - p + 0.5 * A @ p + PERIOD**2 * w
        fastest = np.abs(G @ u) + np.abs(A) @ np.maximum(np.abs(speed), np.abs(state[n:])) / PERIOD + np.abs(w)
        apart = np.abs(PERIOD * state[n:] - loop) / PERIOD**2
        error = step_error(A, np.abs(w), fastest, rising=0.5)  # the mean of a disturbance that rises to one
        assert np.all(apart <= error)
        used = max(used, float((apart / error).max()))
        moved = e + z - 0.5 * p + A @ p / 6.0 + 0.5 * PERIOD**2 * w
        assert np.all(np.abs(state[:n] - moved) <= 0.5 * PERIOD**2 * error)
    assert used > 0.5
