"""Time of one call of inverse dynamics from Python against `pin.rnea`: ratios from one interleaved run on one core.

python -m benchmarks.python_call [--rounds 200]
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

import torquec as tq
from benchmarks.peer import ROBOTS, SHARED, require

CALLS = 2000
Call = Callable[..., object]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    require()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{'robot':8} {'contestant':16} {'min ns':>8} {'median':>8} {'ratio':>6} {'target':>6}")
    for robot in ROBOTS:
        path = SHARED / "models" / f"{robot}.urdf"
        arm = tq.compile(tq.load(path))
        model = pin.buildModelFromUrdf(str(path))
        data = model.createData()
        q, qd, qdd = np.random.default_rng(0).uniform(-2.0, 2.0, (3, arm.robot.n))
        out = np.empty(arm.robot.n)
        call, rnea = arm.inverse_dynamics, pin.rnea
        error = np.abs(call(q, qd, qdd) - rnea(model, data, q, qd, qdd)).max()
        assert error < 1e-8, error
        contestants = {
            "torquec": functools.partial(_plain, call, q, qd, qdd),
            "torquec out=": functools.partial(_into, call, q, qd, qdd, out),
            "pin.rnea": functools.partial(_peer, rnea, model, data, q, qd, qdd),
        }
        times: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(rounds):
            for name, run in contestants.items():
                start = time.perf_counter_ns()
                run()
                times[name].append((time.perf_counter_ns() - start) / CALLS)
        for name, target in (("torquec", "5"), ("torquec out=", "6"), ("pin.rnea", "")):
            ratio = min(times["pin.rnea"]) / min(times[name])
            best, median = min(times[name]), statistics.median(times[name])
            print(f"{robot:8} {name:16} {best:8.1f} {median:8.1f} {ratio:6.2f} {target:>6}")


def _plain(call: Call, q: Any, qd: Any, qdd: Any) -> None:
    for _ in itertools.repeat(None, CALLS):
        call(q, qd, qdd)


def _into(call: Call, q: Any, qd: Any, qdd: Any, out: Any) -> None:
    for _ in itertools.repeat(None, CALLS):
        call(q, qd, qdd, out=out)


def _peer(call: Call, model: Any, data: Any, q: Any, qd: Any, qdd: Any) -> None:
    for _ in itertools.repeat(None, CALLS):
        call(model, data, q, qd, qdd)


if __name__ == "__main__":
    main()
