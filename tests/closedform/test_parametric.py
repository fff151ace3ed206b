"""Coefficients that are linear in inertial parameters."""

from __future__ import annotations

import numpy as np
import pytest
from tests.closedform.reference import collected_model, recursion, values
from tests.dynamics.random_robots import random_robot

from torquec.closedform import Coefficients, Linear, closed_form
from torquec.dynamics import parameter_names, parameter_values
from torquec.robot.classics import load_classic


def bound(form, robot):
    """M and g with the robot's own parameters."""
    own = dict(zip(parameter_names(robot), parameter_values(robot), strict=True))
    mass = tuple(tuple(entry.bound(own) for entry in row) for row in form.mass)
    return mass, tuple(entry.bound(own) for entry in form.g)


def test_planar_arm_of_the_textbooks():
    form = closed_form(load_classic("planar2r"), coefficients=Coefficients.PARAMETERS)
    assert str(form.M[1, 1]) == "Izz_link2"
    assert str(form.M[0, 1]) == "Izz_link2 + mx_link2*C2 - my_link2*S2"
    assert str(form.M[0, 0]) == "Izz_link1 + Izz_link2 + m_link2 + 2*mx_link2*C2 - 2*my_link2*S2"
    assert str(form.g[1]) == "9.81*mx_link2*C12 - 9.81*my_link2*S12"


@pytest.mark.parametrize("name", ["puma560", "stanford", "planar3r"])
def test_bound_to_its_own_parameters_it_is_the_recursion(name):
    robot = load_classic(name)
    mass, gravity = bound(closed_form(robot, coefficients=Coefficients.PARAMETERS), robot)
    q = np.random.default_rng(4).uniform(-3, 3, (100, robot.n))
    expected = recursion(robot, "mass_matrix", q=q)
    np.testing.assert_allclose(values(mass, q), expected, atol=1e-12 * np.abs(expected).max())
    expected = recursion(robot, "gravity_torque", q=q)
    np.testing.assert_allclose(values(gravity, q), expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_bound_are_the_recursion(seed):
    robot = random_robot(seed, bodies=4, mimic=False)
    mass, _ = bound(closed_form(robot, coefficients=Coefficients.PARAMETERS), robot)
    q = np.random.default_rng(4).uniform(-3, 3, (50, robot.n))
    expected = recursion(robot, "mass_matrix", q=q)
    np.testing.assert_allclose(values(mass, q), expected, atol=1e-11 * np.abs(expected).max())


def test_christoffel_symbols_stay_linear():
    form = closed_form(load_classic("puma560"), coefficients=Coefficients.PARAMETERS)
    symbol = form.christoffel(0, 0, 1)
    assert symbol
    assert all(isinstance(coefficient, Linear) for coefficient in symbol.terms.values())


def test_needs_no_inertias():
    form = closed_form(collected_model("fanuc_m10ia_noinertia"), coefficients=Coefficients.PARAMETERS)
    assert form.M[5, 5]
