"""Friction with memory: the law of the fits sample by sample, passive on any motion, and the same in C."""

from __future__ import annotations

import ctypes
import dataclasses
import shutil
import subprocess

import numpy as np
import pytest

import torquec as tq
from torquec.dynamics.friction_memory import (
    bent_direction,
    friction_start,
    friction_step,
    has_memory,
    memory_size,
    total_torque_step,
)
from torquec.errors import RobotError
from torquec.robot.friction import Friction
from torquec.robot.robot import BASE, Body, Drives, JointType, Motor, Robot
from torquec.spatial import Inertia

WIDTH = 0.01
COULOMB = {"coulomb_positive": 3.0, "coulomb_negative": 2.0, "viscous": 0.5, "turnover_distance": WIDTH}
RICH = {**COULOMB, "stribeck": 2.0, "stribeck_speed": 0.2, "load": 0.3}


def arm(words, *, motor=False):
    robot = tq.classics.planar2r()
    bodies = tuple(
        dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction.of(words)))
        for body in robot.bodies
    )
    drives = Drives((Motor("both", 0.0, Friction.of(words)),), ((1.0, 0.5),)) if motor else robot.drives
    return dataclasses.replace(robot, bodies=bodies, drives=drives)


def walk(seed, steps=4000, size=2e-3):
    """Random positions and speeds that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.normal(scale=size, size=(steps, 2)), axis=0), rng.normal(scale=0.3, size=(steps, 2))


def test_one_step_by_hand():
    """Half a turnover distance forwards from rest, then a whole one backwards."""
    robot = arm({"coulomb": 2.0, "turnover_distance": WIDTH})
    state = friction_start(robot, [0.1, 0.2])
    assert state == [0.1, 0.2, 0.0, 0.0, 0.0, 0.0]
    way = WIDTH * np.log(2.0)
    found = friction_step(robot, [0.1 + way, 0.2], [1.0, 0.0], state)
    assert found.tau == pytest.approx([2.0 * 0.5, 0.0])
    assert found.next_state == pytest.approx([0.1 + way, 0.2, 0.5, 0.0, 0.5 * WIDTH * 2.0 * 0.25, 0.0])
    back = friction_step(robot, [0.1, 0.2], [-1.0, 0.0], found.next_state)
    assert back.tau == pytest.approx([2.0 * (-1.0 + 1.5 * 0.5), 0.0])


def test_the_law_of_the_fits():
    """Along a path: the direction of `CoulombShape`, whatever the samples between reversals."""
    robot = arm({"coulomb": 2.0, "turnover_distance": WIDTH})
    t = np.linspace(0.0, 3.0, 900)
    q = np.column_stack([0.3 * np.sin(4.0 * t), 0.02 * np.cos(9.0 * t)])
    qd = np.gradient(q, t, axis=0)
    state, found = friction_start(robot, q[0].tolist()), []
    for place, speed in zip(q.tolist(), qd.tolist(), strict=True):
        step = friction_step(robot, place, speed, state)
        found.append(step.tau)
        state = step.next_state
    expected = 2.0 * np.column_stack([bent_direction(x, WIDTH, 0.0) for x in q.T])
    assert np.array(found) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("motor", [False, True])
@pytest.mark.parametrize("words", [COULOMB, RICH])
def test_it_is_passive(words, motor):
    """Random walks with unrelated speeds and loads: dry friction never gives more work than it has stored."""
    robot = arm({name: value for name, value in words.items() if name != "viscous"}, motor=motor)
    step = tq.compile(robot).native("total_torque_step")
    still = tq.compile(robot).native("inverse_dynamics")
    q, qd = walk(1)
    qdd = np.random.default_rng(2).normal(scale=30.0, size=q.shape)
    state, work, least = np.array(friction_start(robot, q[0].tolist())), 0.0, 0.0
    for k in range(1, len(q)):
        tau, state = step.call(q[k], qd[k], qdd[k], state)
        work += float((tau - still(q[k], qd[k], qdd[k])) @ (q[k] - q[k - 1]))
        least = min(least, work)
        assert np.all(state[-(memory_size(robot) // 3) :] >= 0.0)
    assert least >= -1e-9
    assert work > 1.0


def test_without_the_limit_a_varying_level_gives_energy():
    """The pump that the stored energy stops: bent under a small level, released under a large one."""
    robot = arm({"coulomb": 0.1, "stribeck": 5.0, "stribeck_speed": 0.01, "turnover_distance": WIDTH})
    state, work = friction_start(robot, [0.0, 0.0]), 0.0
    for _ in range(50):
        for place, speed in ((0.2 * WIDTH, 1.0), (0.0, -1e-6)):
            before = state[0]
            step = friction_step(robot, [place, 0.0], [speed, 0.0], state)
            work += step.tau[0] * (place - before)
            state = step.next_state
            assert work >= -1e-12


def test_a_robot_without_memory_is_as_before():
    robot = tq.classics.puma560()
    assert not has_memory(robot)
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 6)).tolist()
    step = total_torque_step(robot, q, qd, qdd, friction_start(robot, [0.0] * 6))
    assert step.tau == pytest.approx(tq.compile(robot).total_torque(q, qd, qdd))
    assert "friction_step" not in tq.compile(robot).served()
    assert {"friction_start", "friction_step", "total_torque_step"} <= set(tq.compile(arm(COULOMB)).served())


def test_joints_of_many_coordinates_are_refused():
    free = dataclasses.replace(tq.classics.planar2r().bodies[0].joint, type=JointType.FREE)
    robot = Robot("free", (Body("body", BASE, free, Inertia(m=1.0, xx=1.0, yy=1.0, zz=1.0)),))
    with pytest.raises(RobotError, match="not a single number"):
        friction_start(robot, [0.0] * 7)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_same_in_c(tmp_path):
    robot = arm(RICH, motor=True)
    model = tq.compile(robot)
    tq.generate(model, tmp_path, prefix="arm")
    header = (tmp_path / "arm.h").read_text()
    assert "friction_step" in header
    assert "passive" in header
    library = tmp_path.parent / "arm.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, tmp_path / "arm.c", "-lm"], check=True)
    code, size = ctypes.CDLL(str(library)), memory_size(robot)
    q, qd = walk(4, 200)
    state, ours = np.empty(size), np.array(friction_start(robot, q[0].tolist()))
    pointer = [np.ctypeslib.ndpointer(dtype=np.float64)]
    code.arm_friction_start.argtypes, code.arm_total_torque_step.argtypes = pointer * 2, pointer * 6
    code.arm_friction_start(q[0], state)
    for k in range(len(q)):
        tau, after = np.empty(2), np.empty(size)
        code.arm_total_torque_step(q[k], qd[k], qd[k], state, tau, after)
        step = total_torque_step(robot, q[k].tolist(), qd[k].tolist(), qd[k].tolist(), ours.tolist())
        state, ours = after, np.array(step.next_state)
        assert tau == pytest.approx(step.tau, abs=1e-12)
        assert state == pytest.approx(ours, abs=1e-12)
