"""Run-time parameters: payload, gravity, friction, rotors and inertias that can change while the robot runs.

Each word selects one group of parameters, an input with one number per parameter:

(1)  load, load:FRAME    ten inertial parameters of a payload in the hand, about the frame's origin and in its axes
(2)  gravity             the acceleration of gravity in the base frame (3,), for an arm whose base is tilted
(3)  friction, rotors    viscous, Coulomb and offset of every shaft; inertia of every rotor
(4)  a body's name       its ten inertial parameters, about its body frame
(5)  m_link6, viscous_joint1, rotor_motor1, ..: one standard parameter, named as `torquec params` does
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from torquec.dynamics.friction_regressor import friction_regressor
from torquec.dynamics.friction_torque import friction_shafts, friction_torque
from torquec.dynamics.mechanism import Grouping, Mechanism, mechanism
from torquec.errors import ArgumentError
from torquec.robot.friction import Friction, stored_words
from torquec.robot.gripper_joints import hand_frame
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES, Inertia, Scalar, Vector3, matvec, scale


class RunTimeKind(StrEnum):
    """The element that a parameter belongs to."""

    LOAD = "load"
    GRAVITY = "gravity"
    BODY = "body"
    ROTOR = "rotor"
    FRICTION = "friction"


@dataclass(frozen=True)
class RunTimeParameter:
    """One parameter: name, kind of element, index of the element (body, motor, shaft), index in the element."""

    name: str
    kind: RunTimeKind
    owner: int
    part: int
    value: float


@dataclass(frozen=True)
class ParameterGroup:
    """The parameters of one word: `port` is its name as an input; `frame` that of a load."""

    word: str
    port: str
    parameters: tuple[RunTimeParameter, ...]
    frame: str = ""

    @property
    def values(self) -> tuple[float, ...]:
        """The model's own values, in order."""
        return tuple(parameter.value for parameter in self.parameters)

    @property
    def changes_friction(self) -> bool:
        """Whether the group contains friction."""
        return any(parameter.kind is RunTimeKind.FRICTION for parameter in self.parameters)


def parameter_groups(robot: Robot, words: Sequence[str]) -> tuple[ParameterGroup, ...]:
    """The groups of the words, in order; raises `ArgumentError` for an unknown word and for a parameter named twice.

    >>> from torquec.robot import classics
    >>> [group.port for group in parameter_groups(classics.planar2r(), ["load", "gravity"])]
    ['load', 'gravity']
    """
    groups = [_group(robot, word) for word in words]
    seen: set[str] = set()
    for group in groups:
        for parameter in group.parameters:
            if parameter.name in seen:
                raise ArgumentError(f"'{parameter.name}' is changeable twice", remedy="name each parameter once")
            seen.add(parameter.name)
    ports = [group.port for group in groups]
    if len(set(ports)) < len(ports):
        raise ArgumentError(f"two groups would both be called '{ports[0]}'", remedy="name one of them only")
    return tuple(groups)


def friction_words(robot: Robot) -> tuple[str, ...]:
    """The words of every shaft's changeable friction: by direction where the robot's own friction depends on it."""
    own = [shaft.friction for shaft in friction_shafts(robot)]
    found: list[str] = []
    for name in ("viscous", "coulomb"):
        sides = stored_words(name)
        same = all(friction.value(sides[0]) == friction.value(sides[1]) for friction in own)
        found += [name] if same else sides
    return (*found, "offset")


def _group(robot: Robot, word: str) -> ParameterGroup:
    head, colon, frame = word.partition(":")
    if head == "load":
        chosen = robot.frame(frame).name if colon else hand_frame(robot)
        return ParameterGroup(
            word,
            "load" if not colon else f"load_{_plain(frame)}",
            tuple(
                RunTimeParameter(f"{name}_{word}", RunTimeKind.LOAD, robot.frame(chosen).body, k, 0.0)
                for k, name in enumerate(PARAMETER_NAMES)
            ),
            chosen,
        )
    every = _parameters(robot)
    chosen_ones = {
        "gravity": [p for p in every if p.kind is RunTimeKind.GRAVITY],
        "friction": [p for p in every if p.kind is RunTimeKind.FRICTION],
        "rotors": [p for p in every if p.kind is RunTimeKind.ROTOR],
    }.get(word)
    if chosen_ones is None:
        bodies = [i for i, body in enumerate(robot.bodies) if body.name == word]
        chosen_ones = [p for p in every if p.kind is RunTimeKind.BODY and p.owner in bodies]
        chosen_ones = chosen_ones or [p for p in every if p.name == word]
    if not chosen_ones:
        raise ArgumentError(
            f"robot '{robot.name}' has no changeable '{word}'",
            remedy="name load, load:FRAME, gravity, friction, rotors, a body "
            f"({', '.join(body.name for body in robot.bodies)}) or one parameter, such as {every[3].name}",
        )
    return ParameterGroup(word, _plain(word), tuple(chosen_ones))


def _plain(word: str) -> str:
    return re.sub(r"\W", "_", word)


def _parameters(robot: Robot) -> list[RunTimeParameter]:
    """All standard parameters except those of loads."""
    found = [
        RunTimeParameter(f"gravity_{axis}", RunTimeKind.GRAVITY, 0, k, robot.gravity[k]) for k, axis in enumerate("xyz")
    ]
    for i, body in enumerate(robot.bodies):
        for k, (name, value) in enumerate(zip(PARAMETER_NAMES, body.inertia.parameters, strict=True)):
            found.append(RunTimeParameter(f"{name}_{body.name}", RunTimeKind.BODY, i, k, float(value)))
    for i, motor in enumerate(robot.drives.motors):
        found.append(RunTimeParameter(f"rotor_{motor.name}", RunTimeKind.ROTOR, i, 0, motor.rotor_inertia))
    words = friction_words(robot)
    for i, shaft in enumerate(friction_shafts(robot)):
        for k, name in enumerate(words):
            value = shaft.friction.value(stored_words(name)[0])
            found.append(RunTimeParameter(f"{name}_{shaft.name}", RunTimeKind.FRICTION, i, k, value))
    return found


@dataclass(frozen=True)
class RunTimeRobot:
    """A robot with some parameters replaced by symbols or new values; `inertial`: whether bodies are changed."""

    robot: Robot
    inertias: tuple[Inertia, ...]
    gravity: tuple[Scalar, ...]
    rotors: tuple[Scalar, ...]
    frictions: Mapping[tuple[int, int], Scalar]
    inertial: bool
    tilted: bool
    geared: bool

    def mechanism(self, grouping: Grouping = Grouping.REGROUPED) -> Mechanism:
        """The constants that the recursions use."""
        m = mechanism(self.robot, grouping, inertias=self.inertias if self.inertial else None)
        return dataclasses.replace(
            m,
            gravity=self.gravity_of(m, self.gravity) if self.tilted else m.gravity,
            reflected_inertia=self.reflected(self.rotors) if self.geared else m.reflected_inertia,
        )

    def changed_mechanism(self) -> Mechanism:
        """The mechanism of the change alone: bodies minus the file's own, under the current gravity."""
        own = [body.inertia for body in self.robot.bodies]
        changed = tuple(_difference(now, before) for now, before in zip(self.inertias, own, strict=True))
        rotors = tuple(
            _less(now, motor.rotor_inertia) for now, motor in zip(self.rotors, self.robot.drives.motors, strict=True)
        )
        m = mechanism(self.robot, inertias=changed)
        return dataclasses.replace(
            m, gravity=self.gravity_of(m, self.gravity), reflected_inertia=self.reflected(rotors)
        )

    def gravity_change(self) -> Mechanism:
        """The file's own bodies, under the change of gravity alone."""
        m = mechanism(self.robot)
        change = [_less(now, before) for now, before in zip(self.gravity, self.robot.gravity, strict=True)]
        return dataclasses.replace(m, gravity=self.gravity_of(m, change))

    def gravity_of(self, m: Mechanism, g: Sequence[Scalar]) -> Vector3:
        """Gravity, a vector of the base frame, in the axes and the unit of length of the mechanism."""
        x, y, z = g
        return scale(matvec(self.robot.canonical.base.rotation, (x, y, z)), 1.0 / m.length)

    def reflected(self, rotors: Sequence[Scalar]) -> Any:
        """Reflected rotor inertia in the mass matrix, (n, n)."""
        n = self.robot.n
        total: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        for inertia, row in zip(rotors, self.robot.drives.transmission, strict=True):
            for i in range(n):
                for j in range(n):
                    if row[i] != 0.0 and row[j] != 0.0:
                        total[i][j] = total[i][j] + (row[i] * row[j]) * inertia
        return tuple(tuple(row) for row in total)

    def friction(self, qd: Sequence[Scalar], load: Sequence[Scalar] | None) -> list[Scalar]:
        """Friction torque (n,) at speeds qd; `load` are the rigid-body torques, where friction depends on them."""
        if not self.frictions:
            return friction_torque(self.robot, qd, load=load)
        words = friction_words(self.robot)
        torque = friction_torque(_without(self.robot, words, self.frictions), qd, load=load)
        columns = friction_regressor(self.robot, qd, words)
        for (shaft, part), value in self.frictions.items():
            for i, row in enumerate(columns):
                torque[i] = torque[i] + row[shaft * len(words) + part] * value
        return torque


def run_time_robot(
    robot: Robot, groups: Sequence[ParameterGroup], values: Mapping[str, Sequence[Scalar]]
) -> RunTimeRobot:
    """The robot with the values of the groups, by port."""
    bodies = [list(body.inertia.parameters) for body in robot.bodies]
    gravity: list[Scalar] = list(robot.gravity)
    rotors: list[Scalar] = [motor.rotor_inertia for motor in robot.drives.motors]
    frictions: dict[tuple[int, int], Scalar] = {}
    kinds = {parameter.kind for group in groups for parameter in group.parameters}
    for group in groups:
        given = values[group.port]
        if group.frame:
            frame = robot.frame(group.frame)
            if frame.body >= 0:  # a load on the base does not move
                carried = Inertia(*given).transformed(frame.pose).parameters
                bodies[frame.body] = [own + more for own, more in zip(bodies[frame.body], carried, strict=True)]
            continue
        for parameter, value in zip(group.parameters, given, strict=True):
            if parameter.kind is RunTimeKind.BODY:
                bodies[parameter.owner][parameter.part] = value
            elif parameter.kind is RunTimeKind.GRAVITY:
                gravity[parameter.part] = value
            elif parameter.kind is RunTimeKind.ROTOR:
                rotors[parameter.owner] = value
            else:
                frictions[parameter.owner, parameter.part] = value
    return RunTimeRobot(
        robot,
        tuple(Inertia(*body) for body in bodies),
        tuple(gravity),
        tuple(rotors),
        frictions,
        inertial=bool(kinds & {RunTimeKind.LOAD, RunTimeKind.BODY}),
        tilted=RunTimeKind.GRAVITY in kinds,
        geared=RunTimeKind.ROTOR in kinds,
    )


def _less(now: Scalar, before: float) -> Scalar:
    return 0.0 if now is before else now - before


def _difference(now: Inertia, before: Inertia) -> Inertia:
    return Inertia(*(_less(a, b) for a, b in zip(now.parameters, before.parameters, strict=True)))


def _without(robot: Robot, words: Sequence[str], changed: Mapping[tuple[int, int], Scalar]) -> Robot:
    """The robot without the friction parameters that change."""
    names = [shaft.name for shaft in friction_shafts(robot)]
    gone: dict[str, set[str]] = {}
    for shaft, part in changed:
        gone.setdefault(names[shaft], set()).update(stored_words(words[part]))

    def kept(name: str, friction: Friction) -> Friction:
        left = {word: value for word, value in friction.values.items() if word not in gone.get(name, ())}
        return Friction.of(left)

    bodies = tuple(
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, friction=kept(b.joint.name, b.joint.friction)))
        for b in robot.bodies
    )
    motors = tuple(dataclasses.replace(m, friction=kept(m.name, m.friction)) for m in robot.drives.motors)
    return dataclasses.replace(robot, bodies=bodies, drives=dataclasses.replace(robot.drives, motors=motors))
