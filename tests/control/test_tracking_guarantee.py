"""The tracking guarantee: no loop that keeps its assumptions exceeds it, and it says why there is none.

Runs are looked at between samples, with torque errors at their bounds in the worst direction; the bugs that these runs
must catch are planted.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re

import numpy as np
import pytest
from tests.control.guaranteed_models import claimed
from tests.control.held_loop import HeldLoop, shares
from tests.dynamics.random_robots import random_robot
from tests.proof.arms import arm, programs

import torquec as tq
from torquec.codegen.llvm import compile_function
from torquec.control import tracking_guarantee as guarantees
from torquec.control.tracking_guarantee import StartError, proven_torque, tracking_guarantee
from torquec.errors import ArgumentError, SnapWarning
from torquec.model.model import Model, ModelKind
from torquec.proof.torque.certificate import Certificate
from torquec.proof.torque.certify import certify
from torquec.proof.torque.certify_coefficients import certify_coefficients
from torquec.proof.torque.coefficient_certificate import CoefficientTolerance, ErrorKind, Family
from torquec.proof.tracking import error_tube as tubes
from torquec.proof.tracking.acceleration_bound import MotionBoxes
from torquec.proof.tracking.torque_error_bound import ProvenTorque
from torquec.robot.classics import load_classic
from torquec.robot.robot import Limits, Spring
from torquec.trajectory import minimum_jerk
from torquec.trajectory.fourier_motion import fourier_motion
from torquec.trajectory.motion_box import MotionBox
from torquec.trajectory.polynomial_motion import quintic_spline


def test_torques_are_wrong_by_what_the_certificate_says():
    robot = load_classic("scara")
    proven = proven_torque(claimed(robot, [0.1, 0.2, 0.3, 0.4]))
    assert isinstance(proven, ProvenTorque)
    assert proven.acceleration.tolist() == [10.0] * 4
    q = np.zeros((3, 4))
    assert proven.errors(q, q, q, q).tolist() == [[0.1, 0.2, 0.3, 0.4]] * 3


def test_an_exact_model_is_right_everywhere():
    proven = proven_torque(Model(load_classic("planar2r")))
    assert proven.torque.tolist() == [0.0, 0.0]
    assert proven.upper.tolist() == [math.inf, math.inf]


def test_a_joint_that_makes_whole_turns_has_no_range():
    robot = load_classic("planar2r")
    proven = proven_torque(claimed(robot, [0.1, 0.1], lower=(-math.pi, -1.0), upper=(math.pi, 1.0)))
    assert proven.lower.tolist() == [-math.inf, -1.0]
    assert proven.upper.tolist() == [math.inf, 1.0]


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_coefficients_bound_the_torque_that_they_make(kind):
    robot = arm("planar3r")
    exact, weak = programs(robot, 2, 0.9)
    lower, upper = (-0.4,) * 3, (0.6,) * 3
    tolerances = [] if kind is ErrorKind.ABSOLUTE else [CoefficientTolerance(Family.M, (0, 0), 0.5, kind, "joint1")]
    inner = certify_coefficients(robot, exact, weak, MotionBox(lower, upper), tolerances=tolerances)
    assert {proof.kind for proof in inner.coefficients.values()} >= {kind}
    record = Certificate(robot.name, robot.content_hash, weak, MotionBox(lower, upper, (), ()), {}, inner)
    model = Model(robot, {"inverse_dynamics": weak}, record=record, kind=ModelKind.CERTIFIED_COEFFICIENTS)
    proven = proven_torque(model)
    rng = np.random.default_rng(3)
    q = rng.uniform(-0.4, 0.6, (400, 3))
    qd, qdd = rng.choice([-1.0, 1.0], (2, 400, 3)) * np.array([2.0, 5.0])[:, None, None]
    found = np.abs(tq.compile(robot).inverse_dynamics(q, qd, qdd) - compile_function(weak).call(q, qd, qdd))
    bound = proven.errors(q, q, np.abs(qd), np.abs(qdd))
    assert np.all(found <= bound)
    assert np.all(found.max(axis=0) >= 0.3 * bound.max(axis=0))


def test_drives_also_give_what_friction_costs():
    """The largest torques hold with friction and without, also where friction helps the drive."""
    robot = load_classic("puma560")
    proven = proven_torque(Model(robot))
    rng = np.random.default_rng(8)
    states = rng.uniform(-1.0, 1.0, (3, 200, 6))
    largest = proven.torques(MotionBoxes(*(part for part in states for _ in range(2))))
    arm_ = tq.compile(robot)
    rigid, total = np.abs(arm_.inverse_dynamics(*states)), np.abs(arm_.total_torque(*states))
    assert largest == pytest.approx(np.maximum(rigid, total), rel=1e-9, abs=1e-9)
    assert np.any(rigid > total + 1.0)
    assert np.any(total > rigid + 1.0)


def test_a_bound_that_is_none_is_no_proof():
    robot = load_classic("planar2r")
    for wrong in (-0.1, math.nan, math.inf):
        assert "negative or not finite" in proven_torque(claimed(robot, [0.1, wrong]))


def test_what_is_not_proven_is_said():
    robot = load_classic("planar2r")
    model = claimed(robot, [0.1, 0.1])
    changed = dataclasses.replace(robot, gravity=(0.0, 0.0, -1.6))
    assert "for another robot" in proven_torque(dataclasses.replace(model, robot=changed))
    other = Model(changed).function("inverse_dynamics")
    assert "not the program" in proven_torque(dataclasses.replace(model, functions={"inverse_dynamics": other}))
    bare = dataclasses.replace(model, record=None, kind=ModelKind.ABBREVIATED)
    assert "it has no certificate" in proven_torque(bare)


TILTED_torque = """<robot name="tilt"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.5 0.1 0"/><mass value="1"/>
  <inertia ixx="0.001" iyy="0.002" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"><inertial><origin xyz="0.2 0 0.1"/><mass value="0.5"/>
  <inertia ixx="0.001" iyy="0.002" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
  <origin rpy="4e-5 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="5" effort="50"/></joint>
<joint name="second" type="{second}"><parent link="arm"/><child link="tool"/>
  <origin xyz="0.8 0 0" rpy="1.5708 0 0"/><axis xyz="0 0 1"/>{limit}</joint></robot>
"""
LIMIT = '<limit lower="-0.4" upper="0.5" velocity="5" effort="50"/>'


def tilted(folder, second="revolute", limit=LIMIT):
    """Two joints whose angles are snapped: the first stands 4e-5 rad off the vertical."""
    path = folder / "tilt.urdf"
    path.write_text(TILTED_torque.format(second=second, limit=limit))
    with pytest.warns(SnapWarning):
        return tq.load(path)


@pytest.mark.parametrize("second", ["revolute", "prismatic"])
def test_an_exact_model_differs_from_its_file_by_what_snapping_changes(tmp_path, second):
    robot = tilted(tmp_path, second)
    written = dataclasses.replace(robot, snap=False)
    proven = proven_torque(Model(robot))
    assert proven.robot == written
    rng = np.random.default_rng(7)
    q, qd, qdd = rng.uniform([-3.0, -0.4], [3.0, 0.5], (500, 2)), *rng.uniform(-2.0, 2.0, (2, 500, 2))
    found = np.abs(tq.compile(robot).inverse_dynamics(q, qd, qdd) - tq.compile(written).inverse_dynamics(q, qd, qdd))
    bound = proven.errors(q, q, np.abs(qd), np.abs(qdd))
    assert np.all(found <= bound)
    assert np.all(found.max(axis=0) >= 0.1 * bound.max(axis=0))
    assert found.max() > 1e-5
    assert np.isinf(proven.lower[0])
    assert proven.upper[1] == (0.5 if second == "prismatic" else math.inf)


def test_without_snaps_an_exact_model_is_exact(tmp_path):
    robot = dataclasses.replace(tilted(tmp_path), snap=False)
    zero, one = np.zeros((1, 2)), np.ones((1, 2))
    assert not proven_torque(Model(robot)).errors(zero, zero, one, one).any()


def test_snapped_angles_that_cannot_be_bounded_leave_nothing_proven(tmp_path, monkeypatch):
    robot = tilted(tmp_path, "prismatic", LIMIT.replace("-0.4", "-0.3"))  # of which no bound was computed before
    first, last = robot.bodies
    joint = dataclasses.replace(last.joint, limits=Limits())
    endless = dataclasses.replace(robot, bodies=(first, dataclasses.replace(last, joint=joint)))
    assert math.isinf(endless.joints[1].limits.upper)
    reason = proven_torque(Model(endless))
    assert "no limits of its position" in reason
    assert "--no-snap" in reason
    monkeypatch.setattr("torquec.proof.torque.snap_bound._MOST_POINTS", 1)  # as if there were very many joints
    reason = proven_torque(Model(robot))
    assert "cannot be bounded" in reason
    assert "--no-snap" in reason


def test_a_certified_bound_is_about_the_file_as_written(tmp_path):
    robot = tilted(tmp_path)
    proven = proven_torque(claimed(robot, [0.1, 0.2]))
    assert proven.robot == dataclasses.replace(robot, snap=False)
    zero = np.zeros((1, 2))
    assert proven.errors(zero, zero, zero, zero).tolist() == [[0.1, 0.2]]  # the certificate has the snaps in it


def test_a_spring_on_a_whole_turn_keeps_its_range():
    robot = load_classic("planar2r")
    first = robot.bodies[0]
    sprung = dataclasses.replace(first, joint=dataclasses.replace(first.joint, spring=Spring(5.0, 0.0)))
    robot = dataclasses.replace(robot, bodies=(sprung, *robot.bodies[1:]))
    proven = proven_torque(claimed(robot, [0.1, 0.1], lower=-math.pi, upper=math.pi))
    assert proven.lower.tolist() == [-math.pi, -math.inf]
    assert proven.upper.tolist() == [math.pi, math.inf]


POLES = [-20.0, -12 + 45j, (-10.0, -30.0), -15 + 15j]


def scara():
    """A SCARA that is wrong by 0.05 % of its limits, and a motion of it; the quill slides."""
    robot = load_classic("scara")
    bounds = 0.0005 * np.array([joint.limits.effort for joint in robot.joints])
    motion = minimum_jerk([-0.6, 0.4, -0.15, 0.0], [0.7, 1.2, -0.05, 1.0], 1.5, joints=robot.joint_names)
    return robot, bounds, motion


def wrong_by(robot, bounds, sign):
    """Torque errors at their bounds that push joint `i` as sign(t) says: bounds * sign of the row of M^-1."""
    arm_ = tq.compile(robot)

    def added(t, q):
        joint, direction = sign(t)
        return direction * bounds * np.sign(np.linalg.inv(arm_.mass_matrix(q))[joint])

    return added


@pytest.mark.parametrize("poles", POLES, ids=str)
@pytest.mark.parametrize("period", [0.002, 0.005])
def test_no_torque_error_within_the_certificate_exceeds_it(poles, period):
    robot, bounds, motion = scara()
    poles = [poles] * 4 if isinstance(poles, tuple) else poles
    given = tracking_guarantee(claimed(robot, bounds, acceleration=60.0), poles, motion, period=period)
    assert given.valid, given.reason
    used = np.zeros((5, 4))
    # Joint after joint: a constant push, or one that alternates as a loop with complex poles rings.
    rate = 45.0 if poles == -12 + 45j else 0.0
    for joint in range(4):
        push = wrong_by(robot, bounds, lambda t, j=joint: (j, math.copysign(1.0, math.cos(rate * t))))
        loop = HeldLoop(robot, tq.compile(robot).inverse_dynamics, poles, period, substeps=2, added=push)
        used = np.maximum(used, shares(given, loop.run(motion)))
    assert np.all(used <= 1.0), used.round(3)
    assert np.all(used[0] >= 0.3), used.round(3)


def test_a_steady_push_reaches_nine_tenths_of_it():
    robot, bounds, motion = scara()
    given = tracking_guarantee(claimed(robot, bounds), -20, motion, period=0.001)
    push = wrong_by(robot, bounds, lambda t: (0, 1.0))
    worst = HeldLoop(robot, tq.compile(robot).inverse_dynamics, -20, 0.001, added=push).run(motion)
    assert 0.85 < shares(given, worst)[0, 0] <= 1.0


@pytest.mark.parametrize("bug", ["a torque bound halved", "a norm halved", "no drift"])
def test_planted_bugs_are_caught(monkeypatch, bug):
    """Each of them makes a guarantee that a run exceeds: the laws of this page would fail."""
    robot, bounds, motion = scara()
    period = 0.001
    model = claimed(robot, bounds)
    if bug == "a torque bound halved":
        model = claimed(robot, 0.5 * bounds)
    elif bug == "a norm halved":
        real = guarantees.sampled_response

        def shorter(*loop):
            found = real(*loop)
            small = dataclasses.replace(found.position, level=0.5 * found.position.level)
            return dataclasses.replace(found, position=small)

        monkeypatch.setattr(guarantees, "sampled_response", shorter)
    else:
        bounds, period, model = np.zeros(4), 0.005, claimed(robot, np.zeros(4))
        real_errors = tubes._errors

        def still(*problem):
            level, drift = real_errors(*problem)
            return level, 0.0 * drift

        monkeypatch.setattr(tubes, "_errors", still)
    given = tracking_guarantee(model, -20, motion, period=period)
    assert given.valid
    push = wrong_by(robot, bounds, lambda t: (0, 1.0))
    worst = HeldLoop(robot, tq.compile(robot).inverse_dynamics, -20, period, substeps=3, added=push).run(motion)
    assert shares(given, worst)[0].max() > 1.2


def test_sampling_alone_is_covered_and_seen():
    """An exact model: everything that is wrong comes from torques that are held."""
    robot, _, motion = scara()
    for sampled in (False, True):
        previous = 0.0
        for period in (0.002, 0.006, 0.018):
            given = tracking_guarantee(robot, -20, motion, period=period, sampled=sampled)
            assert given.valid, given.reason
            loop = HeldLoop(robot, tq.compile(robot).inverse_dynamics, -20, period, sampled=sampled)
            used = shares(given, loop.run(motion))
            assert np.all(used <= 1.0), used.round(3)
            assert used[0].max() > 0.1
            assert given.joints[0].position > 2.0 * previous
            previous = given.joints[0].position


@pytest.mark.parametrize(("name", "link", "part"), [("planar3r", 2, 0.999), ("scara", 2, 0.995)])
def test_a_proven_shorter_program_keeps_it(name, link, part):
    robot = arm(name)
    exact, weak = programs(robot, link, part)
    n = robot.n
    lower = tuple(0.1 if joint.type.is_prismatic else -0.5 for joint in robot.joints)
    upper = tuple(0.5 if joint.type.is_prismatic else 1.2 for joint in robot.joints)
    record = certify(robot, exact, weak, MotionBox(lower, upper, (2.5,) * n, (25.0,) * n))
    model = Model(robot, {"inverse_dynamics": weak}, record=record, kind=ModelKind.CERTIFIED_TORQUE)
    low, high = np.array(lower), np.array(upper)
    ways = quintic_spline([0.0, 0.8, 1.6], low + np.outer([0.3, 0.6, 0.4], high - low), joints=robot.joint_names)
    torque = compile_function(weak).call
    for poles in (-20, -15 + 15j):
        given = tracking_guarantee(model, poles, ways, period=0.001)
        assert given.valid, given.reason
        worst = HeldLoop(robot, torque, poles, 0.001, substeps=2).run(ways)
        assert np.all(shares(given, worst) <= 1.0)
        assert shares(given, worst)[0].max() > 0.02


def test_an_error_at_the_start_is_covered():
    robot, bounds, motion = scara()
    model = claimed(robot, bounds, acceleration=60.0)
    off = np.array([0.01, -0.02, 0.001, 0.02]), np.array([0.05, 0.1, -0.01, 0.2])
    start = StartError(tuple(np.abs(off[0]).tolist()), tuple(np.abs(off[1]).tolist()))
    given = tracking_guarantee(model, -12 + 20j, motion, period=0.002, start=start)
    assert given.valid, given.reason
    torque = tq.compile(robot).inverse_dynamics
    used = np.zeros((5, 4))
    for sign in (1.0, -1.0):
        loop = HeldLoop(robot, torque, -12 + 20j, 0.002, added=wrong_by(robot, bounds, lambda t: (1, 1.0)))
        used = np.maximum(used, shares(given, loop.run(motion, start=(off[0], sign * off[1]))))
    assert np.all(used <= 1.0)
    assert np.all(used[0] > 0.5)
    on = tracking_guarantee(model, -12 + 20j, motion, period=0.002)
    assert all(a.position > b.position for a, b in zip(given.joints, on.joints, strict=True))


def test_a_wave_without_an_end_at_rest():
    robot = load_classic("planar2r")
    wave = fourier_motion([0.2, 0.5], [[0.3], [0.2]], [[0.1], [0.4]], base_period=2.0, joints=robot.joint_names)
    given = tracking_guarantee(claimed(robot, [0.05, 0.02]), -20, wave, period=0.002)
    assert given.valid, given.reason
    assert given.end == 2.0
    worst = HeldLoop(robot, tq.compile(robot).inverse_dynamics, -20, 0.002).run(wave)
    assert np.all(shares(given, worst) <= 1.0)


def test_without_sampling_the_bound_is_the_smallest():
    robot, bounds, motion = scara()
    model = claimed(robot, bounds)
    never, often, seldom = (tracking_guarantee(model, -20, motion, period=T) for T in (None, 1e-4, 4e-3))
    for a, b, c in zip(never.joints, often.joints, seldom.joints, strict=True):
        assert a.position < b.position < c.position
        assert b.position == pytest.approx(a.position, rel=0.05)


def test_it_is_a_document():
    robot, bounds, motion = scara()
    given = tracking_guarantee(claimed(robot, bounds), -20, motion, period=0.002)
    document = json.loads(json.dumps(given.to_document(), allow_nan=False))
    assert document["valid"] is True
    assert document["end"] is None  # the reference comes to rest: it holds from then on
    assert list(document["bounds"]) == list(robot.joint_names)
    assert [bound["unit"] for bound in document["bounds"].values()] == ["rad", "rad", "m", "rad"]
    assert document["bounds"]["quill"]["value"] == given.joints[2].position
    assert document["bounds"]["quill"]["torque_margin"] == pytest.approx(250.0 - given.joints[2].torque)


class TestNoGuarantee:
    """The reason names what is in the way."""

    def test_accelerations_beyond_the_box(self):
        robot, bounds, motion = scara()
        given = tracking_guarantee(claimed(robot, 10.0 * bounds), -20, motion, period=0.002)
        assert not given.valid
        assert given.joints == ()
        assert "the commanded acceleration of joint 'roll' may reach" in given.reason
        assert "rad/s^2 at t = " in given.reason
        assert "beyond the certified" in given.reason
        needed = re.search(r"`acceleration` of roll in the specification, to (\S+) or more", given.reason)
        reached = re.search(r"may reach (\S+) rad", given.reason)
        assert 1.0 <= float(needed[1]) / abs(float(reached[1])) < 1.11
        assert given.to_document()["bounds"] == {}

    def test_speeds_and_positions_beyond_the_box(self):
        robot, bounds, motion = scara()
        slow = tracking_guarantee(claimed(robot, bounds, velocity=1.0), -20, motion, period=0.002)
        assert "the speed of joint 'shoulder'" in slow.reason
        assert "`velocity` of shoulder in the specification" in slow.reason
        near = tracking_guarantee(claimed(robot, bounds, upper=(0.705, 1.21, 0.1, 1.6)), -20, motion, period=0.002)
        assert near.valid, near.reason
        nearer = tracking_guarantee(claimed(robot, bounds, upper=(0.7001, 1.21, 0.1, 1.6)), -20, motion, period=0.002)
        assert "the position of joint 'shoulder' may reach 0.70" in nearer.reason
        assert "`range` of shoulder in the specification, to 0.71 or more" in nearer.reason

    def test_drives_that_are_too_weak(self):
        robot, bounds, motion = scara()
        model = claimed(robot, bounds)
        given = tracking_guarantee(model, -20, motion, period=0.002)
        enough = np.array([bound.torque for bound in given.joints]) * 1.001
        assert tracking_guarantee(model, -20, motion, period=0.002, efforts=enough).valid
        enough[1] *= 0.99
        refused = tracking_guarantee(model, -20, motion, period=0.002, efforts=enough)
        assert "the torque of joint 'elbow' may reach" in refused.reason
        assert "Nm, its drive gives" in refused.reason

    def test_sampling_that_is_far_too_slow(self):
        robot, _, motion = scara()
        given = tracking_guarantee(robot, -1.5, motion, period=0.5)
        assert not given.valid
        assert "sample faster" in given.reason

    def test_misuse(self):
        robot, _, motion = scara()
        with pytest.raises(ArgumentError, match="the trajectory moves"):
            tracking_guarantee(load_classic("planar2r"), -20, motion)
        with pytest.raises(ArgumentError, match="too fast for samples"):
            tracking_guarantee(robot, -200, motion, period=0.02)
        with pytest.raises(ArgumentError, match="'efforts'"):
            tracking_guarantee(robot, -20, motion, efforts=[1.0, 2.0])
        with pytest.raises(ArgumentError, match=r"'start\.position'"):
            tracking_guarantee(robot, -20, motion, start=StartError(-0.1))


def random_case(seed):
    """A random tree with springs and motors, torque errors, a reference, poles and a rate: all drawn."""
    rng = np.random.default_rng(seed)
    robot = random_robot(seed, bodies=int(rng.integers(1, 5)))
    n, names = robot.n, robot.joint_names
    inertia = np.diag(tq.compile(robot).mass_matrix(rng.uniform(-1.0, 1.0, n)))
    bounds = inertia * rng.uniform(0.0, 0.3, n) * (seed % 5 > 0)
    match seed % 3:
        case 0:
            motion = minimum_jerk(*rng.uniform(-1.0, 1.0, (2, n)), rng.uniform(0.4, 1.0), joints=names)
        case 1:
            motion = quintic_spline([0.0, 0.3, 0.7, 1.0], rng.uniform(-0.5, 0.5, (4, n)), joints=names)
        case _:
            motion = fourier_motion(
                *rng.normal(size=(1, n)), *rng.normal(size=(2, n, 2)), base_period=1.1, joints=names
            )
    fast = rng.uniform(5.0, 40.0)
    pairs = [(-fast, -fast * rng.uniform(1.0, 3.0)), complex(-fast, fast * rng.uniform(0.0, 2.0))]
    poles = [pairs[k % 2] for k in range(n)]
    return rng, robot, bounds, motion, poles


@pytest.mark.parametrize("seed", [1, 2, 3, 5, *(pytest.param(k, marks=pytest.mark.slow) for k in range(6, 40))])
def test_random_robots_keep_it(seed):
    rng, robot, bounds, motion, poles = random_case(seed)
    period, sampled = float(rng.choice([0.001, 0.002, 0.005])), bool(rng.random() < 0.3)
    model = claimed(robot, bounds, velocity=1e3, acceleration=1e4, lower=-50.0, upper=50.0)
    free = np.full(robot.n, math.inf)
    given = tracking_guarantee(model, poles, motion, period=period, sampled=sampled, efforts=free)
    if not given.valid:
        assert "could not be proven nonsingular" in given.reason  # light bodies: a tube as wide as the arm
        return
    joint, rate = int(rng.integers(robot.n)), rng.choice([0.0, 20.0])
    push = wrong_by(robot, bounds, lambda t: (joint, math.copysign(1.0, math.cos(rate * t))))
    loop = HeldLoop(robot, tq.compile(robot).inverse_dynamics, poles, period, sampled=sampled, substeps=2, added=push)
    used = shares(given, loop.run(motion))
    assert np.all(used <= 1.0), used.round(3)


TILTED = """<robot name="tilt"><link name="base"/><link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
  <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin rpy="4e-5 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" velocity="5" effort="50"/></joint></robot>
"""


def test_an_exact_model_keeps_its_guarantee_on_the_file_as_written(tmp_path):
    """An axis that is 4e-5 rad off the vertical: the snapped model has no gravity torque, the robot of the file has."""
    path = tmp_path / "tilt.urdf"
    path.write_text(TILTED)
    with pytest.warns(SnapWarning):
        robot = tq.load(path)
    written = dataclasses.replace(robot, snap=False)
    motion = minimum_jerk([0.0], [0.01], 5.0, joints=robot.joint_names, period=0.001)
    given = tracking_guarantee(robot, -2.0, motion, period=0.001)
    assert given.valid, given.reason
    torque = tq.compile(robot).inverse_dynamics
    worst = shares(given, HeldLoop(written, torque, -2.0, 0.001, substeps=1).run(motion))
    assert 0.7 < worst[0, 0] <= 1.0
    unsnapped = tracking_guarantee(written, -2.0, motion, period=0.001)
    assert unsnapped.joints[0].position < 0.01 * given.joints[0].position  # what was promised of the snapped one, too


def test_a_spring_on_a_whole_turn_limits_the_references():
    robot = load_classic("planar2r")
    first = robot.bodies[0]
    limits = dataclasses.replace(first.joint.limits, effort=120.0)
    joint = dataclasses.replace(first.joint, spring=Spring(5.0, 0.0), limits=limits)
    robot = dataclasses.replace(robot, bodies=(dataclasses.replace(first, joint=joint), *robot.bodies[1:]))
    model = claimed(robot, [0.02, 0.02], velocity=1.0, acceleration=4.0, lower=-math.pi, upper=math.pi)
    given = tracking_guarantee(model, -20, period=0.001)
    assert given.valid, given.reason
    assert -math.pi < given.references[0].lower < given.references[0].upper < math.pi
    assert math.isinf(given.references[1].upper)
    arm_ = tq.compile(robot)
    q = np.array([[given.references[0].upper, 0.0]])
    asked = np.abs(arm_.inverse_dynamics(q, 0.0 * q, 0.0 * q) + arm_.spring_torque(q))[0]
    assert np.all(asked <= [bound.torque for bound in given.joints])
