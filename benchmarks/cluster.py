"""Two workers against one: dask.distributed with processes of this machine, and the same results from both.

    python -m benchmarks.cluster [--workers 2] [--jobs simplify "monte carlo" excitation identify] [--quick]

For an idle machine with as many cores as workers: the times are by the clock. Workers are started, and have compiled
what the job needs, before it is timed; results that differ by a bit end it with status 1. Needs `distributed` (extra
`test`).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

import torquec as tq
from torquec.foundation.work import Work
from torquec.identification.identify_options import IdentifyOptions, Reading
from torquec.simulation.monte_carlo import Spread, monte_carlo
from torquec.trajectory import minimum_jerk

ROOT = Path(__file__).resolve().parents[1]
AIMS = {"simplify": 1.7, "monte carlo": 1.7}
"""What two workers are to be of one."""

Job = Callable[[Executor, bool], object]
"""From an executor, and whether it is only the warming up, to something that two runs have in common."""


def simplify(executor: Executor, warm: bool) -> object:
    """The PUMA 560 to 1 % of its torque limits, with the proof; warmed up with two joints."""
    robot, name = (tq.classics.planar2r(), "planar2r") if warm else (tq.classics.puma560(), "puma560_torque")
    model = tq.simplify(robot, ROOT / "examples" / "specifications" / f"{name}.toml", work=Work(executor=executor))
    return model.record


def many_runs(executor: Executor, warm: bool) -> object:
    """Closed loops of scattered PUMA 560s, a second long at 500 Hz."""
    robot = tq.classics.puma560()
    law = tq.make_law(robot, "computed-torque", tq.ControllerOptions(poles=-10.0, period=0.002))
    motion = minimum_jerk([0.0] * 6, [0.2] * 6, 1.0, joints=robot.joint_names, period=0.002)
    runs = 512 if warm else 65_536
    found = monte_carlo(robot, law, motion, runs=runs, spread=Spread(0.05, 0.05), executor=executor)
    return found.rmse.tobytes()


def exciting(executor: Executor, warm: bool) -> object:
    """A motion for the PUMA 560; of its evaluations two thirds are starts that know nothing of each other."""
    options = tq.ExcitationOptions(evaluations=800 if warm else 12_000)
    return tq.excitation(tq.classics.puma560(), options=options, work=Work(executor=executor)).trajectory.q.tobytes()


def streaming(executor: Executor, warm: bool) -> object:
    """Eight files of a planar arm, each read in pieces by whoever has it."""
    robot, rows = tq.classics.planar2r(), 4_000 if warm else 120_000
    options = IdentifyOptions(method="ordinary", cutoff=10.0, friction="none", rotors=False, reading=Reading.PIECES)
    with tempfile.TemporaryDirectory() as folder:
        files = [write_log(Path(folder) / f"log{k}.csv", rows, seed=k) for k in range(8)]
        return tq.identify(robot, files, options=options, work=Work(executor=executor)).x.tobytes()


def write_log(path: Path, rows: int, *, seed: int) -> Path:
    """A log of a planar arm along sines, 500 rows a second."""
    rng = np.random.default_rng(seed)
    t = 0.002 * np.arange(rows)
    sizes, speeds = rng.uniform(0.2, 0.6, (2, 2, 3))
    q = np.stack(
        [sum(a * np.sin((0.5 + 4.0 * w) * t) for a, w in zip(sizes[j], speeds[j], strict=True)) for j in (0, 1)], 1
    )
    qd = np.gradient(q, t, axis=0)
    tau = tq.compile(tq.classics.planar2r()).inverse_dynamics(q, qd, np.gradient(qd, t, axis=0))
    tau += 0.01 * rng.normal(size=tau.shape)
    np.savetxt(path, np.column_stack([t, q, tau]), delimiter=",", header="t,q1,q2,tau1,tau2", comments="", fmt="%.9g")
    return path


JOBS: dict[str, Job] = {
    "simplify": simplify,
    "monte carlo": many_runs,
    "excitation": exciting,
    "identify": streaming,
}


def timed(job: Job, workers: int, *, quick: bool) -> tuple[float, Any]:
    """Seconds by the clock on a cluster of so many worker processes, and what came out."""
    from distributed import Client, LocalCluster

    place = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **place) as cluster, Client(cluster) as client:
        executor = client.get_executor(pure=False, retries=2)
        job(executor, True)
        began = time.perf_counter()
        found = job(executor, quick)
        return time.perf_counter() - began, found


def main() -> int:
    """Measure and print; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--jobs", nargs="+", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--quick", action="store_true", help="small jobs, to see that everything runs; no ratios")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'job':12} {'1 worker':>9} {f'{arguments.workers} workers':>10} {'ratio':>6} {'aim':>5}  same result")
    different = False
    for name in arguments.jobs:
        (one, first), (many, second) = (
            timed(JOBS[name], count, quick=arguments.quick) for count in (1, arguments.workers)
        )
        different |= first != second
        aim = f"{AIMS[name]:.1f}" if name in AIMS and arguments.workers == 2 else ""
        print(
            f"{name:12} {one:8.1f}s {many:9.1f}s {one / many:6.2f} {aim:>5}  {'yes' if first == second else 'NO'}",
            flush=True,
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
