"""Cost of large jobs (many runs, robots and log rows, each at two sizes), and its growth with the number of joints.

    python -m benchmarks.scale                                   # jobs, in processor seconds
    python -m benchmarks.scale --growth                          # chains of 3 to 100 joints
    python -m benchmarks.scale --growth --joints 3 6 --only load page --seconds 20

Times are processor times, so that a busy machine gives similar figures. docs/scale.md fits a cost model to the jobs.
`--growth` runs each job on each chain in a process of its own, with limits of processor time and memory, and without
the cache of native code. The table has seconds and peak memory [MB]; the exponent p of time ~ n^p is the slope of a
least-squares line in logarithms through the sizes that took at least 0.05 s. A refusal, with its reason, is a result; a
job that reaches the limit of memory without one is marked, and the benchmark then exits with 1.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import torquec as tq
from torquec.errors import TorquecError
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


CHAINS = (3, 6, 12, 25, 50, 100)
"""Joints of the chains."""

MEASURED_SECONDS = 0.05
"""Least processor time [s] of a size that counts for an exponent: shorter jobs are mostly overhead."""

_MB = 1e6
_OUT_OF_TIME, _OUT_OF_MEMORY = "over time", "over memory"


def chain_urdf(n: int) -> str:
    """A chain of n revolute joints about y, z, y, ..: links of 0.2 m and falling masses, limits, friction."""
    rng = np.random.default_rng(n)
    masses = [5.0 * 0.9**k + 0.1 for k in range(n)]
    parts = [f'<robot name="chain{n}"><link name="link0"/>']
    for k, mass in enumerate(masses, 1):
        x, y, z = rng.uniform(-0.03, 0.03, 3)
        effort = 3.0 * 9.81 * sum(0.2 * (j - k + 1) * masses[j - 1] for j in range(k, n + 1))
        moments = {"ixx": 0.01, "iyy": 0.012, "izz": 0.009, "ixy": 0.001, "ixz": 0.0, "iyz": 0.0}
        inertia = " ".join(f'{key}="{moment * mass:.6g}"' for key, moment in moments.items())
        parts.append(
            f'<link name="link{k}"><inertial><origin xyz="{x:.4f} {y:.4f} {z + 0.1:.4f}"/><mass value="{mass:.6f}"/>'
            f'<inertia {inertia}/></inertial></link><joint name="joint{k}" type="revolute">'
            f'<parent link="link{k - 1}"/><child link="link{k}"/><origin xyz="0 0 {0.0 if k == 1 else 0.2}"/>'
            f'<axis xyz="0 {k % 2} {(k + 1) % 2}"/><dynamics damping="0.1" friction="0.2"/>'
            f'<limit lower="-1.5" upper="1.5" velocity="2" effort="{effort:.3f}"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def _compile(robot: tq.Robot) -> None:
    model = tq.compile(robot)
    for quantity in ("inverse_dynamics", "mass_matrix", "forward_dynamics"):
        model.address(quantity)


def _guarantee(robot: tq.Robot) -> None:
    motion = minimum_jerk([0.0] * robot.n, [0.2] * robot.n, 1.0, joints=robot.joint_names, period=0.002)
    found = tq.tracking_guarantee(robot, -20.0, motion, period=0.002)
    if not found.valid:
        raise _NoResultError(found.reason)


def _identify(robot: tq.Robot) -> None:
    t = 0.002 * np.arange(4000)
    rates = 0.5 + np.random.default_rng(0).uniform(0.0, 1.5, (2, robot.n))
    q = np.sin(np.outer(t, 2.0 * rates[0])) + 0.3 * np.cos(np.outer(t, 3.0 * rates[1]))
    qd = np.gradient(q, t, axis=0)
    tau = tq.compile(robot).inverse_dynamics(q, qd, np.gradient(qd, t, axis=0))
    log = tq.Log(robot.joint_names, t, q, tau)
    tq.identify(robot, log, options=IdentifyOptions(method="ordinary", cutoff=10.0, friction="none", rotors=False))


class _NoResultError(Exception):
    """A computation that ended without the wanted result; its reason."""


GROWTH: dict[str, Callable[[tq.Robot], object]] = {
    "load": lambda _: None,
    "compile": _compile,
    "closed form": tq.closed_form,
    "base parameters": tq.base_parameters,
    "guarantee": _guarantee,
    "identification": _identify,
    "page": tq.view_page,
}
"""A job each, from a loaded robot; loading is timed by itself and is no part of the others."""


@dataclass(frozen=True)
class Grown:
    """Processor time [s] and peak memory [MB] of a job; `why` where it gave no result."""

    seconds: float = math.nan
    memory: float = math.nan
    why: str = ""

    def __str__(self) -> str:
        return self.why or f"{self.seconds:.2f} s, {self.memory:.0f} MB"


def grown(job: str, n: int, *, seconds: int, memory: float) -> Grown:
    """The job on a chain of n joints, in a process with limits of time [s] and memory [GB]."""
    command = [sys.executable, "-m", "benchmarks.scale", "--child", job, "--joints", str(n)]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (int(memory * 1e9), int(memory * 1e9)))

    uncached = {**os.environ, "TORQUEC_CACHE": "0"}
    ended = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, env=uncached, check=False)
    lines = ended.stdout.splitlines()
    if ended.returncode == 0 and lines:
        return Grown(**json.loads(lines[-1]))
    if ended.returncode < 0 and "MemoryError" not in ended.stderr:
        return Grown(why=f"{_OUT_OF_TIME}: more than {seconds} s")
    if "MemoryError" in ended.stderr or "memory" in ended.stderr:
        return Grown(why=f"{_OUT_OF_MEMORY}: more than {memory:g} GB")
    raise RuntimeError(f"{job} of {n} joints: {ended.stderr[-500:]}")


def one_growth(job: str, n: int) -> Grown:
    """The same in this process, without limits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.urdf"
        path.write_text(chain_urdf(n))
        began = time.process_time()
        robot = tq.load(path)
        if job != "load":
            began = time.process_time()
        why = ""
        try:
            GROWTH[job](robot)
        except (TorquecError, _NoResultError) as error:
            why = f"refused: {str(error).splitlines()[0]}"
        took = time.process_time() - began
    return Grown(took, 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MB, why)


def exponent(sizes: list[tuple[int, float]]) -> float:
    """The slope of log time over log n; NaN with fewer than two sizes.

    >>> round(exponent([(3, 0.9), (6, 3.6), (12, 14.4)]), 6)
    2.0
    """
    if len(sizes) < 2:
        return math.nan
    x, y = np.log(np.array(sizes, dtype=float).T)
    return float(np.polyfit(x, y, 1)[0])


def print_growth(jobs: list[str], joints: list[int], *, seconds: int, memory: float) -> bool:
    """A table of jobs and chains with exponents; whether every job stayed within its memory or was refused."""
    width, fits, refusals = 22, True, []
    print(f"{'joints':16}" + "".join(f"{n:>{width}}" for n in joints) + f"{'exponent':>10}")
    for job in jobs:
        row = {n: grown(job, n, seconds=seconds, memory=memory) for n in joints}
        measured = [(n, each.seconds) for n, each in row.items() if not each.why and each.seconds > MEASURED_SECONDS]
        fits &= not any(each.why.startswith(_OUT_OF_MEMORY) for each in row.values())
        refusals += [f"{job}, {n} joints: {each.why}" for n, each in row.items() if each.why]
        cells = "".join(f"{str(each).partition(':')[0]:>{width}}" for each in row.values())
        found = exponent(measured)
        print(f"{job:16}{cells}{'-' if math.isnan(found) else f'{found:.2f}':>10}", flush=True)
    print(*refusals, sep="\n")
    return fits


def main() -> None:
    """Print a line for each job and size, or the table of growth."""
    parser = argparse.ArgumentParser(description="Cost of large jobs, and growth with the number of joints.")
    parser.add_argument("--growth", action="store_true", help="chains of --joints instead of large jobs")
    parser.add_argument("--joints", type=int, nargs="+", default=list(CHAINS), metavar="N")
    parser.add_argument("--only", nargs="+", choices=list(GROWTH), default=list(GROWTH), metavar="JOB")
    parser.add_argument("--seconds", type=int, default=300, help="limit of processor time of each job and chain")
    parser.add_argument("--memory", type=float, default=4.0, help="limit of memory [GB] of each job and chain")
    parser.add_argument("--child", choices=list(GROWTH), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(vars(one_growth(arguments.child, arguments.joints[0]))))
        return
    if arguments.growth:
        within = print_growth(arguments.only, arguments.joints, seconds=arguments.seconds, memory=arguments.memory)
        sys.exit(0 if within else 1)
    jobs = {"runs": many_runs, "rows": long_log, "robots": many_robots}
    for name, job in jobs.items():
        for size in SIZES[name]:
            took = job(size)
            print(f"{size:>9} {name:7} {took:8.2f} s of processor time, {1e6 * took / size:12.2f} us each", flush=True)


if __name__ == "__main__":
    main()
