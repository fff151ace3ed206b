"""Inverse kinematics: all branches, the nearest one, and joint rates; calls from Python with one pose, and batches.

python -m benchmarks.inverse_kinematics [--rounds 30] [--poses 20000] [ROBOT FRAME ...]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import torquec as tq
from torquec.codegen.llvm import NativeFunction

DEFAULT = ("puma560", "link6", "stanford", "link6", "scara", "tool")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--poses", type=int, default=20_000)
    parser.add_argument("arms", nargs="*", default=DEFAULT, metavar="ROBOT FRAME")
    arguments = parser.parse_args()
    print(f"{'robot':10} {'what':26} {'least ns':>9} {'median':>8}")
    for robot, frame in zip(arguments.arms[::2], arguments.arms[1::2], strict=True):
        _measure(robot, frame, arguments.rounds, arguments.poses)


def _measure(name: str, frame: str, rounds: int, poses: int) -> None:
    robot = tq.classics.load_classic(name) if name in tq.classics.names() else tq.load(name)
    ik = tq.inverse_kinematics(robot, frame)
    q = np.random.default_rng(0).uniform(-1.5, 1.5, (poses, robot.n))
    rotation, position = tq.compile(robot).frame_pose(frame)(q)
    pose = [rotation, position, q]
    rates = [q, np.ones((poses, 6)), np.ones((poses, 6))]
    for what, native, inputs in (
        (f"all {len(ik.names)} branches", ik.native, pose),
        ("nearest branch", ik.nearest_native, pose),
        ("speeds, accelerations", ik.rates_native, rates),
    ):
        for kind, run in (("", _one_by_one(native, inputs)), (", batch", _batch(native, inputs))):
            times = []
            for _ in range(rounds):
                start = time.perf_counter()
                run()
                times.append((time.perf_counter() - start) / poses * 1e9)
            print(f"{robot.name:10} {what + kind:26} {min(times):9.1f} {statistics.median(times):8.1f}")


def _one_by_one(native: NativeFunction, inputs: list[np.ndarray]) -> Callable[[], None]:
    call = native.call
    rows = list(zip(*inputs, strict=True))

    def run() -> None:
        for row in rows:
            call(*row)

    return run


def _batch(native: NativeFunction, inputs: list[np.ndarray]) -> Callable[[], None]:
    def run() -> None:
        native.call(*inputs)

    return run


if __name__ == "__main__":
    main()
