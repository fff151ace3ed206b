"""Closed form in quasi-velocities: robots with free, ball and planar joints.

The rates v of such a joint are a twist in the child's own axes, not derivatives of positions. With D_k f the derivative
of f along a unit rate k alone, and N the joint's rate map, D_k f = sum_s N_sk df/dq_s:

(1)  tau_i = sum_j M_ij dv_j/dt + sum_jk c_ijk v_j v_k + g_i                          Hamel; for one body, Kirchhoff
(2)  c_ijk = 1/2 (D_k M_ij + D_j M_ik - D_i M_jk) + 1/2 sum_l (e_ijl M_lk + e_ikl M_lj)
(3)  e_ijl, between rates of one joint, is the sign of the permutation of their axes where (i, j, l) slide, turn, slide;
     turn, turn, turn; or turn, slide, slide; else zero: force = dp/dt + w x p, moment = dl/dt + w x l + u x p
(4)  C_ij = sum_k (c_ijk - 1/2 sum_l e_jkl M_li) v_k  is the Coriolis matrix for which dM/dt - 2 C is skew

M_ij does not depend on the position of the more proximal of its two joints: a twist in its own axes is invariant.
So nothing depends on the position of a floating base, and only gravity depends on its orientation:

(5)  a base that turns freely feels gravity as  g = -M_lin G,  G = R' g_0 the gravity vector in its axes (gx, gy, gz)
     and M_lin the columns of M of its origin's velocity: falling freely needs no torque.   D_w G = -w x G

Ball and free joints elsewhere enter through their unit quaternion (qw, qx, qy, qz), with w^2 = 1 - x^2 - y^2 - z^2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.closedform.closed_form import PAIR_NOISE, ClosedForm, RateCoordinate, rate_coordinates, sampled
from torquec.closedform.paths import (
    Path,
    gravity_function,
    height_function,
    mass_function,
    parallel_groups,
    path_link,
    path_variables,
    paths,
    turns_freely,
)
from torquec.closedform.polynomial import TrigPolynomial, Variable, constant, single
from torquec.closedform.tabulate import (
    NOISE,
    Axis,
    Rotation,
    coefficient_table,
    fewest_terms,
    grid,
    polynomial_from_table,
)
from torquec.foundation.arrays import Array
from torquec.robot.joints import PositionBasis
from torquec.robot.joints.ball import BALL
from torquec.robot.robot import BASE, Robot
from torquec.spatial import matmul, matvec, rotation_z, transpose, unit_quaternion_rotation

Field = tuple[tuple[int, TrigPolynomial], ...]
"""How fast slots of the position change for a unit rate: (slot, d(slot)/dt)."""


@dataclass(frozen=True)
class QuasiVelocities:
    """Coordinates of a closed form, and the position variables (slots) of its polynomials.

    Slots of the position are the coordinates, then `symbols`: components of gravity by body, and of quaternions.
    Slots of rates without a position of their own stay unused.
    """

    robot: Robot
    coordinates: tuple[RateCoordinate, ...]
    gravity: Mapping[int, tuple[Variable, Variable, Variable]]
    quaternions: Mapping[int, Rotation]

    @cached_property
    def symbols(self) -> tuple[Variable, ...]:
        """Components of gravity vectors and quaternions, in the order of their slots."""
        turns = (part for each in self.quaternions.values() for part in each.components)
        return tuple(sorted((*(part for each in self.gravity.values() for part in each), *turns)))

    def first(self, body: int) -> int:
        """The first coordinate of a body's joint."""
        return next(each.first for each in self.coordinates if each.body == body)

    def variables(self, bodies: Sequence[int]) -> tuple[list[Axis], list[list[int]]]:
        """Axes of a table over the positions of these bodies' joints, and which of them form a parallel group."""
        robot, found, at = self.robot, list[Axis](), dict[int, int]()
        plain = [b for b in bodies if robot.bodies[b].joint.kind.nv == 1]
        own, groups = path_variables(robot, plain, parallel_groups(robot.canonical.links))
        by_body = dict(zip(plain, own, strict=True))
        for b in bodies:
            at[b], first = len(found), self.first(b)
            if b in by_body:
                sums = tuple((self.first(joint), sign) for joint, sign in by_body[b].joints)
                found.append(Variable(sums, by_body[b].basis))
                continue
            kind = robot.bodies[b].joint.kind
            turns = turns_freely(kind)
            for k, each in enumerate(kind.coordinates):
                if not (turns and each.turns):
                    basis = PositionBasis.TRIGONOMETRIC if each.turns else PositionBasis.POLYNOMIAL
                    found.append(Variable(((first + k, 1),), basis))
            if turns:
                found.append(self.quaternions[b])
        return found, [[at[plain[axis]] for axis in axes] for axes in groups]

    def positions(self, slots: Array, bodies: Sequence[int], *, held: bool = False) -> Array:
        """Positions (N, nq) of these bodies' joints from slots (N, ..); rotations without values are the identity.

        With `held`, a body on a ball joint at the base has its quaternion alone, not the position of its origin.
        """
        columns = []
        for b in bodies:
            kind = self.robot.bodies[b].joint.kind if held else path_link(self.robot, b).kind
            first = self.first(b)
            if not turns_freely(kind):
                columns.append(slots[:, first : first + kind.nq])
                continue
            if b in self.quaternions:
                turn = slots[:, [part.joints[0][0] for part in self.quaternions[b].components]].copy()
            else:
                turn = np.zeros((len(slots), 4))
            turn[~turn.any(axis=1), 0] = 1.0
            slides = len(kind.neutral) - 4
            moved = slots[:, first : first + slides] if b in self.quaternions else np.zeros((len(slots), slides))
            columns += [moved, turn]
        return np.concatenate(columns, axis=1) if columns else np.zeros((len(slots), 0))

    def slots(self, q: Sequence[float]) -> list[float]:
        """Slots of the position at the robot's position q (nq,); mimic joints have their own."""
        values = [0.0] * (len(self.coordinates) + len(self.symbols))
        starts, at = {}, 0
        for joint in self.robot.joints:
            starts[joint.name], at = at, at + joint.kind.nq
        for b, body in enumerate(self.robot.bodies):
            joint, first, kind = body.joint, self.first(b), body.joint.kind
            if joint.mimic is not None:
                values[first] = joint.mimic.multiplier * q[starts[joint.mimic.joint]] + joint.mimic.offset
                continue
            own = [float(each) for each in q[starts[joint.name] : starts[joint.name] + kind.nq]]
            if not turns_freely(kind):
                values[first : first + kind.nv] = own
                continue
            if b in self.gravity:
                canonical = self.robot.canonical
                turned = matmul(canonical.links[b].pre.rotation, unit_quaternion_rotation(own[-4:]))
                for part, value in zip(self.gravity[b], matvec(transpose(turned), canonical.gravity), strict=True):
                    values[part.joints[0][0]] = value
            if b in self.quaternions:
                values[first : first + kind.nq - 4] = own[:-4]
                for part, value in zip(self.quaternions[b].components, own[-4:], strict=True):
                    values[part.joints[0][0]] = value
        return values

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """How the position changes with each rate: columns of N, and -w x G of (5)."""
        return tuple(self._field(k, each) for k, each in enumerate(self.coordinates))

    def _field(self, k: int, each: RateCoordinate) -> Field:
        if not each.is_twist:
            return ((k, constant(1.0)),)
        b, kind, own = each.body, each.joint.kind, k - each.first
        field: list[tuple[int, TrigPolynomial]] = []
        if b in self.gravity and each.of_joint.turns:
            axis, parts = each.of_joint.column.axis, self.gravity[b]
            after, last = parts[(axis + 1) % 3], parts[(axis + 2) % 3]
            field += [(after.joints[0][0], single(last, b=1)), (last.joints[0][0], -single(after, b=1))]
        slides = [n for n, one in enumerate(kind.coordinates) if not one.turns]
        if b in self.quaternions:
            turn = self.quaternions[b].components
            quaternion = [single(part, b=1) for part in turn]
            if each.of_joint.turns:
                rows = BALL.rate_map(quaternion)
                column = each.of_joint.column.axis
                field += [(part.joints[0][0], row[column]) for part, row in zip(turn, rows, strict=True)]
            else:
                rotation = unit_quaternion_rotation(quaternion)
                field += [(each.first + n, rotation[n][own]) for n in slides]
        elif not turns_freely(kind):  # planar
            angle = next(each.first + n for n, one in enumerate(kind.coordinates) if one.turns)
            if each.of_joint.turns:
                return ((angle, constant(1.0)),)
            variable = Variable(((angle, 1),))
            rotation = rotation_z(single(variable, a=1), single(variable, b=1))
            field += [(each.first + n, rotation[n][own]) for n in slides]
        return tuple(field)

    def derivative(self, polynomial: TrigPolynomial, k: int) -> TrigPolynomial:
        """D_k of a polynomial."""
        total = TrigPolynomial()
        for slot, rate in self.fields[k]:
            total = total + polynomial.differentiate(slot) * rate
        return self.reduced(total)

    def reduced(self, polynomial: TrigPolynomial) -> TrigPolynomial:
        """The polynomial with squares of every w replaced by 1 - x^2 - y^2 - z^2."""
        for rotation in self.quaternions.values():
            w, *others = rotation.components
            while any(f[0] == w and f[2] > 1 for monomial in polynomial.terms for f in monomial):
                square = constant(1.0) - sum((single(v, b=2) for v in others), TrigPolynomial())
                kept, total = {}, TrigPolynomial()
                for monomial, coefficient in polynomial:
                    power = next((f[2] for f in monomial if f[0] == w), 0)
                    if power < 2:
                        kept[monomial] = coefficient
                        continue
                    rest = TrigPolynomial({tuple(f for f in monomial if f[0] != w): coefficient})
                    total = total + rest * square * single(w, b=power - 2)
                polynomial = TrigPolynomial(kept) + total
        return polynomial

    def structure(self, i: int, j: int) -> Iterator[tuple[int, float]]:
        """The rates l and signs of e_ijl (3)."""
        a, b = self.coordinates[i], self.coordinates[j]
        if a.first != b.first or not a.is_twist:
            return
        axes = (a.of_joint.column.axis, b.of_joint.column.axis)
        turns = (a.of_joint.turns, b.of_joint.turns)
        third = {(False, True): False, (True, True): True, (True, False): False}.get(turns)
        if third is None or axes[0] == axes[1]:
            return
        sign = 1.0 if (axes[1] - axes[0]) % 3 == 1 else -1.0
        for index, each in enumerate(a.joint.kind.coordinates, start=a.first):
            if each.turns == third and each.column.axis == 3 - sum(axes):
                yield index, sign

    def velocity_symbol(self, mass: Sequence[Sequence[TrigPolynomial]], i: int, j: int, k: int) -> TrigPolynomial:
        """Velocity coefficient c_ijk (2)."""
        parts = [self.derivative(mass[i][j], k), self.derivative(mass[i][k], j), -self.derivative(mass[j][k], i)]
        parts += [mass[index][k] * sign for index, sign in self.structure(i, j)]
        parts += [mass[index][j] * sign for index, sign in self.structure(i, k)]
        return _without_rounding(parts) * 0.5

    def skew_part(self, mass: Sequence[Sequence[TrigPolynomial]], i: int, j: int, k: int) -> TrigPolynomial:
        """The term that (4) adds to c_ijk; it cancels in C v."""
        return sum((mass[index][i] * (-0.5 * sign) for index, sign in self.structure(j, k)), TrigPolynomial())


def _without_rounding(parts: Sequence[TrigPolynomial]) -> TrigPolynomial:
    """A sum without terms that are rounding errors of its largest part."""
    size = max((abs(c) for part in parts for c in part.terms.values()), default=0.0)
    return sum(parts, TrigPolynomial()).filtered(lambda _, c: abs(c) > NOISE * size)


def quasi_velocities(robot: Robot, *, placed: Collection[int] = ()) -> QuasiVelocities:
    """The coordinates of a tree, with the slots of gravity vectors and quaternions.

    A base that turns freely has a quaternion only where it is among `placed`, bodies whose pose matters.
    """
    coordinates = rate_coordinates(robot)
    turning = [b for b, body in enumerate(robot.bodies) if turns_freely(body.joint.kind)]
    roots = [b for b in turning if robot.bodies[b].parent == BASE]
    first = {each.body: each.first for each in reversed(coordinates)}
    slot = len(coordinates)
    gravity: dict[int, tuple[Variable, Variable, Variable]] = {}
    quaternions = {}
    for b in roots if any(robot.gravity) else []:
        mark = str(first[b] + 1) if len(roots) > 1 else ""
        x, y, z = (_component(slot + k, f"g{'xyz'[k]}{mark}") for k in range(3))
        gravity[b], slot = (x, y, z), slot + 3
    for b in turning:
        if b not in roots or b in placed:
            parts = [_component(slot + k, f"q{'wxyz'[k]}{first[b] + 1}") for k in range(4)]
            quaternions[b], slot = Rotation((parts[0], parts[1], parts[2], parts[3])), slot + 4
    return QuasiVelocities(robot, coordinates, gravity, quaternions)


def _component(slot: int, symbol: str) -> Variable:
    return Variable(((slot, 1),), PositionBasis.POLYNOMIAL, symbol)


def form_in_quasi_velocities(robot: Robot, layout: QuasiVelocities | None = None) -> ClosedForm:
    """M, g and U of a tree with joints of any kind; U is counted from the origin of a base that turns freely."""
    layout = layout or quasi_velocities(robot)
    n = len(layout.coordinates)
    upper = [[TrigPolynomial()] * n for _ in range(n)]
    gravity = [TrigPolynomial()] * n
    potential = TrigPolynomial()
    for path in paths(robot.canonical.links):
        rates = _path_rates(layout, path.bodies)
        columns = _mass_entries(layout, path, rates)
        for (r, c), entry in columns.items():
            i, j = rates[r], rates[c]
            if i is not None and j is not None:
                upper[i][j] = upper[i][j] + entry
        root = path.bodies[0]
        if turns_freely(robot.bodies[root].joint.kind):
            parts, height = _falling(layout, root, rates, columns) if root in layout.gravity else ({}, TrigPolynomial())
        else:
            parts, height = _tabulated_gravity(layout, path, rates)
        potential = potential + height
        for i, entry in parts.items():
            gravity[i] = gravity[i] + entry
    state = [k for k, each in enumerate(layout.coordinates) if each.joint.mimic is None]
    for i, row in zip(state, robot.drives.reflected_inertia(robot.n), strict=True):
        for j, value in zip(state, row, strict=True):
            if i <= j and value != 0.0:
                upper[i][j] = upper[i][j] + constant(value)
    rows = tuple(tuple(upper[min(i, j)][max(i, j)] for j in range(n)) for i in range(n))
    return ClosedForm(robot, tuple(each.name for each in layout.coordinates), rows, potential, tuple(gravity), layout)


def _path_rates(layout: QuasiVelocities, bodies: Sequence[int]) -> list[int | None]:
    """The coordinate of every rate of a path; None for those of the origin of a body on a ball joint at the base."""
    found: list[int | None] = []
    for b in bodies:
        own, first = layout.robot.bodies[b].joint.kind.nv, layout.first(b)
        found += [None] * (path_link(layout.robot, b).kind.nv - own) + list(range(first, first + own))
    return found


def _mass_entries(
    layout: QuasiVelocities, path: Path, rates: Sequence[int | None]
) -> dict[tuple[int, int], TrigPolynomial]:
    """Contribution of a path's own bodies to M, upper triangle, by rates of the path."""
    function = mass_function(layout.robot, path.bodies, path.own)
    n = len(layout.coordinates) + len(layout.symbols)
    found: dict[tuple[int, int], TrigPolynomial] = {}
    size = np.ones(len(rates))
    row = len(rates)
    for r in reversed(range(len(path.bodies))):
        variables, groups = layout.variables(path.bodies[r + 1 :])
        own = path_link(layout.robot, path.bodies[r]).kind.nv
        row -= own
        points = layout.positions(grid(variables, n), path.bodies)
        samples = sampled(function, "M", points, range(points.shape[1]))
        for k in range(row, row + own):
            table = coefficient_table(variables, samples[:, k, k:])
            size[k] = max(np.abs(table[..., 0]).max(), np.finfo(float).tiny)
            for c in range(len(rates) - 1, k - 1, -1):
                entry = table[..., c - k]
                threshold = max(NOISE * np.abs(entry).max(), PAIR_NOISE * float(np.sqrt(size[k] * size[c])))
                if c < row + own:  # an entry within one joint, whose diagonal is not known yet
                    threshold = max(threshold, PAIR_NOISE * float(np.abs(table).max()))
                chosen, best = fewest_terms(variables, groups, entry, threshold)
                best = np.where(np.abs(best) > threshold, best, 0.0)
                found[k, c] = polynomial_from_table(chosen, best, noise=0.0)
    return found


def _falling(
    layout: QuasiVelocities, root: int, rates: Sequence[int | None], mass: Mapping[tuple[int, int], TrigPolynomial]
) -> tuple[dict[int, TrigPolynomial], TrigPolynomial]:
    """Gravity torques (5) and potential energy of a path whose first body turns freely; its first rates are u, w."""
    vector = [single(part, b=1) for part in layout.gravity[root]]
    torques = {}
    for r, i in enumerate(rates):
        if i is not None:
            torques[i] = -sum((mass[min(r, k), max(r, k)] * vector[k] for k in range(3)), TrigPolynomial())
    # U = -h . G, h the sum of mass times position. Angular momentum at a velocity u is h x u: M has -h_x, -h_y, -h_z.
    opposite = (mass[2, 4], mass[0, 5], mass[1, 3])
    return torques, sum((h * v for h, v in zip(opposite, vector, strict=True)), TrigPolynomial())


def _tabulated_gravity(
    layout: QuasiVelocities, path: Path, rates: Sequence[int | None]
) -> tuple[dict[int, TrigPolynomial], TrigPolynomial]:
    """Gravity torques and potential energy of a path from a base that does not turn freely."""
    robot = layout.robot
    variables, _ = layout.variables(path.bodies)
    points = layout.positions(grid(variables, len(layout.coordinates) + len(layout.symbols), 1), path.bodies)
    torques = sampled(gravity_function(robot, path.bodies, path.own), "g", points, range(points.shape[1]))
    table = coefficient_table(variables, torques, 1)
    floor = NOISE * float(np.abs(table).max(initial=0.0))
    found = {}
    for k, i in enumerate(rates):
        assert i is not None
        entry = np.where(np.abs(table[..., k]) > floor, table[..., k], 0.0)
        found[i] = polynomial_from_table(variables, entry, 1, noise=0.0)
    heights = sampled(height_function(robot, path.bodies), "U", points, range(points.shape[1]))
    weights = np.array(
        [[*robot.bodies[b].inertia.first_moment, robot.bodies[b].inertia.m] if b in path.own else [0.0] * 4
         for b in path.bodies]
    )  # fmt: skip
    energy = coefficient_table(variables, np.tensordot(heights, weights, axes=2), 1)
    return found, polynomial_from_table(variables, energy, 1)
