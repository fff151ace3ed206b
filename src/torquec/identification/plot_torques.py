"""Measured and predicted torque of every joint, as a picture."""

from __future__ import annotations

import os
from pathlib import Path

from torquec.identification.estimate import Estimate
from torquec.identification.extras import need
from torquec.identification.prepare import prepare
from torquec.robot.file import to_path
from torquec.trajectory.log import Log


def plot_torques(estimate: Estimate, log: Log, path: str | os.PathLike[str]) -> Path:
    """Draw a log's low-passed torques and what the estimate predicts, one panel per joint; gives the file.

    Raises `MissingExtraError` without matplotlib.
    """
    figure_module = need("matplotlib.figure", "drawing torques", extra="plot")
    samples = prepare(log, cutoff=estimate.cutoff)
    predicted = estimate.model.regressor(samples) @ estimate.x
    joints = estimate.model.robot.joint_names
    figure = figure_module.Figure(figsize=(9.0, 1.8 * len(joints)), layout="constrained")
    panels = figure.subplots(len(joints), 1, sharex=True, squeeze=False)[:, 0]
    for j, (joint, panel) in enumerate(zip(joints, panels, strict=True)):
        panel.plot(samples.t, samples.tau[:, j], color="0.6", linewidth=2.0, label="measured")
        panel.plot(samples.t, predicted[:, j], color="C0", linewidth=1.0, label="predicted")
        panel.plot(samples.t, samples.tau[:, j] - predicted[:, j], color="C3", linewidth=0.8, label="difference")
        panel.set_ylabel(f"{joint} [Nm]")
    panels[0].legend(loc="upper right", ncols=3)
    panels[-1].set_xlabel("t [s]")
    target = to_path(path)
    figure.savefig(target, dpi=120)
    return target
