"""Guidance virtual fixtures: a line or a plane that attracts a point of a virtual object.

(1)  line through p along t:    o = (x - p) - ((x - p) . t) t       offset from the line
(2)  plane through p across n:  o = ((x - p) . n) n                 offset from the plane
(3)  force  -k o - c od,  od the part of the point's velocity in the same direction

There is no force along the line or within the plane. Forbidden regions, the other kind of fixture (Rosenberg), are
walls, balls and blocks of `contact.py`. Forces act at the point and so have a moment about the mass centre.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import Field, ObjectState, ObjectWrench, rotation_of
from torquec.spatial import Vector3, add, cross, dot, matvec, scale, subtract


class GuideShape(StrEnum):
    """The free directions of a guide: a line or a plane."""

    LINE = "line"
    PLANE = "plane"


@dataclass(frozen=True)
class Guide:
    """A line along `direction` or a plane across it (a unit vector), through `point`, in base axes [m].

    `stiffness` [N/m] and `damping` [N s/m] attract the point `place` of the object (seen from its mass centre, body
    axes).
    """

    shape: GuideShape
    point: Vector3
    direction: Vector3
    stiffness: float
    damping: float = 0.0
    place: Vector3 = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", chosen(GuideShape, self.shape, "shape of a guide"))
        if not abs(math.hypot(*self.direction) - 1.0) <= TUNING.unit_tolerance:
            raise ArgumentError(f"a guide has the direction {self.direction}", remedy="give a unit vector")
        numbers = (*self.point, *self.place, self.stiffness, self.damping)
        if not all(map(math.isfinite, numbers)) or self.stiffness <= 0.0 or self.damping < 0.0:
            raise ArgumentError(
                f"a guide with {self.stiffness} N/m and {self.damping} N s/m through {self.point}",
                remedy="give finite numbers, the stiffness positive and the damping not negative",
            )

    def off(self, v: Vector3) -> Vector3:
        """The component of a vector that the guide resists (1), (2)."""
        across = scale(self.direction, dot(v, self.direction))
        return across if self.shape is GuideShape.PLANE else subtract(v, across)


def guide_field(guides: Sequence[Guide]) -> Field:
    """The force of all guides (3), as a field of `object_step`."""

    def field(state: ObjectState) -> ObjectWrench:
        rotation = rotation_of(state.orientation)
        force: Vector3 = (0.0, 0.0, 0.0)
        moment: Vector3 = (0.0, 0.0, 0.0)
        for guide in guides:
            arm = matvec(rotation, guide.place)
            velocity = add(state.velocity, matvec(rotation, cross(state.angular_velocity, guide.place)))
            away = guide.off(subtract(add(state.position, arm), guide.point))
            pull = scale(add(scale(away, guide.stiffness), scale(guide.off(velocity), guide.damping)), -1.0)
            force, moment = add(force, pull), add(moment, cross(arm, pull))
        return ObjectWrench(force, moment)

    return field


def joined_fields(fields: Sequence[Field]) -> Field:
    """Several fields as one: their forces and moments added."""

    def field(state: ObjectState) -> ObjectWrench:
        total = ObjectWrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        for one in fields:
            more = one(state)
            total = ObjectWrench(add(total.force, more.force), add(total.moment, more.moment))
        return total

    return field
