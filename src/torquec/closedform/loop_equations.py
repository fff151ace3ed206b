"""Loop equations Phi(q) = 0 of a robot with closed loops, as exact polynomials beside the closed form of its tree.

With the loops cut, positions q of all joints of the tree, and forces lambda that close the loops:

(1)  tau + (dPhi/dq)' lambda = M(q) qdd + c(q, qd) + g(q),    Phi(q) = 0
(2)  point:     p_B - p_A, in the file's axes of the nearest body that carries both frames
(3)  axis:      (2), and the components of z_A x z_B along x_A and y_A
(4)  weld:      (2), and the skew part of R_A' R_B: axis times sine of the angle between the frames
(5)  coupling:  q_j - p(q_i) - sum a_k q_k
(6)  With q_d the dependent and q_i the independent positions, dq/dq_i = T = [1; -(dPhi/dq_d)^-1 dPhi/dq_i], and the
     torques of the independent joints are T' times those of the tree (:mod:`torquec.robot.loops.closure`)

Poses are tabulated along each branch: they have degree one in every sine, cosine and displacement.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from torquec.closedform.accepts import check_has_closed_form, check_size
from torquec.closedform.closed_form import ClosedForm, Closure, Coefficients, closed_form, sampled
from torquec.closedform.paths import path_to
from torquec.closedform.polynomial import TrigPolynomial, Variable, constant, single
from torquec.closedform.quasi_velocities import QuasiVelocities, form_in_quasi_velocities, quasi_velocities
from torquec.closedform.tabulate import NOISE, coefficient_table, grid, polynomial_from_table
from torquec.errors import RobotError
from torquec.expr import trace
from torquec.robot.joints import PositionBasis
from torquec.robot.loops.closed_loops import Coupling, LoopConstraint
from torquec.robot.loops.equations import loop_frames
from torquec.robot.robot import Robot
from torquec.spatial import Pose, Scalar

Turned = list[list[TrigPolynomial]]
"""A rotation, entry by entry."""


def form_with_loops(robot: Robot, *, coefficients: Coefficients = Coefficients.NUMBERS) -> ClosedForm:
    """The closed form of a robot's tree, with its loop equations as `closure` (1).

    Raises `RobotError` for a robot without closed loops, and as `closed_form` does.
    """
    if robot.loops is None or not robot.dependent:
        raise RobotError(f"robot '{robot.name}' has no closed loops", where=robot.source, remedy="use closed_form")
    tree, file = robot.tree, robot.loops.file
    check_has_closed_form(tree)
    links = tree.canonical.links
    ends = [[path_to(links, tree.frame(name).body) for name in (loop.frame_a, loop.frame_b)] for loop in file.loops]
    layout = quasi_velocities(tree, placed={b for pair in ends for way in pair for b in way})
    if any(link.kind.nv > 1 for link in links):
        form = form_in_quasi_velocities(tree, layout)
    else:
        form = closed_form(tree, coefficients=coefficients)
    gaps, units = [], []
    for loop, (a, b) in zip(file.loops, ends, strict=True):
        gaps += _loop_gaps(layout, loop, a, b)
        units += ["m"] * 3 + [""] * (len(loop.kind.equations) - 3)
    for coupling in file.couplings:
        gaps.append(_coupling_gap(form, coupling))
        units.append(form.coordinates[form.names.index(coupling.joint)].of_joint.position_unit)
    dependent = tuple(i for i, each in enumerate(form.coordinates) if each.joint.name in robot.dependent)
    independent = tuple(i for i, each in enumerate(form.coordinates) if i not in dependent and each.joint.mimic is None)
    words = file.equation_names
    kept = [k for k, gap in enumerate(gaps) if gap]  # a planar loop cannot open across its plane
    closure = Closure(
        tuple(words[k] for k in kept),
        tuple(gaps[k] for k in kept),
        tuple(units[k] for k in kept),
        independent,
        dependent,
    )
    return dataclasses.replace(form, closure=closure)


def _loop_gaps(
    layout: QuasiVelocities, loop: LoopConstraint, way_a: Sequence[int], way_b: Sequence[int]
) -> list[TrigPolynomial]:
    """(2)-(4), in the order of `LoopKind.equations`."""
    shared = sum(1 for a, b in zip(way_a, way_b, strict=False) if a == b)
    tree = layout.robot.canonical
    seen = tree.links[way_a[shared - 1]].frame if shared else tree.base
    (turn_a, place_a), (turn_b, place_b) = (
        _pose(layout, loop, end, way[shared:], seen) for end, way in enumerate((way_a, way_b))
    )
    noise = NOISE * max((abs(c) for each in (*place_a, *place_b) for _, c in each), default=0.0)
    gaps = [(b - a).filtered(lambda _, c: abs(c) > noise) for a, b in zip(place_a, place_b, strict=True)]

    def between(row: int, column: int) -> TrigPolynomial:
        """An entry of R_A' R_B."""
        products = (turn_a[k][row] * turn_b[k][column] for k in range(3))
        return layout.reduced(sum(products, TrigPolynomial())).filtered(lambda _, c: abs(c) > NOISE)

    return gaps + loop.kind.rotation_gaps(between)


def _pose(
    layout: QuasiVelocities, loop: LoopConstraint, end: int, bodies: Sequence[int], seen: Pose
) -> tuple[Turned, list[TrigPolynomial]]:
    """Rotation and origin of one frame of a loop, in axes `seen` of the nearest body that carries both."""
    robot = layout.robot
    alone = dataclasses.replace(  # every joint moves by itself
        robot,
        bodies=tuple(
            dataclasses.replace(body, joint=dataclasses.replace(body.joint, mimic=None)) for body in robot.bodies
        ),
    )

    def algorithm(q: Sequence[Scalar]) -> dict[str, Any]:
        pose = seen.inverse() @ loop_frames(alone, loop, q)[end]
        return {"pose": [*(value for row in pose.rotation for value in row), *pose.origin]}

    variables, _ = layout.variables(bodies)
    check_size(robot, variables, 1)
    slots = grid(variables, len(layout.coordinates) + len(layout.symbols), 1)
    points = layout.positions(slots, range(len(robot.bodies)), held=True)
    samples = sampled(trace("pose", algorithm, {"q": (alone.nq,)}), "pose", points, range(alone.nq))
    table = coefficient_table(variables, samples, 1)
    found = [polynomial_from_table(variables, table[..., k], 1) for k in range(12)]
    return [found[3 * row : 3 * row + 3] for row in range(3)], found[9:]


def _coupling_gap(form: ClosedForm, coupling: Coupling) -> TrigPolynomial:
    """Gap of a coupling (5)."""
    follower, leader, *others = (
        Variable(((form.names.index(name), 1),), PositionBasis.POLYNOMIAL) for name in coupling.names
    )
    total = single(follower, b=1)
    for power, value in enumerate(coupling.polynomial):
        total = total - (single(leader, b=power) if power else constant(1.0)) * value
    for variable, (_, factor) in zip(others, coupling.more, strict=True):
        total = total - single(variable, b=1) * factor
    return total
