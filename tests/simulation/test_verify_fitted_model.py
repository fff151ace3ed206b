"""Chang & Lee's whole way: a control specification, the simplified model, its proof, and the loop that keeps it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import torquec
from torquec.robot.robot import Robot
from torquec.simplification.specification import (
    ControlRequirement,
    JointRequirement,
    MotorData,
    Specification,
    load_specification,
)
from torquec.simulation.verify_specification import verify_specification
from torquec.trajectory.motion_box import joint_box

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
def test_the_simplified_model_meets_its_specification(name):
    robot = getattr(torquec.classics, name)()
    specification = load_specification(EXAMPLE, robot) if name == "stanford" else _puma_specification(robot)
    model = torquec.simplify(robot, specification)
    torquec.check_certificate(robot, model.record)
    counts, exact = model.record.counts, torquec.compile(robot)
    assert counts.terms_after < 0.2 * counts.terms_before
    assert counts.operations_after.cost < 0.5 * counts.operations_before.cost
    for quantity in ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix"):
        assert model.operation_count(quantity).cost <= exact.operation_count(quantity).cost
    for proof in model.record.coefficients.coefficients.values():
        assert proof.bound <= proof.tolerance
        assert proof.bound <= 1.05 * proof.found
    result = verify_specification(robot, model, specification, postures=4)
    assert result.met, result
