"""Operation counts: Kang's formulas, the counted table for 1 to 10 joints, an arm without special numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.dynamics.random_robots import random_state
from tests.papers.power_arrays import METHODS, torque_violation

from torquec.errors import ArgumentError
from torquec.papers.influence_counts import (
    ADDITION_STEPS,
    MULTIPLICATION_STEPS,
    generic_arm,
    influence_counts,
    step_count,
    sum_of_steps,
)


@pytest.fixture(scope="module", params=[8, pytest.param(10, marks=pytest.mark.slow)])
def most(request):
    return request.param


@pytest.fixture(scope="module")
def table(most):
    return influence_counts(most)


def test_steps_of_the_paper_for_six_joints():
    assert [step_count(step, 6) for step in MULTIPLICATION_STEPS] == [219, 420, 90, 201, 144, 573, 0]
    assert [step_count(step, 6) for step in ADDITION_STEPS] == [168, 350, 96, 141, 88, 414, 364]


def test_steps_add_up_to_the_formulas():
    for n in range(1, 11):
        assert sum_of_steps(MULTIPLICATION_STEPS, n) == 3 * n**3 + 11 * n**2 + 129 * n - 171
        expected = Fraction(23, 6) * n**3 + Fraction(13, 2) * n**2 + Fraction(697, 6) * n - 138
        assert sum_of_steps(ADDITION_STEPS, n) == expected


def test_last_step_is_no_whole_number_for_odd_n():
    assert step_count(ADDITION_STEPS[-1], 3) == Fraction(85, 2)


def test_table_has_a_row_for_every_n(table, most):
    assert [row.n for row in table] == list(range(1, most + 1))


def test_augmented_bodies_stay_below_the_paper(table):
    for row in table[1:]:
        assert row.augmented_body.mul <= row.printed_multiplications
        assert row.augmented_body.add <= row.printed_additions
    assert (table[5].printed_multiplications, table[5].printed_additions) == (1647, 1621)


def test_counts_for_six_joints(table):
    # What they are now; fewer is better, more is a loss.
    six = table[5]
    limits = {"link_sum": (1561, 1383), "augmented_body": (1227, 1098), "mass_point_sum": (938, 721)}
    for name, (mul, add) in limits.items():
        assert getattr(six, name).mul <= mul, name
        assert getattr(six, name).add <= add, name
    # The first joint has no influence: everything is in the axes of its link.
    assert six.augmented_body.sincos == 5
    assert six.augmented_body.div == six.link_sum.div == 0


def test_link_sum_grows_by_one_power_more(table):
    # Fourth differences of a cubic vanish, those of a quartic are constant.
    link, augmented = ([getattr(row, name).mul for row in table[3:]] for name in ("link_sum", "augmented_body"))
    assert np.diff(link, 4).min() > 3
    assert abs(np.diff(augmented, 4)).max() <= 1


def test_generic_arm_has_no_special_numbers():
    arm = generic_arm(6)
    for link in arm.canonical.links[1:-1]:
        for value in (*link.pre.rotation[1][1:], link.pre.origin[0], link.d, *link.inertia.parameters):
            assert value not in (0.0, 1.0, -1.0)
    assert all(np.linalg.eigvalsh(np.array(body.inertia.central_tensor)).min() > 0.0 for body in arm.bodies)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_what_is_counted_is_right(method):
    arm = generic_arm(6)
    assert torque_violation(method, arm, random_state(arm, 1)) < 1e-12


def test_no_joints_are_refused():
    with pytest.raises(ArgumentError, match="an arm of 0 joints has no dynamics") as caught:
        influence_counts(0)
    assert "1 or more" in caught.value.remedy
