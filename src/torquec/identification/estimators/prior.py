"""A prior: the robot's own inertias (CAD, a URDF), and how strongly an estimate is drawn to them.

(1)  y = (phi, f): standard parameters of bodies and rotors, then friction and further columns;  x = Pi y
(2)  objective:  sum_j w_j^2 |A_j Pi y - tau_j|^2 / c + lambda |L (y - y0)|^2,   c the correlation of the samples
(3)  L' L = blocks of the metric of `pseudo_inertia` at the prior, one per body; next to nothing for the others

Because a body's distance to its prior is measured in its own pseudo-inertia, lambda has no unit and means the same for
a wrist as for a shoulder: about how many independent samples the prior is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.dynamics.regressor import parameter_values
from torquec.foundation.arrays import Array, Indices
from torquec.identification.estimators.joint_factors import JointFactors
from torquec.identification.estimators.pseudo_inertia import WIDTH, metric, thickened
from torquec.identification.torque.torque_model import TorqueModel
from torquec.robot.robot import Robot

_FAINT = 1e-6  # a direction that no prior weighs still has an answer


@dataclass(frozen=True, eq=False)
class Prior:
    """y0 (p + f,), L (p + f, p + f) of (3), Pi (k, p + f), and which entries of y are never negative.

    `friction` marks those of them that are friction; `powers` (m, 3) are the places of viscous, curved and cubic
    friction where a shaft has all three; `bodies` is how many blocks of ten come first.
    """

    center: Array
    root: Array
    projection: Array
    not_negative: Array
    friction: Array
    powers: Indices
    bodies: int

    def rows(self, factors: JointFactors, weights: Array, *, correlation: float, strength: float) -> Array:
        """The triangle of (2) in y: (p + f + 1 columns), the last one the right side."""
        triangle = factors.weighted(weights) / np.sqrt(correlation)
        data = np.column_stack([triangle[:, :-1] @ self.projection, triangle[:, -1]])
        pull = np.sqrt(strength) * self.root
        # Faint rows keep parameters without information where they are.
        faint = _FAINT * np.sqrt(strength) * np.eye(len(self.center))
        lower = np.vstack([pull, faint])
        prior = np.column_stack([lower, lower @ self.center])
        return np.asarray(np.linalg.qr(np.vstack([data, prior]), mode="r"), dtype=np.float64)


def robot_prior(model: TorqueModel, *, robot: Robot | None = None) -> Prior:
    """The prior that a robot's own inertias give (those of `model.robot` unless another is given)."""
    source = model.robot if robot is None else robot
    values = np.array(parameter_values(source))
    bodies = len(source.bodies)
    size = model.projection.shape[1]
    center, root = np.zeros(size), np.zeros((size, size))
    center[: len(values)] = values
    for i in range(bodies):
        block = slice(WIDTH * i, WIDTH * (i + 1))
        own = thickened(values[block])
        center[block] = own
        root[block, block] = np.linalg.cholesky(metric(own)).T
    return Prior(center, root, model.projection, model.not_negative, model.dissipative, model.powers, bodies)
