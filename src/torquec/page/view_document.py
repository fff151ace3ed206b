"""The data of a page as JSON values, with the types of `document_types`; motions, downsampled to its plots.

A motion is a trajectory, a log with its measured torques, or a simulated run with those of its controller.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from torquec.codegen.identifiers import c_identifier
from torquec.codegen.wasm.package import wasm_module
from torquec.errors import ArgumentError
from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.identification.logs.clean_rows import log_motion
from torquec.model.model import Model
from torquec.model.model_parameters import ModelKind
from torquec.model.proven import Standing
from torquec.page.document_types import (
    BodyData,
    CoordinateData,
    EquationData,
    ModuleData,
    MotionData,
    PoseData,
    ProvenData,
)
from torquec.page.equation_table import EquationTable, JointCoordinate, joint_coordinates, variable_label
from torquec.page.mesh import PackedMesh
from torquec.page.robot_shapes import Shape, inertia_ellipsoid
from torquec.page.view_functions import ViewFunctions, floating_body, torque_quantity
from torquec.robot.configuration import joint_slices
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import StateCoordinate
from torquec.spatial import Pose
from torquec.trajectory.log import Log
from torquec.trajectory.trajectory import Trajectory
from torquec_check.claim import rounded_up

_MOST_SAMPLES = 1500  # more than a plot has points; the script interpolates between them
_FEWEST_SAMPLES = 400  # of one of many motions: as many as a small plot has points


@dataclass(frozen=True, eq=False)
class MotionTable:
    """Times t (N,), q (N, nq), qd, qdd (N, nv) and, where `torques` names their origin, torques (N, nv).

    `reference` (N, nq) is that of a simulated run, `tube` the guaranteed bound of each joint's error.
    """

    title: str
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None = None
    torques: str = ""
    reference: Array | None = None
    tube: tuple[float, ...] = ()

    @property
    def packed(self) -> str:
        """All numbers as doubles in base64, t first."""
        parts = [p for p in (self.t, self.q, self.qd, self.qdd, self.tau, self.reference) if p is not None]
        return base64.b64encode(b"".join(np.ascontiguousarray(p, dtype="<f8").tobytes() for p in parts)).decode()


@dataclass(frozen=True, eq=False)
class SimulatedRun:
    """A simulated motion: its name, and the torques (N, n) of its controller and its reference (N, n) if they were
    kept; `tube` is the guaranteed bound of each joint's error, empty without one.
    """

    title: str
    trajectory: Trajectory
    tau: Array | None = None
    reference: Array | None = None
    tube: tuple[float, ...] = ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints, in order."""
        return self.trajectory.joints


def motion_table(robot: Robot, motion: Trajectory | Log | SimulatedRun, *, share: int = 1) -> MotionTable:
    """The motion, of the robot's joints in their order; raises `ArgumentError` for other joints or too few rows.

    Where several motions `share` a page, each has fewer samples. Of a log, positions and torques are averaged over a
    tenth of a second, which gives speeds and accelerations.
    """
    if motion.joints != robot.joint_names:
        raise ArgumentError(
            f"the motion is of {', '.join(motion.joints)}, the robot has {', '.join(robot.joint_names)}",
            remedy="give a motion of exactly these joints, in this order",
        )
    if isinstance(motion, Trajectory):
        return motion_table(robot, SimulatedRun("trajectory", motion), share=share)
    if isinstance(motion, SimulatedRun):
        way = motion.trajectory
        rows = _thinned(len(way.t), share)
        tau = None if motion.tau is None else motion.tau[rows]
        values = (way.t[rows], way.q[rows], way.qd[rows], way.qdd[rows], tau)
        reference = None if motion.reference is None else motion.reference[rows]
        return MotionTable(motion.title, *values, "" if tau is None else "simulated", reference, motion.tube)
    found = log_motion(motion)
    if found is None:
        raise ArgumentError(
            "the log has too few whole rows to show a motion",
            where=motion.source,
            remedy="'torquec check-log' says what is wrong with it",
        )
    rows = _thinned(len(found.t), share)
    columns = (found.t[rows], found.q[rows], found.qd[rows], found.qdd[rows], found.tau[rows])
    return MotionTable(PurePath(motion.source).name or "log", *columns, "measured")


def _thinned(count: int, share: int) -> Array:
    """Evenly spaced rows, with the first and the last."""
    most = max(_FEWEST_SAMPLES, _MOST_SAMPLES // share)
    rows: Array = np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
    return rows


_SHOWN_DIGITS = 3
"""Digits of numbers in the page (`shown` in numbers.ts): bounds are rounded up here, so the page rounds none down."""

_KIND_TEXTS = {
    ModelKind.EXACT: "exact model",
    ModelKind.IDENTIFIED: "identified model",
    ModelKind.BASE_PARAMETERS: "model in base parameters",
    ModelKind.ABBREVIATED: "abbreviated model, no error proven",
    ModelKind.CERTIFIED_TORQUE: "simplified model, torque error proven",
    ModelKind.CERTIFIED_COEFFICIENTS: "simplified model, coefficients proven",
}


def robot_document(robot: Robot, shapes: Sequence[Shape], meshes: Sequence[PackedMesh]) -> dict[str, Any]:
    """The scene: joints, bodies, frames, shapes and meshes."""
    return {
        "name": robot.name,
        "mass": robot.moving_mass,  # moving mass, shown beside the number of joints
        "gravity": list(robot.gravity),
        "base": floating_body(robot),
        "joints": [
            {
                "name": joint.name if joint.joint.kind.nv == 1 else f"{joint.joint.name} {_position_word(joint, turn)}",
                "at": at,
                "turn": turn,
                "prismatic": not joint.turns,
                "lower": _finite(joint.limits.lower),
                "upper": _finite(joint.limits.upper),
                "velocity": _finite(joint.limits.velocity),
                "effort": _finite(joint.limits.effort) or None,  # a limit of zero in a file means that none is stated
            }
            for joint, (at, turn) in zip(robot.coordinates, _positions(robot), strict=True)
        ],
        "bodies": _bodies(robot),
        "frames": [{"name": f.name, "body": f.body, "pose": _pose(f.pose)} for f in robot.frames],
        "shapes": [
            {
                "body": shape.body,
                "role": shape.role.value,
                "kind": shape.kind.value,
                "pose": _pose(shape.pose),
                "sizes": list(shape.sizes),
                "scale": list(shape.scale),
                "mesh": shape.mesh,
                "color": None if shape.color is None else list(shape.color),
            }
            for shape in shapes
        ],
        "meshes": [
            {
                "name": mesh.name,
                "lower": list(mesh.lower),
                "upper": list(mesh.upper),
                "vertices": mesh.vertices,
                "parts": [{"count": p.count, "color": None if p.color is None else list(p.color)} for p in mesh.parts],
                "packed": base64.b64encode(mesh.packed).decode(),
            }
            for mesh in meshes
        ],
    }


def _positions(robot: Robot) -> list[tuple[int, int | None]]:
    """Per rate the index of its position in q; for a quaternion its first index, and the angle that the rate turns."""
    found: list[tuple[int, int | None]] = []
    for joint, at, _ in joint_slices(robot):
        numbers = joint.kind.nq - (4 if joint.kind.nq > joint.kind.nv else 0)  # before the quaternion
        found += [(at.start + k, None) for k in range(numbers)]
        found += [(at.start + numbers, k) for k in range(joint.kind.nv - numbers)]
    return found


def _position_word(coordinate: StateCoordinate, turn: int | None) -> str:
    """Word for a position of a joint with several: x, y, z, angle, or the roll, pitch or yaw of a quaternion."""
    if turn is not None:
        return ("roll", "pitch", "yaw")[turn]
    return "angle" if coordinate.turns else "xyz"[coordinate.of_joint.column.axis]


def _bodies(robot: Robot) -> list[BodyData]:
    rows: list[BodyData] = []
    for body, coordinate in zip(robot.bodies, joint_coordinates(robot), strict=True):
        ellipsoid = inertia_ellipsoid(body)
        rows.append(
            {
                "name": body.name,
                "parent": body.parent,
                "rates": body.joint.kind.nv,
                "placement": _pose(body.joint.placement),
                "axis": list(body.joint.axis),
                "prismatic": not body.joint.kind.coordinates[-1].turns,
                **_coordinate(coordinate),
                "mass": body.inertia.m,
                "center": list(body.inertia.center_of_mass) if body.inertia.m > 0.0 else [0.0, 0.0, 0.0],
                "ellipsoid": None
                if ellipsoid is None
                else {"rotation": [x for row in ellipsoid.rotation for x in row], "axes": list(ellipsoid.axes)},
            }
        )
    return rows


def compute_document(model: Model, functions: ViewFunctions) -> dict[str, Any]:
    """The computing part: the WebAssembly module, the frames that it moves, and the proven torque errors."""
    return {
        "kind": model.kind.value,
        "kindText": _KIND_TEXTS[model.kind],
        "simplified": model.kind.follows_program,
        "noDynamics": functions.no_dynamics,
        "module": module_document(functions.all) if functions.all else None,
        "hands": [
            {
                "frame": hand.frame.name,
                "body": hand.frame.body,
                "base": hand.base,
                "first": hand.first,
                "pose": _pose(hand.frame.pose),
                "step": None if hand.step is None else c_identifier(hand.step.name),
                "place": c_identifier(hand.place.name),
                "jacobian": c_identifier(hand.jacobian.name),
                "rank": hand.rank,
                "reach": hand.reach,
            }
            for hand in functions.hands
        ],
        "proven": _proven(model) if functions.dynamics else None,
    }


def module_document(functions: Sequence[Function]) -> ModuleData:
    """Functions as a WebAssembly module in base64, with the table that the script calls them by."""
    return {
        "code": base64.b64encode(wasm_module(functions)).decode(),
        "functions": {
            c_identifier(function.name): {
                "symbol": c_identifier(function.name),
                "inputs": [{"name": port.name, "shape": list(port.shape)} for port in function.inputs],
                "outputs": [{"name": port.name, "shape": list(port.shape)} for port in function.outputs],
            }
            for function in functions
        },
    }


def equation_document(table: EquationTable) -> EquationData:
    """The closed form."""
    return {
        "coordinates": [_coordinate(coordinate) for coordinate in table.coordinates],
        "variables": [
            {"bodies": [list(pair) for pair in v.joints], "prismatic": not v.is_angle, "name": variable_label(v)}
            for v in table.variables
        ],
        "symmetric": table.symmetric,
        "mass": list(table.mass),
        "gravity": list(table.gravity),
        "velocity": None if table.velocity is None else [[*index, terms] for index, terms in table.velocity],
    }


def motion_document(table: MotionTable) -> MotionData:
    """The motion to be played."""
    return {
        "title": table.title,
        "samples": len(table.t),
        "values": table.packed,
        "torques": table.torques,
        "reference": table.reference is not None,
        "tube": list(table.tube),
    }


def _proven(model: Model) -> ProvenData | None:
    """Bounds of the torque error by joint and the box that they hold in, of a certified model."""
    found = model.proven(torque_quantity(model.robot))
    if found.standing is not Standing.BOUNDED or not found.bounds or model.record is None:
        return None
    box, n = model.record.motions, model.robot.n
    return {
        "bounds": [float(rounded_up(row[0], _SHOWN_DIGITS)) for row in found.bounds],
        "lower": list(box.lower),
        "upper": list(box.upper),
        "velocity": list(box.velocity) or [None] * n,
        "acceleration": list(box.acceleration) or [None] * n,
    }


def _coordinate(coordinate: JointCoordinate) -> CoordinateData:
    return {"joint": coordinate.joint, "multiplier": coordinate.multiplier, "offset": coordinate.offset}


def _pose(pose: Pose) -> PoseData:
    return {"rotation": [float(x) for row in pose.rotation for x in row], "origin": [float(x) for x in pose.origin]}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
