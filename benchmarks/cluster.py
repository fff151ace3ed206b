"""Speed-up of two workers over one with dask.distributed on this machine, with a check for identical results.

    python -m benchmarks.cluster [--workers 2] [--jobs "simplify puma560" "monte carlo" ..] [--quick] [--model]

Use an idle machine with at least as many cores as workers, since wall-clock times are measured. Before a job is timed,
workers are started and compile the functions that it needs. If results differ by a bit, the exit status is 1. Needs
`distributed` (extra `test`).

There are two simplifications. The PUMA 560 with allowed torque errors is a small job: a search for mass moments, which
always runs in one process, and five descents. The Stanford arm with control requirements is a larger job. `--model`
needs no idle machine. It runs each job in one process, and computes from the processor time of every task the time of
workers that get the next task as soon as they are free, without communication; tasks that are started early count as
if no other task ran at the same time.
"""

from __future__ import annotations

import argparse
import heapq
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import torquec as tq
from torquec.foundation.work import Work
from torquec.identification.identify_options import IdentifyOptions, Reading
from torquec.simulation.monte_carlo import Spread, monte_carlo
from torquec.trajectory import minimum_jerk

ROOT = Path(__file__).resolve().parents[1]
AIMS = {"simplify puma560": 1.7, "simplify stanford": 1.7, "monte carlo": 1.7}
"""What two workers are to be of one."""

Job = Callable[[Work, bool], object]
"""From who works, and whether it is only the warming up, to something that two runs have in common."""


def simplify_puma560(work: Work, warm: bool) -> object:
    """The PUMA 560 to 1 % of its torque limits, with the proof."""
    return _simplified("planar2r", "planar2r", work) if warm else _simplified("puma560", "puma560_torque", work)


def simplify_stanford(work: Work, warm: bool) -> object:
    """The Stanford arm to Chang and Lee's control requirements: coefficients and torques, with the proofs."""
    return _simplified("planar2r", "planar2r", work) if warm else _simplified("stanford", "stanford_control", work)


def _simplified(robot: str, specification: str, work: Work) -> object:
    stated = ROOT / "examples" / "specifications" / f"{specification}.toml"
    return tq.simplify(getattr(tq.classics, robot)(), stated, work=work).record


def many_runs(work: Work, warm: bool) -> object:
    """Closed loops of scattered PUMA 560s, a second long at 500 Hz."""
    robot = tq.classics.puma560()
    law = tq.make_law(robot, "computed-torque", tq.ControllerOptions(poles=-10.0, period=0.002))
    motion = minimum_jerk([0.0] * 6, [0.2] * 6, 1.0, joints=robot.joint_names, period=0.002)
    runs = 512 if warm else 65_536
    found = monte_carlo(robot, law, motion, runs=runs, spread=Spread(0.05, 0.05), work=work)
    return found.rmse.tobytes()


def exciting(work: Work, warm: bool) -> object:
    """A motion for the PUMA 560; of its evaluations two thirds are starts that know nothing of each other."""
    options = tq.ExcitationOptions(evaluations=800 if warm else 12_000)
    return tq.excitation(tq.classics.puma560(), options=options, work=work).trajectory.q.tobytes()


def streaming(work: Work, warm: bool) -> object:
    """Eight files of a planar arm, each read in pieces by whoever has it."""
    robot, rows = tq.classics.planar2r(), 4_000 if warm else 120_000
    options = IdentifyOptions(method="ordinary", cutoff=10.0, friction="none", rotors=False, reading=Reading.PIECES)
    with tempfile.TemporaryDirectory() as folder:
        files = [write_log(Path(folder) / f"log{k}.csv", rows, seed=k) for k in range(8)]
        return tq.identify(robot, files, options=options, work=work).x.tobytes()


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
    "simplify puma560": simplify_puma560,
    "simplify stanford": simplify_stanford,
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
        job(Work(executor=executor), True)
        began = time.perf_counter()
        found = job(Work(executor=executor), quick)
        return time.perf_counter() - began, found


class _TimedWork(Work):
    """Work of one process that remembers the processor time of each task, by step."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[list[float]] = []

    def map(self, name: str, function: Callable[..., Any], tasks: Iterable[Any], **options: Any) -> Iterator[Any]:
        """As it is, with a clock around each task."""
        results, times = super().map(name, function, tasks, **options), list[float]()
        self.steps.append(times)
        while True:
            began = time.process_time()
            try:
                value = next(results)
            except StopIteration:
                return
            times.append(time.process_time() - began)
            yield value


def modelled(job: Job, workers: int, *, quick: bool) -> tuple[float, float]:
    """Seconds of one worker and of several, worked out from the processor time of the tasks of one process."""
    job(_TimedWork(), True)
    work, began = _TimedWork(), time.process_time()
    job(work, quick)
    whole = time.process_time() - began
    return whole, whole - sum(sum(times) - _spread(times, workers) for times in work.steps)


def _spread(times: Sequence[float], workers: int) -> float:
    """How long tasks take, in their order, where each goes to the worker that is free first."""
    free = [0.0] * workers
    for seconds in times:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def main() -> int:
    """Measure and print; gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--jobs", nargs="+", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--model", action="store_true", help="by processor time of one process, for any machine")
    parser.add_argument("--quick", action="store_true", help="small jobs, to see that everything runs; no ratios")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'job':17} {'1 worker':>9} {f'{arguments.workers} workers':>10} {'ratio':>6} {'aim':>5}  same result")
    different = False
    for name in arguments.jobs:
        if arguments.model:
            (one, many), verdict = modelled(JOBS[name], arguments.workers, quick=arguments.quick), "modelled"
        else:
            (one, first), (many, second) = (
                timed(JOBS[name], count, quick=arguments.quick) for count in (1, arguments.workers)
            )
            different |= first != second
            verdict = "yes" if first == second else "NO"
        aim = f"{AIMS[name]:.1f}" if name in AIMS and arguments.workers == 2 else ""
        print(f"{name:17} {one:8.1f}s {many:9.1f}s {one / many:6.2f} {aim:>5}  {verdict}", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
