"""Specification: accuracy requirements of a simplified model, read from a TOML file (docs/specification.md).

Requirements of a joint: a tracking error (:mod:`torquec.control.tracking_budget` derives torque errors from it), a
torque error (absolute, or a part of the effort limit), or a control requirement with motor data (Chang & Lee, section
III); of the robot: a threshold for coefficients. Values are at the joint: radians and N m, metres and N.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import NoReturn

from torquec.codegen.precision import Precision
from torquec.errors import RobotFileError, SpecificationError
from torquec.foundation.choice import chosen
from torquec.foundation.reading import FileKind
from torquec.robot.degrees import warn_of_degrees
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import StateCoordinate
from torquec.robot.toml import Table, parse_toml, read_toml
from torquec.simplification.base_rates import base_rates, check_base_rates
from torquec.simplification.fitting.fit_entries import BasisSearch
from torquec.simplification.stated_number import (
    degrees_suspected,
    stated_distance,
    stated_part,
    stated_positive,
    stated_range,
    stated_rate,
)
from torquec.trajectory.motion_box import MotionBox, joint_box

_ALTERNATIVES = (
    "give it, or state what needs no motor data: torque_error (N m, or N), torque_error_part (of the joint's effort "
    "limit), or [coefficients] threshold"
)


@dataclass(frozen=True)
class MotorData:
    """A DC motor, its gear and the structure that it moves: R_a [ohm], K_a [N m/A], K_b [V s/rad], n, omega_0, J_0, f.

    `gear_ratio` is joint motion per motor motion (0.01: a hundred turns of the motor for one of the joint; metres per
    radian for a prismatic joint). `inertia` [kg m^2, kg] about (along) the joint is the inertia at which its
    structural `resonance` [rad/s] was measured; `viscous_friction` [N m s/rad] is the motor shaft's.
    """

    armature_resistance: float
    torque_constant: float
    back_emf_constant: float
    gear_ratio: float
    resonance: float
    inertia: float
    viscous_friction: float = 0.0


@dataclass(frozen=True)
class ControlRequirement:
    """Control requirement of a joint's loop: damping within 1 -+ `damping_error`, and steady-state errors [rad, m].

    An infinite error is no requirement.
    """

    damping_error: float = 0.05
    step_error: float = math.inf
    ramp_error: float = math.inf
    parabolic_error: float = math.inf


@dataclass(frozen=True)
class JointRequirement:
    """One joint: the largest speed and acceleration, and a torque error or a control requirement with its motor.

    `jerk` is the largest rate of the acceleration, None where it may jump. `tracking_error` [rad, m] of the loop, or
    `tracking_error_part` that the model may add to that of an exact one; a torque error beside it is a fallback.
    """

    name: str
    velocity: float
    acceleration: float
    torque_error: float | None = None
    control: ControlRequirement | None = None
    motor: MotorData | None = None
    jerk: float | None = None
    tracking_error: float | None = None
    tracking_error_part: float | None = None

    @property
    def tracks(self) -> bool:
        """Whether a tracking error is required, from which its torque error follows."""
        return self.tracking_error is not None or self.tracking_error_part is not None


@dataclass(frozen=True)
class CoefficientThreshold:
    """Drop coefficients below `threshold` of the multiple-angle form; round the others to significant `digits`."""

    threshold: float
    digits: int | None = None


@dataclass(frozen=True)
class Specification:
    """Requirements of all independent joints, in state order, over a box of their positions.

    `coefficients` is set where the specification is a plain threshold; `joints` then has speeds and accelerations only,
    and is empty unless every joint has both. `search` is how coefficients are fitted to control
    requirements. `precision` is that of the generated code that must keep the torque errors: single includes all
    rounding errors of floats, and is possible with torque errors only.
    """

    joints: tuple[JointRequirement, ...]
    box: MotionBox
    coefficients: CoefficientThreshold | None = None
    source: str = ""
    search: BasisSearch = BasisSearch.MINIMAL_BASIS
    precision: Precision = Precision.DOUBLE

    def __post_init__(self) -> None:
        object.__setattr__(self, "search", chosen(BasisSearch, self.search, "search"))
        object.__setattr__(self, "precision", chosen(Precision, self.precision, "precision"))
        if self.precision is not Precision.DOUBLE and (self.coefficients or any(j.control for j in self.joints)):
            raise SpecificationError(
                f"{self.precision} precision is proven for torque errors only",
                where=self.source,
                remedy="state torque_error or torque_error_part for every joint, or leave out precision",
            )

    @property
    def tracks(self) -> bool:
        """Whether tracking errors are required: torque errors follow from them and from the loop."""
        return any(joint.tracks for joint in self.joints)

    @property
    def motions(self) -> MotionBox:
        """The box of motions that the requirements hold for; without speeds where none are stated."""
        speeds, accelerations = ([getattr(j, name) for j in self.joints] for name in ("velocity", "acceleration"))
        return MotionBox(self.box.lower, self.box.upper, tuple(speeds), tuple(accelerations))

    @property
    def jerks(self) -> tuple[float, ...] | None:
        """The largest jerks, None where that of some joint is not limited."""
        found = tuple(joint.jerk for joint in self.joints if joint.jerk is not None)
        return found if found and len(found) == len(self.joints) else None


def load_specification(path: str | os.PathLike[str], robot: Robot) -> Specification:
    """The specification in a TOML file, for a robot.

    Warns (`UnitWarning`) of ranges and speeds that look like degrees. Raises `SpecificationError` with file, line and
    remedy for anything that is wrong, missing, or not the robot's.
    """
    return _checked(lambda: specification_of(read_toml(path, FileKind.SPECIFICATION), robot, str(path)))


def parse_specification(text: str, robot: Robot, *, source: str = "specification") -> Specification:
    """The specification in a TOML text; `source` is what messages call it."""
    return _checked(lambda: specification_of(parse_toml(text, source), robot, source))


def _checked(read: Callable[[], Specification]) -> Specification:
    try:
        return read()
    except RobotFileError as error:
        raise SpecificationError(error.found, where=error.where, remedy=error.remedy) from None


def specification_of(document: Table, robot: Robot, source: str) -> Specification:
    """The specification in a table, that of a file or one inside another document."""
    named = document.text("robot", robot.name)
    if named != robot.name:
        found = f"the specification is for robot '{named}', not for '{robot.name}'"
        document.refuse("robot", found, "give the robot it is for")
    search = BasisSearch(document.choice("search", BasisSearch, BasisSearch.MINIMAL_BASIS))
    asked = "search" in document
    precision = Precision(document.choice("precision", Precision, Precision.DOUBLE))
    threshold = _threshold(document.table("coefficients"))
    every = _Given.read(document.table("every_joint"), named=False) or _Given(where=document.where())
    single: dict[str, _Given] = {}
    for table in document.tables("joint"):
        given = _Given.read(table, named=True)
        assert given is not None
        if given.name not in robot.coordinate_names:
            found = f"robot '{robot.name}' has no independent joint '{given.name}'"
            table.refuse("name", found, f"its joints are {', '.join(robot.coordinate_names)}")
        if given.name in single:
            table.refuse("name", f"joint '{given.name}' is given twice", "write one [[joint]] for each")
        single[given.name] = given
    base, where = base_rates(document, robot), document.where()
    document.finish()
    rest = [_Given(where, **base.get(x.name, {})) if x.basis is None else every for x in robot.coordinates]
    merged = [single.get(x.name, _Given(y.where)).over(y) for x, y in zip(robot.coordinates, rest, strict=True)]
    rotary = [given for each, given in zip(robot.coordinates, merged, strict=True) if each.turns]
    for text in dict.fromkeys(text for given in rotary for text in given.in_degrees):
        warn_of_degrees(text)
    ranges = {each.name: given.range for each, given in zip(robot.coordinates, merged, strict=True) if given.range}
    box = joint_box(robot, ranges)
    if threshold is not None:
        if any(given.requires for given in merged):
            document.refuse(
                "coefficients",
                "both a threshold for coefficients and requirements for joints are given",
                "keep one of them: [coefficients], or torque errors and control requirements",
            )
        if asked:
            _refuse_search(document)
        pairs = zip(robot.coordinates, merged, strict=True)
        known = tuple(moving for joint, given in pairs if (moving := _motion(joint, given)) is not None)
        return Specification(known if len(known) == robot.n else (), box, threshold, source, precision=precision)
    check_base_rates(robot, merged, where)
    joints = tuple(_requirement(joint, given) for joint, given in zip(robot.coordinates, merged, strict=True))
    if asked and not any(joint.control for joint in joints):
        _refuse_search(document)
    return Specification(joints, box, None, source, search, precision)


def _refuse_search(document: Table) -> NoReturn:
    document.refuse(
        "search",
        "'search' is given, and no coefficients are fitted",
        "leave it out: it is for control requirements, whose coefficients are fitted",
    )


def _threshold(table: Table | None) -> CoefficientThreshold | None:
    if table is None:
        return None
    threshold = stated_positive(table, "threshold")
    digits = table.number("digits", math.nan)
    if not math.isnan(digits) and digits not in range(1, 18):
        table.refuse("digits", f"'coefficients.digits' is {digits:g}", "give a whole number from 1 to 17")
    table.finish()
    if threshold is None:
        table.refuse(None, "'coefficients.threshold' is missing", "add threshold = ...")
    return CoefficientThreshold(threshold, None if math.isnan(digits) else int(digits))


@dataclass(frozen=True)
class _Given:
    """The entries of a table of the file for a joint (or for every joint); None where a key is missing."""

    where: str = ""
    name: str = ""
    range: tuple[float, float] | None = None
    velocity: float | None = None
    acceleration: float | None = None
    jerk: float | None = None
    torque_error: float | None = None
    torque_error_part: float | None = None
    tracking_error: float | None = None
    tracking_error_part: float | None = None
    control: Mapping[str, float] | None = None
    motor: Mapping[str, float] | None = None
    in_degrees: tuple[str, ...] = ()
    """Warnings about numbers that look like degrees."""

    @staticmethod
    def read(table: Table | None, *, named: bool) -> _Given | None:
        if table is None:
            return None
        name = table.text("name") if named else ""
        found = _Given(
            where=table.where(),
            name=name,
            range=stated_range(table),
            velocity=stated_rate(table, "velocity"),
            acceleration=stated_rate(table, "acceleration"),
            jerk=stated_rate(table, "jerk"),
            torque_error=stated_positive(table, "torque_error"),
            torque_error_part=stated_part(table, "torque_error_part"),
            tracking_error=stated_distance(table, "tracking_error"),
            tracking_error_part=stated_positive(table, "tracking_error_part"),
            control=_control(table.table("control")),
            motor=_motor(table.table("motor")),
            in_degrees=degrees_suspected(table),
        )
        for kind in ("torque", "tracking"):
            if f"{kind}_error" in table and f"{kind}_error_part" in table:
                table.refuse(f"{kind}_error_part", f"the {kind} error is given twice", "keep one of the two keys")
        table.finish()
        return found

    @property
    def requires(self) -> bool:
        return self.tracks or any(x is not None for x in (self.torque_error, self.torque_error_part, self.control))

    @property
    def tracks(self) -> bool:
        return self.tracking_error is not None or self.tracking_error_part is not None

    def over(self, other: _Given) -> _Given:
        """These entries, with missing ones taken from the other."""
        own = self if self.requires else other
        rest = other if self.control is None else _Given()
        torque = self if self.torque_error is not None or self.torque_error_part is not None else rest
        tracking = self if self.tracks else rest
        return _Given(
            where=self.where or other.where,
            name=self.name,
            range=self.range or other.range,
            velocity=self.velocity if self.velocity is not None else other.velocity,
            acceleration=self.acceleration if self.acceleration is not None else other.acceleration,
            jerk=self.jerk if self.jerk is not None else other.jerk,
            torque_error=torque.torque_error,
            torque_error_part=torque.torque_error_part,
            tracking_error=tracking.tracking_error,
            tracking_error_part=tracking.tracking_error_part,
            control=None if own.control is None else {**(other.control or {}), **own.control},
            motor={**(other.motor or {}), **(self.motor or {})} or None,
            in_degrees=tuple(dict.fromkeys((*self.in_degrees, *other.in_degrees))),
        )


def _requirement(joint: StateCoordinate, given: _Given) -> JointRequirement:
    """The complete requirement of a joint; raises where an entry is still missing."""
    where = given.where
    if not given.requires:
        raise SpecificationError(
            f"nothing is required of joint '{joint.name}'",
            where=where,
            remedy="state tracking_error, torque_error, torque_error_part or control for it or under [every_joint]",
        )
    velocity = given.velocity if given.velocity is not None else joint.limits.velocity
    if not math.isfinite(velocity):
        _lacking(joint, "velocity", where, "state the largest speed: errors grow with it, and the file has no limit")
    if given.acceleration is None:
        _lacking(joint, "acceleration", where, "state the largest acceleration: errors grow with it")
    torque = given.torque_error
    if given.torque_error_part is not None:
        if not math.isfinite(joint.limits.effort) or joint.limits.effort <= 0.0:
            _lacking(joint, "effort limit in its file", where, "state torque_error in N m (N) instead of a part")
        torque = given.torque_error_part * joint.limits.effort
    control = None if given.control is None else ControlRequirement(**given.control)
    if control is not None and (torque is not None or given.tracks):
        kind = "tracking" if torque is None else "torque"
        found = f"joint '{joint.name}' has a {kind} error and a control requirement"
        raise SpecificationError(found, where=where, remedy="keep one of them")
    motor = None if control is None else _motor_data(joint, given)
    tracking = given.tracking_error, given.tracking_error_part
    return JointRequirement(joint.name, velocity, given.acceleration, torque, control, motor, given.jerk, *tracking)


def _motion(joint: StateCoordinate, given: _Given) -> JointRequirement | None:
    """Speed and acceleration of a joint without other requirements; None if one of them is not limited."""
    velocity = given.velocity if given.velocity is not None else joint.limits.velocity
    if given.acceleration is None or not math.isfinite(velocity):
        return None
    return JointRequirement(joint.name, velocity, given.acceleration, jerk=given.jerk)


def _motor_data(joint: StateCoordinate, given: _Given) -> MotorData:
    stated = given.motor or {}
    needed = [f.name for f in fields(MotorData) if f.name != "viscous_friction"]
    missing = [name for name in needed if name not in stated]
    if missing:
        raise SpecificationError(
            f"the control requirement of joint '{joint.name}' needs its motor, and motor.{', motor.'.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing",
            where=given.where,
            remedy=_ALTERNATIVES,
        )
    return MotorData(**stated)


def _lacking(joint: StateCoordinate, what: str, where: str, remedy: str) -> NoReturn:
    raise SpecificationError(f"joint '{joint.name}' has no {what}", where=where, remedy=remedy)


def _control(table: Table | None) -> dict[str, float] | None:
    if table is None:
        return None
    found = {f.name: stated_positive(table, f.name) for f in fields(ControlRequirement)}
    table.finish()
    stated = {name: value for name, value in found.items() if value is not None}
    if not set(stated) - {"damping_error"}:
        table.refuse(
            None,
            "no steady-state error is required",
            "state step_error, ramp_error or parabolic_error (radians, metres)",
        )
    if stated.get("damping_error", 0.0) >= 0.5:
        table.refuse("damping_error", f"'damping_error' is {stated['damping_error']:g}", "give less than 0.5")
    return stated


def _motor(table: Table | None) -> dict[str, float] | None:
    if table is None:
        return None
    names = [f.name for f in fields(MotorData)]
    found = {name: stated_positive(table, name) for name in names}
    hertz = stated_positive(table, "resonance_hz")
    if hertz is not None:
        if found["resonance"] is not None:
            table.refuse("resonance_hz", "the resonance is given twice", "keep one of resonance and resonance_hz")
        found["resonance"] = 2.0 * math.pi * hertz
    table.finish()
    return {name: value for name, value in found.items() if value is not None}
