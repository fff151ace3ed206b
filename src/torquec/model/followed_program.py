"""Derived quantities of a simplified model, all from its one inverse dynamics program P, and refused quantities.

(1)  g = P(q, 0, 0)   M = dP/dqdd   c = P(q, qd, 0) - g   C = 1/2 dc/dqd   dtau/dq, dtau/dqd: derivatives of P
(2)  forward dynamics: M^-1 (tau - P(q, qd, 0)), the inverse of P itself; derivatives by the implicit function theorem,
     dqdd/dq = -M^-1 dP/dq,  dqdd/dqd = -M^-1 dP/dqd at qdd,  dqdd/dtau = M^-1
(3)  kinetic energy 1/2 qd' M qd;  total torque P + friction + springs of the robot;  pushed: P - J' wrench

C qd is the velocity torque; dM/dt - 2C need not be skew-symmetric, since a simplified M and c need not come from one
kinetic energy. Friction, springs, poses and Jacobians are the robot's own: only inertia is simplified, never geometry.
Refused quantities do not exist for such a program; `model.exact` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torquec import dynamics
from torquec.dynamics import AccelerationDerivatives, TorqueDerivatives
from torquec.dynamics.friction_memory import FrictionStep, torque_step
from torquec.dynamics.total_torque import torque_with_losses
from torquec.errors import RefusedQuantityError
from torquec.expr import Function
from torquec.model.model_parameters import ModelKind, ModelParameters
from torquec.model.quantities import quantity_of, trace_quantity
from torquec.model.torque_program import TorqueProgram
from torquec.robot.robot import Robot
from torquec.spatial import matvec
from torquec.trajectory.motion_box import MotionBox, joint_box

if TYPE_CHECKING:
    from torquec.proof.inertia.nonsingular_mass_matrix import MassMatrixRegularity
    from torquec.proof.torque.certificate import Certificate

Vector = Sequence[Any]

_PARTS = ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")
"""Separate programs for parts of the inverse dynamics, cheaper than those derived from P."""

_BASE_QUANTITIES = ("base_regressor", "base_inverse_dynamics")
"""Quantities of a model in base parameters; no other model that follows a program has them."""


@dataclass(frozen=True)
class Follows:
    """How a quantity follows from P: its formula as text, and its algorithm f(program, *inputs) over nodes.

    Without an algorithm the quantity is the robot's own or, where `refusal` gives a reason, refused. `needs_inverse`: M
    must be nonsingular everywhere in the box.
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


def _total_step(p: TorqueProgram, q: Vector, qd: Vector, qdd: Vector, state: Vector) -> FrictionStep:
    return torque_step(p.robot, p.torque(q, qd, qdd), q, qd, state)


def _kinetic_energy(p: TorqueProgram, q: Vector, qd: Vector) -> Any:
    energy: Any = 0.0
    for row, speed in zip(p.mass(q), qd, strict=True):
        momentum: Any = 0.0
        for inertia, other in zip(row, qd, strict=True):
            momentum = momentum + inertia * other
        energy = energy + 0.5 * speed * momentum
    return energy


def _pushed(p: TorqueProgram, frame: str, q: Vector, qd: Vector, qdd: Vector, wrench: Vector) -> list[Any]:
    """P - J' wrench, the wrench given in the frame's axes (3)."""
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
_WHOLE_TORQUE = "on a free base, simplified programs serve whole torques alone: these are proven"
_OF_POSES = ("inverse_dynamics", "total_torque", "total_torque_step", "pushed_inverse_dynamics")
_NO_MASSES = "the program has no masses from which momentum could be computed"

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
        "center_of_mass": Follows("", refusal=_NO_MASSES),
        "center_of_mass_jacobian": Follows("", refusal=_NO_MASSES),
        "centroidal_momentum_matrix": Follows("", refusal=_NO_MASSES),
        "centroidal_momentum_matrix_derivative": Follows("", refusal=_NO_MASSES),
        "frame_pose": Follows(_OWN),
        "jacobian": Follows(_OWN),
        "jacobian_derivative": Follows(_OWN),
        "influence_coefficients": Follows(_OWN),
        "pushed_inverse_dynamics": Follows("P - J' wrench", _pushed),
        "friction_start": Follows(_OWN),
        "friction_step": Follows(_OWN),
        "total_torque_step": Follows("P + friction with memory + springs", _total_step),
        "loop_closure": Follows(_OWN),
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


def box_of(robot: Robot, record: Certificate | None) -> MotionBox:
    """The motion box of a model: its certificate's, else the limits of the robot's joints.

    Raises `RobotError` for a prismatic joint without limits.
    """
    return joint_box(robot) if record is None else record.motions


@dataclass(frozen=True, eq=False)
class FollowedProgram:
    """The part of a `Model` that follows a program; its fields are the model's."""

    robot: Robot
    kind: ModelKind
    functions: Mapping[str, Function]
    record: Certificate | None
    parameters: ModelParameters | None
    assumed_regular: bool

    @cached_property
    def program(self) -> TorqueProgram:
        """P, with the parts of it that the model has programs for."""
        own = MappingProxyType({name: self.functions[name] for name in _PARTS if name in self.functions})
        return TorqueProgram(self.robot, self.functions["inverse_dynamics"], own)

    def makes(self, quantity: str) -> bool:
        """Whether the quantity is derived from P or refused; all others are the robot's own."""
        name = quantity.partition(":")[0]
        row = FOLLOWS[name]
        return row.algorithm is not None or (bool(row.refusal) and not self._has_base(name))

    def refusal(self, quantity: str) -> str:
        """Why there is no such quantity; empty where there is."""
        row = FOLLOWS[quantity.partition(":")[0]]
        if row.refusal and not self._has_base(quantity):
            return row.refusal
        if row.algorithm is not None and self.robot.nq != self.robot.nv and quantity.partition(":")[0] not in _OF_POSES:
            return _WHOLE_TORQUE
        if not row.needs_inverse or self.assumed_regular or self.regularity.shown:
            return ""
        assert self.regularity.where is not None
        ends = ", ".join(
            f"{name} from {low:.4g} to {high:.4g}"
            for name, low, high in zip(self.robot.joint_names, *self.regularity.where, strict=True)
        )
        return f"M could not be proven nonsingular everywhere in the box; it may be singular with {ends}"

    def function(self, quantity: str) -> Function:
        """The straight-line program of a quantity; raises `RefusedQuantityError` where there is none."""
        self.check_had(quantity)
        return followed_function(self.program, quantity)

    def check_had(self, quantity: str) -> None:
        """Raise `RefusedQuantityError` where there is no such quantity."""
        reason = self.refusal(quantity)
        if not reason:
            return
        needs_inverse = FOLLOWS[quantity.partition(":")[0]].needs_inverse
        anyway = (
            "; or allow smaller torque errors in the specification ([specification] in a project); "
            "or, at your own risk, take model.assuming_regular_mass_matrix()"
            if needs_inverse
            else ""
        )
        raise RefusedQuantityError(
            f"a model of the kind '{self.kind}' has no {quantity}: {reason}",
            where=self.robot.source,
            remedy=f"use the exact one, model.exact{anyway}",
        )

    @cached_property
    def regularity(self) -> MassMatrixRegularity:
        """Whether M is nonsingular at every position of the box."""
        from torquec.proof.inertia.nonsingular_mass_matrix import MassMatrixRegularity, mass_matrix_regularity

        if self._is_robots_own:
            self.robot.check_forward_dynamics()
            return MassMatrixRegularity(True, 0)
        box = box_of(self.robot, self.record)
        return mass_matrix_regularity(self.program.mass_matrix, box.lower, box.upper, robot=self.robot)

    def content_key(self, quantity: str) -> str:
        """Cache key of the compiled code of a quantity: everything that it depends on besides the robot."""
        served = " ".join(f"{name}={self.functions[name].content_hash}" for name in sorted(self.functions))
        key = f"follows {self.kind} {served}"
        if FOLLOWS[quantity.partition(":")[0]].needs_inverse:
            # Code compiled for one box, or with M assumed nonsingular, must not be reused where it would be refused.
            key += f" {box_of(self.robot, self.record).positions} {self.assumed_regular}"
        return key

    @property
    def _is_robots_own(self) -> bool:
        """Whether M is the robot's own, from its kinetic energy: then it is nonsingular if the robot's is."""
        if self.kind is not ModelKind.BASE_PARAMETERS or self.parameters is None:
            return False
        from torquec.model.model_kinds import are_own_values

        return are_own_values(self.robot, self.parameters)

    def _has_base(self, quantity: str) -> bool:
        return self.kind is ModelKind.BASE_PARAMETERS and quantity in _BASE_QUANTITIES
