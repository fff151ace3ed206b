"""Thresholds of the momentum observer: each part by hand, and planted robots outside of the sets."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import torquec as tq
from torquec.control.detection_thresholds import bias_program, detection_thresholds, momentum_program
from torquec.control.observer import detectable_force, momentum_observer
from torquec.control.tracking_guarantee import proven_torque
from torquec.control.uncertainty import BodyUncertainty, JointUncertainty, TimingUncertainty, Uncertainty
from torquec.errors import ArgumentError
from torquec.expr import evaluate
from torquec.robot.classics import load_classic
from torquec.robot.friction import Friction
from torquec.trajectory.motion_box import MotionBox, joint_box

PERIOD = 0.001


def arm(**friction):
    robot = load_classic("planar2r")
    bodies = (
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, friction=Friction.of(friction))) for b in robot.bodies
    )
    return dataclasses.replace(robot, bodies=tuple(bodies))


def motions(robot, speed=1.0, acceleration=5.0):
    box = joint_box(robot)
    return MotionBox(box.lower, box.upper, (speed,) * robot.n, (acceleration,) * robot.n)


def levels(robot, sets, **box):
    return detection_thresholds(tq.compile(robot), sets, motions(robot, **box), period=PERIOD)


@pytest.mark.parametrize("name", ["planar2r", "puma560", "stanford"])
def test_momentum_and_bias_are_those_of_the_dynamics(name):
    """dp/dt = b + tau along a motion: p' = M qdd + Mdot qd, with tau from inverse dynamics and springs."""
    robot = load_classic(name)
    model, rng = tq.compile(robot), np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, robot.n))
    h = 1e-6

    def momentum(s):
        state = {"q": q + s * qd + 0.5 * s * s * qdd, "qd": qd + s * qdd}
        return evaluate(momentum_program(model), state)["p"]

    rate = (momentum(h) - momentum(-h)) / (2.0 * h)
    tau = model.inverse_dynamics(q, qd, qdd) + model.spring_torque(q)
    bias = evaluate(bias_program(model), {"q": q, "qd": qd})["b"]
    np.testing.assert_allclose(rate, tau + bias, rtol=1e-6, atol=1e-6)


def test_a_certified_program_leaves_its_own_error_alone(tmp_path):
    """The same with a program whose dM/dt is not C + C': the residual is the program's torque error."""
    robot = load_classic("planar2r")
    (tmp_path / "s.toml").write_text(
        "[every_joint]\nvelocity = 3.0\nacceleration = 15.0\ntorque_error = 8.0\n", encoding="utf-8"
    )
    small, rng = tq.simplify(robot, tmp_path / "s.toml"), np.random.default_rng(5)
    q, qd, qdd = rng.uniform(-1.0, 1.0, (3, robot.n))
    h = 1e-6
    ends = [evaluate(momentum_program(small), {"q": q + s * qd, "qd": qd + s * qdd})["p"] for s in (h, -h)]
    found = (ends[0] - ends[1]) / (2.0 * h) - evaluate(bias_program(small), {"q": q, "qd": qd})["b"]
    np.testing.assert_allclose(found, small.inverse_dynamics(q, qd, qdd), rtol=1e-6, atol=1e-5)
    # C of this program is 1/2 dc/dqd, and M' = C + C' does not hold: the textbook bias would be wrong
    base = levels(small.robot, Uncertainty()).base
    certified = detection_thresholds(small, Uncertainty(), small.box, period=PERIOD).base
    assert np.all(certified >= proven_torque(small).torque)
    assert np.all(base < certified)


def test_friction_by_hand():
    sets = Uncertainty(JointUncertainty(friction_part=0.5))
    found = levels(arm(coulomb=2.0, viscous=3.0), sets)
    e = PERIOD * 5.0  # the speed changes by this over an interval
    for shaft in found.shafts:
        assert shaft.error == pytest.approx(e, rel=1e-6)
        assert shaft.standing == pytest.approx(1.5 * (2.0 * 3.0 * e + 2.0), rel=1e-6)
    moving = np.array(found.level([0.8, 0.8]), dtype=np.float64) - found.base
    np.testing.assert_allclose(moving, 0.5 * (2.0 + 3.0 * 0.8) + 1.5 * 3.0 * e, rtol=1e-6)
    assert np.array(found.friction([0.8, 0.5 * e])).tolist() == pytest.approx([2.0 + 2.4, 3.0 * 0.5 * e])


@pytest.mark.parametrize(
    "more",
    [
        {"joint": JointUncertainty(friction_residual=0.4)},
        {"joint": JointUncertainty(torque_part=0.01)},
        {"bodies": BodyUncertainty(0.1, 0.1, 0.1)},
        {"joint": JointUncertainty(position=1e-4)},
        {"joint": JointUncertainty(speed_noise=1e-3)},
    ],
)
def test_every_set_raises_the_thresholds(more):
    robot = arm(coulomb=1.0)
    limits = [dataclasses.replace(b.joint.limits, effort=100.0) for b in robot.bodies]
    bodies = (
        dataclasses.replace(b, joint=dataclasses.replace(b.joint, limits=x))
        for b, x in zip(robot.bodies, limits, strict=True)
    )
    robot = dataclasses.replace(robot, bodies=tuple(bodies))
    sets = Uncertainty(more.get("joint", JointUncertainty()), bodies=more.get("bodies", BodyUncertainty()))
    none, some = levels(robot, Uncertainty()), levels(robot, sets)
    share = 0.05
    assert np.all(some.standing(share, PERIOD) > none.standing(share, PERIOD) + 1e-6)
    residual = more.get("joint", JointUncertainty()).friction_residual
    if residual:
        np.testing.assert_allclose(some.base - none.base, residual, rtol=1e-6)


def test_the_smallest_force_of_a_direction():
    robot = load_classic("puma560")
    observer = momentum_observer(
        robot, bandwidth=50.0, period=PERIOD, uncertainty=Uncertainty(), motions=motions(robot)
    )
    q = np.array([0.1, -0.4, 0.6, 0.3, 0.5, 0.2])
    J = tq.compile(robot).jacobian("link6")(q)[:3]
    for way in (np.array([1.0, 0.0, 0.0]), np.array([0.3, -0.5, 0.8])):
        force = detectable_force(observer, robot, "link6", q, way)
        torque = np.abs(J.T @ (way / np.linalg.norm(way)) * force)
        assert np.max(torque / np.array(observer.smallest_torque)) == pytest.approx(1.0)
        assert force <= detectable_force(observer, robot, "link6", q) * (1.0 + 1e-12)
    assert observer.smallest_torque == tuple(2.0 * t for t in observer.thresholds)
    assert all(m < s for m, s in zip(observer.moving, observer.thresholds, strict=True))


def test_misuse():
    robot = arm(coulomb=1.0)
    model, motion = tq.compile(robot), tq.minimum_jerk([0.0, 0.0], [0.4, 0.3], 1.0, joints=robot.joint_names)
    with pytest.raises(ArgumentError, match="jitter"):
        levels(robot, Uncertainty(timing=TimingUncertainty(jitter=1e-4)))
    with pytest.raises(ArgumentError, match="valid guarantee"):
        detection_thresholds(model, Uncertainty(), motion, period=PERIOD)
    with pytest.raises(ArgumentError, match="stated motions"):
        momentum_observer(robot, bandwidth=50.0, period=PERIOD, uncertainty=Uncertainty())
    with pytest.raises(ArgumentError, match="no speeds"):
        detection_thresholds(model, Uncertainty(), joint_box(robot), period=PERIOD)
    with pytest.raises(ArgumentError, match="the one or the other"):
        momentum_observer(
            robot, bandwidth=50.0, period=PERIOD, uncertainty=Uncertainty(), motions=motions(robot), thresholds=[1, 1]
        )
    loaded = arm(coulomb=1.0, load=0.1)
    with pytest.raises(ArgumentError, match="depends on the load"):
        levels(loaded, Uncertainty())
    plain = momentum_observer(robot, bandwidth=50.0, period=PERIOD)
    with pytest.raises(ArgumentError, match="no thresholds"):
        detectable_force(plain, robot, "link2", [0.0, 0.0])
