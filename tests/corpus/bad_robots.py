"""Robot files with one thing wrong, each with the line and the words that the reader must answer with.

A case is a change of the good file of its format, or a whole text of its own (`old` empty). `line` is that of the
message; None where a file has no lines. `warning` marks what loads with a warning and is refused when strict.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.corpus import good


@dataclass(frozen=True)
class BadFile:
    """What is changed in a good file, and what the reader must say about it."""

    old: str
    new: str
    line: int | None
    words: str
    warning: bool = False


def text_of(file: str, case: BadFile) -> str:
    """The text of a case."""
    if not case.old:
        return case.new
    base = good.TEXTS[file]
    assert base.count(case.old) == 1, f"{base.count(case.old)} times: {case.old}"
    return base.replace(case.old, case.new)


def _error(old: str, new: str, line: int | None, words: str) -> BadFile:
    return BadFile(old, new, line, words)


def _warning(old: str, new: str, line: int | None, words: str) -> BadFile:
    return BadFile(old, new, line, words, warning=True)


_SHOULDER = '<axis xyz="0 0 1"/>'
_LIMIT = '<limit lower="-1" upper="2" effort="40" velocity="3"/>'
_MASS = '<mass value="2.5"/>'
_TENSOR = '<inertia ixx="0.3" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.25"/>'
_TIP = '<link name="tool"/>'
_END = "</robot>"
_REDUCTION = "<mechanicalReduction>50</mechanicalReduction>"
_CHAIN = "".join(
    f'<link name="l{k}"/><joint name="m{k}" type="continuous"><parent link="base"/><child link="l{k}"/>'
    f'<mimic joint="m{(k + 1) % 50}"/></joint>'
    for k in range(50)
)

URDF = {
    # --- the document
    "empty": _error("", "", None, "the file is empty"),
    "blanks": _error("", " \n\n ", None, "the file is empty"),
    "words": _error("", "hello", 1, "not valid XML: syntax error"),
    "cut off": _error("", good.URDF[:300], 10, "not valid XML"),
    "two roots in the document": _error("", "<robot name='a'/>\n<robot name='b'/>", 2, "junk after document element"),
    "another document": _error("", "<sdf version='1.6'/>", 1, "the document is <sdf>"),
    "an unclosed element": _error('<parent link="base"/>', '<parent link="base">', 33, "mismatched tag"),
    "an attribute twice": _error(_MASS, '<mass value="2" value="3"/>', 7, "duplicate attribute"),
    "an unbound prefix": _error(_TIP, "<x:link/>", 25, "unbound prefix"),
    "an entity bomb": _error(
        "", '<!DOCTYPE r [<!ENTITY a "aa">]>\n<robot name="&a;"/>', 1, "document type or entities"
    ),
    "an external entity": _error(
        "", '<!DOCTYPE r SYSTEM "file:///etc/passwd">\n<robot/>', 1, "document type or entities"
    ),
    "an unknown entity": _error(_MASS, '<mass value="&two;"/>', 7, "undefined entity"),
    "an unknown encoding": _error('<?xml version="1.0"?>', '<?xml version="1.0" encoding="klingon"?>', 1, "encoding"),
    "UTF-16 in name only": _error('<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-16"?>', 1, "encoding"),
    "a control character": _error(_TIP, '<link name="to\x01ol"/>', 25, "invalid token"),
    "deep nesting": _error("", "<a>" * 1001 + "</a>" * 1001, 1, "nested more than 1000 deep"),
    "depth five thousand": _error("", "<a>" * 5000 + "</a>" * 5000, 1, "nested more than 1000 deep"),
    # --- links
    "no links": _error("", '<robot name="a"/>', 1, "the robot has no links"),
    "a link without a name": _error(_TIP, "<link/>", 25, "has no attribute 'name'"),
    "a link with a blank name": _error(_TIP, '<link name=" "/>', 25, "has no attribute 'name'"),
    "two links of one name": _error(_TIP, _TIP * 2, 25, "two links are called 'tool'"),
    "two inertials": _error(_TIP, '<link name="tool"><inertial/><inertial/></link>', 25, "2 <inertial> elements"),
    "two masses": _error(_MASS, _MASS * 2, 7, "2 <mass> elements"),
    "no mass": _error(_MASS, "", 5, "has no <mass>"),
    "no tensor": _error(_TENSOR, "", 5, "has no <inertia>"),
    "a mass without a value": _error(_MASS, "<mass/>", 7, "has no attribute 'value'"),
    "an empty mass": _error(_MASS, '<mass value=""/>', 7, 'is "", which is not a finite number'),
    "a mass in words": _error(_MASS, '<mass value="heavy"/>', 7, '"heavy", which is not a finite number'),
    "a mass with its unit": _error(_MASS, '<mass value="2.5kg"/>', 7, '"2.5kg", which is not a finite number'),
    "a mass with a comma": _error(_MASS, '<mass value="2,5"/>', 7, "write a decimal point, not a comma"),
    "a mass that is NaN": _error(_MASS, '<mass value="nan"/>', 7, '"nan", which is not a finite number'),
    "an infinite mass": _error(_MASS, '<mass value="inf"/>', 7, '"inf", which is not a finite number'),
    "a mass that overflows": _error(_MASS, '<mass value="1e400"/>', 7, "which is not a finite number"),
    "a mass of 400 digits": _error(_MASS, f'<mass value="{"9" * 400}"/>', 7, "which is not a finite number"),
    "a mass of 5000 digits": _error(_MASS, f'<mass value="{"9" * 5000}"/>', 7, "which is not a finite number"),
    "a hexadecimal mass": _error(_MASS, '<mass value="0x10"/>', 7, "which is not a finite number"),
    "underscores in a mass": _error(_MASS, '<mass value="1_000"/>', 7, "which is not a finite number"),
    "digits of another script": _error(_MASS, '<mass value="１"/>', 7, "which is not a finite number"),
    "a negative mass": _error(_MASS, '<mass value="-5"/>', 7, "the mass of link 'upper' is negative: -5"),
    "a mass beyond measure": _error(_MASS, '<mass value="1e300"/>', 8, "is too large"),
    "a tensor that lacks a moment": _error(' izz="0.25"', "", 8, "has no attribute 'izz'"),
    "a negative moment": _error('ixx="0.3"', 'ixx="-0.3"', 8, "negative principal moment"),
    "products that are too large": _error('ixy="0.01"', 'ixy="9"', 8, "negative principal moment"),
    "a moment in words": _error('iyy="0.2"', 'iyy="small"', 8, '"small", which is not a finite number'),
    "an origin of two numbers": _error('xyz="0.1 0.2 0.3"', 'xyz="0.1 0.2"', 6, "2 values where 3 are expected"),
    "an origin of four numbers": _error('xyz="0.1 0.2 0.3"', 'xyz="0 0 0 0"', 6, "4 values where 3 are expected"),
    "an origin with commas": _error('xyz="0.1 0.2 0.3"', 'xyz="0.1, 0.2, 0.3"', 6, "not a comma"),
    "an angle that is NaN": _error('rpy="0 0.4 0"', 'rpy="0 nan 0"', 6, "which is not a finite number"),
    "an origin beyond measure": _error('xyz="0 0 0.5"', 'xyz="0 0 1e40"', 4, "is too large"),
    "an expression of xacro": _error('xyz="0 0 0.5"', 'xyz="0 0 ${h}"', 27, "this looks like xacro"),
    # --- joints
    "a joint without a name": _error('<joint name="elbow" type', "<joint type", 34, "has no attribute 'name'"),
    "a joint without a type": _error('name="elbow" type="prismatic"', 'name="elbow"', 34, "has no attribute 'type'"),
    "two joints of one name": _error('name="elbow" type', 'name="grip" type', 41, "two joints are called 'grip'"),
    "an unknown type": _error('type="prismatic"', 'type="slider"', 34, "is of type 'slider'"),
    "a ball joint": _error('type="prismatic"', 'type="ball"', 34, "is of type 'ball'"),
    "a spherical joint": _error('type="prismatic"', 'type="spherical"', 34, "is of type 'spherical'"),
    "no parent": _error('<parent link="base"/>', "", 26, "has no <parent>"),
    "no child": _error('<child link="jaw"/>', "", 41, "has no <child>"),
    "two parents in a joint": _error('<parent link="base"/>', '<parent link="base"/>' * 2, 28, "2 <parent> elements"),
    "an unknown parent": _error('<parent link="base"/>', '<parent link="floor"/>', 28, "unknown parent link 'floor'"),
    "an unknown child": _error('<child link="jaw"/>', '<child link="claw"/>', 43, "unknown child link 'claw'"),
    "a link with two parents": _error('<child link="tool"/>', '<child link="fore"/>', 47, "'fore' has two parents"),
    "two trees": _error(_TIP, _TIP + '<link name="lost"/>', 25, "2 roots: base, lost"),
    "a loop": _error('<parent link="base"/>', '<parent link="fore"/>', 4, "the joints form a loop"),
    "a link that carries itself": _error('<parent link="jaw"/>', '<parent link="tool"/>', 25, "the joints form a loop"),
    "an axis of zeros": _error(_SHOULDER, '<axis xyz="0 0 0"/>', 30, "the axis of joint 'shoulder' is zero"),
    "an axis of two numbers": _error(_SHOULDER, '<axis xyz="0 1"/>', 30, "2 values where 3 are expected"),
    "an axis in words": _error(_SHOULDER, '<axis xyz="z"/>', 30, "1 values where 3 are expected"),
    "an axis without numbers": _error(_SHOULDER, "<axis/>", 30, "has no attribute 'xyz'"),
    "two axes": _error(_SHOULDER, _SHOULDER * 2, 30, "2 <axis> elements"),
    "limits the wrong way round": _error('lower="-1" upper="2"', 'lower="2" upper="-1"', 31, "has lower > upper"),
    "a negative effort": _warning('effort="40"', 'effort="-40"', 31, "is -40: taken as no limit"),
    "a negative velocity": _warning('velocity="3"', 'velocity="-3"', 31, "is -3: taken as no limit"),
    "a limit in words": _error('effort="40"', 'effort="strong"', 31, '"strong", which is not a finite number'),
    "an infinite limit": _error('upper="2"', 'upper="inf"', 31, '"inf", which is not a finite number'),
    "damping in words": _error('damping="0.5"', 'damping="some"', 32, '"some", which is not a finite number'),
    # --- mimics and transmissions
    "a mimic of itself": _error('mimic joint="shoulder"', 'mimic joint="grip"', 41, "'grip' mimics itself"),
    "a mimic of nothing": _error('mimic joint="shoulder"', 'mimic joint="knee"', 41, "'knee', which is no joint"),
    "a mimic of a fixed joint": _error(
        'mimic joint="shoulder"', 'mimic joint="flange"', 41, "'flange', which is a fixed"
    ),
    "a mimic without a joint": _error('<mimic joint="shoulder" ', "<mimic ", 45, "has no attribute 'joint'"),
    "mimics in a circle": _error(_END, _CHAIN + _END, 57, "follow each other in a circle"),
    "a mimic of 1e300": _error('multiplier="-2"', 'multiplier="1e300"', 41, "mimics with multiplier 1e+300"),
    "an offset of 1e300": _error('offset="0.5"', 'offset="1e300"', 41, "and offset 1e+300"),
    "a multiplier in words": _error('multiplier="-2"', 'multiplier="two"', 45, '"two", which is not a finite number'),
    "a reduction of 0": _error(_REDUCTION, _REDUCTION.replace("50", "0"), 55, "mechanical reduction of <actuator"),
    "a reduction as a ratio": _error(_REDUCTION, _REDUCTION.replace("50", "1:50"), 55, '"1:50", which is not a finite'),
    "a reduction of 1e200": _error(_REDUCTION, _REDUCTION.replace("50", "1e200"), 55, "1e+200 times as fast"),
    "an actuator without a name": _error('<actuator name="motor">', "<actuator>", 55, "has no attribute 'name'"),
    # --- warnings
    "a misspelt axis": _warning(_SHOULDER, '<axes xyz="0 0 1"/>', 30, "<axes> in <joint"),
    "a misspelt origin": _warning('<origin xyz="0 0.4 0"/>', '<orgin xyz="0 0.4 0"/>', 35, "<orgin> in <joint"),
    "a misspelt limit": _warning(_LIMIT, _LIMIT.replace("limit", "limits"), 31, "<limits> in <joint"),
    "misspelt damping": _warning('damping="0.5"', 'dampin="0.5"', 32, "an attribute 'dampin' that URDF does not know"),
    "a misspelt rpy": _warning('rpy="0 0.4 0"', 'rpv="0 0.4 0"', 6, "an attribute 'rpv'"),
    "a misspelt inertial": _warning(_TIP, '<link name="tool"><inertail/></link>', 25, "<inertail> in <link"),
    "a robot in a robot": _warning(_END, f'<robot name="b"/>{_END}', 57, '<robot name="b"> in <robot name="arm">'),
    "a joint in a link": _warning(_TIP, '<link name="tool"><joint name="x"/></link>', 25, '<joint name="x"> in <link'),
    "a link in a joint": _warning(_SHOULDER, f'{_SHOULDER}<link name="x"/>', 30, '<link name="x"> in <joint'),
    "an unknown attribute": _warning(_TIP, '<link name="tool" mass="2"/>', 25, "an attribute 'mass'"),
    "a mimic on a fixed joint": _warning(
        '<child link="tool"/>', '<child link="tool"/><mimic joint="elbow"/>', 50, "is fixed: its <mimic> is not read"
    ),
    "two origins": _warning('<origin xyz="0 0.4 0"/>', '<origin xyz="0 0.4 0"/>' * 2, 35, "2 <origin> elements"),
    "a robot without a name": _warning('<robot name="arm">', "<robot>", 2, "<robot> has no name"),
    "moments without mass": _warning(_MASS, '<mass value="0"/>', 8, "has moments of inertia but no mass"),
    "a triangle that is none": _warning('izz="0.25"', 'izz="0.9"', 8, "breaks the triangle inequality"),
    "a moving link without inertia": _warning(
        _END,
        '<link name="w"/><joint name="w" type="continuous"><parent link="base"/><child link="w"/></joint></robot>',
        57,
        "link 'w' has no inertia",
    ),
    "negative friction": _warning(
        'friction="0.1"', 'friction="-0.1"', 26, "the friction of joint 'shoulder' is negative"
    ),
    "no limits": _warning(_LIMIT, "", 26, "has no position"),
    "a transmission to nowhere": _warning(
        '<joint name="shoulder"/>', '<joint name="knee"/>', 52, "'knee': it is not read"
    ),
    "a transmission to a fixed joint": _warning(
        '<joint name="shoulder"/>', '<joint name="flange"/>', 52, "a fixed joint"
    ),
    "a transmission of another kind": _warning("SimpleTransmission", "FourBarLinkageTransmission", 52, "is not read"),
    "a reduction that is a word": _warning(
        _REDUCTION, _REDUCTION.replace("50", "reduction"), 52, "the word 'reduction'"
    ),
    "xacro that was left over": _warning(
        '<robot name="arm">',
        '<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="a" value="1"/>',
        2,
        "<xacro:property> is ignored",
    ),
}

XACRO = {
    "another document": _error("", "<mujoco/>", 1, "the document is <mujoco>"),
    "an unknown property": _error('value="${mass}"', 'value="${weight}"', 10, "there is no property 'weight'"),
    "an unknown macro": _error('<link name="base"/>', "<xacro:bar/>", 15, "there is no macro 'xacro:bar'"),
    "a parameter too few": _error('child="upper" z="0"', 'child="upper"', 26, "needs its parameter 'z'"),
    "a parameter too many": _error('child="upper" z="0"', 'child="upper" z="0" w="1"', 26, "has no parameter 'w'"),
    "a block that is missing": _error(
        '<xacro:rod name="upper"><origin xyz="0 0 ${half}"/></xacro:rod>',
        '<xacro:rod name="upper"/>',
        16,
        "needs a block",
    ),
    "a shell command": _error('value="0.4"', """value="${__import__('os').system('x')}\"""", 4, "which is none of"),
    "a way out by attributes": _error(
        'value="0.4"', 'value="${().__class__.__base__}"', 4, "more than arithmetic with names"
    ),
    "an index": _error('value="0.4"', 'value="${[1, 2][0]}"', 4, "more than arithmetic with names"),
    "a lambda": _error('value="0.4"', 'value="${(lambda: 1)()}"', 4, "calls lambda: 1"),
    "a comprehension": _error('value="0.4"', 'value="${[x for x in (1,)]}"', 4, "more than arithmetic with names"),
    "open": _error('value="0.4"', "value=\"${open('/etc/passwd')}\"", 4, "calls open"),
    "a power that never ends": _error('value="0.4"', 'value="${9**9**9}"', 4, "its result is too large"),
    "a word without end": _error('value="0.4"', "value=\"${'a' * 10**9}\"", 4, "words can only be joined"),
    "a division by zero": _error('value="${length / 2}"', 'value="${length / 0}"', 5, "divides by zero"),
    "not an arithmetic": _error('value="${length / 2}"', 'value="${length /}"', 5, "not an arithmetic expression"),
    "an expression that is not closed": _error('value="${length / 2}"', 'value="${length / 2"', 5, "is not closed"),
    "a property of itself": _error('value="${length / 2}"', 'value="${half}"', 5, "there is no property 'half'"),
    "properties of each other": _error(
        '<xacro:property name="half" value="${length / 2}"/>',
        '<xacro:property name="half" value="${other}"/><xacro:property name="other" value="${half}"/>',
        5,
        "is defined by itself",
    ),
    "a macro that calls itself": _error(
        '<link name="base"/>',
        '<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/><link name="base"/>',
        15,
        "call each other more than 100 deep",
    ),
    "macros that multiply": _error(
        '<link name="base"/>',
        "".join(f'<xacro:macro name="m{k}" params="">{f"<xacro:m{k + 1}/>" * 10}</xacro:macro>' for k in range(9))
        + '<xacro:macro name="m9" params=""><a/></xacro:macro><xacro:m0/><link name="base"/>',
        15,
        "more than 100000 elements",
    ),
    "words that double": _error(
        '<link name="base"/>',
        '<xacro:property name="w0" value="xxxxxxxxxx"/>'
        + "".join(f'<xacro:property name="w{k + 1}" value="${{w{k}}}${{w{k}}}"/>' for k in range(60))
        + '<link name="${w60}"/>',
        15,
        "more than 50000000 characters",
    ),
    "a command of roslaunch": _error('value="0.4"', 'value="$(eval 1 + 1)"', 4, "it could run or read anything"),
    "the environment": _error('value="0.4"', 'value="$(env HOME)"', 4, "it could run or read anything"),
    "another package": _error('value="0.4"', 'value="$(find elsewhere)"', 4, "the package 'elsewhere'"),
    "an argument without a value": _error('default="0.5"', "", 17, "the argument 'payload' has no default"),
    "a file outside": _error(
        '<link name="base"/>', '<xacro:include filename="/etc/passwd"/>', 15, "lies outside the robot's folder"
    ),
    "a file above": _error(
        '<link name="base"/>', '<xacro:include filename="../a.xacro"/>', 15, "outside the robot's folder"
    ),
    "a file that is not there": _error(
        '<link name="base"/>', '<xacro:include filename="a.xacro"/>', 15, "no such file"
    ),
    "a file that includes itself": _error(
        '<link name="base"/>',
        '<xacro:include filename="robot.urdf.xacro"/>',
        15,
        "include each other more than 100 deep",
    ),
    "yaml": _error('value="0.4"', "value=\"${xacro.load_yaml('a.yaml')}\"", 4, "calls xacro.load_yaml"),
    "a condition that is none": _error(
        '<xacro:if value="${payload_here if False else True}">',
        '<xacro:if value="maybe">',
        27,
        "neither true nor false",
    ),
    "a block that nobody gave": _error(
        '<xacro:insert_block name="origin"/>', '<xacro:insert_block name="centre"/>', 9, "there is no block 'centre'"
    ),
    "a mass in words": _error('value="${mass}"', 'value="heavy"', 10, '"heavy", which is not a finite number'),
}
