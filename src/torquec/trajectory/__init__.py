"""Motions of all joints over time: formulas, samples, limits, files."""

from torquec.trajectory.trajectory import Motion, MotionState, Trajectory, trajectory_of

__all__ = ["Motion", "MotionState", "Trajectory", "trajectory_of"]
