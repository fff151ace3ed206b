"""Joint loop with a PD controller: gains, damping, and the model errors that it tolerates (Chang & Lee, III).

Everything here is at the motor's shaft, as in the paper; n is joint motion per shaft motion.

(9)  0 <= K_p <= J_0 omega_0^2 R_a / (4 K_a)                   half the structural resonance at most; (12): equality
(11) K_v >= (2 sqrt(K_a K_p R_a J) - R_a f - K_a K_b) / K_a     no overshoot, damping (10) of at least one
(13) K_v = (R_a omega_0 sqrt(J_0 J^c) - R_a f^c - K_a K_b) / K_a
(14) damping' = sqrt(J^c / J) + (f - f^c) / (omega_0 sqrt(J_0 J))
(15) damping' = 1 - 1/2 dJ / J: the damping is within 1 -+ delta where |dJ| <= 2 delta J
(20) step:       max |dG| <= J_0 omega_0^2 / (4 n) * error
(21) ramp:       max |dX| <= |X|max / tau_0 * J_0 omega_0^2 / (4 n) * error,        X = G, H_jk, V
(22) parabolic:  max |dX| <= |X|max / tau_1 * (J_0 omega_0^2 / (4 n) * error - 2 delta |J_ii|max / n),  X = .., J_ij

With delta = 0.05 the last bracket has the paper's |J_ii|max / (10 n). tau_0 and tau_1 are sums over all X of |X|max
times the speeds and accelerations that go with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.simplification.specification import ControlRequirement, MotorData


@dataclass(frozen=True)
class ShaftLoop:
    """The loop at the motor's shaft: J_0 [kg m^2], omega_0 [rad/s], n, R_a, K_a, K_b, f."""

    J0: float
    omega0: float
    n: float
    Ra: float
    Ka: float
    Kb: float
    f: float

    @staticmethod
    def of(motor: MotorData) -> ShaftLoop:
        """A motor whose inertia is stated at the joint: at the shaft it is n^2 times as large."""
        n = motor.gear_ratio
        return ShaftLoop(
            J0=n * n * motor.inertia,
            omega0=motor.resonance,
            n=n,
            Ra=motor.armature_resistance,
            Ka=motor.torque_constant,
            Kb=motor.back_emf_constant,
            f=motor.viscous_friction,
        )

    @property
    def position_gain(self) -> float:
        """K_p of (12), the largest that (9) allows."""
        return self.J0 * self.omega0**2 * self.Ra / (4.0 * self.Ka)

    def velocity_gain(self, J: float) -> float:
        """K_v of (13) for a computed inertia J at the shaft: critical damping with `position_gain`."""
        return (self.Ra * self.omega0 * math.sqrt(self.J0 * J) - self.Ra * self.f - self.Ka * self.Kb) / self.Ka

    def damping(self, J: float, *, position_gain: float, velocity_gain: float) -> float:
        """The damping coefficient (10) for an actual inertia J and any gains."""
        speed = self.Ra * self.f + self.Ka * self.Kb + self.Ka * velocity_gain
        return speed / (2.0 * math.sqrt(position_gain * self.Ka * self.Ra * J))

    @property
    def stiffness(self) -> float:
        """J_0 omega_0^2 / (4 n): the joint torque for a radian of the shaft."""
        return self.J0 * self.omega0**2 / (4.0 * self.n)


def inertia_tolerance(control: ControlRequirement) -> float:
    """The relative error of J_ii that keeps the damping (15).

    >>> inertia_tolerance(ControlRequirement(damping_error=0.05))
    0.1
    """
    return 2.0 * control.damping_error


def step_budget(motor: MotorData, control: ControlRequirement) -> float:
    """The error of the gravity torque that the step error allows (20) [N m, N]; infinite without a requirement."""
    return _budget(motor, control.step_error)


def ramp_budget(motor: MotorData, control: ControlRequirement) -> float:
    """The torque error that the ramp error allows, to be shared by (21)."""
    return _budget(motor, control.ramp_error)


def parabolic_budget(motor: MotorData, control: ControlRequirement, largest_inertia: float) -> float:
    """The torque error that the parabolic error allows, to be shared by (22); negative where it allows none.

    `largest_inertia` is |J_ii|max at the joint.
    """
    loop = ShaftLoop.of(motor)
    shaft_inertia = loop.n**2 * largest_inertia
    # The command is a unit of joint acceleration: 1 / n at the shaft.
    return _budget(motor, control.parabolic_error) - inertia_tolerance(control) * shaft_inertia / loop.n / loop.n


def smallest_parabolic_error(motor: MotorData, control: ControlRequirement, largest_inertia: float) -> float:
    """Smallest achievable parabolic error [rad, m], caused by the tolerance of the inertia alone."""
    return inertia_tolerance(control) * largest_inertia / _budget(motor, 1.0)


def _budget(motor: MotorData, error: float) -> float:
    """J_0 omega_0^2 / (4 n) * error, for an error at the joint."""
    loop = ShaftLoop.of(motor)
    return loop.stiffness * error / loop.n
