"""Times of native calls of this tree against those of an earlier commit, in turns on one core: none may be longer.

    python -m benchmarks.against_commit COMMIT [--rounds 100]

Each tree runs in a process of its own, with its own sources and this file; both are pinned to one core, and one waits
while the other measures. The ratio is the shortest time of this tree over that of the commit, for calls by address,
calls from Python with `out=`, and one batch.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ROBOTS = ("panda", "ur5", "puma560")
QUANTITIES = ("inverse_dynamics", "mass_matrix", "gravity_torque", "forward_dynamics", "inverse_dynamics_derivatives")
RING, CALLS, STATES = 64, 2000, 20_000


def main() -> None:
    """Measure both trees in turns and print the ratios, or serve one tree (the parent calls this)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if arguments.serve:
        _serve(arguments.serve)
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(
            ["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", tree, arguments.commit], check=True
        )
        try:
            measured = _in_turns((ROOT, tree), Path(folder), arguments.rounds)
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=True)
    ours, theirs = measured
    ratios = {name: min(ours[name]) / min(theirs[name]) for name in ours}
    for name, ratio in ratios.items():
        print(f"{name:50} {min(ours[name]):10.1f} ns {min(theirs[name]):10.1f} ns  {ratio:6.3f}")
    mean = statistics.geometric_mean(ratios.values())
    print(f"mean {mean:.3f}, largest {max(ratios.values()):.3f}; {platform.machine()}")


def _in_turns(trees: tuple[Path, ...], folder: Path, rounds: int) -> list[dict[str, list[float]]]:
    workers = []
    for tree in trees:
        place = os.environ | {"PYTHONPATH": str(tree / "src")}
        command = [sys.executable, str(Path(__file__)), "-", "--serve", str(folder)]
        workers.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=place, text=True))
    measured: list[dict[str, list[float]]] = [{} for _ in workers]
    for _ in range(rounds):
        for worker, times in zip(workers, measured, strict=True):
            assert worker.stdin
            assert worker.stdout
            print("go", file=worker.stdin, flush=True)
            for name, ns in json.loads(worker.stdout.readline()).items():
                times.setdefault(name, []).append(ns)
    for worker in workers:
        worker.communicate()
    return measured


def _serve(folder: Path) -> None:
    """Time every call once for each line of the standard input."""
    import torquec as tq

    library = folder / f"harness{os.getpid()}.so"
    source = ROOT / "benchmarks" / "harness.c"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    harness = ctypes.CDLL(str(library))
    harness.time_kernel.restype = ctypes.c_double
    calls = dict(_calls(tq, harness))
    for _ in sys.stdin:
        print(json.dumps({name: call() for name, call in calls.items()}), flush=True)


def _calls(tq: object, harness: ctypes.CDLL) -> Iterator[tuple[str, Callable[[], float]]]:
    rng = np.random.default_rng(0)
    for robot in ROBOTS:
        model = tq.compile(tq.load(ROOT.parent / "shared" / "bench" / "models" / f"{robot}.urdf"))  # type: ignore[attr-defined]
        n = model.robot.n
        ring = [np.ascontiguousarray(rng.uniform(-2.0, 2.0, (RING, n))) for _ in range(3)]
        for quantity in QUANTITIES:
            ports = model.function(quantity)
            results = [np.zeros(max(port.size for port in ports.outputs)) for _ in range(3)]
            words = [ctypes.c_void_p(model.address(quantity)), len(ports.inputs), len(ports.outputs)]
            words += [ctypes.c_void_p(a.ctypes.data) for a in (*ring, *results)]
            words += [ctypes.c_long(k) for k in (n, n, RING, CALLS)]
            yield f"{robot} {quantity} by address", functools.partial(_by_address, harness, words, results)
        out, states = np.zeros(n), [np.ascontiguousarray(part[0]) for part in ring]
        yield (
            f"{robot} inverse_dynamics from Python",
            lambda m=model, s=states, o=out: _repeated(m, s, o, CALLS) / CALLS,
        )
        many = [rng.uniform(-2.0, 2.0, (STATES, n)) for _ in range(3)]
        rows = np.zeros((STATES, n))
        yield f"{robot} inverse_dynamics, batch", lambda m=model, s=many, o=rows: _repeated(m, s, o, 5) / 5 / STATES


def _by_address(harness: ctypes.CDLL, words: list[object], _kept: list[np.ndarray]) -> float:
    """Nanoseconds of a call; the arrays that it writes to are kept alive beside their addresses."""
    return float(harness.time_kernel(*words))


def _repeated(model: object, states: list[np.ndarray], out: np.ndarray, calls: int) -> float:
    call = model.inverse_dynamics  # type: ignore[attr-defined]
    start = time.perf_counter_ns()
    for _ in range(calls):
        call(*states, out=out)
    return float(time.perf_counter_ns() - start)


if __name__ == "__main__":
    main()
