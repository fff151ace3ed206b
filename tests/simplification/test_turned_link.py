"""A link with a turned frame: the same torques, and a first moment with one component."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.dynamics.mechanism import mechanism
from torquec.expr import evaluate
from torquec.robot.classics import load_classic
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.turned_link import angles_of_one_component, with_link_turned


@pytest.mark.parametrize("seed", range(8))
def test_torques_stay(seed):
    """Every link that rotates, with whatever it carries: trees, mimic joints and motors included."""
    robot = random_robot(seed)
    exact = mechanism(robot)
    rng = np.random.default_rng(seed)
    state = {name: rng.uniform(-1.0, 1.0, (6, robot.n)) for name in ("q", "qd", "qdd")}
    expected = evaluate(torque_program(exact), state)["tau"]
    for link in range(len(exact.links)):
        if not exact.links[link].column.turns:
            continue
        turned = with_link_turned(exact, link, float(rng.uniform(-3.0, 3.0)))
        found = evaluate(torque_program(turned), state)["tau"]
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-11 * np.abs(expected).max())


def test_first_moments_have_one_component():
    exact = mechanism(load_classic("puma560"))
    link = next(k for k, e in enumerate(exact.moments) if e.x != 0.0 and e.y != 0.0)
    size = np.hypot(exact.moments[link].x, exact.moments[link].y)
    along_x, along_y = (
        with_link_turned(exact, link, angle).moments[link] for angle in angles_of_one_component(exact, link)
    )
    assert (along_x.x, along_x.y) == pytest.approx((size, 0.0), abs=1e-15)
    assert (along_y.x, along_y.y) == pytest.approx((0.0, size), abs=1e-15)


def test_nothing_to_turn():
    exact = mechanism(load_classic("planar2r"))
    assert [angles_of_one_component(exact, k) for k in range(2)] == [(), ()]
