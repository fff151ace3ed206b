"""Errors and coverage of the recursive payload estimator on simulated arms with friction, encoder noise and ripple.

`python -m benchmarks.payload_estimation panda|ur5 [RUNS [RIPPLE]]`: RUNS runs (20) with each of five payloads from 0 to
3 kg, 4 s of motion each. RIPPLE is the torque ripple as a share of the torque limits (0.005).
"""

from __future__ import annotations

import sys

import numpy as np
from tests.control.payload_runs import RIPPLE, mass_errors


def main(name: str, runs: int = 20, ripple: float = RIPPLE) -> None:
    """Print errors and radii of the 95 % interval by payload, and how many runs are near and covered."""
    mass, error, radius = mass_errors(name, runs=runs, ripple=ripple)
    for m in np.unique(mass):
        own = mass == m
        rms, largest, wide = (
            1e3 * x for x in (np.sqrt(np.mean(error[own] ** 2)), np.abs(error[own]).max(), radius[own].mean())
        )
        print(f"{m} kg: error rms {rms:.1f} g, at most {largest:.1f} g, radius of the interval {wide:.1f} g")
    near = np.abs(error) <= np.maximum(0.05, 0.05 * mass)
    covered = np.abs(error) <= radius
    print(f"{name}, {len(mass)} runs: within 5 % or 50 g {near.sum()}, covered {covered.sum()}")


if __name__ == "__main__":
    main(sys.argv[1], *(number(word) for number, word in zip((int, float), sys.argv[2:], strict=False)))
