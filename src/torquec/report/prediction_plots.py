"""Measured and predicted torque of every joint, as a picture (extra `plot`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.result.prediction import Prediction
from torquec.report.figure import new_figure, save_figure

_MOST = 4000
"""Samples of a curve; more would only thicken its line."""


def plot_prediction(prediction: Prediction, path: str | os.PathLike[str]) -> Path:
    """Draw one panel per joint, whole or not at all; the suffix of `path` chooses the format.

    Raises `MissingExtraError` without matplotlib and `ArgumentError` for a place that cannot be drawn to.
    """
    return save_figure(_figure(prediction), path)


def _figure(prediction: Prediction) -> Any:
    joints = prediction.joints
    figure = new_figure(9.0, 1.7 * len(joints) + 0.9, layout="constrained")
    panels = figure.subplots(len(joints), 1, sharex=True, squeeze=False)[:, 0]
    some = slice(None, None, max(1, len(prediction.t) // _MOST))
    t, measured, predicted = (a[some] for a in (prediction.t, prediction.measured, prediction.predicted))
    unused = ~prediction.used[some]
    drawn = [_broken(t, values) for values in (measured, predicted, measured - predicted)]
    for j, (joint, panel) in enumerate(zip(joints, panels, strict=True)):
        panel.plot(t, drawn[0][:, j], color="0.65", linewidth=2.4, label="measured")
        panel.plot(t, drawn[1][:, j], color="C0", linewidth=1.0, label="predicted")
        panel.plot(t, drawn[2][:, j], color="C3", linewidth=0.8, label="difference")
        low, high = _range(measured[~unused, j], predicted[~unused, j])
        panel.fill_between(t, low, high, where=unused, color="0.93", linewidth=0.0, zorder=0)
        panel.set_ylim(low, high)
        panel.axhline(0.0, color="0.85", linewidth=0.7, zorder=0)
        panel.set_ylabel("torque [Nm]", fontsize=8)
        panel.set_title(f"{joint}: rms {prediction.rmse[j]:.3g} Nm", fontsize=9, loc="left")
        panel.tick_params(labelsize=8)
        panel.margins(x=0.01)
    kind = "fitted" if prediction.fitted else "not fitted, only predicted"
    figure.suptitle(f"{_short(prediction.source)} ({kind}): error {prediction.relative_error:.2%}", fontsize=11)
    handles, labels = panels[0].get_legend_handles_labels()
    if np.any(unused):
        from matplotlib.patches import Patch

        handles, labels = [*handles, Patch(color="0.93")], [*labels, "not used"]
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=8, frameon=False)
    panels[-1].set_xlabel("time [s]", fontsize=8)
    return figure


def _broken(t: Array, values: Array) -> Array:
    """Values (N, n) without the last before each gap in t (N,), so that no line crosses it."""
    steps = np.diff(t)
    shown = values.copy()
    shown[:-1][steps > 1.5 * np.median(steps)] = np.nan
    return shown


def _range(measured: Array, predicted: Array) -> tuple[float, float]:
    """Limits of a panel: what counts fills it, ends of the filter may leave it."""
    shown = np.concatenate([measured, predicted, measured - predicted, [0.0]])
    low, high = float(shown.min()), float(shown.max())
    margin = 0.08 * (high - low) or 1.0
    return low - margin, high + margin


def _short(source: str) -> str:
    return Path(source).name if source else "log"
