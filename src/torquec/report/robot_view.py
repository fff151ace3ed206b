"""The robot in a report: its live 3D view if the pages' script is available, else a static SVG picture.

(1)  the configuration bends every joint a little, within its limits, so that no two links lie on one line
(2)  points p are rotated so that gravity points down; then (x, y) = (p . right, p . up), axes of the view
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from torquec.dynamics.frame_pose import body_poses, frame_pose
from torquec.errors import TorquecError
from torquec.foundation.reading import is_below, is_file
from torquec.model.model import Model
from torquec.page.view_document import SimulatedRun
from torquec.page.view_page import view_page
from torquec.report.blocks import Block, CommandLine, LiveView, Picture, paragraph
from torquec.report.found_documents import RUN_FILE, FoundFolder, guaranteed_tube
from torquec.report.provenance import computed
from torquec.robot.robot import BASE, Robot
from torquec.trajectory.csv_file import read_recorded_motion, read_reference

Point = tuple[float, float, float]
_JOINT_ANGLE = 0.45  # [rad] angle of each revolute joint
_TURN, _TILT = math.radians(-62.0), math.radians(20.0)  # of the view: about the vertical, and downwards
_WIDTH, _HEIGHT, _ROOM = 720.0, 400.0, 46.0  # of the drawing, and the margin around the arm
_THICK, _THIN = 17.0, 6.0  # line widths of the first and the last body
_LETTER = 9.5  # largest width of a letter in a name
_STEPS = 4  # lines of the floor on each side of the base


def live_view(model: Model, folder: FoundFolder) -> list[Block]:
    """The blocks that show the robot of a model; none where its bodies all lie in one point.

    The live view plays the simulated runs in the folder. If it is not wanted or cannot be made, the blocks state how to
    get it.
    """
    still = arm_picture(model.robot)
    if still is None:
        return []
    if not folder.live:
        return [still, CommandLine(f"torquec report {folder.called}", "This makes the page with the robot in 3D:")]
    runs, refused = runs_to_play(model.robot, folder)
    try:
        page = view_page(model, runs=runs).html
    except TorquecError as error:
        reason = f"The robot is not shown in 3D: {error.found}."
        return [still, paragraph(f"{reason} To get it: {error.remedy}" if error.remedy else reason)]
    words = f"{model.robot.name} in 3D: move its joints or drag its hand; the compiled model computes in this page"
    played = "; it plays the simulated runs" if runs else ""
    return [LiveView(page, f"{words}{played}", still), *(paragraph(reason) for reason in refused)]


def runs_to_play(robot: Robot, folder: FoundFolder) -> tuple[list[SimulatedRun], list[str]]:
    """The runs of this robot's joints in a folder, and which could not be read."""
    runs: list[SimulatedRun] = []
    refused: list[str] = []
    for document in folder.of_kind("simulate"):
        file = document.path.with_name(RUN_FILE)
        if not (is_file(file) and is_below(file, folder.path)):
            continue
        try:
            if document.values["joints"].texts != robot.joint_names:
                continue
            trajectory, tau = read_recorded_motion(file, joints=robot.joint_names)
            name = document.values.get("experiment")
            title = (document.folder or document.name) if name is None else name.text
            bounds = guaranteed_tube(folder)
            tube = tuple(bounds.get(joint, math.inf) for joint in robot.joint_names)
            reference = read_reference(file, joints=robot.joint_names)
            runs.append(SimulatedRun(title, trajectory, tau, reference, tube if all(map(math.isfinite, tube)) else ()))
        except TorquecError as error:
            refused.append(f"The run beside {document.name} is not played: {error.found}.")
    return runs, refused


def arm_picture(robot: Robot) -> Picture | None:
    """The picture; None for a robot whose bodies all lie in one point."""
    q = drawn_configuration(robot)
    try:
        stand = _standing(robot.gravity)
        origins = [stand(pose.origin) for pose in body_poses(robot, q)]
        tips = [(frame.body, stand(frame_pose(robot, frame.name, q).origin)) for frame in robot.frames]
    except TorquecError:
        return None
    starts = [(0.0, 0.0, 0.0) if body.parent == BASE else origins[body.parent] for body in robot.bodies]
    lines = [(k, starts[k], origins[k]) for k in range(len(origins))]
    leaves = set(range(len(origins))) - {body.parent for body in robot.bodies}
    tools = {body: point for body, point in tips if body in leaves}  # the last frame of each end
    lines += [(body, origins[body], point) for body, point in tools.items()]
    points = [(0.0, 0.0, 0.0), *origins, *tools.values()]
    size = max(math.dist(point, points[0]) for point in points)
    if size == 0.0:
        return None
    view = _View(points, size)
    parts = [f'<svg viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" aria-label="{escape(robot.name)}">', view.floor()]
    parts += [view.line((*a[:2], view.ground), (*b[:2], view.ground), 5.0, "arm-shadow") for _, a, b in lines]
    parts.append(view.line((0.0, 0.0, view.ground), points[0], _THICK + 3.0, "arm-shadow"))
    last = max(1, len(origins) - 1)
    parts += [view.line(a, b, _THICK + (_THIN - _THICK) * min(k / last, 1.0), "arm-link") for k, a, b in lines]
    used = [at for _, a, b in lines for at in _along(view.place(a), view.place(b))]
    for k, origin in enumerate(origins):
        x, y = view.place(origin)
        parts.append(f'<circle class="arm-joint" cx="{x:.1f}" cy="{y:.1f}" r="{6.5 - 2.5 * k / last:.1f}"/>')
        name = robot.bodies[k].joint.name
        if (text := _free_place(x, y, len(name), used)) is not None:
            left, base = text
            parts.append(f'<text class="arm-name" x="{left:.1f}" y="{base:.1f}">{escape(name)}</text>')
            used += _along((left, base - 5.0), (left + _LETTER * len(name), base - 5.0))
    parts += [f'<circle class="arm-tool" cx="{x:.1f}" cy="{y:.1f}" r="5"/>' for x, y in map(view.place, tools.values())]
    words = f"{robot.name} with its joints bent a little: origins of the bodies, joined by lines"
    return Picture("".join([*parts, "</svg>"]), words, computed("forward kinematics of the robot file"))


def _along(a: tuple[float, float], b: tuple[float, float]) -> list[tuple[float, float]]:
    """Points of a line, at most 5 apart."""
    count = 1 + int(math.dist(a, b) / 5.0)
    return [(a[0] + (b[0] - a[0]) * k / count, a[1] + (b[1] - a[1]) * k / count) for k in range(count + 1)]


def _free_place(x: float, y: float, letters: int, used: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """A place for a joint's name that covers no link and no other name: left end and baseline; None without one."""
    width = _LETTER * letters
    for left, base in ((x + 14, y - 10), (x + 14, y + 20), (x - 14 - width, y - 10), (x - 14 - width, y + 20)):
        inside = 0.0 <= left <= _WIDTH - width and 12.0 <= base <= _HEIGHT
        if inside and not any(left - 8 < u < left + width + 8 and base - 20 < v < base + 10 for u, v in used):
            return left, base
    return None


def drawn_configuration(robot: Robot) -> list[float]:
    """Joint positions (n,) that show an arm well (1)."""
    found = []
    for k, joint in enumerate(robot.coordinates):
        low, high = joint.limits.lower, joint.limits.upper
        if joint.turns:
            wanted = _JOINT_ANGLE * (-1.0 if k % 2 else 1.0)
        else:
            wanted = 0.5 * (low + high) if math.isfinite(low + high) else 0.2
        found.append(min(max(wanted, low), high))
    return found


def _standing(gravity: Sequence[float]) -> Callable[[Sequence[float]], Point]:
    """The rotation that brings gravity, if any, close to -z: its largest axis is exchanged with z."""
    pull = [float(value) for value in gravity]
    axis = max(range(3), key=lambda k: abs(pull[k]))
    if axis == 2 or pull[axis] == 0.0:
        return lambda p: (float(p[0]), float(p[1]), float(p[2]))
    sign = -1.0 if pull[axis] > 0.0 else 1.0
    rest = (axis + 1) % 3, (axis + 2) % 3  # a cyclic change of axes keeps handedness
    return lambda p: (float(p[rest[0]]), sign * float(p[rest[1]]), sign * float(p[axis]))


class _View:
    """The projection (2), scaled so that all points have room."""

    def __init__(self, points: Sequence[Point], size: float) -> None:
        self.size = size
        self.ground = min(0.0, *(point[2] for point in points))
        shown = [*points, *((x, y, self.ground) for x, y, _ in points)]
        flat = [_projected(point) for point in shown]
        left, right = min(x for x, _ in flat), max(x for x, _ in flat)
        low, high = min(y for _, y in flat), max(y for _, y in flat)
        self.scale = min(
            (_WIDTH - 4 * _ROOM) / max(right - left, 1e-9 * size),
            (_HEIGHT - 2 * _ROOM) / max(high - low, 1e-9 * size),
            0.9 * _HEIGHT / size,
        )
        self.centre = (0.5 * (left + right), 0.5 * (low + high))

    def place(self, point: Point) -> tuple[float, float]:
        x, y = _projected(point)
        return (_WIDTH / 2 + self.scale * (x - self.centre[0]), _HEIGHT / 2 - self.scale * (y - self.centre[1]))

    def line(self, a: Point, b: Point, width: float, kind: str) -> str:
        (x1, y1), (x2, y2) = self.place(a), self.place(b)
        return (
            f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke-width="{width:.1f}"/>'
        )

    def floor(self) -> str:
        """Squares on the ground around the base."""
        step = 0.3 * self.size
        reach = step * _STEPS
        lines = []
        for k in range(-_STEPS, _STEPS + 1):
            at = k * step
            lines.append(self.line((at, -reach, self.ground), (at, reach, self.ground), 1.0, "arm-floor"))
            lines.append(self.line((-reach, at, self.ground), (reach, at, self.ground), 1.0, "arm-floor"))
        return "".join(lines)


def _projected(point: Point) -> tuple[float, float]:
    x, y, z = point
    right = x * math.cos(_TURN) - y * math.sin(_TURN)
    away = x * math.sin(_TURN) + y * math.cos(_TURN)
    return right, z * math.cos(_TILT) + away * math.sin(_TILT)
