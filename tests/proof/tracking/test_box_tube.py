"""A guarantee for every reference in a box: random references that keep its limits never exceed it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.control.guaranteed_models import claimed
from tests.control.held_loop import HeldLoop, shares

import torquec as tq
from torquec.control.tracking_guarantee import tracking_guarantee
from torquec.robot.classics import load_classic
from torquec.trajectory.fourier_motion import fourier_motion


def arm(part=0.0005, **box):
    robot = load_classic("scara")
    bounds = part * np.array([joint.limits.effort for joint in robot.joints])
    lower, upper = (-1.5, -1.5, -0.2, -3.2), (1.5, 1.5, 0.0, 3.2)
    return robot, bounds, claimed(robot, bounds, lower=lower, upper=upper, **{"velocity": 1.5, **box})


def reference(rng, robot, limits):
    """A wave within the limits, one of which it reaches in every joint."""
    a, b = rng.normal(size=(2, robot.n, 2))
    middle = [0.5 * (x.lower + x.upper) if np.isfinite(x.lower) else 0.3 for x in limits]
    rate = rng.uniform(2.0, 8.0)
    wave = fourier_motion(np.zeros(robot.n), a, b, base_period=2.0 * np.pi / rate)
    keys = ("q", "qd", "qdd")
    state = wave.at(np.linspace(0.0, wave.duration, 2000))
    reached = [np.abs(getattr(state, key)).max(axis=0) for key in keys] + [wave.motion.jerk_bound]
    allowed = (
        [0.5 * (x.upper - x.lower) for x in limits],
        *zip(*((x.velocity, x.acceleration, x.jerk) for x in limits), strict=True),
    )
    scale = 0.999 * np.min(np.array(allowed) / np.array(reached), axis=0)[:, None]
    return fourier_motion(middle, scale * a, scale * b, base_period=2.0 * np.pi / rate, joints=robot.joint_names)


def test_no_reference_within_the_limits_exceeds_it():
    robot, bounds, model = arm()
    period = 0.002
    given = tracking_guarantee(model, -25, period=period)
    assert given.valid, given.reason
    assert [x.joint for x in given.references] == list(robot.joint_names)
    assert np.isinf(given.references[3].upper)  # a whole turn: no limit
    rng = np.random.default_rng(4)
    inertia = tq.compile(robot).mass_matrix
    used = np.zeros((5, 4))
    for k in range(4):
        motion = reference(rng, robot, given.references)

        def push(t, q, joint=k):
            return bounds * np.sign(np.linalg.inv(inertia(q))[joint])

        loop = HeldLoop(robot, tq.compile(robot).inverse_dynamics, -25, period, substeps=2, added=push)
        used = np.maximum(used, shares(given, loop.run(motion)))
        along = tracking_guarantee(model, -25, motion, period=period)
        assert along.valid, along.reason
        assert all(a.position <= b.position for a, b in zip(along.joints, given.joints, strict=True))
    assert np.all(used <= 1.0), used.round(3)
    assert np.all(used[0] >= 0.15), used.round(3)


def test_it_is_a_document():
    _, _, model = arm()
    document = json.loads(json.dumps(tracking_guarantee(model, -25).to_document(), allow_nan=False))
    assert document["references"]["quill"]["upper"] < 0.0
    assert document["references"]["roll"]["upper"] is None
    assert document["references"]["shoulder"]["jerk"] == 100.0


def test_reasons():
    robot, _, model = arm()
    assert "give a trajectory" in tracking_guarantee(robot, -25, period=0.002).reason
    _, _, wrong = arm(part=0.02)
    assert "no reference is left" in tracking_guarantee(wrong, -25, period=0.002).reason
    weak = tracking_guarantee(model, -25, efforts=[1.0, 50.0, 250.0, 10.0])
    assert "the torque of joint 'shoulder' may reach" in weak.reason
    slow = tracking_guarantee(model, -2, period=0.1)
    assert not slow.valid
    assert slow.joints == slow.references == ()


@pytest.mark.parametrize("period", [None, 0.001])
def test_a_larger_jerk_only_matters_with_sampling(period):
    _, _, model = arm()
    calm, lively = (tracking_guarantee(model, -25, period=period, jerk=jerk) for jerk in (10.0, 300.0))
    grown = [b.position / a.position for a, b in zip(calm.joints, lively.joints, strict=True)]
    assert min(grown) > 1.01 if period else max(grown) == 1.0
