"""Virtual rigid body of a haptic display, moved by forces at a contact point: dynamics and integration.

Clover, chapter IV, (1) to (14), with the errata of (8), (9) and (12). R is the rotation of the quaternion e (scalar
first) from body to base axes, d the contact point seen from the mass centre in body axes, F and G force and moment that
act there, in body axes as a sensor on the tool measures them:

(1)  m vd = m g + R F                                   the mass centre, base axes
(2)  I wd + w x I w = G + d x F                         body axes, about the mass centre
(3)  xd = v,   ed = L(e)' w / 2
(4)  x_c = x + R d,   v_c = v + R (w x d),   a_c = vd + R (wd x d + w x (w x d))

The paper integrates the velocity in body axes, where Runge-Kutta's error becomes a slow loss of energy even without a
force. In base axes, (1), a free body keeps its velocity exactly. The remaining loss in (2) falls with the fifth power
of the step: a cycle is integrated in `substeps` steps. F and G are sampled once a cycle; a force that
depends on the state, such as a wall's, is a `field` and is evaluated at every stage.

Mass and inertia are independent of each other, as in the paper's experiments, and can be changed between two cycles.
The mass may differ from axis to axis of the base: (1) then holds for each axis with its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from torquec.errors import ArgumentError
from torquec.expr import Function, trace
from torquec.expr.math import maximum, select, sqrt
from torquec.haptics.tuning import TUNING
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, dot, matvec, scale, subtract, transpose

Quaternion: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar]
"""Scalar first."""


@dataclass(frozen=True)
class VirtualObject:
    """A body: mass [kg], inertia about its mass centre [kg m^2, body axes], and its contact point.

    `contact_point` is d of (2) and (4) [m, body axes], `gravity` acts on the body in base axes [m/s^2]; it is off
    unless given. `mass` is one number or one per axis of the base, `inertia` a matrix or its three diagonal entries.
    Raises `ArgumentError` for a physically inconsistent body.
    """

    mass: float | Vector3
    inertia: Matrix3 | Vector3
    contact_point: Vector3 = (0.0, 0.0, 0.0)
    gravity: Vector3 = (0.0, 0.0, 0.0)
    tensor: Matrix3 = field(init=False, repr=False)

    def __post_init__(self) -> None:
        masses = self.mass if isinstance(self.mass, tuple) else (self.mass,) * 3
        if len(masses) != 3 or not all(0.0 < mass < math.inf for mass in masses):
            raise ArgumentError(f"a virtual object has a mass of {self.mass} kg", remedy="give a positive, finite mass")
        for name in ("contact_point", "gravity"):
            value = getattr(self, name)
            if len(value) != 3 or not all(math.isfinite(x) for x in value):
                raise ArgumentError(f"{name} of a virtual object is {value}", remedy="give three finite numbers")
        object.__setattr__(self, "tensor", _checked_tensor(self.inertia))

    @property
    def parameters(self) -> ObjectParameters:
        """The body as the equations of motion use it."""
        return ObjectParameters(self.mass, self.tensor, self.contact_point, self.gravity)


class ObjectParameters(NamedTuple):
    """Parameters of a body in the equations of motion, over any scalar; three masses are one per axis of the base."""

    mass: Scalar | Vector3
    inertia: Matrix3
    contact_point: Vector3
    gravity: Vector3

    @property
    def masses(self) -> Vector3:
        """The mass along every axis of the base."""
        return self.mass if isinstance(self.mass, tuple) else (self.mass, self.mass, self.mass)


class ObjectState(NamedTuple):
    """Mass centre [m] and its velocity [m/s] in base axes, quaternion, angular velocity [rad/s] in body axes."""

    position: Vector3
    orientation: Quaternion
    velocity: Vector3
    angular_velocity: Vector3


class ObjectWrench(NamedTuple):
    """Force [N] and moment [N m]; axes and point depend on the use."""

    force: Vector3
    moment: Vector3


class PointMotion(NamedTuple):
    """Pose, velocity and acceleration of the body at its contact point, all in base axes (4)."""

    position: Vector3
    rotation: Matrix3
    velocity: Vector3
    angular_velocity: Vector3
    acceleration: Vector3
    angular_acceleration: Vector3


Field: TypeAlias = Callable[[ObjectState], ObjectWrench]
"""A force that depends on the state: in base axes, about the mass centre."""

_AT_REST = ObjectWrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def object_step(
    body: ObjectParameters,
    state: ObjectState,
    held: ObjectWrench,
    duration: Scalar,
    *,
    field: Field | None = None,
    substeps: int = TUNING.substeps,
) -> ObjectState:
    """The state after one cycle of `duration` [s]; `held` acts at the contact point in body axes, sampled once."""
    h = duration / substeps
    for _ in range(substeps):
        state = _runge_kutta(body, state, held, h, field)
    return state


def contact_motion(
    body: ObjectParameters, state: ObjectState, held: ObjectWrench, *, field: Field | None = None
) -> PointMotion:
    """The current motion of the contact point (4)."""
    rotation = rotation_of(state.orientation)
    linear, angular = object_acceleration(body, state, held, field=field)
    w, d = state.angular_velocity, body.contact_point
    turning = add(cross(angular, d), cross(w, cross(w, d)))
    return PointMotion(
        add(state.position, matvec(rotation, d)),
        rotation,
        add(state.velocity, matvec(rotation, cross(w, d))),
        matvec(rotation, w),
        add(linear, matvec(rotation, turning)),
        matvec(rotation, angular),
    )


def object_acceleration(
    body: ObjectParameters, state: ObjectState, held: ObjectWrench, *, field: Field | None = None
) -> tuple[Vector3, Vector3]:
    """(vd in base axes, wd in body axes) by (1) and (2)."""
    rotation = rotation_of(state.orientation)
    outer = field(state) if field else _AT_REST
    force = add(matvec(rotation, held.force), outer.force)
    moment = add(held.moment, cross(body.contact_point, held.force))
    moment = add(moment, matvec(transpose(rotation), outer.moment))
    w = state.angular_velocity
    spin = subtract(moment, cross(w, matvec(body.inertia, w)))
    return add(body.gravity, over_mass(body, force)), solve_inertia(body.inertia, spin)


def over_mass(body: ObjectParameters, impulse: Vector3) -> Vector3:
    """A force or an impulse in base axes over the mass along each of them."""
    x, y, z = (value * (1.0 / mass) for value, mass in zip(impulse, body.masses, strict=True))
    return (x, y, z)


def object_energy(body: ObjectParameters, state: ObjectState) -> Scalar:
    """Kinetic and potential energy [J], the latter zero at the base's origin."""
    w = state.angular_velocity
    momentum, spin = object_momentum(body, state)[0], matvec(body.inertia, w)
    return 0.5 * (dot(momentum, state.velocity) + dot(w, spin)) - dot(_weight(body), state.position)


def object_momentum(body: ObjectParameters, state: ObjectState) -> tuple[Vector3, Vector3]:
    """(linear, angular about the mass centre) momentum in base axes [kg m/s, kg m^2/s]."""
    spin = matvec(rotation_of(state.orientation), matvec(body.inertia, state.angular_velocity))
    x, y, z = (mass * speed for mass, speed in zip(body.masses, state.velocity, strict=True))
    return (x, y, z), spin


def _weight(body: ObjectParameters) -> Vector3:
    x, y, z = (mass * g for mass, g in zip(body.masses, body.gravity, strict=True))
    return (x, y, z)


def rotation_of(e: Quaternion) -> Matrix3:
    """The rotation of a unit quaternion, scalar first (paper (4)).

    Equal to `torquec.spatial.unit_quaternion_rotation`; products are ordered as in generated steps, and round alike.
    """
    w, x, y, z = e
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def quaternion_of(rotation: Matrix3) -> Quaternion:
    """The unit quaternion of a rotation, scalar first: by the largest of its four components, without branches.

    It can be traced; `torquec.spatial.rotation_quaternion` is the same for numbers alone.

    >>> quaternion_of(((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)))
    (0.0, 0.0, 0.0, 1.0)
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation
    rows = (
        (1.0 + a + e + i, h - f, c - g, d - b),  # four times the quaternion, times each of its components in turn
        (h - f, 1.0 + a - e - i, b + d, c + g),
        (c - g, b + d, 1.0 - a + e - i, f + h),
        (d - b, c + g, f + h, 1.0 - a - e + i),
    )
    best: tuple[Scalar, ...] = rows[0]
    largest: Scalar = rows[0][0]
    for k in range(1, 4):
        larger = rows[k][k] - largest
        best = tuple(select(larger, new, old) for new, old in zip(rows[k], best, strict=True))
        largest = maximum(largest, rows[k][k])
    length = sqrt(sum((x * x for x in best[1:]), best[0] * best[0]))
    return tuple(x / length for x in best)


def virtual_object_function(*, field: Field | None = None, substeps: int = TUNING.substeps) -> Function:
    """One cycle as a `Function` for native code, C and WebAssembly: the state after it and the contact point's motion.

    The motion is that of the state after the cycle under the same held force: the next reference of the arm. Mass,
    inertia, contact point and gravity are inputs, so that they can change between two cycles.
    """

    def algorithm(**given: Scalar) -> dict[str, object]:
        body = ObjectParameters(given["mass"], given["inertia"], given["contact_point"], given["gravity"])
        state = ObjectState(given["position"], given["orientation"], given["velocity"], given["angular_velocity"])
        held = ObjectWrench(given["force"], given["moment"])
        after = object_step(body, state, held, given["duration"], field=field, substeps=substeps)
        motion = contact_motion(body, after, held, field=field)
        outputs: dict[str, object] = {f"next_{name}": value for name, value in after._asdict().items()}
        return outputs | {f"contact_{name}": value for name, value in motion._asdict().items()}

    return trace(
        "virtual_object",
        algorithm,
        {
            "position": (3,),
            "orientation": (4,),
            "velocity": (3,),
            "angular_velocity": (3,),
            "force": (3,),
            "moment": (3,),
            "mass": (),
            "inertia": (3, 3),
            "contact_point": (3,),
            "gravity": (3,),
            "duration": (),
        },
    )


def _runge_kutta(
    body: ObjectParameters, state: ObjectState, held: ObjectWrench, h: Scalar, field: Field | None
) -> ObjectState:
    """The classical method of fourth order; the quaternion is normalised at the end."""

    def rates(s: ObjectState) -> ObjectState:
        linear, angular = object_acceleration(body, s, held, field=field)
        return ObjectState(s.velocity, _quaternion_rate(s), linear, angular)

    first = rates(state)
    second = rates(_moved(state, first, 0.5 * h))
    third = rates(_moved(state, second, 0.5 * h))
    fourth = rates(_moved(state, third, h))
    mean = ObjectState(
        *(
            tuple((a + 2.0 * (b + c) + d) / 6.0 for a, b, c, d in zip(*parts, strict=True))
            for parts in zip(first, second, third, fourth, strict=True)
        )
    )
    after = _moved(state, mean, h)
    length = sqrt(sum((x * x for x in after.orientation[1:]), after.orientation[0] * after.orientation[0]))
    return after._replace(orientation=tuple(x / length for x in after.orientation))


def _moved(state: ObjectState, rate: ObjectState, h: Scalar) -> ObjectState:
    return ObjectState(
        *(
            tuple(x + h * dx for x, dx in zip(value, change, strict=True))
            for value, change in zip(state, rate, strict=True)
        )
    )


def _quaternion_rate(state: ObjectState) -> Quaternion:
    """ed of (3)."""
    w, x, y, z = state.orientation
    p, q, r = state.angular_velocity
    return (
        -0.5 * (x * p + y * q + z * r),
        0.5 * (w * p + y * r - z * q),
        0.5 * (w * q + z * p - x * r),
        0.5 * (w * r + x * q - y * p),
    )


def solve_inertia(m: Matrix3, v: Vector3) -> Vector3:
    """The solution of m x = v for a symmetric m, by its adjugate."""
    (a, b, c), (_, d, e), (_, _, f) = m
    first = (d * f - e * e, c * e - b * f, b * e - c * d)
    second = (first[1], a * f - c * c, b * c - a * e)
    third = (first[2], second[2], a * d - b * b)
    determinant = a * first[0] + b * first[1] + c * first[2]
    return scale(matvec((first, second, third), v), 1.0 / determinant)


def _checked_tensor(inertia: Matrix3 | Vector3) -> Matrix3:
    import numpy as np

    given = np.asarray(inertia, dtype=float)
    tensor = np.diag(given) if given.shape == (3,) else given
    if tensor.shape != (3, 3) or not np.isfinite(tensor).all():
        raise ArgumentError("the inertia of a virtual object is not a 3x3 matrix", remedy="give nine or three numbers")
    if np.abs(tensor - tensor.T).max() > TUNING.inertia_ratio * np.abs(tensor).max():
        raise ArgumentError("the inertia of a virtual object is not symmetric")
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] <= TUNING.inertia_ratio * moments[2]:
        raise ArgumentError(
            f"the inertia of a virtual object has the principal moments {', '.join(f'{m:g}' for m in moments)}",
            remedy="give one with three positive moments",
        )
    if moments[2] > (moments[0] + moments[1]) * (1.0 + TUNING.inertia_ratio):
        raise ArgumentError(
            f"no body has the principal moments {', '.join(f'{m:g}' for m in moments)}",
            remedy="the largest is at most the sum of the others",
        )
    half = 0.5 * (tensor + tensor.T)
    rows = [(float(row[0]), float(row[1]), float(row[2])) for row in half]
    return (rows[0], rows[1], rows[2])
