"""Joint speeds and accelerations: a followed path, finite differences of the inverse, and singular arms."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kinematics.arms import UR10E, forward, line_arm, parallel_lines_arm, seven_joint_arm
from tests.kinematics.test_inverse_kinematics import CLASSICS, arm

import torquec as tq
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.errors import ArgumentError
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.kinematics.joint_rates import REST
from torquec.robot import classics

CLOVER = {
    # clover_ch4.json: q, qd, qdd and the motion of frame 6 in its own axes.
    "q": [0.3, -0.7, 1.1, 0.4, -0.9, 0.2],
    "qd": [0.5, -0.4, 0.8, -1.1, 0.6, 0.9],
    "qdd": [1.2, -0.3, 0.7, 0.4, -1.5, 0.2],
    "rotation": [
        [0.5870967549, -0.7463661101, -0.3134565839],
        [0.6214843101, 0.663686232, -0.4162665465],
        [0.5187240622, 0.0495803899, 0.8535028602],
    ],
    "velocity": [[0.1207452304, 0.2209704019, -0.0017217644], [-0.2978290727, 1.1258594546, 0.5209637183]],
    "acceleration": [[-0.0102306713, 0.6547889929, -0.1144253278], [1.5840358101, -0.7698280573, 1.508775685]],
}


def test_clover_sample():
    turn = np.array(CLOVER["rotation"])
    velocity, acceleration = (np.concatenate([turn @ v for v in CLOVER[key]]) for key in ("velocity", "acceleration"))
    found = inverse_kinematics(classics.puma560(), "link6").rates(CLOVER["q"], velocity, acceleration)
    np.testing.assert_allclose(found.qd, CLOVER["qd"], atol=1e-8)
    np.testing.assert_allclose(found.qdd, CLOVER["qdd"], atol=1e-8)


@pytest.mark.parametrize("name", CLASSICS)
@pytest.mark.parametrize("size", [100, pytest.param(5000, marks=pytest.mark.slow)])
def test_speeds_and_accelerations_come_back(name, size):
    """To 1e-8 where the smallest singular value of J exceeds 1e-3."""
    robot, frame = arm(name), CLASSICS[name]
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-3.0, 3.0, (3, size, robot.n))
    ik = inverse_kinematics(robot, frame)
    checked = 0
    for k in range(size):
        j = np.array(jacobian(robot, frame, list(q[k])), dtype=float)
        rate = np.array(jacobian_derivative(robot, frame, list(q[k]), list(qd[k])), dtype=float)
        found = ik.rates(q[k], j @ qd[k], j @ qdd[k] + rate @ qd[k])
        sizes = np.linalg.svd(j, compute_uv=False)
        assert found.manipulability == pytest.approx(np.prod(sizes), rel=1e-9, abs=1e-15)
        assert sizes[-1] <= found.pivot * (1.0 + 1e-9)
        if sizes[-1] > 1e-3:
            checked += 1
            scale = max(1.0, np.abs(qdd[k]).max())
            np.testing.assert_allclose(found.qd, qd[k], atol=1e-9)
            np.testing.assert_allclose(found.qdd, qdd[k], atol=1e-8 * scale)
    assert checked > 0.8 * size


@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_a_followed_path(name):
    """Along a circle with a turning tool, the rates are the differences of the positions on one branch."""
    robot, frame = arm(name), CLASSICS[name]
    ik = inverse_kinematics(robot, frame)

    def pose(t):
        c, s = np.cos(0.4 * t), np.sin(0.4 * t)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.diag([1.0, -1.0, -1.0])
        return turn, np.array([0.45 + 0.1 * np.cos(t), 0.2 + 0.1 * np.sin(t), 0.15])

    near, branches, h = None, set(), 1e-3
    for t in np.arange(0.0, 2.0, 0.1):
        steps = []
        for k in (-2, -1, 0, 1, 2):
            found = ik.nearest(*pose(t + k * h), near=near)
            near = found.q
            branches.add(int(found.branch))
            steps.append(found.q)
        a, b, c, d, e = steps
        velocity = [-0.1 * np.sin(t), 0.1 * np.cos(t), 0.0, 0.0, 0.0, 0.4]
        rates = ik.rates(c, velocity, [-0.1 * np.cos(t), -0.1 * np.sin(t), 0.0, 0.0, 0.0, 0.0])
        np.testing.assert_allclose(rates.qd, (a - 8 * b + 8 * d - e) / (12 * h), atol=1e-8)
        np.testing.assert_allclose(rates.qdd, (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h * h), atol=1e-5)
    assert len(branches) == 1


def test_a_singular_arm_stands_still_where_it_must_and_says_so():
    """Wrist straight: joint 6 repeats joint 4, and rests; what the others can do is done exactly."""
    robot = classics.puma560()
    q = [0.3, -0.7, 1.1, 0.4, 0.0, 0.2]
    wanted = np.array([0.1, -0.2, 0.3, 0.4, 0.5, 0.0])
    j = np.array(jacobian(robot, "link6", q), dtype=float)
    found = inverse_kinematics(robot, "link6").rates(q, j @ wanted)
    assert found.pivot < REST
    np.testing.assert_allclose(found.qd, wanted, atol=1e-12)


def test_a_batch():
    ik = inverse_kinematics(classics.puma560(), "link6")
    q = np.random.default_rng(1).uniform(-1.0, 1.0, (5, 6))
    found = ik.rates(q, np.ones(6))
    assert found.manipulability.shape == (5,)
    np.testing.assert_allclose(found.qd[3], ik.rates(q[3], np.ones(6)).qd, rtol=1e-9)


def test_damped_rates_are_exact_away_from_singular_configurations_and_bounded_next_to_them():
    robot = classics.puma560()
    ik = inverse_kinematics(robot, "link6")
    velocity = np.array([0.1, -0.2, 0.1, 0.3, 0.1, -0.2])
    free = np.array([0.3, -0.7, 1.1, 0.4, -0.9, 0.2])
    exact, damped = ik.rates(free, velocity, velocity), ik.rates(free, velocity, velocity, damping=0.05)
    np.testing.assert_allclose(damped.qd, exact.qd, rtol=1e-9)
    np.testing.assert_allclose(damped.qdd, exact.qdd, rtol=1e-9)
    assert np.abs(damped.missed).max() < 1e-9
    for bend in (1e-2, 1e-3, 1e-6, 0.0):  # a straight wrist
        q = np.array([0.3, -0.7, 1.1, 0.4, bend, 0.2])
        found = ik.rates(q, velocity, damping=0.05)
        full = tq.compile(robot).jacobian("link6")(q)
        off = velocity - full @ found.qd
        np.testing.assert_allclose(found.missed, [np.linalg.norm(off[:3]), np.linalg.norm(off[3:])], atol=1e-12)
        assert np.abs(found.qd).max() < np.linalg.norm(velocity) * 4.0 / 0.05
        size = 0.5 * ik.arm.reach
        A, w = full / np.repeat([size, 1.0], 3)[:, None], velocity / np.repeat([size, 1.0], 3)
        k = 0.05**2 - np.abs(np.diag(np.linalg.qr(A)[1])).min() ** 2
        wanted = np.linalg.solve(A.T @ A + k * np.eye(6), A.T @ w)
        np.testing.assert_allclose(found.qd, wanted, rtol=1e-6, atol=1e-9)
    many = ik.rates(np.array([free, q]), velocity, damping=0.05)
    np.testing.assert_allclose(many.qd, [damped.qd, found.qd], rtol=1e-12)
    with pytest.raises(ArgumentError, match="a damping of 0"):
        ik.rates(free, velocity, damping=0.0)


ARMS = {
    "puma560": (classics.puma560, "link6"),
    "stanford": (classics.stanford, "link6"),
    "scara": (classics.scara, "tool"),
    "ur10e": (lambda: line_arm("RRRRRR", *UR10E), "tool"),
    "ur, slanted": (lambda: parallel_lines_arm(np.random.default_rng(3)), "tool"),
    "panda": (lambda: seven_joint_arm("panda"), "tool"),
}


@pytest.mark.parametrize("name", ARMS)
def test_one_call_gives_what_two_give(name):
    make, frame = ARMS[name]
    robot = make()
    ik = inverse_kinematics(robot, frame)
    rng = np.random.default_rng(1)
    q = rng.uniform(-3.0, 3.0, (2000, robot.n))
    q[:300] = np.round(q[:300] / (np.pi / 4)) * (np.pi / 4)  # folds and free joints
    rotation, position = forward(robot, frame)(q)
    near = q + rng.choice([1e-3, 0.1, 2.0], (2000, 1)) * rng.uniform(-1.0, 1.0, q.shape)
    velocity, acceleration = rng.normal(size=(2, 2000, 6))
    found = ik.motion(rotation, position, velocity, acceleration, near=near)
    best = ik.nearest(rotation, position, near=near)
    # Where two branches are one, or equally far, either may be named.
    apart = ((found.q - near) ** 2).sum(axis=1) - ((best.q - near) ** 2).sum(axis=1)
    np.testing.assert_allclose(apart, 0.0, atol=1e-7)
    same = found.branch == best.branch
    assert same[300:].all()
    np.testing.assert_array_equal(found.status[300:], best.status[300:])
    np.testing.assert_allclose(found.q[300:], best.q[300:], atol=1e-9)
    np.testing.assert_allclose(found.error, best.error, atol=1e-12)
    rates = ik.rates(found.q, velocity, acceleration)
    np.testing.assert_allclose(found.qd[300:], rates.qd[300:], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.qdd[300:], rates.qdd[300:], rtol=1e-6, atol=1e-6)
    one = ik.motion(rotation[500], position[500], velocity[500], acceleration[500], near=near[500])
    np.testing.assert_allclose(one.q, found.q[500], atol=1e-12)
    assert one.branch == found.branch[500]


def test_the_choice_is_mostly_certain_next_to_the_reference():
    robot = classics.puma560()
    ik = inverse_kinematics(robot, "link6")
    rng = np.random.default_rng(2)
    limits = [(joint.limits.lower, joint.limits.upper) for joint in robot.joints]
    q = rng.uniform(*np.transpose(limits), (1000, 6))
    near, zeros = q + rng.uniform(-0.01, 0.01, q.shape), np.zeros((1000, 6))
    *_, certain = ik.motion_native.call(*forward(robot, "link6")(q), near, zeros, zeros)
    assert (certain > 0.0).mean() > 0.95


def test_misuse():
    ik = inverse_kinematics(classics.puma560(), "link6")
    with pytest.raises(ArgumentError, match="velocity has the shape"):
        ik.motion(np.eye(3), [0.4, 0.1, 0.3], [1.0, 2.0])
