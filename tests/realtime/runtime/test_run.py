"""Runs on simulated robots, mostly on a virtual clock: the same every time, whatever the machine does."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest
from tests.codegen.c.compiler import needs_compiler

import torquec as tq
import torquec.realtime
from torquec.realtime.runtime.drivers import SimulatedRobot
from torquec.realtime.runtime.guards import Fault, GuardMode, Guards, RunEnd
from torquec.realtime.runtime.library import LoopStruct
from torquec.realtime.runtime.run import RunOptions, run
from torquec.realtime.runtime.run_result import system_notes
from torquec.simulation.integrators import RungeKutta4

pytestmark = needs_compiler

PERIOD = 0.001
ROBOT = tq.classics.planar2r()
LAW = tq.computed_torque(ROBOT, -20.0, period=PERIOD)
MOTION = tq.minimum_jerk([0.0, 0.0], [0.3, -0.4], 0.3, joints=ROBOT.joint_names, period=PERIOD)
ONE_STEP = tq.LoopOptions(integrator=RungeKutta4(1))
"""As the simulated robot of a run steps where friction asks for no more."""

VIRTUAL = SimulatedRobot(clock="virtual")


def virtual(**options):
    return run(ROBOT, LAW, MOTION, robot=VIRTUAL, **options)


def test_it_is_the_simulation_where_nothing_is_cut():
    """Two loops that share no code: the native one of `simulate`, and the runtime with its guards."""
    wide = Guards(torque=1e6, torque_rate=1e12, speed=1e3)
    robot = dataclasses.replace(VIRTUAL, plant=tq.Plant(ROBOT, saturates=False))
    result = run(ROBOT, LAW, MOTION, robot=robot, guards=wide)
    log, steps = result.log, len(MOTION)
    # The same start for both: brakes hold the robot until the first torques come, and the first ones act a step later.
    start = {"initial_q": log.q[0], "initial_qd": log.qd[0]}
    simulated = tq.simulate(tq.Plant(ROBOT, saturates=False), LAW, MOTION, options=ONE_STEP, **start)
    assert np.abs(log.q[:steps] - simulated.q).max() < 1e-12
    assert np.abs(log.wanted[: steps - 1] - simulated.tau).max() < 1e-9
    assert np.abs(result.error[: steps - 1] - simulated.error[:-1]).max() < 1e-12
    assert result.end is RunEnd.ENDED


def test_a_run_and_its_end():
    result = virtual()
    assert result.end is RunEnd.ENDED
    assert result.failed == ""
    assert result.first_faults == Fault.REQUESTED
    log, limits = result.log, result.limits
    assert log.cycle.tolist() == list(range(len(log)))
    assert np.allclose(np.diff(log.t), PERIOD)
    assert (np.abs(log.tau) <= limits.torque).all()
    steps = np.diff(log.tau, axis=0, prepend=0.0)
    assert (np.abs(steps) <= np.array(limits.torque_rate) * PERIOD * (1 + 1e-9)).all()
    modes = [GuardMode(int(mode)) for mode in log.mode[np.flatnonzero(np.diff(log.mode, prepend=-1))]]
    assert modes == [GuardMode.RUN, GuardMode.HOLD, GuardMode.RAMP, GuardMode.STOPPED]
    held = log.tau[log.mode == GuardMode.HOLD]
    assert len(held) == 20
    assert (held == held[0]).all()
    assert len(log.tau[log.mode == GuardMode.RAMP]) == 200
    assert (log.tau[-1] == 0.0).all()
    assert result.status.rate == pytest.approx(1.0 / PERIOD)
    assert np.nanmax(np.abs(result.error)) < 0.01


def test_runs_on_a_virtual_clock_are_the_same():
    assert np.array_equal(virtual().log.tau, virtual().log.tau)


@pytest.mark.parametrize("order", ["zeroth", "first"])
def test_two_rates_follow_the_motion_too(order):
    result = virtual(options=RunOptions(background=0.01, order=order))
    assert result.end is RunEnd.ENDED
    assert result.status.counts["refused"] == 0
    assert result.status.counts["accepted"] == pytest.approx(30, abs=3)
    running = result.log.mode == GuardMode.RUN
    assert result.log.coefficient_age[running].max() <= 0.0121
    assert np.nanmax(np.abs(result.error)) < 0.02


def test_first_order_is_nearer_to_the_whole_law_than_zeroth():
    whole = virtual().log.q
    far = [np.abs(virtual(options=RunOptions(background=0.05, order=order)).log.q[:300] - whole[:300]).max()
           for order in ("zeroth", "first")]  # fmt: skip
    assert far[1] < 0.5 * far[0]


@pytest.mark.parametrize("kind", ["pid", "lqr"])
def test_a_law_with_a_state_and_one_with_scheduled_gains(kind):
    law = tq.make_law(ROBOT, kind, tq.ControllerOptions(period=PERIOD), trajectory=MOTION)
    assert bool(law.slots) == (kind == "pid")
    assert (law.schedule is not None) == (kind == "lqr")
    wide = Guards(torque=1e6, torque_rate=1e12, speed=1e3)
    log = run(
        ROBOT, law, MOTION, robot=dataclasses.replace(VIRTUAL, plant=tq.Plant(ROBOT, saturates=False)), guards=wide
    ).log
    start = {"initial_q": log.q[0], "initial_qd": log.qd[0]}
    simulated = tq.simulate(tq.Plant(ROBOT, saturates=False), law, MOTION, options=ONE_STEP, **start)
    assert np.abs(log.q[: len(MOTION)] - simulated.q).max() < 1e-12


def test_the_robot_clocks_the_loop():
    result = virtual(options=RunOptions(deadline="driver"))
    assert result.end is RunEnd.ENDED
    assert np.allclose(np.diff(result.log.t), PERIOD)


@pytest.mark.parametrize(
    ("guards", "fault"),
    [
        (Guards(speed=0.5), Fault.SPEED_LIMIT),
        (Guards(upper=0.1), Fault.POSITION_LIMIT),
        (Guards(power=0.01), Fault.POWER_LIMIT),
    ],
)
def test_limits_stop_the_robot(guards, fault):
    result = virtual(guards=guards)
    assert result.end is RunEnd.FAULT
    assert fault in result.first_faults
    assert fault.words[0] in result.failed
    assert result.to_document()["first_faults"] == list(fault.words)
    assert (result.log.tau[-1] == 0.0).all()


def test_torques_are_cut_and_counted():
    result = virtual(guards=Guards(torque=[15.0, 4.0]))
    assert result.status.counts["clamped_torque"] > 0
    assert (np.abs(result.log.tau) <= [15.0, 4.0]).all()
    assert (np.abs(np.nan_to_num(result.log.wanted)) > [15.0, 4.0]).any()


def test_damping_brakes_a_stop():
    """Stopped in the middle of a motion, damped joints turn less on the way out."""
    turned = []
    for damping in (0.0, 5.0):
        result = virtual(options=RunOptions(duration=0.15), guards=Guards(damping=damping, hold=0.0))
        log = result.log
        start = int(np.flatnonzero(log.mode != GuardMode.RUN)[0])
        turned.append(np.abs(log.qd[start : start + 100]).sum())
        assert result.end is RunEnd.ENDED
    assert turned[1] < 0.8 * turned[0]


def test_a_robot_out_of_its_limits_is_not_started():
    result = run(
        ROBOT, LAW, MOTION, robot=dataclasses.replace(VIRTUAL, start=[4.0, 0.0]), guards=Guards(upper=3.0, lower=-3.0)
    )
    assert result.end is RunEnd.NOT_STARTED
    assert "position-limit" in result.failed
    assert len(result.log) == 0
    assert result.to_document()["max_error"] == {"joint1": None, "joint2": None}


def test_in_real_time():
    """Whatever the machine does: ended as asked, or stopped for a reason that a busy machine has."""
    seen = []
    result = tq.realtime.run(ROBOT, LAW, MOTION, options=RunOptions(background=0.01), report=seen.append)
    assert result.end is RunEnd.ENDED or result.first_faults & (Fault.OVERRUN | Fault.COEFFICIENTS | Fault.WATCHDOG)
    assert (np.abs(result.log.tau) <= result.limits.torque).all()
    assert result.status.counts["cycles"] == len(result.log) + result.dropped
    assert seen[-1].counts == result.status.counts
    assert result.status.latency.count == result.status.counts["cycles"]


def test_an_interrupt_stops_the_robot(monkeypatch):
    calls = []

    def interrupt(_status):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt

    result = run(ROBOT, LAW, MOTION, options=RunOptions(duration=30.0), report=interrupt)
    assert result.end is RunEnd.ENDED
    assert result.status.elapsed < 20.0
    assert (result.log.tau[-1] == 0.0).all()


def test_interrupts_again_and_again_do_not_leave_the_robot(monkeypatch):
    """Whatever is pressed while the robot comes to rest: the loop has ended before its memory goes."""
    join, interrupts = threading.Thread.join, []

    def impatient(self, timeout=None):
        if self.name == "torquec loop" and len(interrupts) < 5:
            interrupts.append(timeout)
            raise KeyboardInterrupt
        join(self, timeout)

    monkeypatch.setattr(threading.Thread, "join", impatient)
    result = run(ROBOT, LAW, MOTION, options=RunOptions(duration=30.0))
    assert len(interrupts) == 5
    assert result.end is RunEnd.ENDED
    assert (result.log.tau[-1] == 0.0).all()


def test_an_error_in_the_report_stops_the_robot_first():
    def broken(_status):
        raise RuntimeError("no terminal")

    with pytest.raises(RuntimeError, match="no terminal"):
        run(ROBOT, LAW, MOTION, options=RunOptions(duration=30.0), report=broken)


def test_without_the_log():
    result = virtual(options=RunOptions(keep_log=False))
    assert len(result.log) == 0
    assert result.status.counts["cycles"] > 300


def test_what_the_system_refuses_is_said():
    struct = LoopStruct()
    assert system_notes(struct) == ()
    struct.scheduling_error, struct.memory_error = 1, 12
    notes = system_notes(struct)
    assert "SCHED_FIFO was refused (EPERM" in notes[0]
    assert "ulimit -r" in notes[0]
    assert "memory is not locked (ENOMEM" in notes[1]


def test_misuse():
    other = tq.classics.planar3r()
    with pytest.raises(tq.ArgumentError, match="the joints of the controller are"):
        run(other, LAW, MOTION, robot=VIRTUAL, guards=Guards(torque=1.0))
    with pytest.raises(tq.ArgumentError, match=r"made for 0\.001 s"):
        virtual(options=RunOptions(period=0.002))
    with pytest.raises(tq.ArgumentError, match="a priority of 100"):
        RunOptions(priority=100)
    with pytest.raises(tq.ArgumentError, match="watchdog is 0"):
        RunOptions(watchdog=0.0)
    with pytest.raises(tq.ArgumentError, match="deadlines"):
        RunOptions(deadline="somebody")
    with pytest.raises(AttributeError, match="no attribute 'walk'"):
        _ = torquec.realtime.walk
