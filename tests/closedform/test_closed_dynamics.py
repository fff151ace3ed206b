"""Quantities by way of the closed form are those of the recursion."""

from __future__ import annotations

import numpy as np
import pytest
from tests.closedform.reference import recursion
from tests.dynamics.random_robots import PLACEMENTS, random_robot

from torquec.closedform import closed_dynamics
from torquec.expr import evaluate, trace
from torquec.robot.classics import load_classic

QUANTITIES = {
    "mass_matrix": (closed_dynamics.closed_mass_matrix, ("q",)),
    "gravity_torque": (closed_dynamics.closed_gravity_torque, ("q",)),
    "velocity_torque": (closed_dynamics.closed_velocity_torque, ("q", "qd")),
    "inverse_dynamics": (closed_dynamics.closed_inverse_dynamics, ("q", "qd", "qdd")),
}


def robots():
    apart = tuple(placement for placement in PLACEMENTS if placement != "nearly parallel")
    yield from (load_classic(name) for name in ("puma560", "stanford", "scara", "planar3r"))
    yield from (random_robot(seed, bodies=4, placements=apart) for seed in (1, 2, 3, 101, 102, 107))


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_is_the_recursion(quantity):
    algorithm, inputs = QUANTITIES[quantity]
    for robot in robots():
        state = dict(zip(inputs, np.random.default_rng(5).uniform(-2, 2, (len(inputs), 20, robot.n)), strict=True))
        function = trace(
            "f", lambda _robot=robot, **given: {"y": algorithm(_robot, **given)}, dict.fromkeys(inputs, (robot.n,))
        )
        found = evaluate(function, state)["y"]
        expected = recursion(robot, quantity, **state)
        np.testing.assert_allclose(found, expected, atol=1e-11 * max(1.0, np.abs(expected).max()), err_msg=robot.name)
