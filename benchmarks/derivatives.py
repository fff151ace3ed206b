"""Dynamics and their derivatives of any URDF against C that CasADi generates from Pinocchio: one interleaved run.

    python -m benchmarks.derivatives ROBOT.urdf ... [--rounds 60] [--generator FILE] [--states 20000]

Inverse and forward dynamics and the derivatives of both, called from one C loop, and as batches on one core against a
loop of the peer's C. benchmarks/peer.cpp generates the peer (its compilation takes minutes; `--generator` names the
program of an earlier run). The fastest variant of the peer counts: analytic derivatives or CasADi's own, with and
without -ffast-math. Agreement to 1e-10 is checked first.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import torquec as tq
from benchmarks.native import RING, in_turns, timed
from benchmarks.peer import FLAGS, GENERATED, Kernel, address, build, peer_generator

TARGET, BATCH_TARGET = 3.0, 10.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--generator", type=Path)
    parser.add_argument("--states", type=int, default=20_000, help="of a batch")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generator = arguments.generator or peer_generator(folder)
        harness = build(Path(__file__).with_name("harness.c"), folder / "harness.so", "-O2")
        for timer in (harness.time_kernel, harness.time_casadi):
            timer.restype = ctypes.c_double
        print(f"{'robot':10} {'function':30} {'contestant':12} {'min ns':>8} {'ratio':>6} {'target':>6}")
        for robot in arguments.robots:
            _measure(robot, generator, folder, harness, arguments.rounds, arguments.states)


def _measure(robot: Path, generator: Path, folder: Path, harness: ctypes.CDLL, rounds: int, count: int) -> None:
    source = folder / f"{robot.stem}_peer.c"
    subprocess.run([str(generator.resolve()), str(robot), source.name], cwd=folder, check=True)
    peers = [build(source, folder / f"{robot.stem}{len(fast)}.so", *FLAGS, *fast) for fast in ((), ("-ffast-math",))]
    model = tq.compile(tq.load(robot))
    package = folder / f"{robot.stem}_ours"
    tq.generate(model, package, target="c", quantities=list(GENERATED), prefix="ours")
    exported = build(package / "ours.c", folder / f"{robot.stem}_ours.so", *FLAGS)
    n = model.robot.n
    states = np.random.default_rng(0).uniform(-2.0, 2.0, (3, RING, n))
    for function, symbols in GENERATED.items():
        ports = model.function(function)
        shape = (len(ports.inputs), len(ports.outputs))
        kernels = [
            Kernel("llvm", model.address(function), False, *shape),
            Kernel("exported C", address(exported, f"ours_{function}"), False, *shape),
        ]
        for (k, library), symbol in itertools.product(enumerate(peers), symbols):
            kernels.append(Kernel(f"peer {symbol} {k}", address(library, symbol), True, *shape))
        size = max(port.size for port in ports.outputs)
        rows = in_turns(harness, function, kernels, states, size, rounds, 500)
        for row in rows:
            _print(
                robot.stem, function, str(row["contestant"]), float(str(row["ns"])), float(str(row["ratio"])), TARGET
            )
        fastest = min(
            (each for each in kernels if each.casadi), key=lambda each: timed(harness, each, states, n, size, 500)
        )
        ours, peer = _batch(model, function, fastest, harness, size, rounds, count)
        _print(robot.stem, function, "batch", ours, peer / ours, BATCH_TARGET)


def _batch(
    model: tq.Model, function: str, peer: Kernel, harness: ctypes.CDLL, size: int, rounds: int, count: int
) -> tuple[float, float]:
    """Nanoseconds a state of our batch on one core, and of a loop of the peer's C over as many states."""
    n = model.robot.n
    states = np.random.default_rng(1).uniform(-2.0, 2.0, (3, count, n))
    call = getattr(model, function)
    out = call(*states)
    ours, loops = [], []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        call(*states, out=out)
        ours.append((time.perf_counter_ns() - start) / count)
        loops.append(timed(harness, peer, states, n, size, 500)[0])
    return min(ours), min(loops)


def _print(robot: str, function: str, contestant: str, ns: float, ratio: float, target: float) -> None:
    wanted = "" if contestant == "peer" else f"{target:.0f}"
    print(f"{robot:10} {function:30} {contestant:12} {ns:8.1f} {ratio:6.2f} {wanted:>6}", flush=True)


if __name__ == "__main__":
    main()
