"""Interactive 3D view of a robot or a model as one self-contained HTML text.

    text = view_page(robot).html                               # opens from disk, or in <iframe srcdoc="...">
    view_page(model, trajectory=motion).problems               # what could not be drawn

In an `<iframe srcdoc>` the policy of the outer page holds too: it must allow the view's script, WebAssembly and style,
as the view's own policy does, by their hashes.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from torquec.errors import RobotError
from torquec.model.model import Model, as_model
from torquec.page.document_types import HapticData
from torquec.page.equation_table import equation_table
from torquec.page.haptic_scene import haptic_document, haptic_scene
from torquec.page.robot_shapes import RobotVisuals, floor_height, robot_shapes, robot_visuals
from torquec.page.self_contained import page_bundle, self_contained
from torquec.page.view_document import (
    SimulatedRun,
    compute_document,
    equation_document,
    module_document,
    motion_document,
    motion_table,
    robot_document,
)
from torquec.page.view_functions import ViewFunctions, bent_posture, free_posture, view_functions
from torquec.robot.configuration import unit_position
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.trajectory import Trajectory

_NOTEBOOK_HEIGHT = 560  # of the frame in a notebook [px]: the robot and the first rows of its panel


@dataclass(frozen=True)
class View:
    """A page: its text, the bytes of its WebAssembly module, the frames that can be dragged, and what was not drawn."""

    html: str
    module_bytes: int
    hands: tuple[str, ...]
    problems: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks: no server, no network."""
        style = f"width:100%;height:{_NOTEBOOK_HEIGHT}px;border:0"
        return f'<iframe srcdoc="{escape(self.html)}" style="{style}"></iframe>'


def show(source: Robot | Model, *, trajectory: Trajectory | None = None, meshes: bool = True) -> View:
    """The robot in 3D in a notebook cell, with a motion to play; `view_page` has all options.

    Jupyter shows the result in a frame; `tq.show(robot).html` is the page's text.
    """
    return view_page(source, trajectory=trajectory, meshes=meshes)


def view_page(
    source: Robot | Model,
    *,
    trajectory: Trajectory | None = None,
    log: Log | None = None,
    runs: Sequence[SimulatedRun] = (),
    posture: Sequence[float] | None = None,
    meshes: bool = True,
    packages: Mapping[str, Path] | None = None,
    haptic: bool = False,
) -> View:
    """The page of a robot or a model, with a trajectory, a log or simulated runs to play where they are given.

    `posture` (nq,) is the initial configuration. With `meshes`, shapes and meshes of the robot's file are drawn where
    they can be read: files below the robot's folder or package, or below that of a package named in `packages`.
    `haptic` adds a virtual ball to be pulled, with controller and arm simulated in the page. Raises `TorquecError`
    where the script of the pages is not built, `ArgumentError` for a motion or posture of other joints, `RobotError`
    for an arm that cannot have a haptic scene.
    """
    from torquec import __version__

    bundle = page_bundle()
    model = as_model(source, any_joint=True)
    robot = model.robot
    motions = [motion for motion in (trajectory, log, *runs) if motion is not None]
    played = [motion_table(robot, motion, share=len(motions)) for motion in motions]
    visuals = robot_visuals(robot, packages) if meshes else RobotVisuals()
    drawn = [*robot_shapes(robot, without=visuals.bodies), *visuals.shapes]
    functions = view_functions(model)
    start = _start(robot, posture, functions, haptic=haptic)
    data: dict[str, Any] = {
        "version": __version__,
        **robot_document(robot, drawn, visuals.meshes),
        **compute_document(model, functions),
        **_equations(model, functions.no_dynamics),
        "motions": [motion_document(table) for table in played],
        "haptic": _haptic(model, functions, start) if haptic else None,
        "start": start,
        "floor": floor_height(robot, start),
        "problems": list(visuals.problems),
    }
    module = data["module"]
    text = self_contained(bundle, title=f"{robot.name} \N{EN DASH} Torquec", data=data, threads=haptic)
    size = 0 if module is None else len(base64.b64decode(module["code"]))
    return View(text, size, tuple(hand.frame.name for hand in functions.hands), visuals.problems)


def _equations(model: Model, no_dynamics: str) -> dict[str, Any]:
    if no_dynamics:
        return {"equations": None, "noEquations": no_dynamics}
    try:
        return {"equations": equation_document(equation_table(model)), "noEquations": ""}
    except RobotError as error:
        return {"equations": None, "noEquations": f"The equations are not written here: {error.found}."}


def _start(robot: Robot, posture: Sequence[float] | None, functions: ViewFunctions, *, haptic: bool) -> list[float]:
    """Start configuration: as given, else `free_posture` for a haptic scene, else `bent_posture`."""
    if posture is not None:
        return unit_position(robot, posture)
    one = functions.hands[0] if len(functions.hands) == 1 else None
    return free_posture(robot, one) if haptic and one and one.turns else bent_posture(robot, functions.hands)


def _haptic(model: Model, functions: ViewFunctions, start: list[float]) -> HapticData:
    hand = functions.hands[0] if len(functions.hands) == 1 else None
    scene = haptic_scene(model, hand, start)
    assert hand is not None
    return haptic_document(scene, module_document(scene.functions), hand)
