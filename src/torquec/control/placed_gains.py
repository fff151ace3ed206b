"""Gains at one point of a trajectory, by the closed formula or by a general pole placement routine.

(1)  closed formula: G1 = M diag(p) - K, G2 = M diag(s) - C; every joint gets its own pair, any pair may repeat
(2)  `scipy.signal.place_poles` chooses, among all gains with these poles, such that eigenvectors are well conditioned.
     It cannot place a pole more often than B has independent columns, which is n: two equal real poles in every joint
     are 2n times the same pole, and such a request gets (1).
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.control.poles import JointPoles
from torquec.control.robustness import make_loop
from torquec.errors import MissingExtraError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.linearization.linearize import LinearModel


class Placement(StrEnum):
    """How gains are found."""

    FORMULA = "formula"
    ROBUST = "robust"


@dataclass(frozen=True, eq=False)
class PlacedGains:
    """Gains (n, n) of position and speed errors, how they were found, and why not as asked (empty if as asked)."""

    G1: Array
    G2: Array
    placement: Placement
    note: str = ""


def placed_gains(model: LinearModel, poles: JointPoles, placement: Placement | str = Placement.FORMULA) -> PlacedGains:
    """Gains that place the poles of a linear model, tau = tau_ref + G1 e + G2 ed.

    Raises `ArgumentError` for a placement that is none of the choices, `MissingExtraError` where ROBUST is asked for
    and scipy is not installed.
    """
    asked = chosen(Placement, placement, "placement")
    loop = make_loop(model, poles)
    formula = loop.gains(model.M, model.C, model.K)
    n = model.n
    if asked is Placement.FORMULA:
        return PlacedGains(formula[:, :n], formula[:, n:], Placement.FORMULA)
    pole, times = Counter(poles.values).most_common(1)[0]
    if times > n:
        note = (
            f"pole {pole:g} is asked for {times} times, and a general routine can place it at most {n} times, once for "
            f"each independent input; the closed formula has no such limit and was used"
        )
        return PlacedGains(formula[:, :n], formula[:, n:], Placement.FORMULA, note)
    try:
        from scipy.signal import place_poles
    except ImportError:
        raise MissingExtraError("scipy", "optimize", "robust pole placement") from None
    with warnings.catch_warnings():
        # It warns where the eigenvectors could still be better; the poles are placed all the same.
        warnings.simplefilter("ignore", UserWarning)
        found = np.asarray(place_poles(model.A, model.B, np.array(poles.values)).gain_matrix, dtype=np.float64)
    return PlacedGains(found[:, :n], found[:, n:], Placement.ROBUST)
