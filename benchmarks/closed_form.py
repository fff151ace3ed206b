"""Closed forms: time, number of terms, and agreement with the native recursion on 10^5 random states.

python -m benchmarks.closed_form
"""

from __future__ import annotations

import time

import numpy as np

import torquec as tq
from benchmarks.peer import ROBOTS, SHARED, require

STATES = 100_000
LIMITS = {"panda": (3.0, 3269, None), "ur5": (0.3, 68, 7), "puma560": (0.3, None, None)}


def main() -> None:
    """Measure and print."""
    require()
    for name in ROBOTS:
        robot = tq.load(SHARED / "models" / f"{name}.urdf")
        times = []
        for _ in range(3):
            start = time.perf_counter()
            form = tq.closed_form(robot)
            times.append(time.perf_counter() - start)
        arm = tq.compile(robot, route="recursive")
        q = np.random.default_rng(0).uniform(-np.pi, np.pi, (STATES, robot.n))
        mass, gravity = arm.mass_matrix(q), arm.gravity_torque(q)
        worst = 0.0
        for i in range(robot.n):
            for j in range(i, robot.n):
                worst = max(worst, _difference(form.M[i, j](q), mass[:, i, j]))
            worst = max(worst, _difference(form.g[i](q), gravity[:, i]))
        limit = LIMITS[name]
        print(
            f"{name:8} {min(times):.3f} s (limit {limit[0]}), M {form.terms['M']} terms (limit {limit[1]}), g "
            f"{form.terms['g']} (limit {limit[2]}), largest difference {worst:.1e} of the entry (limit 1e-11)"
        )


def _difference(closed: np.ndarray, native: np.ndarray) -> float:
    """Relative to the entry's largest value; an entry that is zero up to rounding counts as zero."""
    largest = float(np.abs(native).max())
    if largest < 1e-13:
        return 0.0
    return float(np.abs(closed - native).max()) / largest


if __name__ == "__main__":
    main()
