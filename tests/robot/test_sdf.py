"""The SDF reader: known answers, random robots written in every way to place frames, refusals with their lines."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

import torquec as tq
from torquec.errors import RobotFileError
from torquec.robot.friction import Friction
from torquec.robot.robot import BASE, JointType, Limits, Mimic, Spring
from torquec.spatial import IDENTITY, Pose, matvec, rpy_from_rotation, rpy_rotation, transpose

ARM = """<?xml version="1.0"?>
<sdf version="1.9">
  <model name="arm">
    <link name="base"><inertial><mass>1</mass>
      <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
    <link name="upper">
      <pose>0 0 1 0 0 0</pose>
      <inertial>
        <pose>0.5 0 0 0 0 0</pose>
        <mass>2</mass>
        <inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.2</iyy><iyz>0</iyz><izz>0.2</izz></inertia>
      </inertial>
      <visual name="v"><geometry><box><size>1 0.1 0.1</size></box></geometry></visual>
    </link>
    <link name="fore"><pose relative_to="upper">1 0 0 0 0 90</pose>
      <inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
    <link name="finger"><pose relative_to="fore">0.1 0 0 0 0 0</pose>
      <inertial><mass>0.1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
    <frame name="tool" attached_to="fore"><pose>0.3 0 0 0 0 0</pose></frame>
    <joint name="anchor" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="shoulder" type="revolute">
      <parent>base</parent><child>upper</child>
      <axis><xyz>0 0 1</xyz>
        <limit><lower>-1</lower><upper>2</upper><effort>40</effort><velocity>3</velocity></limit>
        <dynamics><damping>0.5</damping><friction>0.25</friction><spring_reference>0.1</spring_reference>
          <spring_stiffness>7</spring_stiffness></dynamics></axis>
    </joint>
    <joint name="elbow" type="revolute">
      <parent>upper</parent><child>fore</child>
      <axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis>
    </joint>
    <joint name="jaw" type="prismatic">
      <parent>fore</parent><child>finger</child>
      <axis><xyz>1 0 0</xyz><limit><lower>0</lower><upper>0.1</upper></limit>
        <mimic joint="elbow" axis="axis"><multiplier>0.5</multiplier><offset>0.2</offset><reference>0.1</reference>
        </mimic></axis>
    </joint>
  </model>
</sdf>
"""


def read(text, tmp_path, **options):
    path = tmp_path / "arm.sdf"
    path.write_text(text, encoding="utf-8")
    return tq.load(path, **options)


def changed(old, new):
    assert ARM.count(old) == 1, old
    return ARM.replace(old, new)


# --- known answers -------------------------------------------------------------------------------------------------


def test_the_arm_is_read_as_written(tmp_path):
    text = changed('"upper">1 0 0 0 0 90<', '"upper" degrees="true">1 0 0 0 0 90<')
    robot = read(text, tmp_path)
    assert (robot.name, robot.joint_names) == ("arm", ("shoulder", "elbow"))
    shoulder, elbow = robot.joints
    assert (shoulder.type, shoulder.limits) == (JointType.REVOLUTE, Limits(-1.0, 2.0, 3.0, 40.0))
    assert (shoulder.spring, elbow.spring) == (Spring(7.0, 0.1), None)
    assert shoulder.friction == Friction.symmetric(0.5, 0.25)
    assert shoulder.placement.origin == (0.0, 0.0, 1.0)
    assert elbow.type is JointType.CONTINUOUS, "limits of 1e16 are none"
    assert elbow.axis == pytest.approx((1.0, 0.0, 0.0), abs=1e-15), "y of the model is x of a link turned by 90 degrees"
    assert robot.bodies[2].joint.mimic == Mimic("elbow", 0.5, 0.2 - 0.05)
    assert robot.bodies[0].inertia.zz == pytest.approx(0.2 + 2 * 0.25)
    tool = next(frame for frame in robot.frames if frame.name == "tool")
    assert (tool.body, tool.pose.origin) == (1, (0.3, 0.0, 0.0))
    assert robot.base_inertia.m == 1.0


def test_shapes_reach_the_page(tmp_path):
    from torquec.robot.load import READERS

    read(ARM, tmp_path)
    (shape,) = READERS[".sdf"].visuals(tmp_path / "arm.sdf")
    assert (shape.frame, shape.kind.value, shape.sizes) == ("upper", "box", (1.0, 0.1, 0.1))


# --- laws: the same robot, however its frames are placed ------------------------------------------------------------


def pose_text(pose, **attributes):
    words = " ".join(repr(float(x)) for x in (*pose.origin, *rpy_from_rotation(pose.rotation)))
    return f"<pose{''.join(f' {key}={value!r}' for key, value in attributes.items())}>{words}</pose>"


def random_pose(draw):
    return Pose(rpy_rotation(*draw.uniform(-1.0, 1.0, 3)), tuple(draw.uniform(-0.5, 0.5, 3)))


def sdf_of(robot, draw):
    """A robot as SDF: link frames anywhere on their bodies, joints placed in any way, axes in any frame."""
    at = {BASE: IDENTITY}  # joint frames in the model, at q = 0
    for k, body in enumerate(robot.bodies):
        at[k] = at[body.parent] @ body.joint.placement
    link = {k: pose @ random_pose(draw) for k, pose in at.items() if k != BASE} | {BASE: IDENTITY}
    names = {BASE: "root"} | {k: f"link{k}" for k in range(len(robot.bodies))}
    parts = [
        "<link name='root'/>",
        "<joint name='anchor' type='fixed'><parent>world</parent><child>root</child></joint>",
    ]
    for k, body in enumerate(robot.bodies):
        choice, joint, tensor = draw.integers(3), body.joint, body.inertia
        outer = names[body.parent]
        placed = [
            pose_text(link[k]),
            pose_text(link[body.parent].inverse() @ link[k], relative_to=outer),
            pose_text(at[k].inverse() @ link[k], relative_to=f"frame{k}"),
        ][choice]
        parts.append(f"<frame name='frame{k}'>{pose_text(at[k])}</frame>")
        shift = link[k].inverse() @ at[k]  # the joint's frame in the link's
        moved = tensor.transformed(shift)
        mass = moved.m
        center = tuple(h / mass for h in moved.first_moment) if mass else (0.0, 0.0, 0.0)
        c = np.array(center)
        about = np.array(
            [[moved.xx, moved.xy, moved.xz], [moved.xy, moved.yy, moved.yz], [moved.xz, moved.yz, moved.zz]]
        )
        about = about - mass * (c @ c * np.eye(3) - np.outer(c, c))
        entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        numbers = "".join(f"<{key}>{about[place]!r}</{key}>" for key, place in entries.items())
        numbers = numbers.replace("np.float64(", "").replace(")", "")
        parts.append(
            f"<link name='{names[k]}'>{placed}<inertial>{pose_text(Pose(origin=center))}<mass>{mass!r}</mass>"
            f"<inertia>{numbers}</inertia></inertial></link>"
        )
        own = [
            pose_text(shift),
            pose_text(IDENTITY, relative_to=f"frame{k}"),
            pose_text(at[k], relative_to="__model__"),
        ]
        if draw.integers(2):
            axis, expressed = joint.axis, ""
        else:
            outside = matvec(transpose(link[body.parent].rotation), matvec(at[k].rotation, joint.axis))
            axis, expressed = outside, f" expressed_in='{outer}'"
        mimic = joint.mimic
        follow = "" if mimic is None else (
            f"<mimic joint='{mimic.joint}'><multiplier>{mimic.multiplier!r}</multiplier>"
            f"<offset>{mimic.offset!r}</offset></mimic>"
        )  # fmt: skip
        parts.append(
            f"<joint name='{joint.name}' type='{'prismatic' if joint.type is JointType.PRISMATIC else 'revolute'}'>"
            f"{own[draw.integers(3)]}<parent>{outer}</parent><child>{names[k]}</child>"
            f"<axis><xyz{expressed}>{' '.join(repr(float(x)) for x in axis)}</xyz>{follow}</axis></joint>"
        )
    return f"<sdf version='1.11'><model name='random'>{''.join(parts)}</model></sdf>"


@pytest.mark.parametrize("seed", range(8))
def test_random_robots_have_the_same_torques(seed, tmp_path):
    robot = random_robot(seed, bodies=5, motors=False)
    draw = np.random.default_rng(seed)
    text = sdf_of(robot, draw)
    found = read(text, tmp_path, gravity=robot.gravity, snap=False)
    ours, theirs = tq.as_model(found), tq.as_model(robot)
    order = [found.joint_names.index(name) for name in robot.joint_names]
    for _ in range(3):
        q, qd, qdd = draw.uniform(-1.0, 1.0, (3, robot.n))
        back = np.empty((3, robot.n))
        back[:, order] = q, qd, qdd
        wanted = np.array(theirs.at("inverse_dynamics", q, qd, qdd))
        scale = 1.0 + np.abs(wanted).max()
        assert np.array(ours.at("inverse_dynamics", *back))[order] == pytest.approx(wanted, rel=0, abs=1e-11 * scale)


# --- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message", "at"),
    [
        ('type="prismatic"', 'type="ball"', "joint 'jaw' is of type 'ball'", 'name="jaw"'),
        ('relative_to="upper"', 'relative_to="lower"', "names the frame 'lower'", '"fore"><pose'),
        ('relative_to="upper"', 'relative_to="fore"', "relative to each other", '"fore"><pose'),
        ("<frame name=", "<include/><frame name=", "holds a <include>", "<include"),
        ('<pose>0 0 1 0 0 0</pose>', "<pose>0 0 1</pose>", "has 3 numbers", "<pose>0 0 1<"),
        ('<pose>0 0 1 0 0 0</pose>', "<pose rotation_format='quat_xyzw'>0 0 1 0 0 0 1</pose>", "quaternion", "quat_"),
        ('version="1.9"', 'version="2.0"', "of version '2.0'", "<sdf"),
        ("<mass>2</mass>", "<mass>1,5</mass>", "mass", "1,5"),
        ("<mass>2</mass>", "<mass>-1</mass>", "negative", "-1</mass"),
        ('<frame name="tool"', '<frame name="fore"', "called 'fore'", "<frame"),
        ("</model>\n", "</model><model name='b'/>\n", "2 models: arm, b", "<model name='b'"),
        ('<xyz>1 0 0</xyz>', "<xyz>1 0 0</xyz><spring/>", "unknown <spring>", "<spring/>"),
    ],
)  # fmt: skip
def test_what_is_refused_names_its_line(old, new, message, at, tmp_path):
    text = changed(old, new)
    with pytest.raises(RobotFileError, match=message) as refused:
        read(text, tmp_path)
    assert f"arm.sdf:{text[: text.index(at)].count(chr(10)) + 1}:" in str(refused.value)


def test_another_document_is_no_sdf(tmp_path):
    with pytest.raises(RobotFileError, match="not <sdf>"):
        read("<robot name='arm'/>", tmp_path)
