"""Results as HTML for notebooks: a heading, one or two tables, a drawing of a robot; light and dark backgrounds.

The skeleton of a robot is drawn at its start configuration, in the oblique projection

(1)  (x, y, z) -> (y - x cos 30 deg / 2, -z + x sin 30 deg / 2)
"""

from __future__ import annotations

import dataclasses
import functools
import html
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from torquec.closedform.closed_form import ClosedForm
from torquec.control.tracking_guarantee import TrackingGuarantee
from torquec.dynamics.frame_pose import body_poses
from torquec.identification.result.estimate import Estimate
from torquec.linearization.linearize import LinearModel
from torquec.model.model import Model
from torquec.parameters.base_parameters import BaseParameters
from torquec.proof.torque.certificate import Certificate
from torquec.report.tables import number, upper_bound
from torquec.robot.robot import BASE, Robot
from torquec.robot.state_coordinate import start_posture
from torquec.simulation.simulation_result import SimulationResult

_WIDTH, _HEIGHT = 220.0, 220.0  # of a skeleton [px]
_MARGIN = 18.0  # around a skeleton [px]: a joint's dot and its stroke
_DEPTH = 0.5  # (1): foreshortening of the axis towards the viewer
_OBLIQUE = math.radians(30.0)  # (1): angle of that axis
_DIGITS = 4  # of numbers in tables: files have all digits
_MOST_ROWS = 40  # of a table; more are counted below it


def notebook_html(result: object) -> str | None:
    """The HTML of a result of one of the classes in the table below; None for any other."""
    show = next((show for kind, show in DISPLAYS.items() if isinstance(result, kind)), None)
    return None if show is None else f'<div style="overflow-x:auto">{show(result)}</div>'


def _robot(robot: Robot) -> str:
    rows = [[joint.name, joint.type.value, *map(_limit, dataclasses.astuple(joint.limits))] for joint in robot.joints]
    head = f"{robot.name}: {robot.n} coordinates, {number(robot.mass, _DIGITS)} kg"
    listed = _table(["joint", "type", "lower", "upper", "speed", "effort"], rows, text=2)
    warnings = "".join(f"<li>{html.escape(warning.text)}</li>" for warning in robot.warnings)
    return _heading(head) + _beside(skeleton_svg(robot), listed) + (f"<ul>{warnings}</ul>" if warnings else "")


def _model(model: Model) -> str:
    count = {name: model.operation_count(name) for name in ("inverse_dynamics",) if not model.refusal(name)}
    rows = [[name, str(found.mul), str(found.add), str(found.sincos)] for name, found in count.items()]
    costs = _table(["function", "multiplications", "additions", "sine-cosine pairs"], rows)
    proof = "" if model.record is None else _certificate(model.record)
    return _heading(f"{model.kind.value} model") + costs + proof + _robot(model.robot)


def _certificate(certificate: Certificate) -> str:
    rows = [[name, upper_bound(proof.bound, _DIGITS)] for name, proof in certificate.joints.items()]
    return _heading(f"{certificate.robot}: proven torque errors") + _table(["joint", "at most [N m, N]"], rows)


def _guarantee(found: TrackingGuarantee) -> str:
    if not found.valid:
        return _heading("no bound on the tracking error") + f"<p>{html.escape(found.reason)}</p>"
    rows = [
        [bound.joint, upper_bound(bound.position, _DIGITS), bound.unit, upper_bound(bound.speed, _DIGITS)]
        for bound in found.joints
    ]
    listed = _table(["joint", "position error at most", "unit", "speed error at most [1/s]"], rows)
    return _heading("bound on the tracking error") + listed + f"<p>{html.escape(found.conditions)}</p>"


def _estimate(estimate: Estimate) -> str:
    head = f"{estimate.model.robot.name}: relative error {estimate.relative_error:.2%} (fitted)"
    rows = [
        [parameter.name, number(value, _DIGITS), number(deviation, _DIGITS)]
        for parameter, value, deviation in zip(
            estimate.parameters, estimate.x.tolist(), estimate.std.tolist(), strict=True
        )
    ]
    errors = _table(["joint", "rms residual [N m]"], [[k, number(v, _DIGITS)] for k, v in estimate.rmse.items()])
    return _heading(head) + errors + _table(["parameter", "value", "standard deviation"], rows)


def _simulation(result: SimulationResult) -> str:
    rows = [
        [name, number(result.rmse[name], _DIGITS), number(result.max_error[name], _DIGITS)] for name in result.joints
    ]
    return _heading(f"simulation to {result.t[-1]:g} s") + _table(["joint", "rms error", "largest error"], rows)


def _parameters(base: BaseParameters) -> str:
    values = [""] * len(base) if base.values is None else [number(value, _DIGITS) for value in base.values.tolist()]
    rows = [list(row) for row in zip(base.names, values, strict=True)]
    return _heading(f"{len(base)} base parameters") + _table(["parameter", "value"], rows)


def _closed_form(form: ClosedForm) -> str:
    rows = [[f"M[{i},{j}]", str(form.M[i, j])] for i in range(form.n) for j in range(i, form.n)]
    rows += [[f"g[{i}]", str(form.g[i])] for i in range(form.n)]
    return _heading(f"{form.robot.name}: closed form") + _table(["entry", "terms"], rows, text=2)


def _linear(found: LinearModel) -> str:
    return _heading(repr(found)) + "".join(
        f"<p>{name}</p>{_table([''] * len(rows[0]), [[number(v, _DIGITS) for v in row] for row in rows], text=0)}"
        for name, rows in (("A", found.A.tolist()), ("B", found.B.tolist()))
    )


DISPLAYS: Mapping[type, Callable[[Any], str]] = MappingProxyType(
    {
        Robot: _robot,
        Model: _model,
        Certificate: _certificate,
        TrackingGuarantee: _guarantee,
        Estimate: _estimate,
        SimulationResult: _simulation,
        BaseParameters: _parameters,
        ClosedForm: _closed_form,
        LinearModel: _linear,
    }
)
"""How each class is shown; a class with a row inherits `NotebookDisplay`."""


@functools.lru_cache(maxsize=16)
def skeleton_svg(robot: Robot) -> str:
    """The links as lines between joint origins and frames at the start configuration (1), as inline SVG."""
    poses = body_poses(robot, start_posture(robot))
    tips = [frame for frame in robot.frames if frame.body != BASE]
    places = [*poses, *(poses[frame.body] @ frame.pose for frame in tips)]
    parents = [*(body.parent for body in robot.bodies), *(frame.body for frame in tips)]
    flat = [(0.0, 0.0), *(_projected([float(x) for x in pose.origin]) for pose in places)]
    low = [min(values) for values in zip(*flat, strict=True)]
    high = [max(values) for values in zip(*flat, strict=True)]
    span = max(high[0] - low[0], high[1] - low[1], 1e-9)  # a robot without extent is a dot
    scale = (min(_WIDTH, _HEIGHT) - 2.0 * _MARGIN) / span
    middle = [(a + b) / 2.0 for a, b in zip(low, high, strict=True)]
    place = [(_WIDTH / 2 + scale * (x - middle[0]), _HEIGHT / 2 + scale * (y - middle[1])) for x, y in flat]
    links = "".join(
        f'<line x1="{place[parent + 1][0]:.1f}" y1="{place[parent + 1][1]:.1f}" '
        f'x2="{place[k + 1][0]:.1f}" y2="{place[k + 1][1]:.1f}"/>'
        for k, parent in enumerate(parents)
    )
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in place[: 1 + len(poses)])
    return (
        f'<svg width="{_WIDTH:g}" height="{_HEIGHT:g}" role="img" aria-label="{html.escape(robot.name)}" '
        f'stroke="currentColor" stroke-width="5" stroke-linecap="round" fill="currentColor">'
        f'<g opacity="0.55">{links}</g><g stroke="none">{dots}</g></svg>'
    )


def _projected(point: Sequence[float]) -> tuple[float, float]:
    """(1)."""
    x, y, z = point
    return y - _DEPTH * x * math.cos(_OBLIQUE), -z + _DEPTH * x * math.sin(_OBLIQUE)


def _limit(value: float) -> str:
    return number(value, _DIGITS) if math.isfinite(value) else ""


def _heading(text: str) -> str:
    return f"<p><b>{html.escape(text)}</b></p>"


def _beside(left: str, right: str) -> str:
    return f'<div style="display:flex;gap:1.5em;align-items:center;flex-wrap:wrap">{left}<div>{right}</div></div>'


def _table(head: Iterable[str], rows: Sequence[Sequence[str]], *, text: int = 1) -> str:
    """A table; the first `text` columns are words, the others numbers."""
    sides = ["left" if k < text else "right" for k in range(max((len(row) for row in rows), default=0))]
    titles = "".join(f"<th>{html.escape(title)}</th>" for title in head)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{side}">{html.escape(cell)}</td>' for side, cell in zip(sides, row, strict=True)
        )
        + "</tr>"
        for row in rows[:_MOST_ROWS]
    )
    more = f"<p>and {len(rows) - _MOST_ROWS} more</p>" if len(rows) > _MOST_ROWS else ""
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>{more}"
