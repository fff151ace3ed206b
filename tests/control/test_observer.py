"""Momentum observer: it finds a push without offset, is silent without one, and says where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.control.closed_loop import run

import torquec as tq
from torquec.control.computed_torque import computed_torque
from torquec.control.model_terms import FrictionAt, FrictionCompensation
from torquec.control.observer import momentum_observer
from torquec.errors import ArgumentError
from torquec.robot.friction import Friction
from torquec.trajectory import minimum_jerk

ARM = tq.classics.puma560()
NO_FRICTION = FrictionCompensation(FrictionAt.NOTHING)
PERIOD = 0.001


def frictionless():
    bodies = tuple(replace(b, joint=replace(b.joint, friction=Friction())) for b in ARM.bodies)
    return replace(ARM, bodies=bodies)


def observed(push, thresholds=None):
    robot = frictionless()
    motion = minimum_jerk(np.zeros(6), [0.5, -0.4, 0.6, 0.3, 0.4, 0.2], 0.5, period=PERIOD)
    controller = computed_torque(robot, -12 + 20j, friction=NO_FRICTION)
    q, qd, tau = run(robot, controller, motion, substeps=2, external=push)
    observer = momentum_observer(robot, bandwidth=50.0, period=PERIOD, thresholds=thresholds)
    state = observer.state_at(q[0], qd[0])
    external, hits = [], []
    for k in range(len(q)):
        held = tau[k - 1] if k else np.zeros(6)
        found, hit, state = observer.native.call(q[k], qd[k], held, state)
        external.append(found)
        hits.append(hit)
    return np.array(external), np.array(hits)


def test_without_a_push_it_stays_silent():
    external, hits = observed(np.zeros(6), thresholds=np.full(6, 0.5))
    assert np.abs(external).max() < 1e-4
    assert not np.any(hits)


def test_it_follows_a_push_without_offset():
    push = np.array([5.0, -4.0, 3.0, 0.5, -0.4, 0.3])
    external, hits = observed(push, thresholds=np.full(6, 2.0))
    assert external[-1] == pytest.approx(push, abs=0.02)
    # a first-order answer with the bandwidth asked for
    expected = push * (1.0 - np.exp(-50.0 * PERIOD * 20))
    assert external[20] == pytest.approx(expected, abs=0.1)
    assert hits[-1].tolist() == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]


def test_refusals():
    with pytest.raises(ArgumentError, match="a bandwidth of 0"):
        momentum_observer(ARM, bandwidth=0.0, period=0.001)
    with pytest.raises(ArgumentError, match="thresholds"):
        momentum_observer(ARM, bandwidth=1.0, period=0.001, thresholds=[1.0])
