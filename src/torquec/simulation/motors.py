"""DC motors behind current amplifiers, one per joint.

(1)  wanted current     i_w = tau_w / (k N)                       k torque constant, N gear ratio
(2)  voltage            V = clip(R i + e N qd + L w (i_w - i), +-V_max)      w bandwidth of the current loop
(3)  current            di/dt = (V - R i - e N qd) / L
(4)  torque             tau = k N i

Well within the supply, (3) is di/dt = w (i_w - i); at high speed the back-EMF e N qd takes the voltage away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from torquec.errors import ArgumentError
from torquec.expr.math import maximum, minimum
from torquec.spatial import Scalar


@dataclass(frozen=True)
class DcMotor:
    """A motor, its gear and its amplifier, in SI units; raises `ArgumentError` for values that are not positive."""

    torque_constant: float
    """[Nm/A]; the back-EMF constant [V s/rad] is the same number."""
    gear_ratio: float
    """Motor turns per joint turn; negative where the joint turns the other way."""
    resistance: float
    inductance: float
    supply: float
    """[V]"""
    bandwidth: float = 2000.0
    """Of the current loop [rad/s]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and (value > 0.0 or (field.name == "gear_ratio" and value != 0.0))):
                raise ArgumentError(
                    f"a motor has the {field.name.replace('_', ' ')} {value!r}", remedy="give a positive number"
                )

    @property
    def torque_per_ampere(self) -> float:
        """At the joint (4)."""
        return self.torque_constant * self.gear_ratio

    @property
    def back_emf_damping(self) -> float:
        """(k N)^2/R at the joint [Nm s/rad]: its damping where the voltage is held, not the current."""
        return self.torque_per_ampere**2 / self.resistance

    def current_rate(self, current: Scalar, qd: Scalar, wanted: Scalar) -> Scalar:
        """di/dt (1)-(3) at a joint speed qd, `wanted` the torque asked for."""
        loss = self.resistance * current + self.torque_per_ampere * qd
        error = wanted * (1.0 / self.torque_per_ampere) - current
        voltage = loss + (self.inductance * self.bandwidth) * error
        voltage = minimum(self.supply, maximum(-self.supply, voltage))
        return (voltage - loss) * (1.0 / self.inductance)
