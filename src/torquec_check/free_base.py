"""Torque errors of a robot with a free base: those of its limbs, each with its own program on a copy of the base.

The first joint is free, in the axes of the world; each tree of bodies on its body is a limb. q is (x, y, z, quaternion
(w, x, y, z), joints); qd is (v of the origin, w angular, both in the base's axes, joints).

(1)  Torques depend on the base through w, b = dw/dt and A = dv/dt + w x v - R'g alone. Those of a limb depend on these
     and on its joints; the base's wrench is a sum over the limbs. The certificate divides the base's inertia: all but
     the first limb have what it says, the first has the rest, exactly
(2)  A limb on its base is a robot of six massless joints at zero, sliding and turning along and about x, y, z, whose
     rates are 0 and w and whose accelerations are A and b - (w_y w_z, -w_x w_z, w_x w_y): `recursion` has its torques
(3)  The program is this and nothing else: A, the programs of the limbs, sums of their wrenches (`composed`). R has the
     entries 1 - 2 (y y + z z), 2 (x y - w z), ..: for a quaternion of length s a rotation Q plus (s s - 1) (Q - 1)
(4)  |A_j| <= |dv_j/dt| + |w_k v_l| + |w_l v_k| + (1 + 4.1e-6) |g|, if |s - 1| <= 1e-6
(5)  Bound of a joint: that of its limb, and rounding of the program. Of the base: the sum over the limbs, and rounding
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from torquec_check.claim import BASE, SUFFIXES
from torquec_check.document import RefusedError, expect, fields, items, numbers
from torquec_check.program import Operation, Port, Program, torque_program
from torquec_check.program_error import Difference, Progress, check_torques, motion_torques
from torquec_check.recursion import robot_torques
from torquec_check.robot import INERTIA, JOINT, MOST_BODIES, Box, Robot, robot_of
from torquec_check.rows import UP, Grid, Rows, grid_of, program_degrees

OFF = 1e-6
_AXES = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
_STILL = {"rotation": [*_AXES], "origin": [0.0, 0.0, 0.0]}


@dataclass(frozen=True)
class Limb:
    """A limb as a robot (2), its rates in the whole robot, its program and the bounds of its torques (n,)."""

    robot: Robot
    rates: tuple[int, ...]
    program: Program
    bounds: tuple[float, ...]


def limbs_of(document: Any, stated: Any) -> tuple[Robot, tuple[Limb, ...]]:
    """A robot without bodies, and its limbs with what a certificate states of them; raises `RefusedError`."""
    bodies, limb_of = items(document["bodies"], "robot.bodies"), {0: 0}
    parent, root, inertia = fields(bodies[0], "parent joint inertia", "base", ignored="name lacking_inertia")
    title, kind, placement, _, mimic = fields(root, JOINT, "base", ignored="limits friction spring counterbalances")
    if (kind, parent, placement, mimic) != ("free", -1, _STILL, None) or not 1 < len(bodies) <= MOST_BODIES:
        raise RefusedError("robot: it has no free base in the axes of the world, or nothing or too much moves on it")
    names = [f"{expect(str, title, 'robot')}_{suffix}" for suffix in SUFFIXES]
    for k, body in enumerate(bodies[1:], start=1):
        if expect(int, body["parent"], "parent") not in limb_of or (body["joint"]["mimic"] or {}).get("joint") in names:
            raise RefusedError(f"robot.bodies[{k}]: it is not on the free base, or follows it")
        limb_of[k] = limb_of[body["parent"]] or k
    members = [[k for k in limb_of if limb_of[k] == first] for first in sorted({*limb_of.values()})[1:]]
    names += [body["joint"]["name"] for body in bodies[1:] if body["joint"]["mimic"] is None]
    rows = [fields(row, "base program bounds", "limbs") for row in items(stated, "limbs", len(members))]
    shares: Any = [[Fraction(x) for x in numbers(share, "limbs.base", 10)] for share, _, _ in rows]
    own = numbers(fields(inertia, INERTIA, "base"), "base")
    shares[0] = [Fraction(x) - sum(rest) for x, _, *rest in zip(own, *shares, strict=True)]
    limbs, turns = [], dict[str, bool]()
    for member, (_, program, bounds), share in zip(members, rows, shares, strict=True):
        robot = robot_of(_limb_document(document, member, names))
        base = replace(robot.bodies[BASE - 1], inertia=tuple(share))
        robot = replace(robot, bodies=(*robot.bodies[: BASE - 1], base, *robot.bodies[BASE:]))
        rates, limits = tuple(map(names.index, robot.joints)), numbers(bounds, "limbs.bounds", robot.n)
        limbs.append(Limb(robot, rates, torque_program(program, robot.n, "limbs"), limits))
        turns |= dict(zip(robot.joints, robot.turns, strict=True))
    if len({*names}) != len(names):
        raise RefusedError("robot.bodies: joints need names of their own")
    name, pull = expect(str, document["name"], "robot.name"), numbers(document["gravity"], "robot.gravity", 3)
    return Robot(name, tuple(names), tuple(turns[each] for each in names), (), pull, ()), tuple(limbs)


def _limb_document(document: Any, member: Sequence[int], names: Sequence[str]) -> dict[str, Any]:
    """(2): the base's six joints, then the limb, and the motors that turn its joints."""
    index, bodies = {0: BASE - 1, **{k: BASE + i for i, k in enumerate(member)}}, list[Any]()
    for k, name in enumerate(names[:BASE]):
        joint = {"name": name, "type": "prismatic" if k < 3 else "revolute", "placement": _STILL, "axis": _AXES[k % 3]}
        massless = dict.fromkeys(INERTIA.split(), 0.0)
        bodies.append({"parent": k - 1, "joint": {**joint, "mimic": None}, "inertia": massless})
    bodies += [{**document["bodies"][k], "parent": index[document["bodies"][k]["parent"]]} for k in member]
    own = {body["joint"]["name"] for body in bodies}
    motors, rows = fields(document["drives"], "motors transmission", "robot.drives")
    ratios = [[x for x, name in zip(row, names, strict=True) if name in own] for row in rows]
    for row, part in zip(rows, ratios, strict=True):
        if any(part[:BASE]) or (any(part) and sum(map(bool, part)) != sum(map(bool, row))):
            raise RefusedError("robot.drives: a motor turns joints of two limbs, or the base")
    return {**document, "bodies": bodies, "gravity": [0.0] * 3, "drives": {"motors": motors, "transmission": ratios}}


class _Carried(Grid):
    """A grid with the inputs of a limb's torques (2)."""

    def input(self, port: str, joint: int) -> Rows:
        found = super().input(port, joint) if joint >= {"q": BASE, "qd": 3}.get(port, 0) else Rows()
        if port == "qdd" and 3 <= joint < BASE:
            found += Rows({((4, 5), (3, 5), (3, 4))[joint - 3]: Fraction(1 if joint == 4 else -1)})
        return found


def check_limbs(
    limbs: Sequence[Limb], whole: Robot, program: Program, box: Box, bounds: Sequence[float], progress: Progress
) -> list[float]:
    """What bounds (n,) have left beside those of the limbs, for rounding (5); raises `RefusedError` unless proven."""
    if program != composed([(limb.program, limb.rates) for limb in limbs], whole.gravity, whole.n):
        raise RefusedError("the program is not that of the limbs in the certificate, on the motion of the base")
    left = [bound * (1.0 - 1e-12) for bound in bounds]  # for the rounding of differences
    for limb in limbs:
        _check_limb(limb, limb_box(limb.rates, box, whole.gravity), progress)
        for rate, bound in zip(limb.rates, limb.bounds, strict=True):
            left[rate] -= bound
    return left


def posed(box: Box) -> Box:
    """The motions of a robot, with the pose of its base among the positions."""
    pose = (0.0, 0.0, 0.0, *(4 * (1.0 + OFF,)))
    return replace(box, lower=pose + box.lower[BASE:], upper=pose + box.upper[BASE:])


def limb_box(rates: Sequence[int], box: Box, gravity: Sequence[float]) -> Box:
    """The motions of a limb on its base (4), from those of the whole robot."""
    v, w, pull = box.velocity[:3], box.velocity[3:BASE], math.hypot(*gravity) * (1.0 + 4.1 * OFF)
    A = [(box.acceleration[k] + w[k - 2] * v[k - 1] + w[k - 1] * v[k - 2] + pull) * UP for k in range(3)]
    sides = (box.lower, box.upper, box.velocity, box.acceleration)
    lower, upper, speeds, rest = (tuple(side[k] for k in rates) for side in sides)
    return Box(lower, upper, (0.0, 0.0, 0.0, *speeds[3:]), (*A, *rest[3:]))


def _check_limb(limb: Limb, box: Box, progress: Progress) -> None:
    """Raise `RefusedError` unless the bounds of a limb are proven."""
    robot, program, degrees = limb.robot, limb.program, [0] * limb.robot.n
    if any(step.op == "input" and step.element < {"q": BASE, "qd": 3}.get(step.port, 0) for step in program.operations):
        raise RefusedError("the program of a limb uses the pose of the base, or its linear velocity")
    for body in robot.bodies[BASE:]:
        degrees[body.coordinate] += 2 * abs(round(body.multiplier)) if body.turns else 2
    grid = grid_of(robot.turns, list(map(max, degrees, program_degrees(program, robot.turns))), box.lower, box.upper)
    carried = _Carried(grid.turns, grid.counts, grid.lower, grid.upper)
    own = robot_torques(robot, carried, lambda body: [grid.constant(Fraction(x)) for x in body.inertia])
    error = [a - b for a, b in zip(own, motion_torques(program, grid), strict=True)]
    names = [f"{joint} of a limb" for joint in robot.joints]
    check_torques(names, Difference(grid, own, error), box, limb.bounds, [0.0] * robot.n, progress)


def composed(limbs: Sequence[tuple[Program, Sequence[int]]], gravity: Sequence[float], n: int) -> Program:
    """(3): the program of a robot with n rates from those of its limbs with their rates; equal operations once."""
    steps, totals = dict[Operation, int](), dict[int, int]()

    def put(op: str, *args: int, **given: Any) -> int:
        ordered = tuple(sorted(args)) if op in ("add", "mul") else args
        return steps.setdefault(Operation(op, ordered, **given), len(steps))

    def read(port: str, element: int) -> int:
        return put("input", port=port, element=element)

    def turn(i: int, j: int) -> int:  # R_ij
        w, *x = (read("q", 3 + k) for k in range(4))
        if i == j:
            squares = (put("mul", put("add", x[k], x[k]), x[k]) for k in range(3) if k != i)
            return put("sub", put("const", value=1.0), put("add", *squares))
        a, b = (put("mul", put("add", x[p], x[p]), other) for p, other in ((i, x[j]), (3 - i - j, w)))
        return put("add" if (i - j) % 3 == 1 else "sub", a, b)

    def felt(k: int) -> int:  # A_k
        i, j = (k + 1) % 3, (k + 2) % 3
        across = (put("mul", read("qd", 3 + a), read("qd", b)) for a, b in ((i, j), (j, i)))
        total = put("add", read("qdd", k), put("sub", *across))
        for row, pull in enumerate(gravity):
            total = put("sub", total, put("mul", put("const", value=pull), turn(row, k))) if pull else total
        return total

    for program, rates in limbs:
        values: list[int] = []
        for step in program.operations:
            if step.op != "input":
                values.append(put(step.op, *(values[k] for k in step.args), value=step.value))
            elif step.port == "qdd" and step.element < 3:
                values.append(felt(step.element))
            else:
                values.append(read(step.port, rates[step.element] + (step.port == "q")))
        for rate, k in zip(rates, program.results[0], strict=True):
            if rate not in totals or program.operations[k] != Operation("const"):  # not zero
                totals[rate] = put("add", totals[rate], values[k]) if rate in totals else values[k]
    inputs = (Port("q", (n + 1,)), Port("qd", (n,)), Port("qdd", (n,)))
    results = (tuple(totals[k] for k in range(n)),)
    return Program("inverse_dynamics", inputs, (Port("tau", (n,)),), tuple(steps), results)
