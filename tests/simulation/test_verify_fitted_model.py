"""Chang & Lee's whole way: a control specification, coefficients fitted with few terms, and the loop that keeps it."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

import torquec
from torquec.closedform.lower import Letters, lowered
from torquec.closedform.polynomial import TrigPolynomial
from torquec.expr import trace
from torquec.model.model import Model
from torquec.reduction.box import joint_box
from torquec.reduction.fitting.fit_entries import fit_entries
from torquec.reduction.specification import (
    ControlRequirement,
    JointRequirement,
    MotorData,
    Specification,
    load_specification,
)
from torquec.reduction.tolerance import Family, coefficient, coefficient_tolerances, entry_tasks
from torquec.robot.robot import Robot
from torquec.simulation.verify_specification import verify_specification

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "specifications" / "stanford_control.toml"


def _puma_specification(robot: Robot) -> Specification:
    """Motors of equal size, inertias at the middle of the joint ranges."""
    box = joint_box(robot)
    inertias = np.diagonal(torquec.compile(robot).mass_matrix(box.centre))
    control = ControlRequirement(0.05, 2e-3, 4e-3, 4e-3)
    joints = tuple(
        JointRequirement(name, 0.5, 0.5, control=control, motor=MotorData(1.0, 0.1, 0.1, 0.01, 60.0, float(J)))
        for name, J in zip(robot.joint_names, inertias, strict=True)
    )
    return Specification(joints, box)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stanford", "puma560"])
def test_the_fitted_model_meets_its_specification(name):
    robot = getattr(torquec.classics, name)()
    specification = load_specification(EXAMPLE, robot) if name == "stanford" else _puma_specification(robot)
    form = torquec.closed_form(robot)
    tolerances = coefficient_tolerances(form, specification)
    tasks = entry_tasks(form, tolerances)
    fitted = dict(zip((task.name for task in tasks), fit_entries(tasks, specification.box), strict=True))
    named = {tolerance.name: (tolerance.family, tolerance.index) for tolerance in tolerances}
    assert sum(len(entry.polynomial) for entry in fitted.values()) < 0.5 * sum(len(task.target) for task in tasks)

    def entry(family: Family, *index: int) -> TrigPolynomial:
        """The fitted coefficient; one that was not fitted is exactly what it is."""
        for name, basis in fitted.items():
            if named[name] == (family, index):
                return basis.polynomial
        return coefficient(form, family, index)

    def mass(letters: Letters) -> list[list[object]]:
        pairs = [[tuple(sorted((i, j))) for j in range(robot.n)] for i in range(robot.n)]
        return [[lowered(entry(Family.M, *pair), letters) for pair in row] for row in pairs]

    def tau(q, qd, qdd):
        letters = Letters(q)
        torques = []
        for i, row in enumerate(mass(letters)):
            torque = lowered(entry(Family.G, i), letters)
            for j in range(robot.n):
                torque = torque + row[j] * qdd[j]
                for k in range(j, robot.n):
                    weight = lowered(entry(Family.H, i, j, k), letters)
                    torque = torque + (1.0 if j == k else 2.0) * weight * (qd[j] * qd[k])
            torques.append(torque)
        return {"tau": torques}

    n = (robot.n,)
    functions = {
        "inverse_dynamics": trace("inverse_dynamics", tau, {"q": n, "qd": n, "qdd": n}),
        "mass_matrix": trace("mass_matrix", lambda q: {"M": mass(Letters(q))}, {"q": n}),
    }
    model = Model(robot, MappingProxyType(functions))
    result = verify_specification(robot, model, specification, postures=4)
    assert result.met, result
