"""Pictures of exciting motions: positions and speeds of every joint against their limits, and how they were found."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from torquec.identification.excitation.excitation import Excitation
from torquec.identification.excitation.excitation_options import Criterion
from torquec.report.figure import new_figure, save_figure
from torquec.robot.robot import Robot

_LIMIT = {"color": "C3", "linestyle": "--", "linewidth": 0.9}

_DECADE = math.log(10.0)
"""Within less, a logarithmic axis needs more than its powers of ten."""


def plot_excitation(
    robot: Robot,
    excitation: Excitation,
    path: str | os.PathLike[str],
    *,
    criterion: Criterion = Criterion.CONDITION,
) -> Path:
    """Draw a motion; gives the file, which is whole or not there.

    Raises `MissingExtraError` without matplotlib, `ArgumentError` where the file cannot be written.
    """
    motion, n = excitation.trajectory, robot.n
    figure = new_figure(10.0, 1.6 * n + 2.6, layout="constrained")
    grid = figure.add_gridspec(n + 1, 2, height_ratios=[1.0] * n + [1.5])
    top: Any = None
    for j, joint in enumerate(robot.coordinates):
        unit = joint.position_unit
        ends = (joint.limits.lower, joint.limits.upper) if joint.has_position_limits else (-math.inf, math.inf)
        speed = joint.limits.velocity
        columns = ((motion.q, ends, unit), (motion.qd, (-speed, speed), f"{unit}/s"))
        for side, (values, limits, what) in enumerate(columns):
            panel = figure.add_subplot(grid[j, side], sharex=top)
            top = top or panel
            panel.plot(motion.t, values[:, j], color="C0", linewidth=1.2)
            for limit in limits:
                if math.isfinite(limit):
                    panel.axhline(limit, **_LIMIT)
            panel.set_ylabel(f"[{what}]")
            panel.set_title(joint.name, loc="left", fontsize="medium")
            panel.tick_params(labelbottom=j == n - 1)
            panel.grid(alpha=0.3)
            if j == 0:
                panel.set_title(("position", "speed")[side] + ", limits dashed", loc="right", fontsize="medium")
            if j == n - 1:
                panel.set_xlabel("t [s]")
    _draw_history(figure.add_subplot(grid[n, :]), excitation, criterion)
    kept = "every limit kept at every instant" if excitation.limits_kept else "limits NOT kept"
    figure.suptitle(
        f"{robot.name}: condition {excitation.condition:.3g}, {excitation.unit_condition:.3g} with unit columns; {kept}"
    )
    return save_figure(figure, path, dpi=110)


def _draw_history(panel: Any, excitation: Excitation, criterion: Criterion) -> None:
    done, values = (np.array(column, dtype=np.float64) for column in zip(*excitation.history, strict=True))
    if criterion is Criterion.DETERMINANT:
        panel.step(done, values, where="post", color="C2")
        panel.set_ylabel("-log det / b")
    else:
        panel.step(done, np.exp(values), where="post", color="C2")
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_formatter("{x:g}" if values[0] - values[-1] < _DECADE else "")
        panel.set_ylabel(str(criterion))
    panel.set_xlabel("motions tried")
    panel.set_title("the best so far")
    panel.grid(alpha=0.3, which="both")
