"""The curves of two models side by side, for the document of a report: torques, tracking errors, measured torques."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from torquec.foundation.arrays import Array
from torquec.report.sample_curves import kept_samples, rounded_samples
from torquec.simulation.comparison_of_models import ModelComparison


def comparison_curves(found: ModelComparison) -> dict[str, Any]:
    """By joint: `torque` along the motion, `error` of both loops where both run, `replayed` beside a log's."""
    sides = found.sides
    curves = {"torque": _by_joint(found, found.motion.t, {side: facts.torques for side, facts in sides.items()})}
    loops = {side: facts.loop for side, facts in sides.items() if facts.loop is not None}
    if len(loops) == len(sides):
        t = next(iter(loops.values())).t
        curves["error"] = _by_joint(found, t, {side: loop.error for side, loop in loops.items()})
    replayed = {side: facts.replayed for side, facts in sides.items() if facts.replayed is not None}
    if found.log is not None and replayed:
        loop, log = next(iter(replayed.values())), found.log
        t = loop.t[: len(loop.tau)]
        seen = [np.interp(t, log.t - log.t[0], log.tau[:, k]) for k in range(log.n)]
        torques = {"measured": np.column_stack(seen)} | {side: each.tau for side, each in replayed.items()}
        curves["replayed"] = _by_joint(found, t, torques)
    return curves


def _by_joint(found: ModelComparison, t: Array, columns: Mapping[str, Array]) -> dict[str, Any]:
    """Values (N, n) of every name at the times t (N,), thinned alike; the extremes of all names are kept."""
    curves = {}
    for k, joint in enumerate(found.joints):
        rows = sorted(set().union(*(kept_samples(values[:, k]) for values in columns.values())))
        samples = {name: rounded_samples(values[rows, k]) for name, values in columns.items()}
        curves[joint] = {"t": rounded_samples(t[rows]), **samples}
    return curves
