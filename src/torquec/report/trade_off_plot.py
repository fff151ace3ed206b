"""The trade-off curve as a picture: proven error against operations (extra `plot`); and as a table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from torquec.model.trade_off import TradeOff, TradeOffPoint
from torquec.report.figure import new_figure, save_figure

_CHOSEN = "#c0392b"
_LINE = "#2c6fbb"


def plot_trade_off(
    curve: TradeOff, path: str | os.PathLike[str], *, chosen: float = 1.0, found: dict[str, float] | None = None
) -> Path:
    """Operations against the proven error, the chosen level marked; beside it what that level proves joint by joint.

    `found` are the largest errors found by joint at the chosen level. The suffix of `path` chooses the format. Raises
    `MissingExtraError` without matplotlib, `ArgumentError` for a path that cannot be drawn to.
    """
    mark = next((point for point in curve.points if point.factor == chosen), None)
    bars = mark is not None and bool(curve.tolerances)
    figure = new_figure(9.6 if bars else 6.4, 4.2)
    axes = figure.subplots(1, 2 if bars else 1, width_ratios=[1.9, 1.0] if bars else None, squeeze=False)[0]
    _draw_curve(axes[0], curve, mark)
    if bars and mark is not None:
        _draw_joints(axes[1], curve, mark, found or {})
    figure.suptitle(f"{curve.robot}: what a proven torque error costs", fontsize=11)
    figure.tight_layout()
    return save_figure(figure, path, dpi=130)


def trade_off_rows(curve: TradeOff) -> list[dict[str, Any]]:
    """The points as plain values: factor, mul, add, level, and the bound of every joint."""
    return [
        {
            "factor": point.factor,
            "mul": point.operations.mul,
            "add": point.operations.add,
            "level": point.level,
            "bounds": dict(point.bounds),
        }
        for point in curve.points
    ]


def trade_off_csv(curve: TradeOff) -> str:
    """The points as CSV, a column for the bound of every joint [N m, N]."""
    joints = list(curve.points[0].bounds)
    lines = [",".join(["factor", "mul", "add", "level", *(f"bound_{name}" for name in joints)])]
    for point in curve.points:
        numbers = [point.factor, point.operations.mul, point.operations.add, point.level]
        bounds = [point.bounds.get(name) for name in joints]
        lines.append(",".join([*map(repr, numbers), *("" if b is None else repr(b) for b in bounds)]))
    return "\n".join(lines) + "\n"


def _draw_curve(axis: Any, curve: TradeOff, mark: TradeOffPoint | None) -> None:
    hull = curve.hull
    steps = [(point.level, point.cost) for point in hull]
    right = max(1.0, *(point.level for point in curve.points)) * 1.12
    x = [level for level, _ in steps] + [right]
    y = [cost for _, cost in steps] + [steps[-1][1]]
    axis.step(x, y, where="post", color=_LINE, linewidth=1.4, zorder=2)
    for point in curve.points:
        if point is mark:
            continue
        inside = point in hull
        axis.plot(
            point.level, point.cost, "o", color=_LINE, markersize=6, zorder=3, fillstyle="full" if inside else "none"
        )
    if mark is not None:
        axis.plot(mark.level, mark.cost, "D", color=_CHOSEN, markersize=8, zorder=4, label="chosen")
        axis.axvline(1.0, color=_CHOSEN, linestyle="--", linewidth=0.9, zorder=1, label="specification")
        axis.legend(loc="upper right", fontsize=8, frameon=False)
    for point in curve.points:
        text = f"{point.operations.mul}/{point.operations.add}"
        label = f"exact {text}" if point.factor == 0.0 else text
        axis.annotate(
            label, (point.level, point.cost), textcoords="offset points", xytext=(6, 6), fontsize=8, color="0.25"
        )
    axis.set_xlim(-0.03 * right, right)
    axis.set_ylim(0.0, 1.15 * max(point.cost for point in curve.points))
    axis.set_xlabel("proven error, as a part of what the specification allows", fontsize=9)
    axis.set_ylabel("multiplications + additions (labels: mul/add)", fontsize=9)
    axis.tick_params(labelsize=8)
    axis.grid(color="0.92", zorder=0)


def _draw_joints(axis: Any, curve: TradeOff, mark: TradeOffPoint, found: dict[str, float]) -> None:
    """Proven and found error of each joint, as parts of its tolerance."""
    joints = [name for name in mark.bounds if curve.tolerances.get(name, 0.0) > 0.0]
    places = range(len(joints))
    proven = [mark.bounds[name] / curve.tolerances[name] for name in joints]
    axis.barh(places, proven, height=0.62, color="#e6b0aa", label="proven")
    if found:
        largest = [found.get(name, 0.0) / curve.tolerances[name] for name in joints]
        axis.barh(places, largest, height=0.3, color=_CHOSEN, label="largest found")
    axis.axvline(1.0, color=_CHOSEN, linestyle="--", linewidth=0.9)
    axis.set_yticks(list(places), joints, fontsize=8)
    axis.invert_yaxis()
    axis.set_xlim(0.0, 1.12)
    axis.set_xlabel("chosen model, part of each joint's error", fontsize=9)
    axis.tick_params(axis="x", labelsize=8)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, 1.1), ncols=2, fontsize=8, frameon=False)
