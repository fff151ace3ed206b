"""A payload from a loaded run: what the hand carries, once the robot without it is identified.

(1)  tau_loaded - tau_predicted(unloaded) = Y_e pi,   Y_e the regressor's ten columns of the body that carries it
(2)  pi is seen from the body's frame; a frame on the body sees it through its pose
"""

from __future__ import annotations

import numpy as np

from torquec.errors import ArgumentError
from torquec.identification.estimate import Estimate
from torquec.identification.prepare import prepare
from torquec.identification.pseudo_inertia import WIDTH
from torquec.robot.robot import BASE
from torquec.spatial import Inertia
from torquec.trajectory.log import Log

_WEAK = 1e-6


def identify_payload(estimate: Estimate, frame: str, loaded: Log) -> Inertia:
    """The payload on a frame, about its origin and in its axes, from a log of the loaded robot (1), (2).

    Parameters that the motion does not excite are zero. Raises `ArgumentError` for a frame on the base.
    """
    robot = estimate.model.robot
    carrier = robot.frame(frame)
    if carrier.body == BASE:
        raise ArgumentError(f"frame '{frame}' is on the base", remedy="name a frame that moves")
    samples = prepare(loaded, cutoff=estimate.cutoff)
    columns = slice(WIDTH * carrier.body, WIDTH * (carrier.body + 1))
    y = np.asarray(estimate.model.model.regressor(samples.q, samples.qd, samples.qdd))[:, :, columns]
    missing = samples.tau - estimate.model.regressor(samples) @ estimate.x
    a, b = samples.low_passed(y)[samples.used].reshape(-1, WIDTH), missing[samples.used].ravel()
    scale = np.maximum(np.linalg.norm(a, axis=0), np.finfo(float).tiny ** 0.5)
    values = np.linalg.lstsq(a / scale, b, rcond=_WEAK)[0] / scale
    return Inertia(*(float(value) for value in values)).transformed(carrier.pose.inverse())
