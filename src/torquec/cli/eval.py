"""`torquec eval ROBOT`: the quantities at one state."""

from __future__ import annotations

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
    from torquec.robot.robot import Robot

EXAMPLE = "torquec eval puma560 --deg --q -20,30,0,45,0,10 --qd 10,0,0,0,0,0"

_State = Annotated[
    str | None, typer.Option(metavar="LIST", help="One value per joint, as in 0,0.1,-0.2.  [default: 0]")
]


def evaluate(
    robot: RobotArgument,
    q: _State = None,
    qd: _State = None,
    qdd: _State = None,
    tau: Annotated[
        str | None, typer.Option(metavar="LIST", help="Joint torques; adds the accelerations that they cause.")
    ] = None,
    deg: DegreesOption = False,
    json: JsonOption = False,
    snap: SnapOption = True,
    strict: StrictOption = False,
    gravity: GravityOption = None,
) -> None:
    """Compute torques and the mass matrix at a state.

    Gives inverse dynamics, friction and their sum, gravity and velocity torques, the mass matrix, and with --tau the
    accelerations. Radians, metres, seconds, Nm and N.
    """
    loaded = read_robot(robot, snap=snap, strict=strict, gravity=gravity)
    state = {
        "q": joint_values(loaded, q, "--q", degrees=deg),
        "qd": joint_values(loaded, qd, "--qd", degrees=deg),
        "qdd": joint_values(loaded, qdd, "--qdd", degrees=deg),
    }
    torques = None if tau is None else joint_values(loaded, tau, "--tau", degrees=False)
    document = quantities_at(loaded, **state, torques=torques)
    if json:
        print_json(document)
    else:
        typer.echo(_text(loaded, state, document))


def quantities_at(
    robot: Robot,
    q: tuple[float, ...],
    qd: tuple[float, ...],
    qdd: tuple[float, ...],
    *,
    torques: tuple[float, ...] | None = None,
) -> dict[str, Any]:
    """The JSON document of `torquec eval`: lists in joint order, the mass matrix row by row."""
    from torquec.model.model import compile

    arm = compile(robot)
    document: dict[str, Any] = {
        "joints": list(robot.joint_names),
        "tau": arm.inverse_dynamics(q, qd, qdd).tolist(),
        "friction": arm.friction_torque(qd).tolist(),
        "total": arm.total_torque(q, qd, qdd).tolist(),
        "M": arm.mass_matrix(q).tolist(),
        "gravity": arm.gravity_torque(q).tolist(),
        "velocity_torque": arm.velocity_torque(q, qd).tolist(),
    }
    if torques is not None:
        document["qdd"] = arm.forward_dynamics(q, qd, torques).tolist()
    return document


def _text(robot: Robot, state: dict[str, tuple[float, ...]], document: dict[str, Any]) -> str:
    columns: list[tuple[str, Any]] = [
        *state.items(),
        *((title, document[key]) for title, key in _COLUMNS),
        *([("qdd of --tau", document["qdd"])] if "qdd" in document else []),
    ]
    rows = [[name, *(number(values[k]) for _, values in columns)] for k, name in enumerate(document["joints"])]
    matrix = [[name, *map(number, row)] for name, row in zip(document["joints"], document["M"], strict=True)]
    return "\n".join(
        [
            f"{robot.name} (rad, m, s, Nm, N)",
            "",
            table(["joint", *(title for title, _ in columns)], rows),
            "",
            "Mass matrix",
            table(["", *document["joints"]], matrix),
        ]
    )


_COLUMNS = (
    ("tau", "tau"),
    ("gravity", "gravity"),
    ("velocity", "velocity_torque"),
    ("friction", "friction"),
    ("total", "total"),
)
