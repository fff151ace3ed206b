"""What is proven of the torques of a model, and when nothing is."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tests.control.guaranteed_models import claimed
from tests.proof.arms import arm, programs

import torquec as tq
from torquec.codegen.llvm import compile_function
from torquec.control.proven_torque import ProvenTorque, proven_torque
from torquec.model.model import Model, ModelKind
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify_coefficients import certify_coefficients
from torquec.proof.torque.coefficient_tolerance import CoefficientTolerance, ErrorKind, Family
from torquec.proof.tracking.acceleration_bound import MotionBoxes
from torquec.robot.classics import load_classic
from torquec.trajectory.motion_box import MotionBox


def test_torques_are_wrong_by_what_the_certificate_says():
    robot = load_classic("scara")
    proven = proven_torque(claimed(robot, [0.1, 0.2, 0.3, 0.4]))
    assert isinstance(proven, ProvenTorque)
    assert proven.acceleration.tolist() == [10.0] * 4
    q = np.zeros((3, 4))
    assert proven.errors(q, q, q, q).tolist() == [[0.1, 0.2, 0.3, 0.4]] * 3


def test_an_exact_model_is_right_everywhere():
    proven = proven_torque(Model(load_classic("planar2r")))
    assert proven.torque.tolist() == [0.0, 0.0]
    assert proven.upper.tolist() == [math.inf, math.inf]


def test_a_joint_that_makes_whole_turns_has_no_range():
    robot = load_classic("planar2r")
    proven = proven_torque(claimed(robot, [0.1, 0.1], lower=(-math.pi, -1.0), upper=(math.pi, 1.0)))
    assert proven.lower.tolist() == [-math.inf, -1.0]
    assert proven.upper.tolist() == [math.inf, 1.0]


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_coefficients_bound_the_torque_that_they_make(kind):
    robot = arm("planar3r")
    exact, weak = programs(robot, 2, 0.9)
    lower, upper = (-0.4,) * 3, (0.6,) * 3
    tolerances = [] if kind is ErrorKind.ABSOLUTE else [CoefficientTolerance(Family.M, (0, 0), 0.5, kind, "joint1")]
    inner = certify_coefficients(robot, exact, weak, MotionBox(lower, upper), tolerances=tolerances)
    assert {proof.kind for proof in inner.coefficients.values()} >= {kind}
    record = Certificate(robot.name, robot.content_hash, weak, MotionBox(lower, upper, (), ()), {}, inner)
    model = Model(robot, {"inverse_dynamics": weak}, record=record, kind=ModelKind.CERTIFIED_COEFFICIENTS)
    proven = proven_torque(model)
    rng = np.random.default_rng(3)
    q = rng.uniform(-0.4, 0.6, (400, 3))
    qd, qdd = rng.choice([-1.0, 1.0], (2, 400, 3)) * np.array([2.0, 5.0])[:, None, None]
    found = np.abs(tq.compile(robot).inverse_dynamics(q, qd, qdd) - compile_function(weak).call(q, qd, qdd))
    bound = proven.errors(q, q, np.abs(qd), np.abs(qdd))
    assert np.all(found <= bound)
    assert np.all(found.max(axis=0) >= 0.3 * bound.max(axis=0))


def test_drives_also_give_what_friction_costs():
    """The largest torques hold with friction and without, also where friction helps the drive."""
    robot = load_classic("puma560")
    proven = proven_torque(Model(robot))
    rng = np.random.default_rng(8)
    states = rng.uniform(-1.0, 1.0, (3, 200, 6))
    largest = proven.torques(MotionBoxes(*(part for part in states for _ in range(2))))
    arm_ = tq.compile(robot)
    rigid, total = np.abs(arm_.inverse_dynamics(*states)), np.abs(arm_.total_torque(*states))
    assert largest == pytest.approx(np.maximum(rigid, total), rel=1e-9, abs=1e-9)
    assert np.any(rigid > total + 1.0)
    assert np.any(total > rigid + 1.0)


def test_a_bound_that_is_none_is_no_proof():
    robot = load_classic("planar2r")
    for wrong in (-0.1, math.nan, math.inf):
        assert "negative or not finite" in proven_torque(claimed(robot, [0.1, wrong]))


def test_what_is_not_proven_is_said():
    robot = load_classic("planar2r")
    model = claimed(robot, [0.1, 0.1])
    changed = dataclasses.replace(robot, gravity=(0.0, 0.0, -1.6))
    assert "about another robot" in proven_torque(dataclasses.replace(model, robot=changed))
    other = Model(changed).function("inverse_dynamics")
    assert "not the program" in proven_torque(dataclasses.replace(model, functions={"inverse_dynamics": other}))
    bare = dataclasses.replace(model, record=None, kind=ModelKind.ABBREVIATED)
    assert "it has no certificate" in proven_torque(bare)
