"""Symbolic arm model: lengths, masses, centres of mass, inertias and gravity as symbols, joint angles as c and s.

Links are in the robot's canonical frames (:mod:`torquec.robot.canonical`); joints count from 1:

(1)  a symbol stands for every length, centre coordinate and central inertia that is not zero: l1 (from axis 1 to axis
     2), d2, m1, lc1 (or xc1, yc1, zc1 where the centre of mass is off the axes of the link), Izz1, g
(2)  right angles are numbers; the cosine and sine of any other twist are the symbols ca2, sa2
(3)  ck and sk are the cosine and sine of theta_k = q_k + a constant (whole quarter turns are taken into the equations)
(4)  polynomials have rational coefficients, and no square of a sine: sk^2 = 1 - ck^2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import flint

from torquec.errors import RobotError
from torquec.robot.canonical import CanonicalLink
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import BASE, Robot
from torquec.robot.state_coordinate import check_single_coordinates

_ZERO_THRESHOLD = 1e-12  # zero threshold, relative to one metre or to the largest moment of inertia
_QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # cosine and sine: these stay numbers (2)
_REMEDY = "take the equations in numbers: leave out --symbolic, or use closed_form(robot)"

Polynomial = Any
"""A polynomial of `flint`, `fmpq_mpoly`; the package has no types."""


@dataclass(frozen=True)
class ArmSymbol:
    """A constant of the equations: its name, its LaTeX form, the robot's value of it, and its meaning."""

    name: str
    latex: str
    value: float
    meaning: str
    unit: str


@dataclass(frozen=True)
class SymbolicArm:
    """The ring of polynomials, its generators by name, and rotations, axes and centres over it.

    Generators are the symbols, q1, .. of prismatic joints, the speeds v1, .., and c1, s1, .. of revolute joints.
    """

    robot: Robot
    symbols: tuple[ArmSymbol, ...]
    generators: dict[str, Polynomial]
    ring: Any

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.robot.bodies)

    def turns(self, joint: int) -> bool:
        """Whether a joint's position is an angle."""
        return self.robot.canonical.links[joint].column.turns

    def derivative(self, value: Polynomial, joint: int) -> Polynomial:
        """By the position of a joint: c' = -s, s' = c."""
        k = joint + 1
        if not self.turns(joint):
            return value.derivative(f"q{k}")
        c, s = self.generators[f"c{k}"], self.generators[f"s{k}"]
        return self.reduced(value.derivative(f"s{k}") * c - value.derivative(f"c{k}") * s)

    def reduced(self, value: Polynomial) -> Polynomial:
        """The same without squares of sines (4)."""
        names = list(self.generators)
        for k in range(1, self.n + 1):
            if f"s{k}" not in self.generators:
                continue
            place = names.index(f"s{k}")
            found = value.to_dict()
            if all(exponents[place] < 2 for exponents in found):
                continue
            c, total = self.generators[f"c{k}"], self.ring.constant(0)
            by_power: dict[int, dict[tuple[int, ...], Any]] = {}
            for exponents, coefficient in found.items():
                power = int(exponents[place])
                rest = tuple(power % 2 if at == place else int(e) for at, e in enumerate(exponents))
                by_power.setdefault(power // 2, {})[rest] = coefficient
            for squares, terms in by_power.items():
                total += self.ring.from_dict(terms) * (1 - c * c) ** squares
            value = total
        return value


def symbolic_arm(robot: Robot) -> SymbolicArm:
    """The symbols of a robot (1)-(3); raises `RobotError` for mimic joints and for axes without common normals."""
    check_single_coordinates(robot)
    if len(robot.bodies) != robot.n:
        raise RobotError(
            "joints that follow others cannot be written in symbols",
            where=robot.source,
            remedy="lock them (--lock JOINT=VALUE), or " + _REMEDY,
        )
    robot.check_inertias()
    found = [symbol for k in range(robot.n) for symbol in _of_link(robot, k)]
    found += _of_rotors(robot) + _of_gravity(robot)
    moving = []
    for k, link in enumerate(robot.canonical.links, start=1):
        moving += [f"v{k}", f"c{k}", f"s{k}"] if link.column.turns else [f"q{k}", f"v{k}"]
    names = [symbol.name for symbol in found] + moving
    ring = flint.fmpq_mpoly_ctx.get(tuple(names), flint.Ordering.deglex)
    return SymbolicArm(robot, tuple(found), dict(zip(names, ring.gens(), strict=True)), ring)


def link_number(arm: SymbolicArm, name: str) -> Polynomial:
    """A symbol as a polynomial; zero where the robot's value is zero."""
    return arm.generators.get(name, arm.ring.constant(0))


def link_lengths(robot: Robot, k: int) -> dict[str, float]:
    """The names and values of the lengths that place a link on its parent, in the order x, y, z, along its axis."""
    link = robot.canonical.links[k]
    if link.parent == BASE:
        return {}
    siblings = sum(other.parent == link.parent for other in robot.canonical.links)
    first = f"l{link.parent + 1}" if siblings == 1 else f"a{k + 1}"
    own = dict(zip((first, f"b{k + 1}", f"e{k + 1}"), link.pre.origin, strict=True))
    return own | {f"d{k + 1}": link.d}


def twist(link: CanonicalLink) -> tuple[float, float] | None:
    """(cos, sin) of alpha where the link's rotation on its parent is Rx(alpha); None for any other rotation."""
    r = link.pre.rotation
    return (r[1][1], r[2][1]) if r[0] == (1.0, 0.0, 0.0) else None


def is_quarter(pair: tuple[float, float]) -> bool:
    """Whether a cosine and sine are those of whole quarter turns."""
    return pair in _QUARTERS


def center_names(robot: Robot, k: int) -> tuple[str, str, str]:
    """The names of the coordinates of a link's centre of mass; "" for those that are zero."""
    center = _center(robot, k)
    if sum(x != 0.0 for x in center) == 1:
        x, y, z = (f"lc{k + 1}" if value != 0.0 else "" for value in center)
        return x, y, z
    x, y, z = (f"{axis}c{k + 1}" if value != 0.0 else "" for axis, value in zip("xyz", center, strict=True))
    return x, y, z


def _center(robot: Robot, k: int) -> tuple[float, ...]:
    inertia = robot.canonical.links[k].inertia
    if inertia.m == 0.0:
        return (0.0, 0.0, 0.0)
    return tuple(0.0 if abs(x) < _ZERO_THRESHOLD else float(x) for x in inertia.center_of_mass)


def _of_link(robot: Robot, k: int) -> list[ArmSymbol]:
    link = robot.canonical.links[k]
    number, joint = k + 1, robot.bodies[k].joint.name
    found = []
    for name, value in link_lengths(robot, k).items():
        if abs(value) >= _ZERO_THRESHOLD:
            found.append(ArmSymbol(name, _indexed(name), value, _length_meaning(name, number), "m"))
    turn = twist(link)
    if turn is None and any(abs(x) not in (0.0, 1.0) for row in link.pre.rotation for x in row):
        raise RobotError(
            f"the axis of joint '{joint}' is not turned from the previous axis about a common normal alone",
            where=robot.source,
            remedy=_REMEDY,
        )
    if turn is not None and not is_quarter(turn):
        for letter, value, word in (("c", turn[0], "cos"), ("s", turn[1], "sin")):
            latex = rf"\{word}\alpha_{{{number}}}"
            found.append(
                ArmSymbol(f"{letter}a{number}", latex, value, f"{word} of the twist before joint {number}", "")
            )
    if not link.column.turns and not is_quarter(exact_cos_sin(link.theta)):
        raise RobotError(
            f"the constant angle theta of prismatic joint '{joint}' is not a multiple of 90 degrees",
            where=robot.source,
            remedy=_REMEDY,
        )
    inertia = link.inertia
    if inertia.m != 0.0:
        found.append(ArmSymbol(f"m{number}", f"m_{{{number}}}", inertia.m, f"mass of link {number}", "kg"))
    for name, value in zip(center_names(robot, k), _center(robot, k), strict=True):
        if name:
            axis = "l" if name.startswith("lc") else name[0]
            meaning = f"centre of mass of link {number}"
            found.append(ArmSymbol(name, f"{axis}_{{c{number}}}", value, meaning, "m"))
    tensor = inertia.tensor if inertia.m == 0.0 else inertia.central_tensor
    largest = max(abs(x) for row in inertia.tensor for x in row)
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        if abs(tensor[i][j]) > _ZERO_THRESHOLD * largest:
            axes = f"{'xyz'[i]}{'xyz'[j]}"
            meaning = f"central inertia of link {number}"
            found.append(ArmSymbol(f"I{axes}{number}", f"I_{{{axes}{number}}}", float(tensor[i][j]), meaning, "kg m^2"))
    return found


def _length_meaning(name: str, joint: int) -> str:
    if name[0] == "l":
        return f"length of link {name[1:]}, to the axis of joint {joint}"
    return f"offset along the axis of joint {joint}" if name[0] == "d" else f"offset of the axis of joint {joint}"


def _of_rotors(robot: Robot) -> list[ArmSymbol]:
    found = []
    for k, motor in enumerate(robot.drives.motors, start=1):
        if motor.rotor_inertia == 0.0:
            continue
        meaning = f"inertia of the rotor '{motor.name}'"
        found.append(ArmSymbol(f"J{k}", f"J_{{{k}}}", motor.rotor_inertia, meaning, "kg m^2"))
        for joint, ratio in enumerate(robot.drives.transmission[k - 1], start=1):
            if ratio not in (0.0, 1.0, -1.0):
                name = f"N{k}" if joint == k else f"N{k}_{joint}"
                latex = f"N_{{{k}}}" if joint == k else f"N_{{{k},{joint}}}"
                meaning = f"turns of the rotor '{motor.name}' for one of joint {joint}"
                found.append(ArmSymbol(name, latex, ratio, meaning, ""))
    return found


def gear_number(arm: SymbolicArm, motor: int, joint: int) -> Polynomial:
    """An entry of the transmission as a polynomial; motors and joints count from 0."""
    ratio = arm.robot.drives.transmission[motor][joint]
    if ratio in (0.0, 1.0, -1.0):
        return arm.ring.constant(int(ratio))
    return arm.generators[f"N{motor + 1}" if motor == joint else f"N{motor + 1}_{joint + 1}"]


def _of_gravity(robot: Robot) -> list[ArmSymbol]:
    """g where gravity is along an axis of the canonical base, else its components."""
    vector = [0.0 if abs(x) < _ZERO_THRESHOLD else float(x) for x in robot.canonical.gravity]
    along = [x for x in vector if x != 0.0]
    if len(along) == 1:
        return [ArmSymbol("g", "g", abs(along[0]), "gravity", "m/s^2")]
    return [
        ArmSymbol(f"g{axis}", f"g_{{{axis}}}", x, f"gravity along {axis} of the base", "m/s^2")
        for axis, x in zip("xyz", vector, strict=True)
        if x != 0.0
    ]


def gravity_names(robot: Robot) -> Sequence[tuple[int, str]]:
    """Sign and name of the components of gravity; 0 for those that vanish."""
    vector = [0.0 if abs(x) < _ZERO_THRESHOLD else float(x) for x in robot.canonical.gravity]
    alone = sum(x != 0.0 for x in vector) == 1
    return [
        (0, "") if x == 0.0 else ((1 if x > 0.0 else -1, "g") if alone else (1, f"g{axis}"))
        for axis, x in zip("xyz", vector, strict=True)
    ]


def _indexed(name: str) -> str:
    return f"{name[0]}_{{{name[1:]}}}"
