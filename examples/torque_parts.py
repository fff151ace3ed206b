"""Parts of the joint torques of a PUMA 560 along a fast motion: gravity, inertia, velocity torques and friction.

    python examples/torque_parts.py [PICTURE]

computes each part natively, in one call for all samples, and draws the parts for the first three joints.
"""

from __future__ import annotations

import sys

import numpy as np

import torquec as tq
from torquec.report.figure import new_figure, save_figure

START, GOAL = (0.0, -0.9, 2.2, 0.0, 0.4, 0.0), (1.3, -0.1, 1.1, 0.6, 0.9, 0.8)
DURATION = 0.9
COLOURS = {"gravity": "#8a8f98", "inertia": "#0b5cad", "velocity": "#e08a1e", "friction": "#3c9a5f"}


def parts(arm: tq.Model, motion: tq.Trajectory) -> dict[str, np.ndarray]:
    """The parts of the torque (N, n) by name; together they are the total torque."""
    q, qd, qdd = motion.q, motion.qd, motion.qdd
    gravity, velocity = arm.gravity_torque(q), arm.velocity_torque(q, qd)
    inertia = np.einsum("kij,kj->ki", arm.mass_matrix(q), qdd)
    return {"gravity": gravity, "inertia": inertia, "velocity": velocity, "friction": arm.friction_torque(qd)}


def main(picture: str | None = None) -> None:
    """Compute, compare with the total, print, and draw."""
    robot = tq.classics.puma560()
    arm = tq.compile(robot)
    motion = tq.minimum_jerk(START, GOAL, DURATION, joints=robot.joint_names, period=0.002)
    found = parts(arm, motion)
    total = arm.total_torque(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(sum(found.values()), total, atol=1e-9)
    print("largest torques [N m]   " + "  ".join(f"{name:>8}" for name in robot.joint_names))
    for name, torque in {**found, "total": total}.items():
        print(f"{name:23} " + "  ".join(f"{value:8.2f}" for value in np.abs(torque).max(axis=0)))
    if picture is not None:
        draw(motion.t, found, total, robot.joint_names, picture)


def draw(t: np.ndarray, found: dict[str, np.ndarray], total: np.ndarray, joints: tuple[str, ...], path: str) -> None:
    """One panel for each of the first three joints."""
    figure = new_figure(10.0, 3.2, layout="constrained")
    for k, axes in enumerate(figure.subplots(1, 3)):
        for name, torque in found.items():
            axes.plot(t, torque[:, k], color=COLOURS[name], lw=1.8, label=name)
        axes.plot(t, total[:, k], color="black", lw=1.2, ls="--", label="total")
        axes.axhline(0.0, color="#cccccc", lw=0.8, zorder=0)
        axes.set_title(joints[k], loc="left", fontsize=10)
        axes.set_xlabel("time [s]")
        axes.spines[["top", "right"]].set_visible(False)
        if k == 0:
            axes.set_ylabel("torque [N m]")
            axes.legend(frameon=False, fontsize=8)
    print(save_figure(figure, path, dpi=150))


if __name__ == "__main__":
    main(*sys.argv[1:2])
