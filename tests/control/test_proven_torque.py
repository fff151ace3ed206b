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
from torquec.control.acceleration_bound import MotionBoxes
from torquec.control.proven_torque import ProvenTorque, proven_torque
from torquec.errors import SnapWarning
from torquec.model.model import Model, ModelKind
from torquec.proof.certificate import Certificate
from torquec.proof.certify_coefficients import certify_coefficients
from torquec.proof.coefficient_tolerance import CoefficientTolerance, ErrorKind, Family
from torquec.robot.classics import load_classic
from torquec.robot.robot import Limits, Spring
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


TILTED = """<robot name="tilt"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.5 0.1 0"/><mass value="1"/>
  <inertia ixx="0.001" iyy="0.002" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"><inertial><origin xyz="0.2 0 0.1"/><mass value="0.5"/>
  <inertia ixx="0.001" iyy="0.002" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
  <origin rpy="4e-5 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="5" effort="50"/></joint>
<joint name="second" type="{second}"><parent link="arm"/><child link="tool"/>
  <origin xyz="0.8 0 0" rpy="1.5708 0 0"/><axis xyz="0 0 1"/>{limit}</joint></robot>
"""
LIMIT = '<limit lower="-0.4" upper="0.5" velocity="5" effort="50"/>'


def tilted(folder, second="revolute", limit=LIMIT):
    """Two joints whose angles are snapped: the first stands 4e-5 rad off the vertical."""
    path = folder / "tilt.urdf"
    path.write_text(TILTED.format(second=second, limit=limit))
    with pytest.warns(SnapWarning):
        return tq.load(path)


@pytest.mark.parametrize("second", ["revolute", "prismatic"])
def test_an_exact_model_differs_from_its_file_by_what_snapping_changes(tmp_path, second):
    robot = tilted(tmp_path, second)
    written = dataclasses.replace(robot, snap=False)
    proven = proven_torque(Model(robot))
    assert proven.robot == written
    rng = np.random.default_rng(7)
    q, qd, qdd = rng.uniform([-3.0, -0.4], [3.0, 0.5], (500, 2)), *rng.uniform(-2.0, 2.0, (2, 500, 2))
    found = np.abs(tq.compile(robot).inverse_dynamics(q, qd, qdd) - tq.compile(written).inverse_dynamics(q, qd, qdd))
    bound = proven.errors(q, q, np.abs(qd), np.abs(qdd))
    assert np.all(found <= bound)
    assert np.all(found.max(axis=0) >= 0.1 * bound.max(axis=0))
    assert found.max() > 1e-5
    assert np.isinf(proven.lower[0])
    assert proven.upper[1] == (0.5 if second == "prismatic" else math.inf)


def test_without_snaps_an_exact_model_is_exact(tmp_path):
    robot = dataclasses.replace(tilted(tmp_path), snap=False)
    zero, one = np.zeros((1, 2)), np.ones((1, 2))
    assert not proven_torque(Model(robot)).errors(zero, zero, one, one).any()


def test_snapped_angles_that_cannot_be_bounded_leave_nothing_proven(tmp_path, monkeypatch):
    robot = tilted(tmp_path, "prismatic", LIMIT.replace("-0.4", "-0.3"))  # of which no bound was computed before
    first, last = robot.bodies
    joint = dataclasses.replace(last.joint, limits=Limits())
    endless = dataclasses.replace(robot, bodies=(first, dataclasses.replace(last, joint=joint)))
    assert math.isinf(endless.joints[1].limits.upper)
    reason = proven_torque(Model(endless))
    assert "no limits of its position" in reason
    assert "--no-snap" in reason
    monkeypatch.setattr("torquec.proof.snap_bound._MOST_POINTS", 1)  # as if there were very many joints
    reason = proven_torque(Model(robot))
    assert "cannot be bounded" in reason
    assert "--no-snap" in reason


def test_a_certified_bound_is_about_the_file_as_written(tmp_path):
    robot = tilted(tmp_path)
    proven = proven_torque(claimed(robot, [0.1, 0.2]))
    assert proven.robot == dataclasses.replace(robot, snap=False)
    zero = np.zeros((1, 2))
    assert proven.errors(zero, zero, zero, zero).tolist() == [[0.1, 0.2]]  # the certificate has the snaps in it


def test_a_spring_on_a_whole_turn_keeps_its_range():
    robot = load_classic("planar2r")
    first = robot.bodies[0]
    sprung = dataclasses.replace(first, joint=dataclasses.replace(first.joint, spring=Spring(5.0, 0.0)))
    robot = dataclasses.replace(robot, bodies=(sprung, *robot.bodies[1:]))
    proven = proven_torque(claimed(robot, [0.1, 0.1], lower=-math.pi, upper=math.pi))
    assert proven.lower.tolist() == [-math.pi, -math.inf]
    assert proven.upper.tolist() == [math.pi, math.inf]
