"""Poles and laws for the smallest proven bound: optimal among those tried, kept by simulations, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

import torquec as tq
from torquec.control.guarantee_design import design_for_guarantee
from torquec.control.law_options import LawKind
from torquec.control.robust_computed_torque import RobustTerm
from torquec.errors import ArgumentError
from torquec.robot.friction import Friction
from torquec.robot.robot import BASE, Body, Joint, JointType, Robot
from torquec.simulation.worst_plant import worst_plant
from torquec.spatial import Inertia
from torquec.trajectory import minimum_jerk

PERIOD = 1e-3
SETS = tq.Uncertainty(
    tq.JointUncertainty(friction_part=0.3, position=1e-5, speed="difference"), timing=tq.TimingUncertainty(1)
)


@pytest.fixture(scope="module")
def loop():
    """A joint with friction, along half a radian in a second."""
    law = Friction.symmetric(coulomb=0.4, viscous=0.1)
    inertia = Inertia.from_center_of_mass(1.0, (0.1, 0.0, 0.0), ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))
    robot = Robot("one", (Body("link", BASE, Joint("turn", JointType.REVOLUTE, friction=law), inertia),))
    motion = minimum_jerk([0.0], [0.5], 1.0, joints=robot.joint_names)
    return robot, tq.TrackedLoop(-20.0, motion, PERIOD, uncertainty=SETS)


@pytest.fixture(scope="module")
def design(loop):
    return design_for_guarantee(*loop)


def test_the_law_with_the_smallest_bound_is_chosen_and_has_that_bound(loop, design):
    robot, stated = loop
    tried = {(law.law, str(law.loop.evaluation)) for law in design.laws}
    expected = {(LawKind.COMPUTED_TORQUE, "measured"), (LawKind.COMPUTED_TORQUE, "reference")}
    assert tried == expected | {(LawKind.ROBUST, "measured")}
    assert design.best.cost == min(law.cost for law in design.laws)
    usual = stated.guarantee(robot).joints[0].position
    for law in design.laws:
        assert law.loop.guarantee(robot).joints[0].position == pytest.approx(law.cost, rel=1e-9)
        assert law.cost < 0.1 * usual
    best = next(law for law in design.laws if law.law is LawKind.COMPUTED_TORQUE)
    for factor in (1.3, 1.0 / 1.3):  # the optimum is between: noise and delay against friction
        other = replace(best.loop, poles=[factor * pole for pole in best.loop.poles]).guarantee(robot)
        assert not other.valid or other.joints[0].position > best.cost


def test_simulated_robots_keep_the_bound_and_the_layer(loop, design):
    robot, stated = loop
    for found in design.laws:
        poles, robust = found.loop.poles, found.loop.robust
        if robust is None:
            law = tq.computed_torque(robot, poles, period=PERIOD, evaluation=found.loop.evaluation)
        else:
            options = {"amplitude": robust.amplitude, "layer": robust.layer}
            law = tq.robust_computed_torque(robot, poles, period=PERIOD, **options)
            assert 0.9 * robust.layer[0] < found.guarantee.joints[0].sliding <= robust.layer[0]
        attack = worst_plant(robot, law, stated.trajectory, found.guarantee, SETS, runs=24)
        assert 0.2 < attack.ratio <= 1.0


def test_a_layer_that_may_be_left_has_no_guarantee(loop, design):
    robot, _ = loop
    found = next(law for law in design.laws if law.law is LawKind.ROBUST)
    robust = found.loop.robust
    small = replace(robust, layer=0.5 * robust.layer[0], amplitude=0.5 * robust.amplitude[0])
    given = replace(found.loop, robust=small).guarantee(robot)
    assert not given.valid
    assert "may leave the layer of its robust term" in given.reason


def test_what_cannot_be_designed_is_refused(loop):
    robot, stated = loop
    with pytest.raises(ArgumentError, match="needs a period and an uncertainty"):
        design_for_guarantee(robot, replace(stated, uncertainty=None))
    with pytest.raises(ArgumentError, match="no tracking error of slotine-li is bounded"):
        design_for_guarantee(robot, stated, laws=(LawKind.SLOTINE_LI,))
    with pytest.raises(ArgumentError, match=r"no poles are found.*(?s:.*)drives"):
        design_for_guarantee(robot, replace(stated, efforts=(1e-3,)), seconds=1.0)
    with pytest.raises(ArgumentError, match="guarantee without uncertainty is for computed torque"):
        replace(stated, uncertainty=None, robust=RobustTerm(10.0, 1.0)).guarantee(robot)
