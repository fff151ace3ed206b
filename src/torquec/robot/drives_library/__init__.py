"""Library of drives: rotor inertia and friction of published arms, and an assumption for any other arm.

Robot files rarely state rotor inertias, which dominate the inertia of a geared wrist. Each `NAME.drives.toml` beside
this file states rotors and friction of one arm, with the source of every kind of number. `assumed` is a rule of thumb
for a joint with a torque limit tau_max [N m] (for a prismatic joint a force limit [N], with kg and m/s in the rule):

(1)  reflected inertia  max(0.1, tau_max/150) kg m^2
(2)  Coulomb friction  0.02 tau_max,  viscous friction  0.01 tau_max per rad/s

Its numbers have no source: the text of the drives file says so, and `load` keeps it as a warning of the robot.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources

from torquec.errors import ArgumentError
from torquec.robot.drives import DRIVES_SUFFIX, quoted_name
from torquec.robot.robot import Robot

ASSUMED = "assumed"
"""The name of the rule (1), (2)."""

_LEAST_INERTIA = 0.1  # of (1) [kg m^2]
_LIMIT_PER_INERTIA = 150.0  # of (1) [N m per kg m^2]: typical of harmonic drives in arms of 5 to 30 kg
_COULOMB_PART = 0.02  # of (2), without unit: typical of identified arms
_VISCOUS_PART = 0.01  # of (2) [s/rad]: typical of identified arms


@dataclass(frozen=True)
class LibraryDrives:
    """An entry of the library that fits a robot: its name, the text of its drives file, and its sources by quantity."""

    name: str
    text: str
    sources: Mapping[str, str]


def fitting_drives(robot: Robot) -> tuple[LibraryDrives, ...]:
    """Entries of the library for this robot: arms with the same joint names, then the rule where it has torque limits.

    >>> from torquec.robot import classics
    >>> [entry.name for entry in fitting_drives(classics.puma560())]
    ['assumed']
    """
    names = set(robot.joint_names)
    found = tuple(entry for entry, joints in _arms() if joints <= names)
    return (*found, _assumed(robot)) if _limited(robot) else found


def library_drives(robot: Robot, name: str | None = None) -> LibraryDrives:
    """The drives `name` for the robot; without a name those of the only published arm that fits, else by the rule.

    Raises `ArgumentError` where the library has none of that name for this robot.
    """
    found = fitting_drives(robot)
    if name is None and found:
        return found[0]
    for entry in found:
        if entry.name == name:
            return entry
    problem = "the library has no drives for this robot" if name is None else f"drives '{name}' do not fit this robot"
    offered = ", ".join(entry.name for entry in found)
    raise ArgumentError(
        problem,
        where=robot.source,
        remedy=f"choose one of {offered}" if offered else "give joints torque limits, or write a drives file by hand",
    )


def _arms() -> Iterator[tuple[LibraryDrives, set[str]]]:
    """The published arms, by name, each with the names of its joints."""
    for entry in sorted(resources.files(__name__).iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(DRIVES_SUFFIX):
            text = entry.read_text(encoding="utf-8")
            document = tomllib.loads(text)
            found = LibraryDrives(entry.name.removesuffix(DRIVES_SUFFIX), text, document["source"])
            yield found, set(document["joint"])


def _limited(robot: Robot) -> list[tuple[str, float]]:
    """Joints of one coordinate with a torque limit [N m]."""
    return [
        (joint.name, joint.limits.effort)
        for joint in robot.joints
        if 0.0 < joint.limits.effort < math.inf and joint.kind.nv == 1
    ]


def _assumed(robot: Robot) -> LibraryDrives:
    """Drives by the rule (1), (2), as a drives file."""
    rule = "assumed: {} of the joint's torque limit; no published source"
    least = f"{_LEAST_INERTIA:g} kg m^2 or, if larger,"
    sources = {
        "reflected_inertia": rule.format(f"{least} 1/{_LIMIT_PER_INERTIA:g} kg m^2 per N m"),
        "viscous": rule.format(f"{_VISCOUS_PART:.0%} per rad/s"),
        "coulomb": rule.format(f"{_COULOMB_PART:.0%}"),
    }
    lines = ["# Assumed drives: usual sizes for joints with these torque limits. Replace them by measured ones.", ""]
    lines += ["[source]", *(f'{key} = "{text}"' for key, text in sources.items())]
    for name, effort in _limited(robot):
        inertia = max(_LEAST_INERTIA, effort / _LIMIT_PER_INERTIA)
        friction = f"viscous = {_VISCOUS_PART * effort:.4g}, coulomb = {_COULOMB_PART * effort:.4g}"
        lines += ["", f"[joint.{quoted_name(name)}]", f"motor = {{ reflected_inertia = {inertia:.4g} }}"]
        lines += [f"friction = {{ {friction} }}"]
    return LibraryDrives(ASSUMED, "\n".join(lines) + "\n", sources)
