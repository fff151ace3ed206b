"""`torquec eval ROBOT`: the quantities at one state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.options import DegreesOption, StateOption, joint_values

if TYPE_CHECKING:
    from torquec.model.model import Model


@dataclass(frozen=True, kw_only=True)
class EvalOptions(CommandOptions):
    """The state, and what else to show there."""

    q: StateOption = None
    qd: StateOption = None
    qdd: StateOption = None
    tau: Annotated[
        str | None, typer.Option(metavar="LIST", help="Joint torques; adds the accelerations that they cause.")
    ] = None
    frame: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Also the pose of this frame and its kinematic influence coefficients (first and second order); again "
            "for more.",
        ),
    ] = None
    deg: DegreesOption = False


@command("eval", EvalOptions, example="torquec eval puma560 --deg --q -20,30,0,45,0,10 --qd 10,0,0,0,0,0")
def evaluate(model: Model, options: EvalOptions) -> Outcome:
    """Compute torques and the mass matrix at a state.

    Gives inverse dynamics, friction and their sum, gravity and velocity torques, the mass matrix, with --tau the
    accelerations, with --frame poses and influence coefficients. Radians, metres, seconds, Nm and N.
    """
    from torquec.report.state_text import state_text

    robot = model.robot
    state = {
        name: joint_values(robot, text, f"--{name}", degrees=options.deg)
        for name, text in (("q", options.q), ("qd", options.qd), ("qdd", options.qdd))
    }
    torques = None if options.tau is None else joint_values(robot, options.tau, "--tau", degrees=False)
    document = quantities_at(model, state, torques=torques, frames=options.frame or ())
    return Outcome(document, state_text(robot.name, state, document))


def quantities_at(
    model: Model,
    state: dict[str, tuple[float, ...]],
    *,
    torques: tuple[float, ...] | None = None,
    frames: Sequence[str] = (),
) -> dict[str, Any]:
    """The JSON document of `torquec eval`: lists in joint order, the mass matrix row by row."""
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    calls: dict[str, tuple[str, tuple[Any, ...]]] = {
        "tau": ("inverse_dynamics", (q, qd, qdd)),
        "friction": ("friction_torque", (qd,)),
        "total": ("total_torque", (q, qd, qdd)),
        "M": ("mass_matrix", (q,)),
        "gravity": ("gravity_torque", (q,)),
        "velocity_torque": ("velocity_torque", (q, qd)),
    }
    if torques is not None:
        calls["qdd"] = ("forward_dynamics", (q, qd, torques))
    document: dict[str, Any] = {"joints": list(model.robot.joint_names)}
    document |= {key: getattr(model, name)(*inputs).tolist() for key, (name, inputs) in calls.items()}
    proven = _proven(model, {key: name for key, (name, _) in calls.items()})
    if proven:
        document["proven"] = proven
    if frames:
        document["frames"] = {frame: _frame(model, frame, q) for frame in frames}
    return document


def _proven(model: Model, names: dict[str, str]) -> dict[str, Any]:
    """What is proven of each quantity that is shown; nothing to say of an exact model."""
    from torquec.model.kinds import ModelKind

    if model.kind is ModelKind.EXACT:
        return {}
    found = {key: model.proven(name) for key, name in names.items()}
    return {
        key: {"standing": said.standing.value, "text": said.text, "bounds": [list(row) for row in said.bounds]}
        for key, said in found.items()
    }


def _frame(model: Model, frame: str, q: tuple[float, ...]) -> dict[str, Any]:
    """Pose and influence coefficients; velocity and angular velocity are G qd, their rates G qdd + qd' H qd."""
    from torquec.dynamics import influence_coefficients

    rotation, origin = model.frame_pose(frame)(q)
    found = influence_coefficients(model.robot, frame, q)
    parts = {"translation": found.translation, "rotation": found.rotation}
    return {
        "rotation": rotation.tolist(),
        "origin": origin.tolist(),
        "influence": {
            name: {"first": [[float(x) for x in row] for row in part.first], "second": _vectors(part.second)}
            for name, part in parts.items()
        },
    }


def _vectors(second: Any) -> list[list[list[float]]]:
    return [[[float(x) for x in vector] for vector in row] for row in second]
