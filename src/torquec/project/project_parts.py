"""Parts of a project file without file names: time limits, controller, two rates, code, payloads."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

from torquec.codegen.precision import Precision
from torquec.control.law_options import ControllerOptions, LawKind, with_words
from torquec.control.laws import USUAL_LAW
from torquec.control.model_terms import Evaluation, FrictionAt
from torquec.errors import TorquecError
from torquec.project.law_choice import LawChoice, check_law, lqr_weights, unused_options
from torquec.project.project import GeneratePart, PayloadPart, RealtimePart, SimplifyPart
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.run_time_parameters import parameter_groups
from torquec.realtime.targets import TARGETS, targets_with
from torquec.realtime.tuning import TUNING
from torquec.robot import attach_payload
from torquec.robot.degrees import degrees_text, is_position_in_degrees, warn_of_degrees
from torquec.robot.robot import Robot
from torquec.robot.toml import Table

Value = TypeVar("Value")


def checked_at(table: Table, key: str | None, read: Callable[[], Value]) -> Value:
    """The result of `read`; its errors are reported at this key."""
    try:
        return read()
    except TorquecError as error:
        inside = f"{error.where}: " if error.where else ""
        table.refuse(key, f"{inside}{error.found}", error.remedy or "correct it")


def positive_number(table: Table, key: str) -> float | None:
    """A positive number, or None where the key is missing."""
    value = table.number(key, math.inf)
    if key not in table:
        return None
    if not value > 0.0:
        table.refuse(key, f"'{key}' is {value:g}", "give a positive number", alone=True)
    return value


def not_negative_number(table: Table, key: str, default: float | None = 0.0) -> float:
    """A number that is not negative; required where the default is None."""
    value = table.number(key, default)
    if not value >= 0.0:
        table.refuse(key, f"'{key}' is {value:g}", "give a number that is not negative", alone=True)
    return value


def whole_number(table: Table, key: str, default: int, *, least: int, most: int | None = None) -> int:
    """A whole number."""
    value = table.number(key, float(default))
    if value != int(value) or value < least or (most is not None and value > most):
        range_ = f"{least} or more" if most is None else f"{least} to {most}"
        table.refuse(key, f"'{key}' is {value:g}", f"give a whole number, {range_}", alone=True)
    return int(value)


def tell_of_degrees(table: Table, key: str, text: str, *, strict: bool) -> None:
    """Warn (`UnitWarning`) of an angle at this key that looks like degrees, if `text` is not empty.

    With `strict` it is an error of the file.
    """
    if text and strict:
        table.refuse(key, text, "correct it, or leave out strict")
    if text:
        warn_of_degrees(text, table.where(key))


def lock_position(table: Table, key: str, robot: Robot, *, strict: bool) -> float:
    """The position of the locked joint of this name; warns where it looks like degrees."""
    value = table.number(key)
    joint = robot.coordinates[checked_at(table, key, lambda: robot.joint_index(key))]
    if joint.turns and is_position_in_degrees(value):
        text = degrees_text(f"the position of joint '{key}'", value, "write radians")
        tell_of_degrees(table, key, text, strict=strict)
    return value


def joint_positions(table: Table, key: str, robot: Robot, *, strict: bool) -> tuple[float, ...] | None:
    """One value for each joint, in radians or metres; `key_deg` has angles in degrees.

    Warns of values in radians that look like degrees.
    """
    in_degrees = f"{key}_deg"
    given = [name for name in (key, in_degrees) if name in table]
    if len(given) == 2:
        table.refuse(in_degrees, f"'{key}' is given twice", f"keep one of {key} and {in_degrees}")
    if not given:
        return None
    rows = table.rows(given[0])
    if len(rows) != 1:
        table.refuse(given[0], f"'{given[0]}' has {len(rows)} rows", "give one list with a number for each joint")
    if len(rows[0]) != robot.n:
        table.refuse(
            given[0],
            f"'{given[0]}' has {len(rows[0])} values, and robot '{robot.name}' has {robot.n} joints",
            f"give one for each of {', '.join(robot.joint_names)}",
        )
    turns = [each.turns for each in robot.coordinates]
    if given[0] == in_degrees:
        return tuple(math.radians(value) if turn else value for value, turn in zip(rows[0], turns, strict=True))
    wrong = [value for value, turn in zip(rows[0], turns, strict=True) if turn and is_position_in_degrees(value)]
    text = degrees_text(f"'{key}'", wrong[0], f"write {in_degrees}") if wrong else ""
    tell_of_degrees(table, key, text, strict=strict)
    return tuple(rows[0])


_SLOWEST, _FASTEST = 1.0, 1e6
"""Valid range of controller rates [Hz]; other numbers are periods or typing errors."""
_FLAG = re.compile(r"(?<!\S)--([a-z]+(?:-[a-z]+)*)")


def simplify_part(table: Table | None) -> SimplifyPart:
    """[simplify]: its time limit."""
    if table is None:
        return SimplifyPart()
    seconds, minutes = positive_number(table, "seconds"), positive_number(table, "minutes")
    if seconds is not None and minutes is not None:
        table.refuse("minutes", "the time limit is given twice", "keep one of seconds and minutes")
    table.finish()
    return SimplifyPart(60.0 * minutes if minutes is not None else seconds)


def design_part(table: Table | None, robot: Robot) -> LawChoice | None:
    """[design]: the controller with its options."""
    if table is None:
        return None
    given: dict[str, Any] = {"controller": table.choice("controller", LawKind, USUAL_LAW)}
    for key in ("poles", "weights"):
        given[key] = table.text(key) if key in table else None
    for key, words in (("evaluation", Evaluation), ("friction_at", FrictionAt)):
        given[key] = table.choice(key, words) if key in table else None
    given |= {"rate": _rate(table), "threshold": positive_number(table, "threshold")}
    given |= {key: table.flag(key, default=False) for key in ("sampled", "abbreviated", "saturate")}
    given["effort"] = positive_number(table, "effort") or 1.0
    given["option"] = list(table.texts("option", ())) or None
    choice = LawChoice(**given)
    table.finish()
    kind = choice.kind
    for key in unused_options(kind, choice):
        table.refuse(key, f"{kind} does not use '{key}'", "leave it out")
    _checked(table, "poles", lambda: choice.pairs(robot))
    _checked(table, "threshold", lambda: choice.rule)
    _checked(table, "option", lambda: with_words(ControllerOptions(), choice.option or ()))
    if kind is LawKind.LQR:
        _checked(table, "weights", lambda: lqr_weights(robot, choice.weights))
    _checked(table, None, lambda: check_law(robot, choice))
    return choice


def _rate(table: Table) -> float | None:
    """Rate in calls per second; a number that can only be a period is reported."""
    rate = positive_number(table, "rate")
    if rate is not None and not _SLOWEST <= rate <= _FASTEST:
        remedy = f"give calls per second, {_SLOWEST:g} to {_FASTEST:g}"
        meant = f": for a period of {rate:g} s write rate = {1.0 / rate:g}" if 1e-6 <= rate < _SLOWEST else ""
        table.refuse("rate", f"'rate' is {rate:g}", f"{remedy}{meant}", alone=True)
    return rate


def _checked(table: Table, key: str | None, read: Callable[[], Value]) -> Value:
    """The result of `read`; its errors are reported at this key, in terms of the file, not of the command line."""

    def in_words_of_the_file() -> Value:
        try:
            return read()
        except TorquecError as error:
            found, remedy = (_FLAG.sub(_key, text) for text in (error.found, error.remedy))
            raise type(error)(found, where=error.where, remedy=remedy) from None

    return checked_at(table, key if key is not None and key in table else None, in_words_of_the_file)


def _key(flag: re.Match[str]) -> str:
    """An option of the command line as the key of the file."""
    return "'" + flag.group(1).replace("-", "_") + "'"


def realtime_part(table: Table | None) -> RealtimePart | None:
    """[realtime]: conditions of the two-rate plan."""
    if table is None:
        return None
    part = RealtimePart(
        positive_number(table, "period"),
        not_negative_number(table, "latency"),
        HoldOrder(table.choice("order", HoldOrder, HoldOrder.FIRST)),
        positive_number(table, "seconds"),
    )
    for key, value in (("period", part.period), ("latency", part.latency)):
        if value is not None and value > TUNING.longest_background_period:
            meant = f": {value:g} ms are {value / 1e3:g}" if value / 1e3 <= TUNING.longest_background_period else ""
            remedy = f"give seconds, {TUNING.longest_background_period:g} at most{meant}"
            table.refuse(key, f"'{key}' is {value:g} s", remedy, alone=True)
    table.finish()
    return part


def generate_part(table: Table | None, robot: Robot) -> GeneratePart:
    """[generate]: the code to write, and its run-time parameters."""
    if table is None:
        return GeneratePart()
    targets = table.texts("targets", ("c",))
    wrong = [repr(word) for word in targets if word not in TARGETS]
    if wrong:
        found = f"{', '.join(wrong)} {'are no targets' if len(wrong) > 1 else 'is no target'}"
        table.refuse("targets", found, f"use some of {', '.join(TARGETS)}")
    if not targets:
        remedy = f"name some of {', '.join(TARGETS)}, or leave out [generate]"
        table.refuse("targets", "there are no targets", remedy, alone=True)
    part = GeneratePart(
        tuple(dict.fromkeys(targets)),
        Precision(table.choice("precision", Precision, Precision.DOUBLE)),
        table.texts("update", ()),
    )
    table.finish()
    able = targets_with("update")
    if part.update and not set(able) & set(part.targets):
        added = " or ".join(f'"{name}"' for name in able)
        table.refuse("update", f"'update' is for the target {' or '.join(able)}", f"add {added} to targets")
    if part.update:
        checked_at(table, "update", lambda: parameter_groups(robot, part.update))
    return part


def payload_part(table: Table) -> PayloadPart:
    """A load: its frame, mass and centre."""
    center = table.vector("center", (0.0, 0.0, 0.0))
    mass = not_negative_number(table, "mass", None)
    part = PayloadPart(table.text("frame"), mass, center)
    table.finish()
    return part


def loaded(table: Table, robot: Robot, part: PayloadPart) -> Robot:
    """The robot with the load of a table."""
    taken = {frame.name for frame in robot.frames}
    free = next(name for name in ("payload", *(f"payload{k}" for k in range(2, len(taken) + 3))) if name not in taken)
    return checked_at(
        table, "frame", lambda: attach_payload(robot, part.frame, mass=part.mass, center=part.center, name=free)
    )
