"""Closed-loop verification after Chang & Lee: the Stanford arm and the PUMA 560, and one arm by hand."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

import torquec
from torquec.closedform.fourier import Rule
from torquec.errors import ArgumentError, SpecificationError
from torquec.expr import trace
from torquec.linearization.abbreviated_linear_model import AbbreviatedModel, AbbreviatedPart, torque_row
from torquec.model.model import Model
from torquec.simplification.specification import (
    ControlRequirement,
    JointRequirement,
    MotorData,
    Specification,
    load_specification,
)
from torquec.simulation.verify_specification import DriveSignal, position_gain, verify_specification
from torquec.trajectory.motion_box import MotionBox, joint_box


def abbreviated(robot, threshold):
    """The closed form without coefficients below a threshold, as a model."""
    short = AbbreviatedModel(robot, Rule(multiple_angles=True, threshold=threshold), parts=(AbbreviatedPart.TORQUE,))
    n, zeros = robot.n, [0.0] * robot.n

    def tau(q, qd, qdd):
        here = short.at(q, qd, qdd)
        return {"tau": [torque_row(row, qdd, bias) for row, bias in zip(here.M, here.rigid_bias, strict=True)]}

    functions = {
        "inverse_dynamics": trace("inverse_dynamics", tau, dict.fromkeys(("q", "qd", "qdd"), (n,))),
        "mass_matrix": trace("mass_matrix", lambda q: {"M": short.at(q, zeros, zeros).M}, {"q": (n,)}),
    }
    return Model(robot, MappingProxyType(functions))


def asked(robot, *, error=2e-3, resonance=60.0, box=None):
    """Inertias at the middle of the joint ranges; the same for every joint otherwise."""
    box = box or joint_box(robot)
    inertias = np.diagonal(torquec.compile(robot).mass_matrix(box.centre))
    control = ControlRequirement(0.05, error, 2.0 * error, 2.0 * error)
    joints = tuple(
        JointRequirement(name, 0.5, 0.5, control=control, motor=MotorData(1.0, 0.1, 0.1, 0.01, resonance, float(J)))
        for name, J in zip(robot.joint_names, inertias, strict=True)
    )
    return Specification(joints, box, source="specification.toml")


@pytest.mark.parametrize("name", ["stanford", "puma560"])
def test_the_exact_model_meets_any_reasonable_specification(name):
    robot = getattr(torquec.classics, name)()
    result = verify_specification(robot, torquec.compile(robot), asked(robot, error=2e-5), postures=3)
    assert result.met
    assert all(row.lowest == pytest.approx(1.0) == row.highest for row in result.damping)


@pytest.mark.parametrize("name", ["stanford", "puma560"])
def test_a_slightly_abbreviated_model_stays_inside_and_costs_less(name):
    robot = getattr(torquec.classics, name)()
    model = abbreviated(robot, 0.005)
    result = verify_specification(robot, model, asked(robot), postures=6)
    assert result.met
    whole = abbreviated(robot, 0.0)
    assert len(model.function("inverse_dynamics").operations) < len(whole.function("inverse_dynamics").operations)


def test_a_model_that_is_cut_too_far_is_found_out():
    robot = torquec.classics.stanford()
    result = verify_specification(robot, abbreviated(robot, 0.05), asked(robot), postures=6)
    assert not result.met
    assert any(not row.met for row in result.damping)  # J of the wrist is mostly small terms


@pytest.mark.parametrize(("threshold", "met"), [(0.005, True), (0.05, False)])
def test_the_example_specification_of_the_stanford_arm(threshold, met):
    robot = torquec.classics.stanford()
    file = Path(__file__).resolve().parents[2] / "examples" / "specifications" / "stanford_control.toml"
    result = verify_specification(robot, abbreviated(robot, threshold), load_specification(file, robot), postures=6)
    assert result.met is met
    assert all(row.met for row in result.errors)  # what fails is the damping
    assert [row.joint for row in result.damping if not row.met] == ([] if met else ["joint4", "joint5"])


def test_errors_are_missing_torques_over_stiffness():
    # Without gravity in the model, a pendulum hangs by G/kp (19).
    robot = torquec.classics.planar2r()
    weightless = torquec.compile(dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0)))
    place = (0.3, 0.4)
    asking = asked(robot, error=10.0, resonance=200.0, box=MotionBox(place, place))
    result = verify_specification(robot, weightless, asking, postures=1)
    steps = [row for row in result.errors if row.signal is DriveSignal.STEP]
    missing = np.abs(torquec.compile(robot).gravity_torque(place))
    for row, torque, joint in zip(steps, missing, asking.joints, strict=True):
        assert row.error == pytest.approx(torque / position_gain(joint.motor), rel=0.02)


def test_a_requirement_that_is_not_there_is_asked_for():
    robot = torquec.classics.planar2r()
    plain = asked(robot)
    torques = dataclasses.replace(plain, joints=tuple(JointRequirement(j.name, 1.0, 1.0, 2.0) for j in plain.joints))
    with pytest.raises(SpecificationError, match="no control requirement for joint1, joint2"):
        verify_specification(robot, torquec.compile(robot), torques)
    with pytest.raises(SpecificationError, match="every joint"):
        verify_specification(robot, torquec.compile(robot), dataclasses.replace(plain, joints=()))
    with pytest.raises(ArgumentError, match="0 postures"):
        verify_specification(robot, torquec.compile(robot), plain, postures=0)
