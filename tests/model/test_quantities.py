"""The table of quantities: complete, traceable, and what it says to unknown names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from torquec.errors import ArgumentError, ExpressionError
from torquec.expr import evaluate
from torquec.model.model import Model
from torquec.model.quantities import QUANTITIES, check_ports, default_quantities, quantity_of, trace_quantity
from torquec.robot import classics


def key_of(name: str) -> str:
    return f"{name}:link2" if QUANTITIES[name].of_frame else name


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_quantity_is_an_attribute_of_the_model(name):
    assert hasattr(Model, name)


@pytest.mark.parametrize("name", QUANTITIES)
def test_program_equals_algorithm_on_floats(name):
    robot = classics.stanford()
    quantity = QUANTITIES[name]
    function = trace_quantity(robot, key_of(name))
    rng = np.random.default_rng(1)
    inputs = {port.name: rng.uniform(-1.0, 1.0, port.shape) for port in function.inputs}
    frame = ("link2",) if quantity.of_frame else ()
    plain = quantity.algorithm(robot, *frame, *(value.tolist() for value in inputs.values()))
    results = [getattr(plain, output) for output in quantity.outputs] if len(quantity.outputs) > 1 else [plain]
    traced = evaluate(function, inputs)
    for output, expected in zip(quantity.outputs, results, strict=True):
        np.testing.assert_allclose(traced[output], np.array(expected, dtype=float), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", QUANTITIES)
def test_program_has_the_ports_of_its_row(name):
    robot = classics.planar2r()
    check_ports(robot, key_of(name), trace_quantity(robot, key_of(name)))


def test_ports_that_do_not_fit_are_refused():
    function = trace_quantity(classics.planar2r(), "mass_matrix")
    with pytest.raises(ExpressionError, match="inputs"):
        check_ports(classics.puma560(), "mass_matrix", function)
    with pytest.raises(ExpressionError, match="the program of 'gravity_torque' is called 'mass_matrix'"):
        check_ports(classics.planar2r(), "gravity_torque", function)
    with pytest.raises(ExpressionError, match="outputs"):
        check_ports(classics.planar2r(), "gravity_torque", replace(function, name="gravity_torque"))


def test_defaults_are_all_but_those_of_frames():
    names = default_quantities()
    assert "inverse_dynamics" in names
    assert not any(QUANTITIES[name].of_frame for name in names)


@pytest.mark.parametrize("name", ["colour", "mass_matrix:link2", "frame_pose", "", ":"])
def test_unknown_quantity_lists_the_known_ones(name):
    with pytest.raises(ArgumentError, match="there is no quantity") as caught:
        quantity_of(name)
    assert "inverse_dynamics" in caught.value.remedy


def test_unknown_frame_lists_the_known_ones():
    with pytest.raises(ArgumentError, match="no frame 'hand'"):
        trace_quantity(classics.planar2r(), "frame_pose:hand")
