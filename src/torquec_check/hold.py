"""The claim: torques with held coefficients differ by at most a bound from the robot's at the same instant.

A background task samples a motion at t0. At t, at most `age` T later, the torque of a program P = M(q) qdd + h(q, qd),
h = c + g, is computed with these old coefficients. |q| is in the box, |qd| <= v, |qdd| <= a, and |qddd| <= j where that
is limited; A = qdd(t). With D the derivative of P along the motion while A is held, and D2 the second one:

(1)  zeroth order: M(q0) A + h(q0, qd0). The error is the integral of D over s from t0 to t,
       D = dM/dq[qd] A + dh/dq[qd] + dc/dqd[qdd]                        A = qdd + (A - qdd), |A - qdd| <= j (t - s)
     so at most T (D with A = qdd) + T^2/2 (dM/dq[v] j); or T (D with any A, |A| <= a). A spring adds T k v.
     M and g are published by one task and c by another: where their ages are s and r <= T, the error is the integral
     of D over the smaller one, and of the part of D of M and g, or of c, over the rest: D bounds all three
(2)  first order: with the slopes of P at t0. The error is the integral of D2(r, s) over t0 <= r <= s <= t, and
     dM/dq(q0)[q - q0] (A - qdd0) beside it, |q - q0| <= T v, |A - qdd0| <= min(T j, 2 a),
       D2 = d2M/dq2[v_r, v_s] A + d2h/dq2[v_r, v_s] + d2c/(dq dqd)([v_s, a_r] + [v_r, a_s]) + d2c/dqd2[a_r, a_s]
     at q_r and, in c, v_r. With v_s = v_r + (v_s - v_r), the last at most (s - r) a: T^2/2 curvature + T^3/6 bend
(3)  A part is a sum of polynomials f_r(q) times monomials x^r y_g of factors within +-1, weights included in f_r:
     h = max over x of sum over g |sum of f_r x^r|. An even power is (1 + u)/2 with |u| <= 1: f_r/2 stays, |f_r|/2 is
     added. What is left is linear in every x_j, so largest where all are +-1. h <= part is proven over boxes of sums of
     angles or of angles (`boxes`); `bend` is a sum of amplitudes
(4)  Derivatives on the grid of 2 d + 1 = m nodes: f' = S f, S_jk = (-1)^(j-k)/(2 sin(pi (j - k)/m)), 0 for j = k; for a
     displacement d = .. + e sin p divided by e cos p, which is no zero at a node since m is odd
(5)  bound >= the sum of these parts + model, a bound of |robot - P| over the box (`program_error`)

The held torques are real numbers: rounding of the code that holds coefficients is not in the bounds.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import flint
import numpy as np

from torquec_check.boxes import Report, along, amplitude, check_below, product_error, waves_of
from torquec_check.document import RefusedError, canonical_hash, expect, fields, items, number, numbers
from torquec_check.program import Program, torque_program
from torquec_check.program_error import check_torque_errors, motion_torques
from torquec_check.robot import Box, Robot, robot_of
from torquec_check.rounding import DOUBLE
from torquec_check.rows import SMALLEST, UP, Array, Ball, Grid, Monomial, arb, ball_of, grid_of, program_degrees
from torquec_check.sums import wider

FORMAT = "torquec hold certificate 1"
ORDERS: dict[str, tuple[str, ...]] = {"zeroth": ("drift", "turning"), "first": ("curvature", "bend", "turning")}
"""Parts of a bound by the order of the hold, (1) and (2); of zeroth order without `turning`, A is any acceleration."""

MOST_JOINTS, MOST_FACTORS, MOST_VALUES, _AT_ONCE = 20, 9, 30_000_000, 500
"""Joints, whose pairs of pairs are derived; factors whose signs are tried, 2^8 combinations; values of all rows of a
part (1.5 GB); points tried together."""

Term: TypeAlias = tuple[str, tuple[str, int], tuple[int, ...]]
"""A monomial: factors of different kinds (first entry) are different ones; its group g; its shared factors x."""
Terms: TypeAlias = "dict[Term, Ball]"
Found: TypeAlias = "Iterable[tuple[Term, Ball | None, Fraction]]"
"""Coefficients by monomial; terms as they are found, with weights, some of them equal or None, which is zero."""


@dataclass(frozen=True)
class Hold:
    """What is claimed: bounds [N m, N] by joint, with their parts (5), for coefficients up to `age` [s] old.

    `stiffness` (n,) of the springs; `jerk` (n,) or None where it is not limited.
    """

    robot: Robot
    program: Program
    box: Box
    jerk: tuple[float, ...] | None
    order: str
    age: float
    bounds: tuple[float, ...]
    models: tuple[float, ...]
    parts: tuple[Mapping[str, float | None], ...]
    stiffness: tuple[Fraction, ...]


def hold_of(document: Any) -> Hold:
    """The claim of a document; raises `RefusedError`."""
    names = "format robot_document program motions order age joints sha256"
    stated, about, program, motions, order, age, joints, own = fields(document, names, "hold certificate")
    if stated != FORMAT or own != canonical_hash({k: v for k, v in document.items() if k != "sha256"}):
        raise RefusedError("not a hold certificate, or its checksum does not fit: it was changed or damaged")
    robot = robot_of(about)
    if robot.n > MOST_JOINTS:
        raise RefusedError(f"the hold errors of {robot.n} joints are too many to be checked")
    *sides, jerk = fields(motions, "lower upper velocity acceleration jerk", "motions")
    box = Box(*(numbers(side, "motions", robot.n) for side in sides))
    limits = None if jerk is None else numbers(jerk, "motions.jerk", robot.n)
    if any(low > high for low, high in zip(box.lower, box.upper, strict=True)):
        raise RefusedError("a range of the box is empty")
    if any(x < 0.0 for side in (box.velocity, box.acceleration, limits or ()) for x in side):
        raise RefusedError("a largest speed, acceleration or jerk is negative")
    if order not in ORDERS or not number(age, "age") >= 0.0 or tuple(expect(dict, joints, "joints")) != robot.joints:
        raise RefusedError("the order of the hold, the age or the joints of a hold certificate are not valid")
    sums, parts = [], []
    for name, row in joints.items():
        bound, model, *values = fields(row, " ".join(("bound", "model", *ORDERS[order])), name)
        sums.append(numbers([bound, model], name))
        parts.append({k: None if v is None else number(v, name) for k, v in zip(ORDERS[order], values, strict=True)})
        missing = [key for key, part in parts[-1].items() if part is None]
        if missing and (order, missing) != ("zeroth", ["turning"]):
            raise RefusedError(f"{name}: the part '{missing[0]}' of its bound is missing")
    made, springs = torque_program(program, robot.n), _stiffness(about, robot)
    bounds, models = zip(*sums, strict=True)
    return Hold(robot, made, box, limits, order, float(age), bounds, models, tuple(parts), springs)


def _stiffness(document: Mapping[str, Any], robot: Robot) -> tuple[Fraction, ...]:
    """Of the springs, by coordinate; raises `RefusedError` for counterbalances."""
    found = [Fraction(0)] * robot.n
    for body, row in zip(robot.bodies, document["bodies"], strict=True):
        joint = row["joint"]
        if items(joint.get("counterbalances", []), "counterbalances"):
            raise RefusedError("the hold error of a counterbalance is not checked")
        if joint.get("spring") is not None:
            (stiffness,) = fields(joint["spring"], "stiffness", "spring", ignored="rest")
            found[body.coordinate] += abs(Fraction(number(stiffness, "spring"))) * Fraction(body.multiplier) ** 2
    return tuple(found)


def check_hold(hold: Hold, progress: Callable[[str, float], None], most_values: float = math.inf) -> None:
    """Raise `RefusedError` unless every bound is proven, each part within so many control values (`boxes`)."""
    check_torque_errors(hold.robot, hold.program, hold.box, hold.models, DOUBLE, progress)
    age, jerk = Fraction(hold.age), None if hold.jerk is None else [Fraction(x) for x in hold.jerk]
    for i, motion in enumerate(_motions(hold.program, hold.robot, hold.box)):
        joint, parts, report = hold.robot.joints[i], hold.parts[i], functools.partial(progress, "hold error")
        if hold.order == "zeroth":
            held = parts["turning"] is not None
            if held and jerk is None:
                raise RefusedError(f"{joint}: without a limit of the jerk, the acceleration is any one of the box")
            spring = float(hold.stiffness[i] * motion.v[i]) * UP
            proven = [("drift", each.drift(held=held), spring) for each in (motion, *motion.alone)]
            proven += [("turning", motion.turning([age / 2 * x for x in jerk or ()]), 0.0)] if held else []
            weights = {"drift": hold.age, "turning": hold.age}
        else:
            jumps = [2 * x if jerk is None else min(age * jerk[e], 2 * x) for e, x in enumerate(motion.a)]
            proven = [("curvature", motion.curvature(), 0.0), ("bend", (), motion.bend())]
            proven += [("turning", motion.turning(jumps), 0.0)]
            weights = {"curvature": hold.age**2 / 2.0, "bend": hold.age**3 / 6.0, "turning": hold.age}
        for part, found, other in proven:
            terms = added_up(found)
            if len(terms) * math.prod(motion.grid.counts) > MOST_VALUES:
                raise RefusedError(f"{joint}: {len(terms)} terms on a grid of {motion.grid.counts} are too many")
            try:
                check_part(terms, motion.grid, (parts[part] or 0.0) - other, report, most_values)
            except RefusedError as error:
                raise RefusedError(f"{joint}: {part} = {parts[part]} is not proven: {error.found}") from None
        total = (hold.models[i] + sum(weights[part] * (bound or 0.0) for part, bound in parts.items())) * UP
        if not total <= hold.bounds[i]:
            raise RefusedError(f"{joint}: its parts add up to {total:.6g}, its bound is {hold.bounds[i]:.6g}")


def check_part(terms: Terms, grid: Grid, bound: float, report: Report, most: float) -> None:
    """Raise `RefusedError` unless h <= bound, over sums of any angles, or of whole turns alone (`boxes`, 7)."""
    try:
        check_below(terms, grid, hold_exceeds, bound, report, most, wider)
    except RefusedError:
        check_below(terms, grid, hold_exceeds, bound, report, most)


def bends(program: Program, robot: Robot, box: Box) -> list[float]:
    """The part `bend` (n,) that is proven of every joint."""
    return [motion.bend() for motion in _motions(program, robot, box)]


def _motions(program: Program, robot: Robot, box: Box) -> list[_Motion]:
    """The derivatives of every joint's torque."""
    grid = grid_of(robot.turns, program_degrees(program, robot.turns), box.lower, box.upper)
    sides = [tuple(map(Fraction, side)) for side in (box.velocity, box.acceleration)]
    return [_Motion(rows, grid, robot.n, *sides) for rows in motion_torques(program, grid)]


class _Motion:
    """The parts (1) and (2) of one joint's error as terms (3); `v`, `a` (n,) are largest speeds and accelerations."""

    def __init__(self, rows: Mapping[Monomial, Ball], grid: Grid, n: int, v: Sequence[Any], a: Sequence[Any]) -> None:
        self.rows, self.grid, self.n, self.v, self.a = rows, grid, n, v, a
        self.pairs = list(itertools.combinations_with_replacement(range(n), 2))
        self.places = list(itertools.product(range(n), repeat=2))

    @property
    def alone(self) -> list[_Motion]:
        """The same of M and g alone, and of c alone, whose samples are others (1)."""
        rows = ({k: x for k, x in self.rows.items() if (len(k) == 2) == speeds} for speeds in (False, True))
        return [_Motion(each, self.grid, self.n, self.v, self.a) for each in rows]

    def by(self, key: Monomial, *joints: int) -> Ball | None:
        """A derivative of a coefficient by the positions of joints; None where it is zero."""
        found = self.rows.get(key)
        for joint in joints:
            found = None if found is None else slope(found, joint, self.grid)
        return found

    def turned(self, e: int, m: int, *joints: int) -> Ball | None:
        """d2c/(dqd_e dqd_m), or its derivative."""
        found = self.by((min(e, m), max(e, m)), *joints)
        return found if found is None or e != m else found * 2.0

    def turning(self, weights: Sequence[Fraction]) -> Found:
        """dM/dq[v] w."""
        return ((("", ("w", e), (j,)), self.by((~e,), j), self.v[j] * weights[e]) for j, e in self.places)

    def drift(self, *, held: bool) -> Found:
        """D of (1), with A = qdd where it is `held` to that, or any A."""
        v, a, own = self.v, self.a, "a" if held else "A"
        for j, e in self.places:
            yield ("", (own, e), (j,)), self.by((~e,), j), v[j] * a[e]
            yield ("", ("a", e), (j,)), self.turned(j, e), v[j] * a[e]
        for j in range(self.n):
            yield ("", ("", 0), (j,)), self.by((), j), v[j]
            for e, m in self.pairs:
                yield ("", ("", 0), tuple(sorted((j, e, m)))), self.by((e, m), j), v[j] * v[e] * v[m]

    def curvature(self) -> Found:
        """D2 of (2) with v_s = v_r."""
        v, a = self.v, self.a
        for j, k in self.pairs:
            both = v[j] * v[k] * (1 if j == k else 2)
            yield ("", ("", 0), (j, k)), self.by((), j, k), both
            for e in range(self.n):
                yield ("", ("A", e), (j, k)), self.by((~e,), j, k), both * a[e]
            for e, m in self.pairs:
                yield ("", ("", 0), tuple(sorted((j, k, e, m)))), self.by((e, m), j, k), both * v[e] * v[m]
        for e, m in self.places:
            for j in range(self.n):
                yield ("", ("a", e), (min(j, m), max(j, m))), self.turned(e, m, j), 2 * v[j] * v[m] * a[e]
            yield ("accelerations", ("a", m), (e,)), self.turned(e, m), a[e] * a[m]

    def bend(self) -> float:
        """What v_s - v_r adds to D2, by amplitudes."""
        v, a, total = self.v, self.a, 0.0
        sizes: dict[Monomial, Fraction] = {(): Fraction(1), **{(~e,): a[e] for e in range(self.n)}}
        sizes |= {(e, m): v[e] * v[m] for e, m in self.pairs}
        for (key, size), (j, k) in itertools.product(sizes.items(), self.pairs):
            total += self._size(self.by(key, j, k), size * (v[j] * a[k] + (v[k] * a[j] if j != k else 0)))
        for (e, m), j in itertools.product(self.places, range(self.n)):
            total += self._size(self.turned(e, m, j), a[j] * a[e] * v[m])
        return total * UP

    def _size(self, ball: Ball | None, weight: Fraction) -> float:
        if ball is None or not weight:
            return 0.0
        waves, noise = waves_of(ball * weight, self.grid)
        return amplitude(waves) + noise


def added_up(found: Found) -> Terms:
    """Terms times their weights; equal monomials are added up."""
    terms: Terms = {}
    for term, ball, weight in found:
        if ball is not None and weight:
            terms[term] = terms[term] + ball * weight if term in terms else ball * weight
    return terms


def slope(ball: Ball, joint: int, grid: Grid) -> Ball | None:
    """(4); None where the ball does not depend on the joint, or this has one position only."""
    shape = np.broadcast_shapes(ball.mid.shape, ball.rad.shape, (1,) * len(grid.turns))
    count, turns, low, high = shape[joint], grid.turns[joint], grid.lower[joint], grid.upper[joint]
    if count == 1 or not (turns or high != low):
        return None
    mid, rad, matrix = np.broadcast_to(ball.mid, shape), np.broadcast_to(ball.rad, shape), slope_matrix(count)
    off = along(np.abs(matrix), rad + product_error(count) * np.abs(mid), joint) * UP + SMALLEST
    found = Ball(along(matrix, mid, joint), off)
    if turns:
        return found
    half = arb((Fraction(high) - Fraction(low)) / 2)
    inverse = [1 / (half * (flint.arb(2 * k) / count).cos_pi()) for k in range(count)]
    return found * ball_of(*inverse, shape=tuple(count if k == joint else 1 for k in range(len(shape))))


@functools.cache
def slope_matrix(count: int) -> Array:
    """S of (4)."""
    nodes = range(count)
    sines = [[2 * (flint.arb(j - k) / count).sin_pi() for k in nodes] for j in nodes]
    return np.array([[0.0 if j == k else (-1) ** (j - k) * float(1 / sines[j][k]) for k in nodes] for j in nodes])


def hold_exceeds(terms: Sequence[Term], rows: Array, limits: Array) -> bool:
    """Whether h of (3) may exceed the limits (points,) at a point."""
    sums = np.abs(rows).sum(axis=0)
    left = np.flatnonzero(~(sums <= limits))
    left = left[np.argsort(limits[left] - sums[left])]
    forms = _forms(tuple(terms))
    for some in (left[start : start + _AT_ONCE] for start in range(0, len(left), _AT_ONCE)):
        points, total = rows[:, some], np.zeros(len(some))
        for signs, groups, halved in forms:
            values = (np.abs(part @ points[group]) for group, part in zip(groups, signs, strict=True))
            total += sum(values, np.zeros(())).max(axis=0) + 0.5 * np.abs(points[halved]).sum(axis=0)
        if not np.all(total <= limits[some]):
            return True
    return False


@functools.lru_cache(maxsize=64)
def _forms(terms: tuple[Term, ...]) -> list[tuple[list[Array], list[list[int]], list[int]]]:
    """For each kind of factors: factors of the rows by group (choices, rows), these rows, and those of even powers."""
    found = []
    for kind in dict.fromkeys(kind for kind, _, _ in terms):
        own = [k for k, term in enumerate(terms) if term[0] == kind]
        shared = sorted({j for k in own for j in terms[k][2]})
        if len(shared) > MOST_FACTORS:
            raise RefusedError("the torque of a joint depends on too many speeds to be checked")
        choices = np.array(list(itertools.product((1.0, -1.0), repeat=len(shared)))).reshape(-1, len(shared))
        choices = choices[: (len(choices) + 1) // 2]  # groups are even or odd: opposite signs have the same sums
        groups: dict[tuple[str, int], list[int]] = {}
        for k in own:
            groups.setdefault(terms[k][1], []).append(k)
        if any(len({len(terms[k][2]) % 2 for k in group}) > 1 for group in groups.values()):
            raise RefusedError("terms of a group are even and odd")
        halved = [k for k in own if len({*terms[k][2]}) < len(terms[k][2])]
        signs = []
        for group in groups.values():
            odd = [[shared.index(j) for j in {*terms[k][2]} if terms[k][2].count(j) % 2] for k in group]
            columns = [choices[:, places].prod(axis=1) for places in odd]
            signs.append(np.stack(columns, axis=1) * [0.5 if k in halved else 1.0 for k in group])
        found.append((signs, list(groups.values()), halved))
    return found
