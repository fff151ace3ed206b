"""Where bounds diverge: the largest set that has one, found by bisection, is a set with a bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.control.largest_set import largest_set, scaled_sets
from torquec.errors import ArgumentError
from torquec.trajectory import minimum_jerk


def loop_of(robot, sets):
    motion = minimum_jerk(np.zeros(robot.n), np.full(robot.n, 0.1), 0.2, joints=robot.joint_names)
    return tq.TrackedLoop(-40.0, motion, 0.002, uncertainty=sets, efforts=(1e6,) * robot.n)


@pytest.fixture(scope="module")
def robot():
    return tq.lock_joints(tq.classics.planar2r(), {"joint1": 0.0})


class Bounded(tq.TrackedLoop):
    """A loop that has a bound up to a payload of 2.3 kg."""

    def guarantee(self, model):
        return tq.TrackingGuarantee(self.uncertainty.payload.mass[1] <= 2.3, "")


def test_the_largest_payload_with_a_bound_is_named(robot):
    heavy = tq.Uncertainty(payload=tq.PayloadUncertainty("link2", (0.0, 4.0), 0.3, nominal_mass=1.0))
    loop = loop_of(robot, heavy)
    none = loop.guarantee(robot)
    assert not none.valid
    assert none.cause == "payload"
    found = largest_set(robot, Bounded(**vars(loop)), none.cause)
    assert found is not None
    assert found.part == 0.375
    assert found.resolution == 1.0 / 16.0
    assert found.text.startswith("a bound is found up to the largest payload.mass = 2.125, within 6.25 %")
    assert scaled_sets(heavy, "payload", 0.375).payload.mass == (0.625, 2.125)


def test_time_that_is_over_and_what_cannot_be_scaled(robot):
    sets = tq.Uncertainty(every_joint=tq.JointUncertainty(friction_part=0.4), bodies=tq.BodyUncertainty(mass_part=0.9))
    loop = loop_of(robot, sets)
    over = largest_set(robot, loop, "bodies", seconds=0.0)
    assert over is not None
    assert (over.part, over.resolution) == (0.0, 1.0)
    assert "no bound is found either for bodies.mass_part = 0.9, 100 % of the stated set" in over.text
    assert largest_set(robot, loop, "payload") is None
    assert largest_set(robot, loop, "sampling") is None
    assert scaled_sets(sets, "friction", 0.5).every_joint.friction_part == 0.2
    late = tq.Uncertainty(timing=tq.TimingUncertainty(1, 0.004))
    assert scaled_sets(late, "delay", 0.5).timing == tq.TimingUncertainty(1, 0.002)
    assert scaled_sets(late, "model", 0.5) is late
    with pytest.raises(ArgumentError, match="no sets"):
        largest_set(robot, replace(loop, uncertainty=None), "bodies")
