"""Write-back: what is read again has the same dynamics, for every published model and for robots no file gave."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from tests.robot import reference
from tests.robot.arm import ARM

from torquec.errors import ArgumentError, RobotError, TorquecError
from torquec.robot.friction import Friction
from torquec.robot.load import load
from torquec.robot.payload import attach_payload
from torquec.robot.robot import BASE, Body, Drives, Frame, Joint, JointType, Limits, Mimic, Motor, Robot, Spring
from torquec.robot.urdf import parse_urdf
from torquec.robot.write_urdf import urdf_text, write_urdf
from torquec.spatial import Inertia, Pose, rpy_rotation

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
BARE = parse_urdf(ARM.encode(), "arm.urdf")


def assert_same(found, expected):
    """Equal where the file can be exact, to rounding where URDF asks for angles and central tensors."""
    assert found.name == expected.name
    assert found.joint_names == expected.joint_names
    assert found.drives == expected.drives
    assert {frame.name: frame.body for frame in expected.frames}.items() <= {
        f.name: f.body for f in found.frames
    }.items()
    for one, other in zip(found.bodies, expected.bodies, strict=True):
        assert one.parent == other.parent
        assert dataclasses.replace(one.joint, placement=other.joint.placement, type=other.joint.type) == other.joint
        largest = max(1.0, *(abs(value) for value in other.inertia.parameters))
        np.testing.assert_allclose(one.inertia.parameters, other.inertia.parameters, rtol=0, atol=1e-14 * largest)
        assert_same_pose(one.joint.placement, other.joint.placement)
    for frame in expected.frames:
        assert_same_pose(found.frame(frame.name).pose, frame.pose)


def assert_same_pose(found, expected):
    assert found.origin == expected.origin
    np.testing.assert_allclose(found.rotation, expected.rotation, rtol=0, atol=2e-15)


def round_trip(robot, folder):
    files = write_urdf(robot, folder / "again.urdf")
    assert all(path.exists() for path in files)
    return load(folder / "again.urdf", gravity=robot.gravity)


def published():
    return sorted(path.relative_to(SHARED).as_posix() for path in SHARED.glob("*/*.urdf"))


@pytest.mark.skipif(not SHARED.exists(), reason="the published models are not here")
@pytest.mark.parametrize("name", published())
def test_published_models_survive(name, tmp_path):
    try:
        robot = load(SHARED / name)
    except TorquecError:
        pytest.skip("not loadable")
    if any("is negative" in warning.text for warning in robot.warnings):
        with pytest.raises(RobotError, match="drives it"):
            write_urdf(robot, tmp_path / "again.urdf")
        return
    again = round_trip(robot, tmp_path)
    assert_same(again, robot)
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, robot.n))
    expected = reference.inverse_dynamics(robot, q, qd, qdd)
    found = reference.inverse_dynamics(again, q, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max()))


def random_robot(seed):
    """A tree with every kind of joint, limit, friction, spring, motor, and frames that coincide with nothing."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(int(rng.integers(1, 8))):
        axis = rng.normal(size=3)
        half = rng.normal(size=(3, 3))
        central = tuple(map(tuple, (half @ half.T).tolist()))
        axis = tuple((axis / np.linalg.norm(axis)).tolist())
        pitch = float(rng.choice([rng.uniform(-3, 3), math.pi / 2, -math.pi / 2 + 1e-8]))
        placement = Pose(
            rpy_rotation(rng.uniform(-3, 3), pitch, rng.uniform(-3, 3)), tuple(rng.normal(size=3).tolist())
        )
        joint = Joint(
            f"joint {k}",
            list(JointType)[int(rng.integers(3))],
            placement,
            axis,
            rng.choice([Limits(), Limits(-1.0, 2.0, 3.0, 4.0), Limits(effort=5.0)]),
            rng.choice([Friction(), Friction.symmetric(1.0, 2.0), Friction(1.0, 2.0, 3.0, 4.0, -0.5)]),
            rng.choice([None, Spring(2.0, -1.0)]),
            Mimic("joint 0", -1.5, 0.25) if k and rng.random() < 0.3 else None,
        )
        if joint.type is JointType.CONTINUOUS:
            joint = dataclasses.replace(
                joint, limits=dataclasses.replace(joint.limits, lower=-math.inf, upper=math.inf)
            )
        inertia = Inertia.from_center_of_mass(float(rng.uniform(0.1, 5)), tuple(rng.normal(size=3).tolist()), central)
        bodies.append(Body(f"body {k}", int(rng.integers(BASE, k)), joint, inertia))
    robot = Robot(f"tree & <{seed}>", tuple(bodies), gravity=(1.0, 2.0, 3.0))
    frames = [Frame(f'frame "{k}"', int(rng.integers(BASE, len(bodies))), placement) for k in range(3)]
    rows = tuple(tuple(rng.normal(size=robot.n).tolist()) for _ in range(2))
    motors = (Motor("one", 1e-4), Motor("two", 0.0, Friction(0.1, 0.2, 0.3, 0.4, 0.5)))
    return dataclasses.replace(robot, frames=tuple(frames), drives=Drives(motors, rows))


@pytest.mark.parametrize("seed", range(30))
def test_random_robots_survive(seed, tmp_path):
    robot = random_robot(seed)
    ordered = round_trip(robot, tmp_path)
    joints = {body.joint.name: body.joint for body in robot.bodies}
    for found in (body.joint for body in ordered.bodies):
        kept = joints[found.name]
        assert (found.limits, found.friction, found.spring, found.mimic, found.axis == pytest.approx(kept.axis)) == (
            kept.limits, kept.friction, kept.spring, kept.mimic, True,
        )  # fmt: skip
    # Reading orders joints depth first; written again, nothing moves any more.
    assert_same(round_trip(ordered, tmp_path), ordered)
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, robot.n))
    order = [robot.joint_index(name) for name in ordered.joint_names]
    for quantity in (
        lambda model, keep: reference.inverse_dynamics(model, q[keep], qd[keep], qdd[keep]),
        lambda model, keep: reference.friction_torque(model, qd[keep]),
    ):
        expected = quantity(robot, slice(None))[order]
        np.testing.assert_allclose(quantity(ordered, order), expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    for frame in robot.frames:
        found = reference.frame_pose(ordered, q[order], frame.name)
        np.testing.assert_allclose(found, reference.frame_pose(robot, q, frame.name), rtol=0, atol=1e-13)


def test_what_is_written_is_urdf_to_pinocchio(tmp_path):
    pin = pytest.importorskip("pinocchio")
    for seed in range(5):
        robot = dataclasses.replace(random_robot(seed), name="tree", drives=Drives())
        model = pin.buildModelFromXML(urdf_text(robot))
        assert model.nv == len(robot.bodies)


def test_every_digit_is_written():
    robot = parse_urdf(ARM.replace('value="2"', 'value="0.1234567890123456789"').encode(), "arm.urdf")
    assert '<mass value="0.12345678901234568"/>' in urdf_text(robot)


def test_a_payload_is_kept(tmp_path):
    robot = attach_payload(BARE, "tool", mass=1.0, center=(0.1, 0.2, 0.3), name="cup")
    assert_same(round_trip(robot, tmp_path), robot)


def test_a_link_without_inertia_stays_without(tmp_path):
    start, end = ARM.index('<link name="fore">'), ARM.index('<link name="tool"/>')
    robot = parse_urdf((ARM[:start] + '<link name="fore"/>' + ARM[end:]).encode(), "arm.urdf")
    assert round_trip(robot, tmp_path).bodies[1].lacking_inertia == ("fore",)


def test_a_massless_link_stays_massless(tmp_path):
    light = dataclasses.replace(BARE, bodies=(dataclasses.replace(BARE.bodies[0], inertia=Inertia()), BARE.bodies[1]))
    again = round_trip(light, tmp_path)
    assert again.bodies[0].inertia == Inertia()
    assert again.bodies[0].lacking_inertia == ()


def test_frames_that_share_the_name_of_another_body_are_kept_apart(tmp_path):
    odd = dataclasses.replace(BARE, frames=(Frame("fore", 0), Frame("base", 1), Frame("grip", 1)))
    again = round_trip(odd, tmp_path)
    assert again.joint_names == odd.joint_names
    for frame in odd.frames:
        assert again.frame(frame.name).body == frame.body


def test_an_earlier_side_file_does_not_linger(tmp_path):
    driven = dataclasses.replace(BARE, drives=Drives((Motor("m", 1.0),), ((1.0, 0.0),)))
    assert [path.name for path in write_urdf(driven, tmp_path / "arm.urdf")] == ["arm.urdf", "arm.drives.toml"]
    assert load(tmp_path / "arm.urdf").drives == driven.drives
    write_urdf(BARE, tmp_path / "arm.urdf")
    assert load(tmp_path / "arm.urdf").drives == Drives()


def test_no_side_file_without_need(tmp_path):
    assert [path.name for path in write_urdf(BARE, tmp_path / "arm.urdf")] == ["arm.urdf"]
    assert [path.name for path in tmp_path.iterdir()] == ["arm.urdf"]


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        (Inertia(xx=-1.0, yy=1.0, zz=1.0, m=1.0), "negative principal moment"),
        (Inertia(m=-1.0), "negative"),
        (Inertia(mx=1.0), "first moments but no mass"),
    ],
)
def test_inertias_that_urdf_cannot_hold_are_refused_and_nothing_is_written(inertia, message, tmp_path):
    odd = dataclasses.replace(BARE, bodies=(dataclasses.replace(BARE.bodies[0], inertia=inertia), BARE.bodies[1]))
    with pytest.raises(RobotError, match=message):
        write_urdf(odd, tmp_path / "odd.urdf")
    assert list(tmp_path.iterdir()) == []


def test_bad_names_and_places_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match="characters that XML cannot hold"):
        write_urdf(dataclasses.replace(BARE, name="\x01"), tmp_path / "arm.urdf")
    with pytest.raises(ArgumentError, match=r"ends in .urdf"):
        write_urdf(BARE, tmp_path / "arm.txt")
    with pytest.raises(ArgumentError, match="cannot be written"):
        write_urdf(BARE, tmp_path / "no folder" / "arm.urdf")
