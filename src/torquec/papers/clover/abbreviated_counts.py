"""Operation counts of Clover's abbreviated PUMA 560: matrices, inverse dynamics, linear model, gains.

(1)  matrices: all coefficients of M, B, D, G;  inverse dynamics: torques with friction
(2)  linear model: M, C, K of the abbreviated dynamics
(3)  gains: G1 = M p - K and G2 = M s - C for poles as inputs, continuous (-decay +- j frequency: p = decay^2 +
     frequency^2, s = 2 decay) and sampled (1 - decay +- j frequency, divided by h^2 and h)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torquec.closedform.layouts import CLOVER
from torquec.control.pole_placement import pole_placement_gains
from torquec.dynamics import friction_torque
from torquec.expr import Function, OperationCount, count_operations, inline, trace
from torquec.linearization.abbreviated_linear_model import abbreviated_linear_model
from torquec.papers.clover.abbreviated_torque import STATE, abbreviated_terms
from torquec.robot import classics
from torquec.spatial import Scalar

_PERIOD = 0.002  # [s], of sampled gains: 500 Hz, as the paper's computers reached


def abbreviated_counts() -> dict[str, OperationCount]:
    """Operations of one evaluation, by the names of the paper's table: (1)-(3)."""
    arm = classics.puma560()
    terms = abbreviated_terms()

    def matrices(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
        return {"all": terms.coefficients(q, qd, qdd)}

    def total_torque(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
        rigid, friction = terms.torque(q, qd, qdd), friction_torque(arm, qd)
        return {"tau": [a + b for a, b in zip(rigid, friction, strict=True)]}

    return {
        "matrices": count_operations(trace("matrices", matrices, STATE)),
        "inverse dynamics with friction": count_operations(trace("total_torque", total_torque, STATE)),
        "linear model": count_operations(abbreviated_linear_model(arm)),
        "gains, continuous": count_operations(gains_function(None)),
        "gains, sampled": count_operations(gains_function(_PERIOD)),
    }


def gains_function(period: float | None) -> Function:
    """Gains (3) from the state and poles as inputs; continuous for a period of None."""
    gains = pole_placement_gains(classics.puma560(), rule=CLOVER)

    def algorithm(q: Any, qd: Any, qdd: Any, decay: Any, frequency: Any) -> dict[str, Any]:
        p, s = _stiffness_and_damping(decay, frequency, period)
        found = inline(gains, q[0].graph, {"q": q, "qd": qd, "qdd": qdd, "stiffness": p, "damping": s})
        return {"G1": found["G1"], "G2": found["G2"]}

    return trace("gains", algorithm, STATE | dict.fromkeys(("decay", "frequency"), STATE["q"]))


def _stiffness_and_damping(
    decay: Sequence[Scalar], frequency: Sequence[Scalar], h: float | None
) -> tuple[list[Scalar], list[Scalar]]:
    """p and s of (3)."""
    squares = [a * a + b * b for a, b in zip(decay, frequency, strict=True)]
    if h is None:
        return squares, [a + a for a in decay]
    return [value * (1.0 / h**2) for value in squares], [a * (2.0 / h) for a in decay]
