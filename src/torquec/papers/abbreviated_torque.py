"""Clover's abbreviated PUMA 560 (chapter II, Appendix A): torques, errors of Tables III and IV, operation counts.

(1)  tau = M(q) qdd + B(q) [qd_j qd_k] + D(q) [qd_j^2] + G(q), multiple-angle series, coefficients below 0.01 dropped
     and the others rounded to four digits; the tables leave out the gravity terms of joint 5
(2)  Table III: all joints from 0 to 2 pi in 1.5 s, minimum jerk, every 0.01 s
(3)  Table IV: positions uniform in [0, 2 pi), speeds of +-10 rad/s and accelerations of +-100 rad/s^2 by random signs

Operation counts:

(4)  matrices: all coefficients of M, B, D, G;  inverse dynamics: torques with friction
(5)  linear model: M, C, K of the abbreviated dynamics
(6)  gains: G1 = M p - K and G2 = M s - C for poles as inputs, continuous (-decay +- j frequency: p = decay^2 +
     frequency^2, s = 2 decay) and sampled (1 - decay +- j frequency, divided by h^2 and h)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.closedform import FourierSeries
from torquec.closedform.closed_form import closed_form
from torquec.closedform.fourier import CLOVER
from torquec.closedform.layouts import Entry, Matrix, Part, entries
from torquec.closedform.shared_sums import SharedSums
from torquec.control.pole_placement import pole_placement_gains
from torquec.dynamics import friction_torque
from torquec.expr import Function, OperationCount, count_operations, evaluate, inline, trace
from torquec.foundation.arrays import Array
from torquec.linearization.abbreviated_linear_model import abbreviated_linear_model
from torquec.model.model import compile
from torquec.robot import classics
from torquec.spatial import Scalar
from torquec.trajectory import minimum_jerk

_JOINTS = 6  # of the PUMA 560
_FIFTH_JOINT = 4  # index of the joint whose gravity terms the tables leave out
STATE = dict.fromkeys(("q", "qd", "qdd"), (_JOINTS,))
"""Inputs of the programs of this file."""

_DURATION, _MOTION_PERIOD = 1.5, 0.01  # [s], (2)
_RANDOM_STATES = 12_000  # (3)
_SPEED, _ACCELERATION = 10.0, 100.0  # [rad/s], [rad/s^2], (3)


@dataclass(frozen=True, eq=False)
class AbbreviatedTerms:
    """The entries of (1), and a program for them that shares sines, cosines and sums; keys are indices in `entries`."""

    entries: tuple[Entry, ...]
    sums: SharedSums

    def coefficients(self, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """The value of every entry."""
        values = self.sums.values(q, qd, qdd)
        return [values[k] for k in range(len(self.entries))]

    def torque(self, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """Torques (6,) by (1), without friction."""
        total: list[Scalar] = [0.0] * _JOINTS
        for entry, value in zip(self.entries, self.coefficients(q, qd, qdd), strict=True):
            i, *rest = entry.index
            if entry.matrix is Matrix.M:
                (j,) = rest
                total[i] = total[i] + value * qdd[j]
                if i != j:
                    total[j] = total[j] + value * qdd[i]
            elif entry.matrix is Matrix.G_TORQUE:
                total[i] = total[i] + value
            else:
                total[i] = total[i] + value * (qd[rest[0]] * qd[rest[-1]])
        return total


def abbreviated_terms() -> AbbreviatedTerms:
    """The PUMA 560 by (1)."""
    found = []
    form = closed_form(classics.puma560())
    for matrix in (Matrix.M, Matrix.B, Matrix.D, Matrix.G_TORQUE):
        for entry in entries(form, matrix, CLOVER):
            (part,) = entry.parts
            value = part.value
            if matrix is Matrix.G_TORQUE and isinstance(value, FourierSeries):
                value = FourierSeries({h: c for h, c in value.terms.items() if _FIFTH_JOINT not in dict(h.multiples)})
            if value.terms:
                found.append(Entry(matrix, entry.index, (Part(value),)))
    return AbbreviatedTerms(tuple(found), SharedSums(dict(enumerate(found))))


def abbreviated_torque_function() -> Function:
    """Inverse dynamics without friction (1): q, qd, qdd (6,) to tau (6,)."""
    terms = abbreviated_terms()
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": terms.torque(q, qd, qdd)}, STATE)


def table_iii_errors(function: Function) -> Array:
    """Exact minus abbreviated torques (151, 6) [N m] along the motion (2)."""
    motion = minimum_jerk(np.zeros(_JOINTS), np.full(_JOINTS, 2.0 * math.pi), _DURATION, period=_MOTION_PERIOD)
    return _errors(function, motion.q, motion.qd, motion.qdd)


def table_iv_errors(function: Function, *, seed: int = 4) -> Array:
    """Exact minus abbreviated torques (12000, 6) [N m] at random states (3)."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], (2, _RANDOM_STATES, _JOINTS))
    q = rng.uniform(0.0, 2.0 * math.pi, (_RANDOM_STATES, _JOINTS))
    return _errors(function, q, _SPEED * signs[0], _ACCELERATION * signs[1])


def _errors(function: Function, q: Array, qd: Array, qdd: Array) -> Array:
    exact = np.asarray(compile(classics.puma560()).inverse_dynamics(q, qd, qdd))
    difference: Array = exact - np.asarray(evaluate(function, {"q": q, "qd": qd, "qdd": qdd})["tau"])
    return difference


_PERIOD = 0.002  # [s], of sampled gains: 500 Hz, as the paper's computers reached


def abbreviated_counts() -> dict[str, OperationCount]:
    """Operations of one evaluation, by the names of the paper's table: (4)-(6)."""
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
    """Gains (6) from the state and poles as inputs; continuous for a period of None."""
    gains = pole_placement_gains(classics.puma560(), rule=CLOVER)

    def algorithm(q: Any, qd: Any, qdd: Any, decay: Any, frequency: Any) -> dict[str, Any]:
        p, s = _stiffness_and_damping(decay, frequency, period)
        found = inline(gains, q[0].graph, {"q": q, "qd": qd, "qdd": qdd, "stiffness": p, "damping": s})
        return {"G1": found["G1"], "G2": found["G2"]}

    return trace("gains", algorithm, STATE | dict.fromkeys(("decay", "frequency"), STATE["q"]))


def _stiffness_and_damping(
    decay: Sequence[Scalar], frequency: Sequence[Scalar], h: float | None
) -> tuple[list[Scalar], list[Scalar]]:
    """p and s of (6)."""
    squares = [a * a + b * b for a, b in zip(decay, frequency, strict=True)]
    if h is None:
        return squares, [a + a for a in decay]
    return [value * (1.0 / h**2) for value in squares], [a * (2.0 / h) for a in decay]
