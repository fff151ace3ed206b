"""Batches of (N, n) rows with one and two threads against the peer's C loop, in one interleaved run.

python -m benchmarks.batch [--rounds 30] [--states 100000]

With a second thread, 10^6 states should be 1.8 times as fast; with fewer states the time to wake the thread matters.
Batches of floats are computed in single precision, twice as many states at once: their ratio to doubles is printed,
too.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import torquec as tq
from benchmarks.peer import FLAGS, ROBOTS, SHARED, address, build, require
from torquec.foundation.arrays import AnyArray


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--states", type=int, default=100_000)
    arguments = parser.parse_args()
    require()
    cores = os.sched_getaffinity(0)
    print(f"{'robot':8} {'contestant':16} {'ns/state':>9} {'median':>8} {'ratio':>6} {'target':>6}")
    with tempfile.TemporaryDirectory() as folder:
        harness = build(Path(__file__).with_name("harness.c"), Path(folder) / "harness.so", "-O2")
        harness.time_casadi.restype = ctypes.c_double
        for robot in ROBOTS:
            _measure(robot, Path(folder), harness, arguments.rounds, arguments.states, cores)
    _memory()


def _measure(robot: str, folder: Path, harness: ctypes.CDLL, rounds: int, states: int, cores: set[int]) -> None:
    arm = tq.compile(tq.load(SHARED / "models" / f"{robot}.urdf"), precision="single")
    n = arm.robot.n
    q, qd, qdd = np.random.default_rng(0).uniform(-2.0, 2.0, (3, states, n))
    doubles, floats = (tuple(a.astype(kind) for a in (q, qd, qdd)) for kind in (np.float64, np.float32))
    out, float_out = np.empty((states, n)), np.empty((states, n), np.float32)
    peers = [
        address(build(SHARED / "casadi" / f"cs_{robot}.c", folder / f"{robot}{len(fast)}.so", *FLAGS, *fast), "cs_rnea")
        for fast in ((), ("-ffast-math",))
    ]

    def loop(peer: int) -> float:
        x = np.zeros(64)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (q, qd, qdd, x, x, x)]
        sizes = [ctypes.c_long(v) for v in (n, n, states, states)]
        return float(harness.time_casadi(ctypes.c_void_p(peer), *pointers, *sizes))

    def ours(inputs: tuple[AnyArray, ...], into: AnyArray, **threads: int) -> float:
        start = time.perf_counter_ns()
        arm.inverse_dynamics(*inputs, out=into, **threads)
        return (time.perf_counter_ns() - start) / states

    contestants = {
        "torquec": lambda: ours(doubles, out),
        "torquec 2 threads": lambda: ours(doubles, out, threads=2),
        "torquec floats": lambda: ours(floats, float_out),
        "peer C loop": lambda: min(loop(peer) for peer in peers),
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            os.sched_setaffinity(0, cores if "threads" in name else {max(cores)})
            times[name].append(run())
    os.sched_setaffinity(0, cores)
    peer, alone = min(times["peer C loop"]), min(times["torquec"])
    for name, target in (("torquec", "13"), ("torquec 2 threads", ""), ("torquec floats", ""), ("peer C loop", "")):
        best = min(times[name])
        print(f"{robot:8} {name:17} {best:8.1f} {statistics.median(times[name]):8.1f} {peer / best:6.2f} {target:>6}")
    print(f"{robot:8} second thread: {alone / min(times['torquec 2 threads']):.2f}x (target 1.8)")
    error = np.abs(float_out - out).max() / np.abs(out).max()
    print(f"{robot:8} floats: {alone / min(times['torquec floats']):.2f}x, errors {error:.1e} of the largest torque")


def _memory() -> None:
    """A million states: what the call needs beyond its output."""
    arm = tq.compile(tq.load(SHARED / "models" / "panda.urdf"))
    q = np.random.default_rng(0).uniform(-2.0, 2.0, (1_000_000, 7))
    arm.inverse_dynamics(q[:100], q[:100], q[:100])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = arm.inverse_dynamics(q, q, q)
    extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 - result.nbytes / 2**20
    print(f"10^6 states: {extra:.1f} MB beyond the output array (limit 64)")


if __name__ == "__main__":
    main()
