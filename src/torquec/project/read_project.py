"""Reader of project files (TOML): checks everything before the run and reports every error with its line.

docs/project.md describes the format. Files are named relative to the project file. Where a key is wrong, the rest is
read without it, so that all errors are reported at once (:mod:`torquec.robot.every_fault`).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from torquec.control.law_options import LawKind
from torquec.control.uncertainty import uncertainty_of
from torquec.errors import ArgumentError, RobotFileError, SpecificationError
from torquec.foundation.choice import chosen
from torquec.foundation.reading import FileKind, is_file, near_name, read_text, to_path
from torquec.identification.estimators.method import Method
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.torque.friction_law import FrictionModel
from torquec.identification.torque.torque_columns import read_columns
from torquec.project.law_choice import DEFAULT_RATE
from torquec.project.project import (
    STANDARD,
    STANDARD_ROBOT,
    ExperimentPart,
    IdentifyPart,
    MotionPart,
    PayloadPart,
    Project,
    experiment_folder,
    project_motion,
)
from torquec.project.project_parts import (
    checked_at,
    design_part,
    generate_part,
    joint_positions,
    loaded,
    lock_position,
    not_negative_number,
    payload_part,
    positive_number,
    realtime_part,
    simplify_part,
    tell_of_degrees,
    whole_number,
)
from torquec.project.tuning import TUNING
from torquec.robot import classics
from torquec.robot.every_fault import every_fault
from torquec.robot.load import READERS, load, robot_files
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.robot.toml import KeyFaultError, Table, parse_toml
from torquec.simplification.specification import Specification, load_specification, specification_of
from torquec.simulation.plant import DryFriction
from torquec.spatial import Vector3
from torquec.trajectory.limits import text_of_degrees
from torquec.trajectory.log_map import read_log_map
from torquec.trajectory.trajectory import check_samples

SIMULATED = "simulated"
_NAMELESS = "nameless"
_NEEDED = "\0needed"
"""Key for a part that needs another one: no file can hold it, so that its error is reported beside all others."""


def read_project(path: str | os.PathLike[str]) -> Project:
    """The project in a TOML file; raises `ArgumentError` that lists every mistake with its line and remedy."""
    file = to_path(path)
    is_robot = file.is_file() and file.suffix.lower() in READERS and file.suffix.lower() != ".toml"
    if is_robot or (not file.exists() and str(path) in classics.names()):
        raise _robot_instead(str(path))
    return parse_project(read_text(file, FileKind.PROJECT), file)


def _robot_instead(given: str) -> ArgumentError:
    """The message for a robot file that is given in place of a project."""
    return ArgumentError(
        "this is a robot, not a project file",
        where=given,
        remedy=f"write a project file for it with 'torquec new {given}', and run that",
    )


def parse_project(text: str, file: Path) -> Project:
    """The project in a TOML text; names in it are relative to the folder of `file`."""
    try:
        document = parse_toml(text, str(file))
    except RobotFileError as error:
        remedy = f"{error.remedy}; other errors are reported once the file can be parsed"
        raise ArgumentError(error.found, where=error.where, remedy=remedy) from None

    if "robot" not in document and "joint" in document:  # a DH table
        raise _robot_instead(str(file))

    def read(table: Table) -> None:
        _check_together(table, _Reader(file, text).project(table), document.keys)

    faults = every_fault(document, read)
    if any(isinstance(fault, KeyFaultError) and fault.path == ("robot",) for fault in faults):
        # Errors that do not depend on the robot are reported all the same, with any robot in its place.
        others = every_fault(document.holding({**document.plain, "robot": classics.names()[0]}), read)
        known_faults = {str(fault) for fault in faults}
        more = [fault for fault in others if isinstance(fault, KeyFaultError) and fault.alone]
        faults += [fault for fault in more if str(fault) not in known_faults]
    if len(faults) == 1:
        raise ArgumentError(faults[0].found, where=faults[0].where or str(file), remedy=faults[0].remedy)
    if faults:
        listed = "".join(f"\n{str(fault) or fault.found}" for fault in faults)
        remedy = "correct them all; docs/project.md describes the format"
        raise ArgumentError(f"{len(faults)} mistakes{listed}", where=str(file), remedy=remedy)
    return _Reader(file, text).project(parse_toml(text, str(file)))


class _Reader:
    """One pass over a project file: the files that it names, and the robot that its parts are checked against."""

    def __init__(self, file: Path, text: str) -> None:
        self.file, self.text = file, text
        self.files: dict[str, Path] = {}
        self.strict = False

    def project(self, table: Table) -> Project:
        """The whole document."""
        robot, robot_file = self._robot(table)
        motion = self._motion(table.table("motion"), robot)
        sets = table.table("uncertainty")
        part = Project(
            self.file,
            self.text,
            robot,
            robot_file,
            seed=int(whole_number(table, "seed", 0, least=0)),
            identify=self._identify(table.table("identify"), robot),
            specification=self._specification(table.table("specification"), robot),
            simplify=simplify_part(table.table("simplify")),
            motion=motion,
            design=design_part(table.table("design"), robot),
            uncertainty=None if sets is None else uncertainty_of(sets, robot),
            experiments=tuple(self._experiment(each, robot) for each in table.tables("experiment")),
            realtime=realtime_part(table.table("realtime")),
            generate=generate_part(table.table("generate"), robot),
            files=self.files,
        )
        if part.uncertainty is not None and part.uncertainty.needs_log and part.identify is None:
            found = '"log" and covariance are results of an identification'
            table.refuse("uncertainty", found, "add [identify], or give N m and parts")
        table.finish()
        return part

    def _named(self, table: Table, key: str, word: str) -> Path:
        """The file that a word of the project names; it must be there."""
        path = self.file.parent / word
        if not is_file(path):
            near = near_name(path)
            remedy = f"did you mean '{near}'?" if near else "check the name and the folder"
            table.refuse(key, f"there is no file '{word}' beside the project", remedy, alone=True)
        self.files[word] = path
        return path

    def _robot(self, table: Table) -> tuple[Robot, Path | None]:
        word = table.text("robot")
        gravity = _gravity(table)
        snap, self.strict = table.flag("snap", default=True), table.flag("strict", default=False)
        path: Path | None = None
        if word in classics.names():
            robot = classics.load_classic(word, snap=snap, gravity=gravity)
        else:
            path = self.file.parent / word
            if not is_file(path):
                table.refuse(
                    "robot",
                    f"'{word}' is neither a file beside the project nor a built-in robot",
                    f"give a file {robot_files()}, or one of {', '.join(classics.names())}",
                )
            self.files[word] = path
            robot = checked_at(table, "robot", lambda: load(path, snap=snap, strict=self.strict, gravity=gravity))
        for each in table.tables("payload"):
            robot = loaded(each, robot, payload_part(each))
        return self._locked(table.table("lock"), robot), path

    def _locked(self, table: Table | None, robot: Robot) -> Robot:
        if table is None:
            return robot
        positions = {name: lock_position(table, name, robot, strict=self.strict) for name in table.keys}
        if len(positions) == robot.n:
            table.refuse(None, "every joint is locked, and no joint is left to move", "leave one of them free")
        return lock_joints(robot, positions)

    def _identify(self, table: Table | None, robot: Robot) -> IdentifyPart | None:
        if table is None:
            return None
        logs = self._logs(table, "logs", table.texts("logs"))
        others = self._logs(table, "validate", table.texts("validate", ()))
        log_map = self._named(table, "map", table.text("map")) if "map" in table else None
        columns = self._named(table, "columns", table.text("columns")) if "columns" in table else None
        transmission = None
        if log_map is not None:
            transmission = checked_at(table, "map", lambda: read_log_map(log_map).transmission)
        friction = table.choice("friction", FrictionModel) if "friction" in table else None
        options = IdentifyOptions(
            method=chosen(Method, table.choice("method", Method, Method.CONSISTENT), "method"),
            friction=None if friction is None else FrictionModel(friction),
            cutoff=positive_number(table, "cutoff"),
            rotors=table.flag("rotors", default=False) if "rotors" in table else None,
            columns=() if columns is None else checked_at(table, "columns", lambda: read_columns(columns)),
            transmission=transmission,
            partial=table.flag("partial", default=False),
            fit_gravity=table.flag("fit_gravity", default=False),
        )
        table.finish()
        if not logs:
            table.refuse("logs", "there are no logs", "name one, or leave out [identify]", alone=True)
        if any(float(body.inertia.m) <= 0.0 for body in robot.bodies) and options.method.needs_prior:
            table.refuse(None, f"the method {options.method} needs masses in the robot's file", "choose another method")
        return IdentifyPart(logs, others, log_map, options)

    def _logs(self, table: Table, key: str, words: tuple[str, ...]) -> tuple[Path, ...]:
        missing = [word for word in words if word != SIMULATED and not is_file(self.file.parent / word)]
        if len(missing) > 1:
            found = f"there are no files {', '.join(map(repr, missing))} beside the project"
            table.refuse(key, found, "check the names and the folder", alone=True)
        return tuple(Path(word) if word == SIMULATED else self._named(table, key, word) for word in words)

    def _specification(self, table: Table | None, robot: Robot) -> Specification | None:
        if table is None:
            return None
        if "file" not in table:
            try:
                return specification_of(table, robot, str(self.file))
            except SpecificationError as error:  # about the table as a whole
                raise KeyFaultError(
                    error.found, where=error.where, remedy=error.remedy, path=("specification",)
                ) from None
        path = self._named(table, "file", table.text("file"))
        table.finish()
        return checked_at(table, "file", lambda: load_specification(path, robot))

    def _motion(self, table: Table | None, robot: Robot) -> MotionPart | None:
        """A motion, which is made once to check that it fits this robot."""
        part = None if table is None else self._motion_part(table, robot)
        if table is not None and part is None:
            table.refuse(None, "there is no motion in it", "give trajectory, or to with from and duration")
        if table is not None and part is not None:
            table.finish()
            self._check_motion(table, part, robot)
        return part

    def _check_motion(self, table: Table, part: MotionPart, robot: Robot) -> None:
        """Make the motion once to check that it fits this robot and is in radians."""
        motion = checked_at(table, None, lambda: project_motion(part, robot, 1.0 / DEFAULT_RATE))
        if part.trajectory is not None:  # motions without a file were checked when they were read
            text = text_of_degrees(robot, motion, "write radians into the file")
            tell_of_degrees(table, "trajectory", text, strict=self.strict)

    def _motion_part(self, table: Table, robot: Robot) -> MotionPart | None:
        start, to = (joint_positions(table, key, robot, strict=self.strict) for key in ("from", "to"))
        duration = positive_number(table, "duration")
        if duration is not None:
            checked_at(table, "duration", lambda: check_samples(duration, 1.0 / DEFAULT_RATE, robot.n))
        word = table.text("trajectory") if "trajectory" in table else None
        if to is None and word is None:
            for key in ("from", "duration"):
                if key in table:
                    table.refuse(key, f"'{key}' without 'to'", "say where the motion ends: to = [...]")
            return None
        if word is not None and to is not None:
            table.refuse("trajectory", "both 'to' and 'trajectory' are given", "leave out one of them")
        if word == STANDARD and robot.name != STANDARD_ROBOT:
            table.refuse("trajectory", f"the standard trajectory is not for '{robot.name}'", "give a CSV file, or to")
        if word is not None and word != STANDARD:
            word = str(self._named(table, "trajectory", word))
        return MotionPart(word, start, to, 2.0 if duration is None else duration)

    def _experiment(self, table: Table, robot: Robot) -> ExperimentPart:
        name = table.text("name", _NAMELESS)
        if not all(letter.isalnum() or letter in "-_ " for letter in name) or name != name.strip():
            table.refuse("name", f"'name' is {name!r}", "use letters, digits, spaces, - and _: it names a folder")
        if len(name) > TUNING.longest_name:
            table.refuse(
                "name", f"'name' has {len(name)} letters", f"use {TUNING.longest_name} at most: it names a folder"
            )
        motion = self._motion_part(table, robot)
        if motion is not None:
            self._check_motion(table, motion, robot)
        payload: tuple[PayloadPart, ...] = ()
        if "payload" in table:
            held = table.table("payload")
            assert held is not None
            payload = (payload_part(held),)
            loaded(held, robot, payload[0])
        part = ExperimentPart(
            name,
            motion,
            payload,
            DryFriction(table.choice("friction", DryFriction, DryFriction.STICK)),
            effort=positive_number(table, "effort") or 1.0,
            resolution=not_negative_number(table, "resolution"),
            noise=not_negative_number(table, "noise"),
            delay=whole_number(table, "delay", 0, least=0, most=TUNING.largest_count),
            substeps=whole_number(table, "substeps", 2, least=1, most=TUNING.largest_count)
            if "substeps" in table
            else None,
            runs=whole_number(table, "runs", 1, least=1, most=TUNING.largest_count),
            spread=not_negative_number(table, "spread", 0.05),
        )
        table.finish()
        if name == _NAMELESS:  # reported last, so that its other mistakes are found before
            table.refuse("name", "an experiment has no name", 'add name = "..."')
        return part


def _gravity(table: Table) -> Vector3 | None:
    """Gravity in the base frame [m/s^2], where it is given."""
    if "gravity" not in table:
        return None
    gravity = table.vector("gravity")
    if max(map(abs, gravity)) > TUNING.largest_gravity:
        strength = max(map(abs, gravity))
        table.refuse("gravity", f"'gravity' is {strength:g} m/s^2", "give m/s^2, as in [0, 0, -9.81]", alone=True)
    return gravity


def _check_together(table: Table, project: Project, stated: Collection[str]) -> None:
    """Checks between parts; `stated` are the parts that the file has, faulty ones included."""
    if "design" not in stated:
        for part in (table.table("motion"), table.table("uncertainty"), *table.tables("experiment")[:1]):
            if part is not None:
                part.refuse(_NEEDED, f"there is {part.label}, and no controller", "add [design], or leave it out")
    elif project.design and project.design.kind is LawKind.LQR and "motion" not in stated:
        table.refuse("design", "LQR gains belong to a motion", "add [motion]")
    if "uncertainty" in stated and "design" in stated and "motion" not in stated:
        table.refuse("uncertainty", "a guarantee for sets of robots is along a motion", "add [motion]")
    if project.specification and project.specification.tracks and not {"design", "motion"} <= set(stated):
        table.refuse("specification", "tracking errors are those of a loop along a motion", "add [design] and [motion]")
    if "specification" not in stated:
        for part in (table.table("simplify"), table.table("realtime")):
            if part is not None:
                found = f"[{part.label}] needs to know what the model must achieve"
                part.refuse(_NEEDED, found, "add [specification]")
    elif project.realtime and project.specification and not project.specification.joints:
        table.refuse("realtime", "the specification limits no speeds and accelerations", "state them, or leave it out")
    folders = [experiment_folder(experiment.name).casefold() for experiment in project.experiments]
    for k, experiment in enumerate(project.experiments):
        if experiment.motion is None and "motion" not in stated and "design" in stated:
            table.tables("experiment")[k].refuse(None, "the experiment has no motion", "add [motion], or to = [...]")
        if folders[k] in folders[:k]:
            other = project.experiments[folders.index(folders[k])].name
            same = f"two experiments are called '{other}'"
            found = same if other == experiment.name else f"'{other}' and '{experiment.name}' name the same folder"
            table.tables("experiment")[k].refuse("name", found, "give each a name of its own")
