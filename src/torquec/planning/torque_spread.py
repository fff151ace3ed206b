"""Torque range under parameter uncertainty: torques of all robots in stated sets of bodies, payload, friction, drives.

A robot of the sets needs, for the motion q(t) itself,

(1)  tau = tau_0 + Y(q, qd, qdd) C x + f,    tau_0 the model's torque, x_k within centre_k -+ half_k; the first `ball`
     of x together have a length of at most 1 (an ellipsoid of parameters)
(2)  |f_j| <= part_j sum |terms of the nominal friction| + fixed_j

C maps each unknown to standard parameters of bodies: a fraction of one of them, or a parameter of a payload. Sensor
errors and delays do not belong here: they concern the controller that follows the motion.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Protocol

from torquec.dynamics import inverse_dynamics, regressor
from torquec.dynamics.friction import terms_of
from torquec.dynamics.friction_torque import rubbing_shafts
from torquec.expr import Function, trace
from torquec.expr.math import absolute, sqrt
from torquec.foundation.arrays import Array
from torquec.model.model import Model
from torquec.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class TorqueSpread:
    """`columns` C (10 bodies + motors, k), `centre`, `half` (k,) and `ball` of (1); `friction_part`, `fixed` (n,)."""

    columns: Array
    centre: Array
    half: Array
    friction_part: Array
    fixed: Array
    ball: int = 0

    def program(self, model: Model) -> Function:
        """The program (q, qd, qdd) -> least and largest torque `low`, `high` (n,) of all robots in the sets."""
        robot = model.robot
        kept = [[(int(p), float(column[p])) for p in column.nonzero()[0]] for column in self.columns.T]

        def algorithm(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
            rows = regressor(robot, q, qd, qdd) if kept else [[]] * robot.n
            load = inverse_dynamics(robot, q, qd, qdd)
            rubbing = _friction_sizes(robot, qd, load)
            low, high = [], []
            for j, torque in enumerate(model.at("total_torque", q, qd, qdd)):
                wide: Any = float(self.friction_part[j]) * rubbing[j] + float(self.fixed[j])
                middle: Any = torque
                entries = [sum((rows[j][p] * size for p, size in column), 0.0) for column in kept]
                if self.ball:
                    wide = wide + sqrt(sum((entry * entry for entry in entries[: self.ball]), 0.0))
                boxes = zip(entries, self.centre.tolist(), self.half.tolist(), strict=True)
                for entry, centre, half in itertools.islice(boxes, self.ball, None):
                    middle, wide = middle + centre * entry, wide + half * absolute(entry)
                low.append(middle - wide)
                high.append(middle + wide)
            return {"low": low, "high": high}

        return trace("torque_spread", algorithm, dict.fromkeys(("q", "qd", "qdd"), (robot.n,)))


class StatedSets(Protocol):
    """Uncertain parameters of a robot, such as `Uncertainty`."""

    def torque_spread(self, robot: Robot) -> TorqueSpread:
        """The torque range that this uncertainty causes."""


def _friction_sizes(robot: Robot, qd: Any, load: Any) -> list[Any]:
    """The sum of the magnitudes of all friction terms, at the joints, (n,)."""
    sizes: list[Any] = [0.0] * robot.n
    for shaft in rubbing_shafts(robot):
        state = shaft.state(qd, load, None)
        size = sum((absolute(term.torque(shaft.friction, state)) for term in terms_of(shaft.friction)), 0.0)
        sizes = [own + abs(float(ratio)) * size if ratio else own for own, ratio in zip(sizes, shaft.row, strict=True)]
    return sizes
