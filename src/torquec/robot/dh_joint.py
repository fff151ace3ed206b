"""Joint properties of a DH file besides geometry: limits, friction, springs, mimic and motor."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from torquec.errors import ArgumentError
from torquec.robot.friction import FRICTION_WORDS, Friction, FrictionSign, spoken_word, stored_words
from torquec.robot.joints import JointKind
from torquec.robot.robot import Counterbalance, Drives, Limits, Mimic, Motor, Spring
from torquec.robot.toml import Table

_FRICTION_KEYS = {name: stored_words(name) for name in dict.fromkeys(map(spoken_word, FRICTION_WORDS))}
"""Friction keys of a file, and the stored words of each: one, or one for each direction."""


def read_angle(table: Table, key: str, default: float | None = None) -> float:
    """The angle `key` in radians or `key_deg` in degrees; required when there is no default."""
    in_degrees = f"{key}_deg"
    if key in table and in_degrees in table:
        table.refuse(in_degrees, f"'{key}' and '{in_degrees}'", "give one of them")
    if in_degrees in table:
        return math.radians(table.number(in_degrees))
    return table.number(key, default)


def read_angles(table: Table, key: str, default: tuple[float, float, float]) -> tuple[float, float, float]:
    """Three angles, `key` in radians or `key_deg` in degrees."""
    in_degrees = f"{key}_deg"
    if key in table and in_degrees in table:
        table.refuse(in_degrees, f"'{key}' and '{in_degrees}'", "give one of them")
    if in_degrees in table:
        x, y, z = table.vector(in_degrees)
        return math.radians(x), math.radians(y), math.radians(z)
    return table.vector(key, default)


def read_limits(joint: Table, kind: JointKind) -> Limits:
    """Limits from `limits = { lower, upper, velocity, effort }`; rotary joints also take `lower_deg`, `upper_deg`."""
    table = joint.table("limits")
    if table is None:
        return Limits()
    lower, upper = -math.inf, math.inf
    if kind.has_position_limits:
        read = read_angle if kind.coordinate.turns else Table.number
        lower, upper = read(table, "lower", -math.inf), read(table, "upper", math.inf)
    limits = Limits(lower, upper, table.number("velocity", math.inf), table.number("effort", math.inf))
    table.finish()
    if lower > upper:
        table.refuse("lower", f"the lower limit {lower:g} is above the upper limit {upper:g}", "exchange them")
    for key, value in (("velocity", limits.velocity), ("effort", limits.effort)):
        if value < 0.0:
            table.refuse(key, f"the {key} limit {value:g} is negative", "give a magnitude")
    return limits


def read_friction(owner: Table) -> Friction:
    """Friction from `friction = { .. }`, with the words of `torquec.robot.friction`, by direction or for both."""
    table = owner.table("friction")
    if table is None:
        return Friction()
    table.know(_FRICTION_KEYS)
    table.know(FRICTION_WORDS)
    table.finish()
    spoken = set(map(spoken_word, table.keys))
    values: dict[str, float] = {}
    for name, words in _FRICTION_KEYS.items():
        if name in spoken and len(words) == 2:
            values |= zip(words, _by_direction(table, name), strict=True)
        elif name in spoken:
            values[name] = _checked_word(table, name, table.number(name, 0.0))
    for word, value in values.items():
        needed = FRICTION_WORDS[word].needs
        if value and needed and not values.get(needed):
            key = word if word in table else word.rpartition("_")[0]
            table.refuse(key, f"'{key}' without '{needed}'", f"add {needed} = ...")
    return Friction.of(values)


def _by_direction(table: Table, key: str) -> tuple[float, float]:
    positive, negative = _FRICTION_KEYS[key]
    if key in table and (positive in table or negative in table):
        table.refuse(key, f"'{key}' and a value by direction", f"give {key}, or {positive} and {negative}")
    both = table.number(key, 0.0)
    values = (both, both) if key in table else (table.number(positive, 0.0), table.number(negative, 0.0))
    for name, value in zip((positive, negative), values, strict=True):
        if value < 0.0 and FRICTION_WORDS[name].sign is not FrictionSign.ANY:
            table.refuse(
                name if name in table else key, f"the {key} friction {value:g} is negative", "give a magnitude"
            )
    return values


def _checked_word(table: Table, word: str, value: float) -> float:
    sign = FRICTION_WORDS[word].sign
    if sign is FrictionSign.MAGNITUDE and value < 0.0:
        table.refuse(word, f"the {word} friction {value:g} is negative", "give a magnitude")
    if sign is FrictionSign.SCALE and word in table and value <= 0.0:
        table.refuse(word, f"'{word}' is {value:g}", "give a number above zero")
    return value


def read_spring(joint: Table) -> Spring | None:
    """The spring from `spring = { stiffness, rest }`."""
    table = joint.table("spring")
    if table is None:
        return None
    spring = Spring(table.number("stiffness"), table.number("rest", 0.0))
    table.finish()
    return spring


def read_counterbalances(joint: Table) -> tuple[Counterbalance, ...]:
    """Counterbalances from `counterbalance = { base, lever, .. }`, or from a list of such tables."""
    single = joint.table("counterbalance") if joint.is_table("counterbalance") else None
    found = []
    for table in joint.tables("counterbalance") if single is None else [single]:
        names = [item.name for item in dataclasses.fields(Counterbalance) if item.name != "angle"]
        values = {name: table.number(name, None if name in ("base", "lever") else 0.0) for name in names}
        angle = read_angle(table, "angle", 0.0)
        table.finish()
        try:
            found.append(Counterbalance(**values, angle=angle))
        except ArgumentError as error:
            table.refuse(None, error.found, error.remedy)
    return tuple(found)


def read_mimic(joint: Table) -> Mimic | None:
    """The coupling from `mimic = { joint, multiplier, offset }`."""
    table = joint.table("mimic")
    if table is None:
        return None
    mimic = Mimic(table.text("joint"), table.number("multiplier", 1.0), table.number("offset", 0.0))
    table.finish()
    return mimic


@dataclass(frozen=True)
class GearedMotor:
    """A motor and its gear ratios: motor speed per joint speed, by joint name."""

    motor: Motor
    ratios: dict[str, float]


def read_motor(joint: Table, name: str, gear_ratio: float | None = None) -> GearedMotor | None:
    """A joint's own `motor = { rotor_inertia, gear_ratio }` or `{ reflected_inertia }`, with friction at the motor.

    `gear_ratio` is used if the table gives none; if it is None, the table must give one.
    """
    table = joint.table("motor")
    if table is None:
        return None
    if "reflected_inertia" in table:
        for key in ("rotor_inertia", "gear_ratio"):
            if key in table:
                table.refuse(key, f"'{key}' and 'reflected_inertia'", "leave one of them out")
        inertia, ratio = _moment(table, "reflected_inertia"), 1.0
    else:
        inertia, ratio = _moment(table, "rotor_inertia"), table.number("gear_ratio", gear_ratio)
        if ratio == 0.0:
            table.refuse("gear_ratio", "the gear ratio is 0", "give motor turns per joint turn")
    motor = GearedMotor(Motor(name, inertia, read_friction(table)), {name: ratio})
    table.finish()
    return motor


def read_coupled_motor(table: Table, joints: Sequence[str]) -> GearedMotor:
    """A `[[motor]]` that turns with several joints: `transmission` by joint name, or a row in joint order."""
    name = table.text("name")
    inertia = _moment(table, "rotor_inertia", 0.0)
    friction = read_friction(table)
    ratios: dict[str, float] = {}
    row = table.table("transmission") if table.is_table("transmission") else None
    if row is not None:
        for joint in row.keys:
            if joint not in joints:
                row.refuse(joint, f"motor '{name}' turns with an unknown joint '{joint}'", _names(joints))
            ratios[joint] = row.number(joint)
    else:
        rows = table.rows("transmission")
        if len(rows) != 1 or len(rows[0]) != len(joints):
            table.refuse(
                "transmission", f"the row of motor '{name}' is {rows}", f"one number per joint: {_names(joints)}"
            )
        ratios = dict(zip(joints, rows[0], strict=True))
    if not any(ratios.values()):
        table.refuse("transmission", f"motor '{name}' turns with no joint", "give motor turns per joint turn")
    table.finish()
    return GearedMotor(Motor(name, inertia, friction), ratios)


def build_drives(motors: Sequence[GearedMotor], joints: Sequence[str], mimics: dict[str, Mimic]) -> Drives:
    """`Drives` over the independent `joints`; a motor on a mimic joint drives the joint that this joint follows."""
    transmission = []
    for geared in motors:
        row = dict.fromkeys(joints, 0.0)
        for joint, ratio in geared.ratios.items():
            mimic = mimics.get(joint, Mimic(joint))
            row[mimic.joint] += ratio * mimic.multiplier
        transmission.append(tuple(row.values()))
    return Drives(tuple(geared.motor for geared in motors), tuple(transmission))


def _moment(table: Table, key: str, default: float | None = None) -> float:
    value = table.number(key, default)
    if value < 0.0:
        table.refuse(key, f"'{key}' is {value:g}", "a moment of inertia is not negative")
    return value


def _names(joints: Sequence[str]) -> str:
    return f"the joints are {', '.join(joints)}"
