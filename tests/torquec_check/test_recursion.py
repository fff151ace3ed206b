"""The checker's own recursion: torques of random robots, by another recursion, and by energy in 50 digits."""

from __future__ import annotations

from dataclasses import replace

import flint
import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.torquec_check.documents import robot_document

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.robot.robot import Mimic
from torquec.robot.robot_document import robot_to_dict
from torquec_check.boxes import waves_of
from torquec_check.recursion import _rotation, robot_degrees, robot_torques
from torquec_check.robot import robot_of
from torquec_check.rows import Grid, Rows, as_ball, ball_of, grid_of


def _whole_mimics(robot):
    """Mimic joints with whole multipliers and leaders of their own kind; others are left to themselves."""
    kinds = {body.joint.name: body.joint.type.is_prismatic for body in robot.bodies}
    bodies = []
    for body in robot.bodies:
        mimic = body.joint.mimic
        if mimic is not None:
            fits = kinds[mimic.joint] == body.joint.type.is_prismatic
            whole = Mimic(mimic.joint, float(round(mimic.multiplier)), mimic.offset) if fits else None
            body = replace(body, joint=replace(body.joint, mimic=whole))
        bodies.append(body)
    return replace(robot, bodies=tuple(bodies))


def _robot(seed):
    robot = _whole_mimics(random_robot(seed, bodies=4))
    drives = robot.drives if all(len(row) == robot.n for row in robot.drives.transmission) else type(robot.drives)()
    return replace(robot, drives=drives)


class _Point(Grid):
    """A grid of one node: the given positions, exactly; angles in parts of a turn."""

    def _ball(self, joint, multiple, wave):
        return ball_of(wave(flint.arb(2 * multiple) * self.lower[joint]), shape=(1,) * len(self.counts))

    def input(self, port, joint):
        if port == "q" and not self.turns[joint]:
            return Rows({(): as_ball(self.lower[joint])})
        return super().input(port, joint)


def _at(robot, q):
    return _Point(robot.turns, (1,) * robot.n, tuple(map(float, q)), tuple(map(float, q)))


@pytest.mark.parametrize("seed", range(12))
def test_torques_are_those_of_another_recursion(seed):
    own = _robot(seed)
    robot = robot_of(robot_to_dict(own))
    parts = np.random.default_rng(seed).uniform(-0.5, 0.5, robot.n)
    q = [2.0 * np.pi * x if turns else x for x, turns in zip(parts, robot.turns, strict=True)]
    rng = np.random.default_rng(seed + 100)
    qd, qdd = rng.uniform(-2.0, 2.0, (2, robot.n))
    expected = inverse_dynamics(own, q, list(qd), list(qdd))
    for torque, wanted in zip(robot_torques(robot, _at(robot, parts)), expected, strict=True):
        factors = {key: np.prod([qd[k] if k >= 0 else qdd[~k] for k in key]) for key in torque}
        found = sum(float(ball.mid.item()) * factors[key] for key, ball in torque.items())
        assert abs(found - float(wanted)) < 1e-11 * (
            1.0 + sum(abs(factors[k] * float(b.mid.item())) for k, b in torque.items())
        )


@pytest.mark.parametrize("seed", range(6))
def test_degrees_are_at_most_those_of_theory(seed):
    """On a grid of one degree more, no wave of that degree is larger than noise."""
    robot = robot_of(robot_to_dict(_whole_mimics(random_robot(seed + 50, bodies=3, motors=False))))
    degrees = robot_degrees(robot)
    grid = grid_of(robot.turns, [d + 1 for d in degrees], [-1.0] * robot.n, [1.0] * robot.n)
    for torque in robot_torques(robot, grid):
        for ball in torque.values():
            waves, noise = waves_of(ball, grid)
            for axis in range(robot.n):
                if waves.shape[axis] > 1:
                    highest = np.take(waves, [degrees[axis] + 1, -degrees[axis] - 1], axis=axis)
                    assert np.abs(highest).max() <= noise


def test_balls_hold_the_torque_in_fifty_digits():
    """A pendulum of a tilted, unsnapped axis: g from the derivative of its energy in Arb."""
    document = robot_document("puma560")
    robot = robot_of(document)
    parts = [0.1, -0.2, 0.3, 0.05, 0.4, -0.1]
    torques = robot_torques(robot, _at(robot, parts))

    def energy(angles):
        total, poses = flint.arb(0), []
        for body, spec in zip(robot.bodies, document["bodies"], strict=True):
            rotation, length = _rotation(body.rotation), sum((flint.arb(x) ** 2 for x in body.axis), flint.arb(0))
            a = [flint.arb(x) / length.sqrt() for x in body.axis]
            angle = angles[body.coordinate]
            cross = flint.arb_mat([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
            turn = rotation * (flint.arb_mat(3, 3, 1) + cross * angle.sin() + cross * cross * (1 - angle.cos()))
            origin = flint.arb_mat([[x] for x in body.origin])
            if body.parent >= 0:
                above, place = poses[body.parent]
                turn, origin = above * turn, place + above * origin
            poses.append((turn, origin))
            h = flint.arb_mat([[spec["inertia"][k]] for k in ("mx", "my", "mz")])
            moved = (turn * h + origin * flint.arb(spec["inertia"]["m"])).entries()
            total -= sum((flint.arb(g) * x for g, x in zip(robot.gravity, moved, strict=True)), flint.arb(0))
        return total

    step = flint.arb(10) ** -20
    for joint in range(6):
        at = [2 * flint.arb.pi() * flint.arb(x) for x in parts]
        above, below = ([x + s * step * (k == joint) for k, x in enumerate(at)] for s in (1, -1))
        wanted = (energy(above) - energy(below)) / (2 * step)
        ball = torques[joint].get(())
        if ball is None:
            assert abs(float(wanted)) < 1e-30
        else:
            assert abs(wanted - float(ball.mid.item())) <= float(ball.rad.item()) + 1e-30
            assert float(ball.rad.item()) < 1e-12


def test_a_written_rotation_has_an_exact_one_next_to_it():
    written = [[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]
    found = _rotation(written)
    identity = (found.transpose() * found - flint.arb_mat(3, 3, 1)).entries()
    assert all(abs(float(x.abs_upper())) < 1e-45 for x in identity)
    assert found[2, 0] == 0
    assert abs(float(found[0, 0]) - 0.8) < 1e-16


def test_an_exact_rotation_has_no_radius():
    for written in (
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    ):
        assert all(
            x == y
            for row, line in zip(_rotation(written).table(), written, strict=True)
            for x, y in zip(row, line, strict=True)
        )


NUMBERS = {
    "planar2r": (9.59734885246373, 29, 1.0006993e-12, (2, 2)),
    "scara": (299.490399381592, 212, 6.22509145e-13, (0, 2, 0, 2)),
    "stanford": (52090.177482541, 5611, 2.11295245e-09, (0, 2, 2, 2, 2, 2)),
}


def _weights(shape):
    return 0.5 + np.modf(np.arange(1, 1 + np.prod(shape, dtype=int)) * 0.6180339887498949)[0].reshape(shape)


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford"])
def test_coefficients_and_their_radii_keep_their_numbers(name):
    """Weighted sums over the grid; other tests say that they hold the torques, and that they are narrow."""
    robot = robot_of(robot_document(name))
    degrees = robot_degrees(robot)
    grid = grid_of(robot.turns, degrees, (-1.0,) * robot.n, (0.75,) * robot.n)
    mids = rads = count = 0.0
    for i, rows in enumerate(robot_torques(robot, grid)):
        for key, ball in sorted(rows.items()):
            ball = as_ball(ball)
            weight = (1.0 + i) * (1.0 + sum(k * k for k in key) % 5)
            mids += weight * float((ball.mid * _weights(ball.mid.shape)).sum())
            rads += weight * float((ball.rad * _weights(ball.rad.shape)).sum())
            count += weight * float(np.sum(ball.degrees))
    np.testing.assert_allclose([mids, count], NUMBERS[name][:2], rtol=1e-11)
    np.testing.assert_allclose(rads, NUMBERS[name][2], rtol=1e-6)
    assert degrees == NUMBERS[name][3]
