"""Attacks on guarantees: plants are in the stated sets, and none of them leaves a proven tube."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.control.computed_torque import computed_torque
from torquec.control.uncertainty import SpeedSource
from torquec.errors import ArgumentError
from torquec.robot.friction import Friction
from torquec.robot.robot import BASE, Body, Joint, JointType, Robot
from torquec.simulation.closed_loop import simulate
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.worst_plant import choice_size, late_law, plant_of, worst_plant
from torquec.spatial import Inertia
from torquec.trajectory import minimum_jerk

PERIOD = 1e-3
SETS = tq.Uncertainty(
    every_joint=tq.JointUncertainty(friction_part=0.3, position=1e-5, speed=SpeedSource.DIFFERENCE),
    bodies=tq.BodyUncertainty(0.03, 0.03, 0.03),
    payload=tq.PayloadUncertainty("link6", (0.0, 0.2), 0.03),
    timing=tq.TimingUncertainty(1),
)


@pytest.fixture(scope="module")
def arm():
    return tq.classics.puma560()


def motion_of(robot):
    return minimum_jerk(np.zeros(robot.n), np.full(robot.n, 0.4), 1.0, joints=robot.joint_names)


def test_the_worst_of_the_sets_stays_inside_and_is_found_again(arm):
    motion = motion_of(arm)
    found = tq.tracking_guarantee(arm, -60.0, motion, period=PERIOD, uncertainty=SETS)
    assert found.valid, found.reason
    law = computed_torque(arm, -60.0, period=PERIOD, evaluation="measured")
    attack = worst_plant(arm, law, motion, found, SETS, runs=4, seed=2)
    assert 0.02 < attack.ratio <= 1.0
    assert attack.joint in arm.joint_names
    assert attack == worst_plant(arm, law, motion, found, SETS, runs=4, seed=2)
    # a guarantee that is a fifth of what the attack reaches is contradicted
    small = [replace(bound, position=0.2 * attack.ratio * bound.position) for bound in found.joints]
    assert worst_plant(arm, law, motion, replace(found, joints=tuple(small)), SETS, runs=4, seed=2).ratio > 1.0


def test_a_joint_that_sticks_stays_inside_the_bound_of_a_model_that_rounds_its_friction(arm):
    """The simulated joint holds its whole Coulomb torque at rest; the model's rises as tanh(v) around zero speed."""
    law = Friction.of({"coulomb_positive": 5.0, "coulomb_negative": 5.0, "turnover_speed": 1.0})
    inertia = Inertia.from_center_of_mass(1.0, (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    robot = Robot("one", (Body("link", BASE, Joint("turn", JointType.REVOLUTE, friction=law), inertia),))
    motion = minimum_jerk([0.0], [0.5], 1.0, joints=robot.joint_names)
    found = tq.tracking_guarantee(robot, -20.0, motion, period=PERIOD, uncertainty=tq.Uncertainty())
    result = simulate(Plant(robot, friction=DryFriction.STICK), computed_torque(robot, -20.0, period=PERIOD), motion)
    assert 0.009 < result.max_error_values[0] <= found.joints[0].position < 0.0127


def test_drives_are_those_of_the_guarantee(arm):
    """A robot file with weak drives, and a guarantee for stronger ones: nothing saturates."""
    weak = [replace(b, joint=replace(b.joint, limits=replace(b.joint.limits, effort=1.0))) for b in arm.bodies]
    robot, motion = replace(arm, bodies=tuple(weak)), motion_of(arm)
    stated, efforts = tq.Uncertainty(), [joint.limits.effort for joint in arm.joints]
    found = tq.tracking_guarantee(robot, -60.0, motion, period=PERIOD, uncertainty=stated, efforts=efforts)
    law = computed_torque(robot, -60.0, period=PERIOD, evaluation="measured")
    assert worst_plant(robot, law, motion, found, stated, runs=1).ratio <= 1.0


def test_plants_are_at_the_ends_of_their_sets(arm):
    ones = np.ones(choice_size(arm))
    heavy, light = (plant_of(arm, SETS, sign * ones, np.array([1.0, 0.0, 0.0])) for sign in (1.0, -1.0))
    assert heavy.bodies[0].inertia.m == pytest.approx(1.03 * arm.bodies[0].inertia.m)
    assert heavy.bodies[-1].inertia.m == pytest.approx(1.03 * arm.bodies[-1].inertia.m + 0.2)
    assert light.bodies[-1].inertia.m == pytest.approx(0.97 * arm.bodies[-1].inertia.m)
    rubbing = np.array([[joint.friction.coulomb_positive for joint in robot.joints] for robot in (arm, heavy, light)])
    motors = np.array([[m.friction.coulomb_positive for m in robot.drives.motors] for robot in (arm, heavy, light)])
    assert rubbing.max() + motors.max() > 0.0
    for found in (rubbing, motors):
        np.testing.assert_allclose(found[1], 1.3 * found[0])
        np.testing.assert_allclose(found[2], 0.7 * found[0])


def test_a_delayed_law_gives_the_torque_of_the_sample_before(arm):
    motion = motion_of(arm)
    law = computed_torque(arm, -60.0, period=PERIOD, evaluation="measured")
    late = late_law(law, motion, SETS)
    assert [slot.size for slot in late.slots] == [arm.n]
    assert late_law(law, motion, tq.Uncertainty()) is law


def test_misuse(arm):
    motion = motion_of(arm)
    law = computed_torque(arm, -60.0, period=PERIOD)
    nothing = tq.TrackingGuarantee(False, "no proof")
    with pytest.raises(ArgumentError, match="no guarantee to attack: no proof"):
        worst_plant(arm, law, motion, nothing, SETS, runs=3)
    found = tq.tracking_guarantee(arm, -60.0, motion, period=PERIOD, uncertainty=tq.Uncertainty())
    with pytest.raises(ArgumentError, match="0 runs"):
        worst_plant(arm, law, motion, found, SETS, runs=0)
    mixed = tq.Uncertainty(joints={arm.joint_names[0]: tq.JointUncertainty(speed=SpeedSource.DIFFERENCE)})
    with pytest.raises(ArgumentError, match="different sources of their speeds"):
        worst_plant(arm, law, motion, found, mixed, runs=1)
