"""Constants in fifty digits: entries of M, c and g against sixty-digit arithmetic, each relative to its own scale.

(1)  scale of M_ij:  s_i s_j,  s_i the sum of |multiplier| sqrt(M_kk) over the joints k that follow coordinate i
(2)  scale of c_i and g_i:  the sum of the magnitudes of all terms of the recursion, levers from the file's joint frames
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from tests.dynamics import sixty_digits
from tests.dynamics.random_robots import random_robot

from torquec import dynamics
from torquec.dynamics import mechanism as mechanism_file
from torquec.dynamics.mechanism import coordinates, mechanism
from torquec.dynamics.precise_float import PreciseFloat, fifty_digits, plain_float, precise_frame
from torquec.spatial import Inertia, Pose

LIMIT = 1e-13
HARD = (26, 527, 1163, 1726, 2677, 2714, 2848)
"""Seeds whose constants in doubles alone lose three digits or more."""


def sized_robot(seed):
    """A random robot of any size: bodies of 1e-7 to 1e6 kg, offsets of 5 mm to 500 m, nearly degenerate axes."""
    rng = np.random.default_rng([seed, 7])
    robot = random_robot(seed, motors=False)
    length = float(10.0 ** rng.uniform(-2.0, 3.0))
    bodies = []
    for body in robot.bodies:
        mass = float(10.0 ** rng.uniform(-7.0, 6.0)) / body.inertia.m
        units = (length * length * mass,) * 6 + (length * mass,) * 3 + (mass,)
        inertia = Inertia(*(float(p * unit) for p, unit in zip(body.inertia.parameters, units, strict=True)))
        pose = body.joint.placement
        placement = Pose(pose.rotation, tuple(float(x * length) for x in pose.origin))
        bodies.append(replace(body, joint=replace(body.joint, placement=placement), inertia=inertia))
    return replace(robot, bodies=tuple(bodies))


def floats(values):
    return np.array([[float(x) for x in row] for row in values] if isinstance(values[0], list) else values, dtype=float)


def inertia_scales(robot, q):
    """s of (1)."""
    free = replace(robot, bodies=tuple(replace(b, joint=replace(b.joint, mimic=None)) for b in robot.bodies))
    own, count = coordinates(robot), free.n
    positions, still = [coordinate.position(q) for coordinate in own], [0.0] * count
    scales = np.zeros(robot.n)
    for k, coordinate in enumerate(own):
        unit = [float(i == k) for i in range(count)]
        diagonal = float(sixty_digits.torques(free, positions, still, unit, gravity=(0, 0, 0))[k])
        scales[coordinate.index] += abs(coordinate.multiplier) * np.sqrt(diagonal)
    return scales


def torque_scales(robot, q, qd, gravity):
    """(2)."""
    placed = sixty_digits.Placed(robot, sixty_digits.exact(q))
    origins = [floats(origin) for origin in placed.origins]
    length, scales, motion = np.linalg.norm, np.zeros(robot.n), []
    for i, body in enumerate(robot.bodies):
        index, factor = placed.coordinates[i]
        speed = abs(float(factor) * qd[index])
        w, a, v, before = (0.0, 0.0, length(gravity), np.zeros(3)) if body.parent < 0 else motion[body.parent]
        v += (a + w * w) * length(origins[i] - before)
        if body.joint.kind.coordinate.turns:
            a, w = a + w * speed, w + speed
        else:
            v += 2 * w * speed
        motion.append((w, a, v, origins[i]))
        center = floats(placed.rotations[i]) @ np.array(body.inertia.center_of_mass)
        force = body.inertia.m * (v + (a + w * w) * length(center))
        moment = length(np.array(body.inertia.central_tensor)) * (a + w * w)
        j = i
        while j >= 0:
            index, factor = placed.coordinates[j]
            turns = robot.bodies[j].joint.kind.coordinate.turns
            arm = length(origins[i] + center - origins[j])
            scales[index] += abs(float(factor)) * (moment + force * arm if turns else force)
            j = robot.bodies[j].parent
    return scales


def largest_error(found, exact, scales):
    """The largest difference, each relative to its own scale; where the scale is zero both must be."""
    worst = 0.0
    for a, b, scale in zip(np.ravel(found), np.ravel(exact), np.ravel(scales), strict=True):
        off = float(abs(Decimal(float(a)) - b))
        assert scale > 0.0 or off == 0.0
        worst = max(worst, off / scale if off else 0.0)
    return worst


def errors(robot, seed):
    """Of M, g and c at a random state."""
    q, qd = np.random.default_rng([seed, 3]).uniform(-1.5, 1.5, (2, robot.n)).tolist()
    still = [0.0] * robot.n
    units = np.eye(robot.n).tolist()
    mass = [sixty_digits.torques(robot, q, still, unit, gravity=(0, 0, 0)) for unit in units]
    s = inertia_scales(robot, q)
    gravity = sixty_digits.torques(robot, q, still, still)
    velocity = sixty_digits.torques(robot, q, qd, still, gravity=(0, 0, 0))
    return (
        largest_error(dynamics.mass_matrix(robot, q), mass, np.outer(s, s)),
        largest_error(dynamics.gravity_torque(robot, q), gravity, torque_scales(robot, q, still, robot.gravity)),
        largest_error(dynamics.velocity_torque(robot, q, qd), velocity, torque_scales(robot, q, qd, (0, 0, 0))),
    )


@pytest.mark.parametrize("seed", [*HARD, *range(40)])
def test_entries_have_thirteen_digits(seed):
    assert max(errors(sized_robot(seed), seed)) < LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 3000, 100))
def test_entries_of_three_thousand_robots_have_thirteen_digits(first):
    worst = {seed: max(errors(sized_robot(seed), seed)) for seed in range(first, first + 100)}
    assert {seed: error for seed, error in worst.items() if error >= LIMIT} == {}


def test_doubles_alone_are_not_enough(monkeypatch):
    monkeypatch.setattr(mechanism_file, "plain_float", float)
    assert max(max(errors(sized_robot(seed), seed)) for seed in HARD) > LIMIT


def test_the_double_decides_and_the_digits_give_the_value():
    with fifty_digits():
        third = PreciseFloat(1.0) / 3.0
        assert float(third) == 1.0 / 3.0
        assert plain_float(third * 3.0 - 1.0) == 0.0
        far = (PreciseFloat(1e8) + 1e-8) - 1e8
        assert float(far) != plain_float(far) == 1e-8
        assert plain_float(-far) == -1e-8
        assert plain_float(1.0 - far) == 1.0 - 1e-8
        assert plain_float(2.5) == 2.5


def test_frames_are_orthonormal_and_on_the_axis_in_digits():
    robot = random_robot(5)
    for body, link in zip(robot.bodies, robot.canonical.links, strict=True):
        with fifty_digits():
            pose = precise_frame(link.frame, body.joint.axis)
            rows = [[entry.digits for entry in row] for row in pose.rotation]
            products = [[sixty_digits.dot(a, b) for b in rows] for a in rows]
        assert all(abs(products[i][j] - (i == j)) < Decimal(10) ** -45 for i in range(3) for j in range(3))
        assert [float(entry) for entry in pose.rotation[2]] == list(link.frame.rotation[2])
        assert pose.origin[0].digits == pose.origin[1].digits == 0


def test_a_robot_computes_its_constants_once():
    robot = random_robot(3)
    assert mechanism(robot) is mechanism(robot)
    assert mechanism(replace(robot, name="other")) is not mechanism(robot)
