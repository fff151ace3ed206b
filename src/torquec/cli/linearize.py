"""`torquec linearize ROBOT`: the linear model at a point of a trajectory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.options import (
    DegreesOption,
    GravityOption,
    JsonOption,
    RobotArgument,
    SnapOption,
    StrictOption,
    joint_values,
    read_robot,
)
from torquec.cli.output import number, print_json, table

if TYPE_CHECKING:
    from torquec.linearization.linearize import LinearModel
    from torquec.robot.robot import Robot

EXAMPLE = "torquec linearize puma560 --q 0,-0.8,0.4,0,0.3,0 --qd 1,0,0.5,0,0,0"

_State = Annotated[
    str | None, typer.Option(metavar="LIST", help="One value per joint, as in 0,0.1,-0.2.  [default: 0]")
]


def linearize(
    robot: RobotArgument,
    q: _State = None,
    qd: _State = None,
    qdd: _State = None,
    abbreviated: Annotated[
        bool, typer.Option("--abbreviated", help="Drop coefficients below 0.01 of the closed form (Clover's rule).")
    ] = False,
    frame: Annotated[
        str | None, typer.Option(metavar="NAME", help="Also give the model seen from this frame (six joints).")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Also write the linear model as C code.")
    ] = None,
    deg: DegreesOption = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Linearize the robot about a point of its trajectory.

    Gives M, C = dtau/dqd and K = dtau/dq of everything that the drives supply, friction and springs too, the state
    matrices A and B of (dq, dqd), and the open-loop eigenvalues. Radians, metres, seconds, Nm and N.
    """
    from torquec.closedform.layouts import CLOVER
    from torquec.codegen.target import generate_package
    from torquec.linearization.linearize import linear_model_function
    from torquec.linearization.linearize import linearize as linear_model

    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    state = (
        joint_values(loaded, q, "--q", degrees=deg),
        joint_values(loaded, qd, "--qd", degrees=deg),
        joint_values(loaded, qdd, "--qdd", degrees=deg),
    )
    rule = CLOVER if abbreviated else None
    model = linear_model(loaded, *state, rule=rule)
    document = linear_document(model)
    if frame is not None:
        document["cartesian"] = _cartesian(loaded, model, frame)
    if output is not None:
        function = linear_model_function(loaded, rule=rule)
        notes = {function.name: "M, C = dtau/dqd and K = dtau/dq about a point, friction and springs included."}
        files = generate_package([function], output, prefix=loaded.name, notes=notes)
        document["files"] = [str(path) for path in files]
    if json:
        print_json(document)
    else:
        typer.echo(_text(loaded, document))


def linear_document(model: LinearModel) -> dict[str, Any]:
    """The JSON document of a linear model: matrices row by row, eigenvalues as [re, im]."""
    return {
        "joints": list(model.joints),
        **{name: getattr(model, name).tolist() for name in ("M", "C", "K", "A", "B")},
        "eigenvalues": complex_list(model.eigenvalues),
    }


def complex_list(values: Any) -> list[list[float]]:
    """Complex numbers as [re, im]."""
    return [[float(value.real), float(value.imag)] for value in values]


def _cartesian(robot: Robot, model: LinearModel, frame: str) -> dict[str, Any]:
    from torquec.linearization.cartesian_linear_model import cartesian_linear_model

    seen = cartesian_linear_model(robot, model, frame)
    return {
        "frame": frame,
        "directions": [direction.name.lower() for direction in seen.directions],
        **{name: getattr(seen, name).tolist() for name in ("M", "C", "K", "A", "B")},
    }


def _text(robot: Robot, document: dict[str, Any]) -> str:
    names = document["joints"]
    lines = [f"{robot.name} (rad, m, s, Nm, N)"]
    for title, rows in (
        ("M, mass matrix", document["M"]),
        ("C = dtau/dqd, friction included", document["C"]),
        ("K = dtau/dq", document["K"]),
    ):
        lines += ["", title, table(["", *names], [[n, *map(number, row)] for n, row in zip(names, rows, strict=True)])]
    if "cartesian" in document:
        seen = document["cartesian"]
        for key in ("M", "C", "K"):
            rows = [[d, *map(number, row)] for d, row in zip(seen["directions"], seen[key], strict=True)]
            lines += ["", f"{key} at frame '{seen['frame']}'", table(["", *seen["directions"]], rows)]
    lines += ["", "Eigenvalues of A [1/s]"]
    lines += [f"  {number(re)}" + (f" {im:+.6g}j" if im else "") for re, im in document["eigenvalues"]]
    if "files" in document:
        lines += ["", "written:", *(f"  {path}" for path in document["files"])]
    return "\n".join(lines)
