"""Certified simplification of eight arms: operations, tightness of the bounds, and time from robot file to proof.

python -m benchmarks.simplification [--minutes 10] [--jobs 2] [puma560 stanford ur5 rx160 kr210 iiwa14 xarm7 panda]

Every arm is a row of a Markdown table. Times are wall-clock times, which mean little on a busy machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torquec as tq
from benchmarks.peer import SHARED, require
from torquec.expr import OperationCount, count_operations
from torquec.model.model import Model
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certificate import Certificate
from torquec.robot.robot import Robot
from torquec.simplification.specification import Specification, load_specification, parse_specification

EXAMPLES = Path(__file__).parents[1] / "examples" / "specifications"
MODELS = SHARED.parent / "data" / "models"

_PART = "[every_joint]\nvelocity = 1.0\nacceleration = 3.0\ntorque_error_part = 0.02\n"
_KR210 = "[every_joint]\nvelocity = 1.5\nacceleration = 3.0\ntorque_error = 20.0\n" + "".join(
    f'[[joint]]\nname = "joint_{name}"\ntorque_error = {error}\n'
    for name, error in (("a1", 60.0), ("a2", 60.0), ("a3", 40.0))
)


@dataclass(frozen=True)
class Case:
    """A robot (a classic, or a file of the collection), its specification (an example, or a text), what is aimed at
    (multiplications and additions), and a joint that is locked at zero.
    """

    robot: str
    specification: str
    aim: tuple[int, int]
    locked: str | None = None


CASES: Mapping[str, Case] = {
    "puma560": Case("puma560", "puma560_torque.toml", (48, 34)),
    "stanford": Case("stanford", "stanford_control.toml", (34, 18)),
    "ur5": Case("ur5.urdf", "ur5_torque.toml", (60, 45)),
    "rx160": Case("staubli_rx160.urdf", _PART, (50, 35)),
    "kr210": Case("kuka_kr210l150.urdf", _KR210, (110, 90)),
    "iiwa14": Case("iiwa14.urdf", _PART, (50, 35)),
    "xarm7": Case("xarm7.urdf", _PART, (100, 85)),
    "panda": Case("panda.urdf", "panda_torque.toml", (120, 105), locked="panda_finger_joint1"),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CASES)}")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    chosen = options.names or list(CASES)
    print("| arm | exact | certified | aim | proven by then [s] | search and proof [s] | check [s] | bound / found |")
    print("|---|---|---|---|---|---|---|---|")
    for name in chosen:
        with ProcessPoolExecutor(options.jobs) as pool:
            _measure(name, CASES[name], options.minutes, pool)


def _measure(name: str, case: Case, minutes: float, pool: ProcessPoolExecutor) -> None:
    robot = _robot(case)
    curve: list[str] = []
    start = time.perf_counter()

    def proven(model: Model) -> None:
        curve.append(f"{time.perf_counter() - start:.0f}: {_shown(model.operation_count('inverse_dynamics'))}")

    small = tq.simplify(
        robot, _specification(case, robot), seconds=60.0 * minutes, executor=pool, progress=_show, on_proven=proven
    )
    found = time.perf_counter()
    record = small.record
    assert isinstance(record, Certificate)
    check_certificate(robot, record)
    checked = time.perf_counter()
    before, after = small.exact.operation_count("inverse_dynamics"), count_operations(record.program)
    ratios = [proof.bound / proof.found for proof in record.joints.values() if proof.found > 0.0]
    cells = [
        name,
        _shown(before),
        _shown(after),
        "{}/{}".format(*case.aim),
        ", ".join(curve) or "-",
        f"{found - start:.0f}",
        f"{checked - found:.0f}",
        f"{max(ratios, default=1.0):.2f}",
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def _robot(case: Case) -> Robot:
    if case.robot.endswith(".urdf"):
        require()
        robot = tq.load(MODELS / case.robot)
        return robot if case.locked is None else tq.lock_joints(robot, {case.locked: 0.0})
    return {"puma560": tq.classics.puma560, "stanford": tq.classics.stanford}[case.robot]()


def _specification(case: Case, robot: Robot) -> Specification:
    if case.specification.endswith(".toml"):
        return load_specification(EXAMPLES / case.specification, robot)
    return parse_specification(case.specification, robot)


def _shown(count: OperationCount) -> str:
    return f"{count.mul}/{count.add}"


def _show(message: str) -> None:
    print(f"  .. {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
