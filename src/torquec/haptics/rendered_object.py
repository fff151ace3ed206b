"""Virtual object of a haptic arm, with per-axis mass, damping and stiffness that can change at run time.

With x the mass centre and v its velocity in base axes, w the angular velocity in body axes, (s, u) the quaternion of
the rotation from the rest attitude to the present one:

(1)  force   -D v - K (x - x0)                               base axes
(2)  moment  -Dr w - 2 (s Kr u + (Kr u) x u)                  body axes; the spring's energy is 2 u' Kr u
(3)  shown := shown + (1 - exp(-h/T)) (asked - shown)         once a cycle

(3) makes every change bumpless: rendered settings approach the commanded ones without a jump, and so do acceleration
and torque. A change keeps position and speed of the object. Numbers that are not finite are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr.math import absolute, select
from torquec.foundation.arrays import Array
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import (
    Field,
    ObjectParameters,
    ObjectState,
    ObjectWrench,
    Quaternion,
    VirtualObject,
    rotation_of,
)
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, matvec, scale, subtract

SETTINGS: Mapping[str, int] = {
    "mass": 3,
    "inertia": 6,
    "damping": 6,
    "stiffness": 6,
    "rest_position": 3,
    "rest_orientation": 4,
    "gravity": 3,
    "fixtures": 1,
}
"""The settings in order, and the size of each; the inertia is xx, xy, xz, yy, yz, zz."""

SETTING_COUNT = sum(SETTINGS.values())


@dataclass(frozen=True)
class RenderedObject:
    """Parameters of the rendered object.

    `mass` [kg]: one, or one per axis of the base; `inertia` [kg m^2]: a matrix or its diagonal, body axes; `damping`
    and `stiffness`: three [N s/m, N/m] along the axes of the base, three [N m s, N m] about the body's; the springs
    pull to the rest pose. `gravity` acts on the object [m/s^2]; `fixtures` is the strength of walls and guides, 0 to 1.
    Raises `ArgumentError` for a physically inconsistent body.
    """

    mass: float | Vector3
    inertia: Matrix3 | Vector3
    damping: tuple[float, ...] = (0.0,) * 6
    stiffness: tuple[float, ...] = (0.0,) * 6
    rest_position: Vector3 = (0.0, 0.0, 0.0)
    rest_orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    gravity: Vector3 = (0.0, 0.0, 0.0)
    fixtures: float = 1.0
    body: VirtualObject = field(init=False, repr=False)

    def __post_init__(self) -> None:
        body = VirtualObject(self.mass, self.inertia, gravity=self.gravity)
        object.__setattr__(self, "body", body)
        for name in ("damping", "stiffness"):
            values = getattr(self, name)
            if len(values) != 6 or not all(math.isfinite(x) and x >= 0.0 for x in values):
                raise ArgumentError(f"the {name} of an object is {values}", remedy="give six numbers, zero or more")
        if len(self.rest_position) != 3 or not all(map(math.isfinite, self.rest_position)):
            raise ArgumentError(f"a rest position {self.rest_position}", remedy="give three finite numbers")
        if len(self.rest_orientation) != 4 or not abs(math.hypot(*self.rest_orientation) - 1.0) < 1e-6:
            raise ArgumentError(f"a rest orientation {self.rest_orientation}", remedy="give a unit quaternion")
        if not 0.0 <= self.fixtures <= 1.0:
            raise ArgumentError(f"a strength of fixtures of {self.fixtures}", remedy="give 0 (off) to 1 (on)")

    @property
    def settings(self) -> Array:
        """The numbers that a haptic cycle takes (`SETTING_COUNT`,), in the order of `SETTINGS`."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.body.tensor
        masses = self.body.parameters.masses
        numbers = [*masses, xx, xy, xz, yy, yz, zz, *self.damping, *self.stiffness, *self.rest_position]
        return np.array([*numbers, *self.rest_orientation, *self.gravity, self.fixtures], dtype=np.float64)


@dataclass(frozen=True)
class ShownObject:
    """The settings of a cycle by name, over any scalar."""

    numbers: Mapping[str, list[Any]]

    @staticmethod
    def of(row: Sequence[Scalar]) -> ShownObject:
        """From a row of `SETTING_COUNT` numbers."""
        parts, start = {}, 0
        for name, size in SETTINGS.items():
            parts[name] = list(row[start : start + size])
            start += size
        return ShownObject(parts)

    def parameters(self, contact_point: Vector3) -> ObjectParameters:
        """The body as the equations of motion take it."""
        xx, xy, xz, yy, yz, zz = self.numbers["inertia"]
        tensor = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        mass, gravity = tuple(self.numbers["mass"]), tuple(self.numbers["gravity"])
        return ObjectParameters(mass, tensor, contact_point, gravity)

    def field(self, environment: Field | None) -> Field:
        """Damper and spring (1), (2), and the environment scaled by `fixtures`."""
        damping, stiffness, rest = (self.numbers[name] for name in ("damping", "stiffness", "rest_position"))
        attitude, (strength,) = self.numbers["rest_orientation"], self.numbers["fixtures"]

        def force(state: ObjectState) -> ObjectWrench:
            rotation = rotation_of(state.orientation)
            away = subtract(state.position, (rest[0], rest[1], rest[2]))
            s, u = _relative(attitude, state.orientation)
            pull = _times(stiffness[3:], u)
            turn = scale(add(scale(pull, s), cross(pull, u)), 2.0)
            twist = add(_times(damping[3:], state.angular_velocity), turn)
            push = add(_times(damping[:3], state.velocity), _times(stiffness[:3], away))
            held = ObjectWrench(scale(push, -1.0), scale(matvec(rotation, twist), -1.0))
            if environment is None:
                return held
            outer = environment(state)
            return ObjectWrench(
                add(held.force, scale(outer.force, strength)), add(held.moment, scale(outer.moment, strength))
            )

        return force


def moved_settings(shown: Sequence[Scalar], asked: Sequence[Scalar], share: float) -> list[Scalar]:
    """One step (3) of the rendered settings towards the commanded ones."""
    return [old + share * (sane(new, old) - old) for old, new in zip(shown, asked, strict=True)]


def sane(value: Scalar, otherwise: Scalar) -> Scalar:
    """The value if it is finite and not too large, else the other one (NaN fails every comparison)."""
    return select(TUNING.largest_quantity - absolute(value), value, otherwise)


def _times(factors: Sequence[Scalar], v: Vector3) -> Vector3:
    return (factors[0] * v[0], factors[1] * v[1], factors[2] * v[2])


def _relative(rest: Sequence[Scalar], e: Quaternion) -> tuple[Scalar, Vector3]:
    """(s, u) of the quaternion rest* e: the rotation since rest, in body axes."""
    a, b, c, d = rest
    w, x, y, z = e
    scalar = a * w + b * x + c * y + d * z
    return scalar, (a * x - b * w - c * z + d * y, a * y - c * w - d * x + b * z, a * z - d * w - b * y + c * x)
