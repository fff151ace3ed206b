"""Times of scalar kernels and exported C against the peer's C: ratios from one interleaved run on one core.

    python -m benchmarks.native [--rounds 300] [--json FILE]

Every contestant is called from the same C loop over the same ring of states; agreement is checked first. The peer is
compiled with and without -ffast-math; all its variants run, and the fastest one counts.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import json
import os
import statistics
import tempfile
from pathlib import Path

import numpy as np

import torquec as tq
from benchmarks.peer import FLAGS, PEER_FUNCTIONS, ROBOTS, SHARED, Kernel, address, build, require
from torquec.foundation.arrays import Array

RING = 64
FAST: tuple[tuple[str, ...], ...] = ((), ("-ffast-math",))
TARGETS = {
    "inverse_dynamics": (3.5, 3.5, 3.5),
    "mass_matrix": (2.7, 2.7, 2.7),
    "forward_dynamics": (2.3, 2.3, 2.3),
    "inverse_dynamics_derivatives": (1.7, 3.0, 3.0),
}
EXPORTED_TARGET = 2.5


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    require()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        harness = build(Path(__file__).with_name("harness.c"), Path(folder) / "harness.so", "-O2")
        for timer in (harness.time_kernel, harness.time_casadi):
            timer.restype = ctypes.c_double
        for k, robot in enumerate(ROBOTS):
            measured = _measure(robot, Path(folder), harness, arguments.rounds)
            rows += [row | {"target": _target(row, k)} for row in measured]
    print(f"{'robot':8} {'function':30} {'contestant':14} {'min ns':>8} {'median':>8} {'ratio':>6} {'target':>6}")
    for row in rows:
        target = f"{row['target']:.1f}" if row["target"] else ""
        print(
            f"{row['robot']:8} {row['function']:30} {row['contestant']:14} {row['ns']:8.1f} {row['median']:8.1f} "
            f"{row['ratio']:6.2f} {target:>6}"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


def _target(row: dict[str, object], k: int) -> float | None:
    if row["contestant"] == "llvm":
        return TARGETS.get(str(row["function"]), (None, None, None))[k]
    return EXPORTED_TARGET if row["function"] == "inverse_dynamics" and row["contestant"] == "exported C" else None


def _measure(robot: str, folder: Path, harness: ctypes.CDLL, rounds: int) -> list[dict[str, object]]:
    model = tq.compile(tq.load(SHARED / "models" / f"{robot}.urdf"))
    exported = folder / f"{robot}_exported"
    tq.generate(model, exported, target="c", quantities=list(PEER_FUNCTIONS), prefix=robot)
    ours = build(exported / f"{robot}.c", folder / f"{robot}.so", *FLAGS)
    peers = {}
    for file, fast in itertools.product(("cs", "cs2"), FAST):
        source, target = SHARED / "casadi" / f"{file}_{robot}.c", folder / f"{file}_{robot}{len(fast)}.so"
        peers[file, fast] = build(source, target, *FLAGS, *fast)
    n = model.robot.n
    states = np.random.default_rng(0).uniform(-2.0, 2.0, (3, RING, n))
    rows = []
    for function, variants in PEER_FUNCTIONS.items():
        ports = model.function(function)
        inputs, outputs = len(ports.inputs), len(ports.outputs)
        size = max(port.size for port in ports.outputs)
        kernels = [
            Kernel("llvm", model.address(function), False, inputs, outputs),
            Kernel("exported C", address(ours, f"{robot}_{function}"), False, inputs, outputs),
        ]
        for (file, symbol), fast in itertools.product(variants, FAST):
            label = f"peer {file}.{symbol}{' fast' if fast else ''}"
            kernels.append(Kernel(label, address(peers[file, fast], symbol), True, inputs, outputs))
        calls = 2000 if function != "inverse_dynamics_derivatives" else 500
        rows += [{"robot": robot, **row} for row in in_turns(harness, function, kernels, states, size, rounds, calls)]
    return rows


def in_turns(
    harness: ctypes.CDLL, function: str, kernels: list[Kernel], states: Array, size: int, rounds: int, calls: int
) -> list[dict[str, object]]:
    """Every contestant once a round; the fastest variant of the peer stands for it."""
    n = states.shape[-1]
    check_agreement(harness, kernels, states, n, size, function)
    times: dict[str, list[float]] = {kernel.name: [] for kernel in kernels}
    for _ in range(rounds):
        for kernel in kernels:
            times[kernel.name].append(timed(harness, kernel, states, n, size, calls)[0])
    best = min((k.name for k in kernels if k.casadi), key=lambda name: min(times[name]))
    return [
        {
            "function": function,
            "contestant": name if name != best else "peer",
            "ns": min(times[name]),
            "median": statistics.median(times[name]),
            "ratio": min(times[best]) / min(times[name]),
        }
        for name in ("llvm", "exported C", best)
    ]


def timed(
    harness: ctypes.CDLL, kernel: Kernel, states: Array, n: int, size: int, calls: int
) -> tuple[float, tuple[Array, ...]]:
    """Nanoseconds of a call over a ring of states, and what the last one gave."""
    a, b, c = (np.ascontiguousarray(part) for part in states)
    results = tuple(np.zeros(size) for _ in range(3))
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, c, *results)]
    tail = [ctypes.c_long(n), ctypes.c_long(n), ctypes.c_long(RING), ctypes.c_long(calls)]
    if kernel.casadi:
        return harness.time_casadi(ctypes.c_void_p(kernel.address), *pointers, *tail), results[: kernel.outputs]
    ports = [ctypes.c_int(kernel.inputs), ctypes.c_int(kernel.outputs)]
    return harness.time_kernel(ctypes.c_void_p(kernel.address), *ports, *pointers, *tail), results[: kernel.outputs]


def check_agreement(harness: ctypes.CDLL, kernels: list[Kernel], states: Array, n: int, size: int, name: str) -> None:
    """All contestants give the same numbers (the peer column by column; its regressor has other columns)."""
    reference = None
    for kernel in kernels:
        _, parts = timed(harness, kernel, states, n, size, 1)
        if size == n * n and kernel.casadi:
            parts = tuple(part.reshape(n, n).T.ravel() for part in parts)
        if name == "mass_matrix":
            parts = tuple(np.triu(part.reshape(n, n)).ravel() for part in parts)
        value = np.concatenate(parts)
        if reference is None:
            reference = value
        elif name != "regressor":
            error = np.abs(value - reference).max() / np.abs(reference).max()
            assert error < 1e-10, f"{name}: {kernel.name} differs by {error:.1e}"


if __name__ == "__main__":
    main()
