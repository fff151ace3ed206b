"""Saved models, certificates and controllers with one value changed: checksums fit again, and the words say where.

A case is the path of a value, what is put there (`GONE`: nothing), and what the reader must say.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from torquec.foundation.json_text import checksum

GONE = object()
_FOLDER = Path(__file__).parent / "documents"
Case = tuple[str, Any, str]


def document_with(name: str, path: str, value: object) -> dict[str, Any]:
    """The stored document of that name with one value changed, and checksums that fit."""
    values: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text())
    *steps, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
    holder: Any = values
    for step in steps:
        holder = holder[step]
    if value is GONE:
        del holder[last]
    else:
        holder[last] = copy.deepcopy(value)
    if "sha256" in values and last != "sha256":
        values.pop("sha256")
        values["sha256"] = checksum(values)
    return values


_JOINT = "robot.bodies.0.joint"

MODEL: dict[str, Case] = {
    "another format": ("format", "somebody's model", "this is not a saved model"),
    "no format": ("format", GONE, "this is not a saved model"),
    "a later version": ("version", 99, "the file has version 99"),
    "a version in words": ("version", "2", "the file has version '2'"),
    "a false checksum": ("sha256", "0" * 64, "the checksum does not fit"),
    "no checksum": ("sha256", GONE, "the checksum does not fit"),
    "an unknown kind": ("kind", "good", "model.kind"),
    "an unknown route": ("route", "scenic", "model.route"),
    "an unknown field": ("extra", 1, "'extra'"),
    "a field too few": ("quantities", GONE, "'quantities'"),
    "no robot": ("robot", None, "robot: an object was expected"),
    "a robot in words": ("robot", "arm", "robot: an object was expected"),
    "no bodies": ("robot.bodies", GONE, "'bodies' is missing"),
    "bodies that are none": ("robot.bodies", 3, "robot.bodies: a list was expected"),
    "an axis of zeros": (f"{_JOINT}.axis", [0.0, 0.0, 0.0], "the axis of joint 'turn'"),
    "an axis that is too long": (f"{_JOINT}.axis", [0.0, 0.0, 2.0], "the axis of joint 'turn'"),
    "an axis of two numbers": (f"{_JOINT}.axis", [0.0, 1.0], "3 elements were expected, there are 2"),
    "an axis in words": (f"{_JOINT}.axis", "z", "axis: a list was expected"),
    "a rotation that is none": (
        f"{_JOINT}.placement.rotation",
        [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        "rotation",
    ),
    "a mirror": (f"{_JOINT}.placement.rotation", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], "rotation"),
    "a negative mass": ("robot.bodies.0.inertia.m", -5.0, "robot.bodies[0].inertia.m: the mass is negative: -5"),
    "a negative moment": ("robot.bodies.0.inertia.zz", -1.0, "does not compute what its name says"),
    "a mass beyond measure": ("robot.bodies.0.inertia.m", 1e300, "is too large"),
    "a mass of 400 digits": ("robot.bodies.0.inertia.m", 10**399, "an integer of 400 digits"),
    "a mass in words": (
        "robot.bodies.0.inertia.m",
        "1",
        "robot.bodies[0].inertia: inertia.m: a finite number was expected",
    ),
    "two joints of one name": (f"{_JOINT}.name", "slide", "two parts of the robot are called 'slide'"),
    "two bodies of one name": ("robot.bodies.0.name", "slide_link", "two parts of the robot are called 'slide_link'"),
    "a parent that comes later": ("robot.bodies.0.parent", 1, "robot.bodies[0].parent: 1 is not an earlier body"),
    "a parent that is nobody": ("robot.bodies.1.parent", 7, "robot.bodies[1].parent: 7 is not an earlier body"),
    "an unknown type of joint": (f"{_JOINT}.type", "spherical", "is none of revolute, continuous, prismatic"),
    "limits the wrong way round": ("robot.bodies.1.joint.limits.lower", 9.0, "has lower > upper"),
    "a mimic of nothing": (
        f"{_JOINT}.mimic",
        {"joint": "knee", "multiplier": 1.0, "offset": 0.0},
        "there is no joint 'knee'",
    ),
    "a mimic of 1e300": (
        f"{_JOINT}.mimic",
        {"joint": "slide", "multiplier": 1e300, "offset": 0.0},
        "multiplier 1e+300",
    ),
    "a negative spring": (f"{_JOINT}.spring", {"stiffness": -1.0, "rest": 0.0}, "has the stiffness -1"),
    "a frame on no body": ("robot.frames.1.body", 9, "there is no body 9"),
    "half a surrogate pair": ("robot.name", "\ud800", "half a surrogate pair"),
    "an unknown quantity": ("quantities.speed", {}, "speed"),
    "a program that was changed": ("quantities.inverse_dynamics.function.operations.7.1", 0.5, "inverse_dynamics"),
    "a program of nothing": ("quantities.inverse_dynamics.function", None, "inverse_dynamics"),
    "an operation that is none": ("quantities.inverse_dynamics.function.operations.6.0", "exec", "inverse_dynamics"),
    "an operand that comes later": ("quantities.inverse_dynamics.function.operations.6.1", 33, "inverse_dynamics"),
    "a count that is false": ("quantities.inverse_dynamics.operations.mul", 3, "inverse_dynamics"),
    "a certificate of an exact model": ("certificate", {"format": "torquec certificate 3"}, "certificate"),
}

CERTIFICATE: dict[str, Case] = {
    "another format": ("format", "torquec certificate 99", "certificate"),
    "no format": ("format", GONE, "certificate"),
    "no joints": ("joints", GONE, "joints"),
    "joints that are a list": ("joints", [], "joints"),
    "a negative bound": ("joints.turn.bound", "0.6", "certificate.joints.turn.bound"),
    "a bound beyond all doubles": ("joints.turn.bound", 10**399, "an integer of 400 digits"),
    "an unknown field of a proof": ("joints.turn.leaves", ["a b"], "leaves"),
    "a box of one joint": ("motions.lower", [0.0], "motions"),
    "a box the wrong way round": ("motions.lower", [9.0, 9.0], "motions"),
    "no program": ("program", None, "program"),
    "an operation that is none": ("program.operations.6.0", "exec", "exec"),
    "a false checksum": ("sha256", "0" * 64, "checksum"),
    "an unknown field": ("extra", 1, "'extra'"),
}

CONTROLLER: dict[str, Case] = {
    "another format": ("format", "x", "this is not a Torquec controller"),
    "a later version": ("version", 99, "version 99 is not known"),
    "an unknown kind": ("kind", "autopilot", "kind"),
    "no joints": ("joints", [], "joints have different names, one or more"),
    "two joints of one name": ("joints", ["turn", "turn"], "joints have different names"),
    "a joint too many": ("joints", ["turn", "slide", "lift"], "controller.function"),
    "a period of zero": ("period", 0.0, "is not a sampling interval"),
    "a negative period": ("period", -0.001, "is not a sampling interval"),
    "a period in words": ("period", "fast", "controller.period"),
    "no program": ("function", None, "controller.function"),
    "an operation that is none": ("function.operations.10.0", "exec", "controller.function"),
    "an output that is not there": ("function.outputs.0.values", [999, 46], "controller.function"),
    "an input that is missing": ("function.inputs.0.name", "wish", "controller.function"),
    "a constant that is no number": ("function.operations.14.1", "100", "controller.function"),
    "an unknown field": ("extra", 1, "'extra' is not known"),
    "no name": ("name", GONE, "'name' is missing"),
}

TEXTS: dict[str, tuple[str, int | None, str]] = {
    "empty": ("", 1, "not JSON"),
    "words": ("hello", 1, "not JSON"),
    "cut off": ('{"format": "torquec-model",\n"version": 2', 2, "not JSON"),
    "a list": ("[1, 2]", None, "it holds no object"),
    "a number": ("3", None, "it holds no object"),
    "NaN": ('{"a": NaN}', None, "NaN is not a number of JSON"),
    "infinity": ('{"a": -Infinity}', None, "-Infinity is not a number of JSON"),
    "a number that overflows": ('{"a": 1e999}', None, "1e999 is beyond all doubles"),
    "a key twice": ('{"a": 1, "a": 2}', None, "the key 'a' occurs twice"),
    "deep nesting": ("[" * 5000 + "]" * 5000, None, "nested too deep"),
    "an integer of 5000 digits": ('{"a": ' + "9" * 5000 + "}", None, "an integer of 5000 digits"),
    "half a surrogate pair": ('{"a": "\\ud800"}', None, "half a surrogate pair"),
    "another encoding": ('{"a": "\xff"}', 1, "not UTF-8 text"),
}
"""What no document is, whichever it should be: text, line, words. Written as Latin-1."""
