"""The error of holding coefficients against the background period, as a picture (extra `plot`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from torquec.foundation.arrays import Array
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.plan import HoldPlan
from torquec.report.figure import new_figure, save_figure

_ZEROTH, _FIRST, _ALLOWED = "#c0392b", "#2c6fbb", "#555555"


def plot_hold_error(
    plan: HoldPlan, path: str | os.PathLike[str], *, robot: str, found: Mapping[str, Array] | None = None
) -> Path:
    """A panel for every joint: bounds of both orders as lines, largest errors found as dots, what is allowed dashed.

    Raises `MissingExtraError` without matplotlib, `ArgumentError` for a path that cannot be drawn to.
    """
    curve, n = plan.curve(), len(plan.joints)
    columns = min(n, 4)
    figure = new_figure(3.1 * columns, 2.6 * -(-n // columns) + 0.6)
    panels = figure.subplots(-(-n // columns), columns, sharex=True, squeeze=False).ravel()
    for i, (axes, name) in enumerate(zip(panels, plan.joints, strict=False)):
        for order, colour in ((HoldOrder.ZEROTH, _ZEROTH), (HoldOrder.FIRST, _FIRST)):
            label = f"{order.value} order" if i == 0 else None
            axes.loglog(1e3 * curve["period"], curve[order.value][:, i], color=colour, lw=1.4, label=label)
            if found is not None:
                axes.loglog(1e3 * found["period"], found[order.value][:, i], "o", color=colour, ms=3.5)
        if plan.allowed is not None:
            left = plan.allowed[i] - plan.proven[i]
            if left > 0.0:
                axes.axhline(left, color=_ALLOWED, ls="--", lw=1.0, label="allowed" if i == 0 else None)
        axes.axvline(1e3 * plan.period, color=_ALLOWED, ls=":", lw=1.0, label="planned" if i == 0 else None)
        axes.set_title(name, fontsize=9)
        axes.grid(alpha=0.25, which="major")
        axes.tick_params(labelsize=8)
    for axes in panels[n:]:
        axes.set_visible(False)
    for axes in panels[max(0, n - columns) : n]:
        axes.set_xlabel("background period [ms]", fontsize=8)
    for axes in panels[:n:columns]:
        axes.set_ylabel("torque error [N m, N]", fontsize=8)
    figure.suptitle(f"{robot}: what holding coefficients costs (lines: bounds, dots: found)", fontsize=10)
    figure.legend(loc="lower center", ncols=4, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0.0, 0.06, 1.0, 1.0))
    return save_figure(figure, path, dpi=130)
