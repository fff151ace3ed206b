"""The haptic cycle: an object's motion by Newton's law, torques by the arm's, and faults that are survived."""

import dataclasses
import math

import numpy as np
import pytest
from tests.haptics.haptic_arms import OBJECT, POSTURE, TOOL, bare_cycle, followed, puma_cycle, steady

import torquec as tq
from torquec.control.computed_torque import computed_torque
from torquec.dynamics import friction_torque, inverse_dynamics, jacobian
from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import ArgumentError
from torquec.haptics.admittance import admittance
from torquec.haptics.admittance_options import AdmittanceOptions, FrameMotion, HapticCaps, HapticStatus
from torquec.haptics.haptic_cycle import cycle_slots
from torquec.haptics.rendered_object import RenderedObject
from torquec.haptics.virtual_object import rotation_of
from torquec.robot import classics
from torquec.spatial import matvec, transpose

H = 0.002
STILL = (0.0, 0.0, 0.0)
ALONG_X = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def weight(cycle, q):
    """What the tool's weight alone puts on the sensor."""
    turn = frame_pose(cycle.robot, cycle.frame, list(q)).rotation
    felt = TOOL.wrench(FrameMotion(STILL, STILL, STILL, matvec(transpose(turn), cycle.robot.gravity)))
    return np.array([*felt.force, *felt.moment])


def test_at_rest_the_tool_is_compensated_and_gravity_held():
    cycle = puma_cycle()
    run = followed(cycle, POSTURE, steady(weight(cycle, POSTURE), 50))
    assert np.abs(run.hand).max() < 1e-12
    assert np.abs(run.states - cycle.start(POSTURE)).max() < 1e-9
    held = inverse_dynamics(cycle.carrying, list(POSTURE), [0.0] * 6, [0.0] * 6)
    np.testing.assert_allclose(run.tau[-1], held, atol=1e-9)
    assert (run.status == 0).all()


def test_a_push_moves_the_object_by_newtons_law_and_the_arm_with_it():
    """One cycle from rest, against the law of motion and the arm's own dynamics, computed by other code."""
    cycle = puma_cycle()
    push = np.array([10.0, -4.0, 6.0, 0.3, -0.2, 0.1])
    run = followed(cycle, POSTURE, steady(weight(cycle, POSTURE) + push, 1))
    after = cycle.read(run.states[0])
    turn = np.array(frame_pose(cycle.robot, "link6", list(POSTURE)).rotation)
    np.testing.assert_allclose(after["velocity"], turn @ push[:3] / 5.0 * H, rtol=1e-4)
    spin = push[3:] / np.array((0.05, 0.06, 0.07)) * H
    np.testing.assert_allclose(after["angular_velocity"], spin, rtol=1e-4)
    ik = tq.inverse_kinematics(cycle.robot, "link6")
    pose = frame_pose(cycle.robot, "link6", list(after["q_ref"]))
    np.testing.assert_allclose(pose.origin, after["position"], atol=1e-12)
    np.testing.assert_allclose(pose.rotation, rotation_of(tuple(after["orientation"])), atol=1e-11)
    acceleration = np.concatenate([turn @ push[:3] / 5.0, turn @ (push[3:] / np.array((0.05, 0.06, 0.07)))])
    qdd = ik.rates(POSTURE, np.zeros(6), acceleration).qdd
    np.testing.assert_allclose(after["qd_ref"] / H, qdd, rtol=2e-3, atol=1e-3)  # the mean of the interval, (6)
    needed = inverse_dynamics(cycle.carrying, list(POSTURE), [0.0] * 6, list(after["qd_ref"] / H))
    J = np.array(jacobian(cycle.robot, "link6", list(POSTURE)))
    hand = np.concatenate([turn @ push[:3], turn @ push[3:]])
    np.testing.assert_allclose(run.tau[0], needed - J.T @ hand, atol=1e-9)
    np.testing.assert_allclose(run.hand[0], push, atol=1e-12)


def test_in_motion_accelerations_are_those_of_the_inverse_kinematics():
    """(6) agrees with J qdd = a - Jd qd to first order in the period, also at speed."""
    cycle = puma_cycle()
    push = np.array([6.0, -3.0, 4.0, 0.02, -0.03, 0.01])
    ik, state = tq.inverse_kinematics(cycle.robot, "link6"), cycle.start(POSTURE)
    bare = bare_cycle()
    run = followed(bare, POSTURE, steady(push, 150), state=state)
    before, after = (bare.read(run.states[k]) for k in (-2, -1))
    middle = 0.5 * (before["q_ref"] + after["q_ref"])
    velocity = np.concatenate(
        [before["velocity"], rotation_of(tuple(before["orientation"])) @ before["angular_velocity"]]
    )
    rates = ik.rates(middle, velocity + 0.5 * H * after["acceleration"], after["acceleration"])
    found = (after["qd_ref"] - before["qd_ref"]) / H
    assert np.abs(before["qd_ref"]).max() > 0.3
    np.testing.assert_allclose(found, rates.qdd, atol=2e-4 * np.abs(rates.qdd).max())


def test_friction_and_errors_are_the_laws():
    """The torque is that of the law for the reference and what is measured, less J' of the hand."""
    cycle = puma_cycle()
    state = followed(cycle, POSTURE, steady(weight(cycle, POSTURE) + 8.0 * ALONG_X, 100)).states[-1]
    here = cycle.read(state)
    seen = here["q_ref"] + 5e-5 * np.array([1, -1, 2, 0, 1, -2])
    after, tau, _, hand = cycle.native.call(state, weight(cycle, POSTURE), seen, cycle.rendered.settings)
    now = cycle.read(after)
    from torquec.control.model_terms import FrictionCompensation
    from torquec.control.pole_placement import pole_placement

    law = pole_placement(cycle.carrying, -45 + 45j, period=H, friction=FrictionCompensation("reference", 0.02))
    qdd = (now["qd_ref"] - here["qd_ref"]) / H
    wanted = law.torque(here["q_ref"], here["qd_ref"], qdd, seen, (seen - here["q_seen"]) / H)
    turn = np.array(rotation_of(tuple(here["orientation"])))
    J = np.array(jacobian(cycle.robot, "link6", list(here["q_ref"])))
    np.testing.assert_allclose(tau, wanted - J.T @ [*(turn @ hand[:3]), *(turn @ hand[3:])], atol=1e-8)
    assert np.abs(friction_torque(cycle.robot, list(here["qd_ref"]))).max() > 1.0


@pytest.mark.parametrize(
    ("bad", "flag"),
    [
        (math.nan, HapticStatus.FORCE_INVALID),
        (math.inf, HapticStatus.FORCE_INVALID),
        (133.0, HapticStatus.FORCE_SATURATED),
    ],
)
def test_an_invalid_force_is_named_and_the_arm_comes_to_rest(bad, flag):
    cycle = puma_cycle()
    moving = followed(cycle, POSTURE, steady(weight(cycle, POSTURE) + 10.0 * ALONG_X, 100)).states[-1]
    wrench = weight(cycle, POSTURE)
    wrench[0] = bad
    run = followed(cycle, POSTURE, steady(wrench, 300), state=moving)
    assert np.isfinite(run.states).all()
    assert np.isfinite(run.tau).all()
    assert all(status & flag for status in run.status)
    assert np.abs(cycle.read(run.states[-1])["velocity"]).max() < 1e-6
    still = cycle.read(run.states[-1])["q_ref"]
    held = inverse_dynamics(cycle.carrying, list(still), [0.0] * 6, [0.0] * 6)
    np.testing.assert_allclose(run.tau[-1], held, atol=1e-3)
    again = followed(cycle, POSTURE, steady(weight(cycle, still) + 10.0 * ALONG_X, 10), state=run.states[-1])
    assert (again.status == 0).all()
    assert cycle.read(again.states[-1])["velocity"].max() > 0.01


def test_missing_encoders_are_named_and_survived():
    cycle = puma_cycle()
    state = cycle.start(POSTURE)
    seen = POSTURE.copy()
    seen[2] = math.nan
    for _ in range(20):
        state, tau, status, _ = cycle.native.call(state, weight(cycle, POSTURE), seen, cycle.rendered.settings)
    assert int(status) == HapticStatus.JOINTS_INVALID
    held = inverse_dynamics(cycle.carrying, list(POSTURE), [0.0] * 6, [0.0] * 6)
    np.testing.assert_allclose(tau, held, atol=1e-6)


def test_a_singular_start_is_named_and_survived():
    """A straight wrist, pushed and turned across what it has lost: named, finite, within speed limits."""
    cycle = bare_cycle()
    straight = np.array([0.3, -0.9, 3.0, 0.4, 0.0, 0.2])
    run = followed(cycle, straight, steady([5.0, -4.0, 3.0, 0.2, 0.3, -0.1], 200))
    assert run.status[0] & HapticStatus.SINGULAR
    assert np.isfinite(run.states).all()
    assert np.isfinite(run.tau).all()
    steps = np.abs(np.diff(cycle.read(run.states)["q_ref"], axis=0))
    assert (steps <= np.array([j.limits.velocity for j in cycle.robot.joints]) * H * (1.0 + 1e-9)).all()


def test_settings_that_are_no_numbers_are_not_taken_over():
    cycle = puma_cycle()
    run = followed(cycle, POSTURE, steady(weight(cycle, POSTURE), 20), settings=np.full(32, math.nan))
    assert np.isfinite(run.states).all()
    np.testing.assert_allclose(cycle.read(run.states[-1])["settings"], OBJECT.settings)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_object_and_arm_are_never_apart_and_turn_around_at_once(direction):
    """Pushed far out, the object ends with the arm: at its reach or at a limit. Pulled back, it follows in the very
    cycle, and no joint ever jumps.
    """
    bare, light = bare_cycle(), RenderedObject(2.0, (0.05,) * 3).settings
    axis = direction * np.array([1.0, 0.4, 0.2])
    state, rows, stopped = bare.start(POSTURE), [], 0
    state[bare.slot("settings")] = light
    for k in range(3000):
        turn = np.array(rotation_of(tuple(state[bare.slot("orientation")])))
        pull = turn.T @ (20.0 * axis * (1.0 if k < 2000 else -1.0))
        wrench = np.array([*pull, 0.0, 0.0, 0.0])
        state, tau, status, _ = bare.native.call(state, wrench, state[bare.slot("q_ref")].copy(), light)
        rows.append(state)
        assert np.isfinite(tau).all()
        stopped |= int(status)
    found = bare.read(np.array(rows))
    lower, upper = (np.array([getattr(j.limits, end) for j in bare.robot.joints]) for end in ("lower", "upper"))
    assert (found["q_ref"] >= lower - 1e-12).all()
    assert (found["q_ref"] <= upper + 1e-12).all()
    speeds = np.array([j.limits.velocity for j in bare.robot.joints])
    assert (np.abs(np.diff(found["q_ref"], axis=0)) <= speeds * H * (1.0 + 1e-9)).all()
    assert stopped & (HapticStatus.AT_LIMIT | HapticStatus.OUT_OF_REACH)
    for k in range(0, 3000, 50):
        place = frame_pose(bare.robot, "link6", found["q_ref"][k].tolist())
        np.testing.assert_allclose(place.origin, found["position"][k], atol=1e-8)
        np.testing.assert_allclose(place.rotation, rotation_of(tuple(found["orientation"][k])), atol=1e-8)
    along = found["velocity"] @ axis
    assert along[2080] < along[1999] - 0.05
    assert np.abs(np.diff(found["qd_ref"][1998:2100], axis=0)).max() < 0.5  # a straight elbow bends without a jerk


@pytest.mark.slow
def test_caps_hold_whatever_the_hand_does():
    cycle = puma_cycle()
    caps = HapticCaps(force=60.0, moment=5.0, speed=0.2, turning=0.5, power=1.0, effort=0.5)
    options = dataclasses.replace(cycle.options, caps=caps)
    tight = admittance(classics.puma560(), RenderedObject(10.0, (0.1,) * 3), options=options)
    rng = np.random.default_rng(0)
    wrenches = np.repeat(rng.normal(size=(20, 6)) * [60.0, 60.0, 60.0, 4.0, 4.0, 4.0], 25, axis=0)
    run = followed(tight, POSTURE, wrenches)
    found = tight.read(run.states)
    assert np.linalg.norm(found["velocity"], axis=1).max() <= 0.2 + 1e-9
    assert np.linalg.norm(found["angular_velocity"], axis=1).max() <= 0.5 + 1e-9
    assert np.linalg.norm(run.hand[:, :3], axis=1).max() <= 60.0 + 1e-9
    efforts = 0.5 * np.array([j.limits.effort for j in tight.robot.joints])
    assert (np.abs(run.tau) <= efforts + 1e-9).all()
    seen = np.bitwise_or.reduce(run.status)
    for flag in (HapticStatus.FORCE_CAPPED, HapticStatus.SPEED_CAPPED, HapticStatus.POWER_CAPPED):
        assert seen & flag


@pytest.mark.slow
def test_settings_change_without_a_bump():
    """From 5 to 50 kg, with springs, dampers, weight, while the hand pushes: against the same change made at once."""
    robot = classics.puma560()
    law = computed_torque(robot, -20, period=H, friction="nothing")  # dry friction jumps by itself where joints turn
    push = steady([0.0, 8.0, 0.0, 0.0, 0.0, 0.0], 100)
    jumps = []
    for settling in (0.2, 1e-6):
        cycle = admittance(robot, OBJECT, options=AdmittanceOptions(settling=settling), law=law)
        start = followed(cycle, POSTURE, push)
        here = cycle.read(start.states[-1])
        heavy = RenderedObject(
            50.0,
            (1.0,) * 3,
            damping=(40.0,) * 3 + (1.0,) * 3,
            stiffness=(200.0,) * 3 + (5.0,) * 3,
            rest_position=tuple(here["position"] + 0.1),
            rest_orientation=tuple(here["orientation"]),
            gravity=(0.0, 0.0, -0.2),
        )
        run = followed(cycle, POSTURE, steady(push[0], 500), settings=heavy.settings, state=start.states[-1])
        jumps.append(np.abs(np.diff(np.vstack([start.tau[-1:], run.tau]), axis=0)).max())
        np.testing.assert_allclose(cycle.read(run.states[-1])["settings"], heavy.settings, rtol=0.01, atol=0.01)
        speed = cycle.read(np.vstack([start.states, run.states]))["velocity"]
        assert np.abs(np.diff(speed, axis=0)).max() < 0.02
    assert jumps[0] < 0.05 * jumps[1]


@pytest.mark.slow
def test_another_law_and_a_contact_point():
    """Any law of joint motions serves; an object held off its mass centre turns under a force."""
    robot = classics.puma560()
    law = computed_torque(robot, -20, period=H)
    options = AdmittanceOptions(contact_point=(0.0, 0.1, 0.0))
    cycle = admittance(robot, OBJECT, options=options, law=law)
    run = followed(cycle, POSTURE, steady([5.0, 0, 0, 0, 0, 0], 20))
    found = cycle.read(run.states)
    assert found["angular_velocity"][0] == pytest.approx([0.0, 0.0, -0.1 * 5.0 / 0.07 * H], abs=1e-9)
    for k in (0, 10, 19):
        place = frame_pose(robot, "link6", found["q_ref"][k].tolist())
        held = found["position"][k] + np.array(place.rotation) @ (0.0, 0.1, 0.0)
        np.testing.assert_allclose(place.origin, held, atol=1e-10)


def test_the_state_says_where_its_parts_stand():
    cycle = puma_cycle()
    assert len(cycle.initial_state) == cycle.function.inputs[0].size
    assert [slot.name for slot in cycle.slots][:4] == ["position", "orientation", "velocity", "angular_velocity"]
    assert cycle.slots == cycle_slots(6, OBJECT, computed_torque(classics.puma560(), -20, period=H))
    assert "haptic_cycle" in repr(cycle)


def test_misuse():
    robot = classics.puma560()
    with pytest.raises(ArgumentError, match="claw"):
        admittance(robot, OBJECT, "claw")
    with pytest.raises(ArgumentError, match="the cycle's period"):
        admittance(robot, OBJECT, law=computed_torque(robot, -20, period=0.01))
    with pytest.raises(ArgumentError, match="the robot's are"):
        admittance(robot, OBJECT, law=computed_torque(classics.planar2r(), -20, period=H))
    cycle = puma_cycle()
    with pytest.raises(ArgumentError, match="beyond its limits"):
        cycle.start(np.full(6, 10.0))
    with pytest.raises(ArgumentError, match="6 finite numbers"):
        cycle.start(np.zeros(5))
    with pytest.raises(ArgumentError, match="has no state"):
        cycle.slot("speed")
    for change in ({"period": 0.0}, {"sensor_range": (1.0,)}, {"contact_point": (math.nan, 0.0, 0.0)}, {"substeps": 0}):
        with pytest.raises(ArgumentError):
            AdmittanceOptions(**change)
