"""Attacks on guarantees: plants are in the stated sets, and none of them leaves a proven tube."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.control.computed_torque import computed_torque
from torquec.control.robust_computed_torque import robust_computed_torque
from torquec.control.structured_errors import chi_squared_quantile
from torquec.control.uncertainty import SpeedSource
from torquec.errors import ArgumentError
from torquec.model.model_parameters import ModelParameters
from torquec.model.quantities import base_of
from torquec.robot.friction import Friction
from torquec.robot.robot import BASE, Body, Joint, JointType, Robot
from torquec.simulation.attacked_loop import AttackedLoop, late_law
from torquec.simulation.closed_loop import simulate
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.worst_plant import _Search, worst_plant
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


@pytest.fixture(scope="module")
def attacked(arm):
    """The loop of the PUMA 560 under attack, with speeds by difference, its bounds and its law."""
    motion = motion_of(arm)
    found = tq.tracking_guarantee(arm, -60.0, motion, period=PERIOD, uncertainty=SETS)
    assert found.valid, found.reason
    return AttackedLoop(arm, computed_torque(arm, -60.0, period=PERIOD, evaluation="measured"), motion, SETS, found)


def test_the_worst_of_the_sets_stays_inside_and_is_found_again(arm, attacked):
    found, law, motion = attacked.guarantee, attacked.law, attacked.motion
    attack = worst_plant(arm, law, motion, found, SETS, runs=40, seed=2)
    assert 0.15 < attack.ratio <= 1.0
    assert attack.ratio == max(attack.ratios.values()) == attack.ratios[attack.joint]
    bound = next(bound.position for bound in found.joints if bound.joint == attack.joint)
    assert attack.errors[attack.joint] == pytest.approx(attack.ratio * bound, rel=1e-9)
    assert attack == worst_plant(arm, law, motion, found, SETS, runs=40, seed=2)
    # a guarantee that is a fifth of what the attack reaches is contradicted
    small = [replace(bound, position=0.2 * attack.ratio * bound.position) for bound in found.joints]
    assert worst_plant(arm, law, motion, replace(found, joints=tuple(small)), SETS, runs=40, seed=2).ratio > 1.0


def test_a_pulse_adds_what_the_responses_say(arm, attacked):
    """A small torque on joint 2 at two samples: the errors of all joints, by (1)."""
    n, count = arm.n, len(attacked.loop[1]) - 1
    signals, nominal = np.zeros((count, 2, 4 * n + 1)), np.repeat(attacked.nominal(), 2, axis=0)
    signals[300, 1, n + 1], signals[340, 1, n + 1] = 0.4, -0.3
    starts = np.zeros((2, n)), np.zeros((2, n))
    recording, _ = attacked.run_all(nominal, signals, starts, every=1)
    moved = recording.q[:, 0] - recording.q[:, 1]
    weights = [attacked.weights(0, joint, 380) for joint in range(3)]
    expected = [0.4 * each[300, 1] - 0.3 * each[340, 1] for each in weights]
    # The first joint moves a hundredth of the others: errors count relative to the largest response.
    assert np.allclose(moved[380, :3], expected, rtol=0.15, atol=0.01 * np.abs(expected).max())


def test_an_offset_of_the_encoders_and_a_start_error_are_reached_in_full():
    """One joint without friction or noise: an offset shifts it by itself, a start error is there at once."""
    inertia = Inertia.from_center_of_mass(1.0, (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    robot = Robot("one", (Body("link", BASE, Joint("turn", JointType.REVOLUTE), inertia),), gravity=(0.0, 0.0, 0.0))
    motion, law = (
        minimum_jerk([0.0], [0.5], 1.0, joints=robot.joint_names),
        computed_torque(robot, -20.0, period=PERIOD),
    )
    offset = tq.Uncertainty(tq.JointUncertainty(position_bias=1e-3))
    late = tq.Uncertainty(timing=tq.TimingUncertainty(1, 1e-3))
    pushed = tq.Uncertainty(tq.JointUncertainty(friction_residual=0.3))
    for sets, start, least in (
        (offset, tq.StartError(), 0.5),  # the bound counts it as an initial error, too
        (late, tq.StartError(2e-3, 1e-2), 0.9),
        (pushed, tq.StartError(), 0.95),
    ):
        found = tq.tracking_guarantee(robot, -20.0, motion, period=PERIOD, uncertainty=sets, start=start)
        assert found.valid, found.reason
        assert least < worst_plant(robot, law, motion, found, sets, runs=16).ratio <= 1.0


def identified(robot, part=0.002):
    """The robot as a model with a covariance of its base parameters, strongly correlated."""
    base, rng = base_of(robot), np.random.default_rng(6)
    sizes = part * np.maximum(np.abs(base.values), 0.01 * np.abs(base.values).max())
    factor = sizes[:, None] * (np.eye(len(base)) + 0.5 * rng.normal(size=(len(base),) * 2))
    S = factor @ factor.T
    spread = tuple(map(tuple, (0.5 * (S + S.T)).tolist()))
    return replace(tq.compile(robot), parameters=ModelParameters(base.names, tuple(base.values.tolist()), spread)), S


def test_an_ellipsoid_of_parameters_is_attacked_on_its_surface(arm):
    model, S = identified(arm)
    sets = tq.Uncertainty(bodies=tq.BodyUncertainty(covariance=0.9)).with_identified(model)
    motion, law = motion_of(arm), computed_torque(arm, -60.0, period=PERIOD)
    found = tq.tracking_guarantee(model, -60.0, motion, period=PERIOD, uncertainty=sets)
    assert found.valid, found.reason
    attacked = AttackedLoop(arm, law, motion, sets, found)
    choices = next(_Search(attacked, np.random.default_rng(1), 8).groups())
    moved = (attacked.parameters(choices) - attacked.nominal()) @ base_of(arm).projection.T
    radius = chi_squared_quantile(0.9, len(S))
    np.testing.assert_allclose(np.einsum("ri,ij,rj->r", moved, np.linalg.inv(S), moved), radius, rtol=1e-6)
    assert worst_plant(arm, law, motion, found, sets, runs=16).ratio <= 1.0


def test_a_joint_that_sticks_stays_inside_the_bound_of_a_model_that_rounds_its_friction(arm):
    """The simulated joint holds its whole Coulomb torque at rest; the model's rises as tanh(v) around zero speed."""
    law = Friction.of({"coulomb_positive": 5.0, "coulomb_negative": 5.0, "turnover_speed": 1.0})
    inertia = Inertia.from_center_of_mass(1.0, (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    robot = Robot("one", (Body("link", BASE, Joint("turn", JointType.REVOLUTE, friction=law), inertia),))
    motion = minimum_jerk([0.0], [0.5], 1.0, joints=robot.joint_names)
    found = tq.tracking_guarantee(robot, -20.0, motion, period=PERIOD, uncertainty=tq.Uncertainty())
    result = simulate(Plant(robot, friction=DryFriction.STICK), computed_torque(robot, -20.0, period=PERIOD), motion)
    assert 0.009 < result.max_error_values[0] <= found.joints[0].position < 0.0127


def test_friction_as_fast_as_the_feedback_has_a_bound_that_holds():
    """Two light joints whose friction removes 50 % of a speed error in 14 ms: as a disturbance it has no bound."""
    light = tq.classics.planar2r()
    laws = [Friction.of({"viscous": viscous, "coulomb": 0.2 * viscous}) for viscous in (10.0, 4.0)]
    bodies = zip(light.bodies, laws, strict=True)
    robot = replace(light, bodies=tuple(replace(b, joint=replace(b.joint, friction=law)) for b, law in bodies))
    motion = minimum_jerk([0.0, 0.0], [0.4, -0.3], 1.0, joints=robot.joint_names)
    known = tq.JointUncertainty(friction_part=0.1, position=1e-5, speed=SpeedSource.DIFFERENCE)
    stated, free = tq.Uncertainty(known, timing=tq.TimingUncertainty(1)), [1e4, 1e4]
    found = tq.tracking_guarantee(robot, -40.0, motion, period=PERIOD, uncertainty=stated, efforts=free)
    assert found.valid, found.reason
    law = computed_torque(robot, -40.0, period=PERIOD, evaluation="measured")
    attack = worst_plant(robot, law, motion, found, stated, runs=64)
    assert 0.15 < attack.ratio <= 1.0
    asked = np.abs(attack.result.tau).max(axis=0)
    assert np.all(asked <= [bound.torque for bound in found.joints])
    other = tq.tracking_guarantee(
        robot, -40.0, motion, period=PERIOD, uncertainty=stated, efforts=free, friction="measured"
    )
    assert not other.valid  # friction compensated at the measured speed does not damp errors


def test_drives_are_those_of_the_guarantee(arm):
    """A robot file with weak drives, and a guarantee for stronger ones: nothing saturates."""
    weak = [replace(b, joint=replace(b.joint, limits=replace(b.joint.limits, effort=1.0))) for b in arm.bodies]
    robot, motion = replace(arm, bodies=tuple(weak)), motion_of(arm)
    stated, efforts = tq.Uncertainty(), [joint.limits.effort for joint in arm.joints]
    found = tq.tracking_guarantee(robot, -60.0, motion, period=PERIOD, uncertainty=stated, efforts=efforts)
    law = computed_torque(robot, -60.0, period=PERIOD, evaluation="measured")
    assert worst_plant(robot, law, motion, found, stated, runs=1).ratio <= 1.0


def test_plants_are_at_the_ends_of_their_sets(arm, attacked):
    choices = next(_Search(attacked, np.random.default_rng(0), 8).groups())
    found, own = attacked.parameters(choices), attacked.nominal()[0]
    assert found.shape == (len(choices.mass), len(own))
    changed = own != 0.0
    changed[50:60] = False  # the last body, which carries the payload
    np.testing.assert_allclose(np.abs(found[:, changed] / own[changed] - 1.0), 0.03)
    carried = found[:, 59] - own[59] * (1.0 + 0.03 * np.where(choices.bodies[:, -1] > 0.0, 1.0, -1.0))
    np.testing.assert_allclose(carried, np.where(choices.mass > 0.0, 0.2, 0.0), atol=1e-12)
    signals = attacked.signals(replace(choices, presliding=np.zeros(len(choices.mass))))
    assert {0.7, 1.3} <= set(np.unique(np.round(signals[:, :, : arm.n], 12))) <= {0.7, 1.0, 1.3}
    noise = signals[:, :, 2 * arm.n : 3 * arm.n]
    assert np.abs(noise).max() <= 1e-5
    assert np.ptp(noise, axis=0).max() <= 1e-5


def test_presliding_is_in_the_stated_range_where_joints_may_stand(arm, attacked):
    """Dry friction within 1.3 Coulomb torques, at joints slower than the tube is wide, at rest to begin with."""
    choices = next(_Search(attacked, np.random.default_rng(0), 8).groups())
    one, none = (attacked.signals(replace(choices, presliding=np.full(len(choices.mass), x))) for x in (1.0, 0.0))
    n, standing = arm.n, attacked.presliding.standing
    assert standing[0].all()
    assert not standing[500].any()
    assert np.all(one[:, :, :n][standing[:, None].repeat(len(choices.mass), axis=1)] == 0.0)
    torque = (one - none)[:, :, n : 2 * n]
    assert np.all(torque[~standing[:, None].repeat(len(choices.mass), axis=1)] == 0.0)
    coulomb = np.array([max(f.coulomb_positive, f.coulomb_negative) for f in (j.friction for j in arm.joints)])
    viscous = np.array([max(f.viscous_positive, f.viscous_negative) for f in (j.friction for j in arm.joints)])
    speed = np.abs(attacked.loop[1].qd[:-1, None])
    assert np.all(np.abs(torque) <= 1.3 * coulomb + viscous * speed + 1e-9)
    assert np.abs(torque[0]).max() > 0.9 * coulomb.min()
    attack = worst_plant(arm, attacked.law, attacked.motion, attacked.guarantee, SETS, runs=64, seed=1)
    assert max(attack.sticking_ratios.values()) <= attack.ratio <= 1.0
    assert attack.ratio > 0.4


def test_a_delayed_law_gives_the_torque_of_the_sample_before(arm):
    motion = motion_of(arm)
    law = computed_torque(arm, -60.0, period=PERIOD, evaluation="measured")
    late = late_law(law, motion, SETS)
    assert [slot.size for slot in late.slots] == [arm.n]
    robust = robust_computed_torque(arm, -60.0, period=PERIOD)
    state = late_law(robust, motion, SETS).initial_state
    np.testing.assert_allclose(state[-arm.n :], robust.initial_state)
    assert len(state) == 2 * arm.n
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
