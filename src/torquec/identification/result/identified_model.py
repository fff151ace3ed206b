"""The model of an estimate: its robot's, with total torques that hold also what a robot has no words for.

(1)  total torque = rigid bodies + rotors + friction of the robot + load and curved friction + gas springs
(2)  load: |torque of the prior model| on the shaft;  curved: s |s|;  gas spring as in `torque_columns`
(3)  left out: Stribeck terms (generated code has no exponential function), recorded columns, and how Coulomb friction
     turns over, which is a step here
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.dynamics.total_torque import total_torque
from torquec.expr import Function, trace
from torquec.expr.math import absolute, select, sincos, sqrt
from torquec.identification.result.estimate import Estimate
from torquec.identification.torque.coulomb_shape import STEP
from torquec.identification.torque.parameter_kind import ParameterKind
from torquec.identification.torque.torque_columns import FrictionShaft, FrictionTerm, GasSpring
from torquec.model.model import Model

QUANTITY = "total_torque"


def identified_model(estimate: Estimate) -> Model:
    """The compiled robot of an estimate, whose `total_torque` is (1): for code, control and simulation."""
    return Model(estimate.robot, MappingProxyType({QUANTITY: identified_torque(estimate)}))


def identified_torque(estimate: Estimate) -> Function:
    """(1) as a program (q, qd, qdd) -> tau (n,)."""
    robot, n = estimate.robot, estimate.robot.n

    def program(q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
        tau = total_torque(robot, q, qd, qdd)
        heavy = estimate.model.friction.has(FrictionTerm.LOAD)
        load = inverse_dynamics(estimate.model.robot, q, qd, qdd) if heavy else [0.0] * n
        for shaft in estimate.model.shafts:
            extra = _extra(estimate, shaft, qd, load)
            tau = [t if ratio == 0.0 else t + ratio * extra for t, ratio in zip(tau, shaft.row, strict=True)]
        for column in estimate.model.columns:
            if isinstance(column, GasSpring):
                j = robot.joint_index(column.joint)
                tau[j] = tau[j] + _value(estimate, column.name) * _gas_spring(column, q[j])
        return {"tau": tau}

    return trace(QUANTITY, program, {"q": (n,), "qd": (n,), "qdd": (n,)})


def not_in_code(estimate: Estimate) -> tuple[str, ...]:
    """What of an estimate its model does not hold (3)."""
    kinds = zip(estimate.names, estimate.model.kinds, strict=True)
    inner = tuple(name for name, kind in kinds if kind is ParameterKind.STRIBECK)
    turning = () if estimate.model.friction.shape == STEP else ("coulomb turnover",)
    columns = tuple(column.name for column in estimate.model.columns if not isinstance(column, GasSpring))
    return (*inner, *turning, *columns)


def _extra(estimate: Estimate, shaft: FrictionShaft, qd: Sequence[Any], load: Sequence[Any]) -> Any:
    """(2) of one shaft."""
    speed: Any = 0.0
    weight: Any = 0.0
    for ratio, joint_speed, torque in zip(shaft.row, qd, load, strict=True):
        if ratio != 0.0:
            speed = speed + ratio * joint_speed
            weight = weight + abs(ratio) * absolute(torque)
    loaded, curved = (_value(estimate, f"{term}_{shaft.name}") for term in (FrictionTerm.LOAD, FrictionTerm.CURVED))
    return select(speed, loaded, -loaded) * weight + curved * speed * absolute(speed)


def _gas_spring(column: GasSpring, angle: Any) -> Any:
    """Its torque per unit of the parameter, as in `torque_columns` (4)."""
    s, c = sincos(angle + column.angle)
    length = sqrt(column.base**2 + column.lever**2 - 2.0 * column.base * column.lever * c)
    stroke = length - column.base + column.lever
    arm = s * (column.base * column.lever) / length
    return arm * (column.area * column.pressure_volume) / (column.volume - stroke * column.area)


def _value(estimate: Estimate, name: str) -> float:
    return float(estimate.x[estimate.names.index(name)]) if name in estimate.names else 0.0
