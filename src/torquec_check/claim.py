"""The canonical claim: what is stated, of which robot, in which box, under which conditions, in one sentence and table.

Headers of code, controllers, verdicts, screens, JSON documents and reports print this object and nothing of their own.
It is made from fields that the checker proves, or that are called *computed*: without a witness that can be replayed.
Upper bounds are rounded up in their last digit. Ranges of the box are rounded inwards, so that no text claims more than
the proof. A specification is shown by its parsed requirements; comments in its text are not part of it.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from enum import StrEnum
from typing import Any

from torquec_check.document import RefusedError, canonical_hash, fields, items, number, numbers

SENTENCE_DIGITS, TABLE_DIGITS = 3, 6
BASE, SUFFIXES = 6, ("vx", "vy", "vz", "wx", "wy", "wz")  # rates of a free base, and what their names end with
_LENGTH = " of length 1 -+ 1e-6 (beside 1 it changes gravity by up to 4.1e-6 of it, which the bounds do not contain)"
_PLAIN = re.compile(
    r"(?!(?:minus|negative|under|below|less|about|roughly|nearly|almost|half|third|quarter|tenth|"
    r"hundredth|thousandth|[mb]illionth|percent|deci|centi|milli|micro|nano|pico|femto|atto|zero|none|no|not|e[+-]?\d+)$)"
    r"[a-z_](?:[\w.+-]{0,58}\w)?",
    re.ASCII | re.IGNORECASE,
)
"""Names that are not taken for words, numbers or marks before a bound: "at most minus 1.86 N m"."""
_BOX_KEYS = ("name", "range", "velocity", "acceleration", "jerk")
"""What a specification says of the motions: a claim states its box itself, and nothing of jerks."""
_OTHER_KEYS = ("robot", "joint", "search", "coefficients")
"""The same for all joints; search and threshold say how the program was made, and ask for no error."""

RIGID = "rigid bodies and rotors, without friction and springs"
ROUNDING = {
    "double": "code in double precision",
    "single": "code in single precision (FLT_EVAL_METHOD 0) or in double precision",
}


class Standing(StrEnum):
    """What a claim rests on."""

    PROVEN = "proven"
    """It has a witness: the checker proves it again from the files alone."""
    COMPUTED = "computed"
    """It has no witness: it rests on the program that computed it."""


@dataclass(frozen=True)
class Bound:
    """The error of a quantity at a joint is at most `bound`, the rounding of code included."""

    quantity: str
    joint: str
    bound: float
    unit: str


@dataclass(frozen=True)
class JointRange:
    """The motions of one joint that a claim is about; None where position, speed or acceleration do not count."""

    joint: str
    lower: float | None
    upper: float | None
    velocity: float | None
    acceleration: float | None
    unit: str

    def __str__(self) -> str:
        text = f"{named(self.joint)}: any position"
        if self.lower is not None and self.upper is not None:
            text = f"{named(self.joint)}: position {rounded_up(self.lower)} to {rounded_down(self.upper)} {self.unit}"
        if self.velocity is None or self.acceleration is None:
            return text
        rates = f"speed up to {rounded_down(self.velocity)} {self.unit}/s"
        return f"{text}, {rates}, acceleration up to {rounded_down(self.acceleration)} {self.unit}/s^2"


@dataclass(frozen=True)
class ClaimedRobot:
    """Which robot: name, SHA-256 of its document (bodies to drives), and gravity, payloads and locks in words."""

    name: str
    sha256: str
    setting: tuple[str, ...]

    def __str__(self) -> str:
        parts = [f"{named(self.name)} (sha256 {self.sha256[:12]})"] if self.name else []
        return "; ".join([*parts, *self.setting])

    def to_document(self) -> dict[str, Any]:
        """As JSON values."""
        return dataclasses.asdict(self) | {"setting": list(self.setting)}


@dataclass(frozen=True)
class Claim:
    """One claim; `conditions` are what else must hold, `requirements` what a specification asks for, and is met.

    `least_inertia` says by joint which diagonal the mass matrix exceeds, where that is proven.
    """

    standing: Standing
    what: str
    robot: ClaimedRobot
    bounds: tuple[Bound, ...]
    box: tuple[JointRange, ...]
    conditions: tuple[str, ...]
    requirements: tuple[str, ...] = ()
    least_inertia: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The claim in one sentence, without a full stop."""
        parts = [part for part in (str(self.robot), *self.conditions) if part]
        parts += ["all motions of the box"] if self.box else []
        shown = [
            f"{named(each.joint)} {rounded_up(each.bound, SENTENCE_DIGITS)} {each.unit}" for each in self.main_bounds
        ]
        also = len(self.bounds) - len(shown)
        more = f"; {also} coefficients are within bounds of their own" if also else ""
        stated = f"the {self.what} is at most {', '.join(shown)}" if shown else f"the {self.what} is bounded"
        return f"{self.standing} for {'; '.join(parts)}: {stated}{more}"

    @property
    def main_bounds(self) -> tuple[Bound, ...]:
        """The bounds without those of single coefficients, such as M[1,2]."""
        return tuple(each for each in self.bounds if "[" not in each.quantity)

    def lines(self) -> list[str]:
        """The claim as a text: the sentence, and bounds, box and requirements in a line each."""
        found = [f"{capitalized(self.sentence)}."]
        for each in self.main_bounds:
            found += [f"  {self.what} of {named(each.joint)}: at most {rounded_up(each.bound)} {each.unit}"]
        positive = "The program's mass matrix exceeds a diagonal one in the box, and is positive definite:"
        lists = (("Box:", self.box), (positive, self.least_inertia), ("Specification that is met:", self.requirements))
        for head, rows in lists:
            found += [head, *(f"  {row}" for row in rows)] if rows else []
        return [*found, f"Robot, sha256 of its document: {self.robot.sha256}"] if self.robot.sha256 else found

    def to_document(self) -> dict[str, Any]:
        """As JSON values, with the sentence and the lines of the text."""
        return {"sentence": self.sentence, "lines": self.lines(), **dataclasses.asdict(self)}


def code_lines(
    claim: Claim, model: Mapping[str, Any], file: str, precision: str, quantities: Sequence[str]
) -> list[str]:
    """What generated code says at its top: the claim, the model's document in `file`, and how to check both."""
    found = [
        f"SIMPLIFIED: this is not the exact dynamics of {named(claim.robot.name)}.",
        *claim.lines(),
        f"Model and certificate: {file}; the fields sha256 of their documents, not of the bytes of a file, are",
        f"  model        {model['sha256']}",
        f"  certificate  {model['certificate']['sha256']}",
    ]
    if precision != "double" and model["certificate"].get("rounding") is None:
        found.append("This code computes in single precision: its rounding comes on top of every error above.")
    if others := [":".join(map(named, name.split(":", 1))) for name in quantities if name != "inverse_dynamics"]:
        found.append(f"Computed from the certified program, without bounds of their own errors: {', '.join(others)}.")
    joints = ", ".join(named(each.joint) for each in claim.box)
    return [*found, f"Joints in order: {joints}.", "Check proof, model and code with:  torquec check DIR"]


def named(name: str) -> str:
    """A name as it stands in a claim: in quotation marks where it could be taken for words or numbers of the claim."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name[:200])


def capitalized(sentence: str) -> str:
    """A sentence with its first letter in upper case."""
    return f"{sentence[:1].upper()}{sentence[1:]}"


def rounded_up(bound: float, digits: int = TABLE_DIGITS) -> str:
    """A number as a text of at most `digits` digits that is not below it: 0.000934 as 0.00094."""
    return _rounded(bound, digits, ROUND_CEILING)


def rounded_down(bound: float, digits: int = TABLE_DIGITS) -> str:
    """A number as a text of at most `digits` digits that is not above it."""
    return _rounded(bound, digits, ROUND_FLOOR)


def _rounded(bound: float, digits: int, rounding: str) -> str:
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(repr(float(bound)))):.{digits}g}"


def certificate_claim(certificate: Mapping[str, Any], robot: Mapping[str, Any]) -> Claim:
    """The claim of a certificate's document about the robot of a document: errors of torques and of coefficients."""
    units = _units(robot)
    joints, motions = list(units), certificate["motions"]
    bounds = [
        Bound("inverse_dynamics", joint, certificate["joints"][joint]["bound"], units[joint][1])
        for joint in joints
        if joint in certificate["joints"]
    ]
    inner = (certificate.get("coefficients") or {"coefficients": {}})["coefficients"]
    for name, proof in inner.items():
        indices = [joints[k] for k in proof["index"]]
        bounds.append(Bound(name, indices[0], proof["bound"], _coefficient_unit(proof, indices, units)))
    conditions = [RIGID, ROUNDING["double" if certificate.get("rounding") is None else "single"]]
    second = (certificate["coefficients"] or certificate)["program"]
    if second != certificate["program"] or (certificate["coefficients"] and certificate.get("rounding")):
        conditions.append(
            "coefficients and control: of the program coefficients.program in the certificate, in doubles"
        )
    if certificate["coefficients"]:
        others = zip(joints, certificate["coefficients"]["others"], strict=True)
        each = ", ".join(f"{named(joint)} {rounded_up(bound, SENTENCE_DIGITS)}" for joint, bound in others)
        conditions.append(f"coefficients without a bound of their own are right, at unit rates, to {each}")
    lower, upper = (motions[key] for key in ("lower", "upper"))
    if certificate.get("limbs"):
        lower, upper = ([None] * BASE + side[BASE:] for side in (lower, upper))
        conditions.append(f"the base in any pose, given by a quaternion{_LENGTH}; its rates in its own axes")
    speeds, rates = (motions.get(key) or [None] * len(joints) for key in ("velocity", "acceleration"))
    box = zip(joints, lower, upper, speeds, rates, strict=True)
    return Claim(
        Standing.PROVEN,
        "torque error" if certificate["joints"] else "error of each coefficient",
        claimed_robot(robot),
        tuple(bounds),
        tuple(JointRange(*row, unit=units[row[0]][0]) for row in box),
        tuple(conditions),
        tuple(_requirements(certificate["specification"])),
        tuple(
            f"{named(joint)}: {rounded_down(least)} {'kg' if units[joint][0] == 'm' else 'kg m^2'}"
            for joint, least in zip(joints, certificate.get("least_inertia") or (), strict=False)
        ),
    )


def hold_claim(document: Mapping[str, Any]) -> Claim:
    """The claim of a hold certificate: torques of held coefficients against the robot's at the same instant."""
    robot, motions, order = document["robot_document"], document["motions"], document["order"]
    units = _units(robot)
    box = zip(units, *(motions[key] for key in ("lower", "upper", "velocity", "acceleration")), strict=True)
    age, jerk = rounded_down(1e3 * document["age"]), motions["jerk"]
    limits = None if jerk is None else ", ".join(map(rounded_down, jerk))
    samples = "all of one sample at" if order == "first" else "M and g, and c, of a sample each, at"
    return Claim(
        Standing.PROVEN,
        "torque error with held coefficients",
        claimed_robot(robot),
        tuple(Bound("held_torque", joint, row["bound"], units[joint][1]) for joint, row in document["joints"].items()),
        tuple(JointRange(joint, low, high, v, a, units[joint][0]) for joint, low, high, v, a in box),
        (
            "rigid bodies, rotors and linear springs, without friction",
            f"coefficients of the program in the certificate, {samples} most {age} ms old, held at {order} order",
            "torques for the acceleration that the motion has",
            "the rounding of code that holds coefficients comes on top",
            "accelerations may jump" if limits is None else f"jerks of the joints up to {limits} rad/s^3 or m/s^3",
        ),
    )


def _units(robot: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Units of position and effort by independent joint, and by rate of a free base."""
    free = [body["joint"] for body in robot["bodies"] if body["joint"]["mimic"] is None]
    slides = {f"{x['name']}_{suffix}": suffix < "w" for x in free if x["type"] == "free" for suffix in SUFFIXES}
    slides |= {joint["name"]: joint["type"] == "prismatic" for joint in free if joint["type"] != "free"}
    return {name: ("m", "N") if each else ("rad", "N m") for name, each in slides.items()}


def claimed_robot(robot: Mapping[str, Any]) -> ClaimedRobot:
    """The robot of a document, as claims state it."""
    return ClaimedRobot(str(robot["name"]), canonical_hash(robot), tuple(_setting(robot)))


def _setting(robot: Mapping[str, Any]) -> Iterator[str]:
    bodies = robot.get("bodies", [])
    free = any(body["joint"]["type"] == "free" for body in bodies)
    yield f"gravity ({_listed(robot['gravity'])}) m/s^2 in the {'world' if free else 'base'} frame"
    payloads = items(robot.get("attached", []), "robot.attached")
    if not payloads:
        yield "no payload"
    for held in payloads:
        frame, mass, center, inertia = fields(held, "frame mass center inertia", "payload", ignored="name")
        text = f"payload {number(mass, 'payload')!r} kg at ({_listed(center)}) m of frame {named(frame)}"
        if any(value for row in inertia for value in row):
            text += f" with the inertia ({', '.join(f'({_listed(row)})' for row in inertia)}) kg m^2"
        yield text
    locks = [fields(each, "name position", "robot.locked") for each in items(robot.get("locked", []), "robot.locked")]
    if {*_units({"bodies": bodies}), *(body["joint"]["name"] for body in bodies)} & {name for name, _ in locks}:
        raise RefusedError("a joint of the robot's document is locked, and moves")
    locked = [f"{named(name)} at {number(position, 'locked joint')!r}" for name, position in locks]
    yield f"locked joints {', '.join(locked)} [rad, m]" if locked else "no locked joint"


def _listed(values: Sequence[float]) -> str:
    return ", ".join(map(repr, numbers(values, "robot")))


def _coefficient_unit(proof: Mapping[str, Any], joints: Sequence[str], units: Mapping[str, tuple[str, str]]) -> str:
    if proof["kind"] == "relative":
        return "relative"
    per = " ".join(units[joint][0] for joint in joints[1:])
    effort = units[joints[0]][1]
    return f"{effort} s^2/{per if len(joints) == 2 else f'({per})'}" if per else effort


def _requirements(specification: str) -> Iterator[str]:
    """What a specification asks for beside its box, from its parsed values; not how the program was searched for."""
    try:
        stated = tomllib.loads(specification)
    except tomllib.TOMLDecodeError as error:
        raise RefusedError(f"the specification cannot be read: {error}") from None
    plain = {key: value for key, value in stated.items() if key not in _OTHER_KEYS}
    for joint in stated.get("joint", []):
        plain |= {f"{named(joint['name'])}: {key}": value for key, value in joint.items() if key not in _BOX_KEYS}
    while plain:
        name = next(iter(plain))
        value = plain.pop(name)
        if isinstance(value, Mapping):
            plain = {**{f"{name}.{named(key)}": inner for key, inner in value.items()}, **plain}
        else:
            yield f"{name} = {value!r}"
