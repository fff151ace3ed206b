"""Exciting motions by exact gradients against a random search with the same time limit.

    python -m benchmarks.excitation [ROBOT ...] [--evaluations 3000]

ROBOT is a classic or a robot file. The random search has the same motions, limits and criterion; it starts at the best
of as many random motions, and adapts its step size to its success rate (one-fifth rule). Compiling is not timed.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

import torquec as tq
from torquec.foundation.one_thread import one_thread
from torquec.identification.excitation.excitation import excitation
from torquec.identification.excitation.excitation_options import Criterion, ExcitationOptions
from torquec.identification.excitation.motion_basis import ExcitationProblem, FourierBasis
from torquec.identification.excitation.motion_limits import motion_limits
from torquec.identification.excitation.regressor_information import RegressorInformation, regressor_conditions
from torquec.robot import classics
from torquec.robot.robot import Robot

ROOM = 0.95
STARTS = 40


def random_search(robot: Robot, seconds: float) -> tuple[float, float]:
    """Condition numbers, plain and with unit columns, of what a random search finds in the time."""
    basis = FourierBasis(10.0, 5)
    problem = ExcitationProblem(RegressorInformation(robot), motion_limits(robot), basis, Criterion.CONDITION)
    rng = np.random.default_rng(0)

    def cost(x: np.ndarray) -> float:
        return problem.value(x) if problem.shares(x).max() <= ROOM else math.inf

    def start() -> np.ndarray:
        x = 0.2 * rng.normal(size=problem.shape)
        return x * ROOM / max(ROOM, float(problem.shares(x).max()))

    cost(start())  # compiled
    end = time.process_time() + seconds
    best, x = min(((cost(each), each) for each in (start() for _ in range(STARTS))), key=lambda pair: pair[0])
    step = 0.1
    while time.process_time() < end:
        moved = x + step * rng.normal(size=x.shape) * (rng.uniform(size=x.shape) < 0.3)
        tried = cost(moved)
        step = min(1.0, max(1e-3, step * (1.5 if tried < best else 0.9036)))
        if tried < best:
            best, x = tried, moved
    times = np.arange(0.0, basis.duration, 0.005)
    return regressor_conditions(problem.information.rows(basis.motion(problem.coefficients(x)).at(times)))


def main() -> None:
    """One line per robot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*", default=["puma560", "stanford"])
    parser.add_argument("--evaluations", type=int, default=3000)
    options = parser.parse_args()
    for name in options.robots:
        robot = classics.load_classic(name) if name in classics.names() else tq.load(name)
        excitation(robot, options=ExcitationOptions(evaluations=120))  # compiled
        with one_thread():
            begin = time.process_time()
            found = excitation(robot, options=ExcitationOptions(evaluations=options.evaluations))
            seconds = time.process_time() - begin
            plain, unit = random_search(robot, seconds)
        print(
            f"{robot.name}: {seconds:.1f} s, condition {found.condition:.2f} (unit columns "
            f"{found.unit_condition:.2f}), limits kept: {found.limits_kept}; random search {plain:.2f} ({unit:.2f})"
        )


if __name__ == "__main__":
    main()
