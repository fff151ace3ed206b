"""Directional derivatives of a model's torque: linearized recursion, simplified programs, friction damping.

The Newton-Euler recursion is linearized about a point of a trajectory, for trees of one-coordinate joints (Clover,
chapter II, (22)-(38), misprints corrected; his equation numbers are at the right). With d for a deviation and
Q x = x x z, so that a small turn of a joint changes R' x to R' x + Q R' x dq:

(1)  dw  = R' dw_p + Q R' w_p dq + dqd z                                                        (22),  sliding   (30)
(2)  the acceleration field U = [wd x] + [w x][w x] of a link (`torquec.dynamics.motion`) has a third column that is
     turned from the parent, U z = R' U_p R z; so d(U z) = R' dU_p R z + Q U z dq, and the rest of dU follows from dw as
     U follows from w                                                                           (23),  sliding   (31)
(3)  da = R' (da_p + dU_p p) + Q a dq                                                                            (24)
     sliding:    R' (da_p + dU_p p + U_p R z dq) + 2 dw x qd z + 2 w x dqd z + dqdd z                            (32)
(4)  dF = m da + dU h,   dN = h x da + v(dU E): the wrench of a body is linear in a and U                   (25)-(27)
(5)  df = dF + sum over children of R (df_c + z x f_c dq_c)                                                      (34)
     dn = dN + sum over children of R (dn_c + z x n_c dq_c) + p x (the same of f),  sliding:   + R z dq_c x R f_c
                                                                                                            (35), (36)
(6)  dtau = z . dn  or  z . df, collected through the coordinate's multiplier, plus reflected motor inertia  (37), (38)

One pass costs about two of inverse dynamics, whose motions and wrenches it shares; a matrix takes n passes.

The directional derivative of a model's torque depends on the kind of model:

(7)  dtau = M dqdd + C dqd + K dq, without friction and springs
(8)  where the robot's own algorithms run: one pass of the linearized recursion, (1)-(6)
(9)  where a program replaces inverse dynamics: one pass of its derivative in that direction. The result
     belongs to the torques of the program, not to those of the bodies from which it was made

Friction adds the derivatives of its torques by the speeds:

(10) sum over shafts of  t' f'(t . qd) t,   f' the slope of the shaft's friction terms, t its row
(11) friction that depends on the load follows the rigid-body torque tau: with P = d(friction)/dtau (`load_gain`), every
     derivative of the rigid-body torque becomes (1 + P) times itself

Coulomb friction with a step has no derivative: a linear model is invalid where a speed changes its sign.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.friction import terms_of
from torquec.dynamics.friction_torque import load_gain, rubbing_shafts
from torquec.dynamics.inverse_dynamics import body_wrench
from torquec.dynamics.inverse_dynamics_derivatives import carried_wrenches
from torquec.dynamics.mechanism import Coordinate, Grouping, Mechanism, PlacedLink, mechanism, place
from torquec.dynamics.motion import ZERO, LinkMotion, motions
from torquec.errors import ArgumentError
from torquec.expr.differentiate import directional_nodes
from torquec.expr.graph import Node
from torquec.model.model import Model
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, dot, matvec, minus, product, scale, total, transpose

STILL = LinkMotion(ZERO, ZERO, (ZERO, ZERO, ZERO), ZERO)
"""The deviation of the base: none."""


State = tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]]
"""Positions, speeds and accelerations, (n,) each, or deviations of them."""


def linearized_recursion(robot: Robot, state: State, deviation: State) -> list[Scalar]:
    """The change (n,) of the inverse dynamics at (q, qd, qdd) for small deviations (dq, dqd, dqdd), (n,) each.

    dtau = M dqdd + C dqd + K dq, without friction and springs. Pass zeros as the number 0.0: products with them are
    then folded away.
    """
    return Linearized(robot, *state).torques(*deviation)


class Linearized:
    """The nominal motions and wrenches at (q, qd, qdd), shared by any number of deviations."""

    def __init__(self, robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> None:
        self.mechanism = mechanism(robot, Grouping.BALANCED)
        self.placed = place(self.mechanism, q)
        self.qd = qd
        self.motion = motions(self.placed, self.mechanism.coordinates, self.mechanism.gravity, qd, qdd)
        self.wrenches = carried_wrenches(self.placed, self.motion)

    def torques(self, dq: Sequence[Scalar], dqd: Sequence[Scalar], dqdd: Sequence[Scalar]) -> list[Scalar]:
        """Torque deviations dtau (n,), (1)-(6)."""
        m = self.mechanism
        deviations = self._outward(dq, dqd, dqdd)
        loads = [list(body_wrench(link.moments, d)) for link, d in zip(self.placed, deviations, strict=True)]
        tau: list[Scalar] = [0.0] * m.n
        for i in reversed(range(len(self.placed))):
            link, coordinate = self.placed[i], m.coordinates[i]
            df, dn = loads[i]
            own = product(coordinate.multiplier, link.column.effort(df, dn))
            tau[coordinate.index] = total(tau[coordinate.index], own)
            if link.parent != BASE:
                df, dn = self._carried(i, df, dn, coordinate.rate(dq))
                loads[link.parent] = [add(loads[link.parent][0], df), add(loads[link.parent][1], dn)]
        return _with_rotors(m, tau, dqdd)

    def _outward(self, dq: Sequence[Scalar], dqd: Sequence[Scalar], dqdd: Sequence[Scalar]) -> list[LinkMotion]:
        """dw, dwd, dU and da of every link, parents first, (1)-(3)."""
        found: list[LinkMotion] = []
        for link, moving, coordinate in zip(self.placed, self.motion, self.mechanism.coordinates, strict=True):
            parent = STILL if link.parent == BASE else found[link.parent]
            change = (coordinate.rate(dq), coordinate.rate(dqd), coordinate.rate(dqdd))
            if link.column.turns:
                found.append(_turned(link, moving, parent, change))
            else:
                found.append(self._slid(link, moving, parent, coordinate, change))
        return found

    def _slid(
        self,
        link: PlacedLink,
        moving: LinkMotion,
        parent: LinkMotion,
        coordinate: Coordinate,
        change: tuple[Scalar, Scalar, Scalar],
    ) -> LinkMotion:
        """Deviations of the motion on a prismatic joint: the sliding cases of (1)-(3)."""
        turn, (d, speed, acceleration) = link.turn, change
        dw, dwd = turn.back(parent.w), turn.back(parent.wd)
        columns = tuple(turn.back(column) for column in transpose(parent.u))
        du: Matrix3 = tuple(turn.back(row) for row in transpose(columns))  # type: ignore[arg-type, assignment]
        # The third column of this link's own U is R' U_p R z.
        further = scale((moving.u[0][2], moving.u[1][2], moving.u[2][2]), d)
        ax, ay, az = add(turn.back(add(parent.a, matvec(parent.u, link.origin))), further)
        rate = coordinate.rate(self.qd)
        slide, dslide = total(rate, rate), total(speed, speed)
        w = moving.w
        da = (
            total(ax, total(product(dw[1], slide), product(w[1], dslide))),
            minus(ay, total(product(dw[0], slide), product(w[0], dslide))),
            total(az, acceleration),
        )
        return LinkMotion(dw, dwd, du, da, _products(w, dw))

    def _carried(self, i: int, df: Vector3, dn: Vector3, change: Scalar) -> tuple[Vector3, Vector3]:
        """Contribution of a link to its parent's force and moment deviations (5)."""
        link, (f, n) = self.placed[i], self.wrenches[i]
        if not link.column.turns:
            df = link.turn.out(df)
            further = cross(scale(link.turn.axis, change), link.turn.out(f))
            return df, add(add(link.turn.out(dn), cross(link.origin, df)), further)
        df = link.turn.out(add(df, _across(f, change)))
        return df, add(link.turn.out(add(dn, _across(n, change))), cross(link.origin, df))


def _turned(
    link: PlacedLink, moving: LinkMotion, parent: LinkMotion, change: tuple[Scalar, Scalar, Scalar]
) -> LinkMotion:
    """Deviations of the motion, (1)-(3)."""
    turn, (angle, speed, acceleration) = link.turn, change
    w, u = moving.w, moving.u
    dx, dy, dz = turn.back(parent.w)
    dw = (total(dx, product(w[1], angle)), minus(dy, product(w[0], angle)), total(dz, speed))
    d13, d23, d33 = turn.back(matvec(parent.u, turn.axis))
    d13, d23 = total(d13, product(u[1][2], angle)), minus(d23, product(u[0][2], angle))
    dxy, dxz, dyz = _products(w, dw)
    dwdx, dwdy = minus(dyz, d23), minus(d13, dxz)
    dwdz = total(dot(turn.axis, parent.wd), acceleration)
    dxx, dzz = _doubled(product(w[0], dw[0])), _doubled(product(w[2], dw[2]))
    du: Matrix3 = (
        (total(d33, minus(dxx, dzz)), minus(dxy, dwdz), d13),
        (total(dxy, dwdz), product(-1.0, total(dxx, dzz)), d23),
        (minus(dxz, dwdy), total(dyz, dwdx), d33),
    )
    ax, ay, az = turn.back(add(parent.a, matvec(parent.u, link.origin)))
    da = (total(ax, product(moving.a[1], angle)), minus(ay, product(moving.a[0], angle)), az)
    return LinkMotion(dw, (dwdx, dwdy, dwdz), du, da, (dxy, dxz, dyz))


def _products(w: Vector3, dw: Vector3) -> Vector3:
    """Deviations of w_x w_y, w_x w_z and w_y w_z."""
    return (
        total(product(dw[0], w[1]), product(w[0], dw[1])),
        total(product(dw[0], w[2]), product(w[0], dw[2])),
        total(product(dw[1], w[2]), product(w[1], dw[2])),
    )


def _across(v: Vector3, angle: Scalar) -> Vector3:
    """z x v times a small turn."""
    return (product(-1.0, product(v[1], angle)), product(v[0], angle), 0.0)


def _doubled(value: Scalar) -> Scalar:
    return total(value, value)


def _with_rotors(m: Mechanism, tau: list[Scalar], dqdd: Sequence[Scalar]) -> list[Scalar]:
    for i, row in enumerate(m.reflected_inertia):
        for j, value in enumerate(row):
            if value != 0.0:
                tau[i] = total(tau[i], product(value, dqdd[j]))
    return tau


def runs_recursion(model: Model) -> bool:
    """Whether the inverse dynamics of the model are the robot's own recursion.

    True where its quantities come from bodies, the robot's own or identified ones. This includes models from files:
    their programs were compared with the bodies on loading. False for closed loops, whose dynamics are projections.
    """
    return not model.kind.follows_program and not model.robot.dependent


def linearized_torque(model: Model, state: State, deviation: State) -> list[Scalar]:
    """dtau (n,) of (7) at a state of expression nodes, for a deviation of nodes or numbers."""
    if runs_recursion(model):
        return linearized_recursion(model.robot, state, deviation)
    variables = [node for part in state for node in part]
    direction = [value for part in deviation for value in part]
    tau = list(model.at("inverse_dynamics", *state))
    moving = [k for k, value in enumerate(tau) if isinstance(value, Node)]  # a torque may be a number: no slope
    slopes = directional_nodes([tau[k] for k in moving], variables, direction)
    found: list[Scalar] = [0.0] * len(tau)
    for k, slope in zip(moving, slopes, strict=True):
        found[k] = slope
    return found


def check_abbreviation(model: Model) -> None:
    """Raise `ArgumentError` for a model whose equations are not the robot's own: a rule can abbreviate only these."""
    if not runs_recursion(model):
        raise ArgumentError(
            f"a rule abbreviates the equations of a robot, and this model ({model.kind.value}) is a program already",
            where=f"robot '{model.robot.name}'",
            remedy="leave the rule out, or give the robot: model.robot",
        )


def friction_damping(robot: Robot, qd: Sequence[Scalar], *, load: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """d(friction torque)/dqd, (n, n), at the speeds qd (n,) (10); `load` (n,) are the rigid-body torques."""
    slopes: list[list[Scalar]] = [[0.0] * robot.n for _ in range(robot.n)]
    for shaft in rubbing_shafts(robot):
        state = shaft.state(qd, load)
        slope: Scalar = 0.0
        for term in terms_of(shaft.friction):
            slope = total(slope, term.slope(shaft.friction, state))
        for i, left in enumerate(shaft.row):
            for j, right in enumerate(shaft.row):
                slopes[i][j] = total(slopes[i][j], product(left * right, slope))
    return slopes


def with_load_friction(
    robot: Robot, qd: Sequence[Scalar], rigid: Sequence[Scalar], matrices: Sequence[Sequence[Sequence[Scalar]]]
) -> list[list[list[Scalar]]]:
    """Derivatives (n, n) of the rigid-body torque (n,), load-dependent friction included (11)."""
    gain = load_gain(robot, qd, rigid)
    found = []
    for matrix in matrices:
        rows = [list(row) for row in matrix]
        for i, factors in enumerate(gain):
            for k, factor in enumerate(factors):
                rows[i] = [total(own, product(factor, other)) for own, other in zip(rows[i], matrix[k], strict=True)]
        found.append(rows)
    return found
