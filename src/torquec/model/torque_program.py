"""`TorqueProgram`: one program P of inverse dynamics, and the quantities that follow from it alone.

(1)  P(q, qd, qdd) = M(q) qdd + c(q, qd) + g(q),   c of degree two in the speeds; verified by `check_torque_structure`
(2)  g = P(q, 0, 0),   bias = P(q, qd, 0),   c = P(q, qd, 0) - P(q, 0, 0), common terms cancelled (`expr.replay`)
(3)  M = dP/dqdd need not be symmetric: unless its two triangles are identical, M x = y is solved by a general solver

Every piece is a partial evaluation or a derivative of P, folded and optimized again, never a second model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Any

from torquec.dynamics.joint_space_solve import factorize, general_factorize, general_solve, solve
from torquec.errors import ExpressionError
from torquec.expr import Function, trace
from torquec.expr.differentiate import jacobian_nodes
from torquec.expr.ops import Op
from torquec.expr.replay import moving_part, replay
from torquec.expr.trace import bind, inline
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

Vector = Sequence[Any]
Matrix = list[list[Any]]

_STATE = ("q", "qd", "qdd")
_MECHANICAL = {(0, 0), (2, 0), (0, 1)}
"""Degrees in speeds and accelerations that the terms of (1) have."""


@dataclass(frozen=True, eq=False)
class TorqueProgram:
    """A robot and its program P (q, qd, qdd -> tau); `own` are other programs that compute parts of the same P.

    `own` may hold "mass_matrix", "gravity_torque", "velocity_torque" and "coriolis_matrix": programs made from known
    coefficients are shorter than derived ones. Raises `ExpressionError` where P does not have the structure (1).
    """

    robot: Robot
    inverse_dynamics: Function
    own: Mapping[str, Function] = field(default_factory=lambda: MappingProxyType({}))
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_torque_structure(self.inverse_dynamics, self.robot)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.robot.n

    # --- the pieces, over any scalar --------------------------------------------------------------------------------

    def torque(self, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
        """P, (n,)."""
        tau: list[Scalar] = replay(self.inverse_dynamics, {"q": q, "qd": qd, "qdd": qdd})["tau"]
        return tau

    def gravity(self, q: Vector) -> list[Scalar]:
        """g, (n,)."""
        if "gravity_torque" in self.own:
            own: list[Scalar] = replay(self.own["gravity_torque"], {"q": q})["tau"]
            return own
        return self.torque(q, self._still, self._still)

    def bias(self, q: Vector, qd: Vector) -> list[Scalar]:
        """P(q, qd, 0), (n,): velocity torque and gravity."""
        return self.torque(q, qd, self._still)

    def velocity(self, q: Vector, qd: Vector) -> list[Scalar]:
        """c, (n,) (2)."""
        if "velocity_torque" in self.own:
            own: list[Scalar] = replay(self.own["velocity_torque"], {"q": q, "qd": qd})["tau"]
            return own
        return moving_part(self.inverse_dynamics, {"q": q, "qd": qd, "qdd": self._still}, "qd")["tau"]

    def mass(self, q: Vector) -> Matrix:
        """M, (n, n) (3)."""
        M: Matrix = replay(self.mass_matrix, {"q": q})["M"]
        return M

    @property
    def mass_matrix(self) -> Function:
        """The program q -> M (n, n)."""
        if "mass_matrix" not in self._made:
            self._made["mass_matrix"] = self.own.get("mass_matrix") or self._derived_mass_matrix()
        function: Function = self._made["mass_matrix"]
        return function

    @property
    def symmetric(self) -> bool:
        """Whether both triangles of M are identical expressions, not only equal numbers."""
        (M,) = self.mass_matrix.results
        return all(M[i * self.n + j] == M[j * self.n + i] for i in range(self.n) for j in range(i))

    def solve(self, M: Matrix, columns: Sequence[Vector]) -> list[list[Scalar]]:
        """The solutions x of M x = y for several y (n,), with one factorization (3)."""
        if self.symmetric:
            factors = factorize(M)
            return [solve(factors, y) for y in columns]
        general = general_factorize(M)
        return [general_solve(general, y) for y in columns]

    def derivatives(self, q: Vector, qd: Vector, qdd: Vector) -> tuple[Matrix, Matrix]:
        """dP/dq and dP/dqd, (n, n) each."""
        if "derivatives" not in self._made:
            self._made["derivatives"] = self._derivative_program()
        found = replay(self._made["derivatives"], {"q": q, "qd": qd, "qdd": qdd})
        return found["dtau_dq"], found["dtau_dqd"]

    def coriolis(self, q: Vector, qd: Vector) -> Matrix:
        """C = 1/2 dc/dqd, (n, n): C qd = c because c is of degree two (1)."""
        if "coriolis_matrix" in self.own:
            own: Matrix = replay(self.own["coriolis_matrix"], {"q": q, "qd": qd})["C"]
            return own
        if "coriolis" not in self._made:
            self._made["coriolis"] = self._coriolis_program()
        C: Matrix = replay(self._made["coriolis"], {"q": q, "qd": qd})["C"]
        return C

    @property
    def _still(self) -> list[float]:
        return [0.0] * self.n

    def _derived_mass_matrix(self) -> Function:
        """(3)."""
        resting = bind(self.inverse_dynamics, {"qd": self._still})

        def algorithm(q: Vector) -> Mapping[str, Any]:
            graph = q[0].graph
            qdd = [graph.input("qdd", k) for k in range(self.n)]
            return {"M": jacobian_nodes(inline(resting, graph, {"q": q, "qdd": qdd})["tau"], qdd)}

        return trace("mass_matrix", algorithm, {"q": (self.n,)})

    def _derivative_program(self) -> Function:
        def algorithm(q: Vector, qd: Vector, qdd: Vector) -> Mapping[str, Any]:
            tau = inline(self.inverse_dynamics, q[0].graph, {"q": q, "qd": qd, "qdd": qdd})["tau"]
            rows = jacobian_nodes(tau, [*q, *qd])
            return {"dtau_dq": [row[: self.n] for row in rows], "dtau_dqd": [row[self.n :] for row in rows]}

        return trace("inverse_dynamics_derivatives", algorithm, dict.fromkeys(_STATE, (self.n,)))

    def _coriolis_program(self) -> Function:
        def algorithm(q: Vector, qd: Vector) -> Mapping[str, Any]:
            c = [q[0].graph.make(Op.ADD, value, 0.0) for value in self.velocity(q, qd)]
            return {"C": [[0.5 * value for value in row] for row in jacobian_nodes(c, list(qd))]}

        return trace("coriolis_matrix", algorithm, {"q": (self.n,), "qd": (self.n,)})


def check_torque_structure(function: Function, robot: Robot) -> None:
    """Raise `ExpressionError` unless the function is a program q (nq,), qd, qdd (n,) -> tau (n,) of the form (1).

    Decided from the program's operations: the possible degrees of each value in speeds and in accelerations.
    """
    ports, n = {port.name: port.shape for port in function.inputs}, robot.n
    if ports != {**dict.fromkeys(_STATE, (n,)), "q": (robot.nq,)} or [(p.name, p.shape) for p in function.outputs] != [
        ("tau", (n,))
    ]:
        raise ExpressionError(
            f"'{function.name}' is not an inverse-dynamics program for {n} joints",
            remedy="its inputs must be q, qd and qdd, its output tau",
        )
    degrees: list[set[tuple[int, int]] | None] = []
    for step in function.operations:
        if step.op is Op.CONST:
            degrees.append({(0, 0)})
        elif step.op is Op.INPUT:
            degrees.append({(int(step.port == "qd"), int(step.port == "qdd"))})
        else:
            degrees.append(_degrees(step.op, [degrees[a] for a in step.args]))
    for joint, k in enumerate(function.results[0]):
        found = degrees[k]
        if found is None or not found <= _MECHANICAL:
            raise ExpressionError(
                f"torque {joint + 1} of '{function.name}' is not M(q) qdd + c(q, qd) + g(q), c quadratic in the speeds",
                remedy="give rigid-body torques alone: friction and springs belong to the robot",
            )


def _degrees(op: Op, args: list[set[tuple[int, int]] | None]) -> set[tuple[int, int]] | None:
    """Degrees in (qd, qdd) of an operation's value; None where it is no polynomial in them, or of a high degree."""
    if any(arg is None for arg in args):
        return None
    known = [arg for arg in args if arg is not None]
    if op in (Op.ADD, Op.SUB, Op.NEG):
        return set().union(*known)
    if op is Op.MUL:
        sums = {(a + c, b + d) for (a, b), (c, d) in product(*known)}
        return sums if max(a + b for a, b in sums) <= 2 * len(_MECHANICAL) else None
    if op is Op.DIV and known[1] == {(0, 0)}:
        return known[0]
    if op is Op.SELECT and known[0] == {(0, 0)}:
        return known[1] | known[2]
    return {(0, 0)} if all(arg == {(0, 0)} for arg in known) else None
