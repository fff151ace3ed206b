"""Groups of parallel joints and the sums of angles that they are written in."""

from __future__ import annotations

import numpy as np
import pytest
from tests.closedform.reference import collected_model, recursion
from tests.dynamics.random_robots import random_robot

from torquec.closedform.paths import (
    ParallelGroup,
    cumulative_variables,
    height_function,
    mass_function,
    parallel_groups,
    path_to,
    paths,
    unit_mass_function,
)
from torquec.expr import evaluate
from torquec.robot.classics import load_classic


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("puma560", [(0,), (1, 2), (3,), (4,), (5,)]),
        ("planar3r", [(0, 1, 2)]),
        ("stanford", [(0,), (1,), (3,), (4,), (5,)]),
        ("scara", [(0, 1, 3)]),
    ],
)
def test_groups_of_the_classics(name, groups):
    found = parallel_groups(load_classic(name).canonical.links)
    assert [tuple(index for index, _ in group.joints) for group in found] == groups


def test_ur5_has_three_parallel_joints_in_a_row():
    found = parallel_groups(collected_model("ur5").canonical.links)
    assert (1, 2, 3) in [tuple(index for index, _ in group.joints) for group in found]


def test_sums_count_senses_from_the_first_joint():
    group = ParallelGroup(((1, 1), (2, -1), (3, -1)))
    assert [v.joints for v in cumulative_variables(group, 0)] == [
        ((1, 1),),
        ((1, 1), (2, -1)),
        ((1, 1), (2, -1), (3, -1)),
    ]
    assert [v.joints for v in cumulative_variables(group, 1)] == [((2, 1),), ((2, 1), (3, 1))]


@pytest.mark.parametrize("seed", range(8))
def test_every_mass_is_counted_once(seed):
    links = random_robot(seed).canonical.links
    own = [body for path in paths(links) for body in path.own]
    assert sorted(own) == list(range(len(links)))
    for path in paths(links):
        assert path.bodies == path_to(links, path.bodies[-1])


def test_paths_of_a_tree_add_up_to_its_mass_matrix():
    robot = next(
        r
        for r in (random_robot(s, bodies=6, mimic=False, motors=False) for s in range(50))
        if len(paths(r.canonical.links)) > 2
    )
    q = np.random.default_rng(1).uniform(-2, 2, (5, 6))
    total = np.zeros((5, 6, 6))
    for path in paths(robot.canonical.links):
        bodies = list(path.bodies)
        part = evaluate(mass_function(robot, path.bodies, path.own), {"q": q[:, bodies]})["M"]
        total[np.ix_(range(5), bodies, bodies)] += part
    np.testing.assert_allclose(total, recursion(robot, "mass_matrix", q=q), rtol=1e-11, atol=1e-11)


def test_a_body_alone_is_linear_in_its_parameters():
    robot = random_robot(3, bodies=3, mimic=False, motors=False)
    bodies = path_to(robot.canonical.links, 2)
    rng = np.random.default_rng(0)
    q, a, b = rng.uniform(-2, 2, len(bodies)), rng.normal(size=10), rng.normal(size=10)
    function = unit_mass_function(robot, bodies)

    def at(parameters):
        return evaluate(function, {"q": q, "parameters": parameters})["M"]

    np.testing.assert_allclose(at(2.0 * a - b), 2.0 * at(a) - at(b), atol=1e-11)


def test_heights_weigh_the_potential_energy():
    robot = random_robot(4, bodies=4, mimic=False)
    q = np.random.default_rng(2).uniform(-2, 2, (4, 4))
    energy = np.zeros(4)
    for path in paths(robot.canonical.links):
        heights = evaluate(height_function(robot, path.bodies), {"q": q[:, list(path.bodies)]})["U"]
        for k, body in enumerate(path.bodies):
            inertia = robot.bodies[body].inertia
            if body in path.own:
                energy += heights[:, k] @ np.array([*inertia.first_moment, inertia.m])
    springs = [body.joint.spring for body in robot.bodies]
    stretched = sum(
        (0.5 * s.stiffness * (q[:, i] - s.rest) ** 2 for i, s in enumerate(springs) if s is not None), np.zeros(4)
    )
    expected = recursion(robot, "potential_energy", q=q) - stretched
    np.testing.assert_allclose(energy, expected, rtol=1e-10, atol=1e-10)
