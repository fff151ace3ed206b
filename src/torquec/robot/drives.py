"""The side file `NAME.drives.toml`: motors, gears, friction and springs that robot files cannot express.

It is documented in `docs/drives.md` and uses the words of the DH tables. Its entries for a joint replace those of the
robot file; a motor of the robot file stays if the side file has no motor for its joints.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from torquec.foundation.reading import FileKind
from torquec.robot.dh_joint import (
    GearedMotor,
    build_drives,
    read_counterbalances,
    read_coupled_motor,
    read_friction,
    read_motor,
    read_spring,
)
from torquec.robot.friction import FRICTION_WORDS, Friction, spoken_word
from torquec.robot.passive_friction import driving_friction
from torquec.robot.robot import FileWarning, Joint, Robot, Spring
from torquec.robot.toml import Table, read_toml
from torquec.robot.validate import check_drives, check_joint

DRIVES_SUFFIX = ".drives.toml"

_INSIDE = {
    **dict.fromkeys(("rotor_inertia", "gear_ratio", "reflected_inertia"), "motor"),
    **dict.fromkeys((*FRICTION_WORDS, *map(spoken_word, FRICTION_WORDS)), "friction"),
    **dict.fromkeys(("stiffness", "rest"), "spring"),
}
"""For keys that users write directly under a joint: the table of the joint in which they belong."""


def side_file(robot_file: Path, suffix: str = DRIVES_SUFFIX) -> Path:
    """Path of the side file of a robot file: its drives, or another suffix.

    >>> side_file(Path("arms/ur5.urdf")).as_posix(), side_file(Path("ur5.urdf.xacro")).name
    ('arms/ur5.drives.toml', 'ur5.drives.toml')
    """
    stem = robot_file.stem
    if robot_file.suffix.lower() == ".xacro":
        stem = stem.removesuffix(".urdf")
    return robot_file.with_name(stem + suffix)


def read_drives(path: Path, robot: Robot) -> Robot:
    """The robot with the drives of a side file.

    Raises `RobotFileError`, with the line, for unknown keys and joints, wrong values, and two motors of one name.
    """
    document = read_toml(path, FileKind.DRIVES)
    joints = {body.joint.name: body.joint for body in robot.bodies}
    own = _file_motors(robot)
    motors: list[tuple[GearedMotor, Table]] = []
    table = document.table("joint")
    for name in () if table is None else table.keys:
        assert table is not None
        if name not in joints:
            table.refuse(name, f"there is no joint '{name}'", f"the joints of the robot are {', '.join(joints)}")
        entry = table.table(name)
        assert entry is not None
        joints[name] = _read_joint(entry, joints[name])
        check_joint(joints[name], where=entry.where())
        geared = read_motor(entry, name, gear_ratio=_ratio_of(own, name))
        if geared is not None and joints[name].kind.nv > 1:
            entry.refuse("motor", f"joint '{name}' has {joints[name].kind.nv} coordinates", "give a [[motor]] for each")
        if geared is not None:
            motors.append((geared, entry))
        entry.finish(_INSIDE)
    motors += [(read_coupled_motor(entry, robot.coordinate_names), entry) for entry in document.tables("motor")]
    assumed = _assumed_numbers(document.table("source"), path)
    document.finish()
    _check_names(motors)

    mimics = {joint.name: joint.mimic for joint in joints.values() if joint.mimic is not None}
    driven = {
        mimics[joint].joint if joint in mimics else joint
        for geared, _ in motors
        for joint, ratio in geared.ratios.items()
        if ratio != 0.0
    }
    kept = [geared for geared in own if not driven.intersection(geared.ratios)]
    driven_robot = dataclasses.replace(
        robot,
        bodies=tuple(dataclasses.replace(body, joint=joints[body.joint.name]) for body in robot.bodies),
        drives=build_drives([*kept, *(geared for geared, _ in motors)], robot.coordinate_names, mimics),
    )
    check_drives(driven_robot.drives, where=str(path))
    known = {warning.text for warning in robot.warnings}
    found = tuple(one for one in driving_friction(driven_robot, lambda _: str(path)) if one.text not in known)
    return dataclasses.replace(driven_robot, warnings=(*robot.warnings, *found, *assumed))


_ASSUMED = "assumed, without a published or measured source"


def _assumed_numbers(sources: Table | None, path: Path) -> list[FileWarning]:
    """A warning if `[source]`, which gives the source of each kind of number, calls some of them assumed."""
    if sources is None:
        return []
    assumed = [key for key in sources.keys if sources.text(key).startswith("assumed")]
    sources.finish()
    text = f"{', '.join(assumed)} of the drives: {_ASSUMED}"
    return [FileWarning(str(path), text)] if assumed else []


def assumed_drives(robot: Robot) -> list[str]:
    """Sentences, without a full stop, that name the assumed numbers of a robot's drives and their file."""
    return [
        f"{warning.text} ({Path(warning.where).name})" for warning in robot.warnings if warning.text.endswith(_ASSUMED)
    ]


def _read_joint(entry: Table, joint: Joint) -> Joint:
    # Read all three first: the message about an unknown key lists the keys that were read.
    friction, spring, counterbalances = read_friction(entry), read_spring(entry), read_counterbalances(entry)
    return dataclasses.replace(
        joint,
        friction=friction if "friction" in entry else joint.friction,
        spring=spring if "spring" in entry else joint.spring,
        counterbalances=counterbalances if "counterbalance" in entry else joint.counterbalances,
    )


def _file_motors(robot: Robot) -> list[GearedMotor]:
    """The motors that the robot file gave, each with the joints that it turns with."""
    return [
        GearedMotor(
            motor, {name: ratio for name, ratio in zip(robot.coordinate_names, row, strict=True) if ratio != 0.0}
        )
        for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True)
    ]


def _ratio_of(motors: list[GearedMotor], joint: str) -> float | None:
    """The reduction of the only motor that turns with this joint alone."""
    ratios = [geared.ratios[joint] for geared in motors if set(geared.ratios) == {joint}]
    return ratios[0] if len(ratios) == 1 else None


def _check_names(motors: list[tuple[GearedMotor, Table]]) -> None:
    seen: set[str] = set()
    for geared, entry in motors:
        if geared.motor.name in seen:
            entry.refuse(None, f"two motors are called '{geared.motor.name}'", "give every motor its own name")
        seen.add(geared.motor.name)


def drives_text(robot: Robot, *, complete: bool = False) -> str:
    """The side file of a robot, empty when URDF can express everything; `torquec.robot.drives` reads it back exactly.

    With `complete` it states every joint in full, since the robot file beside it may express only part of it.
    """
    lines: list[str] = []
    for body in robot.bodies:
        entries = list(_joint_entries(body.joint, complete=complete))
        if entries:
            lines += [f"[joint.{quoted_name(body.joint.name)}]", *entries, ""]
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        ratios = ", ".join(
            f"{quoted_name(name)} = {ratio!r}"
            for name, ratio in zip(robot.coordinate_names, row, strict=True)
            if ratio != 0.0
        )
        lines += ["[[motor]]", f"name = {quoted_name(motor.name)}", f"rotor_inertia = {motor.rotor_inertia!r}"]
        lines += [f"friction = {_friction(motor.friction)}"] if motor.friction != Friction() else []
        lines += [f"transmission = {{ {ratios} }}", ""]
    return "\n".join(lines)


def is_symmetric(friction: Friction) -> bool:
    """Whether URDF's damping and friction can express the whole law."""
    return friction == Friction.symmetric(friction.viscous_positive, friction.coulomb_positive)


def _joint_entries(joint: Joint, *, complete: bool) -> Iterator[str]:
    if complete or not is_symmetric(joint.friction):
        yield f"friction = {_friction(joint.friction)}"
    if complete or joint.spring is not None:
        spring = joint.spring or Spring(0.0)
        yield f"spring = {{ stiffness = {spring.stiffness!r}, rest = {spring.rest!r} }}"
    if joint.counterbalances:
        tables = ", ".join(_inline(dataclasses.asdict(one)) for one in joint.counterbalances)
        yield f"counterbalance = [{tables}]"


def _friction(friction: Friction) -> str:
    values = friction.values
    return _inline({word: values[word] for word in FRICTION_WORDS if word in values})


def _inline(values: Mapping[str, float]) -> str:
    return f"{{ {', '.join(f'{name} = {value!r}' for name, value in values.items())} }}"


def quoted_name(name: str) -> str:
    """A name as a TOML string: JSON's escapes are valid TOML, except that JSON does not escape DEL."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007F")
