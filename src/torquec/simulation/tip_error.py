"""Errors at the tool: how far a frame is from where the reference has it.

(1)  e(t) = |x(q_ref(t)) - x(q(t))|,   x the origin of the frame
"""

from __future__ import annotations

import numpy as np

from torquec.foundation.arrays import Array
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import SimulationResult


def tip_error(source: Robot | Model, frame: str, result: SimulationResult) -> Array:
    """The distances (S,) [m] of (1) at the recorded samples.

    Raises `ArgumentError` for a frame that the robot does not have.
    """
    pose = as_model(source).frame_pose(frame)
    _, wanted = pose(np.ascontiguousarray(result.q_ref))
    _, reached = pose(np.ascontiguousarray(result.q))
    return np.asarray(np.linalg.norm(wanted - reached, axis=1), dtype=np.float64)
