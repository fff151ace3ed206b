"""MJCF files with one thing wrong; see `bad_robots` for what a case says."""

from __future__ import annotations

from tests.corpus.bad_robots import BadFile

_SHOULDER = '<joint name="shoulder" type="hinge" axis="0 0 1" range="-1 2" armature="0.02"/>'
_INERTIAL = '<inertial pos="0.1 0 0" mass="2.5" diaginertia="0.2 0.2 0.1"/>'
_GEOM = '<geom type="box" size="0.02 0.02 0.05" mass="0.1"/>'
_TENDON = '<fixed name="cable">'
_EQUALITY = '<joint joint1="grip" joint2="shoulder" polycoef="0.5 -2 0 0 0"/>'
_OPTION = '<option gravity="0 0 -9.81"/>'
_REPLICATES = "<replicate count='300'>" * 4 + "<body><joint/><geom size='1'/></body>" + "</replicate>" * 4


def _error(old: str, new: str, line: int | None, words: str) -> BadFile:
    return BadFile(old, new, line, words)


def _warning(old: str, new: str, line: int | None, words: str) -> BadFile:
    return BadFile(old, new, line, words, warning=True)


MJCF = {
    "empty": _error("", "", None, "the file is empty"),
    "cut off": _error("", "<mujoco>\n<worldbody>", 2, "not valid XML"),
    "another document": _error("", "<sdf/>", 1, "the document is <sdf>"),
    "a part of a document": _error("", "<mujocoinclude/>", 1, "load the file that includes it"),
    "an entity bomb": _error(
        "", '<!DOCTYPE m [<!ENTITY a "a">]>\n<mujoco model="&a;"/>', 1, "document type or entities"
    ),
    "no bodies": _error("", "<mujoco/>", 1, "the model has no joints"),
    "no joints": _error(
        "", "<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>", 1, "has no joints"
    ),
    "an unknown section": _error(_OPTION, "<options/>", 3, "<options> in <mujoco"),
    "an unknown element": _error(_INERTIAL, "<inertail/>", 11, "unrecognized element"),
    "an unknown attribute": _error('mass="2.5"', 'weight="2.5"', 11, "unrecognized attribute"),
    "a missing mass": _error(' mass="2.5"', "", 11, "required attribute missing: 'mass'"),
    "a mass in words": _error('mass="2.5"', 'mass="heavy"', 11, "in attribute 'mass'"),
    "a hexadecimal mass": _error('mass="2.5"', 'mass="0x10"', 11, 'mass of <inertial> is "0x10"'),
    "a mass that is NaN": _error('mass="2.5"', 'mass="nan"', 11, 'mass of <inertial> is "nan"'),
    "an infinite mass": _error('mass="2.5"', 'mass="inf"', 11, 'mass of <inertial> is "inf"'),
    "a mass that overflows": _error('mass="2.5"', 'mass="1e400"', 11, 'mass of <inertial> is "1e400"'),
    "a mass beyond measure": _error('mass="2.5"', 'mass="1e40"', 9, "is too large"),
    "a negative mass": _error('mass="2.5"', 'mass="-5"', 9, "MuJoCo rejects this model"),
    "no mass": _error('mass="2.5"', 'mass="0"', 9, "MuJoCo rejects this model"),
    "a negative moment": _error('diaginertia="0.2 0.2 0.1"', 'diaginertia="-0.2 0.2 0.1"', 9, "MuJoCo rejects"),
    "a triangle that is none": _error('diaginertia="0.2 0.2 0.1"', 'diaginertia="0.2 0.2 0.9"', 9, "MuJoCo rejects"),
    "moments of two numbers": _error('diaginertia="0.2 0.2 0.1"', 'diaginertia="0.2 0.2"', 11, "MuJoCo rejects"),
    "a position of two numbers": _error('pos="0.1 0 0"', 'pos="0.1 0"', 11, "MuJoCo rejects this model"),
    "an axis of zeros": _error('axis="0 0 1"', 'axis="0 0 0"', 10, "MuJoCo rejects this model"),
    "a quaternion of zeros": _error('quat="1 0 0 0"', 'quat="0 0 0 0"', 9, "MuJoCo rejects this model"),
    "an unknown order of angles": _error('eulerseq="xyz"', 'eulerseq="abc"', 2, 'eulerseq is "abc"'),
    "an order of two angles": _error('eulerseq="xyz"', 'eulerseq="xy"', 2, 'eulerseq is "xy"'),
    "an unknown unit of angles": _error('angle="radian"', 'angle="turns"', 2, "invalid keyword"),
    "an unknown type of joint": _error('type="hinge"', 'type="revolute"', 10, "invalid keyword"),
    "an unknown shape": _error('type="capsule"', 'type="brick"', 14, "invalid keyword"),
    "an unknown class": _error('childclass="light"', 'childclass="heavy"', 12, "unknown default childclass"),
    "two joints of one name": _error('joint name="grip"', 'joint name="elbow"', 17, "repeated name 'elbow'"),
    "two bodies of one name": _error('body name="jaw"', 'body name="fore"', 16, "repeated name 'fore'"),
    "limits the wrong way round": _error('range="-1 2"', 'range="2 -1"', 10, "goes from 2 to -1"),
    "a free joint": _error(_SHOULDER, "<freejoint/>", 23, "MuJoCo rejects this model"),
    "a free joint that is coupled": _error('type="hinge"', 'type="free"', 23, "MuJoCo rejects this model"),
    "a ball joint with a spring": _error(
        'type="slide" axis="0 1 0"', 'type="ball"', 13, "has a spring and several coordinates"
    ),
    "a joint that is free by default": _error(
        '<joint damping="0.1"/>', '<joint type="free"/>', 23, "MuJoCo rejects this model"
    ),
    "a negative rotor inertia": _error('armature="0.02"', 'armature="-0.02"', 10, "(armature) of <joint"),
    "a negative spring": _error('stiffness="20"', 'stiffness="-20"', 13, "the stiffness -20"),
    "a spring of many terms": _error('stiffness="20"', 'stiffness="20 5"', 13, "nonlinear stiffness"),
    "inertia from a mesh": _error(_GEOM, '<geom type="mesh" mesh="m"/>', 18, "takes its inertia from a mesh"),
    "a tendon with a spring": _error(_TENDON, '<fixed name="cable" stiffness="2">', 24, "tendons have no model here"),
    "a coupling that locks": _error(' joint2="shoulder"', "", 17, "locks the joint"),
    "a coupling of 1e300": _error(
        'polycoef="0.5 -2 0 0 0"', 'polycoef="0.5 1e300 0 0 0"', 17, "mimics with multiplier 1e+300"
    ),
    "a coupling to nothing": _error('joint2="shoulder"', 'joint2="knee"', 23, "MuJoCo rejects this model"),
    "two couplings of a joint": _error(_EQUALITY, _EQUALITY * 2, 17, "follows two others"),
    "a gear of 1e200": _error('gear="50"', 'gear="1e200" armature="1e-6"', 26, "1e+200 times as fast"),
    "an actuator that misspells its joint": _error(
        'joint="shoulder" gear', 'jiont="shoulder" gear', 26, "unrecognized attribute"
    ),
    "controls the wrong way round": _error('ctrlrange="-1 1"', 'ctrlrange="1 -1"', 26, "goes from 1 to -1"),
    "an actuator of nothing": _error('joint="shoulder" gear', 'joint="knee" gear', 26, "MuJoCo rejects this model"),
    "a composite": _error(_GEOM, '<composite type="cable" count="3 1 1"/>', 18, "<composite> in <body"),
    "a soft body": _error(_GEOM, '<flexcomp name="f" type="grid"/>', 18, "deformable bodies"),
    "an attached model": _error(
        _GEOM, '<attach model="m" prefix="p"/>', 18, "write the attached bodies into this file"
    ),
    "a plugin": _error(_GEOM, '<plugin plugin="p"/>', 18, "the effect of a plugin is unknown"),
    "a bomb of copies": _error(_GEOM, _GEOM + _REPLICATES, 18, "gives more than 100000 elements"),
    "a copy without end": _error(_GEOM, _GEOM + "<replicate count='4000000000'/>", 18, "MuJoCo rejects this model"),
    "bodies without end": _error(
        "", "<mujoco><worldbody>" + "<body>" * 999 + "</body>" * 999 + "</worldbody></mujoco>", 1, "nested"
    ),
    "a file that is not there": _error(_OPTION, '<include file="absent.xml"/>', 3, "no such file"),
    "a file that includes itself": _error(_OPTION, '<include file="robot.xml"/>', 3, "is included twice"),
    "a file anywhere": _error(_OPTION, '<include file="/etc/passwd"/>', 3, "leads away from the robot's folder"),
    "an include of nothing": _error(_OPTION, "<include/>", 3, "has no attribute 'file'"),
    "a tendon that only limits": _warning(_TENDON, '<fixed name="cable" range="0 1" limited="true">', 24, "its limits"),
    "forces of the air": _warning(_OPTION, '<option density="1.2"/>', None, "the forces of the medium"),
    "a body that floats": _warning('body name="jaw"', 'body name="jaw" gravcomp="1"', 16, "gravcomp of body 'jaw'"),
    "negative friction": _warning(
        'frictionloss="0.01"', 'frictionloss="0.01" damping="-1"', 17, "friction of joint 'grip' is negative"
    ),
}
