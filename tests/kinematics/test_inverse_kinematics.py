"""Inverse kinematics: every branch closes, none is missing, and what cannot be met is said."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.codegen.c.compiler import Library, needs_compiler
from tests.kinematics.arms import X, Y, Z, forward, line_arm, misses, turned_apart

from torquec.errors import ArgumentError
from torquec.expr import evaluate
from torquec.kinematics.arm_geometry import ArmFamily
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import KinematicsMethod
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.robot import classics, load
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import Frame, Limits, Robot
from torquec.spatial import IDENTITY

SHARED = Path(__file__).resolve().parents[3] / "shared"
UR5 = SHARED / "data/models/ur5.urdf"
CLASSICS = {"puma560": "link6", "puma260": "link6", "stanford": "link6", "scara": "tool", "ur5": "tool0"}


def arm(name):
    if name != "ur5":
        return classics.load_classic(name)
    if not UR5.exists():
        pytest.skip("the shared models are absent")
    return load(UR5)


@lru_cache(maxsize=4)
def solver(robot, frame, **options):
    """The inverse, compiled once for many batches."""
    return inverse_kinematics(robot, frame, **options)


def solved(robot, frame, q, **options):
    """Every branch for the poses of q (N, n), with q as the reference."""
    rotation, position = forward(robot, frame)(q)
    return rotation, position, solver(robot, frame, **options)(rotation, position, near=q)


def check_closure(robot, frame, q, **options):
    """Branches that are said to meet the pose do, to 1e-10; the others miss it by what they say; one is q itself."""
    rotation, position, found = solved(robot, frame, q, **options)
    distance, angle = misses(robot, frame, found.q, rotation, position)
    met = (found.status & BranchStatus.OUT_OF_REACH) == 0
    assert distance[met].max() < 1e-10
    assert angle[met].max() < 1e-10
    np.testing.assert_allclose(distance, found.error[..., 0], atol=1e-10)
    np.testing.assert_allclose(angle, found.error[..., 1], atol=1e-7)
    return np.where(met, turned_apart(robot, found.q, q[:, None]), np.inf).min(axis=1), found


@pytest.mark.parametrize("name", CLASSICS)
@pytest.mark.parametrize("size", [300, pytest.param(100_000, marks=pytest.mark.slow)])
def test_random_poses_close_and_give_back_where_they_came_from(name, size):
    robot = arm(name)
    q = np.random.default_rng(1).uniform(-3.0, 3.0, (size, robot.n))
    apart, found = check_closure(robot, CLASSICS[name], q)
    # Next to a fold an angle is known only to the root of what the pose is known to.
    assert np.quantile(apart, 0.99) < 1e-11
    assert apart.max() < 1e-6
    assert found.status.max() < 8


@pytest.mark.parametrize("name", CLASSICS)
@pytest.mark.parametrize(
    ("part", "batches", "size"), [(4, 1, 2000), pytest.param(12, 20, 50_000, marks=pytest.mark.slow)]
)
def test_round_angles_close_and_keep_the_reference(name, part, batches, size):
    """Multiples of 45 and of 15 degrees: folds and free joints everywhere, where nothing may get lost or jump."""
    robot = arm(name)
    rng = np.random.default_rng(2)
    for _ in range(batches):
        q = rng.integers(-part, part + 1, (size, robot.n)) * (np.pi / part)
        apart, _ = check_closure(robot, CLASSICS[name], q)
        assert apart.max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSICS)
def test_all_multiples_of_45_degrees(name):
    robot = arm(name)
    every = np.indices((8,) * robot.n).reshape(robot.n, -1).T * (np.pi / 4) - np.pi
    for q in np.array_split(every, max(1, len(every) // 32_768)):
        apart, _ = check_closure(robot, CLASSICS[name], np.ascontiguousarray(q))
        assert apart.max() < 1e-6


@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_eight_branches_are_all_there_are(name):
    """Newton's method from many starts finds the eight branches, each of them, and nothing else."""
    robot, frame = arm(name), CLASSICS[name]
    ik = inverse_kinematics(robot, frame)
    q = np.random.default_rng(4).uniform(-1.2, 1.2, robot.n)
    rotation, position = forward(robot, frame)(q)
    found = ik(rotation, position)
    met = found.q[(found.status & BranchStatus.OUT_OF_REACH) == 0]
    for k, one in enumerate(met):
        assert all(turned_apart(robot, one, other) > 1e-3 for other in met[k + 1 :])
    seen = set()
    for one in _searched(ik, rotation, position, starts=400):
        distances = turned_apart(robot, met, one)
        assert distances.min() < 1e-7
        seen.add(int(np.argmin(distances)))
    assert seen == set(range(len(met)))
    assert len(met) == 8 if name == "puma560" else len(met) in (4, 8)


def _searched(ik, rotation, position, *, starts):
    """Positions that Newton's method ends in."""
    go = forward(ik.robot, ik.frame)
    for start in np.random.default_rng(5).uniform(-np.pi, np.pi, (starts, ik.robot.n)):
        q = start
        for _ in range(40):
            turn, place = go(q)
            off = rotation @ turn.T
            angular = 0.5 * np.array([off[2, 1] - off[1, 2], off[0, 2] - off[2, 0], off[1, 0] - off[0, 1]])
            step = np.concatenate([position - place, angular])
            q = q + np.clip(ik.rates(q, step).qd, -0.5, 0.5)
        turn, place = go(q)
        if np.abs(turn - rotation).max() < 1e-9 and np.abs(place - position).max() < 1e-9:
            yield q


def test_clover_sample():
    """The pose that ERRATA.md's corrections of Clover IV were checked at."""
    rotation = [
        [0.5870967549, -0.7463661101, -0.3134565839],
        [0.6214843101, 0.663686232, -0.4162665465],
        [0.5187240622, 0.0495803899, 0.8535028602],
    ]
    q = [0.3, -0.7, 1.1, 0.4, -0.9, 0.2]
    found = inverse_kinematics(classics.puma560(), "link6").nearest(
        rotation, [0.4144125795, 0.2853102485, 0.6849899062], near=q
    )
    np.testing.assert_allclose(found.q, q, atol=1e-8)


def test_names_mean_what_the_page_says():
    """PUMA 560, wrist seen from link 1: in front on the left; turning a raised elbow further shortens the arm."""
    robot = classics.puma560()
    go = forward(robot, "link6")
    for q in np.random.default_rng(9).uniform(-2.0, 2.0, (5, 6)):
        found = inverse_kinematics(robot, "link6")(*go(q))
        for name, one in zip(found.names, found.q, strict=True):
            shoulder, elbow, _ = name.split(", ")
            there = one * [0, 1, 1, 1, 1, 1]
            assert (go(there)[1][0] > 0.0) == (shoulder == "shoulder left")
            bent = there + 1e-6 * np.eye(6)[2]
            shorter = np.linalg.norm(go(bent)[1]) < np.linalg.norm(go(there)[1])
            assert shorter == (elbow == "elbow up")


def test_a_singular_wrist_keeps_its_first_angle_and_both_names():
    robot = classics.puma560()
    q = np.array([0.3, -0.7, 1.1, 0.4, 0.0, 0.2])
    _, _, found = solved(robot, "link6", q[None])
    near = [k for k in range(8) if np.abs(found.q[0, k] - q).max() < 1e-7]
    assert [found.names[k].split(", ")[2] for k in near] == ["wrist no flip", "wrist flip"]
    assert all(found.status[0, k] & BranchStatus.SINGULAR for k in near)


def test_an_arm_on_its_own_axis_keeps_the_first_joint():
    """The Stanford arm without shoulder offset would spin; a plain elbow arm above its base does."""
    robot = line_arm("RRRRRR", [Z, Y, Y, Z, Y, Z], [0 * Z, Z, 1.5 * Z, 2 * Z, 2 * Z, 2 * Z])
    q = np.array([0.9, 0.4, -0.8, 0.3, 0.7, 0.1])
    q[1] = -np.arctan2(0.5 * np.sin(q[2]), 0.5 + 0.5 * np.cos(q[2]))
    _, _, found = solved(robot, "tool", q[None])
    apart = np.abs(found.q[0] - q).max(axis=1)
    assert apart.min() < 1e-9
    assert found.status[0, apart.argmin()] & BranchStatus.SINGULAR


@pytest.mark.parametrize("size", [2.0, 3.0])
def test_out_of_reach_says_by_how_much(size):
    robot = classics.puma560()
    place = np.array([1.0, 0.4, 0.3]) * size
    found = inverse_kinematics(robot, "link6")(np.eye(3), place)
    assert (found.status & BranchStatus.OUT_OF_REACH).all()
    distance, angle = misses(robot, "link6", found.q[None], np.eye(3)[None], place[None])
    np.testing.assert_allclose(distance[0], found.error[:, 0], atol=1e-12)
    assert angle.max() < 1e-12
    # With an offset at the shoulder the equations, taken in turn, come close to the nearest place there is, not to it.
    reached = forward(robot, "link6")(np.random.default_rng(6).uniform(-np.pi, np.pi, (20_000, 6)))[1]
    assert np.linalg.norm(reached - place, axis=1).min() > found.error[:, 0].min() - 0.03


def test_out_of_reach_is_nearest_for_an_arm_without_offsets():
    """Too far away, and too near to a shoulder that the forearm cannot fold back to."""
    robot = line_arm("RRRRRR", [Z, Y, Y, X, Y, X], [0 * Z, Z, Z + X, Z + 1.6 * X, Z + 1.6 * X, Z + 1.6 * X])
    ik, go = inverse_kinematics(robot, "tool"), forward(robot, "tool")
    q = np.random.default_rng(6).uniform(-np.pi, np.pi, (20_000, 6))
    q[:200, 2], q[200:400, 2] = 0.0, np.pi
    for wrist, miss in (([2.0, 1.0, 3.0], 3.0 - 1.6), ([0.1, 0.2, 1.2], 0.4 - 0.3)):
        place = np.array(wrist) + np.array([0.1, -0.07, 0.2])
        found = ik(np.eye(3), place)
        np.testing.assert_allclose(found.error, [[miss, 0.0]] * 8, atol=1e-12)
        rotation, position = go(q)
        assert np.linalg.norm(position - rotation @ [0.1, -0.07, 0.2] - wrist, axis=1).min() > miss - 1e-12


def test_a_scara_meets_what_it_can_of_a_tilted_pose():
    robot = classics.scara()
    ik = inverse_kinematics(robot, "tool")
    q = np.array([0.4, 0.7, -0.05, 0.3])
    rotation, position = forward(robot, "tool")(q)
    tilt = 0.2
    tilted = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]]) @ rotation
    found = ik(tilted, position, near=q)
    assert ik.family is ArmFamily.SCARA
    assert (found.status & BranchStatus.OUT_OF_REACH).all()
    np.testing.assert_allclose(found.error, [[0.0, tilt]] * 2, atol=1e-12)


def test_turns_and_limits():
    """A joint with two turns takes the one near the reference; one without room is out of limits, and is told."""
    robot = line_arm(
        "RRRRRR",
        [Z, Y, Y, X, Y, X],
        [0 * Z, Z, Z + X, Z + 2 * X, Z + 2 * X, Z + 2 * X],
        limits={0: Limits(-7.0, 7.0), 2: Limits(0.0, 3.0)},
    )
    ik = inverse_kinematics(robot, "tool")
    q = np.array([0.5, 0.3, 0.8, 0.2, 0.6, -0.4])
    rotation, position = forward(robot, "tool")(q)
    near = q + 2.0 * np.pi * np.array([1, 0, 0, 5, 0, -3])
    found = ik(rotation, position, near=near)
    best = ik.nearest(rotation, position, near=near)
    np.testing.assert_allclose(best.q, near, atol=1e-12)
    assert best.status == BranchStatus.EXACT
    np.testing.assert_array_equal(found.q[best.branch], best.q)
    outside = (found.q[:, 2] < -1e-9) | (found.q[:, 2] > 3.0 + 1e-9)
    np.testing.assert_array_equal((found.status & BranchStatus.OUT_OF_LIMITS) > 0, outside)
    assert outside.any()
    assert not outside.all()
    # Ten turns away there is none: the last one before the limit is taken.
    there = near + 20.0 * np.pi * np.array([1, 0, 0, 0, 0, 0])
    assert ik.nearest(rotation, position, near=there).q[0] == pytest.approx(q[0] + 2.0 * np.pi)


def test_joints_beside_the_way_stand_where_the_reference_says():
    robot = classics.scara()
    ik = inverse_kinematics(robot, "tool")
    assert ik.function.output("q").shape == (2, 4)
    two = line_arm("RRPR" + "R", [Z, Z, Z, Z, X], [0 * Z, X, 2 * X, 2 * X, 2 * X])
    branched = Robot("branched", two.bodies, frames=(Frame("plate", 3, IDENTITY),))
    found = inverse_kinematics(branched, "plate")(np.eye(3), [1.2, 0.3, 0.1], near=[0, 0, 0, 0, 0.7])
    np.testing.assert_array_equal(found.q[:, 4], 0.7)


def test_one_pose_a_batch_and_the_evaluator_agree():
    robot = classics.puma560()
    limits = [(joint.limits.lower, joint.limits.upper) for joint in robot.joints]
    q = np.random.default_rng(8).uniform(*np.transpose(limits), (9, 6))
    rotation, position, found = solved(robot, "link6", q)
    ik = inverse_kinematics(robot, "link6")
    best = ik.nearest(rotation, position, near=q)
    for k in range(9):
        one = ik(rotation[k], position[k], near=q[k])
        np.testing.assert_allclose(one.q, found.q[k], atol=1e-12)
        np.testing.assert_allclose(best.q[k], q[k], atol=1e-9)
        slow = evaluate(ik.function, {"rotation": rotation[k], "position": position[k], "near": q[k]})
        np.testing.assert_allclose(slow["q"], one.q, atol=1e-12)
        np.testing.assert_array_equal(slow["status"], one.status)


@needs_compiler
def test_c_agrees(tmp_path):
    ik = inverse_kinematics(classics.puma560(), "link6")
    library = Library(tmp_path, [ik.function, ik.nearest_function])
    q = np.array([0.3, -0.7, 1.1, 0.4, -0.9, 0.2])
    rotation, position = forward(ik.robot, "link6")(q)
    inputs = {"rotation": rotation, "position": position, "near": q}
    native, best = ik(rotation, position, near=q), ik.nearest(rotation, position, near=q)
    found = library(ik.function.name, inputs)
    np.testing.assert_allclose(found["q"], native.q, atol=1e-12)
    np.testing.assert_array_equal(found["status"], native.status)
    found = library(ik.nearest_function.name, inputs)
    np.testing.assert_allclose(found["q"], best.q, atol=1e-12)
    assert int(found["branch"]) == best.branch


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda ik: ik(2.0 * np.eye(3), [0, 0, 0]), "not a rotation matrix"),
        (lambda ik: ik(np.diag([1.0, 1.0, -1.0]), [0, 0, 0]), "not a rotation matrix"),
        (lambda ik: ik(np.stack([np.eye(3), np.zeros((3, 3))]), [0, 0, 0]), "rotation 1 is not a rotation"),
        (lambda ik: ik(np.eye(3), [0, 0]), r"position has the shape \(2,\)"),
        (lambda ik: ik(np.eye(3), [0, 0, np.nan]), "position holds numbers that are not finite"),
        (lambda ik: ik(np.eye(3), [0, 0, 1], near=[0, 1]), "near has the shape"),
        (lambda ik: ik(np.eye(3), "here"), "position is not an array of numbers"),
        (lambda ik: ik(np.stack([np.eye(3)] * 2), np.zeros((3, 3))), "batches of 2 and 3"),
        (lambda ik: ik.rates([0.0], np.zeros(6)), "q has the shape"),
    ],
)
def test_misuse_of_a_call(call, message):
    with pytest.raises(ArgumentError, match=message):
        call(inverse_kinematics(classics.puma560(), "link6"))


def test_what_is_no_arm_is_refused():
    with pytest.raises(ArgumentError, match="has no frame 'hand'"):
        inverse_kinematics(classics.puma560(), "hand")
    with pytest.raises(ArgumentError, match="give a robot or a model"):
        inverse_kinematics(object(), "hand")


def test_the_hand_and_a_model_will_do():
    robot = classics.puma560()
    ik = inverse_kinematics(SimpleNamespace(robot=robot))
    assert (ik.robot, ik.frame, ik.method) == (robot, hand_frame(robot), KinematicsMethod.ANALYTIC)
