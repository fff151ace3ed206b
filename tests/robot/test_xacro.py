"""xacro: what the original gives for a file (recorded), and nothing but arithmetic."""

from __future__ import annotations

import pytest

from torquec.errors import RobotFileError
from torquec.robot.load import load
from torquec.robot.xacro import expand_xacro

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'

ARM = f"""{HEAD}
  <xacro:arg name="prefix" default="left_"/>
  <xacro:property name="length" value="0.5"/>
  <xacro:property name="half" value="${{length / 2}}"/>
  <xacro:property name="tall" value="true"/>
  <xacro:macro name="inertia" params="m *origin">
    <inertial><xacro:insert_block name="origin"/><mass value="${{m}}"/>
      <inertia ixx="${{m*length**2/12}}" ixy="0" ixz="0" iyy="${{m*length**2/12}}" iyz="0" izz="0.01"/></inertial>
  </xacro:macro>
  <xacro:macro name="segment" params="name parent mass:=1.5 axis:='0 0 1' **more">
    <link name="${{name}}"><xacro:inertia m="${{mass}}"><origin xyz="0 0 ${{half}}"/></xacro:inertia></link>
    <joint name="${{name}}_joint" type="revolute"><parent link="${{parent}}"/><child link="${{name}}"/>
      <origin xyz="0 0 ${{length}}" rpy="0 ${{pi/2}} 0"/>
      <axis xyz="${{axis}}"/><xacro:insert_block name="more"/></joint>
  </xacro:macro>
  <link name="base"/>
  <xacro:segment name="$(arg prefix)upper" parent="base"><more>
    <limit lower="-1" upper="1" effort="9" velocity="2"/></more>
  </xacro:segment>
  <xacro:if value="${{tall and length > 0.3}}">
    <xacro:segment name="lower" parent="$(arg prefix)upper" mass="2" axis="0 1 0"><more>
      <limit lower="-1" upper="1" effort="9" velocity="2"/></more></xacro:segment>
  </xacro:if>
  <xacro:unless value="${{tall}}"><link name="never"/></xacro:unless>
</robot>"""


def write(tmp_path, text, name="arm.urdf.xacro"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_an_arm_of_macros(tmp_path):
    robot = load(write(tmp_path, ARM))
    assert robot.joint_names == ("left_upper_joint", "lower_joint")
    assert [body.inertia.m for body in robot.bodies] == [1.5, 2.0]
    assert robot.bodies[1].joint.axis == (0.0, 1.0, 0.0)
    assert robot.bodies[0].joint.placement.origin == (0.0, 0.0, 0.5)
    # About the link's frame: m l^2 / 12 + m (l / 2)^2.
    assert robot.bodies[1].inertia.xx == pytest.approx(2.0 * 0.25 / 12 + 2.0 * 0.25 / 4, rel=1e-15)
    assert not robot.warnings


def test_errors_name_the_line_of_the_macro(tmp_path):
    path = write(tmp_path, ARM.replace('value="${m}"', 'value="-${m}"'))
    with pytest.raises(RobotFileError, match=r"arm\.urdf\.xacro:7: the mass of link 'left_upper' is negative"):
        load(path)


def test_properties_follow_their_scope(tmp_path):
    text = f"""{HEAD}<xacro:property name="a" value="1"/>
    <xacro:macro name="inner" params="a:=^|7 b:=^ "><x a="${{a}}" b="${{b}}"/><xacro:property name="a" value="9"/>
      <xacro:property name="up" value="${{a + 1}}" scope="parent"/></xacro:macro>
    <xacro:property name="b" value="2"/><xacro:inner/><xacro:inner a="3" b="${{a * 5}}"/>
    <y a="${{a}}" up="${{up}}" text="$${{a}} and ${{a}}${{b}}"/>
    <xacro:property name="a" default="5"/><xacro:property name="c" default="6"/><z a="${{a}}" c="${{c}}">${{a + c}}</z>
    </robot>"""
    x, again, y, z = expand_xacro(write(tmp_path, text)).children
    assert x.attributes == {"a": "1", "b": "2"}
    assert again.attributes == {"a": "3", "b": "5"}
    assert y.attributes == {"a": "1", "up": "10", "text": "${a} and 12"}
    assert (z.attributes, z.text) == ({"a": "1", "c": "6"}, "7")


def test_files_are_included_from_the_folder_and_from_the_package(tmp_path):
    part = f'{HEAD}<xacro:macro name="wheel" params="n"><link name="wheel${{n}}"/></xacro:macro></robot>'
    write(tmp_path, part, "robot_pkg/urdf/parts/wheel.xacro")
    for name in ("parts/wheel.xacro", "$(find robot_pkg)/urdf/parts/wheel.xacro", "$(dirname)/parts/wheel.xacro"):
        text = f'{HEAD}<xacro:include filename="{name}"/><xacro:wheel n="2"/></robot>'
        (wheel,) = expand_xacro(write(tmp_path, text, "robot_pkg/urdf/car.xacro")).children
        assert wheel.attributes == {"name": "wheel2"}


REFUSED = {
    "a command": ("<link name=\"${__import__('os').system('true')}\"/>", "it calls"),
    "an escape": ('<link name="${().__class__.__bases__}"/>', "more than arithmetic"),
    "yaml": ("<xacro:property name='c' value=\"${xacro.load_yaml('c.yaml')}\"/><link name='${c}'/>", "load_yaml"),
    "eval": ('<link name="$(eval 1 + 1)"/>', "could run or read anything"),
    "the environment": ('<link name="$(env HOME)"/>', "could run or read anything"),
    "another package": ('<link name="$(find other)"/>', "the package 'other'"),
    "a file above": ('<xacro:include filename="../secret.xacro"/>', "outside the robot's folder"),
    "an absolute file": ('<xacro:include filename="/etc/passwd"/>', "outside the robot's folder"),
    "itself": ('<xacro:include filename="arm.urdf.xacro"/>', "include each other|more than 100000"),
    "a missing argument": ('<link name="$(arg side)"/>', "the argument 'side' has no default"),
    "an unknown macro": ("<xacro:wheel/>", "there is no macro 'xacro:wheel'"),
    "an unknown name": ('<link name="${width}"/>', "there is no property 'width'"),
    "an open expression": ('<link name="${width"/>', "is not closed"),
    "a property of itself": (
        '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>',
        "is defined by itself",
    ),
    "a macro of itself": (
        '<xacro:macro name="m" params="">$<xacro:m/></xacro:macro><xacro:m/>',
        "macros call each other|not closed",
    ),
    "a missing parameter": ('<xacro:macro name="m" params="a"/><xacro:m/>', "needs its parameter 'a'"),
    "a parameter too many": ('<xacro:macro name="m" params=""/><xacro:m a="1"/>', "has no parameter 'a'"),
    "a missing block": ('<xacro:macro name="m" params="*a"/><xacro:m/>', "needs a block"),
    "no condition": ('<xacro:if value="perhaps"/>', "neither true nor false"),
    "no parameters": ('<xacro:macro name="m" params="a=\'"/>', "cannot be read"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_more_than_arithmetic_is_refused_with_its_line(tmp_path, case):
    text, message = REFUSED[case]
    write(tmp_path, "<robot/>", "secret.xacro")
    with pytest.raises(RobotFileError, match=message) as caught:
        load(write(tmp_path, f"{HEAD}\n{text}\n</robot>", "robot/arm.urdf.xacro"))
    assert caught.value.where.endswith("arm.urdf.xacro:2")
    assert caught.value.remedy


def test_a_bomb_of_macros_ends(tmp_path):
    macros = "".join(
        f'<xacro:macro name="m{k}" params="">{f"<xacro:m{k - 1}/>" * 10 if k else "<link/>"}</xacro:macro>'
        for k in range(10)
    )
    with pytest.raises(RobotFileError, match="more than 100000 elements"):
        load(write(tmp_path, f"{HEAD}{macros}<xacro:m9/></robot>"))
    words = "".join(f'<xacro:property name="p{k + 1}" value="${{p{k} + p{k}}}"/>' for k in range(40))
    with pytest.raises(RobotFileError, match="a word of"):
        load(
            write(tmp_path, f'{HEAD}<xacro:property name="p0" value="xxxxxxxx"/>{words}<link name="${{p40}}"/></robot>')
        )
