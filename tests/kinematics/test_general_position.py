"""Pieper arms of general geometry: a spherical wrist on three joints with skew axes and slanted slides."""

from __future__ import annotations

import numpy as np
import pytest
from tests.codegen.c.compiler import Library, needs_compiler
from tests.kinematics.arms import X, Y, Z, forward, line_arm, turned_apart, wrist_arm
from tests.kinematics.test_inverse_kinematics import _searched, check_closure

from torquec.kinematics.arm_family import closed_arm, general_arm
from torquec.kinematics.arm_geometry import ArmFamily, ArmJoint, arm_geometry
from torquec.kinematics.arm_poses import BranchStatus
from torquec.kinematics.closed_kinematics import KinematicsMethod
from torquec.kinematics.general_position import general_position
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.kinematics.near_arm import NEAR_SINE
from torquec.robot.joints import KINDS
from torquec.robot.robot import Limits

BRANCHES = {"RRR": 8, "PRR": 8, "RPR": 8, "RRP": 8, "PRP": 4}
STRETCH = {"R": 3.0, "P": 0.6}


def general_wrist_arm(letters, rng):
    """Three joints of which no two are nearly parallel, square, or meet."""
    while True:
        axes = [v / np.linalg.norm(v) for v in rng.standard_normal((3, 3))]
        points = [rng.uniform(-0.4, 0.4, 3) + 0.4 * k for k in range(3)]
        pairs = [(0, 1), (1, 2)]
        sines = [np.linalg.norm(np.cross(axes[i], axes[j])) for i, j in pairs]
        cosines = [abs(axes[i] @ axes[j]) for i, j in pairs]
        gaps = [abs((points[j] - points[i]) @ np.cross(axes[i], axes[j])) for i, j in pairs]
        if min(*sines, *cosines) > 3.0 * NEAR_SINE and min(gaps) > 0.1:
            return wrist_arm(letters, axes, points, rng)


def positions(letters, rng, size):
    reach = [STRETCH[letter] for letter in letters] + [3.0] * 3
    return rng.uniform(-1.0, 1.0, (size, 6)) * reach


@pytest.mark.parametrize(
    ("letters", "seed", "size"),
    [
        ("RRR", 1, 200),
        ("PRP", 1, 200),
        *(pytest.param(name, seed, 20_000, marks=pytest.mark.slow) for name in BRANCHES for seed in range(2, 7)),
    ],
)
def test_every_branch_closes_and_one_is_where_the_pose_came_from(letters, seed, size):
    rng = np.random.default_rng(seed)
    robot = general_wrist_arm(letters, rng)
    ik = inverse_kinematics(robot, "tool")
    assert (ik.family, ik.closed.rule) == (ArmFamily.SPHERICAL_WRIST, "three joints of general geometry")
    assert (ik.method, len(set(ik.names))) == (KinematicsMethod.ANALYTIC, BRANCHES[letters])
    apart, found = check_closure(robot, "tool", positions(letters, rng, size))
    assert np.quantile(apart, 0.98) < 1e-9
    assert apart.max() < 1e-5
    assert ((found.status & BranchStatus.OUT_OF_REACH) == 0).any(axis=1).all()


@pytest.mark.parametrize(
    ("letters", "pose"),
    [("RRR", 1), *(pytest.param(name, pose, marks=pytest.mark.slow) for name in BRANCHES for pose in range(2, 8))],
)
def test_there_are_no_other_solutions(letters, pose):
    """Newton's method from many starts ends in the branches that are said to exist, and in each of them."""
    rng = np.random.default_rng(10 * pose)
    robot = general_wrist_arm(letters, rng)
    ik = inverse_kinematics(robot, "tool")
    rotation, position = forward(robot, "tool")(0.7 * positions(letters, rng, 1)[0])
    found = ik(rotation, position)
    met = found.q[(found.status & BranchStatus.OUT_OF_REACH) == 0]
    for k, one in enumerate(met):
        assert all(turned_apart(robot, one, other) > 1e-6 for other in met[k + 1 :])
    seen = set()
    for one in _searched(ik, rotation, position, starts=150):
        distances = turned_apart(robot, met, one)
        assert distances.min() < 1e-6
        seen.add(int(np.argmin(distances)))
    assert len(seen) >= 0.5 * len(met)  # not every start ends, and some branches are seldom met
    assert len(met) in (2, 4, 6, 8)


def placed(joints, q, point):
    """Where three joints bring a point."""
    p = np.asarray(point, float)
    for joint, value in zip(joints[::-1], q[::-1], strict=True):
        h, o = np.array(joint.axis), np.array(joint.point)
        if joint.slides:
            p = p + value * h
        else:
            x = p - o
            p = o + h * (h @ x) * (1.0 - np.cos(value)) + x * np.cos(value) + np.cross(h, x) * np.sin(value)
    return p


def volume(joints, q, point, h=1e-6):
    """The determinant of the point's Jacobian: zero where two solutions meet."""
    columns = [placed(joints, q + h * e, point) - placed(joints, q - h * e, point) for e in np.eye(3)]
    return np.linalg.det(np.array(columns) / (2.0 * h))


@pytest.mark.parametrize("letters", ["RRR", "PRR", "RPR", "RRP"])
def test_where_two_solutions_meet_both_are_there(letters):
    """Positions on folds, found by halving: nothing is lost, and the pair is said to be singular."""
    rng = np.random.default_rng(3)
    folds = 0
    while folds < 6:
        axes = [tuple(v / np.linalg.norm(v)) for v in rng.standard_normal((3, 3))]
        joints = [
            ArmJoint(
                f"j{k}",
                k,
                KINDS["prismatic" if letter == "P" else "revolute"],
                axes[k],
                tuple(rng.uniform(-0.5, 0.5, 3)),
                Limits(),
            )
            for k, letter in enumerate(letters)
        ]
        point = tuple(float(x) for x in rng.uniform(-1.0, 1.0, 3))
        arm = general_position(joints, point, 2.0)
        inside = rng.uniform(-2.0, 2.0, 3)
        outside = inside + np.array([0.0, 0.0, 1.5])
        if volume(joints, inside, point) * volume(joints, outside, point) > 0.0:
            continue
        folds += 1
        for _ in range(45):
            middle = 0.5 * (inside + outside)
            if volume(joints, inside, point) * volume(joints, middle, point) <= 0.0:
                outside = middle
            else:
                inside = middle
        w = placed(joints, inside, point)
        pair = []
        for one in arm.solve(tuple(float(x) for x in w), [0.0, 0.0, 0.0]):
            apart = np.array(one.values) - inside
            turns = [letter == "R" for letter in letters]
            apart = np.where(turns, (apart + np.pi) % (2.0 * np.pi) - np.pi, apart)
            missed = np.linalg.norm(placed(joints, np.array(one.values, float), point) - w)
            assert missed == pytest.approx(float(one.miss), abs=1e-12)
            if np.abs(apart).max() < 1e-2 and missed < 1e-10:
                pair.append(one)
        assert len(pair) >= 2
        assert min(one.margin for one in pair) < 1e-4


def test_speeds_and_accelerations():
    """J qd = v and J qdd + Jd qd = a, by differences along a motion."""
    rng = np.random.default_rng(5)
    robot = general_wrist_arm("RRR", rng)
    ik, go = inverse_kinematics(robot, "tool"), forward(robot, "tool")
    q, qd = rng.uniform(-1.0, 1.0, (2, 6))
    h = 1e-4
    places = [go(q + qd * step)[1] for step in (-h, 0.0, h)]
    linear = (places[2] - places[0]) / (2.0 * h)
    turn = (go(q + qd * h)[0] - go(q - qd * h)[0]) @ go(q)[0].T / (2.0 * h)
    velocity = np.array([*linear, turn[2, 1], turn[0, 2], turn[1, 0]])
    np.testing.assert_allclose(ik.rates(q, velocity).qd, qd, atol=1e-5)


def test_an_arm_whose_first_three_axes_meet_is_the_same_from_its_hand():
    rng = np.random.default_rng(6)
    wrist = [X, Y, Z], [0.3 * X, 0 * X, 0 * X]
    axes = [np.array(v) for v in ([0.5, 0.7, 0.4], [-0.6, 0.3, 0.7], [0.2, -0.8, 0.6])]
    points = [np.array(v) for v in ([0.4, 0.1, 0.2], [0.5, 0.5, 0.1], [0.9, 0.2, 0.4])]
    robot = line_arm("RRRRRR", [*wrist[0], *axes], [*wrist[1], *points], rng)
    ik = inverse_kinematics(robot, "tool")
    assert (ik.family, len(set(ik.names))) == (ArmFamily.SPHERICAL_SHOULDER, 8)
    apart, _ = check_closure(robot, "tool", rng.uniform(-3.0, 3.0, (200, 6)))
    assert apart.max() < 1e-5


def test_a_calibrated_one_is_solved_from_it():
    """A wrist that is off by 1e-3: Newton's method from the closed form of the nominal arm."""
    rng = np.random.default_rng(8)
    axes = [np.array(v) for v in ([0.5, 0.7, 0.4], [-0.6, 0.3, 0.7], [0.2, -0.8, 0.6])]
    points = [np.array(v) for v in ([0.0, 0.1, 0.2], [0.3, 0.5, 0.1], [0.7, 0.2, 0.5])]
    center = np.array([1.0, 0.4, 0.8])
    lines = [*axes, X, Y, Z], [*points, center - 0.1 * X, center, center]
    off = [[np.asarray(v) + rng.uniform(-1e-3, 1e-3, 3) for v in part] for part in lines]
    robot = line_arm("RRRRRR", *off)
    ik = inverse_kinematics(robot, "tool")
    assert (ik.method, len(ik.names)) == (KinematicsMethod.NEAR, 16)
    apart, _ = check_closure(robot, "tool", rng.uniform(-2.5, 2.5, (30, 6)))
    assert np.median(apart) < 1e-9


def test_tidy_arms_keep_their_own_closed_form():
    """General equations are for general arms: next to parallel or meeting axes they depend on each other."""
    robot = wrist_arm("RRR", [Z, Y, Y], [[0.0, 0.0, 0.0], [0.2, 0.1, 0.5], [0.8, -0.1, 0.7]], np.random.default_rng(2))
    arm = arm_geometry(robot, "tool")
    assert closed_arm(arm).rule == "joints 2 and 3 move in a plane"
    meeting = line_arm("RRRRRR", [Z, X, Y, X, Y, X], [0 * X, 0 * X, X, 2 * X + Z, 2 * X + Z, 2 * X + Z])
    assert isinstance(general_arm(arm_geometry(meeting, "tool")), str)


@needs_compiler
def test_c_agrees(tmp_path):
    rng = np.random.default_rng(9)
    robot = general_wrist_arm("RRP", rng)
    ik = inverse_kinematics(robot, "tool")
    library = Library(tmp_path, [ik.function])
    for q in positions("RRP", rng, 20):
        rotation, position = forward(robot, "tool")(q)
        found = ik(rotation, position, near=q)
        shown = library(ik.function.name, {"rotation": rotation, "position": position, "near": q})
        np.testing.assert_allclose(shown["q"], found.q, atol=1e-8)
        np.testing.assert_array_equal(shown["status"], found.status)
