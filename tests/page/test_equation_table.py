"""The table of terms: summed up it is M and g of the model, at any posture."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.arms import gripper
from tests.model_kinds import program_model

from torquec.errors import RobotError
from torquec.model.model import Model
from torquec.page import equation_table as module
from torquec.page.equation_table import equation_table
from torquec.robot import classics


def value(table, terms, q):
    """The sum of terms, as the page's script adds it up."""
    total = 0.0
    for coefficient, *codes in terms:
        for code in codes:
            variable = table.variables[int(code) >> 4]
            angle = 0.0
            for index, sign in variable.joints:
                c = table.coordinates[index]
                angle += sign * (c.multiplier * q[c.joint] + c.offset)
            a, b = (int(code) >> 3) & 1, int(code) & 7
            coefficient *= np.cos(angle) ** a * np.sin(angle) ** b if variable.is_angle else angle**b
        total += coefficient
    return total


@pytest.mark.parametrize("name", ["planar2r", "puma560", "scara", "stanford"])
def test_terms_add_up_to_the_model(name):
    model = Model(getattr(classics, name)())
    table, n = equation_table(model), model.robot.n
    rng = np.random.default_rng(5)
    for q in rng.uniform(-1.5, 1.5, (5, n)):
        mass, gravity = model.mass_matrix(q), model.gravity_torque(q)
        scale = np.abs(mass).max()
        for i in range(n):
            assert value(table, table.gravity[i], q) == pytest.approx(gravity[i], abs=1e-11 * max(1, scale))
            for j in range(i, n):
                assert value(table, table.mass[i * n + j], q) == pytest.approx(mass[i, j], abs=1e-12 * scale)


def test_joints_that_follow_others_are_collected():
    model = Model(gripper(multiplier=-2.0, offset=0.1))
    table = equation_table(model)
    assert value(table, table.mass[0], [0.3]) == pytest.approx(model.mass_matrix([0.3])[0, 0])


def test_a_simplified_model_shows_its_own_equations():
    """The programs of `program_model` are not the robot's: the table must follow them, c included."""
    model = program_model(classics.planar2r())
    table = equation_table(model)
    q, qd = np.array([0.4, -0.9]), np.array([0.7, 1.3])
    mass = [[value(table, table.mass[2 * i + j], q) for j in range(2)] for i in range(2)]
    np.testing.assert_allclose(mass, model.mass_matrix(q), rtol=1e-9)
    velocity = np.zeros(2)
    for (i, j, k), terms in table.velocity:
        velocity[i] += value(table, terms, q) * qd[j] * qd[k]
    np.testing.assert_allclose(velocity, model.velocity_torque(q, qd), rtol=1e-9)
    gravity = [value(table, terms, q) for terms in table.gravity]
    np.testing.assert_allclose(gravity, model.gravity_torque(q), rtol=1e-9, atol=1e-12)


def test_equations_that_are_too_long_are_refused(monkeypatch):
    monkeypatch.setattr(module, "_MOST_TERMS", 3)
    with pytest.raises(RobotError, match="more than 3 terms"):
        equation_table(Model(classics.puma560()))
