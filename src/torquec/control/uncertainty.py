"""`Uncertainty`: bounded sets for friction, drives, sensors, bodies, payload and timing of a robot, read from TOML.

(1)  [every_joint], or [[joint]] with a name: `friction_part` of every friction term while the joint moves (a standing
     joint may have any torque between minus and plus its Coulomb torque), `friction_residual` [N m, N] beside it, or
     "log": the residual of an identified model, the larger of its conformal bound and the largest one in its logs,
     `torque_part` of the effort limit, encoder step `position` and `position_bias` [rad, m], `speed` "measured" within
     `speed_noise`, or by "difference" of positions through a filter v_k = v_(k-1) + c (w_k - v_(k-1)), c `speed_filter`
(2)  [bodies]: `mass_part`, `first_moment_part`, `inertia_part` of every standard parameter, independently; or
     `covariance` = 0.95, the confidence ellipsoid of an identified model's inertial parameters, rotors included
(3)  [payload]: unknown, fixed to a `frame`: mass in [lower, upper] kg, centre within `centre_within` [m] of the frame's
     origin, central moments of inertia at most `inertia_part` of mass times centre_within^2; `nominal_mass` of it, at
     the origin, is in the model already
(4)  [timing]: torques act `delay` sampling intervals after their measurement, and up to `jitter` [s] later

Absent entries are zero: no uncertainty is assumed, and the guarantee states that.

Measurement errors that follow, with T the sampling interval: a reading lies within one encoder step of the position,
and the difference of two readings within one step of the motion. Half a step is constant, half a step is noise. With a
filter c the speed error is c step/T + (1/2 + (1 - c)/c) T a, where a is the acceleration.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from torquec.errors import ArgumentError, RobotFileError
from torquec.foundation.choice import chosen
from torquec.foundation.reading import FileKind
from torquec.model.residual_bound import residual_bounds
from torquec.robot.robot import Robot
from torquec.robot.toml import Table, parse_toml, read_toml

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.model.model_parameters import ModelParameters
    from torquec.planning.torque_spread import TorqueSpread

_LARGEST = {
    "position": (0.1, "give radians or metres, at most 0.1, not degrees"),
    "position_bias": (0.1, "give radians or metres, at most 0.1, not degrees"),
    "speed_noise": (1.0, "give rad/s or m/s, at most 1, not degrees"),
    "jitter": (0.1, "give seconds, at most 0.1, not milliseconds"),
    "centre_within": (10.0, "give metres, at most 10: this looks like millimetres"),
    "inertia_part": (100.0, "give a part of mass times centre_within squared, at most 100"),
}
"""Largest value of an entry, and the remedy: a larger value is most likely in the wrong unit."""

_HEAVIEST = 3.0
"""Largest payload as a multiple of the robot's mass: no arm lifts as much, and a mass in grams exceeds it."""


def _check_numbers(record: Any, *, parts: tuple[str, ...] = ()) -> None:
    for item in fields(record):
        value = getattr(record, item.name)
        if not isinstance(value, float | int) or isinstance(value, bool):
            continue
        if not (math.isfinite(value) and value >= 0.0):
            _refuse(item.name, value, "give a finite number that is not negative")
        if item.name in parts and value >= 1.0:
            _refuse(item.name, value, "give a part below 1: 30 % is 0.3")
        largest, remedy = _LARGEST.get(item.name, (math.inf, ""))
        if value > largest:
            _refuse(item.name, value, remedy)


def _refuse(name: str, value: object, remedy: str) -> NoReturn:
    raise ArgumentError(f"'{name}' is {value}", remedy=remedy)


class SpeedSource(StrEnum):
    """Where the measured speed comes from."""

    MEASURED = "measured"
    """A tachometer."""
    DIFFERENCE = "difference"
    """The difference of two positions."""


@dataclass(frozen=True)
class JointUncertainty:
    """Uncertainty (1) of one joint: friction, torque, position and speed; `residual_of_log` is the residual "log"."""

    friction_part: float = 0.0
    friction_residual: float = 0.0
    torque_part: float = 0.0
    position: float = 0.0
    position_bias: float = 0.0
    speed: SpeedSource = SpeedSource.MEASURED
    speed_noise: float = 0.0
    speed_filter: float = 1.0
    residual_of_log: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "speed", chosen(SpeedSource, self.speed, "source of the speed"))
        _check_numbers(self, parts=("friction_part", "torque_part"))
        if self.residual_of_log and self.friction_residual:
            _refuse("friction_residual", self.friction_residual, 'give a number, or "log", not both')
        if not 0.0 < self.speed_filter <= 1.0:
            _refuse("speed_filter", self.speed_filter, "give a number above 0, up to 1 (no filter)")
        if self.speed is SpeedSource.DIFFERENCE and self.speed_noise:
            _refuse("speed_noise", self.speed_noise, "leave it out: speeds by difference have the errors of positions")
        if self.speed is SpeedSource.MEASURED and self.speed_filter != 1.0:
            _refuse("speed_filter", self.speed_filter, 'leave it out, or take speed = "difference"')


@dataclass(frozen=True)
class BodyUncertainty:
    """Uncertainty (2) of all bodies: relative, or the probability `covariance` of an ellipsoid of parameters."""

    mass_part: float = 0.0
    first_moment_part: float = 0.0
    inertia_part: float = 0.0
    covariance: float | None = None

    def __post_init__(self) -> None:
        if self.covariance is not None and not 0.0 < self.covariance < 1.0:
            _refuse("covariance", self.covariance, "give a probability between 0 and 1, such as 0.95")
        _check_numbers(self, parts=tuple(f.name for f in fields(self)))
        stated = [name for name, value in vars(self).items() if value and name != "covariance"]
        if self.covariance is not None and stated:
            either = f"leave out {', '.join(stated)}: the ellipsoid of the logs takes their place, or leave it out"
            _refuse("covariance", f"{self.covariance:g} beside {stated[0]} = {getattr(self, stated[0]):g}", either)


@dataclass(frozen=True)
class PayloadUncertainty:
    """Unknown payload (3)."""

    frame: str
    mass: tuple[float, float]
    centre_within: float = 0.0
    inertia_part: float = 1.0
    nominal_mass: float = 0.0

    def __post_init__(self) -> None:
        low, high = self.mass
        if not 0.0 <= low <= high < math.inf:
            _refuse("payload.mass", list(self.mass), "give two numbers of kg, not negative, the smaller first")
        _check_numbers(self)
        if not low <= self.nominal_mass <= high and self.nominal_mass:
            _refuse("payload.nominal_mass", self.nominal_mass, f"give a mass between {low:g} and {high:g} kg")


@dataclass(frozen=True)
class TimingUncertainty:
    """Delay and jitter of torques (4)."""

    delay: int = 0
    jitter: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.delay, bool) or self.delay != int(self.delay) or not 0 <= self.delay <= 100:
            _refuse("timing.delay", self.delay, "give a whole number of sampling intervals, at most 100")
        object.__setattr__(self, "delay", int(self.delay))
        _check_numbers(self)


_EXACT, _KNOWN, _PUNCTUAL = JointUncertainty(), BodyUncertainty(), TimingUncertainty()


@dataclass(frozen=True)
class Uncertainty:
    """Uncertainty of a robot, its drives, sensors and timing; what is not stated is exact.

    `joints` by name take the place of `every_joint`; `residual_of`: the robot whose logs gave the residuals;
    `identified`: the robot and the parameters that the covariance belongs to. Raises `ArgumentError` for negative
    numbers, parts of one or more, and values that look like degrees or millimetres.
    """

    every_joint: JointUncertainty = _EXACT
    joints: Mapping[str, JointUncertainty] = field(default_factory=lambda: MappingProxyType({}))
    bodies: BodyUncertainty = _KNOWN
    payload: PayloadUncertainty | None = None
    timing: TimingUncertainty = _PUNCTUAL
    residual_of: str = ""
    identified: tuple[str, ModelParameters] | None = None

    @property
    def needs_log(self) -> bool:
        """True where a residual is "log" or a covariance is used, and the identified model is not known yet."""
        residual = any(joint.residual_of_log for joint in (self.every_joint, *self.joints.values()))
        return residual or (self.bodies.covariance is not None and self.identified is None)

    def with_identified(self, model: Model) -> Uncertainty:
        """The sets with residuals and covariance of an identified model; raises `ArgumentError` for a model without."""
        if self.bodies.covariance is None or self.identified is not None:
            return self._with_residual(model)
        if model.parameters is None or model.parameters.covariance is None:
            raise ArgumentError(
                f"the model of '{model.robot.name}' has no covariance of its parameters",
                remedy="give a model that torquec identify has made, or parts of masses and inertias in [bodies]",
            )
        return replace(self._with_residual(model), identified=(model.robot.name, model.parameters))

    def _with_residual(self, model: Model) -> Uncertainty:
        names = model.robot.joint_names
        found = {name: self.joints.get(name, self.every_joint) for name in names}
        logged = [name for name, joint in found.items() if joint.residual_of_log]
        if not logged:
            return self
        bounds = residual_bounds(model)
        for name in logged:
            size = max(bounds[name].largest, bounds[name].enclosing)
            found[name] = replace(found[name], friction_residual=size, residual_of_log=False)
        others = {name: joint for name, joint in self.joints.items() if name not in found}
        every = replace(self.every_joint, residual_of_log=False)
        return replace(self, every_joint=every, joints={**others, **found}, residual_of=model.robot.name)

    def of(self, robot: Robot) -> tuple[JointUncertainty, ...]:
        """The sets of every joint; raises `ArgumentError` for unknown joints, and residuals above a drive's limit."""
        for name in self.joints:
            if name not in robot.joint_names:
                raise ArgumentError(
                    f"the uncertainty is about a joint '{name}', which robot '{robot.name}' does not have",
                    remedy=f"its joints are {', '.join(robot.joint_names)}",
                )
        found = tuple(self.joints.get(name, self.every_joint) for name in robot.joint_names)
        if self.residual_of not in ("", robot.name):
            raise ArgumentError(
                f"the friction residuals are of robot '{self.residual_of}', not of '{robot.name}'",
                remedy="identify this robot, or give numbers of N m",
            )
        self._check_covariance(robot)
        for coordinate, joint in zip(robot.coordinates, found, strict=True):
            if joint.residual_of_log:
                known = "give the model that torquec identify has made, or a number of N m"
                _refuse("friction_residual", f"\"log\" at joint '{coordinate.name}', and the model is not known", known)
            if joint.friction_residual >= coordinate.limits.effort:
                _refuse(
                    "friction_residual",
                    f"{joint.friction_residual:g} at joint '{coordinate.name}'",
                    f"give less than its drive gives, {coordinate.limits.effort:g} {coordinate.effort_unit}",
                )
        return found

    def _check_covariance(self, robot: Robot) -> None:
        if self.bodies.covariance is None:
            return
        if self.identified is None:
            known = "give the model that torquec identify has made, or parts of masses and inertias"
            _refuse("covariance", f"{self.bodies.covariance:g}, and the model is not known", known)
        if self.identified[0] != robot.name:
            raise ArgumentError(
                f"the covariance is of robot '{self.identified[0]}', not of '{robot.name}'",
                remedy="identify this robot, or give parts of masses and inertias in [bodies]",
            )

    def torque_spread(self, robot: Robot) -> TorqueSpread:
        """Torque deviations of a motion due to bodies, payload, friction and drives."""
        from torquec.control.uncertainty_sets import torque_spread

        return torque_spread(robot, self)

    def samples_late(self, period: float | None) -> int:
        """Delay of the torques in samples, jitter rounded up."""
        extra = math.ceil(self.timing.jitter / period) if period and self.timing.jitter else 0
        return int(self.timing.delay) + extra

    def conditions(self, robot: Robot) -> str:
        """The assumptions of a guarantee under this uncertainty, every set named; for `guarantee_sentence`."""
        each = dict(zip(robot.joint_names, self.of(robot), strict=True))
        logs = " by the logs" if self.residual_of else ""
        found = [
            _said(each, "friction_part", lambda x: f"friction known to {100 * x:g} % while moving, any Coulomb torque "
                  "standing", "friction as in the model while moving, any Coulomb torque standing"),
            _said(each, "friction_residual", lambda x: f"a friction residual of {x:g} N m (N)" + logs, ""),
            _said(each, "torque_part", lambda x: f"drives within {100 * x:g} % of their limit",
                  "drives that give the torque asked for"),
            _said(each, "position", lambda x: f"encoders of {x:g} rad (m)", "exact positions"),
            _said(each, "position_bias", lambda x: f"offset by up to {x:g} rad (m)", ""),
            _said(each, "speed", lambda x: "speeds by difference" if x == "difference" else "measured speeds", ""),
            _said(each, "speed_filter", lambda x: f"filtered by {x:g}", ""),
            _said(each, "speed_noise", lambda x: f"speeds measured within {x:g} rad/s (m/s)", ""),
        ]  # fmt: skip
        parts = [(name, 100 * getattr(self.bodies, f"{name.replace(' ', '_')}_part")) for name in _BODY_WORDS]
        known = [f"{_BODY_WORDS[name]} known to {part:g} %" for name, part in parts if part]
        if (level := self.bodies.covariance) is not None:
            known = [f"inertial parameters in the {100 * level:g} % confidence ellipsoid of the logs"]
        found.append(", ".join(known) or "bodies as in the model")
        found.append(_payload_words(self.payload))
        late = f"torques {self.timing.delay} sampling interval(s) late" if self.timing.delay else "no delay"
        found.append(late + (f", up to {self.timing.jitter:g} s later" if self.timing.jitter else ""))
        return "the robot with " + ", ".join(words for words in found if words)


_BODY_WORDS = {"mass": "masses", "first moment": "first moments", "inertia": "moments of inertia"}


def load_uncertainty(path: str | os.PathLike[str], robot: Robot | Model) -> Uncertainty:
    """The uncertainty in a TOML file, for a robot; "log" and `covariance` need its identified model.

    Raises `ArgumentError` with file, line and remedy for anything that is wrong, unknown or not the robot's.
    """
    return _checked(lambda: uncertainty_of(read_toml(path, FileKind.UNCERTAINTY), robot), robot)


def parse_uncertainty(text: str, robot: Robot | Model, *, source: str = "uncertainty") -> Uncertainty:
    """The uncertainty in a TOML text; `source` names it in messages."""
    return _checked(lambda: uncertainty_of(parse_toml(text, source), robot), robot)


def _checked(read: Any, source: Robot | Model) -> Uncertainty:
    try:
        found: Uncertainty = read()
    except RobotFileError as error:
        raise ArgumentError(error.found, where=error.where, remedy=error.remedy) from None
    found.of(source if isinstance(source, Robot) else source.robot)
    return found


def uncertainty_of(document: Table, source: Robot | Model) -> Uncertainty:
    """The uncertainty in a table of a file or document; entries that need a model stay open without one."""
    robot = source if isinstance(source, Robot) else source.robot
    every = _read(document.table("every_joint"), _EXACT)
    joints: dict[str, JointUncertainty] = {}
    for table in document.tables("joint"):
        name = table.text("name")
        if name not in robot.joint_names or name in joints:
            known = f"its joints are {', '.join(robot.joint_names)}; write one [[joint]] for each"
            table.refuse("name", f"robot '{robot.name}' has no joint '{name}', or it is given twice", known)
        joints[name] = _read(table, every, of=f"joint '{name}': ")
    bodies = _read(document.table("bodies"), _KNOWN)
    timing = _read(document.table("timing"), _PUNCTUAL)
    carried = document.table("payload")
    payload = None if carried is None else _read_payload(carried, robot)
    document.finish()
    found = Uncertainty(every, MappingProxyType(joints), bodies, payload, timing)
    found = found if isinstance(source, Robot) else found.with_identified(source)
    if not found.needs_log:
        found.of(robot)
    return found


def _read_payload(table: Table, robot: Robot) -> PayloadUncertainty:
    frame, rows = table.text("frame"), table.rows("mass")
    if all(each.name != frame for each in robot.frames):
        named = ", ".join(each.name for each in robot.frames)
        table.refuse("frame", f"robot '{robot.name}' has no frame '{frame}'", f"its frames are {named}")
    if len(rows) != 1 or len(rows[0]) != 2 or not 0.0 <= rows[0][0] <= rows[0][1]:
        found = rows[0] if len(rows) == 1 else rows
        table.refuse("mass", f"'payload.mass' is {found}", "give the smallest and the largest mass: [0.0, 1.0] kg")
    if rows[0][1] > _HEAVIEST * robot.mass > 0.0:
        limit = f"give kilograms, not grams; at most {_HEAVIEST * robot.mass:.3g}, {_HEAVIEST:g} times the robot's mass"
        table.refuse("mass", f"'payload.mass' is {rows[0]}", limit)
    payload: PayloadUncertainty = _read(table, PayloadUncertainty(frame, (rows[0][0], rows[0][1])))
    return payload


def _read(table: Table | None, default: Any, *, of: str = "") -> Any:
    """A record with the table's values in place of its defaults; errors state line and set (`of`)."""
    if table is None:
        return default
    found: dict[str, Any] = {}
    for item in fields(default):
        value = getattr(default, item.name)
        if item.name == "speed" and "speed" in table:
            found["speed"] = SpeedSource(table.choice("speed", SpeedSource))
        elif item.name in ("delay", "covariance") and item.name in table:
            found[item.name] = table.number(item.name)
        elif item.name == "friction_residual" and isinstance(table.plain.get(item.name), str):
            found |= {"residual_of_log": bool(table.choice(item.name, ("log",))), item.name: 0.0}
        elif isinstance(value, float) and item.name in table:
            found |= {"residual_of_log": False} if item.name == "friction_residual" else {}
            found[item.name] = table.number(item.name)
    try:
        record = replace(default, **found)
    except ArgumentError as error:
        key = next((name for name in found if f"'{name}'" in error.found or f".{name}'" in error.found), None)
        table.refuse(key, of + error.found, error.remedy)
    table.finish()
    return record


def _payload_words(payload: PayloadUncertainty | None) -> str:
    if payload is None:
        return "no payload that the model does not know"
    low, high = payload.mass
    return (
        f"an unknown payload of {low:g} to {high:g} kg at '{payload.frame}', its centre within "
        f"{payload.centre_within:g} m"
    )


def _said(each: Mapping[str, JointUncertainty], name: str, words: Any, otherwise: str) -> str:
    """A set in words: once where all joints have the same, else by joint; `otherwise` where it is the default."""
    default = getattr(_EXACT, name)
    found = {joint: getattr(stated, name) for joint, stated in each.items()}
    if all(value == default for value in found.values()):
        return otherwise
    if len(set(found.values())) == 1:
        return str(words(next(iter(found.values()))))
    return ", ".join(f"{joint}: {words(value)}" for joint, value in found.items() if value != default)
