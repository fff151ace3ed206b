"""Axes that are nearly parallel, nearly right or nearly meet, kept as written: no digit is lost to where frames stand.

Every joint of a robot is tilted by one angle about a direction of its own, from 1e-12 to 1e-2 rad, and every quantity
is compared with the same in sixty digits (:mod:`tests.dynamics.sixty_digits`), relative to its largest element.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics import sixty_digits

from torquec import dynamics
from torquec.expr import evaluate
from torquec.model.quantities import QUANTITIES, trace_quantity
from torquec.robot import classics
from torquec.robot.load import load
from torquec.spatial import Pose, axis_angle_rotation, matmul

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
ANGLES = tuple(10.0**-k for k in range(12, 1, -1))
CLASSICS = ("puma560", "puma260", "stanford", "scara")
FILES = ("panda.urdf", "iiwa14.urdf", "ur5.urdf", "xarm7.urdf", "kuka_kr210l150.urdf", "kinova_gen3_continuous.urdf")
LIMIT = 1e-12


def misaligned(robot, angle, *, seed=0):
    """The robot, not snapped, each joint tilted by the angle about a random direction."""
    rng = np.random.default_rng(seed)
    bodies = []
    for body in robot.bodies:
        direction = rng.normal(size=3)
        tilt = axis_angle_rotation(tuple(direction / np.linalg.norm(direction)), math.cos(angle), math.sin(angle))
        pose = body.joint.placement
        tilted = Pose(matmul(pose.rotation, tilt), pose.origin)
        bodies.append(replace(body, joint=replace(body.joint, placement=tilted)))
    return replace(robot, bodies=tuple(bodies), snap=False)


def named(name):
    """A classic arm, or a robot of the model collection as its file is written."""
    return load(MODELS / name, snap=False) if "." in name else classics.load_classic(name, snap=False)


def state(robot, seed):
    """Inputs of the quantities by name."""
    rng = np.random.default_rng(seed)
    given = {name: rng.uniform(-1.5, 1.5, robot.n) for name in ("q", "qd", "qdd")}
    return given | {"tau": rng.uniform(-20.0, 20.0, robot.n), "wrench": rng.uniform(-5.0, 5.0, 6)}


def error(found, expected):
    """The largest difference, relative to the largest number."""
    wrong = max(abs(Decimal(float(a)) - b) for a, b in zip(np.ravel(found), expected, strict=True))
    return float(wrong / (max(map(abs, expected)) or 1))


def errors(robot, seed=1):
    """The error of every quantity of the robot at a random state."""
    frame, given = robot.frames[-1].name, state(robot, seed)
    expected = sixty_digits.quantities(robot, frame, **given)
    worst = {}
    for name, row in QUANTITIES.items():
        if name not in expected and name != "coriolis_matrix":
            continue
        function = trace_quantity(robot, f"{name}:{frame}" if row.of_frame else name)
        found = evaluate(function, {key: given[key] for key in row.inputs})
        if name == "coriolis_matrix":  # C itself is a choice: its two laws are not
            c = np.array(found["C"])
            pairs = [(c @ given["qd"], expected["velocity_torque"][0]), (c + c.T, expected["mass_matrix_rate"][0])]
        elif name == "regressor":
            pairs = [(np.array(found["Y"])[:, : 10 * len(robot.bodies)], expected[name][0])]
        else:
            pairs = list(zip((found[output] for output in row.outputs), expected[name], strict=True))
        worst[name] = max(error(*pair) for pair in pairs)
    return worst


@pytest.mark.parametrize("name", CLASSICS)
def test_torques_keep_their_digits(name):
    """What is cheap to compare, at all angles."""
    for angle in ANGLES:
        robot = misaligned(named(name), angle)
        q, qd, qdd = (list(map(float, state(robot, 2)[key])) for key in ("q", "qd", "qdd"))
        zero = [0.0] * robot.n
        torque = dynamics.inverse_dynamics(robot, q, qd, qdd)
        assert error(torque, sixty_digits.torques(robot, q, qd, qdd)) < LIMIT, angle
        gravity = dynamics.gravity_torque(robot, q)
        assert error(gravity, sixty_digits.torques(robot, q, zero, zero)) < LIMIT, angle
        unit = [1.0, *zero[1:]]
        column = [row[0] for row in dynamics.mass_matrix(robot, q)]
        assert error(column, sixty_digits.torques(robot, q, zero, unit, gravity=(0, 0, 0))) < LIMIT, angle


@pytest.mark.parametrize("angle", [1e-11, 1e-5])
def test_every_quantity_keeps_its_digits(angle):
    found = errors(misaligned(classics.scara(), angle))
    assert len(found) == 16
    assert max(found.values()) < LIMIT, found


def test_the_reference_is_exact():
    """Two rods in a plane, by hand: the torque of the second joint at rest, and its inertia."""
    robot = classics.planar2r()
    (body,) = (b for b in robot.bodies if b.parent == 0)
    _, lever = sixty_digits.torques(robot, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    assert abs(float(lever)) == pytest.approx(9.81 * math.hypot(*body.inertia.first_moment), rel=1e-15)
    inertia = sixty_digits.torques(robot, [0.3, 0.2], [0.0, 0.0], [0.0, 1.0], gravity=(0, 0, 0))[1]
    assert float(inertia) == body.inertia.zz


@pytest.mark.slow
@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("name", CLASSICS + FILES)
def test_every_quantity_of_ten_robots(name, angle):
    if "." in name and not MODELS.is_dir():
        pytest.skip("the model collection is not here")
    found = errors(misaligned(named(name), angle))
    assert max(found.values()) < LIMIT, found
