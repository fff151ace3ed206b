"""Excitation: far below the wanted condition numbers, within every limit, at rest at the ends, repeatable; refusals."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np
import pytest
from tests.identification import simulated_arm

import torquec as tq
from torquec.errors import ArgumentError, SpecificationError
from torquec.identification.excitation.excitation import excitation, simulated_log
from torquec.identification.excitation.excitation_options import Criterion, ExcitationOptions, MotionShape
from torquec.identification.excitation.regressor_information import regressor_conditions
from torquec.identification.excitation.workspace import Apart, Outside, Plane
from torquec.identification.logs.check_log import check_log
from torquec.identification.torque.friction_law import FrictionModel
from torquec.model.model import compile
from torquec.robot import classics
from torquec.robot.lock_joints import lock_joints
from torquec.trajectory import check_limits, minimum_jerk
from torquec.trajectory.log import Severity


def motion():
    return minimum_jerk([0.0, 0.0], [1.0, -1.0], 2.0, joints=simulated_arm.arm().joint_names, period=0.01)


def test_torques_of_the_model_along_a_motion():
    robot, path = simulated_arm.arm(), motion()
    log = simulated_log(robot, path, noise=0.0)
    assert log.tau == pytest.approx(np.asarray(compile(robot).total_torque(path.q, path.qd, path.qdd)))
    assert (log.joints, log.source) == (robot.joint_names, "simulated")


def test_noise_is_a_share_of_each_joints_torque():
    robot = simulated_arm.arm()
    clean, noisy = (simulated_log(robot, motion(), noise=noise) for noise in (0.0, 0.1))
    share = (noisy.tau - clean.tau).std(axis=0) / np.sqrt((clean.tau**2).mean(axis=0))
    assert share == pytest.approx([0.1, 0.1], rel=0.15)


def test_without_a_motion_the_robot_is_excited():
    log = simulated_log(simulated_arm.arm())
    assert len(log) > 500
    assert not [f for f in check_log(simulated_arm.arm(), log) if f.severity is Severity.ERROR]


@pytest.mark.parametrize("noise", [-1.0, float("inf"), float("nan")])
def test_noise_that_cannot_be(noise):
    with pytest.raises(ArgumentError, match=f"noise of {noise}"):
        simulated_log(simulated_arm.arm(), motion(), noise=noise)


MODELS = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "models"
QUICK = ExcitationOptions(evaluations=250)


def arm(name):
    if name in classics.names():
        return classics.load_classic(name)
    file = MODELS / f"{name}.urdf"
    if not file.exists():
        pytest.skip("the shared models are not here")
    robot = tq.load(file)
    return lock_joints(robot, {joint: 0.0 for joint in robot.joint_names if "finger" in joint})


@functools.cache
def quickly_excited(name):
    return excitation(arm(name), options=QUICK)


@pytest.mark.parametrize("name", ["puma560", "stanford", "ur5", "panda"])
def test_arms_are_excited_within_their_limits(name):
    robot = arm(name)
    found = quickly_excited(name)
    assert found.condition < 20.0  # wanted: 100
    assert found.unit_condition < 15.0  # wanted: 20
    assert found.limits_kept
    check_limits(robot, found.trajectory, efforts=True)
    assert max(found.shares.values()) <= 1.0


@pytest.mark.parametrize("shape", list(MotionShape))
def test_it_starts_and_ends_at_rest_at_one_place(shape):
    motion = excitation(classics.planar2r(), options=ExcitationOptions(evaluations=120, shape=shape)).trajectory
    assert np.allclose(motion.q[0], motion.q[-1], atol=1e-9)
    for k in (0, -1):
        assert np.allclose(motion.qd[k], 0.0, atol=1e-9)
        assert np.allclose(motion.qdd[k], 0.0, atol=1e-9)


@pytest.mark.parametrize("criterion", list(Criterion))
@pytest.mark.parametrize("shape", list(MotionShape))
def test_searching_longer_is_better_and_repeatable(criterion, shape):
    robot = classics.scara()
    options = [ExcitationOptions(evaluations=n, criterion=criterion, shape=shape) for n in (40, 200, 200)]
    first, longer, again = (excitation(robot, options=o) for o in options)
    assert np.array_equal(longer.trajectory.q, again.trajectory.q)
    assert longer.history[-1][1] < first.history[-1][1]
    values = [value for _, value in longer.history]
    assert values == sorted(values, reverse=True)


def test_each_criterion_is_best_at_what_it_is_for():
    robot = classics.puma560()
    found = {Criterion.CONDITION: quickly_excited("puma560")}
    for c in (Criterion.UNIT_CONDITION, Criterion.DETERMINANT):
        found[c] = excitation(robot, options=dataclasses.replace(QUICK, criterion=c))
    rows = {
        c: tq.compile(robot).base_regressor(e.trajectory.q, e.trajectory.qd, e.trajectory.qdd) for c, e in found.items()
    }
    volumes = {c: np.linalg.slogdet(np.einsum("nji,njk->ik", a, a))[1] for c, a in rows.items()}
    assert min(found, key=lambda c: found[c].condition) is Criterion.CONDITION
    assert min(found, key=lambda c: found[c].unit_condition) is Criterion.UNIT_CONDITION
    assert max(volumes, key=lambda c: volumes[c]) is Criterion.DETERMINANT
    for c, e in found.items():
        assert (e.condition, e.unit_condition) == pytest.approx(regressor_conditions(rows[c]), rel=1e-9)


def test_accelerations_stay_below_their_limit():
    options = dataclasses.replace(QUICK, acceleration=1.5)
    found = excitation(classics.puma560(), options=options)
    assert np.abs(found.trajectory.qdd).max() <= 1.5
    assert found.limits_kept


def test_a_cell_is_kept():
    robot = classics.puma560()
    rules = (
        Plane(offset=-0.3),
        Outside((0.3, -0.3, -1.0), (0.9, 0.3, 0.2), clearance=0.05),
        Apart(("link6", "base"), 0.3),
    )
    found = excitation(robot, options=dataclasses.replace(QUICK, rules=rules))
    pose = tq.compile(robot).frame_pose("link6")
    tip = np.array([pose(q)[1] for q in found.trajectory.q])
    assert found.limits_kept
    assert tip[:, 2].min() >= -0.3
    assert np.linalg.norm(tip, axis=1).min() >= 0.3
    assert np.max(np.abs(tip - [0.6, 0.0, -0.4]) - [0.35, 0.35, 0.65], axis=1).min() >= 0.0
    heights = np.array([pose(q)[1][2] for q in quickly_excited("puma560").trajectory.q])
    assert heights.min() < -0.3  # the rules did something


def test_friction_is_excited_too():
    robot = classics.puma560()
    with_friction = excitation(robot, options=dataclasses.replace(QUICK, friction=FrictionModel.OFFSET))
    assert len(with_friction.parameters) == len(quickly_excited("puma560").parameters) + 18
    assert with_friction.unit_condition < 20.0


def test_prismatic_joints_and_other_durations():
    found = excitation(classics.scara(), options=ExcitationOptions(evaluations=150, duration=4.0, harmonics=3))
    assert found.limits_kept
    assert found.trajectory.duration == pytest.approx(4.0)


def test_impossible_limits_are_named():
    with pytest.raises(SpecificationError, match=r"plane below frame 'link6' \(.* m too near\)"):
        excitation(classics.puma560(), options=dataclasses.replace(QUICK, rules=(Plane(offset=2.0),)))
    robot = classics.puma560()
    body = robot.bodies[1]
    joint = dataclasses.replace(body.joint, limits=dataclasses.replace(body.joint.limits, effort=3.0))
    weak = dataclasses.replace(
        robot, bodies=(robot.bodies[0], dataclasses.replace(body, joint=joint), *robot.bodies[2:])
    )
    with pytest.raises(SpecificationError, match=r"torque of 'joint2' \(.*% of the limit\)"):
        excitation(weak, options=QUICK)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"harmonics": 1}, "harmonics"),
        ({"waypoints": 3}, "way-points"),
        ({"evaluations": 0}, "evaluation"),
        ({"duration": -1.0}, "a motion of -1 s"),
        ({"period": 20.0}, "a sample every 20 s"),
        ({"acceleration": 0.0}, "acceleration of 0"),
        ({"friction": FrictionModel.LOAD}, "friction model 'load'"),
    ],
)
def test_misuse(changes, message):
    with pytest.raises(ArgumentError, match=message):
        excitation(classics.planar2r(), options=ExcitationOptions(**changes))
