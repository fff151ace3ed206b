"""Bounds of what an identified model leaves unexplained: as numbers, in the model's file, by joint."""

from __future__ import annotations

import dataclasses

import pytest
from tests.identification import simulated_arm

import torquec as tq
from torquec.errors import ArgumentError
from torquec.identification.result.estimate import identified_model
from torquec.model.residual_bound import ResidualBound, residual_bounds
from torquec.robot import classics

BOUND = ResidualBound("joint1", 0.99, 20, 0.5, (0.0, 0.1, 1.0), (2.0, 0.5, 0.8), (-0.4, 0.6))


def test_a_bound_is_a_function_of_speed():
    assert [BOUND.at(speed) for speed in (0.0, 0.0999, 0.1, -0.5, 1.0, 50.0)] == [2.0, 2.0, 0.5, 0.5, 0.8, 0.8]
    assert BOUND.largest == 2.0
    assert BOUND.enclosing == 0.6
    assert BOUND.confidence == 20 / 21
    assert BOUND.is_sure
    assert not dataclasses.replace(BOUND, blocks=18).is_sure


@pytest.mark.parametrize(
    "change",
    [
        {"level": 1.0},
        {"blocks": 0},
        {"speeds": (0.1, 0.2, 0.3)},
        {"speeds": (0.0, 0.2, 0.2)},
        {"bounds": (1.0, 2.0)},
        {"bounds": (1.0, -2.0, 1.0)},
        {"bounds": (1.0, float("inf"), 1.0)},
        {"all": (1.0, -1.0)},
    ],
    ids=str,
)
def test_numbers_that_are_no_bound_are_refused(change):
    with pytest.raises(ArgumentError, match="no bound"):
        dataclasses.replace(BOUND, **change)


def test_the_model_file_holds_the_residual(tmp_path):
    model = identified_model(simulated_arm.estimate())
    path = tmp_path / "arm.json"
    tq.save(model, path, quantities=["total_torque"])
    loaded = tq.load_model(path)
    assert loaded.parameters == model.parameters
    assert residual_bounds(loaded) == {bound.joint: bound for bound in simulated_arm.estimate().residual}


def test_a_model_that_was_not_identified_has_none():
    with pytest.raises(ArgumentError, match="no residual"):
        residual_bounds(tq.as_model(classics.planar2r()))
    model = identified_model(simulated_arm.estimate())
    short = dataclasses.replace(model.parameters, residual=model.parameters.residual[:1])
    with pytest.raises(ArgumentError, match="'joint2' is not known"):
        residual_bounds(dataclasses.replace(model, parameters=short))
