"""Pictures of haptic experiments, laid out as Clover's Figures IV 5 to 21 (extra `plot`).

Masses and inertias: position, velocity, acceleration and force along the body's y (rotation: about its z), then the
sizes of acceleration and load, and their quotient. Wall: velocity, acceleration and penetration of the object and of
the arm's tip. The object is a line, what was measured are boxes, as there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torquec.foundation.arrays import Array
from torquec.haptics.felt_inertia import quotient_over_time
from torquec.haptics.haptic_experiment import EDGE, ExperimentResult
from torquec.report.figure import new_figure
from torquec.report.haptics import experiment_curves

_LINE = {"color": "#1f4e79", "linewidth": 0.9}
_BOXES = {
    "color": "#c0504d",
    "marker": "s",
    "markersize": 2.6,
    "markerfacecolor": "none",
    "linestyle": "none",
    "zorder": 3,
}
_BOX_COUNT = 130  # of a panel: more of them run together


def experiment_figure(result: ExperimentResult) -> Any:
    """The figure of an experiment; raises `MissingExtraError` without matplotlib."""
    return _wall_figure(result) if result.wall is not None else _felt_figure(result)


def _felt_figure(result: ExperimentResult) -> Any:
    plan, t, turns = result.plan, result.recording.t, result.plan.turns
    figure = new_figure(11.0, 9.0, layout="constrained")
    panels = figure.subplots(3, 2).ravel()
    found = experiment_curves(result)
    for panel, curve in zip(panels, found.curves[:4], strict=False):
        if curve.arm is None:
            panel.plot(t, curve.rendered, **_LINE)
        else:
            _pair(panel, t, curve.rendered, curve.arm)
        _named(panel, f"{curve.quantity} [{curve.unit}] {found.direction}")
    unit = "N m" if turns else "N"
    size, load = (np.linalg.norm(values, axis=1) for values in (result.acceleration, result.load))
    panels[4].plot(t, load, label=f"|{'moment' if turns else 'force'}| [{unit}]", **_LINE)
    other = panels[4].twinx()
    other.plot(t, size, color="#c0504d", linewidth=0.9)
    other.set_ylabel("|acceleration|", color="#c0504d", fontsize=8)
    other.tick_params(labelsize=7)
    other.set_ylim(bottom=0.0)
    panels[4].set_ylim(bottom=0.0)
    _named(panels[4], f"|{'moment' if turns else 'force'}| [{unit}], |acceleration| (red)")
    _quotient(panels[5], result)
    felt = result.felt
    assert felt is not None
    kind = "kg m²" if turns else "kg"
    figure.suptitle(
        f"{result.robot.name}, {result.experiment.value}: felt {felt.mean:.4g} ± {felt.deviation:.2g} {kind}"
        f" of {plan.nominal:g}",
        fontsize=11,
    )
    return figure


def _quotient(panel: Any, result: ExperimentResult) -> None:
    """|F|/|A| with the nominal value and the counted mean."""
    t, plan, felt = result.recording.t, result.plan, result.felt
    assert felt is not None
    assert plan.motion is not None
    panel.plot(t, quotient_over_time(result.load, result.acceleration), **_LINE)
    panel.axhline(plan.nominal, color="0.4", linestyle="--", linewidth=0.9)
    panel.axvspan(0.0, plan.motion.start, color="0.93", zorder=0)
    panel.set_ylim(0.0, 2.0 * plan.nominal)
    _named(panel, f"quotient [{'kg m²' if plan.turns else 'kg'}]; grey: not counted")


def _wall_figure(result: ExperimentResult) -> Any:
    wall = result.wall
    assert wall is not None
    figure = new_figure(11.0, 6.6, layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    found = experiment_curves(result)
    after = f"{found.time} [{found.unit}]"
    for panel, curve in zip(panels, found.curves, strict=False):
        assert curve.arm is not None
        _pair(panel, found.t, curve.rendered, curve.arm, every=1)
        cube = f" (cube of {100 * EDGE:g} cm)" if curve.unit == "mm" else ""
        _named(panel, f"{curve.quantity} [{curve.unit}] {found.direction}{cube}", after)
    for k, joint in enumerate(result.cycle.joints):
        limit = result.robot.joints[k].limits.effort * result.options.effort
        panels[3].plot(found.t, result.recording.tau[found.rows, k] / limit, linewidth=0.9, label=joint)
    panels[3].set_ylim(-1.1, 1.1)
    panels[3].legend(fontsize=7, ncols=3)
    _named(panels[3], "torque over its limit", after)
    figure.suptitle(
        f"{result.robot.name}, wall of 25 Hz at {wall.speed:.2g} m/s, poles {result.options.poles:g}, "
        f"{100 * result.options.effort:g} % of the effort limits: after 60 ms object {100 * wall.object_speed:.1f} %, "
        f"tip {100 * wall.tip_speed:.1f} %",
        fontsize=10,
    )
    return figure


def _pair(panel: Any, t: Array, wanted: Array, measured: Array, every: int | None = None) -> None:
    step = every or max(1, len(t) // _BOX_COUNT)
    panel.plot(t[::step], measured[::step], label="measured", **_BOXES)
    panel.plot(t, wanted, label="object", **_LINE)
    panel.legend(fontsize=7)


def _named(panel: Any, label: str, below: str = "time [s]") -> None:
    panel.set_title(label, fontsize=9)
    panel.set_xlabel(below, fontsize=8)
    panel.tick_params(labelsize=7)
    panel.grid(visible=True, linewidth=0.3)
