"""Operations of models simplified to a tracking error, against hand-made torque tolerances: PUMA 560 and UR5.

The hand-made tolerance of a joint is a share of its torque limit, the same for all joints: the largest share with which
the same guarantee meets the allowed tracking errors.

Run `python -m benchmarks.tracking_budget`: some minutes per arm. The UR5 and its drives are those of `../shared/data`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import torquec as tq
from torquec.control.tracking_budget import _assumed, _with_errors
from torquec.control.uncertainty import JointUncertainty, TimingUncertainty
from torquec.robot.robot import Robot
from torquec.simplification.specification import parse_specification
from torquec.trajectory import Trajectory, minimum_jerk, puma560_standard_trajectory

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
STATED = "[every_joint]\nvelocity = 2.5\nacceleration = 10.0\ntracking_error_part = 0.25"


def arm(name: str) -> tuple[Robot, Trajectory]:
    """An arm with its drives, and its motion."""
    if name == "puma560":
        return tq.classics.puma560(), puma560_standard_trajectory(period=0.001)
    with tempfile.TemporaryDirectory() as folder:
        for source, suffix in ((SHARED / "models", ".urdf"), (SHARED / "drives", ".drives.toml")):
            shutil.copy(source / f"{name}{suffix}", folder)
        robot = tq.load(Path(folder) / f"{name}.urdf")
    return robot, minimum_jerk(np.zeros(robot.n), np.full(robot.n, 0.5), 1.0, joints=robot.joint_names)


def main(name: str, seconds: float = 60.0) -> None:
    """Print both counts of an arm."""
    robot, motion = arm(name)
    known = JointUncertainty(friction_part=0.3, position=1e-5, speed="difference")
    loop = tq.TrackedLoop(-20.0, motion, 0.001, uncertainty=tq.Uncertainty(known, timing=TimingUncertainty(1)))
    found = tq.simplify_for_tracking(robot, parse_specification(STATED, robot), loop, seconds=seconds)
    print(f"{name} from the tracking error:", found.model.operation_count("inverse_dynamics"), flush=True)
    stated = found.budget.specification
    assert stated is not None
    efforts = np.array([joint.limits.effort for joint in robot.joints])
    low, high = 0.0005, 0.08
    for _ in range(8):
        part = float(np.sqrt(low * high))
        kept = found.budget.met_by(loop.guarantee(_assumed(tq.compile(robot), stated, part * efforts)))
        low, high = (part, high) if kept else (low, part)
    by_hand = tq.simplify(robot, _with_errors(stated, low * efforts), seconds=seconds)
    print(f"{name} with {100 * low:.3g} % of every torque limit:", by_hand.operation_count("inverse_dynamics"))


if __name__ == "__main__":
    for each in sys.argv[1:] or ("puma560", "ur5"):
        main(each)
