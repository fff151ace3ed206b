"""How every quantity of a simplified model follows from its one program P of inverse dynamics: one flat table.

(1)  g = P(q, 0, 0)   M = dP/dqdd   c = P(q, qd, 0) - g   C = 1/2 dc/dqd   dtau/dq, dtau/dqd: derivatives of P
(2)  forward dynamics: M^-1 (tau - P(q, qd, 0)), the inverse of P itself; derivatives by the implicit function theorem,
     dqdd/dq = -M^-1 dP/dq,  dqdd/dqd = -M^-1 dP/dqd at qdd,  dqdd/dtau = M^-1
(3)  kinetic energy 1/2 qd' M qd;  total torque P + friction + springs of the robot;  pushed: P - J' wrench

C qd is the velocity torque; that dM/dt - 2C is skew is not promised, since a simplified M and c need not come from one
kinetic energy. Friction, springs, poses and Jacobians are the robot's own: only inertia is simplified, never geometry.
What is refused is refused because it does not exist for such a program, and the exact one is `model.exact`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from torquec import dynamics
from torquec.dynamics import AccelerationDerivatives, TorqueDerivatives
from torquec.dynamics.total_torque import torque_with_losses
from torquec.expr import Function
from torquec.model.quantities import quantity_of, trace_quantity
from torquec.model.torque_program import TorqueProgram
from torquec.spatial import matvec

Vector = Sequence[Any]


@dataclass(frozen=True)
class Follows:
    """How a quantity follows from P: its formula in words, and its algorithm f(program, *inputs) over nodes.

    Without an algorithm the quantity is the robot's own or, where `refusal` says why, not there. `needs_inverse`: M
    must have an inverse everywhere in the box.
    """

    formula: str
    algorithm: Callable[..., Any] | None = None
    needs_inverse: bool = False
    refusal: str = ""


def _forward(p: TorqueProgram, q: Vector, qd: Vector, tau: Vector) -> list[Any]:
    free = [drive - needed for drive, needed in zip(tau, p.bias(q, qd), strict=True)]
    (qdd,) = p.solve(p.mass(q), [free])
    return qdd


def _forward_derivatives(p: TorqueProgram, q: Vector, qd: Vector, tau: Vector) -> AccelerationDerivatives:
    """(2)."""
    qdd = _forward(p, q, qd, tau)
    by_q, by_qd = p.derivatives(q, qd, qdd)
    n = range(p.n)
    columns = [[-by_q[i][j] for i in n] for j in n] + [[-by_qd[i][j] for i in n] for j in n]
    columns += [[1.0 if i == j else 0.0 for i in n] for j in n]
    solved = p.solve(p.mass(q), columns)
    blocks = (solved[k * p.n : (k + 1) * p.n] for k in range(3))
    return AccelerationDerivatives(*([[block[j][i] for j in n] for i in n] for block in blocks))


def _derivatives(p: TorqueProgram, q: Vector, qd: Vector, qdd: Vector) -> TorqueDerivatives:
    return TorqueDerivatives(*p.derivatives(q, qd, qdd))


def _total(p: TorqueProgram, q: Vector, qd: Vector, qdd: Vector) -> list[Any]:
    return torque_with_losses(p.robot, p.torque(q, qd, qdd), q, qd)


def _kinetic_energy(p: TorqueProgram, q: Vector, qd: Vector) -> Any:
    energy: Any = 0.0
    for row, speed in zip(p.mass(q), qd, strict=True):
        momentum: Any = 0.0
        for inertia, other in zip(row, qd, strict=True):
            momentum = momentum + inertia * other
        energy = energy + 0.5 * speed * momentum
    return energy


def _pushed(p: TorqueProgram, frame: str, q: Vector, qd: Vector, qdd: Vector, wrench: Vector) -> list[Any]:
    """P without what the wrench, which is given in the frame's axes, does at the joints (3)."""
    turn = dynamics.frame_pose(p.robot, frame, q).rotation
    pushed = (*matvec(turn, tuple(wrench[:3])), *matvec(turn, tuple(wrench[3:])))
    J = dynamics.jacobian(p.robot, frame, q)
    tau = p.torque(q, qd, qdd)
    for k in range(p.n):
        for row, value in zip(J, pushed, strict=True):
            tau[k] = tau[k] - row[k] * value
    return tau


_OWN = "the robot's own: geometry, friction and springs are not simplified"
_NO_PARAMETERS = "the program has no standard inertial parameters that a regressor could multiply"

FOLLOWS: Mapping[str, Follows] = MappingProxyType(
    {
        "inverse_dynamics": Follows("P(q, qd, qdd)", lambda p, q, qd, qdd: p.torque(q, qd, qdd)),
        "mass_matrix": Follows("M = dP/dqdd", lambda p, q: p.mass(q)),
        "gravity_torque": Follows("g = P(q, 0, 0)", lambda p, q: p.gravity(q)),
        "velocity_torque": Follows("c = P(q, qd, 0) - P(q, 0, 0)", lambda p, q, qd: p.velocity(q, qd)),
        "coriolis_matrix": Follows("C = 1/2 dc/dqd", lambda p, q, qd: p.coriolis(q, qd)),
        "forward_dynamics": Follows("M^-1 (tau - P(q, qd, 0))", _forward, needs_inverse=True),
        "inverse_dynamics_derivatives": Follows("dP/dq, dP/dqd", _derivatives),
        "forward_dynamics_derivatives": Follows(
            "-M^-1 dP/dq, -M^-1 dP/dqd, M^-1", _forward_derivatives, needs_inverse=True
        ),
        "regressor": Follows("", refusal=_NO_PARAMETERS),
        "friction_torque": Follows(_OWN),
        "spring_torque": Follows(_OWN),
        "total_torque": Follows("P + friction + springs", _total),
        "kinetic_energy": Follows("1/2 qd' M qd", _kinetic_energy),
        "potential_energy": Follows(
            "", refusal="the gravity torques of a simplified program need not be the gradient of any energy"
        ),
        "frame_pose": Follows(_OWN),
        "jacobian": Follows(_OWN),
        "jacobian_derivative": Follows(_OWN),
        "influence_coefficients": Follows(_OWN),
        "pushed_inverse_dynamics": Follows("P - J' wrench", _pushed),
        "base_regressor": Follows("", refusal=_NO_PARAMETERS),
        "base_inverse_dynamics": Follows("", refusal=_NO_PARAMETERS),
    }
)
"""By name, every row of `QUANTITIES`."""


def followed_function(program: TorqueProgram, quantity: str) -> Function:
    """The straight-line program of a quantity with an algorithm in `FOLLOWS`."""
    row, frame = quantity_of(quantity)
    algorithm = FOLLOWS[quantity.partition(":")[0]].algorithm
    assert algorithm is not None
    given = (program, frame) if row.of_frame else (program,)
    return trace_quantity(program.robot, quantity, algorithm=lambda *inputs: algorithm(*given, *inputs[len(given) :]))
