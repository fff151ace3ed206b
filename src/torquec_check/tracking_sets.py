"""The sets of robots, sensors and drives that a tracking witness is about, and the torques that they stand for.

(1)  Friction of a joint at the speed v: f+ = C+ + B+ v forwards, f- = -C- + B- v backwards, anything between at rest,
     and an offset; every term is wrong by at most a part, and a residual is added. C, B >= 0: both grow with v
(2)  The controller compensates friction at the speed of the reference; with a smoothing speed v0 the dry part is
     max(w, 0) C+ + min(w, 0) C-,  w = v/sqrt(v^2 + v0^2)
(3)  A payload at a frame: its mass m, its centre c within a ball of radius r, its own moments of inertia from 0 to
     i m r^2 (products at most half of it). About the frame's origin: first moments |m c| <= m r; moments from 0 to
     (1 + i) m r^2, products at most (1 + i) m r^2/2. A point mass that the document has at the origin is taken off
(4)  Every standard parameter of a body may be wrong by a part of itself: mass, first moments, inertia.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from torquec_check.claim import named, rounded_down
from torquec_check.document import RefusedError, expect, fields, items, number, numbers
from torquec_check.robot import Body, Robot, check_rotation
from torquec_check.rows import UP, Array

REMEDY = "state other sets, or use the bound as a computed one"
_JOINT_SETS = "friction_part friction_residual drive_error position position_bias speed_noise"
_BODY_SETS = "mass_part first_moment_part inertia_part"
_FRICTION = "viscous_positive viscous_negative coulomb_positive coulomb_negative offset"


@dataclass(frozen=True)
class Payload:
    """(3): at a frame of a body, with its placement as written."""

    frame: str
    carrier: Body
    low: float
    high: float
    radius: float
    inertia_part: float
    nominal: float

    def parameters(self) -> list[tuple[float, float]]:
        """Middles and half widths of the ten standard parameters, beyond the nominal mass."""
        first = self.high * self.radius * UP
        moment = (1.0 + self.inertia_part) * first * self.radius * UP
        square, product = (0.5 * moment, 0.5 * moment * UP), (0.0, 0.5 * moment * UP)
        mass = 0.5 * (self.low + self.high) - self.nominal, 0.5 * (self.high - self.low)
        rounded = mass[0], (mass[1] + 1e-15 * (self.high + self.nominal)) * UP
        return [square, product, product, square, product, square, *[(0.0, first)] * 3, rounded]


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of a witness, (n,) each; `friction` (5, n) are the nominal terms, zero where friction is left out."""

    friction_part: Array
    friction_residual: Array
    drive_error: Array
    position: Array
    position_bias: Array
    speed_noise: Array
    body_parts: tuple[float, ...]
    payload: Payload | None
    friction: Array
    smoothing: float
    has_friction: bool

    @property
    def noise(self) -> Array:
        """Half of an encoder's step."""
        return 0.5 * self.position

    @property
    def offset(self) -> Array:
        """The constant part of the errors of measured positions."""
        return (0.5 * self.position + self.position_bias) * UP

    def friction_error(self, own: tuple[Array, Array], wanted: tuple[Array, Array]) -> Array:
        """The largest |f^ - f| (N, n) of (1) and (2), from ends of the true and the reference's speeds (N, n)."""
        if not self.has_friction:
            return np.zeros_like(own[0])
        below, above = _dry_ends(self.friction, *own)
        lower, upper = self._compensated(wanted[0]), self._compensated(wanted[1])
        if not self.smoothing:
            lower, upper = _dry_ends(self.friction, *wanted)
        fastest = np.maximum(np.abs(own[0]), np.abs(own[1]))
        b_plus, b_minus, c_plus, c_minus, offset = np.abs(self.friction)
        size = np.maximum(b_plus, b_minus) * fastest + np.maximum(c_plus, c_minus) + offset
        loose = self.friction_part * size + self.friction_residual
        scale = 1e-14 * (np.abs(upper) + np.abs(lower) + np.abs(above) + np.abs(below))
        return np.asarray((np.maximum(upper - below, above - lower) + loose + scale) * UP)

    def largest_compensation(self, wanted: tuple[Array, Array]) -> Array:
        """The largest |f^| (N, n)."""
        low, high = _dry_ends(self.friction, *wanted)
        return np.asarray((np.maximum(np.abs(low), np.abs(high)) + np.abs(self.friction[4])) * UP)

    def _compensated(self, v: Array) -> Array:
        """(2), without the offset, which the true friction has, too."""
        b_plus, b_minus, c_plus, c_minus, _ = self.friction
        w = v / np.sqrt(v * v + self.smoothing**2) if self.smoothing else np.sign(v)
        return np.asarray(np.where(v >= 0.0, b_plus * v + c_plus * w, b_minus * v + c_minus * w))

    def words(self, joints: Sequence[str], units: Sequence[str]) -> list[str]:
        """The sets in words, as conditions of a claim; sizes are rounded down: no claim about larger ones."""
        each = [
            ("friction known to", self.friction_part, "while moving, any Coulomb torque standing", ""),
            ("a friction residual of", self.friction_residual, "", "effort"),
            ("drives within", self.drive_error, "of the torque asked for", "effort"),
            ("encoders of", self.position, "", "position"),
            ("encoder offsets of", self.position_bias, "", "position"),
            ("speeds measured within", self.speed_noise, "", "speed"),
        ]
        found = []
        if not self.has_friction:
            found.append("the robot without friction, if the law compensates none, or with just what it cancels")
        for begin, values, end, kind in each:
            if self.has_friction and kind == "" and not values.any():
                found.append("friction as in the model while moving, any Coulomb torque standing")
            elif values.any():
                rows = zip(values.tolist(), units, strict=True)
                words = [f"{rounded_down(x)}{_unit(unit, kind)}" if kind else _percent(x) for x, unit in rows]
                found.append(f"{begin} {listed(joints, words)} {end}".rstrip())
        if not self.drive_error.any():
            found.append("drives that give the torque asked for")
        if not (self.position.any() or self.position_bias.any()):
            found.append("exact positions" if self.speed_noise.any() else "exact sensors")
        names = ("masses", "first moments", "moments of inertia about body frames")
        parts = [f"{name} known to {_percent(part)}" for name, part in zip(names, self.body_parts, strict=True) if part]
        found.append(", ".join(parts) if parts else "bodies as in the document")
        if self.payload is None:
            found.append("no payload that the document does not have")
        else:
            p = self.payload
            low, high, radius, part, nominal = map(rounded_down, (p.low, p.high, p.radius, p.inertia_part, p.nominal))
            known = f", {nominal} kg of it in the document" if p.nominal else ""
            found.append(
                f"an unknown payload of {low} to {high} kg at frame {named(p.frame)}, its centre within {radius} m, "
                f"its own inertia up to {part} m r^2{known}"
            )
        return found


def sets_of(values: Any, document: Any, robot: Robot) -> Sets:
    """The sets of a witness; raises `RefusedError`, naming the entry."""
    *rows, bodies, payload, friction = fields(values, f"{_JOINT_SETS} bodies payload friction", "sets")
    names = [f"sets.{name}" for name in _JOINT_SETS.split()]
    joint: Any = [np.array(numbers(row, name, robot.n)) for name, row in zip(names, rows, strict=True)]
    parts = numbers(fields(bodies, _BODY_SETS, "sets.bodies"), "sets.bodies")
    if any(np.any(row < 0.0) for row in joint) or any(part < 0.0 for part in parts):
        raise RefusedError("sets: an entry is negative", remedy=REMEDY)
    smoothing, terms = 0.0, np.zeros((5, robot.n))
    if friction is not None:
        at, smooth = fields(friction, "compensated smoothing", "sets.friction")
        if at != "reference":
            raise RefusedError("friction that is not compensated at the reference has no witness", remedy=REMEDY)
        smoothing, terms = number(smooth, "sets.friction.smoothing"), _friction(document, robot)
        if smoothing < 0.0:
            raise RefusedError("sets.friction: the smoothing speed is negative", remedy=REMEDY)
    elif joint[0].any() or joint[1].any():
        raise RefusedError("sets: friction errors are stated, and friction is left out", remedy=REMEDY)
    load = None if payload is None else _payload(payload, document)
    own: Any = dict(zip(_JOINT_SETS.split(), joint, strict=True))
    return Sets(**own, body_parts=parts, payload=load, friction=terms, smoothing=smoothing, has_friction=bool(friction))


def check_plain(document: Any) -> None:
    """Refuse robots whose torques are more than those of rigid bodies, rotors and friction of joints."""
    for body in document["bodies"]:
        joint = body["joint"]
        if joint["spring"] is not None or joint.get("counterbalances"):
            found = f"joint {named(joint['name'])} has a spring: tracking with springs has no witness"
            raise RefusedError(found, remedy="")


def _friction(document: Any, robot: Robot) -> Array:
    """The nominal friction (5, n) of (1)."""
    rows = {}
    for body in document["bodies"]:
        joint = body["joint"]
        terms = _terms(joint["friction"], joint["name"])
        if joint["mimic"] is None:
            rows[joint["name"]] = terms
        elif any(terms):
            raise RefusedError(f"friction of the mimic joint {named(joint['name'])} has no witness", remedy=REMEDY)
    for motor in document["drives"]["motors"]:
        if any(_terms(motor["friction"], motor["name"])):
            text = f"friction of the motor {named(motor['name'])} has no witness: state it at joints"
            raise RefusedError(text, remedy="")
    found = np.array([rows[name] for name in robot.joints]).T
    if np.any(found[:4] < 0.0):
        raise RefusedError("friction that drives has no witness", remedy=REMEDY)
    return np.asarray(found)


def _terms(friction: Any, name: str) -> tuple[float, ...]:
    values = fields(friction, f"{_FRICTION} further", "friction")
    if values[-1]:
        text = f"friction of {named(name)} has terms beyond Coulomb and viscous ones: no witness"
        raise RefusedError(text, remedy="")
    return numbers(values[:-1], "friction")


def _payload(values: Any, document: Any) -> Payload:
    names = "frame mass centre_within inertia_part nominal_mass"
    frame, mass, radius, part, nominal = fields(values, names, "sets.payload")
    low, high = numbers(mass, "sets.payload.mass", 2)
    sizes = numbers([radius, part, nominal], "sets.payload")
    places = [each for each in document["frames"] if each["name"] == expect(str, frame, "sets.payload")]
    if len(places) != 1 or not 0 <= expect(int, places[0]["body"], "frame") < len(document["bodies"]):
        raise RefusedError(f"sets.payload: no frame {named(str(frame))} moves", remedy=REMEDY)
    if not 0.0 <= low <= high or min(sizes) < 0.0:
        raise RefusedError("sets.payload: masses rise, and nothing is negative", remedy=REMEDY)
    points = (x for x in document["attached"] if not any(itertools.chain(x["center"], *x["inertia"])))
    held = [(each["frame"], each["mass"]) for each in points]
    if sizes[2] and (frame, sizes[2]) not in held:
        raise RefusedError("sets.payload: the document has no such nominal mass at the frame", remedy=REMEDY)
    rotation, origin = fields(places[0]["pose"], "rotation origin", "frame")
    turn, axis = tuple(numbers(row, "frame", 3) for row in items(rotation, "frame", 3)), (0.0, 0.0, 1.0)
    check_rotation(turn, axis, f"frame {named(frame)}")
    carrier = Body(places[0]["body"], True, turn, numbers(origin, "frame", 3), axis, (), 0, 0.0, 0.0)
    return Payload(frame, carrier, low, high, *sizes)


def _dry_ends(friction: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """The smallest and largest friction (N, n) of (1) without offset, over ranges of speeds."""
    b_plus, b_minus, c_plus, c_minus, _ = friction
    below = np.where(low <= 0.0, b_minus * low - c_minus, b_plus * low + c_plus)
    above = np.where(high >= 0.0, b_plus * high + c_plus, b_minus * high - c_minus)
    return below, above


def listed(joints: Sequence[str], words: Sequence[str]) -> str:
    """One text for all joints, or one for each."""
    if len(set(words)) == 1:
        return words[0]
    return ", ".join(f"{named(joint)} {word}" for joint, word in zip(joints, words, strict=True))


def _unit(unit: str, kind: str) -> str:
    turns = unit == "rad"
    return {"": "", "position": f" {unit}", "speed": f" {unit}/s", "effort": " N m" if turns else " N"}[kind]


def _percent(part: float) -> str:
    return f"{rounded_down(float(100 * Decimal(repr(part))))} %"
