"""Open-loop trajectory following of a PUMA 260, by feedforward alone, after Izaguirre et al., section 7.2.

Joints 1, 2 and 3 move together through 90 degrees with minimum jerk, slowly (42 degrees/s at most) and fast (180),
under the torques that the model computes for the motion, without feedback. The robot's Coulomb friction differs from
the model's by 5 %, an assumption; the differences of the paper's robot are unknown. With on-line compensation, the
gravity torque is computed at the actual position of the arm. In the fast motion, the paper reports errors below a tenth
of the way. In the slow motion it reports large errors due to gravity, most of which on-line compensation removed.

Run it with `python examples/puma260_open_loop.py [PICTURE]`; the picture needs the extra `plot`.
"""

from __future__ import annotations

import dataclasses
import sys

import numpy as np

from torquec.report.tracking_plots import plot_errors
from torquec.robot import classics
from torquec.robot.friction import Friction
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import LoopOptions, OpenLoopResult, follow_in_open_loop
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import Plant
from torquec.trajectory import minimum_jerk

SPEEDS = (42.0, 180.0)
"""Largest speeds [degrees/s]: the paper's slow and fast motions."""
WAY = 90.0
START = (-45.0, -90.0, 45.0, 0.0, 0.0, 0.0)
COULOMB_ERROR = 0.05
PERIOD = 0.001
_PEAK = 1.875
"""Largest speed of a motion with minimum jerk, over its mean."""


def rubbing(robot: Robot, factor: float) -> Robot:
    """The robot with its Coulomb friction multiplied by a factor."""

    def scaled(f: Friction) -> Friction:
        return dataclasses.replace(
            f, coulomb_positive=factor * f.coulomb_positive, coulomb_negative=factor * f.coulomb_negative
        )

    bodies = tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=scaled(body.joint.friction)))
        for body in robot.bodies
    )
    return dataclasses.replace(robot, bodies=bodies)


def follow(speed: float, *, coulomb_error: float = COULOMB_ERROR) -> OpenLoopResult:
    """Both runs, without and with on-line gravity compensation, at a largest speed [degrees/s]."""
    arm = classics.puma260()
    start = np.radians(START)
    goal = start + np.radians([WAY, WAY, WAY, 0.0, 0.0, 0.0])
    motion = minimum_jerk(start, goal, _PEAK * WAY / speed, joints=arm.joint_names, period=PERIOD)
    plant = Plant(rubbing(arm, 1.0 + coulomb_error), friction="stick")
    return follow_in_open_loop(plant, arm, motion, options=LoopOptions(integrator=RungeKutta4(2)))


def shares(result: OpenLoopResult) -> tuple[list[float], list[float]]:
    """Largest errors of joints 1, 2, 3 in per cent of the way, without and with on-line gravity."""
    plain, online = (
        np.degrees(run.max_error_values[:3]) / WAY * 100.0 for run in (result.plain, result.with_online_gravity)
    )
    return plain.tolist(), online.tolist()


def main(picture: str | None = None) -> None:
    """Run all, print the errors, and draw those of the fast motion."""
    print("Largest errors [% of 90 degrees] of joints 1, 2, 3")
    for speed in SPEEDS:
        result = follow(speed)
        for name, errors in zip(("without", "with"), shares(result), strict=True):
            row = "  ".join(f"{error:6.1f}" for error in errors)
            print(f"{speed:5.0f} degrees/s, {name:>7} on-line gravity compensation: {row}")
    if picture is not None:
        runs = {"computed in advance": result.plain, "gravity on-line": result.with_online_gravity}
        print(plot_errors(runs, picture, title=f"Open loop at {SPEEDS[-1]:g} degrees/s"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
