"""Downsampled curves of result documents: few samples, with all extremes.

A curve of a hundred thousand samples is drawn on a few hundred columns of a screen. Each column keeps its smallest and
its largest value, so that a spike of one sample is seen as well.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from torquec.foundation.arrays import Array, Mask
from torquec.identification.result.prediction import Prediction
from torquec.report.blocks import Series, Style
from torquec.report.provenance import Provenance
from torquec.simulation.monte_carlo import ErrorEnvelope
from torquec.simulation.simulation_result import SimulationResult

_COLUMNS = 240  # columns of a drawing, two samples each: more than its pixels on most screens
_DIGITS = 6  # significant digits of a sample: a screen shows three


def kept_samples(values: Array, columns: int = _COLUMNS) -> list[int]:
    """Increasing indices of the kept samples: both ends, and the extremes of every column.

    >>> spike = np.zeros(1000)
    >>> spike[501] = 7.0
    >>> found = kept_samples(spike, 10)
    >>> 501 in found, found[0], found[-1], len(found) <= 22
    (True, 0, 999, True)
    """
    count = len(values)
    if count <= 2 * columns:
        return list(range(count))
    found = {0, count - 1}
    edges = np.linspace(0, count, columns + 1).astype(int)
    for low, high in itertools.pairwise(edges):
        part = values[low:high]
        if np.isfinite(part).any():
            found |= {int(low + np.nanargmin(part)), int(low + np.nanargmax(part))}
    return sorted(found)


def prediction_curves(prediction: Prediction, units: Mapping[str, str]) -> dict[str, Any]:
    """Measured and predicted torques of a log, where samples count; `units` of torque by joint."""
    used = prediction.used
    t, measured, predicted = (part[used] for part in (prediction.t, prediction.measured, prediction.predicted))
    joints = {}
    for j, joint in enumerate(prediction.joints):
        rows = kept_samples(measured[:, j] - predicted[:, j])
        joints[joint] = {
            "unit": units[joint],
            "t": rounded_samples(t[rows]),
            "measured": rounded_samples(measured[rows, j]),
            "predicted": rounded_samples(predicted[rows, j]),
        }
    return {"file": prediction.source, "fitted": prediction.fitted, "joints": joints}


def run_curves(result: SimulationResult) -> dict[str, Any]:
    """Tracking errors and torques of a run."""
    joints = {}
    for j, joint in enumerate(result.joints):
        rows, moments = kept_samples(result.error[:, j]), kept_samples(result.tau[:, j])
        joints[joint] = {
            "t": rounded_samples(result.t[rows]),
            "error": rounded_samples(result.error[rows, j]),
            "torque_t": rounded_samples(result.t[moments]),
            "torque": rounded_samples(result.tau[moments, j]),
            "limit": result.efforts[j] if math.isfinite(result.efforts[j]) else None,
        }
    return {"joints": joints}


def envelope_curves(joints: Sequence[str], envelope: ErrorEnvelope) -> dict[str, Any]:
    """The band that holds the tracking errors of many runs, and their average."""
    found = {}
    for j, joint in enumerate(joints):
        rows = kept_samples(envelope.highest[:, j] - envelope.lowest[:, j])
        columns = {"error": envelope.average, "low": envelope.lowest, "high": envelope.highest}
        found[joint] = {"t": rounded_samples(envelope.t[rows])}
        found[joint] |= {name: rounded_samples(values[rows, j]) for name, values in columns.items()}
    return {"joints": found}


def joint_curves(joints: Sequence[str], t: Array, columns: Mapping[str, Array]) -> dict[str, Any]:
    """Downsampled values (N, n) of every name at common times t (N,); the extremes of all names are kept."""
    curves = {}
    for k, joint in enumerate(joints):
        rows = sorted(set().union(*(kept_samples(values[:, k]) for values in columns.values())))
        samples = {name: rounded_samples(values[rows, k]) for name, values in columns.items()}
        curves[joint] = {"t": rounded_samples(t[rows]), **samples}
    return curves


def rounded_samples(values: Array) -> list[float]:
    """Samples (N,) as a document keeps them: with as many digits as a drawing can show."""
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


def sampled_series(
    name: str, t: Array, values: Array, by: Provenance, *, scale: float = 1.0, style: Style = Style.LINE
) -> Series:
    """The downsampled curve through samples (N,), with values times `scale`."""
    rows = kept_samples(values)
    return Series(name, tuple(t[rows].tolist()), tuple((scale * values[rows]).tolist()), by, style)


def span_series(name: str, t: Array, marked: Mask, ends: tuple[float, float], by: Provenance) -> Series:
    """Bands from one of the `ends` to the other over the times t (N,) that are `marked` (N,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marked.astype(int), [0]])))
    x = [value for a, b in edges.reshape(-1, 2) for value in (float(t[a]), float(t[b - 1]), math.nan)]
    gaps = [math.isnan(value) for value in x]
    low, high = (tuple(math.nan if gap else float(end) for gap in gaps) for end in ends)
    return Series(name, tuple(x), high, by, Style.BAND, low=low)
