"""External wrenches: felt through the Jacobian, in frame and in base axes, with any unit of length."""

from __future__ import annotations

import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds

from torquec.dynamics import Axes, ExternalWrench, inverse_dynamics
from torquec.dynamics.external_wrench import link_wrenches
from torquec.dynamics.mechanism import mechanism, place
from torquec.robot import classics


@pytest.mark.parametrize(("axes", "sign"), [(Axes.FRAME, 1.0), (Axes.BASE, -1.0)])
def test_axes_of_a_pendulum_turned_half_round(axes, sign):
    # At q = pi the frame's z points down: 4 N along it push the tip down, 4 N along the base's z push it up.
    q = [3.141592653589793]
    push = ExternalWrench("tip", (0.0, 0.0, 4.0), (0.0, 0.0, 0.0), axes)
    free, pushed = (inverse_dynamics(arms.pendulum(), q, [0.0], [0.0], wrenches=w)[0] for w in ((), (push,)))
    assert pushed - free == pytest.approx(sign * 2.0, abs=1e-14)


def test_moment_about_the_joint_is_felt_as_it_is():
    push = ExternalWrench("tip", (0.0, 0.0, 0.0), (0.0, 3.0, 0.0))
    free, pushed = (inverse_dynamics(arms.pendulum(), [0.4], [0.0], [0.0], wrenches=w)[0] for w in ((), (push,)))
    assert pushed - free == pytest.approx(-3.0, abs=1e-14)


def test_wrench_on_the_base_is_not_felt():
    arm = classics.puma560()
    m = mechanism(arm)
    base = next(frame.name for frame in arm.frames if frame.body == -1)
    push = ExternalWrench(base, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert link_wrenches(arm, m, place(m, [0.0] * 6), [push]) == {}


def test_felt_through_the_jacobian():
    holds("wrenches_are_felt_through_the_jacobian")
