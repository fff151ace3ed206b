"""Recursions of which little is left out: where pruning, which sees what every step is worth, begins.

(1)  mass moments are left out one after the other while errors stay far below the tolerance
     (:mod:`torquec.simplification.moment_search`); nothing is fitted against worst motions
(2)  where the moments of all links beyond one can be left out, that one's frame is turned so that its first moment has
     one component (:mod:`torquec.simplification.turned_link`), and (1) is done again
"""

from __future__ import annotations

import numpy as np

from torquec.dynamics.mechanism import Mechanism, mechanism
from torquec.expr import Function, operation_cost
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import silent
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.moment_search import MomentSearch
from torquec.simplification.problem import SimplificationProblem
from torquec.simplification.turned_link import angles_of_one_component, with_link_turned

_LITTLE = 0.3
"""Of the tolerances, at the first motions alone: the worst ones are seldom three times as bad."""

_BEYOND = 0.6
"""Of the tolerances, at the first motions: what leaving out all moments beyond a link may take (2)."""


def recursion_with_most_parameters(problem: SimplificationProblem, cheapest: Function) -> list[Function]:  # noqa: ARG001
    """The strategy: (1), and (2) where a link can be turned."""
    with one_thread():
        search = _search(problem, mechanism(problem.robot))
        kept = search.left_out(silent)
        return [_program(search, kept), *_turned(problem, search, kept)]


def moments_left_out(problem: SimplificationProblem) -> Function:
    """(1): a program of which nothing is fitted and little is left out, so that it is there, and proven, in no time."""
    with one_thread():
        search = _search(problem, mechanism(problem.robot))
        return _program(search, search.left_out(silent))


def _search(problem: SimplificationProblem, exact: Mechanism) -> MomentSearch:
    return MomentSearch(exact, problem.motions, _LITTLE * np.asarray(problem.tolerance, dtype=np.float64))


def _program(search: MomentSearch, kept: list[int]) -> Function:
    return torque_program(search.simplified(kept, search.least_squares(kept)))


def _turned(problem: SimplificationProblem, search: MomentSearch, kept: list[int]) -> list[Function]:
    """(2), the cheaper one of both angles; none where no link can be turned."""
    link = _last_with_two_components(search, kept)
    if link is None or not search.exact.links[link].column.turns:
        return []
    beyond = _links_beyond(search.exact, link)
    within = [k for k in kept if search.parameters[k].link not in beyond]
    if search.error_of_least_squares(within) > _BEYOND / _LITTLE:
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
    """All links that a link carries, by whatever joints."""
    beyond: set[int] = set()
    for k, one in enumerate(m.links):
        if one.parent == link or one.parent in beyond:
            beyond.add(k)
    return beyond
