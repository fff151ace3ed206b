"""Programs of a model against another way to the same quantity: right ones pass, planted errors are named."""

from __future__ import annotations

from types import MappingProxyType

import pytest

import torquec
from torquec.errors import CheckError
from torquec.expr import trace
from torquec.expr.replay import replay
from torquec.model.check_programs import check_programs
from torquec.model.model import Model
from torquec.model.model_parameters import ModelKind

ARM = torquec.classics.planar2r()
NAMES = ("inverse_dynamics", "mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")


def programs(kind):
    source = torquec.compile(ARM) if kind is ModelKind.EXACT else torquec.abbreviated_model(ARM)
    return {name: source.function(name) for name in NAMES}


def scaled(function):
    """The same program with its first output a thousandth larger."""
    shapes = {port.name: port.shape for port in function.inputs}

    def more(value):
        return [more(item) for item in value] if isinstance(value, list) else value * 1.001

    def wrong(**inputs):
        outputs = replay(function, inputs)
        first = next(iter(outputs))
        return {**outputs, first: more(outputs[first])}

    return trace(function.name, wrong, shapes)


@pytest.mark.parametrize("kind", [ModelKind.EXACT, ModelKind.ABBREVIATED])
def test_right_programs_pass(kind):
    check_programs(Model(ARM, MappingProxyType(programs(kind)), kind=kind))


@pytest.mark.parametrize("kind", [ModelKind.EXACT, ModelKind.ABBREVIATED])
@pytest.mark.parametrize("name", NAMES[1:])
def test_a_thousandth_too_much_is_found_and_named(kind, name):
    planted = programs(kind)
    planted[name] = scaled(planted[name])
    with pytest.raises(CheckError, match=name):
        check_programs(Model(ARM, MappingProxyType(planted), kind=kind))
