"""Costs of choices of mass moments, against programs that are traced for them."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec import classics
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import mechanism
from torquec.expr import count_operations
from torquec.simplification.moment_costs import MomentCosts, torque_program

NAMES = [field.name for field in fields(MassMoments)]


def places(m):
    """The moments that a mechanism has."""
    return [
        (link, name)
        for link, moments in enumerate(m.moments)
        for name, value in zip(NAMES, moments.values, strict=True)
        if value != 0.0
    ]


def traced(m, kept):
    """Operations of the program that is traced for a choice, whose values are no special numbers."""
    moments = [{} for _ in m.moments]
    for k, (link, name) in enumerate(kept):
        moments[link][name] = 0.0173 + 0.137 * k
    count = count_operations(torque_program(replace(m, moments=tuple(MassMoments(**each) for each in moments))))
    return count.mul + count.add


@pytest.mark.parametrize(
    "robot",
    [classics.puma560(), classics.stanford(), classics.scara(), random_robot(8, mimic=False)],
    ids=lambda r: r.name,
)
def test_costs_are_those_of_traced_programs_or_little_more(robot):
    m = mechanism(robot)
    every = places(m)
    rng = np.random.default_rng(5)
    choices = [
        sorted(rng.choice(len(every), size=rng.integers(1, len(every) + 1), replace=False).tolist()) for _ in range(12)
    ]
    costs = MomentCosts(m, every).of([*choices, range(len(every))])
    exact = [traced(m, [every[k] for k in choice]) for choice in [*choices, range(len(every))]]
    assert np.corrcoef(costs, exact)[0, 1] > 0.98
    assert np.all(costs >= 0.97 * np.array(exact))
    assert np.all(costs <= 1.1 * np.array(exact) + 8)


def test_nothing_that_is_kept_costs_nothing():
    m = replace(mechanism(classics.puma560()), reflected_inertia=((0.0,) * 6,) * 6)
    assert MomentCosts(m, places(m)).of([[]]).tolist() == [0]


def test_fewer_moments_never_cost_more():
    m = mechanism(classics.puma560())
    every = places(m)
    order = np.random.default_rng(1).permutation(len(every)).tolist()
    costs = MomentCosts(m, every).of([order[:k] for k in range(len(every) + 1)])
    assert np.all(np.diff(costs) >= 0)
    assert costs[-1] > costs[0]
