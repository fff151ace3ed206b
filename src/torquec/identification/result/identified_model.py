"""The model of an estimate: the one of its robot, which has words for everything that has a formula.

(1)  total torque = rigid bodies + rotors + friction with all its terms + counterbalances: what the estimator fitted
(2)  left out: recorded columns, which have no formula, and the memory of friction that turns over a distance, which
     is a step here
"""

from __future__ import annotations

from torquec.identification.result.estimate import Estimate
from torquec.identification.result.estimate_parameters import estimate_parameters
from torquec.model.model import Model, ModelKind

QUANTITY = "total_torque"


def identified_model(estimate: Estimate) -> Model:
    """The compiled robot of an estimate (1), with its parameters and covariance: for code, control and simulation."""
    return Model(estimate.robot, kind=ModelKind.IDENTIFIED, parameters=estimate_parameters(estimate))


def not_in_code(estimate: Estimate) -> tuple[str, ...]:
    """What of an estimate its model does not hold (2)."""
    return estimate.unbound
