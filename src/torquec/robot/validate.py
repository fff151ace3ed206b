"""Checks of all robot readers: a consistent tree of bodies, and physically possible inertias.

A finding is either an error, which no robot file may contain, or a `FileWarning`, which `strict` turns into an error.

(1)  A mass is never negative, and neither is a principal moment: an eigenvalue of the tensor about the centre of mass.
(2)  No principal moment exceeds the sum of the two others (triangle inequality). This is a warning, because many
     published files break it and are still usable.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

import numpy as np

from torquec.errors import RobotFileError
from torquec.robot.degrees import degrees_text, is_limit_in_degrees
from torquec.robot.friction import FRICTION_WORDS, Friction, FrictionSign
from torquec.robot.loops.close_loops import check_loop_names, check_record
from torquec.robot.passive_friction import driving_friction
from torquec.robot.robot import BASE, Body, Drives, FileWarning, Joint, Robot
from torquec.robot.tuning import TUNING
from torquec.spatial import Inertia, norm

_ROUNDED = 32.0 * sys.float_info.epsilon
"""Rounding error of a zero central moment, relative to the moments about the frame's origin."""


_FEWEST_PLACEHOLDERS = 3
"""Number of links with equal inertias about their origins from which on this is no coincidence."""

_NO_FRICTION = Friction()


class InertiaCheck(StrEnum):
    """Which inertias `check_robot` checks."""

    BODIES = "bodies"
    """Every body, by (1) and (2)."""
    NONE = "none"
    """No inertias: the reader has checked each link, or the robot is a classic with its paper's numbers."""


def check_robot(
    robot: Robot,
    *,
    strict: bool = False,
    inertias: InertiaCheck = InertiaCheck.BODIES,
    where: Mapping[str, str] | None = None,
    limits: Collection[str] = ("position", "velocity", "effort"),
) -> Robot:
    """Check a robot and return it with the warnings of these checks added; every reader calls this last.

    `where` maps names of bodies and joints to "file:line"; `robot.source` stands in for missing names. `limits` are
    those that the file format can express, and that a joint should therefore have. Raises `RobotFileError` for a
    structure that is not a tree of uniquely named parts, for (1), and with `strict` for any warning.
    """
    places = where or {}
    check_structure(robot, places)
    warnings = list(robot.warnings)
    already_reported = {warning.about for warning in warnings}
    for body in robot.bodies:
        place = places.get(body.name, robot.source)
        if inertias is InertiaCheck.BODIES:
            warnings += check_inertia(body.name, body.inertia, where=place)
        warnings += _lacking_inertia(body, places, place)
        wanted = (
            limits if body.joint.name not in already_reported else ("position",)
        )  # an invalid limit is reported where it stands
        warnings += _missing_limits(body.joint, wanted, places.get(body.joint.name, robot.source))
        warnings += _negative_friction(body.joint, places.get(body.joint.name, robot.source))
        warnings += _limits_in_degrees(body.joint, places.get(body.joint.name, robot.source))
    negative = {body.joint.name for body in robot.bodies if _negative_friction(body.joint, "")}
    driving = driving_friction(robot, lambda name: places.get(name, robot.source))
    warnings += [warning for warning in driving if warning.about not in negative]
    warnings += _placeholder_inertias(robot)
    if strict:
        refuse_warnings(warnings)
    return dataclasses.replace(robot, warnings=tuple(warnings))


def refuse_warnings(warnings: Iterable[FileWarning]) -> None:
    """Raise `RobotFileError` for the first warning, if there is one: the effect of `strict`."""
    found = list(warnings)
    if not found:
        return
    others = f" (and {len(found) - 1} more warnings)" if len(found) > 1 else ""
    raise RobotFileError(
        f"{found[0].text}{others}", where=found[0].where, remedy="correct the file, or load it without strict"
    )


def without_negative_moments(name: str, inertia: Inertia, *, where: str) -> tuple[Inertia, tuple[FileWarning, ...]]:
    """The inertia with slightly negative principal moments set to zero, and a warning where there were any.

    Slightly negative moments are rounding of a thin or tiny body, such as an antenna; others are faults that change
    torques.
    """
    if not inertia.m > 0.0 or not all(abs(value) < TUNING.largest_number for value in inertia.parameters):
        return inertia, ()
    moments, axes = np.linalg.eigh(np.array(inertia.central_tensor, dtype=float))
    least, largest = float(moments[0]), float(moments[2])
    if (
        not 0.0 < -least <= max(TUNING.slight_moment * largest, TUNING.negligible_moment)
        or -least <= TUNING.negative_moment * largest
    ):
        return inertia, ()
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = ((axes * np.maximum(moments, 0.0)) @ axes.T).tolist()
    solid = Inertia.from_center_of_mass(inertia.m, inertia.center_of_mass, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    text = f"the inertia of '{name}' has a principal moment of {least:.3g} kg m^2: it is taken as zero"
    return solid, (FileWarning(where, text),)


def check_inertia(name: str, inertia: Inertia, *, where: str) -> tuple[FileWarning, ...]:
    """Raise `RobotFileError` when link `name` breaks (1) or overflows; a warning when it breaks (2).

    >>> check_inertia("forearm", Inertia(xx=1.0, yy=1.0, zz=3.0, m=2.0), where="arm.urdf:7")[0].where
    'arm.urdf:7'
    """
    if is_solid(inertia):
        return ()
    if not all(abs(value) < TUNING.largest_number for value in inertia.parameters):
        raise RobotFileError(
            f"the inertia of '{name}' is too large", where=where, remedy="check the units: kg, m and kg m^2"
        )
    if inertia.m < 0.0:
        raise RobotFileError(
            f"the mass of '{name}' is negative: {inertia.m:g}", where=where, remedy="give a mass of 0 kg or more"
        )
    a, b, c = principal_moments(inertia)
    # Central moments of a point mass are rounding errors of its moments about the frame's origin.
    rounding = _ROUNDED * (abs(inertia.xx) + abs(inertia.yy) + abs(inertia.zz)) if inertia.m > 0.0 else 0.0
    if a < -TUNING.negative_moment * max(abs(a), c) - rounding:
        raise RobotFileError(
            f"the inertia of '{name}' has a negative principal moment: {a:.3g}, {b:.3g}, {c:.3g} kg m^2",
            where=where,
            remedy="check the signs of ixx, iyy and izz, and that the products of inertia are not too large for them",
        )
    if inertia.m == 0.0 and c > 0.0:
        return (FileWarning(where, f"'{name}' has moments of inertia but no mass"),)
    if c > (a + b) + TUNING.triangle_tolerance * c + rounding:
        moments = f"{a:.3g}, {b:.3g}, {c:.3g}"
        return (FileWarning(where, f"the inertia of '{name}' breaks the triangle inequality: {moments} kg m^2"),)
    return ()


def is_solid(inertia: Inertia) -> bool:
    """Quick sufficient test, without principal moments, that the inertia satisfies (1) and (2).

    With the tensor J about the centre, (1) holds where J is positive definite, (2) where tr(J)/2 1 - J is: both by
    leading minors, which are cheaper than eigenvalues. False means undecided.

    >>> is_solid(Inertia(xx=1.0, yy=1.0, zz=1.0, m=2.0)), is_solid(Inertia(xx=1.0, yy=1.0, zz=3.0, m=2.0))
    (True, False)
    """
    if not (inertia.m > 0.0 and max(map(abs, inertia.parameters)) < TUNING.largest_number):
        return False
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.central_tensor
    half = 0.5 * (xx + yy + zz)
    if not half > 0.0:
        return False
    xx, xy, xz, yy, yz, zz = xx / half, xy / half, xz / half, yy / half, yz / half, zz / half
    return _is_positive(xx, xy, xz, yy, yz, zz) and _is_positive(1.0 - xx, -xy, -xz, 1.0 - yy, -yz, 1.0 - zz)


def _is_positive(xx: float, xy: float, xz: float, yy: float, yz: float, zz: float) -> bool:
    """Whether the leading minors, counted from z, of a symmetric matrix with elements of order one are positive."""
    minor = yy * zz - yz * yz
    return (
        zz > TUNING.positive_minor
        and minor > TUNING.positive_minor
        and xx * minor - xy * (xy * zz - xz * yz) - xz * (xz * yy - xy * yz) > TUNING.positive_minor
    )


def principal_moments(inertia: Inertia) -> tuple[float, float, float]:
    """The three principal moments about the centre of mass, smallest first.

    >>> principal_moments(Inertia(xx=3.0, yy=1.0, zz=2.0, m=1.0))
    (1.0, 2.0, 3.0)
    """
    tensor = inertia.central_tensor if inertia.m > 0.0 else inertia.tensor
    a, b, c = np.linalg.eigvalsh(np.array(tensor, dtype=float)).tolist()
    return (a, b, c)


def check_structure(robot: Robot, where: Mapping[str, str] | None = None) -> None:
    """Raise `RobotFileError` unless names are unique, parents come first, and axes, limits and mimics make sense."""
    places = where or {}
    _check_unique("body", [body.name for body in robot.bodies], places, robot.source)
    _check_unique("joint", [body.joint.name for body in robot.bodies], places, robot.source)
    _check_unique("frame", [frame.name for frame in robot.frames], places, robot.source)
    independent = {joint.name for joint in robot.joints}
    for index, body in enumerate(robot.bodies):
        if not BASE <= body.parent < index:
            raise RobotFileError(
                f"body '{body.name}' does not follow its parent",
                where=places.get(body.name, robot.source),
                remedy="list parents before children: a robot is a tree with one base",
            )
        check_joint(body.joint, where=places.get(body.joint.name, robot.source))
        numbers = (*body.joint.placement.origin, *body.inertia.parameters)
        if not all(abs(number) < TUNING.largest_number for number in numbers):
            raise RobotFileError(
                f"the placement or the inertia of body '{body.name}' is too large",
                where=places.get(body.name, robot.source),
                remedy="check the units: kg, m and kg m^2 are expected",
            )
        mimic = body.joint.mimic
        followed = None if mimic is None else next((j for j in robot.joints if j.name == mimic.joint), None)
        if mimic is not None and (body.joint.kind.nv > 1 or (followed is not None and followed.kind.nv > 1)):
            raise RobotFileError(
                f"joint '{body.joint.name}' mimics '{mimic.joint}', and one of them has several coordinates",
                where=places.get(body.joint.name, robot.source),
                remedy="mimic joints turn or slide, and follow joints that do",
            )
        if mimic is not None and not (
            abs(mimic.multiplier) <= TUNING.largest_ratio and abs(mimic.offset) <= TUNING.largest_ratio
        ):
            raise RobotFileError(
                f"joint '{body.joint.name}' mimics with multiplier {mimic.multiplier:g} and offset {mimic.offset:g}",
                where=places.get(body.joint.name, robot.source),
                remedy=f"give numbers up to {TUNING.largest_ratio:g}",
            )
        if mimic is not None and mimic.joint not in independent:
            raise RobotFileError(
                f"joint '{body.joint.name}' mimics '{mimic.joint}', which is not an independent moving joint",
                where=places.get(body.joint.name, robot.source),
                remedy=f"mimic one of {', '.join(sorted(independent)) or '(the robot has no independent joint)'}",
            )
    check_drives(robot.drives, where=robot.source, places=places)
    if robot.loops is not None:
        check_loop_names(robot.tree, robot.loops.file)
        check_record(robot, robot.loops)
    for frame in robot.frames:
        if not BASE <= frame.body < len(robot.bodies):
            raise RobotFileError(f"frame '{frame.name}' is on no body", where=places.get(frame.name, robot.source))


def check_drives(drives: Drives, *, where: str, places: Mapping[str, str] | None = None) -> None:
    """Raise `RobotFileError` for gears and rotors that make torques overflow, and for impossible rotors.

    `places` maps motor names (a joint's own motor has the joint's name) to "file:line"; `where` is for all others.
    """
    for motor, row in zip(drives.motors, drives.transmission, strict=True):
        place = (places or {}).get(motor.name, where)
        if not all(abs(ratio) <= TUNING.largest_ratio for ratio in row):
            raise RobotFileError(
                f"motor '{motor.name}' turns {max(map(abs, row)):g} times as fast as a joint",
                where=place,
                remedy=f"give gear ratios up to {TUNING.largest_ratio:g}",
            )
        if not 0.0 <= motor.rotor_inertia < TUNING.largest_number:
            raise RobotFileError(
                f"the rotor inertia of motor '{motor.name}' is {motor.rotor_inertia:g} kg m^2",
                where=place,
                remedy="a moment of inertia is not negative: give the rotor's, in kg m^2",
            )


def check_joint(joint: Joint, *, where: str) -> None:
    """Raise `RobotFileError` for an axis that is not a unit vector, or limits that exclude everything."""
    if not abs(norm(joint.axis) - 1.0) < 1e-9:
        raise RobotFileError(
            f"the axis of joint '{joint.name}' is {joint.axis}", where=where, remedy="give a direction of length 1"
        )
    if joint.spring is not None and not (
        0.0 <= joint.spring.stiffness < TUNING.largest_number and abs(joint.spring.rest) < TUNING.largest_number
    ):
        raise RobotFileError(
            f"the spring of joint '{joint.name}' has the stiffness {joint.spring.stiffness:g}",
            where=where,
            remedy="give 0 or more: a spring pulls its joint back",
        )
    limits = joint.limits
    if not limits.lower <= limits.upper:
        raise RobotFileError(
            f"joint '{joint.name}' has lower > upper: {limits.lower:g} > {limits.upper:g}",
            where=where,
            remedy="exchange the two limits",
        )
    for name, value in (("velocity", limits.velocity), ("effort", limits.effort)):
        if not value >= 0.0:
            raise RobotFileError(
                f"the {name} limit of joint '{joint.name}' is negative: {value:g}",
                where=where,
                remedy="limits of velocity and effort are magnitudes: give 0 or more",
            )


def _check_unique(kind: str, names: list[str], places: Mapping[str, str], source: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise RobotFileError(
                f"two parts of the robot are called '{name}' ({kind})",
                where=places.get(name, source),
                remedy=f"give every {kind} its own name",
            )
        seen.add(name)


def _lacking_inertia(body: Body, places: Mapping[str, str], place: str) -> list[FileWarning]:
    """Warnings about links without inertia, which add no mass to their body; a body of such links has no dynamics."""
    follows = "it counts as massless" if any(body.inertia.parameters) else "there is kinematics, but no dynamics"
    return [
        FileWarning(places.get(link, place), f"link '{link}' has no inertia: {follows}", about=link)
        for link in body.lacking_inertia
    ]


def _placeholder_inertias(robot: Robot) -> list[FileWarning]:
    """A warning where all links have one mass and inertia, with the center of mass at their origin: not measured."""
    solid = [body.inertia for body in robot.bodies if any(body.inertia.parameters)]
    if len(solid) < _FEWEST_PLACEHOLDERS or any(each != solid[0] or any(each.first_moment) for each in solid):
        return []
    text = (
        f"all {len(solid)} links have {solid[0].m:g} kg at the origin of their frames and the same inertia, as "
        "placeholders have: kinematics is usable, but torques are not those of the real robot; give the maker's "
        "inertias, or identify them from a log with torquec identify"
    )
    return [FileWarning(robot.source, text)]


def _missing_limits(joint: Joint, wanted: Collection[str], place: str) -> list[FileWarning]:
    """Warnings for a joint without limits; a mimic joint is limited through the joint that it follows."""
    if joint.mimic is not None:
        return []
    limits = joint.limits
    missing = [name for name in ("velocity", "effort") if math.isinf(getattr(limits, name))]
    if joint.kind.has_position_limits and math.isinf(limits.lower) and math.isinf(limits.upper):
        missing.insert(0, "position")
    elif not joint.kind.has_position_limits and len(missing) == 2:
        return []  # a continuous joint without other limits is complete
    missing = [name for name in missing if name in wanted]
    return [FileWarning(place, f"joint '{joint.name}' has no {' and no '.join(missing)} limit")] if missing else []


def _limits_in_degrees(joint: Joint, place: str) -> list[FileWarning]:
    """A warning for a rotary joint whose limits look like degrees."""
    if not all(each.turns for each in joint.kind.coordinates):
        return []
    wrong = [value for value in (joint.limits.upper, joint.limits.lower) if is_limit_in_degrees(value)]
    if not wrong:
        return []
    text = degrees_text(f"the limit of joint '{joint.name}'", wrong[0], "a DH table also takes lower_deg and upper_deg")
    return [FileWarning(place, text, about_units=True)]


def _negative_friction(joint: Joint, place: str) -> list[FileWarning]:
    """A warning for friction that drives its joint: not physical, but fitted models contain it."""
    if joint.friction == _NO_FRICTION:
        return []
    values = joint.friction.values.items()
    worst = min(value for name, value in values if FRICTION_WORDS[name].sign is not FrictionSign.ANY)
    return [FileWarning(place, f"the friction of joint '{joint.name}' is negative: {worst:g}")] if worst < 0.0 else []
