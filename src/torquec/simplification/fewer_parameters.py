"""Recursions with fewer mass moments: a small fitted set, or most of them as a start for pruning.

Regrouped mass moments are dropped and the rest fitted again by :mod:`torquec.simplification.moment_search`. A start for
pruning drops only a few:

(1)  mass moments are left out one after the other while errors stay far below the tolerance
     (:mod:`torquec.simplification.moment_search`); nothing is fitted against worst motions
(2)  where the moments of all links distal to a link can be left out, this link's frame is turned so that its first
     moment has one component, and (1) is repeated

Turning a link's frame about its own joint's axis brings its first moment onto one axis:

(3)  R(q + theta) = R(q + theta + a) R(-a) about z: the link's frame rotates by a more, its moments and the frames of
     its children by a less. Torques are the same functions of q
(4)  a = atan2(y, x) of the first moment leaves only its x component, a quarter turn less only its y component

Frames of a recursion are chosen so that the axes and offsets of the next joint have many zeros. Where no distal link
has moments, children are not computed, and (4) saves the products with one component of the moment at the cost of one
addition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from torquec.dynamics.mechanism import Mechanism, mechanism
from torquec.errors import RobotError, TimeLimitError
from torquec.expr import Function, operation_cost
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, silent
from torquec.robot.robot import Robot
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.moment_search import MomentSearch
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.tuning import TUNING
from torquec.spatial import Pose, matmul, matvec
from torquec.trajectory.motion_box import MotionBox


def recursion_with_fewer_parameters(problem: SimplificationProblem, cheapest: Function) -> list[Function]:  # noqa: ARG001
    """The strategy: one program, independent of the cheapest known one."""
    robot, motions, tolerance = problem.robot, problem.motions, problem.tolerance
    search = "searching for fewer parameters"
    return [problem.work.run(search, fewest_operations, robot, motions, tolerance, metered=True)]


def fewest_operations(
    robot: Robot, motions: MotionBox, tolerance: Sequence[float], *, meter: Meter = silent
) -> Function:
    """The cheapest recursion found whose largest torque error found is below the tolerance of every joint.

    With all moments kept, only rounding errors remain. The torques are without friction and springs; reflected rotor
    inertias are kept exactly. When the meter stops the search (`TimeLimitError`), the best result so far is returned;
    without one, the error is raised.
    """
    for name, allowed in zip(robot.coordinate_names, tolerance, strict=True):
        if not allowed > 0.0:
            raise RobotError(f"joint '{name}' has a tolerance of {allowed}", remedy="allow a positive error")
    problem = MomentSearch(mechanism(robot), motions, np.asarray(tolerance, dtype=np.float64))
    with one_thread():
        fitted = problem.first_within(meter)
        with suppress(TimeLimitError):  # keeps the result that is within the tolerance already
            while (cheaper := problem.exchanged(fitted.kept, meter)) != fitted.kept:
                trial = problem.fit(cheaper, meter)
                if trial.ratio <= 1.0:
                    fitted = trial
                    break
    return torque_program(problem.simplified(fitted.kept, fitted.beta))


def recursion_with_most_parameters(problem: SimplificationProblem, cheapest: Function) -> list[Function]:  # noqa: ARG001
    """The strategy: (1), and (2) where a link can be turned."""
    with one_thread():
        search = _search(problem, mechanism(problem.robot))
        kept = search.left_out(silent)
        return [_program(search, kept), *_turned(problem, search, kept)]


def moments_left_out(problem: SimplificationProblem) -> Function:
    """(1): a program with few moments left out and no fit: cheap to derive and to prove."""
    with one_thread():
        search = _search(problem, mechanism(problem.robot))
        return _program(search, search.left_out(silent))


def _search(problem: SimplificationProblem, exact: Mechanism) -> MomentSearch:
    return MomentSearch(
        exact, problem.motions, TUNING.first_error_share * np.asarray(problem.tolerance, dtype=np.float64)
    )


def _program(search: MomentSearch, kept: list[int]) -> Function:
    return torque_program(search.simplified(kept, search.least_squares(kept)))


def _turned(problem: SimplificationProblem, search: MomentSearch, kept: list[int]) -> list[Function]:
    """(2), the cheaper one of both angles; none where no link can be turned."""
    link = _last_with_two_components(search, kept)
    if link is None or search.exact.links[link].kind.nv > 1 or not search.exact.links[link].column.turns:
        return []
    beyond = _links_beyond(search.exact, link)
    within = [k for k in kept if search.parameters[k].link not in beyond]
    if search.error_of_least_squares(within) > TUNING.distal_error_share / TUNING.first_error_share:
        return []
    found = []
    for angle in angles_of_one_component(search.exact, link):
        again = _search(problem, with_link_turned(search.exact, link, angle))
        found.append(_program(again, [k for k in again.left_out(silent) if again.parameters[k].link not in beyond]))
    return sorted(found, key=operation_cost)[:1]


def _last_with_two_components(search: MomentSearch, kept: list[int]) -> int | None:
    """The last link of which both components of the first moment across its axis are kept."""
    names = {(search.parameters[k].link, search.parameters[k].moment) for k in kept}
    links = [link for link, moment in names if moment == "x" and (link, "y") in names]
    return max(links, default=None)


def _links_beyond(m: Mechanism, link: int) -> set[int]:
    """All distal links of a link."""
    beyond: set[int] = set()
    for k, one in enumerate(m.links):
        if one.parent == link or one.parent in beyond:
            beyond.add(k)
    return beyond


def with_link_turned(m: Mechanism, link: int, angle: float) -> Mechanism:
    """The same mechanism, with the frame of a link that rotates turned by an angle [rad] about its axis (3)."""
    c, s = math.cos(angle), math.sin(angle)
    back = ((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))
    links = []
    for k, one in enumerate(m.links):
        if k == link:
            links.append(replace(one, theta=one.theta + angle))
        elif one.parent == link:
            pre = Pose(matmul(back, one.pre.rotation), matvec(back, one.pre.origin))
            links.append(replace(one, pre=pre))
        else:
            links.append(one)
    moments = tuple(e.turned_about_z(c, -s) if k == link else e for k, e in enumerate(m.moments))
    return replace(m, links=tuple(links), moments=moments)


def angles_of_one_component(m: Mechanism, link: int) -> tuple[float, ...]:
    """The angles (4) that align a link's first moment across its axis with x, and with y; none where it is aligned."""
    x, y = float(m.moments[link].x), float(m.moments[link].y)
    if x == 0.0 or y == 0.0:
        return ()
    along_x = math.atan2(y, x)
    return along_x, along_x - 0.5 * math.pi
