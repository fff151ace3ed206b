"""Fewer parameters: those that contribute too little go, the others are identified again."""

from torquec.identification.elimination.elimination import Elimination, eliminate
from torquec.identification.elimination.inward_basis import InwardBasis, inward_basis
from torquec.identification.elimination.log_elimination import log_elimination
from torquec.identification.elimination.simulated_runs import MeasurementNoise, simulated_runs
from torquec.identification.elimination.trajectory_fits import TrajectoryFits, fit_trajectories

__all__ = [
    "Elimination",
    "InwardBasis",
    "MeasurementNoise",
    "TrajectoryFits",
    "eliminate",
    "fit_trajectories",
    "inward_basis",
    "log_elimination",
    "simulated_runs",
]
