"""Formulas in symbols: by hand, and evaluated against the combinations in numbers."""

from __future__ import annotations

import ast
import dataclasses
import math
import operator

import numpy as np
import pytest
from tests.parameters.serial_arms import dh_arm, random_arm

from torquec.dynamics.regressor import parameter_names
from torquec.errors import RobotError
from torquec.parameters.base_parameters import base_parameters
from torquec.parameters.symbolic_combinations import symbolic_combinations
from torquec.robot import classics
from torquec.spatial import Pose, rotation_y

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow}


def value_of(expression, values):
    """The value of a formula for given parameters and symbols."""

    def walk(node):
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.UnaryOp):
            return -walk(node.operand)
        return values[node.id] if isinstance(node, ast.Name) else node.value

    return walk(ast.parse(expression.replace("^", "**"), mode="eval").body)


def test_puma560_by_hand():
    """a3 lies between the two upper axes, d4 along the forearm."""
    found = symbolic_combinations(classics.puma560())
    formulas = dict(zip(found.names, found.expressions, strict=True))
    assert formulas["kx_link2"] == "mx_link2 + a3*m_link3 + a3*m_link4 + a3*m_link5 + a3*m_link6"
    assert formulas["ky_link3"] == "my_link3 - mz_link4 - d4*m_link4 - d4*m_link5 - d4*m_link6"
    assert formulas["Uxx-Uyy_link6"] == "Ixx_link6 - Iyy_link6"
    assert found.symbols["a3"] == 0.4318


@pytest.mark.parametrize("seed", range(20))
def test_formulas_evaluate_to_the_combinations(seed):
    robot = random_arm(seed)
    found = symbolic_combinations(robot)
    base = base_parameters(robot, method="theorem")
    assert found.names == base.names
    canonical = [float(value) for link in robot.canonical.links for value in link.inertia.parameters]
    values = dict(zip(parameter_names(robot), canonical, strict=True)) | dict(found.symbols)
    computed = [value_of(expression, values) for expression in found.expressions]
    np.testing.assert_allclose(computed, base.values, rtol=1e-9, atol=1e-11)


def test_other_twists_are_symbols_and_squares_of_sines_are_replaced():
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0), (False, 0.7, 0.3, 0.0, 0.0), (False, 0.4, 0.0, 0.0, 0.0)])
    found = symbolic_combinations(arm)
    first = found.expressions[0]
    assert "ca2^2" in first
    assert "sa2^2" not in first
    assert found.symbols["ca2"] == pytest.approx(np.cos(0.7))
    assert r"c_{\alpha 2}^{2}" in found.latex_expressions[0]


def test_axes_that_are_almost_parallel_have_no_symbols():
    arm = dh_arm("arm", [(False, 0.0, 0.0, 0.0, 0.0), (False, 0.0, 0.3, 0.0, 0.0)])
    last = arm.bodies[1]
    tilted = Pose(rotation_y(math.cos(5e-4), math.sin(5e-4)), (0.3, 0.1, 0.0))
    joint = dataclasses.replace(last.joint, placement=tilted)
    skew = dataclasses.replace(arm, bodies=(arm.bodies[0], dataclasses.replace(last, joint=joint)))
    with pytest.raises(RobotError, match="joint2") as caught:
        symbolic_combinations(skew)
    assert "theorem" in caught.value.remedy
