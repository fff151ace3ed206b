"""Signatures of a model's quantities for type checkers and editors.

Made from the table `QUANTITIES` in `torquec/model/quantities.py` by `python -m tests.api_page`; nothing imports it when
it runs. Inputs are (n,) or, for a batch, (N, n); docstrings give the shapes of one result.
"""

from typing import Protocol

from numpy.typing import ArrayLike

from torquec.foundation.arrays import Array

class TypedQuantities:
    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None) -> Array:
        """Torques (n,) that give accelerations qdd at (q, qd); rigid bodies and rotors, no friction."""

    def mass_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Mass matrix (n, n), reflected rotors included."""

    def gravity_torque(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Torques (n,) that hold the robot at rest."""

    def velocity_torque(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Centrifugal and Coriolis torques (n,)."""

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """C (n, n): C qd is the velocity torque and dM/dt - 2C is skew."""

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, out: Array | None = None) -> Array:
        """Accelerations (n,) under torques tau; rigid bodies and rotors, no friction."""

    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        out: tuple[Array, Array] | None = None,
    ) -> tuple[Array, Array]:
        """Derivatives of inverse dynamics, (n, n) each; dtau/dqdd is the mass matrix."""

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        out: tuple[Array, Array, Array] | None = None,
    ) -> tuple[Array, Array, Array]:
        """Derivatives of forward dynamics, (n, n) each; dqdd/dtau is the inverse mass matrix."""

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None) -> Array:
        """Y (n, p): Y times the standard inertial parameters is the torque."""

    def friction_torque(self, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Friction torques (n,) at speeds qd; total_torque has the load-dependent friction, too."""

    def spring_torque(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Torques (n,) that hold the joints against their springs."""

    def total_torque(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None) -> Array:
        """Torques (n,) with everything: inverse dynamics, friction and springs."""

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """Kinetic energy [J]."""

    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Energy of gravity and springs [J]."""

    def center_of_mass(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Center of mass (3,) of all bodies [m], in base axes."""

    def center_of_mass_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """J (3, n): J qd is the velocity of the center of mass, in base axes."""

    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """A (6, n): A qd is linear momentum, then angular momentum about the center of mass, in base axes."""

    def centroidal_momentum_matrix_derivative(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """dA/dt (6, n) of the centroidal momentum matrix."""

    def friction_start(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """State of friction with memory at q before any motion: positions, directions and energies of shafts."""

    def friction_step(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        state: ArrayLike,
        *,
        out: tuple[Array, Array] | None = None,
    ) -> tuple[Array, Array]:
        """Friction (n,) with memory at the next sample, from its state (friction_start); passive; no load terms."""

    def total_torque_step(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        state: ArrayLike,
        *,
        out: tuple[Array, Array] | None = None,
    ) -> tuple[Array, Array]:
        """Torques (n,) with everything at the next sample, friction with memory from its state (friction_start)."""

    def loop_closure(self, q: ArrayLike, *, out: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
        """Positions of all joints, with dependent ones of closed loops, and the largest remaining gap [m, rad]."""

    def base_regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None) -> Array:
        """Y (n, b): Y times the base parameters is the torque of inverse_dynamics; full column rank."""

    def base_inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        beta: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array:
        """Torques (n,) of inverse_dynamics for any values beta (b,) of the base parameters."""

class FramePose(Protocol):
    def __call__(self, q: ArrayLike, *, out: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
        """Rotation (3, 3) and origin (3,) of the frame, seen from the base."""

class Jacobian(Protocol):
    def __call__(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """J (6, n) of the frame: velocity of its origin, then angular velocity, in base axes."""

class JacobianDerivative(Protocol):
    def __call__(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
        """dJ/dt (6, n) of the frame's Jacobian."""

class InfluenceCoefficients(Protocol):
    def __call__(
        self,
        q: ArrayLike,
        *,
        out: tuple[Array, Array, Array, Array] | None = None,
    ) -> tuple[Array, Array, Array, Array]:
        """Influence coefficients of the frame's origin, then of its link: G (3, n), H (n, n, 3) each, base axes."""

class PushedInverseDynamics(Protocol):
    def __call__(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array:
        """Inverse dynamics with a wrench (force, moment) on the frame, at its origin and in its axes."""
