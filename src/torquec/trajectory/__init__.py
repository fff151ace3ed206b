"""Joint trajectories: formulas, samples, limits, files; logs recorded from a robot."""

from torquec.trajectory.csv_file import read_trajectory, write_trajectory
from torquec.trajectory.fourier_motion import FourierMotion, fourier_motion
from torquec.trajectory.limits import LimitKind, Violation, check_joints, check_limits, limit_violations
from torquec.trajectory.log import Log, LogFinding
from torquec.trajectory.log_map import LogMap, read_log_map
from torquec.trajectory.polynomial_motion import (
    PolynomialMotion,
    minimum_jerk,
    puma560_standard_trajectory,
    quintic_spline,
)
from torquec.trajectory.read_log import read_log, read_log_chunks
from torquec.trajectory.trajectory import Motion, MotionState, Trajectory, trajectory_of

__all__ = [
    "FourierMotion",
    "LimitKind",
    "Log",
    "LogFinding",
    "LogMap",
    "Motion",
    "MotionState",
    "PolynomialMotion",
    "Trajectory",
    "Violation",
    "check_joints",
    "check_limits",
    "fourier_motion",
    "limit_violations",
    "minimum_jerk",
    "puma560_standard_trajectory",
    "quintic_spline",
    "read_log",
    "read_log_chunks",
    "read_log_map",
    "read_trajectory",
    "trajectory_of",
    "write_trajectory",
]
