"""Levels under uncertainty: accelerations of sampled robots in the sets stay below, and parameters come close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.control.model_terms import Evaluation, FrictionCompensation
from torquec.control.uncertainty_sets import payload_cells, plant_uncertainty
from torquec.dynamics import friction_torque, inverse_dynamics, mass_matrix
from torquec.expr import trace
from torquec.proof.tracking.acceleration_bound import AccelerationBound, CloserAccelerationBound, MotionBoxes
from torquec.proof.tracking.plant_uncertainty import ActingErrors, body_directions
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives
from torquec.spatial import Inertia


def sets_of(model, stated, *, evaluation=Evaluation.MEASURED):
    n = model.robot.n
    return plant_uncertainty(
        model,
        stated,
        model.robot,
        feedback=(np.full(n, 400.0), np.full(n, 40.0)),
        period=1e-3,
        evaluation=evaluation,
        friction=FrictionCompensation(),
        efforts=np.array([joint.limits.effort for joint in model.robot.joints]),
    )


def point_boxes(q, qd, qdd, wide=0.0):
    return MotionBoxes(*(np.array([x + sign * wide]) for x in (q, qd, qdd) for sign in (-1.0, 1.0)))


EMPTY = np.zeros((1, 2, 0))


def errors_at(sets, bound, q, qd, v, *, cells=EMPTY, cell=None):
    """The largest of all cells, or those of one, at a point."""
    boxes, zero = point_boxes(q, qd, v), np.zeros((len(cells), 1, len(q)))
    inverse = bound.inverse(bound.inertia(boxes.q_lower, boxes.q_upper))
    G, paths, _ = sets.frozen(bound, cells, np.array([q]))
    found = sets.plant_errors(inverse, boxes, cells, (G, paths), ActingErrors(zero, zero, zero))
    sizes = {
        cause: each.level + np.abs(each.high) + (np.abs(paths) @ each.torque[..., None])[..., 0]
        for cause, each in found.items()
    }
    return {cause: (values.max(axis=0) if cell is None else values[cell])[0] for cause, values in sizes.items()}


def perturbed(robot, parts):
    bodies = tuple(
        replace(
            body, inertia=Inertia(*(x * (1.0 + part) for x, part in zip(body.inertia.parameters, row, strict=True)))
        )
        for body, row in zip(robot.bodies, parts, strict=True)
    )
    return replace(robot, bodies=bodies)


@pytest.mark.parametrize("kind", [AccelerationBound, CloserAccelerationBound])
def test_robots_with_other_masses_accelerate_within_the_level(kind):
    robot = tq.classics.puma560()
    sets = sets_of(tq.compile(robot), tq.Uncertainty(bodies=tq.BodyUncertainty(0.05, 0.05, 0.05)))
    rng = np.random.default_rng(3)
    worst = 0.0
    for _ in range(4):
        q, qd, v = rng.uniform(-1.0, 1.0, (3, robot.n))
        tau = np.array(inverse_dynamics(robot, q, qd, v))
        reached = []
        for _ in range(60):
            other = perturbed(robot, 0.05 * rng.choice([-1.0, 1.0], (len(robot.bodies), 10)))
            missing = tau - np.array(inverse_dynamics(other, q, qd, v))
            reached.append(np.abs(np.linalg.solve(np.array(mass_matrix(other, q)), missing)))
        reached = np.array(reached)
        found = errors_at(sets, kind(robot), q, qd, v)["bodies"]
        assert np.all(reached <= found)
        worst = max(worst, float((reached.max(axis=0) / found).max()))
    assert worst > 0.3


def test_a_payload_in_the_set_accelerates_within_the_level():
    robot = tq.classics.puma560()
    frame = robot.frames[-1].name
    nominal = tq.attach_payload(robot, frame, mass=0.5)
    stated = tq.Uncertainty(payload=tq.PayloadUncertainty(frame, (0.0, 1.0), 0.05, nominal_mass=0.5))
    sets = sets_of(tq.compile(nominal), stated)
    rng = np.random.default_rng(5)
    for _ in range(20):
        q, qd, v = rng.uniform(-1.0, 1.0, (3, robot.n))
        mass, centre = rng.uniform(0.0, 1.0), rng.normal(size=3)
        centre *= 0.05 * rng.uniform() / np.linalg.norm(centre)
        true = tq.attach_payload(robot, frame, mass=mass, center=tuple(centre))
        missing = np.array(inverse_dynamics(nominal, q, qd, v)) - np.array(inverse_dynamics(true, q, qd, v))
        found = np.abs(np.linalg.solve(np.array(mass_matrix(true, q)), missing))
        cells = payload_cells(stated.payload, 2, 2)
        assert np.all(found <= errors_at(sets, AccelerationBound(nominal), q, qd, v, cells=cells)["payload"])


def test_cells_cover_the_payload_and_their_errors_its_own():
    """Of a payload of known mass and centre: some cell holds its parameters, and bounds its acceleration error."""
    robot = tq.classics.puma560()
    frame = robot.frames[-1].name
    nominal = tq.attach_payload(robot, frame, mass=0.5)
    held = tq.PayloadUncertainty(frame, (0.0, 1.0), 0.05, nominal_mass=0.5)
    sets = sets_of(tq.compile(nominal), tq.Uncertainty(payload=held))
    cells, rng = payload_cells(held, 4, 4), np.random.default_rng(6)
    tight = []
    for _ in range(12):
        q, qd, v = rng.uniform(-1.0, 1.0, (3, robot.n))
        mass, centre = rng.uniform(0.6, 1.0), rng.normal(size=3)
        centre *= 0.05 / np.linalg.norm(centre)
        true = tq.attach_payload(robot, frame, mass=mass, center=tuple(centre))
        point = Inertia.from_center_of_mass(mass, tuple(centre), ((0.0,) * 3,) * 3).parameters
        beyond = np.array(point) - np.array([*[0.0] * 9, 0.5])
        inside = np.all(np.abs(beyond - cells[:, 0]) <= cells[:, 1], axis=1)
        assert inside.any()
        missing = np.array(inverse_dynamics(nominal, q, qd, v)) - np.array(inverse_dynamics(true, q, qd, v))
        found = np.abs(np.linalg.solve(np.array(mass_matrix(true, q)), missing))
        one = {"cells": cells, "cell": int(np.argmax(inside))}
        each = errors_at(sets, AccelerationBound(nominal), q, qd, v, **one)["payload"]
        assert np.all(found <= each)
        tight.append(float((found / each).max()))
    assert np.median(tight) > 0.3


def test_a_payload_column_that_is_left_out_is_noticed():
    """The planted error: a bound without the payload's first moments is below the errors of some payload."""
    robot = tq.classics.puma560()
    frame = robot.frames[-1].name
    nominal = tq.attach_payload(robot, frame, mass=0.5)
    held = tq.PayloadUncertainty(frame, (0.0, 1.0), 0.05, nominal_mass=0.5)
    sets = sets_of(tq.compile(nominal), tq.Uncertainty(payload=held))
    planted = payload_cells(held, 4, 4)
    planted[:, :, 6:9] = 0.0
    rng = np.random.default_rng(5)
    exceeded = False
    for _ in range(20):
        q, qd, v = rng.uniform(-1.0, 1.0, (3, robot.n))
        centre = rng.normal(size=3)
        centre *= 0.05 / np.linalg.norm(centre)
        true = tq.attach_payload(robot, frame, mass=1.0, center=tuple(centre))
        missing = np.array(inverse_dynamics(nominal, q, qd, v)) - np.array(inverse_dynamics(true, q, qd, v))
        found = np.abs(np.linalg.solve(np.array(mass_matrix(true, q)), missing))
        bound = errors_at(sets, AccelerationBound(nominal), q, qd, v, cells=planted)["payload"]
        exceeded |= bool(np.any(found > bound))
    assert exceeded


def test_friction_of_either_sign_counts_where_the_tube_holds_zero_speed():
    robot = tq.classics.puma560()
    sets = sets_of(tq.compile(robot), tq.Uncertainty(every_joint=tq.JointUncertainty(friction_part=0.3)))
    moving, still = np.full((1, robot.n), 0.5), np.zeros((1, robot.n))
    coulomb = np.array(friction_torque(robot, [1e-9] * robot.n)) - np.array(friction_torque(robot, [-1e-9] * robot.n))
    standing = sets.friction_error((still - 0.1, still + 0.1), (moving, moving), (moving, moving))[0]
    assert np.all(standing >= coulomb)
    alone = sets.friction_error((moving, moving), (moving, moving), (moving, moving))[0]
    true = 0.3 * np.abs(friction_torque(robot, [0.5] * robot.n))
    np.testing.assert_allclose(alone, true, rtol=1e-6)


@pytest.mark.parametrize("rounded", ["turnover_speed", "turnover_distance"])
def test_a_model_that_rounds_the_reversal_does_not_reduce_friction_at_rest(rounded):
    """A standing joint has any Coulomb torque; with presliding, a moving one has it, too, right after a reversal."""
    robot = tq.classics.puma560()
    law = Friction.of({"coulomb_positive": 5.0, "coulomb_negative": 4.0, "viscous_positive": 2.0, rounded: 1.0})
    bodies = tuple(replace(body, joint=replace(body.joint, friction=law)) for body in robot.bodies)
    robot = replace(robot, bodies=bodies, drives=Drives())
    sets = sets_of(tq.compile(robot), tq.Uncertainty(every_joint=tq.JointUncertainty(friction_part=0.2)))
    sets = replace(sets, compensation=trace("none", lambda qd_ref, qd: {"tau": [0.0 * v for v in qd]},
                                            dict.fromkeys(("qd_ref", "qd"), (robot.n,))))  # fmt: skip
    still, moving = np.zeros((1, robot.n)), np.full((1, robot.n), 0.1)

    def error(low, high):
        return sets.friction_error((low, high), (moving, moving), (moving, moving))[0]

    np.testing.assert_allclose(error(still - 1e-3, still + 1e-3), 1.2 * 5.0, rtol=5e-4)
    np.testing.assert_allclose(error(still, still), 1.2 * 5.0, rtol=1e-6)
    dry = 5.0 if rounded == "turnover_distance" else 5.0 * np.tanh(0.1)
    np.testing.assert_allclose(error(moving, moving), 1.2 * (dry + 0.2), rtol=1e-6)


def test_smoothed_compensation_is_enclosed():
    robot = tq.classics.puma560()
    n = robot.n
    smooth = FrictionCompensation("reference", 0.2)
    model = tq.compile(robot)
    sets = replace(
        sets_of(model, tq.Uncertainty()),
        compensation=plant_uncertainty(
            model, tq.Uncertainty(), robot, feedback=(np.ones(n), np.ones(n)), period=1e-3,
            evaluation=Evaluation.MEASURED, friction=smooth, efforts=np.full(n, np.inf),
        ).compensation,
    )  # fmt: skip
    low, high = np.full((1, n), -0.3), np.full((1, n), 0.8)
    found = sets.friction_error((low, high), (low, high), (low, high))[0]
    assert np.isfinite(found).all()
    for true in np.linspace(-0.3, 0.8, 23):
        for wanted in np.linspace(-0.3, 0.8, 23):
            f = np.array(friction_torque(robot, [true] * n))
            compensated = np.array(smooth.torque(model, {"qd_ref": [wanted] * n}))
            assert np.all(np.abs(compensated - f) <= found)


def test_directions_are_parts_of_the_parameters():
    robot = tq.classics.planar2r()
    names = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "mx", "my", "mz", "m")
    parts = dict.fromkeys(names, 0.0) | {"m": 0.1}
    found = body_directions(robot, parts)
    assert found.shape == (10 * len(robot.bodies), len(robot.bodies))
    np.testing.assert_allclose(found.sum(axis=0), [0.1 * body.inertia.m for body in robot.bodies])
