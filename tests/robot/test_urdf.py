"""The URDF reader: known answers, welds, mimics, Pinocchio on published models, refusals with their lines, fuzz."""

from __future__ import annotations

import contextlib
import math
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.robot import reference
from tests.robot.arm import ARM

import torquec as tq
from torquec.errors import FixedBaseWarning, RobotError, RobotFileError, TorquecError
from torquec.robot.friction import Friction
from torquec.robot.robot import BASE, JointType, Limits, Mimic
from torquec.robot.urdf import parse_urdf, read_urdf, standing_limbs

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
needs_models = pytest.mark.skipif(not MODELS.exists(), reason="the published models are not here")


def parse(text, **options):
    return parse_urdf(text.encode(), "arm.urdf", **options)


def changed(old, new, count=1):
    """The arm with one passage replaced."""
    assert ARM.count(old) >= 1, old
    return ARM.replace(old, new, count)


def line_of(text, passage):
    return text[: text.index(passage)].count("\n") + 1


# --- known answers -------------------------------------------------------------------------------------------------


def test_the_arm_is_read_as_written():
    robot = parse(ARM, strict=True)
    assert (robot.name, robot.n, robot.joint_names, robot.mass) == ("arm", 2, ("shoulder", "elbow"), 3.0)
    shoulder, elbow = robot.joints
    assert shoulder.type is JointType.REVOLUTE
    assert shoulder.axis == (0.0, 0.0, 1.0)
    assert shoulder.placement.origin == (0.0, 0.0, 1.0)
    assert shoulder.limits == Limits(-1.0, 2.0, 3.0, 40.0)
    assert shoulder.friction == Friction.symmetric(0.5, 0.25)
    assert elbow.type is JointType.PRISMATIC
    assert robot.bodies[0].inertia.zz == pytest.approx(0.2 + 2 * 0.25)
    assert robot.bodies[0].inertia.first_moment == (1.0, 0.0, 0.0)
    assert [(frame.name, frame.body) for frame in robot.frames] == [
        ("base", -1),
        ("upper", 0),
        ("fore", 1),
        ("tool", 1),
    ]
    assert robot.frame("tool").pose.origin == (0.1, 0.0, 0.0)
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert robot.warnings == ()


def test_gravity_can_be_given():
    assert parse(ARM, gravity=(0.0, -9.8, 0.0)).gravity == (0.0, -9.8, 0.0)


def test_an_inertia_may_have_turned_axes():
    robot = parse(changed('<origin xyz="0.5 0 0"/>', '<origin xyz="0 0 0" rpy="0 0 1.5707963267948966"/>'))
    np.testing.assert_allclose(np.diag(robot.bodies[0].inertia.tensor), [0.2, 0.1, 0.2], atol=1e-15)


def test_a_welded_link_is_lumped_and_keeps_its_frame():
    block = '<link name="tool"><inertial><mass value="4"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    robot = parse(changed('<link name="tool"/>', block + "</inertial></link>"))
    inertia = robot.bodies[1].inertia
    assert inertia.m == 5.0
    assert inertia.mx == pytest.approx(0.4)
    assert inertia.zz == pytest.approx(0.1 + 1.0 + 4.0 * 0.01)
    assert robot.frame("tool").body == 1


def test_welds_turn_what_comes_after_them():
    turned = '<joint name="grip" type="fixed">\n    <origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>'
    further = (
        '<link name="tip"/><joint name="on" type="fixed"><origin xyz="1 0 0"/><parent link="tool"/><child link="tip"/>'
        "</joint></robot>"
    )
    text = changed('<joint name="grip" type="fixed">\n    <origin xyz="0.1 0 0"/>', turned)
    assert parse(text.replace("</robot>", further)).frame("tip").pose.origin == pytest.approx((0.1, 1.0, 0.0))


def test_links_welded_to_the_root_weigh_on_the_base():
    text = changed('type="revolute"', 'type="fixed"')
    robot = parse(text)
    assert robot.joint_names == ("elbow",)
    assert robot.base_inertia.m == 2.0
    assert robot.base_inertia.mz == 2.0
    assert robot.bodies[0].parent == BASE
    assert robot.bodies[0].joint.placement.origin == (1.0, 0.0, 1.0)


def test_joints_come_depth_first_and_children_in_file_order():
    links = "".join(f'<link name="{name}"/>' for name in "rabcd")
    ends = [("j1", "r", "b"), ("j2", "r", "a"), ("j3", "b", "d"), ("j4", "b", "c")]
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'
        for name, parent, child in ends
    )
    assert parse(f'<robot name="t">{links}{joints}</robot>').joint_names == ("j1", "j3", "j4", "j2")


def test_the_axis_is_x_where_none_is_given():
    assert parse(changed('<axis xyz="0 0 2"/>', "")).joints[0].axis == (1.0, 0.0, 0.0)


@pytest.mark.parametrize("size", [1.0, 3.0, 0.1, -2.0])
def test_an_oblique_axis_of_any_length_is_a_direction(size):
    """(2, 3, 6) has the length 7; what it carries turns about it, as Rodrigues says."""
    axis = parse(changed('xyz="0 0 2"', f'xyz="{2 * size} {3 * size} {6 * size}"')).joints[0].axis
    assert axis == pytest.approx([math.copysign(k / 7.0, size) for k in (2.0, 3.0, 6.0)], abs=1e-15)
    assert parse(changed('xyz="0 0 2"', 'xyz="0.6 0 0.8"')).joints[0].axis == (0.6, 0.0, 0.8)


def test_tiny_and_huge_axes_are_directions_too():
    for size in ("1e-300", "1e300"):
        assert parse(changed('xyz="0 0 2"', f'xyz="0 {size} {size}"')).joints[0].axis == pytest.approx(
            (0.0, math.sqrt(0.5), math.sqrt(0.5))
        )


def test_one_position_limit_leaves_the_other_at_zero_as_urdf_says():
    assert parse(changed('lower="-1" upper="2"', 'upper="2"')).joints[0].limits.lower == 0.0


def test_names_that_are_hostile_elsewhere_are_only_names_here():
    hostile = "x); system(&quot;rm -rf /&quot;); //"
    robot = parse(ARM.replace('"shoulder"', f'"{hostile}"').replace('"arm"', '"int"'))
    assert robot.joint_names[0] == 'x); system("rm -rf /"); //'


def test_a_thousand_joints_are_no_deeper_than_two():
    links = "".join(f'<link name="l{i}"/>' for i in range(3001))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(3000)
    )
    assert parse(f'<robot name="snake">{links}{joints}</robot>').n == 3000


# --- mimic -----------------------------------------------------------------------------------------------------------


def with_mimics(*rows):
    """A robot of continuous joints a, b, c, ... from (name, mimicked joint or None, attributes)."""
    text = '<robot name="m">\n<link name="root"/>\n'
    for name, target, attributes in rows:
        mimic = "" if target is None else f'<mimic joint="{target}" {attributes}/>'
        ends = f'<parent link="root"/><child link="{name}"/>'
        text += f'<link name="{name}"/><joint name="{name}" type="continuous">{ends}{mimic}</joint>\n'
    return text + "</robot>"


def test_a_chain_of_mimics_ends_at_the_joint_that_moves():
    robot = parse(
        with_mimics(("a", "b", 'multiplier="2" offset="1"'), ("b", "c", 'multiplier="3" offset="0.5"'), ("c", None, ""))
    )
    assert robot.joint_names == ("c",)
    assert robot.bodies[0].joint.mimic == Mimic("c", 6.0, 2.0)
    assert robot.bodies[1].joint.mimic == Mimic("c", 3.0, 0.5)


def test_mimic_defaults():
    assert parse(with_mimics(("a", None, ""), ("b", "a", ""))).bodies[1].joint.mimic == Mimic("a", 1.0, 0.0)


@pytest.mark.parametrize(
    ("rows", "fragments"),
    [
        ([("a", "a", "")], ("arm.urdf:3", "'a' mimics itself")),
        ([("a", "z", "")], ("arm.urdf:3", "'a' mimics 'z'", "no joint of this robot")),
        ([("a", "b", ""), ("b", "a", "")], ("arm.urdf:3", "circle")),
        ([("a", None, ""), ("b", "a", 'multiplier="1,5"')], ("arm.urdf:4", "multiplier", "1,5")),
        ([("a", None, ""), ("b", "", "")], ("arm.urdf:4", "no attribute 'joint'")),
    ],
)
def test_mimics_that_follow_nothing_are_refused(rows, fragments):
    with pytest.raises(RobotFileError) as caught:
        parse(with_mimics(*rows))
    for fragment in fragments:
        assert fragment in str(caught.value)


def test_a_mimic_of_a_fixed_joint_is_refused():
    with pytest.raises(RobotFileError, match="'elbow' mimics 'grip', which is a fixed joint"):
        parse(changed('<axis xyz="1 0 0"/>', '<mimic joint="grip"/>'))


# --- bad input: the passage to replace, its replacement, what the message must say ---------------------------------

MASS = '<mass value="2"/>'
TENSOR = 'ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"'
BAD = {
    "comma": (MASS, '<mass value="1,5"/>', ("value of <mass>", '"1,5"', "decimal point")),
    "letters": (MASS, '<mass value="1abc"/>', ("value of <mass>", '"1abc"')),
    "nan": (MASS, '<mass value="NaN"/>', ("not a finite number",)),
    "infinite": (MASS, '<mass value="inf"/>', ("not a finite number",)),
    "overflow": (MASS, '<mass value="1e999"/>', ("not a finite number",)),
    "empty number": (MASS, '<mass value=""/>', ("value of <mass>", "not a finite number")),
    "no mass value": (MASS, "<mass/>", ("<mass> has no attribute 'value'",)),
    "negative mass": (MASS, '<mass value="-2"/>', ("mass of link 'upper' is negative", "-2")),
    "beyond measure": (MASS, '<mass value="1e200"/>', ("'upper'", "is too large", "units")),
    "negative moment": (TENSOR, TENSOR.replace('"0.1"', '"-0.1"'), ("'upper'", "negative principal moment")),
    "large product": (TENSOR, TENSOR.replace('ixy="0"', 'ixy="0.9"'), ("'upper'", "negative principal moment")),
    "missing moment": (TENSOR, 'ixx="1" iyy="1" izz="1"', ("<inertia> has no attribute 'ixy'",)),
    "no inertia": (f"<inertia {TENSOR}/>", "", ("<inertial> of link 'upper' has no <inertia>",)),
    "no mass": (MASS, "", ("<inertial> of link 'upper' has no <mass>",)),
    "zero axis": ('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0"/>', ("axis of joint 'shoulder' is zero",)),
    "short axis": ('<axis xyz="0 0 2"/>', '<axis xyz="0 0"/>', ("xyz of <axis>", "3 are expected")),
    "nan axis": ('<axis xyz="0 0 2"/>', '<axis xyz="0 0 nan"/>', ("xyz of <axis>", "not a finite number")),
    "axis without xyz": ('<axis xyz="0 0 2"/>', "<axis/>", ("<axis> has no attribute 'xyz'",)),
    "rpy": ('rpy="0 0 0"', 'rpy="0 0 90deg"', ("rpy of <origin>", "90deg")),
    "second link": ('<link name="fore">', '<link name="upper">', ("two links are called 'upper'", "arm.urdf:3")),
    "second joint": ('"elbow" type', '"shoulder" type', ("two joints are called 'shoulder'", "arm.urdf:17")),
    "two parents": ('<child link="tool"/>', '<child link="upper"/>', ("'upper' has two parents", "shoulder", "grip")),
    "parent twice": ('<parent link="base"/>', '<parent link="base"/><parent link="tool"/>', ("2 <parent>",)),
    "unknown parent": ('<parent link="base"/>', '<parent link="bass"/>', ("unknown parent link 'bass'",)),
    "unknown child": ('<child link="tool"/>', '<child link="tolo"/>', ("unknown child link 'tolo'",)),
    "no parent": ('<parent link="base"/>', "", ('<joint name="shoulder"> has no <parent>',)),
    "no child": ('<child link="upper"/>', "", ('<joint name="shoulder"> has no <child>',)),
    "nameless link": ('<link name="tool"/>', "<link/>", ("<link> has no attribute 'name'",)),
    "nameless joint": ('name="shoulder" type', 'name=" " type', ("has no attribute 'name'",)),
    "no type": (' type="revolute"', "", ("has no attribute 'type'",)),
    "unknown type": ('type="revolute"', 'type="hinge"', ("'shoulder' is of type 'hinge'", "revolute, continuous")),
    "ball": ('type="revolute"', 'type="ball"', ("of type 'ball'", "planar, floating, fixed")),
    "two roots": ('<link name="tool"/>', '<link name="tool"/><link name="lost"/>', ("2 roots: base, lost",)),
    "limits": ('lower="-1" upper="2"', 'lower="2" upper="-1"', ("'shoulder' has lower > upper: 2 > -1",)),
    "limit number": ('velocity="3"', 'velocity="fast"', ("velocity of <limit>", "fast")),
    "damping": ('damping="0.5"', 'damping="0,5"', ("damping of <dynamics>", "decimal point")),
    "xacro": (
        '<robot name="arm">',
        '<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:wheel name="a"/>',
        ("this is xacro", "<xacro:wheel>", "expand"),
    ),
}  # fmt: skip
ON_ANOTHER_LINE = {
    "no inertia": 4,
    "no mass": 4,
    "no parent": 17,
    "no child": 17,
    "two parents": 32,
    "beyond measure": 7,
}
"""Cases in which the element to correct is not on the line that was changed."""


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_line_element_and_remedy(case):
    old, new, fragments = BAD[case]
    text = changed(old, new)
    with pytest.raises(RobotFileError) as caught:
        parse(text)
    error = caught.value
    assert error.where == f"arm.urdf:{ON_ANOTHER_LINE.get(case) or line_of(ARM, old)}"
    assert error.remedy
    for fragment in fragments:
        assert fragment in str(error)


def test_loops_are_refused():
    loop = ARM.replace('<parent link="base"/>', '<parent link="fore"/>')
    with pytest.raises(RobotFileError, match=r"arm.urdf:3: the joints form a loop: the links upper, fore, tool"):
        parse(loop)
    with pytest.raises(RobotFileError, match="every link is the child of another"):
        parse(loop.replace('<link name="base"/>', ""))


@pytest.mark.parametrize(
    "text", ["<robot name='a'/>", "<robot name='a'><joint name='j'/></robot>", "<mujoco/>", "<sdf><robot/></sdf>"]
)
def test_documents_without_a_robot_are_refused(text):
    with pytest.raises(RobotFileError, match=r"arm.urdf:1"):
        parse(text)


@pytest.mark.parametrize(
    "name", ["package://arm/meshes/x.stl", "meshes/x.stl", "file:///x.stl", "../x.stl", "C:\\x.stl"]
)
def test_meshes_are_only_names(name):
    shape = f'<link name="tool"><visual><geometry><mesh filename="{name}"/></geometry></visual></link>'
    assert parse(changed('<link name="tool"/>', shape)).n == 2


# --- warnings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "fragment"),
    [
        (TENSOR, TENSOR.replace('izz="0.2"', 'izz="0.9"'), 7, "'upper' breaks the triangle inequality"),
        (MASS, '<mass value="0"/>', 7, "'upper' has moments of inertia but no mass"),
        ('<robot name="arm">', "<robot>", 1, "no name: 'arm' is taken from the file"),
        (
            '    <limit lower="-1" upper="2" velocity="3" effort="40"/>\n',
            "",
            17,
            "no position and no velocity and no effort",
        ),
        (' velocity="3" effort="40"', "", 17, "'shoulder' has no velocity and no effort limit"),
        ('friction="0.25"', 'friction="-0.25"', 17, "friction of joint 'shoulder' is negative"),
        (
            '<origin xyz="0.5 0 0"/>',
            '<origin xyz="0.5 0 0"/><origin xyz="0 0 0"/>',
            5,
            "2 <origin> elements: the first",
        ),
    ],
)
def test_oddities_are_warnings_and_errors_when_strict(old, new, line, fragment):
    text = changed(old, new)
    (warning,) = parse(text).warnings
    assert warning.where == f"arm.urdf:{line}"
    assert fragment in warning.text
    with pytest.raises(RobotFileError) as caught:
        parse(text, strict=True)
    assert caught.value.where == warning.where
    assert fragment in caught.value.found


def test_a_moving_link_without_inertia_is_a_warning_and_has_no_dynamics():
    start, end = ARM.index('<link name="fore">'), ARM.index('<link name="tool"/>')
    robot = parse(ARM[:start] + '<link name="fore"/>\n' + ARM[end:])
    assert [(w.where, w.text) for w in robot.warnings] == [
        ("arm.urdf:10", "link 'fore' has no inertia: there is kinematics, but no dynamics")
    ]
    with pytest.raises(RobotError, match=r"these links have no inertia: fore \(line 10\)"):
        robot.check_inertias()


def test_a_welded_shape_without_inertia_is_a_warning_but_a_bare_frame_is_not():
    assert parse(ARM).warnings == ()
    robot = parse(changed('<link name="tool"/>', '<link name="tool"><visual/></link>'))
    assert [w.text for w in robot.warnings] == ["link 'tool' has no inertia: it counts as massless"]
    robot.check_inertias()


# --- published models ------------------------------------------------------------------------------------------------


@needs_models
def test_odd_published_files():
    with pytest.raises(RobotFileError, match=r"odd_devq_negative_inertia.urdf:68: .*negative principal moment"):
        read_urdf(MODELS / "odd_devq_negative_inertia.urdf")
    triangles = read_urdf(MODELS / "odd_robotiq3f_triangle.urdf").warnings
    assert sum("triangle" in warning.text for warning in triangles) == 9
    nameless = read_urdf(MODELS / "odd_open_manipulator_no_robot_name.urdf")
    assert nameless.name == "odd_open_manipulator_no_robot_name"
    assert "no name" in nameless.warnings[0].text


@needs_models
@pytest.mark.parametrize(("model", "broken"), [("allegro_right_hand", 13), ("talos_reduced", 2), ("anymal_b", 1)])
def test_triangle_inequalities_are_counted_as_in_the_survey(model, broken):
    warnings = read_urdf(MODELS / f"{model}.urdf").warnings
    assert sum("triangle" in warning.text for warning in warnings) == broken


@needs_models
@pytest.mark.parametrize("model", ["abb_irb2400", "abb_irb6640_mimic_noinertia", "fanuc_m10ia_noinertia", "puma560"])
def test_robots_without_inertias_load_for_kinematics_only(model):
    robot = read_urdf(MODELS / f"{model}.urdf")
    assert robot.n == 6
    with pytest.raises(RobotError, match="these links have no inertia: link"):
        robot.check_inertias()


def loadable_models():
    """Models that Pinocchio reads as well."""
    skipped = ("odd_devq", "odd_open_manipulator")
    return sorted(path.name for path in MODELS.glob("*.urdf") if not path.name.startswith(skipped))


def pinocchio_state(pin, model, robot, values, mimicked):
    """Our state as Pinocchio's (q, v): by name, cosine and sine for continuous joints, mimics filled in."""
    position, speed = pin.neutral(model), np.zeros(model.nv)
    coupling, offset = reference.coupling(robot)
    q, v = coupling @ values + offset * mimicked, coupling @ values
    for body, value, rate in zip(robot.bodies, q, v, strict=True):
        joint = model.joints[model.getJointId(body.joint.name)]
        position[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (math.cos(value), math.sin(value))
        speed[joint.idx_v] = rate
    return position, speed


@needs_models
@pytest.mark.parametrize("model_name", loadable_models())
def test_torques_and_frames_agree_with_pinocchio(model_name):
    pin = pytest.importorskip("pinocchio")
    robot = read_urdf(MODELS / model_name)
    model = pin.buildModelFromUrdf(str(MODELS / model_name))
    data = model.createData()
    rng = np.random.default_rng(7)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, robot.n))
    position, _ = pinocchio_state(pin, model, robot, q, True)
    _, speed = pinocchio_state(pin, model, robot, qd, False)
    _, acceleration = pinocchio_state(pin, model, robot, qdd, False)

    coupling, _ = reference.coupling(robot)
    order = [model.joints[model.getJointId(body.joint.name)].idx_v for body in robot.bodies]
    expected = coupling.T @ pin.rnea(model, data, position, speed, acceleration)[order]
    found = reference.inverse_dynamics(robot, q, qd, qdd, motors=False)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * max(1.0, np.abs(expected).max()))

    pin.framesForwardKinematics(model, data, position)
    for frame in robot.frames:
        pose = data.oMf[model.getFrameId(frame.name, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(reference.frame_pose(robot, q, frame.name), pose, rtol=0, atol=1e-12)


# --- fuzz ------------------------------------------------------------------------------------------------------------

PIECES = ['"', "<", ">", "/", "&", "-", "nan", "1e999", "\0", "base", "fixed", "<link/>", "<!DOCTYPE a>", "é", "0", "9"]


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32), edits=st.integers(1, 4))
def test_random_edits_never_raise_anything_but_our_own_errors(seed, edits):
    dice = random.Random(seed)
    text = ARM
    for _ in range(edits):
        start = dice.randrange(len(text))
        text = text[:start] + dice.choice(["", *PIECES]) + text[start + dice.choice([0, 1, 5, 40, 400]) :]
    with contextlib.suppress(TorquecError):
        robot = parse(text)
        assert all(math.isfinite(value) for body in robot.bodies for value in body.inertia.parameters)
        robot.check_inertias()


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=300))
def test_random_bytes_never_raise_anything_but_our_own_errors(data):
    with contextlib.suppress(TorquecError):
        parse_urdf(data, "noise.urdf")


@settings(max_examples=200, deadline=None)
@given(values=st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=9, max_size=9))
def test_any_numbers_give_a_finite_robot_or_an_error(values):
    mass, *rest = (repr(value) for value in values)
    tensor = " ".join(
        f'{key}="{value}"' for key, value in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), rest, strict=False)
    )
    text = ARM.replace(MASS, f'<mass value="{mass}"/>').replace(TENSOR, tensor)
    text = text.replace('xyz="0.5 0 0"', f'xyz="{rest[6]} {rest[7]} 0"')
    with contextlib.suppress(TorquecError):
        assert all(math.isfinite(value) for body in parse(text).bodies for value in body.inertia.parameters)


FAULTY = """<robot name="arm"><link name="base"/>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
<limit lower="-1" upper="1" velocity="{velocity}" effort="{effort}"/></joint>
<link name="arm"><inertial><mass value="{mass}"/>
<inertia ixx="{ixx}" ixy="0" ixz="0" iyy="{large}" iyz="0" izz="{large}"/></inertial></link></robot>
"""
FINE = {"velocity": 2, "effort": 3, "mass": 1.0, "ixx": 0.1, "large": 0.1}


@pytest.mark.parametrize(
    ("fault", "line", "assumed"),
    [
        ({"velocity": -1}, 3, "velocity of <limit> is -1: taken as no limit"),
        ({"effort": -1}, 3, "effort of <limit> is -1: taken as no limit"),
        ({"velocity": 0}, 3, "joint 'turn': velocity of <limit> is 0: taken as no limit"),
        ({"effort": 0}, 3, "joint 'turn': effort of <limit> is 0: taken as no limit"),
        ({"mass": 1e-6, "ixx": -1e-10, "large": 2e-10}, 5, "principal moment of -1e-10 kg m^2: it is taken as zero"),
        ({"ixx": -0.0005}, 5, "principal moment of -0.0005 kg m^2: it is taken as zero"),
    ],
)
def test_faults_that_change_nothing_are_warnings_with_what_was_assumed(fault, line, assumed):
    robot = parse_urdf(FAULTY.format(**FINE | fault).encode(), "arm.urdf")
    (where,) = [warning.where for warning in robot.warnings if assumed in warning.text]
    assert where == f"arm.urdf:{line}"
    with pytest.raises(RobotFileError, match="taken as"):
        parse_urdf(FAULTY.format(**FINE | fault).encode(), "arm.urdf", strict=True)
    if "ixx" in fault:
        assert robot.bodies[0].inertia.xx == 0.0
        assert robot.bodies[0].inertia.yy == pytest.approx((FINE | fault)["large"], abs=0.0)
    else:
        assert math.isinf(getattr(robot.joints[0].limits, next(iter(fault))))


def test_faults_that_change_torques_are_still_refused():
    with pytest.raises(RobotFileError, match="negative principal moment"):
        parse_urdf(FAULTY.format(**FINE | {"ixx": -0.05}).encode(), "arm.urdf")


MODELS_STANDING_LIMBS = Path(__file__).resolve().parents[3] / "shared" / "data" / "models"

LINK = (
    '<link name="{name}"><inertial><origin xyz="0 0 -0.1"/><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="j_{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/><origin xyz="{at}"/>'
    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="5"/></joint>'
)
FIXED = (
    '<joint name="f_{name}" type="fixed"><parent link="{parent}"/><child link="{name}"/><origin xyz="{at}"/></joint>'
)


def limb(name, at, step):
    """Hip, knee and foot in a line: rows of (name, parent, origin, joint)."""
    return [
        (f"{name}_upper", "trunk", at, JOINT),
        (f"{name}_lower", f"{name}_upper", step, JOINT),
        (f"{name}_foot", f"{name}_lower", step, FIXED),
    ]


LEGS = [*limb("left", "0 0.1 0", "0 0 -0.3"), *limb("right", "0 -0.1 0", "0 0 -0.3")]
ARMS = [*limb("left", "0 0.2 0.5", "0.3 0 0"), *limb("right", "0 -0.2 0.5", "0.3 0 0")]


def written(tmp_path, rows, root=""):
    links = ["trunk", *(name for name, *_ in rows)]
    parts = [LINK.format(name=name) for name in links]
    parts += [form.format(name=name, parent=parent, at=at) for name, parent, at, form in rows]
    path = tmp_path / "tree.urdf"
    path.write_text(f'<robot name="walker">{root}{"".join(parts)}</robot>')
    return path


def test_a_biped_is_warned_of_with_the_remedy(tmp_path):
    path = written(tmp_path, LEGS)
    with pytest.warns(FixedBaseWarning, match="seems to stand on legs") as caught:
        robot = tq.load(path)
    assert standing_limbs(robot) == ("j_left_upper", "j_right_upper")
    (warning,) = (warning for warning in robot.warnings if warning.about_base)
    for part in ("walker", "j_left_upper, j_right_upper", "base 'trunk' is treated as fixed", "a link 'world'"):
        assert part in warning.text
    assert str(path) in str(caught[0].message)
    with pytest.raises(RobotFileError, match="stand on legs"):
        tq.load(path, strict=True)


def test_a_link_world_says_that_the_base_is_bolted_down(tmp_path):
    """The remedy that the warning names."""
    bolted = '<link name="world"/>' + FIXED.format(name="trunk", parent="world", at="0 0 1")
    with warnings.catch_warnings():
        warnings.simplefilter("error", FixedBaseWarning)
        robot = tq.load(written(tmp_path, LEGS, bolted))
    assert not any(warning.about_base for warning in robot.warnings)


@pytest.mark.parametrize(
    "rows",
    [
        ARMS,  # of a torso that stands on its base
        LEGS[:3],  # one limb that hangs: a pendulum, an arm below a ceiling
        [*LEGS[:3], *limb("up", "0 0 0", "0 0 0.3")],
        [row for row in LEGS if "upper" in row[0]],  # wheels
        [*LEGS, ("stand", "trunk", "0 0 -1", FIXED)],  # a base that reaches as far down
    ],
)
def test_arms_wheels_and_pendulums_are_not_legs(tmp_path, rows):
    assert standing_limbs(tq.load(written(tmp_path, rows))) == ()


def test_hands_that_hang_are_no_legs(tmp_path):
    hands = [*limb("lefthand", "0 0.2 0.3", "0 0 -0.35"), *limb("righthand", "0 -0.2 0.3", "0 0 -0.35")]
    legs = [(name, parent, at.replace("-0.3", "-0.6"), form) for name, parent, at, form in LEGS]
    with pytest.warns(FixedBaseWarning):
        robot = tq.load(written(tmp_path, [*hands, *legs]))
    assert standing_limbs(robot) == ("j_left_upper", "j_right_upper")


@pytest.mark.skipif(not MODELS_STANDING_LIMBS.is_dir(), reason="published robots are not here")
def test_of_published_robots_those_with_legs_are_warned_of():
    found = set()
    for path in sorted(MODELS_STANDING_LIMBS.rglob("*.urdf")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                robot = tq.load(path)
            except RobotFileError:  # odd files
                continue
        if any(warning.about_base for warning in robot.warnings):
            found.add(path.name)
    assert found == {"anymal_b.urdf", "go2.urdf", "talos_reduced.urdf"}
