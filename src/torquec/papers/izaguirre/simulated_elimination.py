"""The identification experiment of Izaguirre et al. (section 7), simulated: short runs, then elimination.

(1)  speeds and accelerations by central differences alone: the low-pass filter is opened to almost the Nyquist rate
(2)  15 samples are cut at each end of a run
(3)  stepwise elimination in the base of section 6.1 (`elimination`, `inward_basis`)
(4)  gravity of the PUMA 260's shoulder: g2 = c12 C2 + c13 S23 + c15 (S23 C5 + C23 C4 S5)
"""

from __future__ import annotations

import math

from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.torque_model import TorqueModel
from torquec.model.model import compile
from torquec.papers.izaguirre.elimination import Elimination, eliminate
from torquec.papers.izaguirre.inward_basis import InwardBasis
from torquec.papers.izaguirre.simulated_runs import PERIOD, MeasurementNoise, simulated_runs
from torquec.robot.robot import Robot

_CUTOFF = 0.49  # of the sampling rate (1)
_EDGE = 15  # samples (2)
_NOISE = MeasurementNoise()


def simulated_elimination(
    model: TorqueModel, basis: InwardBasis, *, noise: MeasurementNoise = _NOISE, seed: int = 0
) -> Elimination:
    """Eliminate parameters of `basis` that ten simulated runs of the model's robot do not need (1)-(3)."""
    logs = simulated_runs(model.robot, noise=noise, seed=seed)
    runs = [prepare(log, cutoff=_CUTOFF / PERIOD, edge=_EDGE * PERIOD) for log in logs]
    return eliminate(basis.names, [(model.regressor(run)[run.used] @ basis.matrix, run.tau[run.used]) for run in runs])


def gravity_coefficients(robot: Robot) -> tuple[float, float, float]:
    """c12, c13 and c15 of (4) [N m] for a PUMA 260, from its gravity torques at three positions."""
    quarter = math.pi / 2.0
    arm = compile(robot)
    hanging = arm.gravity_torque([0.0, quarter, 0.0, 0.0, quarter, 0.0])[1]
    bent = arm.gravity_torque([0.0, quarter, 0.0, 0.0, 0.0, 0.0])[1]
    level = arm.gravity_torque([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])[1]
    return float(level), float(hanging), float(bent - hanging)
