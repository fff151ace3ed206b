"""Drivers: the simulated plant, shared memory with a robot in another thread, and C libraries that lie."""

from __future__ import annotations

import dataclasses
import math
import threading
import uuid

import numpy as np
import pytest
from tests.codegen.c.compiler import COMPILERS, build, needs_compiler
from tests.realtime.runtime.c_runtime import write_sources

import torquec as tq
from torquec.realtime.runtime.drivers import LibraryRobot, SharedMemoryRobot, SharedRobot, SimulatedRobot, native_plant
from torquec.realtime.runtime.guards import Fault, Guards, RunEnd
from torquec.realtime.runtime.run import RunOptions, run

pytestmark = needs_compiler

PERIOD = 0.002
ROBOT = tq.classics.planar2r()
LAW = tq.computed_torque(ROBOT, -20.0, period=PERIOD)
MOTION = tq.minimum_jerk([0.0, 0.0], [0.1, -0.1], 0.2, joints=ROBOT.joint_names, period=PERIOD)
PATIENT = Guards(longest_gap=60.0, longest_blind=60.0, oldest_state=60.0)
"""The machine that runs tests may pause; what is tested is not how long."""


# --- the simulated robot --------------------------------------------------------------------------


@pytest.mark.parametrize("friction", ["smooth", "stick"])
def test_a_plant_with_another_load_and_friction(friction):
    heavy = tq.attach_payload(ROBOT, ROBOT.frames[-1].name, mass=0.5)
    plant = tq.Plant(heavy, friction=friction)
    result = run(ROBOT, LAW, MOTION, robot=SimulatedRobot(plant, clock="virtual", substeps=2))
    assert result.end is RunEnd.ENDED


def test_a_plant_of_other_joints_is_refused():
    with pytest.raises(tq.ArgumentError, match="the joints of the plant"):
        run(ROBOT, LAW, MOTION, robot=SimulatedRobot(tq.classics.scara(), clock="virtual"))
    with pytest.raises(tq.ArgumentError, match="a start of shape"):
        run(ROBOT, LAW, MOTION, robot=SimulatedRobot(start=[0.0], clock="virtual"))
    with pytest.raises(tq.ArgumentError, match="clock"):
        run(ROBOT, LAW, MOTION, robot=SimulatedRobot(clock="sundial"))


def test_the_plant_falls_as_it_must():
    """From rest and without torque, the first step of gravity: q = h^2/2 qdd, of the model's own acceleration."""
    h = 1e-4
    step = native_plant(tq.Plant(ROBOT, friction="none"), h)
    moved = step.call([0.3, 0.2, 0.0, 0.0], [0.0, 0.0])
    qdd = tq.compile(ROBOT).forward_dynamics([0.3, 0.2], [0.0, 0.0], [0.0, 0.0])
    assert np.allclose(moved[2:], h * qdd, rtol=1e-5, atol=0.0)


# --- shared memory --------------------------------------------------------------------------------


def other_process(name, stop_after=None, *, wrong=None):
    """What a user's process does: a robot that integrates, one sample a period."""
    import time

    step = native_plant(tq.Plant(ROBOT), PERIOD)
    state, tau, count = np.zeros(4), np.zeros(2), 0
    with SharedRobot(name, 2) as robot:
        while not robot.is_stopped and count < 3000:
            state = step.call(state, tau)
            count += 1
            seen = state.copy()
            if wrong is not None and count > 50:
                seen = wrong(seen)
            if stop_after is None or count < stop_after:
                robot.publish(seen[:2], seen[2:])
            taken = robot.take()
            tau = tau if taken is None else taken
            time.sleep(PERIOD)


UNTIMED = dataclasses.replace(PATIENT, slack=1e3, resolution=math.inf, unmoved=math.inf)
"""The robot below lags behind the clock where the machine pauses: its positions then move less than its speeds say."""


def shared_run(guards=UNTIMED, options=RunOptions(), **other):  # noqa: B008 - frozen
    name = f"torquec-test-{uuid.uuid4().hex[:12]}"
    thread = threading.Thread(target=other_process, args=(name,), kwargs=other)
    thread.start()
    try:
        return run(ROBOT, LAW, MOTION, robot=SharedMemoryRobot(name), guards=guards, options=options)
    finally:
        thread.join()


@pytest.mark.parametrize("deadline", ["timer", "driver"])
def test_a_robot_in_another_process(deadline):
    # The motion takes 0.2 s; the longer the run, the less a pause of the machine takes of it.
    result = shared_run(options=RunOptions(deadline=deadline, duration=2.0))
    assert result.end is RunEnd.ENDED, result.failed
    assert np.isfinite(result.log.q).any(axis=1).sum() > 20
    assert (np.abs(result.log.tau) <= result.limits.torque).all()


def test_a_robot_that_falls_silent_is_stopped():
    patient = dataclasses.replace(UNTIMED, longest_blind=0.05)
    result = shared_run(patient, RunOptions(duration=20.0), stop_after=30)
    assert result.end is RunEnd.FAULT
    assert Fault.STATE_MISSING in result.first_faults
    assert "its process" in result.failed


def test_a_robot_that_sends_no_numbers_is_stopped():
    result = shared_run(UNTIMED, RunOptions(duration=20.0), wrong=lambda seen: seen * np.nan)
    assert Fault.STATE_NOT_FINITE in result.first_faults
    assert np.isfinite(result.log.tau).all()


def test_a_robot_that_never_comes_is_not_started():
    name = f"torquec-test-{uuid.uuid4().hex[:12]}"
    result = run(ROBOT, LAW, MOTION, robot=SharedMemoryRobot(name), options=RunOptions(start_patience=0.1))
    assert result.end is RunEnd.NOT_STARTED
    assert result.first_faults == Fault.STATE_MISSING


def test_names_of_shared_memory():
    with pytest.raises(tq.ArgumentError, match="names no shared memory"):
        SharedMemoryRobot("a/b")
    with (
        pytest.raises(tq.ArgumentError, match="no shared memory of 2 joints"),
        SharedRobot("torquec-none", 2, patience=0.01),
    ):
        pass


# --- libraries ------------------------------------------------------------------------------------

DRIVER = """
#include "torquec_driver.h"
#include <stddef.h>
#include <time.h>
static int64_t skew;
static int reads;
static int64_t now(void *self) {
    struct timespec t;
    (void)self;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec*1000000000 + t.tv_nsec + skew;
}
static int rd(void *self, torquec_sample *s) {
    int k;
    ++reads;
    for (k = 0; k < 2; ++k) { s->q[k] = 0.0; s->qd[k] = 0.0; }
    s->time = now(self);
    LIE
    return 0;
}
static int wr(void *self, const double *tau) { (void)self; (void)tau; return 0; }
static int aw(void *self, int64_t latest) { (void)self; (void)latest; return 0; }
static void st(void *self) { (void)self; }
int torquec_open_driver(torquec_driver *d, int64_t joints);
void torquec_close_driver(torquec_driver *d);
int torquec_open_driver(torquec_driver *d, int64_t joints) {
    d->self = NULL; d->joints = JOINTS; d->read = rd; d->write = wr; d->clock = now; d->await = aw;
    d->sleep_until = NULL; d->stop = st; reads = 0; skew = 0;
    return joints == 2 ? 0 : 1;
}
void torquec_close_driver(torquec_driver *d) { (void)d; }
"""


STANDING = dataclasses.replace(PATIENT, resolution=math.inf, unmoved=math.inf)
"""The robot above stands still whatever it is told."""


def library(tmp_path, lie="", joints="2"):
    write_sources(tmp_path)
    source = tmp_path / "lying.c"
    source.write_text(DRIVER.replace("LIE", lie).replace("JOINTS", joints))
    build(COMPILERS[0], "-std=gnu11", "-shared", "-fPIC", f"-I{tmp_path}", source, "-o", tmp_path / "lying.so")
    return LibraryRobot(tmp_path / "lying.so")


@pytest.mark.parametrize(
    ("lie", "fault"),
    [
        ("if (reads > 20) s->qd[0] = 2.0;", Fault.STATE_INCONSISTENT),
        ("if (reads > 20) s->q[1] = 1.0;", Fault.STATE_JUMP),
        ("if (reads > 20) s->time += 1000000000;", Fault.STATE_STALE),
        ("if (reads > 20) s->time = 12345;", Fault.STATE_STALE),
        ("if (reads == 20) skew = -5000000000;", Fault.CLOCK),
        ("if (reads == 20) skew = 90000000000;", Fault.OVERRUN),
        ("if (reads > 20) return 77;", Fault.DRIVER),
    ],
)
def test_a_driver_that_lies_is_found_out(tmp_path, lie, fault):
    result = run(ROBOT, LAW, MOTION, robot=library(tmp_path, lie), guards=STANDING, options=RunOptions(duration=5.0))
    assert result.end is RunEnd.FAULT
    assert fault in result.first_faults
    assert np.isfinite(result.log.tau).all()
    assert (result.log.tau[-1] == 0.0).all()


@pytest.mark.parametrize(
    ("lie", "given"),
    [
        ("", {"unmoved": 0.01}),  # speeds that are differences of positions stand still with them
        ("if (reads > 5) s->qd[0] = 1.9;", {"resolution": 0.002}),
    ],
)
def test_positions_that_never_change_are_frozen(tmp_path, lie, given):
    guards = dataclasses.replace(STANDING, slack=1e3, **given)
    result = run(ROBOT, LAW, MOTION, robot=library(tmp_path, lie), guards=guards)
    assert result.first_faults == Fault.STATE_FROZEN
    assert "encoder" in result.failed


def test_a_driver_that_gives_cycles_without_end_is_stopped(tmp_path):
    guards = dataclasses.replace(STANDING, longest_gap=5.0)  # a pause of the machine is shorter
    endless = RunOptions(deadline="driver", duration=60.0)
    result = run(ROBOT, LAW, MOTION, robot=library(tmp_path), guards=guards, options=endless)
    assert Fault.CLOCK in result.first_faults


def test_missed_cycles_are_left_out_and_not_made_up_for(tmp_path):
    pause = "if (reads == 20) { struct timespec t = {0, 50000000}; nanosleep(&t, NULL); s->time = now(self); }"
    result = run(ROBOT, LAW, MOTION, robot=library(tmp_path, pause), guards=STANDING)
    log = result.log
    assert result.end is RunEnd.ENDED
    assert result.status.counts["missed"] >= 20
    ended = log.woke + log.durations.sum(axis=1)
    assert (log.planned[1:] > ended[:-1]).all()  # no cycle is planned for a time that is over
    assert ((log.planned[1:] - log.planned[:-1]) % round(PERIOD * 1e9) == 0).all()  # and all of them are on the grid


def test_a_driver_with_other_joints(tmp_path):
    result = run(ROBOT, LAW, MOTION, robot=library(tmp_path, joints="3"))
    assert result.end is RunEnd.OTHER_JOINTS
    assert "another number of joints" in result.failed


def test_no_driver(tmp_path):
    with pytest.raises(tq.ArgumentError, match="no driver"):
        run(ROBOT, LAW, MOTION, robot=LibraryRobot(tmp_path / "nothing.so"))
    scara = tq.classics.scara()
    law = tq.computed_torque(scara, -20.0, period=PERIOD)
    motion = tq.minimum_jerk([0.0] * 4, [0.0, 0.0, -0.1, 0.0], 0.2, joints=scara.joint_names, period=PERIOD)
    with pytest.raises(tq.ArgumentError, match="could not be opened"):
        run(scara, law, motion, robot=library(tmp_path))
