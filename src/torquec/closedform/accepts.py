"""Robots with a closed form: requirements, and the reason where a robot is refused.

(1)  no closed loops: dependent joints are no trigonometric polynomials of the others; the tree has a closed form
(2)  every body has inertias
(3)  no entry depends on too many joint positions to tabulate: M depends on those beyond the first joint of a path, U on
     all of them
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.closedform.paths import parallel_groups, path_variables, paths, turns_freely
from torquec.closedform.tabulate import LARGEST_GRID, Axis, grid_size
from torquec.errors import RobotError, refusal
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_tree


def accepts(robot: Robot) -> str | None:
    """Why a robot has no closed form with numbers as coefficients; None where it has one.

    >>> from torquec.robot import classics
    >>> accepts(classics.puma560()) is None
    True
    """
    return refusal(lambda: check_has_closed_form(robot))


def check_has_closed_form(robot: Robot) -> None:
    """Raise `RobotError` with reason and remedy unless (1)-(3)."""
    check_tree(robot)
    robot.check_inertias()
    links = robot.canonical.links
    if any(link.kind.nv > 1 for link in links):
        from torquec.closedform.quasi_velocities import quasi_velocities

        layout = quasi_velocities(robot)
        for path in paths(links):
            check_size(robot, layout.variables(path.bodies[1:])[0], 2)
            if not turns_freely(links[path.bodies[0]].kind):
                check_size(robot, layout.variables(path.bodies)[0], 1)
        return
    groups = parallel_groups(links)
    for path in paths(links):
        check_size(robot, path_variables(robot, path.bodies[1:], groups)[0], 2)
        check_size(robot, path_variables(robot, path.bodies, groups)[0], 1)


def check_size(robot: Robot, variables: Sequence[Axis], degree: int) -> None:
    """Raise `RobotError` where the grid of an entry would be too large."""
    if grid_size(variables, degree) > LARGEST_GRID:
        raise RobotError(
            f"an entry of the closed form of '{robot.name}' depends on {len(variables)} joints: too many to tabulate",
            remedy="use the recursive functions (torquec.compile), which have no limit; closed forms go to nine joints",
        )
