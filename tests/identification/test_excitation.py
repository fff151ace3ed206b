"""Excitation: within limits, well conditioned, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.excitation import Criterion, ExcitationOptions, excitation
from torquec.robot import classics
from torquec.trajectory import check_limits


def test_a_six_joint_arm_is_excited_within_its_limits():
    robot = classics.puma560()
    found = excitation(robot, options=ExcitationOptions(evaluations=1500))
    assert found.condition < 100.0
    assert found.unit_condition < 20.0
    assert found.limits_kept
    check_limits(robot, found.trajectory, efforts=True)


def test_it_starts_and_ends_at_rest():
    motion = excitation(classics.planar2r(), options=ExcitationOptions(evaluations=5)).trajectory
    for k in (0, -1):
        assert np.allclose(motion.qd[k], 0.0, atol=1e-9)
        assert np.allclose(motion.qdd[k], 0.0, atol=1e-9)


@pytest.mark.parametrize("criterion", list(Criterion))
def test_searching_longer_is_better_and_repeatable(criterion):
    robot = classics.planar2r()
    options = [ExcitationOptions(evaluations=n, criterion=criterion) for n in (1, 300, 300)]
    first, longer, again = (excitation(robot, options=o) for o in options)
    assert np.array_equal(longer.trajectory.q, again.trajectory.q)
    if criterion is Criterion.CONDITION:
        assert longer.condition < first.condition


def test_accelerations_stay_below_their_limit():
    options = ExcitationOptions(evaluations=20, acceleration=1.5)
    assert np.abs(excitation(classics.planar2r(), options=options).trajectory.qdd).max() <= 1.5


def test_misuse():
    with pytest.raises(ArgumentError, match="harmonics"):
        excitation(classics.planar2r(), options=ExcitationOptions(harmonics=1))
