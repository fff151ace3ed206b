"""Cost of one step of each control law in C, as a multiple of one call of the exact inverse dynamics.

    python -m benchmarks.controllers [--rounds 200] [--json FILE]

All functions are exported as C, compiled with gcc -O3 and called from one C loop, every one of them in every round.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import torquec as tq
from benchmarks.peer import FLAGS, address, build
from torquec.closedform.fourier import CLOVER
from torquec.codegen.target import generate_package
from torquec.control.pole_placement import pole_placement_gains
from torquec.expr import count_operations

RING = 64
CALLS = 2000
POLES = -12.0 + 45.0j
PERIOD = 0.002
MOST_CALLS = 4.0
"""A step of the trajectory-linearized controller may cost this many inverse dynamics."""

GAIN_LIMITS = {"continuous": (144, 116), "discrete": (155, 125)}


def main() -> None:
    """Measure and print; exit status 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if shutil.which("gcc") is None:
        sys.exit("gcc is needed")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows = _steps(arguments.rounds)
    missed = False
    print(f"{'step':36} {'mul':>5} {'add':>5} {'ns':>8} {'inverse dynamics':>17}")
    for row in rows:
        print(f"{row['step']:36} {row['mul']:5} {row['add']:5} {row['ns']:8.1f} {row['ratio']:17.2f}")
        missed |= row["ratio"] > MOST_CALLS
    robot = tq.classics.puma560()
    for name, (mul, add) in GAIN_LIMITS.items():
        count = count_operations(
            pole_placement_gains(robot, POLES, period=PERIOD if name == "discrete" else None, rule=CLOVER)
        )
        print(f"gains, {name}: {count.mul}/{count.add}, at most {mul}/{add}")
        missed |= count.mul > mul or count.add > add
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    sys.exit(1 if missed else 0)


def _steps(rounds: int) -> list[dict[str, object]]:
    robot = tq.classics.puma560()
    laws = {
        "pole_placement": tq.pole_placement(robot, POLES, period=PERIOD),
        "pole_placement, abbreviated": tq.pole_placement(robot, POLES, period=PERIOD, rule=CLOVER),
        "computed_torque": tq.computed_torque(robot, POLES, period=PERIOD),
        "computed_torque, abbreviated": tq.computed_torque(robot, POLES, period=PERIOD, rule=CLOVER),
        "diagonal_computed_torque": tq.diagonal_computed_torque(robot, POLES, period=PERIOD),
    }
    functions = {
        "inverse_dynamics": tq.compile(robot).function("inverse_dynamics"),
        **{name: law.function for name, law in laws.items()},
    }
    states = [np.ascontiguousarray(part) for part in np.random.default_rng(0).uniform(-2.0, 2.0, (5, RING, robot.n))]
    torque = np.zeros(robot.n)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*states, torque)]
    tail = [ctypes.c_long(robot.n), ctypes.c_long(RING), ctypes.c_long(CALLS)]
    with tempfile.TemporaryDirectory() as folder:
        harness = build(Path(__file__).with_suffix(".c"), Path(folder) / "harness.so", "-O2")
        harness.time_step.restype = ctypes.c_double
        kernels = {}
        for k, (name, function) in enumerate(functions.items()):
            generate_package([function], Path(folder) / str(k), prefix="step")
            library = build(Path(folder) / str(k) / "step.c", Path(folder) / f"{k}.so", *FLAGS)
            kernels[name] = (address(library, f"step_{function.name}"), len(function.inputs))
        times: dict[str, list[float]] = {name: [] for name in kernels}
        for _ in range(rounds):
            for name, (kernel, inputs) in kernels.items():
                call = (ctypes.c_void_p(kernel), ctypes.c_int(inputs), *pointers, *tail)
                times[name].append(harness.time_step(*call))
    base = min(times["inverse_dynamics"])
    return [
        {
            "step": name,
            "mul": count_operations(functions[name]).mul,
            "add": count_operations(functions[name]).add,
            "ns": min(times[name]),
            "ratio": min(times[name]) / base,
        }
        for name in functions
    ]


if __name__ == "__main__":
    main()
