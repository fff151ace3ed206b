"""Serial arms for the tests of this room: modified DH tables, random mixed ones, the Panda without its fingers."""

from __future__ import annotations

import dataclasses
import math
import random
from pathlib import Path

import pytest

from torquec.robot import load
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import Body, Joint, JointType, Robot
from torquec.spatial import Inertia, Pose, matmul, rotation_x, rotation_z

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
QUARTER = math.pi / 2


def dh_arm(name, rows, gravity=(0.0, 0.0, -9.81)):
    """Rows of (prismatic, alpha, a, theta, d), modified DH."""
    bodies = []
    for i, (prismatic, alpha, a, theta, d) in enumerate(rows):
        c, s = exact_cos_sin(alpha)
        pose = Pose(matmul(rotation_x(c, s), rotation_z(*exact_cos_sin(theta))), (a, -s * d, c * d))
        kind = JointType.PRISMATIC if prismatic else JointType.REVOLUTE
        bodies.append(Body(f"link{i + 1}", i - 1, Joint(f"joint{i + 1}", kind, pose), inertia(i)))
    return Robot(name, tuple(bodies), gravity=gravity)


def inertia(i):
    """A body of its own for every index: a box with mass 1 + i."""
    mass = 1.0 + i
    center = (0.1 + 0.02 * i, -0.05 * i, 0.07)
    tensor = ((0.1 + 0.01 * i, 0.01, -0.02), (0.01, 0.12, 0.015), (-0.02, 0.015, 0.15))
    return Inertia.from_center_of_mass(mass, center, tensor)


def random_arm(seed, *, twists=(0.0, 0.0, QUARTER, -QUARTER, QUARTER, 0.7, -0.7, math.pi)):
    """2 to 7 mixed joints with special and general geometry, gravity along the first axis or elsewhere."""
    draw = random.Random(seed)
    rows = [
        (
            draw.random() < 0.35,
            draw.choice(twists),
            draw.choice([0.0, 0.0, 0.3, -0.2, draw.uniform(0.1, 1.0)]),
            draw.choice([0.0, 0.0, QUARTER, 0.4]),
            draw.choice([0.0, 0.0, 0.25, draw.uniform(-1.0, 1.0)]),
        )
        for _ in range(draw.randint(2, 7))
    ]
    gravity = draw.choice([(0.0, 0.0, -9.81), (0.0, -9.81, 0.0), (2.0, 1.3, -9.0)])
    return dh_arm(f"random{seed}", rows, gravity)


def shared_model(name):
    """A robot file of the shared collection; the test is skipped where there is none."""
    path = SHARED / "data" / "models" / name
    if not path.exists():
        pytest.skip("the shared models are not here")
    return load(path)


def panda_arm():
    """The Panda's seven joints, hand and fingers left away."""
    whole = shared_model("panda.urdf")
    return dataclasses.replace(whole, bodies=whole.bodies[:7], frames=())
