"""Operations from a wanted tracking error against hand-made tolerances of the same guarantee, PUMA 560.

The hand-made tolerances are one part of all torque limits, the largest with which the loop keeps the wanted errors.

Run `python -m benchmarks.tracking_budget`: some minutes.
"""

from __future__ import annotations

import numpy as np

import torquec as tq
from torquec.control.tracking_budget import _assumed, _with_errors
from torquec.control.uncertainty import JointUncertainty, TimingUncertainty
from torquec.simplification.specification import parse_specification
from torquec.trajectory import puma560_standard_trajectory

SECONDS = 60.0
STATED = "[every_joint]\nvelocity = 2.5\nacceleration = 10.0\ntracking_error_part = 0.25"


def main() -> None:
    """Print both counts."""
    robot = tq.classics.puma560()
    known = JointUncertainty(friction_part=0.3, position=1e-5, speed="difference")
    sets = tq.Uncertainty(known, timing=TimingUncertainty(1))
    loop = tq.TrackedLoop(-20.0, puma560_standard_trajectory(period=0.001), 0.001, uncertainty=sets)
    found = tq.simplify_for_tracking(robot, parse_specification(STATED, robot), loop, seconds=SECONDS)
    print("from the tracking error:", found.model.operation_count("inverse_dynamics"))
    stated = found.budget.specification
    assert stated is not None
    efforts = np.array([joint.limits.effort for joint in robot.joints])
    low, high = 0.005, 0.08
    for _ in range(6):
        part = float(np.sqrt(low * high))
        kept = found.budget.met_by(loop.guarantee(_assumed(tq.compile(robot), stated, part * efforts)))
        low, high = (part, high) if kept else (low, part)
    by_hand = tq.simplify(robot, _with_errors(stated, low * efforts), seconds=SECONDS)
    print(f"{100 * low:.3g} % of every torque limit:", by_hand.operation_count("inverse_dynamics"))


if __name__ == "__main__":
    main()
