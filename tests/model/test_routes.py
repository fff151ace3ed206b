"""Routes: recursions and the closed form compute the same, and the cheapest one is taken."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.expr import count_operations, evaluate
from torquec.model.model import compile
from torquec.model.routes import CLOSED, Route, route_function, routes
from torquec.robot.classics import load_classic


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "scara", "stanford", "puma560", "puma260"])
@pytest.mark.parametrize("quantity", ["gravity_torque", "mass_matrix"])
def test_routes_agree(name: str, quantity: str) -> None:
    robot = load_classic(name)
    q = np.random.default_rng(1).uniform(-2.0, 2.0, (50, robot.n))
    found = routes(robot, quantity, every=True)
    values = [next(iter(evaluate(f, {"q": q}).values())) for f in found.values()]
    assert {Route.RECURSIVE, Route.CLOSED_FORM} <= set(found)
    for other in values[1:]:
        assert np.abs(values[0] - other).max() <= 1e-12 * max(1.0, np.abs(values[0]).max())


@pytest.mark.parametrize("name", ["planar2r", "planar3r", "scara", "stanford"])
@pytest.mark.parametrize("quantity", ["velocity_torque", "inverse_dynamics"])
def test_routes_agree_on_torques(name: str, quantity: str) -> None:
    robot = load_classic(name)
    state = np.random.default_rng(2).uniform(-2.0, 2.0, (3, 20, robot.n))
    values = []
    for function in routes(robot, quantity, every=True).values():
        inputs = {port.name: given for port, given in zip(function.inputs, state, strict=False)}
        values.append(evaluate(function, inputs)["tau"])
    for other in values[1:]:
        assert np.abs(values[0] - other).max() <= 1e-11 * max(1.0, np.abs(values[0]).max())


def test_the_cheaper_route_is_taken() -> None:
    robot = load_classic("puma560")
    for quantity in CLOSED:
        taken = count_operations(route_function(robot, quantity, Route.AUTOMATIC)).cost
        assert taken == min(count_operations(f).cost for f in routes(robot, quantity).values())


def test_izaguirre_code_for_the_puma260() -> None:
    """Mass matrix and gravity in at most the paper's 98 multiplications and 72 additions, none of its terms missing."""
    model = compile(load_classic("puma260"))
    counts = [model.operation_count(quantity) for quantity in ("mass_matrix", "gravity_torque")]
    assert sum(count.mul for count in counts) <= 98
    assert sum(count.add for count in counts) <= 72


def test_a_route_that_does_not_exist() -> None:
    with pytest.raises(ArgumentError, match="the routes are"):
        compile(load_classic("planar2r"), route="scenic")
    with pytest.raises(ArgumentError, match="no closed form"):
        compile(load_classic("planar2r"), route="closed form").function("regressor")
