"""Shares of limits: by hand, their slopes against differences, joints without limits, joints that cannot move."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from torquec.dynamics import parameter_values
from torquec.errors import SpecificationError
from torquec.identification.excitation.motion_basis import FourierBasis, SplineBasis
from torquec.identification.excitation.motion_limits import limit_proof, motion_limits
from torquec.identification.excitation.workspace import Outside, Plane
from torquec.model.model import compile
from torquec.robot import classics
from torquec.robot.robot import JointType
from torquec.trajectory.trajectory import MotionState

BASES = [FourierBasis(6.0, 4), SplineBasis(6.0, 8)]


def motion_of(basis, size=0.2, seed=0):
    limits = motion_limits(ARM)
    x = basis.random(np.random.default_rng(seed), ARM.n) * size
    return basis.motion(basis.shifted(x, limits.middle))


def scaled(limits, kind, factor):
    """The limits with one kind of them multiplied."""
    return dataclasses.replace(limits, **{kind: getattr(limits, kind) * factor})


@pytest.mark.parametrize("basis", BASES, ids=["fourier", "spline"])
@pytest.mark.parametrize(("kind", "row"), [("half", 0), ("speed", 1), ("acceleration", 2)])
def test_joint_limits_just_above_and_just_below_the_peak(basis, kind, row):
    motion = motion_of(basis)
    limits = motion_limits(ARM, acceleration=1e3)
    t = np.linspace(0.0, 6.0, 50_001)
    state = motion.at(t)
    values = (np.abs(state.q - limits.middle) / limits.half, np.abs(state.qd) / limits.speed, np.abs(state.qdd) / 1e3)
    peak = float(values[row].max())
    assert limit_proof(motion, scaled(limits, kind, peak * 1.001)).kept
    refused = limit_proof(motion, scaled(limits, kind, peak * 0.999))
    assert not refused.kept
    word = {"half": "position", "speed": "speed", "acceleration": "acceleration"}[kind]
    assert all(name.startswith(word) for name in refused.broken)


@pytest.mark.parametrize("basis", BASES, ids=["fourier", "spline"])
def test_torques_and_planes_just_above_and_just_below_the_peak(basis):
    motion = motion_of(basis)
    limits = motion_limits(ARM, rules=(Plane(offset=-1.0, frames=("link4",)),))
    peaks = dict(zip(limits.names, limits.shares(motion.at(np.linspace(0.0, 6.0, 50_001))).max(axis=0), strict=True))
    height = -1.0 + (1.0 - peaks["plane below frame 'link4'"]) * 0.2  # the lowest that link4 gets
    for offset, kept in ((height - 1e-3, True), (height + 1e-3, False)):
        assert limit_proof(motion, motion_limits(ARM, rules=(Plane(offset=offset, frames=("link4",)),))).kept is kept
    for factor, kept in ((1.005, True), (0.995, False)):
        body = ARM.bodies[1]
        effort = body.joint.limits.effort * peaks["torque of 'joint2'"] * factor
        joint = dataclasses.replace(body.joint, limits=dataclasses.replace(body.joint.limits, effort=effort))
        weak = dataclasses.replace(ARM, bodies=(ARM.bodies[0], dataclasses.replace(body, joint=joint), *ARM.bodies[2:]))
        found = limit_proof(motion, motion_limits(weak))
        assert found.kept is kept
        assert found.broken == (() if kept else ("torque of 'joint2'",))


@pytest.mark.parametrize("basis", BASES, ids=["fourier", "spline"])
def test_jerk_bounds_hold(basis):
    motion = motion_of(basis, seed=3)
    t = np.linspace(0.0, 6.0, 20_001)
    jerk = np.abs(np.diff(motion.at(t).qdd, axis=0)).max(axis=0) / (t[1] - t[0])
    assert np.all(jerk <= motion.jerk_bound * (1.0 + 1e-9))
    assert np.all(motion.jerk_bound < 10.0 * jerk)


def test_the_largest_shares_are_told():
    motion = motion_of(BASES[0])
    limits = motion_limits(ARM)
    found = limit_proof(motion, limits)
    dense = limits.shares(motion.at(np.linspace(0.0, 6.0, 20_001))).max(axis=0)
    assert np.allclose(found.peaks, dense, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("row", [1, 2, 3], ids=["speed", "acceleration", "torque"])
def test_an_excess_between_the_first_pieces_is_not_overlooked(row):
    fast = motion_of(FourierBasis(6.0, 90), size=0.01)  # less than six pieces per period of the fastest harmonic
    limits = motion_limits(ARM, acceleration=1e3)
    pieces = 6.0 * (np.arange(512) + 0.5) / 512
    seen, true = (
        limits.shares(fast.at(t)).max(axis=0)[6 * row : 6 * row + 6] for t in (pieces, np.linspace(0, 6, 50_001))
    )
    joint = int(np.argmax(true / seen))
    assert true[joint] > 1.003 * seen[joint]
    between = 0.5 * (true[joint] + seen[joint])  # of today's limit: kept at every middle, and exceeded
    body = ARM.bodies[joint]
    changed = {"effort": 1e9, "velocity": 1e9}
    if row == 1:
        changed["velocity"] = body.joint.limits.velocity * between
    if row == 3:
        changed["effort"] = body.joint.limits.effort * between
    wide = {"effort": 1e9, "velocity": 1e9}
    bodies = [with_limits_proof(each, **(changed if j == joint else wide)) for j, each in enumerate(ARM.bodies)]
    acceleration = 1e3 * between if row == 2 else 1e9
    tight = motion_limits(dataclasses.replace(ARM, bodies=tuple(bodies)), acceleration=acceleration)
    if row == 2:
        others = np.full(6, 1e9)
        others[joint] = acceleration
        tight = dataclasses.replace(tight, acceleration=others)
    found = limit_proof(fast, tight)
    assert not found.kept
    assert [name for name in found.broken if f"'joint{joint + 1}'" in name]


def with_limits_proof(body, **changes):
    limits = dataclasses.replace(body.joint.limits, **changes)
    return dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=limits))


ARM = classics.puma560()


def states(seed=0, count=6):
    return MotionState(*np.random.default_rng(seed).normal(size=(3, count, 6)))


def with_limits(robot, index, **changes):
    body = robot.bodies[index]
    limits = dataclasses.replace(body.joint.limits, **changes)
    changed = dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=limits))
    return dataclasses.replace(robot, bodies=(*robot.bodies[:index], changed, *robot.bodies[index + 1 :]))


def test_shares_by_hand():
    limits = motion_limits(ARM, acceleration=4.0, rules=(Plane(offset=-1.0),))
    state = states()
    shares = dict(zip(limits.names, limits.shares(state).T, strict=True))
    joint = ARM.joints[1]
    half, middle = 0.5 * (joint.limits.upper - joint.limits.lower), 0.5 * (joint.limits.upper + joint.limits.lower)
    assert np.allclose(shares["position of 'joint2'"], np.abs(state.q[:, 1] - middle) / half)
    assert np.allclose(shares["speed of 'joint2'"], np.abs(state.qd[:, 1]) / joint.limits.velocity)
    assert np.allclose(shares["acceleration of 'joint2'"], np.abs(state.qdd[:, 1]) / 4.0)
    tau = compile(ARM).total_torque(state.q, state.qd, state.qdd)
    assert np.allclose(shares["torque of 'joint2'"], np.abs(tau[:, 1]) / joint.limits.effort)
    height = np.array([compile(ARM).frame_pose("link4")(q)[1][2] for q in state.q])
    assert np.allclose(shares["plane below frame 'link4'"], 1.0 - (height + 1.0) / 0.2)


def test_slopes_against_differences():
    rules = (Plane(offset=-1.0), Outside((0.1, 0.1, 0.1), (0.5, 0.4, 0.6)))
    limits = motion_limits(ARM, acceleration=4.0, rules=rules)
    state = states(1)
    weights = np.random.default_rng(2).normal(size=limits.shares(state).shape)
    found = limits.by_state(state, weights)
    for key in ("q", "qd", "qdd"):
        for j in range(6):
            ends = []
            for sign in (1.0, -1.0):
                parts = {k: getattr(state, k).copy() for k in ("q", "qd", "qdd")}
                parts[key][:, j] += sign * 1e-6
                ends.append((limits.shares(MotionState(**parts)) * weights).sum(axis=1))
            assert np.allclose(getattr(found, key)[:, j], (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-6)


def test_joints_without_limits_are_given_some():
    free = with_limits(ARM, 0, lower=-math.inf, upper=math.inf, velocity=math.inf)
    limits = motion_limits(free)
    assert (limits.middle[0], limits.half[0], limits.speed[0]) == (0.0, math.pi, 2.0)
    assert limits.assumed == ("position of 'joint1' from -3.142 to 3.142", "speed of 'joint1' up to 2")
    assert motion_limits(ARM).assumed == ()
    half_open = motion_limits(with_limits(ARM, 0, lower=1.0, upper=math.inf))
    assert half_open.middle[0] - half_open.half[0] == pytest.approx(1.0)


def test_a_continuous_joint_turns_half_a_turn_to_each_side():
    body = ARM.bodies[0]
    turned = dataclasses.replace(body, joint=dataclasses.replace(body.joint, type=JointType.CONTINUOUS))
    limits = motion_limits(dataclasses.replace(ARM, bodies=(turned, *ARM.bodies[1:])))
    assert limits.half[0] == math.pi


def test_without_torque_limits_and_rules_there_is_no_program():
    robot = ARM
    for index in range(6):
        robot = with_limits(robot, index, effort=math.inf)
    limits = motion_limits(robot)
    assert limits.program is None
    assert len(limits.names) == limits.shares(states()).shape[1] == 18


@pytest.mark.parametrize(
    ("changes", "kind"),
    [({"lower": 0.5, "upper": 0.5}, "range"), ({"velocity": 0.0}, "speed"), ({"effort": 0.0}, "torque")],
)
def test_a_joint_that_cannot_move_is_named(changes, kind):
    with pytest.raises(SpecificationError, match=f"'joint3' cannot move: its {kind} limit"):
        motion_limits(with_limits(ARM, 2, **changes))


def test_torques_of_all_robots_whose_masses_and_friction_are_off():
    """Every combination of bodies and friction at either end stays below the share, and one of them reaches it."""
    share = 0.2
    limits = motion_limits(ARM, effort=0.8, uncertainty=share)
    rng, model = np.random.default_rng(6), compile(ARM)
    q, qd, qdd = rng.normal(size=(3, 1, ARM.n))
    found = dict(zip(limits.names, limits.shares(MotionState(q, qd, qdd))[0], strict=True))
    efforts = np.array([joint.limits.effort for joint in ARM.joints])
    stated = np.array([v for name, v in found.items() if name.endswith("20% off")]) * efforts
    plain = np.array([found[f"torque of '{joint.name}'"] for joint in ARM.joints]) * 0.8 * efforts
    assert plain == pytest.approx(np.abs(model.total_torque(q, qd, qdd))[0])
    Y, values = np.asarray(model.regressor(q, qd, qdd))[0], np.array(parameter_values(ARM))
    friction = np.asarray(model.friction_torque(qd))[0]
    rest = np.asarray(model.total_torque(q, qd, qdd))[0] - friction - Y @ values
    largest = np.zeros(ARM.n)
    for signs in itertools.product((-1.0, 1.0), repeat=ARM.n + 1):
        factors = np.ones(len(values))
        factors[: 10 * ARM.n] += share * np.repeat(signs[: ARM.n], 10)
        tau = Y @ (factors * values) + rest + (1.0 + share * signs[-1]) * friction
        largest = np.maximum(largest, np.abs(tau))
    assert np.all(largest <= stated * (1.0 + 1e-9))
    assert largest == pytest.approx(stated)
