"""Tracking guarantee of a simplified Scara: the bound on the tracking error beside simulated errors.

    python examples/tracking_guarantee.py [PICTURE]

simplifies a Scara, computes the guarantee for computed torque at 500 Hz, and simulates the exact arm without friction
under this law.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import torquec as tq
from torquec.report.figure import new_figure, save_figure

SPECIFICATION = """
[every_joint]
acceleration = 30.0
torque_error_part = 0.003

[[joint]]
name = "shoulder"
velocity = 3.0

[[joint]]
name = "elbow"
velocity = 3.0

[[joint]]
name = "quill"
velocity = 0.5

[[joint]]
name = "roll"
velocity = 3.0
"""
POLES, PERIOD = -20.0, 0.002
BLUE, ORANGE = "#0b5cad", "#e08a1e"


def main(picture: str | None = None) -> None:
    """Simplify, bound, simulate, and draw."""
    robot = tq.classics.scara()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "specification.toml"
        path.write_text(SPECIFICATION, encoding="utf-8")
        small = tq.simplify(robot, path)
    motion = tq.minimum_jerk(
        [-0.8, -0.6, -0.03, -0.2], [0.8, 1.0, -0.2, 0.2], 1.2, joints=robot.joint_names, period=PERIOD
    )
    given = tq.tracking_guarantee(small, POLES, motion, period=PERIOD)
    if not given.valid:
        print(given.reason)
        return
    law = tq.computed_torque(small, POLES, period=PERIOD, evaluation="measured", friction="nothing")
    result = tq.simulate(tq.Plant(robot, friction="none"), law, motion)
    for bound, error in zip(given.joints, np.abs(result.error).max(axis=0), strict=True):
        print(f"{bound.joint:9} guaranteed {1e3 * bound.position:6.3f}, simulated {1e3 * error:6.3f} (mrad, mm)")
    if picture is not None:
        draw(result, given, picture)


def draw(result: tq.SimulationResult, given: tq.TrackingGuarantee, path: str) -> None:
    """The error of each joint between its bounds."""
    figure = new_figure(11.0, 2.9, layout="constrained")
    for k, (axes, bound) in enumerate(zip(figure.subplots(1, 4), given.joints, strict=True)):
        size = 1e3 * bound.position
        axes.axhspan(-size, size, color=ORANGE, alpha=0.16, lw=0, label="no motion leaves this")
        axes.plot(result.t, 1e3 * result.error[:, k], color=BLUE, lw=1.8, label="simulated")
        axes.set(xlabel="time [s]", ylabel=f"tracking error [m{bound.unit}]", ylim=(-1.35 * size, 1.35 * size))
        axes.set_title(bound.joint, loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        if k == 0:
            axes.legend(frameon=False, fontsize=7.5, loc="upper right")
    print(save_figure(figure, path, dpi=150))


if __name__ == "__main__":
    main(*sys.argv[1:2])
