r"""`SymbolicEquations`: M(q), h(q, qd) and g(q) of a small arm with every length, mass and inertia as a symbol.

With p_b the centre of mass of link b, R_b its axes and z_j the axis of joint j, all over polynomials
(:mod:`torquec.closedform.symbolic_arm`):

(1)  M_ij = sum_b  m_b (dp_b/dq_i . dp_b/dq_j)  +  w_bi . I_b w_bj   (+ N_i N_j J of the rotors),   w_bj = R_b' z_j
(2)  h_i = sum_jk (dM_ij/dq_k - 1/2 dM_jk/dq_i) qd_j qd_k
(3)  g_i = dU/dq_i,   U = -sum_b m_b (gravity . p_b)

The equations leave out friction and springs; `closed_form` and `torquec equations` have them, in numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from torquec.closedform.paths import path_to
from torquec.closedform.symbolic_arm import (
    ArmSymbol,
    Polynomial,
    SymbolicArm,
    center_names,
    gear_number,
    gravity_names,
    is_quarter,
    link_lengths,
    link_number,
    symbolic_arm,
    twist,
)
from torquec.errors import ArgumentError, RobotError
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Matrix3, Scalar, Vector3, add, dot, matmul, matvec, scale, transpose

MOST_TERMS = 3_000
"""Terms of an entry: longer ones are not worth printing, and a six-joint arm has millions of terms."""


@dataclass(frozen=True)
class SymbolicEquations:
    """tau = M(q) qdd + h(q, qd) + g(q); entries are polynomials over `arm.generators`.

    `symbols` are the constants that occur, each with the robot's own value. `offsets` (n,) [rad] are the differences
    between the angle theta_k in the sines and cosines and the position q_k.
    """

    arm: SymbolicArm = field(repr=False)
    mass_matrix: Mapping[tuple[int, int], Polynomial] = field(repr=False)
    velocity_torque: tuple[Polynomial, ...] = field(repr=False)
    gravity_torque: tuple[Polynomial, ...] = field(repr=False)
    symbols: tuple[ArmSymbol, ...]
    offsets: tuple[float, ...]

    @property
    def robot(self) -> Robot:
        """The arm."""
        return self.arm.robot

    def torque(
        self,
        q: Sequence[float],
        qd: Sequence[float],
        qdd: Sequence[float],
        *,
        values: Mapping[str, float] | None = None,
    ) -> tuple[float, ...]:
        """The torques (n,) at a state; `values` replace the robot's own values of some symbols.

        Raises `ArgumentError` for an unknown symbol.
        """
        n = self.arm.n
        known = {symbol.name: symbol.value for symbol in self.symbols}
        if unknown := set(values or {}) - set(known):
            raise ArgumentError(f"there is no symbol '{min(unknown)}'", remedy=f"the symbols are {', '.join(known)}")
        known |= dict(values or {})
        for k in range(n):
            known[f"v{k + 1}"] = qd[k]
            if self.arm.turns(k):
                known[f"c{k + 1}"] = math.cos(q[k] + self.offsets[k])
                known[f"s{k + 1}"] = math.sin(q[k] + self.offsets[k])
            else:
                known[f"q{k + 1}"] = q[k]
        numbers = [known.get(name, 0.0) for name in self.arm.generators]

        def value(polynomial: Polynomial) -> float:
            return math.fsum(
                float(coefficient.p)
                / float(coefficient.q)
                * math.prod(x ** int(e) for x, e in zip(numbers, exponents, strict=True) if e)
                for exponents, coefficient in polynomial.to_dict().items()
            )

        mass = {index: value(entry) for index, entry in self.mass_matrix.items()}
        return tuple(
            math.fsum(mass.get((min(i, j), max(i, j)), 0.0) * qdd[j] for j in range(n))
            + value(self.velocity_torque[i])
            + value(self.gravity_torque[i])
            for i in range(n)
        )


def symbolic_equations(robot: Robot) -> SymbolicEquations:
    """The equations of motion of an arm of few joints, in symbols.

    Raises `RobotError` for mimic joints, for geometry without common normals, and where an entry would have more than
    `MOST_TERMS` terms.

    >>> from torquec.robot import classics
    >>> found = symbolic_equations(classics.planar2r())
    >>> str(found.mass_matrix[1, 1])
    'm2*lc2^2 + Izz2'
    """
    arm = symbolic_arm(robot)
    places = _Places(arm)
    upper: dict[tuple[int, int], Polynomial] = {}
    for i in range(arm.n):
        for j in range(i, arm.n):
            upper[i, j] = _checked(arm, sum((places.inertia(b, i, j) for b in range(arm.n)), _rotors(arm, i, j)))
    potential = _checked(arm, sum((places.potential(b) for b in range(arm.n)), arm.ring.constant(0)))
    velocity = tuple(_checked(arm, _velocity(arm, upper, i)) for i in range(arm.n))
    gravity = tuple(arm.derivative(potential, i) for i in range(arm.n))
    used = _used(arm, [*upper.values(), *velocity, *gravity])
    offsets = tuple(
        link.theta if link.column.turns and not is_quarter(exact_cos_sin(link.theta)) else 0.0
        for link in robot.canonical.links
    )
    symbols = _named_shortly([symbol for symbol in arm.symbols if symbol.name in used])
    return SymbolicEquations(arm, upper, velocity, gravity, symbols, offsets)


def _checked(arm: SymbolicArm, value: Polynomial) -> Polynomial:
    found = arm.reduced(value)
    if len(found.to_dict()) > MOST_TERMS:
        raise RobotError(
            f"an entry of the equations of '{arm.robot.name}' has more than {MOST_TERMS} terms in symbols",
            where=arm.robot.source,
            remedy="lock joints (--lock JOINT=VALUE), or take the equations in numbers: leave out --symbolic",
        )
    return found


def _used(arm: SymbolicArm, entries: Sequence[Polynomial]) -> set[str]:
    names = list(arm.generators)
    return {names[k] for entry in entries for exponents in entry.to_dict() for k, e in enumerate(exponents) if e}


def _named_shortly(symbols: Sequence[ArmSymbol]) -> tuple[ArmSymbol, ...]:
    """I_1 instead of I_{zz1} where a link has one moment of inertia that matters, l_{c1} where one coordinate does."""
    groups = [(symbol.name[0] if symbol.name[0] == "I" else symbol.name[1:2], _link(symbol)) for symbol in symbols]
    found = []
    for symbol, group in zip(symbols, groups, strict=True):
        alone = groups.count(group) == 1
        if alone and group[0] == "I":
            found.append(replace(symbol, latex=f"I_{{{group[1]}}}"))
        elif alone and group[0] == "c" and symbol.name[0] in "xyz":
            found.append(replace(symbol, latex=f"l_{{c{group[1]}}}"))
        else:
            found.append(symbol)
    return tuple(found)


def _link(symbol: ArmSymbol) -> str:
    return "".join(c for c in symbol.name if c.isdigit())


class _Places:
    """Rotations, origins, axes and centres of all links in the base, over polynomials."""

    def __init__(self, arm: SymbolicArm) -> None:
        self.arm = arm
        self.rotations: list[Matrix3] = []
        self.origins: list[Vector3] = []
        self.centers: list[Vector3] = []
        zero = arm.ring.constant(0)
        for k, link in enumerate(arm.robot.canonical.links):
            before: Matrix3 = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
            base: Vector3 = (zero, zero, zero)
            if link.parent != BASE:
                before, base = self.rotations[link.parent], self.origins[link.parent]
            pre = matmul(before, self._pre(k))
            lengths = list(link_lengths(arm.robot, k))
            offset = tuple(link_number(arm, name) for name in lengths[:3]) if lengths else (zero, zero, zero)
            along = link_number(arm, f"d{k + 1}") + (0 if link.column.turns else arm.generators[f"q{k + 1}"])
            self.rotations.append(self._reduced_rows(matmul(pre, self._turn(k))))
            axis: Vector3 = (pre[0][2], pre[1][2], pre[2][2])
            self.origins.append(self._reduced(add(add(base, matvec(before, offset)), scale(axis, along))))
            center = tuple(link_number(arm, name) if name else zero for name in center_names(arm.robot, k))
            self.centers.append(self._reduced(add(self.origins[k], matvec(self.rotations[k], center))))

    def inertia(self, body: int, i: int, j: int) -> Polynomial:
        """Contribution of a link to M_ij (1)."""
        arm, path = self.arm, path_to(self.arm.robot.canonical.links, body)
        total = arm.ring.constant(0)
        if i not in path or j not in path:
            return total
        mass = link_number(arm, f"m{body + 1}")
        if mass != 0:
            first, second = (self._rate(body, joint) for joint in (i, j))
            total += mass * arm.reduced(dot(first, second))
        if arm.turns(i) and arm.turns(j):
            tensor = [[link_number(arm, f"I{axes}{body + 1}") for axes in row] for row in _AXES]
            back = transpose(self.rotations[body])
            first, second = (self._reduced(matvec(back, self._axis(joint))) for joint in (i, j))
            total += sum(first[a] * tensor[a][b] * second[b] for a in range(3) for b in range(3))
        return total

    def potential(self, body: int) -> Polynomial:
        """Contribution of a link to U (3)."""
        arm = self.arm
        mass, total = link_number(arm, f"m{body + 1}"), arm.ring.constant(0)
        for (sign, name), x in zip(gravity_names(arm.robot), self.centers[body], strict=True):
            if sign:
                total -= sign * mass * arm.generators[name] * x
        return total

    def _rate(self, body: int, joint: int) -> Vector3:
        x, y, z = (self.arm.derivative(x, joint) for x in self.centers[body])
        return x, y, z

    def _axis(self, joint: int) -> Vector3:
        r = self.rotations[joint]
        return r[0][2], r[1][2], r[2][2]

    def _pre(self, k: int) -> Matrix3:
        link = self.arm.robot.canonical.links[k]
        pair = twist(link)
        if pair is None or is_quarter(pair):
            return _whole(link.pre.rotation)
        c, s = self.arm.generators[f"ca{k + 1}"], self.arm.generators[f"sa{k + 1}"]
        return ((1, 0, 0), (0, c, -s), (0, s, c))

    def _turn(self, k: int) -> Matrix3:
        link = self.arm.robot.canonical.links[k]
        pair = exact_cos_sin(link.theta)
        quarter: Matrix3 = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        if is_quarter(pair):
            quarter = _whole(((pair[0], -pair[1], 0.0), (pair[1], pair[0], 0.0), (0.0, 0.0, 1.0)))
        if not link.column.turns:
            return quarter
        c, s = self.arm.generators[f"c{k + 1}"], self.arm.generators[f"s{k + 1}"]
        return matmul(quarter, ((c, -s, 0), (s, c, 0), (0, 0, 1)))

    def _reduced(self, vector: Sequence[Scalar]) -> Vector3:
        x, y, z = (self.arm.reduced(self.arm.ring.constant(0) + value) for value in vector)
        return x, y, z

    def _reduced_rows(self, matrix: Matrix3) -> Matrix3:
        x, y, z = (self._reduced(row) for row in matrix)
        return x, y, z


_AXES = (("xx", "xy", "xz"), ("xy", "yy", "yz"), ("xz", "yz", "zz"))


def _whole(matrix: Matrix3) -> Matrix3:
    x, y, z = ((int(a), int(b), int(c)) for a, b, c in matrix)
    return x, y, z


def _rotors(arm: SymbolicArm, i: int, j: int) -> Polynomial:
    """Contribution of the rotors to M_ij (1)."""
    total = arm.ring.constant(0)
    for k in range(len(arm.robot.drives.motors)):
        total += gear_number(arm, k, i) * gear_number(arm, k, j) * link_number(arm, f"J{k + 1}")
    return total


def _velocity(arm: SymbolicArm, upper: Mapping[tuple[int, int], Polynomial], i: int) -> Polynomial:
    """Velocity torque h_i (2)."""
    total = arm.ring.constant(0)

    def mass(a: int, b: int) -> Polynomial:
        return upper[min(a, b), max(a, b)]

    for j in range(arm.n):
        for k in range(arm.n):
            christoffel = arm.derivative(mass(i, j), k) - arm.derivative(mass(j, k), i) / 2
            total += christoffel * arm.generators[f"v{j + 1}"] * arm.generators[f"v{k + 1}"]
    return total
