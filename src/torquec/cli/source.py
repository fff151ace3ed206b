"""The model of a command: the argument ROBOT, and options to load and modify it.

(1)  a classic's name, a robot file or a model file (.tq.json)
(2)  `--payload FRAME:KG[,x,y,z]` adds a payload, `--lock JOINT=VALUE` holds a joint still
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torquec.cli.options import check_radians, numbers, option, read_robot
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.robot.robot import Robot

MODEL_SUFFIX = ".json"


@dataclass(frozen=True)
class ModelSource:
    """The argument ROBOT and the shared options; `read` gives the model. `degrees`: locked angles are in degrees."""

    argument: str = ""
    payload: list[str] | None = option(
        None,
        "A payload that the model includes: a point mass on a frame, at a position in it [m]; repeat for more.",
        metavar="FRAME:KG[,x,y,z]",
    )
    lock: list[str] | None = option(None, "Fix a joint at this position; repeat for more.", metavar="JOINT=VALUE")
    snap: bool = option(True, "Snap angles within 5e-5 rad of a right angle, and report each one.", "--snap/--no-snap")
    strict: bool = option(False, "Treat warnings as errors: the robot file's, and degrees for radians.", "--strict")
    gravity: str | None = option(None, "Gravity [m/s^2] in the base frame.  [default: the file's]", metavar="X,Y,Z")
    base: str | None = option(
        None, "Put the robot's root on a free joint, or weld it.  [default: as in the file]", metavar="floating|fixed"
    )
    mesh_inertia: bool = option(
        False, "Let MuJoCo compute missing inertias of an MJCF file from meshes below its folder.", "--mesh-inertia"
    )
    degrees: bool = False

    def read(self, argument: str | None = None) -> Model:
        """The model of the argument ROBOT, or of another argument that is read in the same way."""
        from torquec.model.model import as_model

        name = self.argument if argument is None else argument
        if not name.endswith(MODEL_SUFFIX):
            return self._changed(as_model(self.robot(name), any_joint=True), name)
        if self.strict or self.gravity is not None or self.base is not None or not self.snap or self.mesh_inertia:
            raise ArgumentError(
                "--gravity, --base, --strict, --mesh-inertia and --no-snap are for robot files",
                where=name,
                remedy="a saved model cannot be changed: give the robot file instead",
            )
        from torquec.model.save import load_model

        return self._changed(load_model(name), name)

    def robot(self, argument: str) -> Robot:
        """The robot of a classic or a robot file, unchanged."""
        return read_robot(
            argument,
            snap=self.snap,
            strict=self.strict,
            gravity=self.gravity,
            base=self.base,
            mesh_inertia=self.mesh_inertia,
        )

    def _changed(self, model: Model, where: str) -> Model:
        """(2)."""
        if not self.payload and not self.lock:
            return model
        if model.functions or model.kind.follows_program:
            raise ArgumentError(
                f"--payload and --lock change the bodies of a robot, and a model of the kind '{model.kind}' is a "
                "program for its own bodies only",
                where=where,
                remedy="change the robot, and generate the model from it again",
            )
        robot = model.robot
        for text in self.payload or ():
            robot = with_payload(robot, text)
        return dataclasses.replace(model, robot=locked(robot, self.lock or (), degrees=self.degrees))


def is_model_file(argument: str) -> bool:
    """Whether an argument names a saved model.

    >>> is_model_file("arm.tq.json"), is_model_file("arm.urdf")
    (True, False)
    """
    return Path(argument).suffix == MODEL_SUFFIX


def with_payload(robot: Robot, text: str) -> Robot:
    """The robot with a point mass written as FRAME:KG or FRAME:KG,x,y,z; raises `ArgumentError` for anything else.

    >>> from torquec.robot import classics
    >>> with_payload(classics.puma560(), "link6:2,0,0,0.1").frames[-1].name
    'payload'
    """
    from torquec.robot import attach_payload

    frame, mass, center = read_payload(text, "--payload")
    taken = {existing.name for existing in robot.frames}
    names = ("payload", *(f"payload{k}" for k in range(2, len(taken) + 3)))
    free = next(name for name in names if name not in taken)
    return attach_payload(robot, frame, mass=mass, center=center, name=free)


def read_payload(text: str, option: str) -> tuple[str, float, tuple[float, float, float]]:
    """Frame, mass [kg] and centre [m] of FRAME:KG or FRAME:KG,x,y,z; raises `ArgumentError` for anything else.

    >>> read_payload("hand:2.5,0,0,0.1", "--plant-payload")
    ('hand', 2.5, (0.0, 0.0, 0.1))
    """
    frame, colon, values = text.rpartition(":")
    found = _numbers(values)
    if colon and found and found[0] < 0.0:
        raise ArgumentError(f"{option} {text}: the mass is negative", remedy="give a mass of zero or more [kg]")
    if not colon or len(found) not in (1, 4):
        raise ArgumentError(
            f"{option} {text} is not a frame with a mass",
            remedy=f"write both, as in {option} link6:2.5 or link6:2.5,0,0,0.1",
        )
    x, y, z = found[1:] or (0.0, 0.0, 0.0)
    return frame, found[0], (x, y, z)


def locked(robot: Robot, texts: Sequence[str], *, degrees: bool = False) -> Robot:
    """The robot with joints held as JOINT=VALUE says; raises `ArgumentError` for anything else.

    >>> from torquec.robot import classics
    >>> locked(classics.planar2r(), ["joint2=0.5"]).joint_names
    ('joint1',)
    """
    from torquec.robot.lock_joints import lock_joints

    positions: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        found = _numbers(value)
        if not equals or len(found) != 1:
            raise ArgumentError(f"--lock {text}", remedy="write a joint and its position, as in --lock elbow=0.5")
        if name in positions:
            raise ArgumentError(f"--lock names the joint '{name}' twice", remedy="lock each joint once")
        turns = robot.coordinates[robot.joint_index(name)].turns
        positions[name] = math.radians(found[0]) if degrees and turns else found[0]
        if turns and not degrees:
            check_radians("--lock", found)
    return lock_joints(robot, positions)


def _numbers(text: str) -> tuple[float, ...]:
    """The numbers of a list; empty where an entry is no number."""
    try:
        return numbers(text, "")
    except ArgumentError:
        return ()
