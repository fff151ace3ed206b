"""Levels under uncertainty: accelerations of sampled robots in the sets stay below, and parameters come close."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import torquec as tq
from torquec.control.model_terms import Evaluation, FrictionCompensation
from torquec.control.poles import ErrorFeedback
from torquec.control.structured_errors import chi_squared_quantile
from torquec.control.uncertainty_sets import body_directions, payload_cells, plant_uncertainty
from torquec.dynamics import friction_torque, inverse_dynamics, mass_matrix, regressor
from torquec.expr import evaluate, trace
from torquec.model.model_parameters import ModelParameters
from torquec.model.quantities import base_of
from torquec.proof.tracking.acceleration_bound import AccelerationBound, CloserAccelerationBound, MotionBoxes
from torquec.proof.tracking.error_inputs import ActingErrors, ErrorMotion
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives
from torquec.spatial import Inertia


def sets_of(model, stated, *, evaluation=Evaluation.MEASURED):
    n = model.robot.n
    return plant_uncertainty(
        model,
        stated,
        model.robot,
        feedback=ErrorFeedback((400.0,) * n, (40.0,) * n),
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
    motion = [ErrorMotion(zero[0], zero[0], np.ones(1), moving=False)] * len(cells)
    found = sets.plant_errors(inverse, boxes, cells, (G, paths), ActingErrors(zero, zero, zero, motion, zero))
    sizes = {
        cause: each.most + np.abs(each.high) + (np.abs(paths) @ each.torque[..., None])[..., 0]
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


def correlated(robot, part):
    """The robot as a model with a covariance of its base parameters, strongly correlated."""
    base, rng = base_of(robot), np.random.default_rng(6)
    sizes = part * np.maximum(np.abs(base.values), 0.01 * np.abs(base.values).max())
    factor = sizes[:, None] * (np.eye(len(base)) + 0.5 * rng.normal(size=(len(base),) * 2))
    spread = tuple(map(tuple, (0.5 * (factor @ factor.T + (factor @ factor.T).T)).tolist()))
    names = ("friction", *base.names)  # the parameters of an estimate are those of friction, too, in its own order
    padded = ((1.0, *[0.0] * len(base)), *((0.0, *row) for row in spread))
    return replace(
        tq.compile(robot), parameters=ModelParameters(names, (0.0, *base.values.tolist()), padded)
    ), np.array(spread)


@pytest.mark.parametrize("bug", ["none", "half the radius", "no correlation"])
def test_parameters_of_an_ellipsoid_accelerate_within_the_level(bug):
    """The worst parameters of the ellipsoid for each joint reach the level; a planted bug shows."""
    robot = tq.classics.puma560()
    model, S = correlated(robot, 1e-4)
    sets = sets_of(model, tq.Uncertainty(bodies=tq.BodyUncertainty(covariance=0.95)).with_identified(model))
    radius, base = math.sqrt(chi_squared_quantile(0.95, len(S))), base_of(robot)
    if bug == "half the radius":
        sets = replace(sets, factor=0.5 * sets.factor)
    if bug == "no correlation":
        sets = replace(sets, factor=radius * np.diag(np.sqrt(np.diagonal(S))))
    rng, ratios = np.random.default_rng(3), []
    for _ in range(3):
        q, qd, v = rng.uniform(-1.0, 1.0, (3, robot.n))
        found = errors_at(sets, AccelerationBound(robot), q, qd, v)["bodies"]
        columns = np.array(regressor(robot, q, qd, v)) @ base.body_expansion
        rows = np.linalg.solve(np.array(mass_matrix(robot, q)), columns)
        for k, row in enumerate(rows):
            delta = base.body_expansion @ (radius * S @ row / math.sqrt(row @ S @ row))
            parameters = np.array([x for body in robot.bodies for x in body.inertia.parameters]) + delta[:60]
            bodies = tuple(
                replace(body, inertia=Inertia(*parameters[10 * i : 10 * i + 10].tolist()))
                for i, body in enumerate(robot.bodies)
            )
            motors = tuple(
                replace(m, rotor_inertia=m.rotor_inertia + x)
                for m, x in zip(robot.drives.motors, delta[60:].tolist(), strict=True)
            )
            other = replace(robot, bodies=bodies, drives=replace(robot.drives, motors=motors))
            missing = np.array(inverse_dynamics(robot, q, qd, v)) - np.array(inverse_dynamics(other, q, qd, v))
            ratios.append(abs(np.linalg.solve(np.array(mass_matrix(other, q)), missing)[k]) / found[k])
    low, high = {"none": (0.97, 1.0), "half the radius": (1.9, 2.0), "no correlation": (0.0, 0.9)}[bug]
    assert low < min(ratios) <= (max(ratios) if bug != "no correlation" else min(ratios)) <= high


def test_torques_of_an_ellipsoid_are_those_of_the_planning_range():
    """low and high are the nominal torque -+ sqrt(quantile Y S Y') at a state."""
    robot = tq.classics.planar2r()
    model, S = correlated(robot, 1e-3)
    sets = tq.Uncertainty(bodies=tq.BodyUncertainty(covariance=0.95)).with_identified(model)
    q, qd, v = np.random.default_rng(1).uniform(-1.0, 1.0, (3, robot.n))
    found = evaluate(sets.torque_spread(robot).program(model), {"q": q, "qd": qd, "qdd": v})
    columns = np.array(regressor(robot, q, qd, v)) @ base_of(robot).body_expansion
    wide = np.sqrt(chi_squared_quantile(0.95, len(S)) * np.einsum("ni,ij,nj->n", columns, S, columns))
    nominal = np.array(inverse_dynamics(robot, q, qd, v))
    np.testing.assert_allclose([found["low"], found["high"]], [nominal - wide, nominal + wide], rtol=1e-6)


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
            model, tq.Uncertainty(), robot, feedback=ErrorFeedback((1.0,) * n, (1.0,) * n), period=1e-3,
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
