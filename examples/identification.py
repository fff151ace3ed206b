"""Identification of a robot whose file is wrong, from a noisy simulated log.

    python examples/identification.py [PICTURE]

The file's masses and first moments are wrong by a fifth, and it has no friction. The model is identified from one
simulated run of the real arm. The file and the identified model then predict a second run, which was not fitted.
"""

from __future__ import annotations

import dataclasses
import sys

import numpy as np

import torquec as tq
from torquec.identification.excitation.excitation import simulated_log
from torquec.identification.logs.prepare import prepare
from torquec.report.figure import new_figure, save_figure
from torquec.robot.friction import Friction
from torquec.robot.robot import Body, Robot
from torquec.spatial import Inertia

NOISE, CUTOFF = 0.02, 10.0
GREY, BLUE, ORANGE = "#8a8f98", "#0b5cad", "#e08a1e"


def mistaken(robot: Robot) -> Robot:
    """The robot as its file might have it: a fifth too light, and without friction."""

    def wrong(body: Body) -> Body:
        joint = dataclasses.replace(body.joint, friction=Friction())
        lighter = Inertia(*(0.8 * value for value in dataclasses.astuple(body.inertia)))
        return dataclasses.replace(body, joint=joint, inertia=lighter)

    return dataclasses.replace(robot, bodies=tuple(wrong(body) for body in robot.bodies))


def main(picture: str | None = None) -> None:
    """Record, identify, predict, print, and draw."""
    real = tq.classics.scara()
    file = mistaken(real)
    fitted, unseen = (simulated_log(real, noise=NOISE, seed=seed) for seed in (0, 1))
    estimate = tq.identify(file, fitted, options=tq.IdentifyOptions(cutoff=CUTOFF))
    print(f"verdict: {estimate.verdict.trust}; error of the fit {100 * estimate.relative_error:.2f} %")

    samples = prepare(unseen, cutoff=CUTOFF)
    motion = samples.q, samples.qd, samples.qdd
    predicted = {
        "file": tq.compile(file).total_torque(*motion),
        "identified": tq.compile(estimate.robot).total_torque(*motion),
    }
    for name, torque in predicted.items():
        error = np.linalg.norm((torque - samples.tau)[samples.used]) / np.linalg.norm(samples.tau[samples.used])
        print(f"{name:10} predicts the other run with an error of {100 * error:.1f} %")
    if picture is not None:
        draw(samples.t, samples.tau, predicted, real.joint_names, picture)


def draw(
    t: np.ndarray, measured: np.ndarray, predicted: dict[str, np.ndarray], joints: tuple[str, ...], path: str
) -> None:
    """Measured and predicted torques of every joint."""
    figure = new_figure(11.0, 2.9, layout="constrained")
    for k, axes in enumerate(figure.subplots(1, 4)):
        axes.plot(t, measured[:, k], color=GREY, lw=3.0, alpha=0.6, label="measured")
        axes.plot(t, predicted["file"][:, k], color=ORANGE, lw=1.3, label="the file")
        axes.plot(t, predicted["identified"][:, k], color=BLUE, lw=1.3, label="identified from another run")
        axes.set_title(joints[k], loc="left", fontsize=10)
        axes.set_xlabel("time [s]")
        axes.spines[["top", "right"]].set_visible(False)
        if k == 0:
            axes.set_ylabel("torque [N m]")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    print(save_figure(figure, path, dpi=150))


if __name__ == "__main__":
    main(*sys.argv[1:2])
