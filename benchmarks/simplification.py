"""Certified simplification: operations, bounds over the largest errors found, and time from robot file to proof.

python -m benchmarks.simplification [puma560 stanford ur5 panda]
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torquec as tq
from benchmarks.peer import SHARED, require
from torquec.expr import count_operations
from torquec.model.quantities import trace_quantity
from torquec.proof.certificate import Certificate
from torquec.proof.checker.check_certificate import check_certificate
from torquec.robot.robot import Robot

SPECIFICATIONS = Path(__file__).parents[1] / "examples" / "specifications"
CASES = {
    "puma560": ("puma560_torque", (63, 42), 60.0),
    "stanford": ("stanford_control", None, 60.0),
    "ur5": ("ur5_torque", (103, 72), None),
    "panda": ("panda_torque", (196, 154), 1800.0),
}
"""Specification, limits of multiplications and additions, limit of the time [s]."""


def main() -> None:
    """Measure and print."""
    chosen = sys.argv[1:] or list(CASES)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for name in chosen:
            _measure(name, pool)


def _measure(name: str, pool: ProcessPoolExecutor) -> None:
    specification, most, longest = CASES[name]
    robot = _robot(name)
    start = time.perf_counter()
    small = tq.simplify(robot, SPECIFICATIONS / f"{specification}.toml", executor=pool, progress=_show)
    proven = time.perf_counter()
    record = small.record
    assert isinstance(record, Certificate)
    check_certificate(robot, record, executor=pool)
    checked = time.perf_counter()
    before = count_operations(trace_quantity(robot, "inverse_dynamics"))
    after = count_operations(record.program)
    print(f"{name}: {before.mul}/{before.add} -> {after.mul}/{after.add} (limit {most})", end=", ")
    print(f"{proven - start:.0f} s (limit {longest}), checked again in {checked - proven:.0f} s")
    for joint, proof in record.joints.items():
        boxes = sum(len(tree) for tree in proof.trees)
        print(
            f"  {joint}: at most {proof.bound:.4g}, {proof.bound / proof.found:.3f} of the largest found, {boxes} boxes"
        )


def _robot(name: str) -> Robot:
    if name in ("ur5", "panda"):
        require()
        return tq.load(SHARED / "models" / f"{name}.urdf")
    return {"puma560": tq.classics.puma560, "stanford": tq.classics.stanford}[name]()


def _show(message: str) -> None:
    print(f"  .. {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
