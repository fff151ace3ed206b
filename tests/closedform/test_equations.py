"""What is chosen to be written down."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.closedform.reference import recursion
from tests.dynamics.random_robots import random_robot

from torquec.closedform import closed_form
from torquec.closedform.equations import entry_index, equations, friction_laws, single_equations
from torquec.closedform.fourier import CLOVER
from torquec.closedform.layouts import WHOLE, Matrix
from torquec.errors import ArgumentError
from torquec.robot.classics import load_classic
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, Motor


@pytest.fixture(scope="module")
def puma():
    return closed_form(load_classic("puma560"))


def test_a_whole_model_under_clovers_rule(puma):
    chosen = equations(puma, WHOLE, CLOVER)
    assert chosen.terms == {"M": 22, "B": 15, "D": 17, "g": 12}
    assert len(chosen.friction) == 6
    assert chosen.angles == []
    assert chosen.common_unit(Matrix.M) == "kg m^2"
    assert chosen.common_unit(Matrix.V) == "N m"


def test_exact_equations_count_like_the_form(puma):
    chosen = equations(puma, [Matrix.M, Matrix.G_TORQUE, Matrix.M])
    assert chosen.terms == puma.terms
    assert [angle.name for angle in chosen.angles] == ["q23"]
    assert chosen.friction == ()


def test_units_that_differ_have_none_in_common():
    chosen = equations(closed_form(load_classic("stanford")), [Matrix.M])
    assert chosen.common_unit(Matrix.M) == ""


def test_single_entries_show_zeros_and_the_lower_triangle(puma):
    chosen = single_equations(puma, ["M[2,1]", "M[4,5]", "V[2]", "B[1,23]"])
    assert not chosen.whole
    lower, zero = chosen.entries[Matrix.M]
    assert len(lower) == len(puma.M[0, 1])
    assert len(zero) == 0
    (law,) = chosen.friction
    assert law.joint == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("M[1,2]", (Matrix.M, (0, 1))),
        (" g[3] ", (Matrix.G_TORQUE, (2,))),
        ("B[1,23]", (Matrix.B, (0, 1, 2))),
        ("B[1,2,3]", (Matrix.B, (0, 1, 2))),
        ("H[6, 5, 4]", (Matrix.H, (5, 4, 3))),
        ("dtau_dq[1,1]", (Matrix.DTAU_DQ, (0, 0))),
    ],
)
def test_names_are_read(name, expected):
    assert entry_index(name, 6) == expected


@pytest.mark.parametrize("name", ["", "M", "M12", "M[]", "M[1]", "M[0,1]", "M[1,7]", "Q[1,2]", "M[1,,2]", "B[1,32]"])
def test_names_that_are_no_entries(name):
    with pytest.raises(ArgumentError, match=r"not the name|not an entry"):
        entry_index(name, 6)


def torques(robot, qd):
    found = np.zeros(qd.shape)
    for law in friction_laws(robot):
        found[:, law.joint] = law.torque(list(qd.T))
    return found


def test_puma560_has_clovers_coefficients():
    law = friction_laws(load_classic("puma560"))[0]
    assert law.own == Friction(4.94, 3.45, 8.43, 8.26)
    assert law.coupled == ()


@pytest.mark.parametrize("seed", range(12))
def test_random_robots_with_coupled_motors(seed):
    robot = random_robot(seed, mimic=False)
    qd = np.random.default_rng(seed).uniform(-2, 2, (20, robot.n))
    np.testing.assert_allclose(torques(robot, qd), recursion(robot, "friction_torque", qd=qd), atol=1e-9)


@pytest.mark.parametrize("ratio", [50.0, -50.0])
def test_a_geared_motor_joins_the_law_of_its_joint(ratio):
    robot = load_classic("planar2r")
    motor = Motor("m", friction=Friction(1e-3, 2e-3, 0.1, 0.2, 0.05))
    robot = dataclasses.replace(robot, drives=Drives((motor,), ((0.0, ratio),)))
    qd = np.array([[1.0, 0.5], [1.0, -0.5], [-1.0, 2.0]])
    (law,) = friction_laws(robot)
    assert law.joint == 1
    assert not law.coupled
    np.testing.assert_allclose(torques(robot, qd), recursion(robot, "friction_torque", qd=qd), atol=1e-12)


def test_no_friction_no_law():
    assert friction_laws(load_classic("planar2r")) == []
