"""Hold error of two-rate control: proven bounds of a planar arm's torque error against the age of the coefficients.

    python examples/two_rates.py [PICTURE]

bounds the zeroth- and the first-order error for every motion of a box (3 rad/s, 15 rad/s^2, 150 rad/s^3), and draws
both bounds.
"""

from __future__ import annotations

import sys

import numpy as np

import torquec as tq
from torquec.report.figure import new_figure, save_figure
from torquec.trajectory.motion_box import MotionBox, joint_box

AGES = np.geomspace(1e-4, 3e-2, 40)
SPEED, ACCELERATION, JERK = 3.0, 15.0, 150.0
COLOURS = ("#0b5cad", "#e08a1e")


def main(picture: str | None = None) -> None:
    """Bound, print, and draw."""
    robot = tq.classics.planar2r()
    positions = joint_box(robot)
    box = MotionBox(positions.lower, positions.upper, (SPEED,) * robot.n, (ACCELERATION,) * robot.n)
    bound = tq.hold_bound(robot, box, jerk=(JERK,) * robot.n)
    found = {order: np.array([bound.at(float(age), order) for age in AGES]) for order in tq.HoldOrder}
    for order, errors in found.items():
        at = np.array([bound.at(age, order) for age in (0.001, 0.01)])
        print(
            f"{order.value} order: at 1 ms {at[0].round(4)}, at 10 ms {at[1].round(4)} N m; slope {slope(errors):.2f}"
        )
    if picture is not None:
        draw(found, robot.joint_names, picture)


def slope(errors: np.ndarray) -> float:
    """The power of the age with which the first joint's bound grows, at the young end."""
    return float(np.polyfit(np.log(AGES[:10]), np.log(errors[:10, 0]), 1)[0])


def draw(found: dict[tq.HoldOrder, np.ndarray], joints: tuple[str, ...], path: str) -> None:
    """Both orders of both joints, on logarithmic axes."""
    figure = new_figure(7.0, 3.6, layout="constrained")
    axes = figure.subplots()
    for colour, (order, errors) in zip(COLOURS, found.items(), strict=True):
        for k, name in enumerate(joints):
            axes.loglog(
                1e3 * AGES,
                errors[:, k],
                color=colour,
                lw=2,
                ls=("-", "--")[k % 2],
                label=f"{order.value} order, {name}",
            )
    axes.set(xlabel="age of the coefficients [ms]", ylabel="torque error, at most [N m]")
    axes.grid(visible=True, which="major", color="#e4e6ea")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    print(save_figure(figure, path, dpi=150))


if __name__ == "__main__":
    main(*sys.argv[1:2])
