"""Bounds are never below an error that can be found: samples and local searches over random robots and errors."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from tests.parameters.serial_arms import random_arm

from torquec.dynamics.mechanism import mechanism
from torquec.model.model import Model, compile
from torquec.model.simplified import simplify
from torquec.proof.torque.certify import certify
from torquec.robot.robot import Limits
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.specification import parse_specification
from torquec.trajectory.motion_box import MotionBox

CHUNK = 20_000
CLIMBERS = 100
STEPS = 60
TRIALS = 12


def drawn_arms(count, most_joints):
    """Random arms of two to `most_joints` joints, revolute and prismatic, with limits."""
    seed = 100
    while count:
        robot = random_arm(seed)
        seed += 1
        if 2 <= robot.n <= most_joints:
            count -= 1
            yield seed - 1, _limited(robot, np.random.default_rng(seed))


def _limited(robot, rng):
    bodies = []
    for body in robot.bodies:
        centre, width = rng.uniform(-1.0, 1.0), rng.uniform(0.5, 5.0)
        if body.joint.type.is_prismatic:
            centre, width = 0.3 * centre, 0.2 * width
        limits = Limits(lower=centre - 0.5 * width, upper=centre + 0.5 * width, velocity=float(rng.uniform(0.5, 4.0)))
        bodies.append(replace(body, joint=replace(body.joint, limits=limits)))
    return replace(robot, bodies=tuple(bodies))


def drawn_specification(robot, rng):
    """Torque errors of 2 to 15 % of the largest torque of each joint."""
    arm = compile(robot)
    limits = [joint.limits for joint in robot.joints]
    speed = np.array([limit.velocity for limit in limits])
    acceleration = float(rng.uniform(1.0, 8.0))
    q = rng.uniform([limit.lower for limit in limits], [limit.upper for limit in limits], (4000, robot.n))
    signs = rng.choice([-1.0, 1.0], (2, *q.shape))
    largest = np.abs(arm.inverse_dynamics(q, signs[0] * speed, signs[1] * acceleration)).max(axis=0)
    part = rng.uniform(0.02, 0.15)
    lines = [f"[every_joint]\nacceleration = {acceleration}"]
    for joint, torque in zip(robot.joints, largest, strict=True):
        lines.append(f'[[joint]]\nname = "{joint.name}"\ntorque_error = {max(part * torque, 1e-3 * largest.max())}')
    return parse_specification("\n".join(lines), robot)


def drawn_reduction(robot, rng):
    """A program with some mass moments left out and the others a little wrong, and its certificate."""
    m = mechanism(robot)
    moments = [
        type(one)(*(value * rng.choice([0.0, rng.uniform(0.9, 1.1), 1.0]) for value in one.values)) for one in m.moments
    ]
    program = torque_program(replace(m, moments=tuple(moments)))
    limits = [joint.limits for joint in robot.joints]
    box = MotionBox(
        tuple(limit.lower for limit in limits),
        tuple(limit.upper for limit in limits),
        tuple(limit.velocity for limit in limits),
        tuple(rng.uniform(1.0, 8.0, robot.n)),
    )
    return Model(robot, {"inverse_dynamics": program}, record=certify(robot, torque_program(m), program, box))


def drawn_simplification(robot, rng):
    """What `simplify` makes of a random specification."""
    return simplify(robot, drawn_specification(robot, rng))


def largest_found(model, samples, rng):
    """The largest error of each joint (n,) at samples and after local searches from the worst of them."""
    exact, box = compile(model.robot), model.record.motions
    lower, upper = np.array(box.lower), np.array(box.upper)
    speed, acceleration = np.array(box.velocity), np.array(box.acceleration)
    low = np.concatenate([lower, -speed, -acceleration])
    high = np.concatenate([upper, speed, acceleration])
    n = model.robot.n

    def error(states):
        # Native batches take contiguous rows.
        q, qd, qdd = (np.ascontiguousarray(states[:, k * n : (k + 1) * n]) for k in range(3))
        return np.abs(exact.inverse_dynamics(q, qd, qdd) - model.inverse_dynamics(q, qd, qdd))

    worst = np.zeros((n, 0)), np.zeros((n, 0, 3 * n))
    for start in range(0, samples, CHUNK):
        states = low + rng.random((min(CHUNK, samples - start), 3 * n)) * (high - low)
        # Half of the samples go to the corners in speeds and accelerations, where errors are largest.
        corners = states[::2, n:]
        states[::2, n:] = np.where(corners > 0.0, high[n:], low[n:])
        found = error(states).T
        keep = np.argpartition(-found, 4, axis=1)[:, :4]
        values = np.concatenate([worst[0], np.take_along_axis(found, keep, 1)], axis=1)
        places = np.concatenate([worst[1], states[keep]], axis=1)
        order = np.argsort(-values, axis=1)[:, :CLIMBERS]
        worst = np.take_along_axis(values, order, 1), np.take_along_axis(places, order[..., None], 1)
    best = worst[0].max(axis=1)
    for joint in range(n):
        points = worst[1][joint]
        step = 0.1 * (high - low)
        for _ in range(STEPS):
            trials = points[:, None] + step * rng.standard_normal((len(points), TRIALS, 3 * n))
            trials = np.clip(trials, low, high)
            trials[:, 0] = points
            values = error(trials.reshape(-1, 3 * n))[:, joint].reshape(len(points), TRIALS)
            points = trials[np.arange(len(points)), values.argmax(axis=1)]
            best[joint] = max(best[joint], values.max())
            step = 0.9 * step
    return best


def check(reduce, seeds_and_robots, samples):
    """The ratios bound/found over all models and joints with an error; none is below one."""
    ratios = []
    for seed, robot in seeds_and_robots:
        rng = np.random.default_rng(seed)
        model = reduce(robot, rng)
        found = largest_found(model, samples, rng)
        bounds = np.array([proof.bound for proof in model.record.joints.values()])
        assert np.all(found <= bounds), (robot.name, found, bounds)
        ratios += [b / f for b, f in zip(bounds, found, strict=True) if f > 1e-7]  # others are exact
    return ratios


def test_bounds_of_some_models():
    ratios = check(drawn_reduction, drawn_arms(4, 3), 50_000)
    ratios += check(drawn_simplification, drawn_arms(1, 2), 50_000)
    assert len(ratios) >= 8
    assert max(ratios) < 1.5


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_bounds_of_forty_reductions(part):
    tell(check(drawn_reduction, list(drawn_arms(40, 5))[part::4], 10_000_000))


@pytest.mark.slow
def test_bounds_of_ten_simplified_models():
    tell(check(drawn_simplification, drawn_arms(10, 2), 10_000_000))


def tell(ratios):
    sys.stdout.write(f"\nbound/found of {len(ratios)} joints: {min(ratios):.4f} to {max(ratios):.4f}\n")
    assert min(ratios) >= 1.0
