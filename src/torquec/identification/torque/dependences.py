"""Combinations of parameters that no motion tells apart: columns of a model that depend on each other in every state.

(1)  A(q, qd, qdd) z = 0 for all states, found at random ones: null vectors z of many rows
(2)  base parameters are independent by construction; friction of coupled shafts need not be. The viscosities of two
     joints and of the two motors of a differential between them are four columns of rank three

What no log can determine is no fault of the log: `check_excitation` speaks of the rest. Columns of the user are taken
as independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.torque.torque_columns import friction_block
from torquec.identification.torque.torque_model import TorqueModel

_STATES = 3  # per column, more than enough rows
_DEPENDENT = 1e-9  # of the largest singular value: rounding
_MIXED = 1e-3  # of a null vector: less is rounding of its neighbours


def dependences(model: TorqueModel) -> Array:
    """Null vectors (d, k) of (1), orthonormal; none where every parameter is determined by some motion."""
    rng = np.random.default_rng(0)
    count = len(model.base) + len(model.names)
    q, qd, qdd = rng.uniform(-2.0, 2.0, (3, _STATES * count, model.robot.n))
    load = np.abs(rng.normal(size=q.shape))
    friction = friction_block(model.shafts, model.friction, qd, q=q, load=load)
    columns = np.concatenate([model.rigid(q, qd, qdd), friction], axis=2).reshape(-1, model.size - len(model.columns))
    norms = np.linalg.norm(columns, axis=0)
    norms[norms == 0.0] = 1.0
    _, s, vt = np.linalg.svd(np.linalg.qr(columns / norms, mode="r"))
    null = vt[s <= _DEPENDENT * s[0]] / norms
    whole = np.zeros((len(null), model.size))
    whole[:, : null.shape[1]] = null
    return np.asarray(np.linalg.qr(whole.T)[0].T, dtype=np.float64) if len(null) else whole


def inseparable(null: Array, names: Sequence[str]) -> tuple[str, ...]:
    """The names (k,) that null vectors (d, k) mix.

    >>> inseparable(np.array([[0.0, 0.6, -0.8]]), ["a", "b", "c"])
    ('b', 'c')
    """
    mixed = np.abs(null).max(axis=0, initial=0.0) > _MIXED
    return tuple(name for name, lost in zip(names, mixed, strict=True) if lost)
