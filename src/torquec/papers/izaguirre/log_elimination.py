"""Elimination for an estimate: its logs as trajectories, its parameters in the base of Izaguirre et al.

(1)  every log is a trajectory; a single one is cut into five parts of equal duration
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.logs.prepare import prepare
from torquec.identification.result.estimate import Estimate
from torquec.papers.izaguirre.elimination import Elimination, eliminate
from torquec.papers.izaguirre.inward_basis import InwardBasis, inward_basis
from torquec.trajectory.log import Log

_PARTS = 5  # that one log is cut into, as trajectories: the method compares fits between them


def log_elimination(estimate: Estimate, logs: Sequence[Log]) -> tuple[Elimination, InwardBasis]:
    """Which of an estimate's parameters the logs need, in the base of `inward_basis`, and that base."""
    basis = inward_basis(estimate.model)
    rows: list[tuple[Array, Array]] = []
    for log in logs:
        samples = prepare(log, cutoff=estimate.cutoff)
        a = estimate.model.regressor(samples)[samples.used] @ basis.matrix
        tau = samples.tau[samples.used]
        chunks = np.array_split(np.arange(len(a)), 1 if len(logs) > 1 else _PARTS)
        rows += [(a[chunk], tau[chunk]) for chunk in chunks]
    return eliminate(basis.names, rows), basis
