"""Kang's properties P3 to P10: as they hold and as printed, on arrays from their definition and of both methods."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.laws import violation
from tests.dynamics.random_robots import random_state
from tests.papers.power_arrays import coupled, defined_parts, ordinary_robots, serial_robot

from torquec.papers.augmented_body import augmented_body, link_sum
from torquec.papers.power_properties import AS_PRINTED, CORRECTED, MISPRINTED, power_array_elements
from torquec.robot.robot import JointType


def by_definition(robot, q):
    return power_array_elements(robot, q)


def of_method(method):
    return lambda robot, q: np.array(method(robot, q).parts)


SOURCES = {"definition": by_definition, "link_sum": of_method(link_sum), "augmented_body": of_method(augmented_body)}
by_parts = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)


def parts_of(source, seed, **options):
    robot = serial_robot(seed, 5, **options)
    return source(robot, [float(value) for value in random_state(robot, seed).q[0]])


def test_elements_are_those_of_the_definition_in_world_coordinates():
    for robot, state in ordinary_robots(range(10)):
        found = power_array_elements(robot, [float(value) for value in state.q[0]])
        for part, defined in zip(found, defined_parts(robot, state.q[0]), strict=True):
            assert violation(coupled(robot, part), coupled(robot, defined), 1e-3) < 1e-12


@by_parts
@pytest.mark.parametrize("name", [*AS_PRINTED, *CORRECTED])
def test_property_holds(source, name):
    rule = {**AS_PRINTED, **CORRECTED}[name]
    for seed in range(6):
        assert rule.violation(parts_of(source, seed)) < 1e-12


@by_parts
@pytest.mark.parametrize("name", MISPRINTED)
def test_property_as_printed_does_not_hold(source, name):
    options = {"types": (JointType.REVOLUTE,), "placements": ("generic",)}
    assert min(MISPRINTED[name].violation(parts_of(source, seed, **options)) for seed in range(3)) > 1e-3
