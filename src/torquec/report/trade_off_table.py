"""The trade-off curve as rows and as CSV: proven error against operations."""

from __future__ import annotations

from typing import Any

from torquec.model.trade_off import TradeOff


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
