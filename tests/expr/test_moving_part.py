"""What an input adds to a program: the difference to rest, at the price of the moving part alone."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.dynamics import velocity_torque
from torquec.expr import count_operations, trace
from torquec.expr.math import sincos, sqrt
from torquec.expr.moving_part import moving_part
from torquec.expr.replay import replay
from torquec.model.quantities import trace_quantity
from torquec.robot.classics import load_classic


def odd(x, y):
    s, c = sincos(x[0] + y[1])
    a = x[0] * y[0] + x[1]
    return {
        "z": [
            a * (y[1] + x[0]) - s,
            (a - y[0] * y[0]) / x[1],
            sqrt(x[1] + y[0] * y[0]) / (c + y[1]),
            x[0] * x[1],
            -y[0],
        ]
    }


def test_it_is_the_difference_to_rest():
    f = trace("f", odd, {"x": (2,), "y": (2,)})
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = rng.uniform(0.5, 1.0, (2, 2)).tolist()
        whole, rest = (replay(f, {"x": x, "y": at})["z"] for at in (y, [0.0, 0.0]))
        np.testing.assert_allclose(moving_part(f, {"x": x, "y": y}, "y")["z"], np.subtract(whole, rest), atol=1e-14)


@pytest.mark.parametrize("name", ["scara", "stanford", "puma560"])
def test_of_a_recursion_it_leaves_the_recursion_without_gravity(name):
    robot = load_classic(name)
    P = trace_quantity(robot, "inverse_dynamics")
    still = [0.0] * robot.n

    def algorithm(robot, q, qd):
        return moving_part(P, {"q": q, "qd": qd, "qdd": still}, "qd")["tau"]

    found = trace_quantity(robot, "velocity_torque", algorithm=algorithm)
    assert count_operations(found).cost <= count_operations(trace_quantity(robot, "velocity_torque")).cost
    q, qd = np.random.default_rng(1).uniform(-1.0, 1.0, (2, robot.n)).tolist()
    np.testing.assert_allclose(replay(found, {"q": q, "qd": qd})["tau"], velocity_torque(robot, q, qd), atol=1e-11)
