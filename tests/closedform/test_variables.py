"""Groups of parallel joints and the sums of angles that they are written in."""

from __future__ import annotations

import pytest
from tests.closedform.reference import collected_model

from torquec.closedform.variables import ParallelGroup, cumulative_variables, parallel_groups
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
