"""`torquec eval ROBOT`: the quantities at one state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.options import degrees_option, joint_values, option, state_option
from torquec.report.tables import number, table, upper_bound, wide_table

if TYPE_CHECKING:
    from torquec.model.model import Model

_COLUMNS = (
    ("tau", "tau"),
    ("gravity", "gravity"),
    ("velocity", "velocity_torque"),
    ("friction", "friction"),
    ("total", "total"),
)
_AXES = ("x", "y", "z")
_TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")


@dataclass(frozen=True, kw_only=True)
class EvalOptions(CommandOptions):
    """The state, and the further quantities to show there."""

    q: str | None = state_option()
    qd: str | None = state_option()
    qdd: str | None = state_option()
    tau: str | None = option(None, "Joint torques; adds the accelerations that they cause.", metavar="LIST")
    frame: list[str] | None = option(
        None,
        "Also the pose of this frame and its kinematic influence coefficients (first and second order); repeat "
        "for more.",
        metavar="NAME",
    )
    deg: bool = degrees_option()


@command("eval", EvalOptions, example="torquec eval puma560 --deg --q -20,30,0,45,0,10 --qd 10,0,0,0,0,0")
def evaluate(model: Model, options: EvalOptions) -> Outcome:
    """Compute torques and the mass matrix at a state.

    Gives inverse dynamics, friction and their sum, gravity and velocity torques, the mass matrix, with --tau the
    accelerations, with --frame poses and influence coefficients. Radians, metres, seconds, Nm and N.
    """

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
    from torquec.robot.loops.condition import check_loops

    check_loops(model.robot, q)
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
    document: dict[str, Any] = {"joints": list(model.robot.coordinate_names)}
    if model.robot.dependent:  # friction of dependent joints depends on q: it is the rest of total_torque
        del calls["friction"]
    document |= {key: getattr(model, name)(*inputs).tolist() for key, (name, inputs) in calls.items()}
    if model.robot.dependent:
        springs = model.spring_torque(q).tolist()
        parts = zip(document["total"], document["tau"], springs, strict=True)
        document["friction"] = [whole - rigid - spring for whole, rigid, spring in parts]
        positions, gap = model.loop_closure(q)
        document["loops"] = {"positions": _positions(model, positions), "gap": float(gap)}
    proven = _proven_quantities(model, {key: name for key, (name, _) in calls.items()})
    if proven:
        document["proven"] = proven
    if frames:
        document["frames"] = {frame: _frame_document(model, frame, q) for frame in frames}
    return document


def _positions(model: Model, positions: Any) -> dict[str, list[float]]:
    """Position of every joint of the tree by its name."""
    found, k = {}, 0
    for joint in model.robot.tree.joints:
        found[joint.name] = [float(value) for value in positions[k : k + joint.kind.nq]]
        k += joint.kind.nq
    return found


def _proven_quantities(model: Model, names: dict[str, str]) -> dict[str, Any]:
    """Proven bounds of each quantity shown; empty for an exact model."""
    from torquec.model.model_parameters import ModelKind

    if model.kind is ModelKind.EXACT:
        return {}
    found = {key: model.proven(name) for key, name in names.items()}
    return {
        key: {"standing": said.standing.value, "text": said.text, "bounds": [list(row) for row in said.bounds]}
        for key, said in found.items()
    }


def _frame_document(model: Model, frame: str, q: tuple[float, ...]) -> dict[str, Any]:
    """Pose and influence coefficients; velocity and angular velocity are G qd, their rates G qdd + qd' H qd."""
    from torquec.dynamics import influence_coefficients

    rotation, origin = model.frame_pose(frame)(q)
    if model.robot.nq != model.robot.nv or model.robot.dependent:
        jacobian = model.jacobian(frame)(q)
        return {"rotation": rotation.tolist(), "origin": origin.tolist(), "jacobian": jacobian.tolist()}
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


def state_text(name: str, state: Mapping[str, Sequence[float]], document: Mapping[str, Any]) -> str:
    """The document of `torquec eval` as tables; `state` holds q, qd and qdd."""
    joints = document["joints"]
    quaternions = len(state["q"]) != len(joints)
    columns: list[tuple[str, Any]] = [
        *((key, values) for key, values in state.items() if key != "q" or not quaternions),
        *((title, document[key]) for title, key in _COLUMNS),
        *([("qdd of --tau", document["qdd"])] if "qdd" in document else []),
    ]
    rows = [[joint, *(number(values[k]) for _, values in columns)] for k, joint in enumerate(joints)]
    lines = [
        f"{name} (rad, m, s, Nm, N)",
        *([f"q = {', '.join(map(number, state['q']))}"] if quaternions else []),
        "",
        table(["joint", *(title for title, _ in columns)], rows),
        "",
        "Mass matrix",
        wide_table(["", *joints], [[n, *map(number, row)] for n, row in zip(joints, document["M"], strict=True)]),
    ]
    if "proven" in document:
        lines += ["", "What is proven", *(_proven(key, said) for key, said in document["proven"].items())]
    if "loops" in document:
        lines += ["", f"All joints; the loops are closed to {number(document['loops']['gap'], 2)} (m, rad)"]
        lines += [f"  {name}  {' '.join(map(number, at))}" for name, at in document["loops"]["positions"].items()]
    for frame, found in document.get("frames", {}).items():
        lines += ["", *_frame(frame, found, joints)]
    return "\n".join(lines)


def _proven(key: str, said: Mapping[str, Any]) -> str:
    bounds = ""
    if said["bounds"]:
        rows = (", ".join(upper_bound(value, 3) for value in row) for row in said["bounds"])
        bounds = f" [{'; '.join(rows)}]"
    return f"  {key}: {said['standing']}{bounds} ({said['text']})"


def _frame(frame: str, found: Mapping[str, Any], joints: Sequence[str]) -> list[str]:
    origin = ", ".join(number(value) for value in found["origin"])
    lines = [f"Frame '{frame}': origin ({origin}) m, rotation by rows"]
    lines += [f"  {'  '.join(number(value).rjust(10) for value in row)}" for row in found["rotation"]]
    if "influence" not in found:
        rows = [[axis, *map(number, row)] for axis, row in zip(_TWIST, found["jacobian"], strict=True)]
        return [
            *lines,
            "",
            "Jacobian: velocity of the origin, then angular velocity, base axes",
            table(["", *joints], rows),
        ]
    for title, key in (("Velocity of the origin", "translation"), ("Angular velocity", "rotation")):
        part = found["influence"][key]
        rows = [[axis, *map(number, row)] for axis, row in zip(_AXES, part["first"], strict=True)]
        lines += ["", f"{title}: first-order influence coefficients G, base axes", table(["", *joints], rows)]
        second = [
            [f"{first}, {other}", *map(number, vector)]
            for first, row in zip(joints, part["second"], strict=True)
            for other, vector in zip(joints, row, strict=True)
            if any(number(value) != "0" for value in vector)
        ]
        if second:
            lines += [f"{title}: second-order coefficients H that are not zero", table(["joints", *_AXES], second)]
    return lines
