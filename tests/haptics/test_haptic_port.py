import math

import numpy as np
import pytest

import torquec as tq
from torquec.errors import ArgumentError
from torquec.haptics.haptic_port import HapticPort, haptic_port

READY = (0.0, 0.7, -2.4, 0.3, 1.2, 0.0)


@pytest.fixture(scope="module")
def puma():
    return tq.compile(tq.classics.puma560())


def test_a_force_accelerates_the_frame_by_force_over_mass(puma):
    """f along u makes the joints accelerate; the frame then moves along u by f/m."""
    for direction in np.eye(3):
        for about in (False, True):
            port = haptic_port(puma, "link6", READY, direction, about=about)
            w = puma.jacobian("link6")(np.array(READY)).T @ np.concatenate(
                [0 * direction, direction] if about else [direction, 0 * direction]
            )
            zero, q = np.zeros(6), np.array(READY)
            tau = puma.gravity_torque(q)
            moved = puma.forward_dynamics(q, zero, tau + 3.0 * w) - puma.forward_dynamics(q, zero, tau)
            assert w @ moved == pytest.approx(3.0 / port.mass, rel=1e-9)


def test_friction_of_one_joint_is_that_of_the_port():
    """All but the first joint locked: the port feels what that joint has, through its lever."""
    robot = tq.classics.puma560()
    locked = tq.lock_joints(robot, dict(zip(robot.joint_names[1:], READY[1:], strict=True)))
    port = haptic_port(locked, "link6", [0.0], (0.0, 1.0, 0.0), encoder_step=1e-3)
    lever = abs(float(tq.compile(locked).jacobian("link6")(np.zeros(1))[1, 0]))
    friction = locked.joints[0].friction
    assert lever > 0.05
    assert port.encoder_step == pytest.approx(1e-3 * lever)
    assert port.damping == pytest.approx(min(friction.viscous_positive, friction.viscous_negative) / lever**2)
    assert port.friction == pytest.approx(min(friction.coulomb_positive, friction.coulomb_negative) / lever)


def test_the_error_of_a_model_without_a_certificate_is_its_difference_here():
    robot = tq.classics.puma560()
    model = tq.abbreviated_model(robot)
    port, exact = (haptic_port(source, "link6", READY, (0.0, 0.0, 1.0)) for source in (model, robot))
    assert 0.0 < port.model_error < 0.2
    assert abs(exact.mass / port.mass - 1.0) == pytest.approx(port.model_error, rel=1e-9)
    assert exact.model_error == 0.0


def test_misuse(puma):
    with pytest.raises(ArgumentError, match="the direction"):
        haptic_port(puma, "link6", READY, (0.0, 0.0, 0.0))
    with pytest.raises(ArgumentError, match=r"the position has the shape \(2,\)"):
        haptic_port(puma, "link6", (0.0, 0.0))
    with pytest.raises(ArgumentError, match="no joint moves 'link1' in the direction"):
        haptic_port(puma, "link1", READY, (0.0, 0.0, 1.0))
    with pytest.raises(ArgumentError, match="leaves no mass"):
        HapticPort(1.0, model_error=1.0)
    with pytest.raises(ArgumentError, match="mass of a haptic loop is nan"):
        HapticPort(math.nan)
