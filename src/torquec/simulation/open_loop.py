"""Open-loop trajectory following (Izaguirre et al., 7.2): how far a model alone carries the robot.

(1)  tau = inverse dynamics and friction of the reference, and no feedback
(2)  the same, with the gravity torque of where the robot is instead of where it should be: on-line compensation

An error of the model, or of its parameters, grows freely; what remains is a test of the model. With (2) the arm weighs
nothing, so that its own errors do not pull it further away.
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.control.independent_joint import feedforward_torque
from torquec.model.model import Model
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import DEFAULT_OPTIONS, LoopOptions, SimulationResult, simulate
from torquec.simulation.plant import Plant
from torquec.trajectory.trajectory import Trajectory


@dataclass(frozen=True)
class OpenLoopResult:
    """The two runs: (1) and (2)."""

    plain: SimulationResult
    with_online_gravity: SimulationResult


def follow_in_open_loop(
    plant: Plant | Robot | Model,
    model: Robot | Model,
    trajectory: Trajectory,
    *,
    options: LoopOptions = DEFAULT_OPTIONS,
) -> OpenLoopResult:
    """Drive the plant with the torques that `model` computes for the trajectory, (1) and (2)."""
    runs = [
        simulate(plant, feedforward_torque(model, online_gravity=online), trajectory, options=options)
        for online in (False, True)
    ]
    return OpenLoopResult(*runs)
