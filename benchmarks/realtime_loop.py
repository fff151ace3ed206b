"""Real-time loop on the Panda: jitter and missed cycles at 1 kHz and 10 kHz, computing time of law and guards.

    python benchmarks/realtime_loop.py panda.urdf [--seconds S]

Prints a line for every run. A machine without a real-time kernel shows its own timing, not the best possible one.
"""

from __future__ import annotations

import argparse
import dataclasses

import torquec as tq

POSE, GOAL = [0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.4], [0.3, 0.0, 0.2, -1.6, 0.3, 1.9, 0.0]


def main() -> None:
    """Run and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("robot")
    words.add_argument("--seconds", type=float, default=5.0)
    asked = words.parse_args()
    whole = tq.load(asked.robot)
    robot = dataclasses.replace(whole, bodies=whole.bodies[:7], frames=())
    for clock, rate in (("virtual", 1000.0), ("real", 1000.0), ("real", 10000.0)):
        law = tq.computed_torque(robot, -12 + 45j, period=1.0 / rate)
        motion = tq.minimum_jerk(POSE, GOAL, asked.seconds, joints=robot.joint_names, period=1.0 / rate)
        for background in (None, 0.005):
            options = tq.RunOptions(background=background, keep_log=False)
            result = tq.realtime.run(robot, law, motion, robot=tq.SimulatedRobot(clock=clock), options=options)
            found = result.to_document()
            times = {name: f"{1e6 * found['compute'][name]:.2f}" for name in ("p50", "p99", "p99.9", "max")}
            late = {name: f"{1e6 * found['latency'][name]:.0f}" for name in ("p50", "p99", "p99.9", "max")}
            print(
                f"{clock} clock, {rate:.0f} Hz, {'one rate' if background is None else 'two rates'}: {found['end']} "
                f"{found['first_faults'] or ''} {found['cycles']} cycles at {found['rate']:.1f} Hz, "
                f"{found['missed']} missed, {found['page_faults']} page faults; compute [us] {times}; late [us] {late}"
            )
            for note in result.notes:
                print(f"  {note}")


if __name__ == "__main__":
    main()
