"""The closed loop: against the same loop in plain Python, conserved energy, sampled systems with known answers."""

from __future__ import annotations

import dataclasses
import functools
import runpy
from pathlib import Path

import numpy as np
import pytest
from tests.simulation.arms import clock, constant, free, rotor

import torquec
from torquec.control.computed_torque import computed_torque, diagonal_computed_torque
from torquec.control.controller import make_controller
from torquec.control.independent_joint import PidGains, feedforward_torque, independent_joint
from torquec.control.model_terms import FrictionAt, FrictionCompensation
from torquec.control.pole_placement import pole_placement
from torquec.errors import ArgumentError, DivergenceError
from torquec.robot import attach_payload
from torquec.robot.friction import Friction
from torquec.simulation.closed_loop import LoopOptions, follow_in_open_loop, simulate
from torquec.simulation.integrators import DormandPrince, RungeKutta4, rk4_step
from torquec.simulation.plant import DryFriction, Dynamics, Plant, drive_torque
from torquec.simulation.sensors import Sensors, SpeedSource, measure
from torquec.simulation.simulation_result import tip_error
from torquec.simulation.stiffness import enough_substeps
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory

ARM = torquec.classics.puma260()
MOTION = minimum_jerk(
    [0.2, -0.6, 0.5, 0.0, 0.3, 0.0], [0.8, -0.2, 1.0, 0.3, 0.6, 0.2], 1.0, joints=ARM.joint_names, period=1e-3
)
OPTIONS = LoopOptions(integrator=RungeKutta4(2))


def test_with_the_right_model_only_the_hold_of_the_torques_remains():
    smooth = dataclasses.replace(
        ARM,
        bodies=tuple(replace_friction(body) for body in ARM.bodies),
        drives=dataclasses.replace(
            ARM.drives, motors=tuple(dataclasses.replace(m, friction=Friction()) for m in ARM.drives.motors)
        ),
    )
    errors = []
    for period in (2e-3, 1e-3):
        motion = minimum_jerk(MOTION.q[0], MOTION.q[-1], 1.0, joints=ARM.joint_names, period=period)
        result = follow_in_open_loop(Plant(smooth, saturates=False), smooth, motion, options=OPTIONS)
        errors.append(result.plain.max_error_values.max())
    # A held torque is late by half a period: the error is of first order in it.
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)


def replace_friction(body):
    return dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction()))


def test_a_payload_pulls_the_arm_away_and_its_gravity_is_compensated_if_known():
    loaded = attach_payload(ARM, ARM.frames[-1].name, mass=0.3)
    plant = Plant(loaded, friction=DryFriction.SIGN, saturates=False)
    unknown = follow_in_open_loop(plant, ARM, MOTION, options=OPTIONS)
    known = follow_in_open_loop(plant, loaded, MOTION, options=OPTIONS)
    assert known.plain.max_error_values.max() < 0.2 * unknown.plain.max_error_values.max()


def test_on_line_gravity_keeps_an_error_from_growing():
    # Started off the reference, the weightless arm keeps its distance; the other one falls.
    robot = torquec.classics.puma560()
    still = minimum_jerk([0.0, -0.5, 0.3, 0.0, 0.0, 0.0], [0.0, -0.5, 0.3, 0.0, 0.0, 0.0], 1.0,
                         joints=robot.joint_names, period=1e-3)  # fmt: skip
    plant = Plant(robot, friction=DryFriction.NONE, saturates=False)
    start = still.q[0] + np.array([0.0, 0.05, 0.0, 0.0, 0.0, 0.0])
    none = FrictionCompensation(FrictionAt.NOTHING)
    errors = {}
    for online in (False, True):
        law = feedforward_torque(robot, online_gravity=online, friction=none)
        errors[online] = simulate(plant, law, still, initial_q=start).error[-1]
    assert errors[True] == pytest.approx([0.0, -0.05, 0.0, 0.0, 0.0, 0.0], abs=1e-9)
    assert np.abs(errors[False]).max() > 0.1


EXAMPLE = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "puma260_open_loop.py"))


@pytest.mark.parametrize("coulomb_error", [0.05, -0.05])
def test_izaguirre_7_2(coulomb_error):
    """Fast: below 10 % of 90 degrees, as the paper has it. Slow: gravity builds up errors, on-line it does not."""
    slow, fast = (EXAMPLE["shares"](EXAMPLE["follow"](speed, coulomb_error=coulomb_error)) for speed in (42.0, 180.0))
    plain, online = 0, 1
    assert max(fast[plain]) < 10.0
    assert max(fast[online]) < 10.0
    assert max(slow[plain]) > 100.0
    assert max(slow[online]) < 25.0
    for k in range(3):  # the paper: an arm without weight is a double integrator, and short motions err less
        assert fast[online][k] < slow[online][k]
    # Our own figures [%], so that a change of the plant or of the law is seen.
    expected = {
        0.05: ([2.0, 1.9, 6.8], [2.1, 2.9, 4.5], [14.1, 16.0, 18.8]),
        -0.05: ([2.2, 1.6, 6.3], [2.2, 2.8, 5.3], [15.4, 16.9, 21.8]),
    }[coulomb_error]
    for found, known in zip((fast[plain], fast[online], slow[online]), expected, strict=True):
        assert found == pytest.approx(known, abs=0.1)


def test_without_friction_error_the_model_carries_the_arm():
    plain, _ = EXAMPLE["shares"](EXAMPLE["follow"](180.0, coulomb_error=0.0))
    assert max(plain) < 1.0


def test_the_example_prints_and_draws(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    EXAMPLE["main"](tmp_path / "open_loop.png")
    text = capsys.readouterr().out
    assert "180 degrees/s, without on-line gravity compensation:" in text
    assert (tmp_path / "open_loop.png").stat().st_size > 10_000


PUMA = torquec.classics.puma560()
POLE, PERIOD = -12 + 45j, 0.002


def plain_loop(plant, controller, sampled, sensors, substeps):
    """The definition, in Python floats: measure, control, saturate, integrate."""
    n, period = plant.n, sampled.period
    dynamics = Dynamics(plant)
    y = [*sampled.q[0], *sampled.qd[0]]
    memory = sensors.first_memory(y[:n], y[n:], period=period)
    state, states, torques = controller.initial_state, [y], []
    for k in range(len(sampled) - 1):
        seen = measure(sensors, y[:n], y[n:], memory, noise=None, period=period)
        memory = seen.memory
        inputs = [sampled.q[k], sampled.qd[k], sampled.qdd[k], seen.q, seen.qd]
        if controller.slots:
            tau, state = controller.native.call(*inputs, state)
        else:
            tau = controller.native.call(*inputs)
        torques.append(tau)
        held = [float(t) for t in drive_torque(plant, list(tau))]
        for _ in range(substeps):
            y = rk4_step(lambda at, held=held: dynamics.motion_rate(at, held), y, period / substeps)
        states.append(y)
    return np.array(states), np.array(torques)


@pytest.mark.parametrize(
    ("sensors", "substeps"),
    [
        (Sensors(), 1),
        (Sensors(resolution=1e-4, speed=SpeedSource.DIFFERENCE, delay=1, filter_share=0.5), 3),
    ],
)
@pytest.mark.parametrize("law", ["computed torque", "pid"])
def test_the_native_loop_is_the_plain_loop(sensors, substeps, law):
    robot = torquec.classics.planar2r()
    if law == "pid":
        gains = PidGains((200.0, 80.0), (20.0, 8.0), (50.0, 20.0))
        controller = independent_joint(robot, gains, period=0.005)
    else:
        controller = computed_torque(robot, -5 + 5j, period=0.005)
    motion = minimum_jerk([0.0, 0.0], [0.5, -0.8], 0.5, joints=robot.joint_names, period=0.005)
    plant = Plant(robot)
    result = simulate(plant, controller, motion, options=LoopOptions(sensors=sensors, integrator=RungeKutta4(substeps)))
    states, torques = plain_loop(plant, controller, motion.sampled(0.005), sensors, substeps)
    assert np.allclose(result.q, states[:, :2], atol=1e-9)
    assert np.allclose(result.qd, states[:, 2:], atol=1e-8)
    assert np.allclose(result.tau, torques, atol=1e-6)
    error = motion.q - states[:, :2]
    assert result.rmse_values == pytest.approx(np.sqrt((error**2).mean(axis=0)), rel=1e-6)
    assert result.max_error_values == pytest.approx(np.abs(error).max(axis=0), rel=1e-6)


def test_energy_of_the_free_arm_is_kept():
    plant = Plant(PUMA, friction=DryFriction.NONE, saturates=False)
    start = np.array([0.3, -1.0, 0.5, 0.2, 0.4, 0.1])
    options = LoopOptions(record_every=500)
    result = simulate(plant, free(PUMA), clock(PUMA, 10.0, 1e-4), options=options, initial_q=start)
    arm = torquec.compile(PUMA)
    kinetic = arm.kinetic_energy(result.q, result.qd)
    energy = kinetic + arm.potential_energy(result.q)
    assert kinetic.max() > 50.0
    assert np.abs(energy - energy[0]).max() < 1e-8


def test_adaptive_and_fixed_integration_agree():
    controller = computed_torque(PUMA, POLE, period=PERIOD)
    motion = puma560_standard_trajectory()
    fixed, adaptive = (
        simulate(PUMA, controller, motion, options=LoopOptions(integrator=integrator))
        for integrator in (RungeKutta4(16), DormandPrince())
    )
    assert np.allclose(fixed.q, adaptive.q, atol=2e-9)


def test_a_sampled_double_integrator_has_the_poles_of_the_textbook():
    # J = 1, tau = -k q - b qd held for h: x+ = (A - B K) x with the exact zero-order hold.
    robot, h, k, b = rotor(inertia=1.0), 0.1, 2.0, 1.5
    law = make_controller("pd", robot.joint_names, lambda **s: {"tau": [-(k * s["q"][0] + b * s["qd"][0])]})
    result = simulate(robot, law, clock(robot, 3.0, h), initial_q=[1.0])
    step = np.array([[1.0, h], [0.0, 1.0]]) - np.array([[h * h / 2.0], [h]]) @ np.array([[k, b]])
    x = np.array([1.0, 0.0])
    for q, qd in zip(result.q[:, 0], result.qd[:, 0], strict=True):
        assert [q, qd] == pytest.approx(x, abs=1e-12)
        x = step @ x


@pytest.mark.parametrize("duration", [1.0, 1.5, 2.0])
def test_clovers_controllers_stay_within_three_tenths_of_a_millimetre(duration):
    """CT1 and CT2 are close where gains are high, and which is ahead changes with the motion; CT3 is far behind."""
    sensors = Sensors(resolution=1e-4, speed=SpeedSource.DIFFERENCE)
    options = LoopOptions(sensors=sensors, integrator=RungeKutta4(4))
    plant = Plant(PUMA, friction=DryFriction.STICK)
    motion = puma560_standard_trajectory(duration=duration)
    at_reference = {"evaluation": "reference"}
    laws = {
        "CT1": pole_placement,
        "CT2": functools.partial(computed_torque, **at_reference),
        "CT3": functools.partial(diagonal_computed_torque, **at_reference),
    }
    worst = {}
    for name, law in laws.items():
        result = simulate(plant, law(PUMA, POLE, period=PERIOD), motion, options=options)
        worst[name] = 1e3 * tip_error(PUMA, "link6", result).max()
        assert result.saturated == ()
    assert max(worst["CT1"], worst["CT2"]) < 0.3
    assert 0.8 < worst["CT1"] / worst["CT2"] < 1.25
    assert worst["CT3"] > 5.0 * max(worst["CT1"], worst["CT2"])


@pytest.mark.parametrize(
    ("duration", "pole", "first_error", "saturates"), [(0.6, POLE, 0.0, True), (0.35, -4.5 + 4.5j, 0.02, False)]
)
def test_trajectory_linearization_wins_where_velocity_terms_weigh(duration, pole, first_error, saturates):
    sensors = Sensors(resolution=1e-4, speed=SpeedSource.DIFFERENCE)
    options = LoopOptions(sensors=sensors, integrator=RungeKutta4(4))
    plant = Plant(PUMA, friction=DryFriction.STICK, saturates=saturates)
    motion = puma560_standard_trajectory(duration=duration)
    tips = []
    for law in (pole_placement, computed_torque, diagonal_computed_torque):
        controller = law(PUMA, pole, period=PERIOD)
        result = simulate(plant, controller, motion, options=options, initial_q=motion.q[0] + first_error)
        tips.append(float(np.sqrt((tip_error(PUMA, "link6", result) ** 2).mean())))
    assert tips[0] < tips[1] < tips[2]


def test_saturation_is_counted_and_dated():
    robot = rotor(inertia=1.0, effort=2.0)
    law = make_controller("ramp", robot.joint_names, lambda **s: {"tau": [s["q_ref"][0]]})
    t = 0.1 * np.arange(41)
    zeros = np.zeros((41, 1))
    motion = dataclasses.replace(clock(robot, 4.0, 0.1), q=t[:, None], qd=zeros, qdd=zeros)
    result = simulate(robot, law, motion, options=LoopOptions(period=0.1), initial_q=[0.0])
    assert result.saturated == ("wheel",)
    assert result.saturated_samples.tolist() == [20.0]
    assert result.first_saturation == {"wheel": pytest.approx(2.0)}
    # tau = t up to 2 s, then 2: the speed is the sum of held torques.
    assert result.qd[-1, 0] == pytest.approx(0.1 * np.minimum(t[:-1], 2.0).sum())


def test_noise_is_the_same_for_the_same_seed():
    controller = computed_torque(PUMA, POLE, period=PERIOD)
    motion = puma560_standard_trajectory()

    def run(seed, every):
        sensors = Sensors(position_noise=1e-5, speed_noise=1e-3)
        return simulate(PUMA, controller, motion, options=LoopOptions(sensors=sensors, seed=seed, record_every=every))

    assert np.array_equal(run(1, 1).q[-1], run(1, 7).q[-1])
    assert not np.array_equal(run(1, 1).q[-1], run(2, 1).q[-1])


def test_a_held_reference_is_followed_in_stairs():
    robot = rotor(inertia=1.0)
    law = make_controller("copy", robot.joint_names, lambda **s: {"tau": [s["q_ref"][0]]})
    t = 0.1 * np.arange(9)
    motion = dataclasses.replace(clock(robot, 0.8, 0.1), q=t[:, None])
    result = simulate(robot, law, motion, options=LoopOptions(period=0.1, reference_hold=4))
    assert result.tau[:, 0] == pytest.approx([0.0] * 4 + [0.4] * 4)


def test_scheduled_gains_arrive_at_their_samples():
    from torquec.control.controller import Schedule

    robot = rotor(inertia=1.0)
    t = 0.1 * np.arange(6)
    gains = np.zeros((6, 1, 2))
    gains[:, 0, 0] = np.arange(6.0)
    law = make_controller(
        "gains",
        robot.joint_names,
        lambda **s: {"tau": [s["gains"][0][0] + 0.0 * s["q"][0]]},
        schedule=Schedule(t, gains),
    )
    result = simulate(robot, law, clock(robot, 0.5, 0.1))
    assert result.tau[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_records_are_thinned_without_changing_the_figures():
    controller = computed_torque(PUMA, POLE, period=PERIOD)
    motion = puma560_standard_trajectory()
    whole, thin, none = (
        simulate(PUMA, controller, motion, options=LoopOptions(record_every=every)) for every in (1, 100, 0)
    )
    assert (len(whole.t), len(thin.t), len(none.t)) == (751, 9, 1)
    assert np.array_equal(thin.q[:-1], whole.q[:-1:100])
    assert np.array_equal(thin.tau, whole.tau[::100])
    for other in (thin, none):
        assert np.array_equal(other.q[-1], whole.q[-1])
        assert np.array_equal(other.rmse_values, whole.rmse_values)
    assert whole.rmse_values == pytest.approx(np.sqrt((whole.error**2).mean(axis=0)), rel=1e-12)


def test_a_loop_that_diverges_stops_with_joint_and_time():
    controller = computed_torque(PUMA, -400 + 10j)
    with pytest.raises(DivergenceError, match=r"error of joint 'joint\d' passed 1 at t = 0\.0\d* s") as caught:
        simulate(
            Plant(PUMA, saturates=False),
            controller,
            puma560_standard_trajectory(),
            options=LoopOptions(period=0.006, integrator=RungeKutta4(4)),
        )
    assert "sample faster" in caught.value.remedy


def test_an_error_beyond_the_bound_is_divergence_though_everything_is_finite():
    robot = rotor(inertia=1.0, effort=3.0)
    motion = clock(robot, 4.0, 0.1)
    assert simulate(robot, constant(robot, 5.0), motion).max_error_values[0] == pytest.approx(24.0)
    with pytest.raises(DivergenceError, match=r"'wheel' passed 6 at t = 2\.1 s, and it reached 24"):
        simulate(robot, constant(robot, 5.0), motion, options=LoopOptions(largest_error=6.0))
    with pytest.raises(ArgumentError, match="largest error"):
        LoopOptions(largest_error=0.0)


def test_chattering_friction_under_adaptive_steps_is_reported():
    robot = rotor(friction=dataclasses.replace(PUMA.joints[0].friction, viscous_positive=0.0, viscous_negative=0.0))
    options = LoopOptions(integrator=DormandPrince(most=2000))
    with pytest.raises(DivergenceError, match="step size went to zero"):
        simulate(
            Plant(robot, friction=DryFriction.SIGN), constant(robot, 1.0), clock(robot, 1.0, 0.01), options=options
        )


def test_substeps_follow_the_plant_as_those_of_the_command_do():
    """A damped light wheel, which one step of a control interval cannot follow."""
    robot = rotor(inertia=1e-4, friction=Friction.symmetric(viscous=0.5))
    motion = clock(robot, 0.1, 0.01)
    with pytest.raises(ArgumentError, match="cannot follow"):
        simulate(robot, constant(robot, 0.01), motion, options=LoopOptions(integrator=RungeKutta4()))
    chosen = simulate(robot, constant(robot, 0.01), motion)
    needed = enough_substeps(Plant(robot), [0.0], period=0.01)
    assert needed > 2
    asked = simulate(robot, constant(robot, 0.01), motion, options=LoopOptions(integrator=RungeKutta4(needed)))
    np.testing.assert_array_equal(chosen.q, asked.q)
    slow = rotor(inertia=1.0)
    asked = simulate(slow, constant(slow, 1.0), motion, options=LoopOptions(integrator=RungeKutta4(2)))
    np.testing.assert_array_equal(simulate(slow, constant(slow, 1.0), motion).q, asked.q)


def test_a_trajectory_may_name_joints_in_another_order_or_not_at_all():
    """As a CSV file of the command may."""
    arm = torquec.classics.planar2r()
    law = computed_torque(arm, POLE, period=PERIOD)
    start, goal = [0.0, 0.1], [0.3, -0.2]
    plain = minimum_jerk(start, goal, 0.2, joints=arm.joint_names, period=PERIOD)
    right = simulate(arm, law, plain)
    swapped = minimum_jerk(start[::-1], goal[::-1], 0.2, joints=arm.joint_names[::-1], period=PERIOD)
    for motion in (swapped, minimum_jerk(start, goal, 0.2, period=PERIOD)):
        found = simulate(arm, law, motion)
        np.testing.assert_array_equal(found.q, right.q)
        assert found.joints == arm.joint_names
    with pytest.raises(ArgumentError, match="the joints of the trajectory are a, b"):
        simulate(arm, law, minimum_jerk(start, goal, 0.2, joints=("a", "b"), period=PERIOD))


def test_a_law_for_some_of_the_joints_names_the_call_that_holds_the_others():
    first = PUMA.joint_names[:2]
    arm = torquec.lock_joints(PUMA, dict.fromkeys(PUMA.joint_names[2:], 0.0))
    law = computed_torque(arm, POLE, period=PERIOD)
    motion = minimum_jerk([0.0, 0.0], [0.1, 0.1], 0.2, joints=first, period=PERIOD)
    with pytest.raises(ArgumentError, match=r"lock_joints\(robot, \{'joint3': 0\.0, .*'joint6': 0\.0\}\)"):
        simulate(PUMA, law, motion)
    simulate(arm, law, motion)


def test_what_does_not_fit_is_refused():
    controller = computed_torque(PUMA, POLE, period=PERIOD)
    motion = puma560_standard_trajectory()
    other = torquec.classics.planar2r()
    with pytest.raises(ArgumentError, match="joints of the controller"):
        simulate(other, controller, motion)
    with pytest.raises(ArgumentError, match=r"made for 0\.002 s"):
        simulate(PUMA, controller, motion, options=LoopOptions(period=0.001))
    with pytest.raises(ArgumentError, match="adaptive"):
        simulate(
            Plant(PUMA, friction=DryFriction.STICK),
            controller,
            motion,
            options=LoopOptions(integrator=DormandPrince()),
        )
    with pytest.raises(ArgumentError, match="'initial_q' has shape"):
        simulate(PUMA, controller, motion, initial_q=[0.0])
    with pytest.raises(ArgumentError, match="encoder resolutions"):
        simulate(PUMA, controller, motion, options=LoopOptions(sensors=Sensors(resolution=(1e-3, 1e-3))))
    for wrong in ({"seed": -1}, {"record_every": -1}, {"reference_hold": 0}):
        with pytest.raises(ArgumentError, match="whole number"):
            LoopOptions(**wrong)
