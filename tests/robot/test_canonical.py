"""Canonical frames: the PUMA's table, every kind of geometry, snapping and its report."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics.laws import violation
from tests.dynamics.random_robots import PLACEMENTS, random_robot, random_state
from tests.dynamics.scalars import QUANTITIES, on_batch
from tests.robot import reference

from torquec.dynamics import body_poses, inverse_dynamics
from torquec.errors import RobotError, RobotFileError
from torquec.robot import classics
from torquec.robot.canonical import SNAP, Snap
from torquec.robot.load import load
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import Body, Joint, JointType, Robot
from torquec.spatial import IDENTITY, Inertia, Pose, rpy_from_rotation, rpy_rotation

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
QUARTER = math.pi / 2


def placed(body, *, roll=0.0, pitch=0.0, yaw=0.0, origin=None):
    """The body with its joint placed by those angles."""
    pose = Pose(rpy_rotation(roll, pitch, yaw), origin or body.joint.placement.origin)
    return replace(body, joint=replace(body.joint, placement=pose))


def elbow(roll, **options):
    """Two links; the second joint is rolled, 1.5708 or so."""
    inertia = Inertia.from_center_of_mass(1.0, (0.1, 0.2, 0.3), ((0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.25)))
    lower = Body("lower", -1, Joint("shoulder", JointType.REVOLUTE), inertia)
    upper = placed(Body("upper", 0, Joint("elbow", JointType.REVOLUTE), inertia), roll=roll, origin=(0.4, 0.0, 0.1))
    return Robot("elbow", (lower, upper), **options)


# --- known answers --------------------------------------------------------------------------------------------------


def test_puma560_has_its_own_table():
    """Armstrong's alpha and a; d of the parallel pair 2, 3 is put before it, as d2 + d3."""
    links = classics.puma560().canonical.links
    angles = [math.degrees(math.atan2(link.pre.rotation[2][1], link.pre.rotation[2][2])) for link in links]
    assert [abs(angle) for angle in angles] == pytest.approx([0.0, 90.0, 0.0, 90.0, 90.0, 90.0])
    assert [abs(link.pre.origin[0]) for link in links] == pytest.approx([0.0, 0.0, 0.4318, 0.0203, 0.0, 0.0])
    assert [abs(link.d) for link in links] == pytest.approx([0.0, 0.2435 - 0.0934, 0.0, 0.4331, 0.0, 0.0])
    assert not classics.puma560().canonical.snaps


def test_quarter_turns_are_exact():
    found = [exact_cos_sin(k * QUARTER) for k in range(-1, 5)]
    assert found == [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)]
    assert exact_cos_sin(0.3) == (math.cos(0.3), math.sin(0.3))


def test_robot_without_bodies():
    tree = Robot("rock", ()).canonical
    assert tree.links == ()
    assert tree.base == IDENTITY
    assert tree.gravity == (0.0, 0.0, -9.81)


# --- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PLACEMENTS)
def test_every_body_stands_where_the_file_puts_it(kind):
    for seed in range(30):
        robot = random_robot(seed, placements=(kind,))
        q = list(random_state(robot, seed, size=1).q[0])
        for found, expected in zip(body_poses(robot, q), reference.body_poses(robot, q), strict=True):
            assert np.allclose(reference.homogeneous(found), expected, rtol=0.0, atol=2e-11), f"random_robot({seed})"


@pytest.mark.parametrize("seed", range(30))
def test_main_branch_is_turned_about_x_alone(seed):
    """(3): Rx(alpha) Tx(a) where the axes are not nearly parallel, for a chain."""
    robot = random_robot(seed, placements=("generic", "right-angled", "no offset"), mimic=False)
    links = robot.canonical.links
    children = [sum(link.parent == i for link in links) for i in range(len(links))]
    for link in links:
        if link.parent >= 0 and children[link.parent] == 1 and _is_proper(robot, link):
            assert link.pre.rotation[0] == (1.0, 0.0, 0.0)
            assert link.pre.origin[1:] == pytest.approx((0.0, 0.0), abs=1e-12)


def _is_proper(robot, link):
    """Axes with a common normal near by: their angle is plain, and the frame was not made general."""
    return math.hypot(link.pre.rotation[0][2], link.pre.rotation[1][2]) > 0.5 or link.pre.rotation[0][2] == 0.0


@pytest.mark.parametrize("seed", range(30))
def test_frames_stay_near_their_joints(seed):
    """The common normal of nearly parallel axes lies anywhere up to infinity; a frame there would lose digits."""
    robot = random_robot(seed, placements=("nearly parallel",))
    reach = 1.0 + sum(np.linalg.norm(body.joint.placement.origin) for body in robot.bodies)
    for link in robot.canonical.links:
        assert np.linalg.norm(link.frame.origin) < 12.0 * reach
    for link in robot.canonical.links:
        assert np.allclose(np.array(link.pre.rotation) @ np.transpose(link.pre.rotation), np.eye(3), atol=1e-11)


def test_gravity_is_turned_with_the_base():
    robot = random_robot(3)
    assert np.linalg.norm(robot.canonical.gravity) == pytest.approx(np.linalg.norm(robot.gravity), abs=1e-12)


# --- snapping -------------------------------------------------------------------------------------------------------


def test_a_right_angle_of_five_digits_is_snapped_and_reported():
    assert elbow(1.5708).canonical.snaps == (Snap("elbow", "roll", pytest.approx(1.5708, abs=1e-12), QUARTER),)
    assert elbow(1.5708).canonical.links == elbow(QUARTER).canonical.links


def test_no_snap_keeps_the_file():
    state = ([0.3, -0.7], [1.0, 2.0], [0.5, -0.5])
    kept, snapped, exact = (
        np.array(inverse_dynamics(robot, *state))
        for robot in (elbow(1.5708, snap=False), elbow(1.5708), elbow(QUARTER))
    )
    assert not elbow(1.5708, snap=False).canonical.snaps
    assert np.array_equal(snapped, exact)
    assert 1e-7 < np.abs(kept - exact).max() < 1e-4


@pytest.mark.parametrize("off", [SNAP * 0.9, -SNAP * 0.9])
def test_within_the_threshold(off):
    assert len(elbow(QUARTER + off).canonical.snaps) == 1


@pytest.mark.parametrize("off", [SNAP * 1.1, -SNAP * 1.1])
def test_beyond_the_threshold(off):
    assert not elbow(QUARTER + off).canonical.snaps


@pytest.mark.parametrize("off", [9e-10, -5e-10, 1e-11])
@pytest.mark.parametrize("yaw", [-2.2441755192707875, 2.1549043571131676])
def test_a_pitch_that_is_taken_as_a_right_angle_is_reported(off, yaw):
    """There roll and yaw are read as one angle, and with a roll of a quarter turn the pitch seems to be a right one."""
    robot = elbow(0.0)
    body = placed(robot.bodies[1], roll=QUARTER, pitch=QUARTER + off, yaw=yaw)
    robot = replace(robot, bodies=(robot.bodies[0], body))
    state = ([0.3, -0.7], [1.0, 2.0], [0.5, -0.5])
    kept, snapped = (np.array(inverse_dynamics(each, *state)) for each in (replace(robot, snap=False), robot))
    assert robot.canonical.snaps or np.abs(kept - snapped).max() < 1e-12


def test_tilted_axis_is_snapped_and_reported():
    robot = elbow(0.3)
    tilted = replace(robot.bodies[1], joint=replace(robot.bodies[1].joint, axis=(1e-5, 0.0, math.sqrt(1 - 1e-10))))
    snaps = replace(robot, bodies=(robot.bodies[0], tilted)).canonical.snaps
    assert [(snap.joint, snap.angle) for snap in snaps] == [("elbow", "axis tilt from z")]


def explained(robot):
    """The robot with the angles that its snaps report, and nothing else, written into its placements."""
    snaps = {(snap.joint, snap.angle): snap for snap in robot.canonical.snaps}
    assert {angle for _, angle in snaps} <= {"roll", "pitch", "yaw", "alpha"}
    bodies = []
    for body, link in zip(robot.bodies, robot.canonical.links, strict=True):
        name = body.joint.name
        angles = dict(zip(("roll", "pitch", "yaw"), rpy_from_rotation(body.joint.placement.rotation), strict=True))
        used = {label: snaps[name, label].used for label in angles if (name, label) in snaps}
        bodies.append(placed(body, **(angles | used)) if used else body)
        if (name, "alpha") in snaps:
            carrier = bodies[body.parent] if body.parent >= 0 else None
            first = bodies[0].joint
            axis = carrier.joint.axis if carrier else np.array(first.placement.rotation) @ first.axis
            bodies[-1] = squared(bodies[-1], axis, link, snaps[name, "alpha"])
    return replace(robot, bodies=tuple(bodies), snap=False)


def squared(body, axis, link, snap):
    """The body turned so that its axis is parallel or square to another one, about its canonical origin."""
    pose = body.joint.placement
    own = np.array(pose.rotation) @ body.joint.axis
    normal = np.cross(axis, own)
    angle = math.atan2(np.linalg.norm(normal), np.dot(axis, own))
    turn = round(angle / QUARTER) * QUARTER - angle
    assert abs(turn) == pytest.approx(abs(snap.found - snap.used), rel=1e-3, abs=0.0)
    x, y, z = normal / np.linalg.norm(normal)
    rotation = np.eye(3) + turn * np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # turn^2 is below rounding
    pivot = np.array(pose.apply(link.frame.inverse().origin))
    moved = Pose(tuple(map(tuple, rotation @ np.array(pose.rotation))), tuple(pivot + rotation @ (pose.origin - pivot)))
    return replace(body, joint=replace(body.joint, placement=moved))


def differences(robot, other):
    """Relative, of torques and mass matrices; of the poses of bodies where there are no inertias."""
    state = random_state(robot, 1)
    try:
        robot.check_inertias()
    except RobotError:
        poses, expected = (np.array([_poses(one, q) for q in state.q]) for one in (robot, other))
        return violation(poses, expected)
    worst = 0.0
    for name in ("inverse_dynamics", "mass_matrix", "regressor"):
        algorithm, parts = QUANTITIES[name]
        arrays = [getattr(state, part) for part in parts]
        worst = max(worst, violation(on_batch(algorithm, robot, *arrays), on_batch(algorithm, other, *arrays)))
    return worst


def _poses(robot, q):
    return [reference.homogeneous(pose) for pose in body_poses(robot, list(q))]


@pytest.mark.skipif(not MODELS.is_dir(), reason="the model collection is not here")
@pytest.mark.parametrize("name", sorted(path.name for path in MODELS.glob("*.[ux]*")))
def test_snapping_a_model_does_what_it_reports(name):
    try:
        robot = load(MODELS / name)
    except RobotFileError as refused:
        pytest.skip(f"refused: {refused.found}")
    if any(snap.angle == "theta" for snap in robot.canonical.snaps):
        pytest.skip("an angle about a joint's own axis is no angle of the file")
    for snap in robot.canonical.snaps:
        assert abs(snap.found - snap.used) < SNAP
        assert snap.used / QUARTER == pytest.approx(round(snap.used / QUARTER), abs=1e-15)
    assert differences(robot, explained(robot)) < 1e-10


@pytest.mark.parametrize("seed", range(20))
def test_snapping_a_random_robot_does_what_it_reports(seed):
    """Right-angled robots whose angles were printed with five digits."""
    robot = random_robot(seed, placements=("right-angled",), mimic=False)
    rng = np.random.default_rng(seed)
    bodies = []
    for body in robot.bodies:
        roll, pitch, yaw = (
            round(angle, 5) + rng.choice([0.0, 1e-5]) for angle in rpy_from_rotation(body.joint.placement.rotation)
        )
        joint = replace(body.joint, axis=tuple(float(round(e)) for e in np.eye(3)[rng.integers(3)]))
        bodies.append(placed(replace(body, joint=joint), roll=roll, pitch=pitch, yaw=yaw))
    printed = replace(robot, bodies=tuple(bodies), snap=True)
    assert printed.canonical.snaps
    assert all(snap.angle in ("roll", "pitch", "yaw") for snap in printed.canonical.snaps)
    assert differences(printed, explained(printed)) < 1e-10
