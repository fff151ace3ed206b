"""Inverse kinematics of a PUMA 560: the eight configurations for one pose of its hand.

    python examples/inverse_kinematics.py [PICTURE]

prints the branches by name with their joint positions, and draws them.
"""

from __future__ import annotations

import sys

import numpy as np

import torquec as tq
from torquec.report.figure import new_figure, save_figure

POSTURE = (0.35, -0.2, 0.3, 0.6, -0.9, 0.2)
TOOL = 0.12
"""How long the drawn tool is, along the hand's z axis [m]."""
BLUE, ORANGE, GREY = "#0b5cad", "#e08a1e", "#8a8f98"


def main(picture: str | None = None) -> None:
    """Solve, print, and draw."""
    robot = tq.classics.puma560()
    arm = tq.compile(robot)
    ik = tq.inverse_kinematics(robot, "link6")
    rotation, origin = arm.frame_pose("link6")(np.array(POSTURE))
    ways = ik(rotation, origin)
    for name, q, status in zip(ik.names, ways.q, ways.status, strict=True):
        degrees = np.array2string(np.degrees(q), precision=1, suppress_small=True)
        print(f"{name:42} {degrees} {tq.BranchStatus(int(status))!r}")
    if picture is not None:
        draw(arm, ik.names, ways.q, picture)


def chain(arm: tq.Model, q: np.ndarray) -> np.ndarray:
    """Points from the column to the tool's tip (k, 3)."""
    places = [np.array([0.0, 0.0, -0.3]), np.zeros(3)]
    for link in ("link2", "link3", "link4", "link6"):
        rotation, origin = arm.frame_pose(link)(q)
        if link == "link3":  # the shoulder's offset lies along its axis
            shoulder_rotation, shoulder = arm.frame_pose("link2")(q)
            side = shoulder_rotation[:, 2] @ (origin - shoulder)
            places.append(shoulder + side * shoulder_rotation[:, 2])
        places.append(origin)
    return np.array([*places, places[-1] + TOOL * rotation[:, 2]])


def draw(arm: tq.Model, names: tuple[str, ...], postures: np.ndarray, path: str) -> None:
    """Two rows of four small pictures."""
    figure = new_figure(9.0, 5.2, layout="constrained")
    for k, (name, q) in enumerate(zip(names, postures, strict=True)):
        axes = figure.add_subplot(2, 4, k + 1, projection="3d")
        for j, other in enumerate(postures):
            if j != k:
                axes.plot(*chain(arm, other).T, color=GREY, lw=0.8, alpha=0.25)
        points = chain(arm, q)
        axes.plot(*points.T, color=BLUE, lw=3.2, solid_capstyle="round")
        axes.scatter(*points[1:-1].T, color="white", edgecolors=BLUE, s=16, depthshade=False, zorder=9)
        axes.plot(*points[-2:].T, color=ORANGE, lw=4)
        axes.set(xlim=(-0.4, 0.6), ylim=(-0.5, 0.5), zlim=(-0.3, 0.7))
        axes.set_box_aspect((1.0, 1.0, 1.0), zoom=1.35)
        axes.view_init(elev=18, azim=-62)
        axes.set_axis_off()
        axes.set_title(name.replace(", ", "\n", 1), fontsize=9, y=1.02)
    print(save_figure(figure, path, dpi=150))


if __name__ == "__main__":
    main(*sys.argv[1:2])
