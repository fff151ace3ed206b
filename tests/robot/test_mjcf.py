"""MJCF against MuJoCo itself: inverse dynamics, frames and inertia at random states, and every refusal by name."""

from __future__ import annotations

import contextlib
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.robot import reference

import torquec as tq
from torquec.errors import MissingExtraError, RobotFileError, TorquecError
from torquec.robot.friction import Friction
from torquec.robot.mjcf import read_mjcf
from torquec.robot.robot import JointType, Limits, Mimic, Spring

mujoco = pytest.importorskip("mujoco")

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
needs_models = pytest.mark.skipif(not MODELS.is_dir(), reason="the models are not here")

INERTIAL = '<inertial pos="0.1 -0.2 0.3" mass="2" fullinertia="0.4 0.5 0.6 0.01 -0.02 0.03"/>'


def write(folder, text, name="arm.xml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def document(bodies="", rest="", compiler='<compiler angle="radian"/>'):
    return f'<mujoco model="arm">\n{compiler}\n<worldbody>\n{bodies}\n</worldbody>\n{rest}\n</mujoco>'


def one_body(joint='<joint name="j"/>', rest="", inertial=INERTIAL):
    return document(f'<body name="b">\n{joint}\n{inertial}</body>', rest)


REPLICAS = "<worldbody>\n" + '<replicate count="1000">' * 3 + "<body/>" + "</replicate>" * 3 + "</worldbody>"


class Peer:
    """MuJoCo with the model as it is: torques without constraints and passive forces."""

    def __init__(self, path):
        self.model = mujoco.MjModel.from_xml_path(str(path))
        for bit in ("CONSTRAINT", "SPRING", "DAMPER", "PASSIVE"):  # one bit in older versions, two in newer ones
            self.model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{bit}", 0))
        self.data = mujoco.MjData(self.model)

    def inverse_dynamics(self, q, qd, qdd):
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(self.model, self.data)
        return np.array(self.data.qfrc_inverse)

    def mass_matrix(self, q):
        self.data.qpos[:] = q
        mujoco.mj_forward(self.model, self.data)
        columns = np.eye(self.model.nv)
        for column in columns:
            mujoco.mj_mulM(self.model, self.data, column, column.copy())
        return columns.T

    def pose(self, kind, name, q):
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        element = getattr(self.data, kind)(name)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = element.xmat.reshape(3, 3), element.xpos
        return pose


def compare(path, seed=0, samples=3):
    """The robot of a file, after torques, mass matrix and all body and site frames have been compared with MuJoCo's."""
    robot, peer = read_mjcf(path), Peer(path)
    matrix, offset = reference.coupling(robot)
    random = np.random.default_rng(seed)
    for _ in range(samples):
        q, qd, qdd = random.uniform(-2, 2, (3, robot.n))
        full = matrix @ q + offset, matrix @ qd, matrix @ qdd
        expected = matrix.T @ peer.inverse_dynamics(*full)
        largest = max(1.0, np.abs(expected).max())
        assert np.abs(reference.inverse_dynamics(robot, q, qd, qdd) - expected).max() < 1e-11 * largest
        expected = matrix.T @ peer.mass_matrix(full[0]) @ matrix
        assert np.abs(reference.mass_matrix(robot, q) - expected).max() < 1e-11 * max(1.0, np.abs(expected).max())
        for frame in robot.frames:
            kind = "body" if frame.name in {peer.model.body(i).name for i in range(peer.model.nbody)} else "site"
            expected = peer.pose(kind, frame.name, full[0])
            np.testing.assert_allclose(reference.frame_pose(robot, q, frame.name), expected, atol=1e-12)
    return robot


# ---------------------------------------------------------------------------------------------- known answers


@needs_models
@pytest.mark.parametrize("name", ["panda_nohand", "iiwa14", "ur5e", "gen3", "xarm7_nohand"])
def test_published_arms_move_as_in_mujoco(name):
    robot = compare(MODELS / f"{name}.xml")
    assert robot.n == (6 if name == "ur5e" else 7)


@needs_models
@pytest.mark.parametrize("name", ["panda_nohand", "iiwa14", "xarm7_nohand"])
def test_published_arms_move_as_in_pinocchio(name):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromMJCF(str(MODELS / f"{name}.xml"))
    robot = read_mjcf(MODELS / f"{name}.xml")
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, robot.n))
    expected = pin.rnea(model, model.createData(), q, qd, qdd)
    assert np.abs(reference.inverse_dynamics(robot, q, qd, qdd) - expected).max() < 1e-10 * np.abs(expected).max()


@needs_models
def test_panda_details():
    robot = read_mjcf(MODELS / "panda_nohand.xml")
    assert robot.name == "panda nohand"
    assert robot.joints[5].limits == Limits(-0.0175, 3.7525, math.inf, 12.0)
    assert robot.drives.reflected_inertia(7)[0][0] == pytest.approx(0.1)
    assert robot.joints[0].friction.viscous_negative == 1.0
    assert robot.base_inertia.m == pytest.approx(0.629769)
    assert robot.frame("attachment").body == robot.frame("link7").body


@needs_models
def test_unlimited_hinges_are_continuous():
    kinds = [joint.type for joint in read_mjcf(MODELS / "gen3.xml").joints]
    assert kinds == [JointType.CONTINUOUS, JointType.REVOLUTE] * 3 + [JointType.CONTINUOUS]


@needs_models
def test_quaternions_of_right_angles_give_exact_zeros_and_ones():
    robot = read_mjcf(MODELS / "panda_nohand.xml")
    entries = {abs(entry) for body in robot.bodies for row in body.joint.placement.rotation for entry in row}
    assert entries == {0.0, 1.0}


# -------------------------------------------------------------------------------------- agreement with MuJoCo

TREE = document(
    f"""
    <body name="base" pos="0.1 0.2 0.3" euler="0.3 0.2 -0.4"><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>
      <body name="trunk" pos="0 0 1" euler="0.1 0.5 0.2">
        <joint name="x" type="slide" axis="1 0 0.3" ref="0.2"/>
        <joint name="turn" axis="0.3 1 0" pos="0.1 0.2 -0.1" ref="0.7" range="-2 2"/>
        <joint name="z" type="slide" axis="0 0.2 1" pos="5 5 5" range="0.1 0.9"/>
        {INERTIAL}
        <site name="tip" pos="0.3 0 0.1" euler="0 1 0"/>
        <body name="plate" pos="0.2 0 0" euler="1 0 0">{INERTIAL}
          <body name="left" pos="0 0.4 0"><joint name="l" axis="0 1 1" pos="0 0 0.3"/>{INERTIAL}
            <site name="left_tip" pos="1 0 0"/></body>
        </body>
        <body name="right" pos="0 -0.4 0" quat="1 1 0 0">
          <joint name="r" axis="1 0 0" ref="-0.4"/><joint name="s" axis="0 1 0" pos="0.1 0 0"/>{INERTIAL}
        </body>
      </body>
    </body>
    """
)


def test_trees_anchors_references_and_several_joints_in_a_body(tmp_path):
    robot = compare(write(tmp_path, TREE))
    assert robot.joint_names == ("x", "turn", "z", "l", "r", "s")
    assert [body.name for body in robot.bodies] == ["trunk_x", "trunk_turn", "trunk", "left", "right_r", "right"]
    assert [joint.type for joint in robot.joints][:4] == [
        JointType.PRISMATIC, JointType.REVOLUTE, JointType.PRISMATIC, JointType.CONTINUOUS,
    ]  # fmt: skip
    assert robot.joints[1].limits.upper == 2.0
    assert robot.base_inertia.m == 9.0


def test_sites_that_share_a_name_with_a_body_get_their_own(tmp_path):
    robot = read_mjcf(write(tmp_path, TREE.replace("left_tip", "left")))
    assert {"left", "left_"} <= {frame.name for frame in robot.frames}


def test_joint_couplings_are_mimics_in_qpos(tmp_path):
    rest = """<equality><joint joint1="l" joint2="turn" polycoef="0.1 -2 0 0 0"/><joint joint1="s" joint2="l"/>
      <connect body1="left" body2="right" anchor="0 0 0" active="false"/></equality>"""
    robot = compare(write(tmp_path, TREE.replace("</mujoco>", f"{rest}</mujoco>")))
    assert robot.n == 4
    # l - 0 = 0.1 - 2 (turn - 0.7), and s follows l.
    assert robot.bodies[3].joint.mimic == Mimic("turn", -2.0, pytest.approx(1.5))
    assert robot.bodies[5].joint.mimic == Mimic("turn", -2.0, pytest.approx(1.5))
    # The coupling is what MuJoCo's constraint holds at zero.
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    data = mujoco.MjData(model)
    matrix, offset = reference.coupling(robot)
    data.qpos[:] = matrix @ [0.1, 0.3, 0.5, -0.2] + offset
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-14


def test_inertia_of_primitive_geoms_is_mujocos(tmp_path):
    geoms = """<geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0" euler="0.2 0.3 0.4" material="m"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.2 0.3 0.4" density="700"/>
      <frame pos="0 0 1" euler="0.3 0 0"><geom class="ball"/></frame>"""
    rest = '<default><default class="ball"><geom size="0.2" mass="0.7" material="m"/></default></default>'
    asset = '<asset><material name="m" rgba="1 0 0 1"/></asset>'
    robot = compare(write(tmp_path, one_body('<joint axis="1 1 0"/>', rest + asset, geoms)))
    assert robot.joint_names == ("joint1",)


def test_drives_springs_and_friction(tmp_path):
    joint = '<joint name="j" armature="0.2" damping="0.3" frictionloss="0.4" stiffness="5" springref="0.6" ref="0.1"/>'
    rest = """<actuator><motor name="j" joint="j" gear="-10" armature="0.5" damping="2" ctrlrange="-3 2"/>
      <position joint="j" kp="4" forcerange="-7 7"/></actuator>"""
    path = write(tmp_path, one_body(joint, rest))
    robot = compare(path)
    assert robot.joints[0].spring == Spring(5.0, 0.6)
    assert robot.joints[0].friction.coulomb_positive == 0.4
    assert [motor.name for motor in robot.drives.motors] == ["j", "j_"]
    assert robot.drives.transmission == ((1.0,), (-10.0,))
    assert robot.drives.reflected_inertia(1) == ((pytest.approx(0.2 + 0.5 * 100),),)
    assert robot.joints[0].limits.effort == pytest.approx(3 * 10 + 7)
    # Passive torques, the actuator's damping among them, as MuJoCo has them at rest and in motion.
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = 0.9, 0.7
    mujoco.mj_forward(model, data)
    viscous = reference.friction_torque(robot, np.array([0.7])) - 0.4
    assert -data.qfrc_passive == pytest.approx(viscous + 5.0 * (0.9 - 0.6))


def test_force_limit_of_the_joint_clamps_the_actuators(tmp_path):
    rest = '<actuator><motor joint="j" forcerange="-50 50"/></actuator>'
    robot = read_mjcf(write(tmp_path, one_body('<joint name="j" actuatorfrcrange="-20 20"/>', rest)))
    assert robot.joints[0].limits.effort == 20.0


def test_gravity_of_the_option_the_flag_and_the_argument(tmp_path):
    path = write(tmp_path, one_body(rest='<option gravity="1 2 3"/>'))
    assert read_mjcf(path).gravity == (1.0, 2.0, 3.0)
    assert read_mjcf(path, gravity=(0.0, 0.0, -1.6)).gravity == (0.0, 0.0, -1.6)
    path = write(tmp_path, one_body(rest='<option><flag gravity="disable"/></option>'))
    assert read_mjcf(path).gravity == (0.0, 0.0, 0.0)


def test_degrees_are_the_default_of_the_format(tmp_path):
    text = one_body('<joint name="j" range="-90 90" ref="30"/>').replace('<compiler angle="radian"/>', "")
    robot = compare(write(tmp_path, text))
    assert robot.joints[0].limits.upper == pytest.approx(math.pi / 2)


# ------------------------------------------------------------------------------------- no file but the robot's


def test_no_mesh_is_opened(tmp_path):
    asset = '<asset><mesh name="m" file="absent.stl"/><texture name="t" type="2d" file="absent.png"/></asset>'
    geom = '<geom type="mesh" mesh="m"/><geom class="visual" mesh="m"/>'
    default = '<default><default class="visual"><geom type="mesh" material="x" mesh="m"/></default></default>'
    rest = f'{asset}{default}<sensor><jointpos joint="j"/></sensor><keyframe><key qpos="1 2 3"/></keyframe>'
    robot = read_mjcf(write(tmp_path, one_body(rest=rest, inertial=INERTIAL + geom)))
    assert robot.bodies[0].inertia.m == 2.0


@pytest.mark.parametrize(
    "geom", ['<geom type="mesh" mesh="m"/>', '<geom type="box" mesh="m"/>', '<geom class="visual"/>']
)
def test_inertia_from_a_mesh_is_refused_by_name(tmp_path, geom):
    rest = """<asset><mesh name="m" file="m.stl"/></asset>
    <default><default class="base"><geom type="mesh" mesh="m"/><default class="visual"/></default></default>"""
    with pytest.raises(RobotFileError, match="from a mesh") as caught:
        read_mjcf(write(tmp_path, one_body(rest=rest, inertial=f"\n{geom}")))
    assert caught.value.where == f"{tmp_path / 'arm.xml'}:7"
    assert 'name="b"' in caught.value.found
    assert "inertial" in caught.value.remedy


def test_inertia_from_a_mesh_is_refused_through_childclass(tmp_path):
    rest = '<default><default class="c"><geom type="mesh"/></default></default>'
    bodies = '<body name="b" childclass="c"><joint/><frame><geom mesh="m"/></frame></body>'
    with pytest.raises(RobotFileError, match="from a mesh"):
        read_mjcf(write(tmp_path, document(bodies, rest)))


@pytest.mark.parametrize("geom", ['<geom type="mesh" mesh="m" mass="0"/>', '<geom type="mesh" mesh="m" group="3"/>'])
def test_meshes_that_weigh_nothing_are_passed_over(tmp_path, geom):
    text = one_body(inertial=f'{geom}<geom size="0.1" mass="2"/>').replace(
        'angle="radian"', 'angle="radian" inertiagrouprange="0 2"'
    )
    assert read_mjcf(write(tmp_path, text)).bodies[0].inertia.m == 2.0


def test_a_mesh_on_the_base_is_left_out_with_a_warning(tmp_path):
    bodies = f'<body name="table"><geom type="mesh" mesh="m"/></body><body name="b"><joint name="j"/>{INERTIAL}</body>'
    path = write(tmp_path, document(bodies))
    assert any("does not move" in warning.text for warning in read_mjcf(path).warnings)
    with pytest.raises(RobotFileError, match="does not move"):
        read_mjcf(path, strict=True)


def test_includes_are_followed_inside_the_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    part = f'<mujocoinclude><body name="b"><joint name="j"/>{INERTIAL}</body></mujocoinclude>'
    write(tmp_path / "parts", part, "b.xml")
    write(tmp_path, '<mujoco><option gravity="0 0 -1"/></mujoco>', "option.xml")
    robot = compare(write(tmp_path, document('<include file="parts/b.xml"/>', '<include file="option.xml"/>')))
    assert robot.gravity == (0.0, 0.0, -1.0)


def test_includes_are_looked_up_as_mujoco_does(tmp_path):
    """From the robot file's folder first, then from that of the file that includes; both slashes separate folders."""
    mujoco = pytest.importorskip("mujoco")
    deep = tmp_path / "package" / "parts" / "deep"
    deep.mkdir(parents=True)
    arms = tmp_path / "package" / "arms"
    arms.mkdir()
    part = "<mujoco><body name='{}'><joint/>{}<include file='{}'/></body></mujoco>"
    write(deep.parent, part.format("b", INERTIAL, "deep\\c.xml"), "b.xml")
    write(deep, part.format("c", INERTIAL, "d.xml"), "c.xml")
    end = f"<mujoco><body name='{{}}'><joint/>{INERTIAL}</body></mujoco>"
    write(deep, end.format("near"), "d.xml")
    path = write(arms, document('<include file="../parts/b.xml"/>'))
    assert [body.name for body in read_mjcf(path).bodies] == ["b", "c", "near"]
    write(arms, end.format("main"), "d.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert [body.name for body in read_mjcf(path).bodies] == ["b", "c", "main"]
    assert [model.body(k).name for k in range(1, model.nbody)] == ["b", "c", "main"]


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("../../../../other.xml", "leads away from the robot's folder"),
        ("parts/../../../../../other.xml", "leads away from the robot's folder"),
        ("/etc/passwd", "leads away from the robot's folder"),
        ("C:\\robot.xml", "leads away from the robot's folder"),
        ("link.xml", "leads away from the robot's folder"),
        ("loop.xml", "leads away from the robot's folder"),
        ("arm.xml", "included twice"),
        ("absent.xml", '"absent.xml": there is no such file'),
        ("x" * 300, "cannot be read: File name too long"),
    ],
)
def test_includes_that_are_refused(tmp_path, name, fragment):
    folder = tmp_path / "a" / "b" / "c" / "robot"
    folder.mkdir(parents=True)
    write(tmp_path, "<mujoco/>", "other.xml")
    try:
        (folder / "link.xml").symlink_to(tmp_path / "other.xml")
        (folder / "loop.xml").symlink_to(folder / "loop.xml")
    except OSError:
        pytest.skip("no symbolic links here")
    with pytest.raises(RobotFileError, match=fragment) as caught:
        read_mjcf(write(folder, document(f'<include file="{name}"/>')))
    assert caught.value.where.endswith("arm.xml:4")


@pytest.mark.parametrize(
    ("folder", "name"), [("", "../m.stl"), ("..", "m.stl"), ("assets", "../../m.stl"), ("", "/m.stl")]
)
def test_assets_are_only_names(tmp_path, folder, name):
    rest = f'<compiler meshdir="{folder}"/>\n<asset><mesh name="m" file="{name}"/></asset>'
    assert read_mjcf(write(tmp_path, one_body(rest=rest))).n == 1


def test_what_mujoco_warns_of_is_a_warning_and_no_file(tmp_path, monkeypatch):
    """Left to itself, MuJoCo writes MUJOCO_LOG.TXT into the working directory."""
    monkeypatch.chdir(tmp_path)
    rest = '<tendon><fixed name="t" range="0 1" limited="true"><joint joint="j" coef="1"/></fixed></tendon>'
    text = one_body(rest=rest).replace('angle="radian"', 'angle="radian" settotalmass="3"')
    robot = read_mjcf(write(tmp_path, text))
    assert [path.name for path in tmp_path.iterdir()] == ["arm.xml"]
    assert any("its limits and the actuators" in warning.text for warning in robot.warnings)
    assert any(warning.text.startswith("MuJoCo says: ") for warning in robot.warnings)


# ------------------------------------------------------------------------------------------------------ misuse

BOMB = '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<mujoco model="&b;"/>'
EXTERNAL = '<!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<mujoco>&a;</mujoco>'


def moved(joint):
    return one_body(rest=f"<equality>\n{joint}\n</equality>", joint='<joint name="j"/>\n<joint name="k" axis="1 0 0"/>')


BAD = {
    "empty": ("", None, "empty"),
    "not XML": ("hello", 1, "not valid XML"),
    "truncated": ("<mujoco>\n<worldbody>", 2, "not valid XML"),
    "URDF": ("<robot name='x'/>", 1, "not <mujoco>"),
    "entity bomb": (BOMB, 1, "entities"),
    "external entity": (EXTERNAL, 1, "entities"),
    "prefix": ("<mujoco>\n<a:b/></mujoco>", 2, "unbound prefix"),
    "ball with a spring": (one_body('<joint name="j" type="ball" stiffness="2"/>'), 5, "several coordinates"),
    "free inside": (one_body(inertial=INERTIAL + '<body name="c"><freejoint/>' + INERTIAL + "</body>"), 6, "free"),
    "tendon": (
        one_body(rest='<tendon>\n<fixed name="t" stiffness="2"><joint joint="j" coef="1"/></fixed></tendon>'),
        9,
        'tendons have no model here: <fixed name="t">',
    ),
    "hexadecimal": (one_body(inertial='<inertial pos="0 0 0" mass="0x10" diaginertia="1 1 1"/>'), 6, "mass of"),
    "euler sequence": (one_body(rest='<compiler eulerseq="xya"/>'), 8, "eulerseq"),
    "negative armature": (one_body('<joint name="j" armature="-1"/>'), 5, "rotor inertia"),
    "negative spring": (one_body('<joint name="j" stiffness="-1"/>'), 5, "stiffness"),
    "replicas of replicas": (
        one_body(
            rest="<worldbody>\n" + '<replicate count="1000">' * 3 + "<body/>" + "</replicate>" * 3 + "</worldbody>"
        ),
        9,
        "more than 100000 elements",
    ),
    "flex equality": (
        one_body(rest='<equality>\n<flex name="loop" flex="b"/></equality>'),
        9,
        '<flex name="loop">',
    ),
    "weld": (one_body(rest='<equality>\n<weld body1="b" body2="c"/></equality>'), 9, "unknown element 'c'"),
    "locked": (moved('<joint name="lock" joint1="j" polycoef="1 0 0 0 0"/>'), 5, "lock locks the joint"),
    "followed twice": (moved('<joint joint1="j" joint2="k"/>\n<joint joint1="j" joint2="k"/>'), 5, "follows two"),
    "circle": (moved('<joint joint1="j" joint2="k"/>\n<joint joint1="k" joint2="j"/>'), 5, "circle"),
    "composite": (one_body('<composite type="cable"/>'), 5, "composite"),
    "attach": (one_body('<attach model="m" body="x" prefix="y"/>'), 5, "attach"),
    "flex": (one_body(rest='<deformable>\n<flex name="f"/></deformable>'), 9, "deformable"),
    "nan": (one_body('<joint name="j" stiffness="nan"/>'), 5, "stiffness"),
    "infinite": (one_body('<joint name="j" pos="0 0 inf"/>'), 5, "pos"),
    "comma": (one_body('<joint name="j" pos="0 0 1,5"/>'), 5, "attribute 'pos'"),
    "letters": (one_body('<joint name="j" pos="0 0 1abc"/>'), 5, "attribute 'pos'"),
    "axis": (one_body('<joint name="j" axis="0 0 0"/>'), 5, "axis too small"),
    "range": (one_body('<joint name="j" range="1 -1" limited="true"/>'), 5, "range"),
    "type": (one_body('<joint name="j" type="planar"/>'), 5, "planar"),
    "unknown element": (one_body("<joynt/>"), 5, "joynt"),
    "same name": (one_body('<joint name="j"/>\n<joint name="j"/>'), 6, "repeated name 'j'"),
    "mass": (one_body(inertial='<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'), 4, "mass"),
    "moment": (one_body(inertial='<inertial pos="0 0 0" mass="1" diaginertia="1 1 -1"/>'), 4, "inertia"),
    "no inertia": (one_body(inertial=""), 4, "mass and inertia"),
    "no joints": (one_body(joint=""), 1, "no joints"),
    "coupled to nothing": (moved('<joint joint1="j" joint2="x"/>'), 10, "x"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_with_line_and_remedy(tmp_path, case, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, line, fragment = BAD[case]
    path = write(tmp_path, text)
    with pytest.raises(RobotFileError) as caught:
        read_mjcf(path)
    assert fragment in str(caught.value)
    assert caught.value.where == (str(path) if line is None else f"{path}:{line}")
    assert caught.value.remedy
    # MuJoCo writes a log where it warns: nothing may be left behind, nothing printed.
    assert [entry.name for entry in tmp_path.iterdir()] == ["arm.xml"]
    assert capfd.readouterr() == ("", "")


def test_a_chain_that_is_too_deep_is_refused(tmp_path):
    depth = 900
    bodies = f'<body pos="0 0 1"><joint/>{INERTIAL}' * depth + "</body>" * depth
    with pytest.raises(RobotFileError, match="deep"):
        read_mjcf(write(tmp_path, document(bodies)))


def of_newer_versions(path):
    """A file that older versions of MuJoCo refuse."""
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("this MuJoCo has linear damping and stiffness only")
    return path


def test_damping_that_bends_is_curved_and_cubic_friction(tmp_path):
    path = of_newer_versions(write(tmp_path, one_body('<joint name="j" damping="1 -2 3" frictionloss="4"/>')))
    friction = read_mjcf(path).bodies[0].joint.friction
    assert friction == Friction.of({"viscous": 1.0, "curved": -2.0, "cubic": 3.0, "coulomb": 4.0})
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qvel[:] = -2.0
    mujoco.mj_forward(model, data)
    assert data.qfrc_passive[0] == 2.0 - 2.0 * 4.0 + 3.0 * 8.0


def test_nonlinear_laws_of_newer_versions_are_refused(tmp_path):
    path = of_newer_versions(write(tmp_path, one_body('<joint name="j" stiffness="1 2 3"/>')))
    with pytest.raises(RobotFileError, match="nonlinear stiffness"):
        read_mjcf(path)


def test_what_the_robot_cannot_hold_is_warned_of(tmp_path):
    text = one_body(rest='<option density="1.2"/>').replace('<body name="b"', '<body name="b" gravcomp="1"')
    texts = [warning.text for warning in read_mjcf(write(tmp_path, text)).warnings]
    assert any("medium" in text for text in texts)
    assert any("gravcomp of body 'b'" in text for text in texts)


def test_velocity_limits_are_not_missed_in_a_format_without_them(tmp_path):
    rest = '<actuator><motor joint="j" forcerange="-5 5"/></actuator>'
    robot = read_mjcf(write(tmp_path, one_body('<joint name="j" range="-1 1"/>', rest)), strict=True)
    assert robot.warnings == ()


def test_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError, match=r"torquec\[mujoco\]"):
        read_mjcf(write(tmp_path, one_body()))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RobotFileError, match="no such file"):
        read_mjcf(tmp_path / "absent.xml")


COUPLED = '<equality><joint joint1="l" joint2="turn"/></equality>'
WHOLE = TREE.replace("</mujoco>", f'{COUPLED}<actuator><motor joint="x" ctrlrange="-1 1"/></actuator></mujoco>')


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(WHOLE)), st.integers(0, 6), st.text(alphabet='0-.,<>="/ abn&', max_size=4))
def test_mutations_raise_nothing_but_our_own_errors(start, length, put):
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(TorquecError):
        read_mjcf(write(Path(folder), WHOLE[:start] + put + WHOLE[start + length :]))


def test_a_tendon_that_only_carries_an_actuator_is_left_out_with_a_warning(tmp_path):
    """As in the hands of many published arms: a fixed tendon that couples the fingers for one motor."""
    path = tmp_path / "hand.xml"
    tendon = '<tendon><fixed name="split"><joint joint="j" coef="0.5"/></fixed></tendon>'
    path.write_text(one_body(rest=f'{tendon}<actuator><general name="m" tendon="split"/></actuator>'))
    robot = read_mjcf(path)
    assert robot.joint_names == ("j",)
    assert any('<fixed name="split"> is left out' in warning.text for warning in robot.warnings)
    with pytest.raises(RobotFileError, match="is left out"):
        read_mjcf(path, strict=True)


CHAIN = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="p" axis="0 1 0" ref="0.1"/>{i}
  <body name="b" pos="0.3 0 0"><joint name="k" axis="0 1 0"/>{i}
  <body name="c" pos="0 0 0.4"><joint name="l" type="slide" axis="1 0 0" ref="-0.2"/>{i}
  <body name="d" pos="0.1 0.2 0"><joint name="m" axis="1 0 0"/>{i}</body></body></body></body></worldbody>
  <tendon>
    <fixed name="first"><joint joint="p" coef="0.5"/><joint joint="k" coef="-2"/><joint joint="l" coef="0.4"/></fixed>
    <fixed name="second"><joint joint="m" coef="3"/></fixed><fixed name="idle"><joint joint="m" coef="1"/></fixed>
  </tendon>
  <equality><tendon tendon1="first" tendon2="second" polycoef="0.05 -0.7 0 0 0"/></equality></mujoco>""".format(
    i='<inertial mass="1.5" pos="0.1 0.2 0.05" diaginertia="0.1 0.2 0.15"/>'
)


def test_an_equality_of_fixed_tendons_couples_all_their_joints(tmp_path):
    path = tmp_path / "chain.xml"
    path.write_text(CHAIN)
    robot = tq.load(path)
    assert (robot.nv, len(robot.tree.joints)) == (3, 4)
    raw = mujoco.MjModel.from_xml_string(CHAIN)
    data = mujoco.MjData(raw)
    model = tq.compile(robot)
    rng = np.random.default_rng(0)
    mujoco.mj_forward(raw, data)
    length = data.ten_length - raw.tendon_length0
    assert np.abs(length).max() < 1e-12
    of_length = np.array([[0.5, -2.0, 0.4, 0.0], [0.0, 0.0, 0.0, 3.0]])
    row = of_length[0] + 0.7 * of_length[1]  # of the constraint, in the joints of the file
    names = [joint.name for joint in robot.tree.joints]
    free = [names.index(joint.name) for joint in robot.joints]
    (tied,) = set(range(4)) - set(free)
    way = np.eye(4)[:, free]
    way[tied] = -row[free] / row[tied]
    for _ in range(5):
        q, qd, qdd = rng.uniform(-0.5, 0.5, (3, 3))
        positions, gap = model.loop_closure(q)
        data.qpos[:], data.qvel[:], data.qacc[:] = positions, way @ qd, way @ qdd
        raw.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EQUALITY
        mujoco.mj_inverse(raw, data)
        length = data.ten_length - raw.tendon_length0
        assert gap <= 1e-12
        assert abs(length[0] - 0.05 + 0.7 * length[1]) < 1e-12
        assert np.abs(model.inverse_dynamics(q, qd, qdd) - way.T @ data.qfrc_inverse).max() < 1e-10


@pytest.mark.parametrize(
    ("equality", "found"),
    [
        ('<tendon tendon1="first" polycoef="0 1 1 0 0"/>', "no model here: <tendon"),
        ('<tendon tendon1="first" tendon2="other"/>', "no model here: <tendon"),
        ('<tendon tendon1="second"/>', "locks m"),
    ],
)
def test_other_equalities_of_tendons_are_refused(equality, found, tmp_path):
    head, _, _ = CHAIN.partition("<tendon tendon1")
    path = tmp_path / "chain.xml"
    path.write_text(f"{head}{equality}</equality></mujoco>")
    with pytest.raises(RobotFileError, match=found):
        tq.load(path)


def test_a_weld_to_a_mocap_body_is_left_out_with_a_warning(tmp_path):
    """As in published environments, in which an operator moves the hand by it."""
    text = one_body(rest='<worldbody><body name="hand" mocap="true"/></worldbody>@')
    path = tmp_path / "moved.xml"
    path.write_text(text.replace("@", '<equality><weld name="held" body1="hand" body2="b"/></equality>'))
    robot = tq.load(path)
    assert robot.loops is None
    assert robot.nv == 1
    assert any("constraint 'held' is left out" in warning.text for warning in robot.warnings)
