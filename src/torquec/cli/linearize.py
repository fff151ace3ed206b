"""`torquec linearize ROBOT`: the linear model at a point of a trajectory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import degrees_option, force_option, joint_values, option, state_option
from torquec.errors import ArgumentError
from torquec.report.tables import complex_number, number, wide_table

if TYPE_CHECKING:
    from torquec.linearization.linearize import LinearModel
    from torquec.model.model import Model

_ALL_DIRECTIONS = 6  # three of motion, three of turning


@dataclass(frozen=True, kw_only=True)
class LinearizeOptions(CommandOptions):
    """The point, and the outputs of the linear model there."""

    q: str | None = state_option()
    qd: str | None = state_option()
    qdd: str | None = state_option()
    abbreviated: bool = option(
        False, "Drop coefficients below 0.01 of the closed form (Clover's rule).", "--abbreviated"
    )
    frame: str | None = option(None, "Also give the model in coordinates of this frame.", metavar="NAME")
    directions: str | None = option(
        None,
        "With --frame: as many of x,y,z,turn_x,turn_y,turn_z as there are joints.  [default: all six]",
        metavar="LIST",
    )
    output: Path | None = option(
        None, "Also write the linear model as C code.", "--output", "-o", metavar="DIR", writes=Writes.FOLDER
    )
    force: bool = force_option()
    deg: bool = degrees_option()


@command("linearize", LinearizeOptions, example="torquec linearize puma560 --q 0,-0.8,0.4,0,0.3,0 --qd 1,0,0.5,0,0,0")
def linearize(model: Model, options: LinearizeOptions) -> Outcome:
    """Linearize the robot about a point of its trajectory.

    Gives M, C = dtau/dqd and K = dtau/dq of the whole drive torque, including friction and springs; the state matrices
    A and B of (dq, dqd); and the open-loop eigenvalues. Radians, metres, seconds, Nm and N.
    """
    from torquec.closedform.fourier import CLOVER
    from torquec.codegen.target import generate_package
    from torquec.linearization.linearize import linear_model_function
    from torquec.linearization.linearize import linearize as linear_model

    robot = model.robot
    state = (
        joint_values(robot, options.q, "--q", degrees=options.deg),
        joint_values(robot, options.qd, "--qd", degrees=options.deg),
        joint_values(robot, options.qdd, "--qdd", degrees=options.deg),
    )
    rule = CLOVER if options.abbreviated else None
    found = linear_model(model, *state, rule=rule)
    document = linear_document(found)
    files: list[Path] = []
    if options.frame is not None:
        document["cartesian"] = _cartesian(model, found, options)
    if options.output is not None:
        function = linear_model_function(model, rule=rule)
        notes = {function.name: "M, C = dtau/dqd and K = dtau/dq about a point, friction and springs included."}
        prefix = f"{robot.name}_linearized"
        files = list(generate_package([function], options.output, prefix=prefix, notes=notes, force=options.force))
        document["files"] = [str(path) for path in files]
    return Outcome(document, linear_text(robot.name, document), tuple(files))


def linear_document(model: LinearModel) -> dict[str, Any]:
    """The JSON document of a linear model: matrices row by row, eigenvalues as [re, im]."""
    from torquec.project.design_study import complex_list

    return {
        "joints": list(model.joints),
        **{name: getattr(model, name).tolist() for name in ("M", "C", "K", "A", "B")},
        "eigenvalues": complex_list(model.eigenvalues),
    }


def _cartesian(model: Model, found: LinearModel, options: LinearizeOptions) -> dict[str, Any]:
    from torquec.linearization.cartesian_linear_model import FrameDirection, cartesian_linear_model

    n = model.robot.n
    if options.directions is None:
        if n != _ALL_DIRECTIONS:
            raise ArgumentError(
                f"a frame moves in six directions, and robot '{model.robot.name}' has {n} joints",
                remedy=f"name {n} of them, as in --directions x,y,z"
                if n < _ALL_DIRECTIONS
                else f"hold {n - _ALL_DIRECTIONS} of the joints still: --lock JOINT=VALUE",
            )
        directions = tuple(FrameDirection)
    else:
        words = [word.strip().upper() for word in options.directions.split(",")]
        wrong = [word for word in words if word not in FrameDirection.__members__]
        if wrong:
            raise ArgumentError(
                f"--directions: there is no direction '{wrong[0].lower()}'",
                remedy=f"there are {', '.join(d.name.lower() for d in FrameDirection)}",
            )
        directions = tuple(FrameDirection[word] for word in words)
    assert options.frame is not None
    seen = cartesian_linear_model(model, found, options.frame, directions=directions)
    return {
        "frame": options.frame,
        "directions": [direction.name.lower() for direction in seen.directions],
        **{name: getattr(seen, name).tolist() for name in ("M", "C", "K", "A", "B")},
    }


def linear_text(name: str, document: dict[str, Any]) -> str:
    """The document of `torquec linearize` as tables."""
    joints = document["joints"]
    lines = [f"{name} (rad, m, s, Nm, N)"]
    for title, rows in (
        ("M, mass matrix", document["M"]),
        ("C = dtau/dqd, friction included", document["C"]),
        ("K = dtau/dq", document["K"]),
    ):
        shown = [[joint, *map(number, row)] for joint, row in zip(joints, rows, strict=True)]
        lines += ["", title, wide_table(["", *joints], shown)]
    if "cartesian" in document:
        seen = document["cartesian"]
        for key in ("M", "C", "K"):
            rows = [[d, *map(number, row)] for d, row in zip(seen["directions"], seen[key], strict=True)]
            lines += ["", f"{key} at frame '{seen['frame']}'", wide_table(["", *seen["directions"]], rows)]
    lines += ["", "Eigenvalues of A [1/s]"]
    lines += [f"  {complex_number(re, im)}" for re, im in document["eigenvalues"]]
    return "\n".join(lines)
