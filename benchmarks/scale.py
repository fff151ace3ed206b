"""What large jobs cost, in processor seconds: many runs, many robots, long logs, each at two sizes.

    python benchmarks/scale.py

Processor time of this process, so that a busy machine gives the same figures. docs/scale.md makes a model of them.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import torquec as tq
from torquec.identification.identify_options import IdentifyOptions, Reading
from torquec.simulation.monte_carlo import Spread, monte_carlo
from torquec.trajectory import minimum_jerk

SIZES = {"runs": (512, 2048), "rows": (100_000, 400_000), "robots": (2, 6)}


def seconds(call: Callable[[], object]) -> float:
    """Processor seconds of a call."""
    began = time.process_time()
    call()
    return time.process_time() - began


def many_runs(count: int) -> float:
    """Closed loops of the PUMA 560, each on a robot a little different, a second long at 500 Hz."""
    robot = tq.classics.puma560()
    law = tq.make_law(robot, "computed-torque", tq.ControllerOptions(poles=-10.0, period=0.002))
    motion = minimum_jerk([0.0] * 6, [0.2] * 6, 1.0, joints=robot.joint_names, period=0.002)
    monte_carlo(robot, law, motion, runs=2, spread=Spread(0.05, 0.05))  # compiled before it is timed
    return seconds(lambda: monte_carlo(robot, law, motion, runs=count, spread=Spread(0.05, 0.05)))


def long_log(rows: int) -> float:
    """Identification of a planar arm from a CSV file that is read in pieces."""
    robot = tq.classics.planar2r()
    t = 0.002 * np.arange(rows)
    q = np.stack([np.sin(0.7 * t) + 0.4 * np.sin(2.3 * t), 0.8 * np.sin(1.1 * t) + 0.3 * np.cos(3.1 * t)], axis=1)
    qd = np.gradient(q, t, axis=0)
    tau = tq.compile(robot).inverse_dynamics(q, qd, np.gradient(qd, t, axis=0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        np.savetxt(
            path, np.column_stack([t, q, tau]), delimiter=",", header="t,q1,q2,tau1,tau2", comments="", fmt="%.9g"
        )
        options = IdentifyOptions(method="ordinary", cutoff=10.0, friction="none", rotors=False, reading=Reading.PIECES)
        return seconds(lambda: tq.identify(robot, [path], options=options))


def many_robots(count: int) -> float:
    """From a robot to compiled inverse dynamics, mass matrix and forward dynamics, cold: random masses, six joints."""
    robot = tq.classics.puma560()
    rng = np.random.default_rng(time.time_ns())

    def one() -> None:
        heavier = tq.attach_payload(robot, "link6", mass=float(rng.uniform(0.1, 2.0)))
        arm = tq.compile(heavier)
        for call, inputs in ((arm.inverse_dynamics, 3), (arm.mass_matrix, 1), (arm.forward_dynamics, 3)):
            call(*[np.zeros(6)] * inputs)

    return seconds(lambda: [one() for _ in range(count)])


def main() -> None:
    """Print a line for each job and size."""
    jobs = {"runs": many_runs, "rows": long_log, "robots": many_robots}
    for name, job in jobs.items():
        for size in SIZES[name]:
            took = job(size)
            print(f"{size:>9} {name:7} {took:8.2f} s of processor time, {1e6 * took / size:12.2f} us each", flush=True)


if __name__ == "__main__":
    main()
